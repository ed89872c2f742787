"""Names for shell completion: settings of drives, their values, and figures of reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from venice import _native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def settings() -> dict[str, list[str]]:
    """Return every configuration key of a drive, each with the words that the key accepts."""
    schema = json.loads(_native.schema())
    # Only files, not settings of the command line, can extend another drive.
    del schema["properties"]["extends"]
    return dict(_of(schema, ""))


def keys() -> list[str]:
    """Return every configuration key of a drive."""
    return list(settings())


def host_schedulers() -> list[str]:
    """Return the names of host schedulers."""
    return settings()["host.scheduler.scheme"]


def figures() -> list[str]:
    """Return the names of all values of a report, and of the groups that contain them."""
    schema = json.loads(_native.report_schema())
    return list(dict.fromkeys(_figures_of(schema, schema["$defs"], "")))


def _figures_of(group: Mapping[str, Any], types: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the names of a group and of its figures; the names of lists end in ``[]``."""
    if name:
        yield name
    for kind in group.get("anyOf", [group]):
        referred = types[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
        for part, inner in referred.get("properties", {}).items():
            yield from _figures_of(inner, types, f"{name}.{part}".removeprefix("."))
        if "$ref" in referred.get("items", {}):
            yield from _figures_of(referred["items"], types, f"{name}[]")


def _of(section: Mapping[str, Any], key: str) -> Iterator[tuple[str, list[str]]]:
    for name, part in section["properties"].items():
        inner = f"{key}.{name}".removeprefix(".")
        if "properties" in part:
            yield from _of(part, inner)
        else:
            yield inner, _named(part)


def _named(part: Mapping[str, Any]) -> list[str]:
    """Return the words that a key accepts as its value."""
    kind = part.get("anyOf", [part])[0]
    if kind.get("type") == "boolean":
        return ["true", "false"]
    return [str(value) for value in kind.get("enum", ())]
