"""Names that shells complete, which are declared elsewhere: keys, their values, columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice import _native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def settings() -> dict[str, list[str]]:
    """Give every key of a drive, each with those of its values that have names."""
    # Runs need neither this nor what it imports.
    import json  # noqa: PLC0415

    schema = json.loads(_native.schema())
    # What a file alone can say.
    del schema["properties"]["extends"]
    return dict(_of(schema, ""))


def keys() -> list[str]:
    """Give every key of a drive."""
    return list(settings())


def schemes() -> list[str]:
    """Give the host schedulers, and that there is none."""
    return settings()["host.scheduler.scheme"]


def columns() -> list[str]:
    """Give the columns of a request log, and the words for some and all of them."""
    return ["usual", "all", *(name for name, _ in _native.request_columns())]


def formats() -> list[str]:
    """Give the formats of traces."""
    return [name for name, _ in _native.trace_formats()]


def _of(section: Mapping[str, Any], key: str) -> Iterator[tuple[str, list[str]]]:
    for name, part in section["properties"].items():
        inner = f"{key}.{name}".removeprefix(".")
        if "properties" in part:
            yield from _of(part, inner)
        else:
            yield inner, _named(part)


def _named(part: Mapping[str, Any]) -> list[str]:
    """Name the values of a key; a value may stand beside its source."""
    kind = part.get("anyOf", [part])[0]
    if kind.get("type") == "boolean":
        return ["true", "false"]
    return [str(value) for value in kind.get("enum", ())]
