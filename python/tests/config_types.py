"""Writes ``venice/config/declared.py``: the types that Python has of a drive, from its schema."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import venice
from venice._native import explain

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_HEAD = '''"""A drive and its sections, for editors and type checkers; generated from the schema.

To write it anew: ``pytest --bless python/tests/test_config_types.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, Self, TypedDict, Unpack

from venice.config.drive import DriveDescription
from venice.described.section import Section, section
from venice.described.values import Value

'''
_DRIVE = "A drive: what it starts from, and what is said of it here."
_BASE = """    base
        A preset's name, or the path of a drive's file; empty for a drive that says all itself."""
_CHANGES = '''class DriveChanges(TypedDict, total=False):
    """What :meth:`Drive.with_` takes."""

    base: DriveName | str | PathLike[str]
'''
_WITH = '''
    def with_(self, **changes: Unpack[DriveChanges]) -> Self:
        """Give the drive with changes: what a section says wins, value by value.

        Examples
        --------
        >>> drive = Drive(flash=Flash(t_read_us=5, t_prog_us=200))
        >>> drive.with_(flash=Flash(t_read_us=3))
        Drive('venice-performance', flash=Flash(t_prog_us=200, t_read_us=3))
        """
        said: DriveChanges = {"base": self.base, **changes}
        return self | type(self)(**said)
'''
_WIDTH = 100
_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}


def module() -> str:
    """Give the module's text."""
    schema = json.loads((REPOSITORY / "docs/reference/config.schema.json").read_text())
    schema["properties"].pop("extends")
    names: dict[str, Sequence[str]] = {
        "DriveName": venice.drive_names(),
        **dict(_choices(schema, "")),
    }
    literals = "".join(_literal(name, names[name]) for name in sorted(names))
    sections = dict(_sections(schema, ""))
    root = sections.pop("")
    classes = [_class(key, part) for key, part in sections.items()]
    shown = [*names, *map(_named, sections), "Drive", "DriveChanges"]
    listed = "".join(f'    "{name}",\n' for name in sorted(shown))
    head = f"{_HEAD}__all__ = [\n{listed}]\n\n{literals}"
    return "\n\n".join([head, *classes, _changes(root), _class("", root) + _WITH])


def _choices(part: Mapping[str, Any], key: str) -> Iterator[tuple[str, list[str]]]:
    """Give the values of each parameter that has named ones."""
    for name, inner in part["properties"].items():
        full = f"{key}.{name}".removeprefix(".")
        if _is_section(inner):
            yield from _choices(inner, full)
        elif _one(_kind(inner)).get("enum"):
            yield _named(full), _one(_kind(inner))["enum"]


def _sections(part: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give all sections, each behind those that it holds."""
    for name, inner in part["properties"].items():
        if _is_section(inner):
            yield from _sections(inner, f"{key}.{name}".removeprefix("."))
    yield key, part


def _class(key: str, part: Mapping[str, Any]) -> str:
    """Write a section: its values first, then the sections that it holds."""
    what = part["description"] if key else _DRIVE.removesuffix(".")
    attributes = [] if key else [_BASE]
    fields = [] if key else [_base_field()]
    for name, inner in _in_order(part):
        full = f"{key}.{name}".removeprefix(".")
        attributes.append(f"    {name}\n{_about(full, inner)}")
        kind = _type(full, inner)
        fields.append(f"    {name}: {kind} = {f'{kind}()' if _is_section(inner) else None}")
    head = [
        f'@section("{key}")',
        "@dataclass(frozen=True, kw_only=True, repr=False)",
        f"class {_named(key) or 'Drive'}({'Section' if key else 'DriveDescription'}):",
        textwrap.fill(f'"""{what}.', _WIDTH, initial_indent="    ", subsequent_indent="    "),
        "",
        "    Attributes",
        "    ----------",
    ]
    return "\n".join([*head, *attributes, '    """', "", *fields]) + "\n"


def _base_field() -> str:
    kind, default = "DriveName | str | PathLike[str]", '"venice-performance"'
    return f"    base: {kind} = field(default={default}, kw_only=False)"


def _changes(root: Mapping[str, Any]) -> str:
    lines = [f"    {name}: {_type(name, inner)}\n" for name, inner in _in_order(root)]
    return _CHANGES + "".join(lines)


def _in_order(part: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(part["properties"].items(), key=lambda item: _is_section(item[1]))


def _about(key: str, part: Mapping[str, Any]) -> str:
    """Say what a parameter is, its unit, its values, its default and its source."""
    if _is_section(part):
        lines = [f"{part['description']}."]
    else:
        default = part.get("default")
        usual = "no default" if default is None else f"default {_default(default)}"
        values = f"{_range(_kind(part))}{usual}. Source: {_source(key)}."
        lines = [part["description"], values[0].upper() + values[1:]]
    indent = " " * 8
    filled = [
        textwrap.fill(
            line.replace("\\", "\\\\"),
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines
    ]
    return "\n".join(filled)


def _source(key: str) -> str:
    """Give what the engine cites."""
    cited = [line for line in explain(key).splitlines() if line.startswith("  source ")]
    return cited[-1].removeprefix("  source").strip().rstrip(".")


def _range(kind: Mapping[str, Any]) -> str:
    one = _one(kind)
    return f"{one['minimum']:.15g} to {one['maximum']:.15g}; " if "minimum" in one else ""


def _default(value: object) -> str:
    return "empty" if value == "" else json.dumps(value, ensure_ascii=False)


def _type(key: str, part: Mapping[str, Any]) -> str:
    return _named(key) if _is_section(part) else f"Value[{_plain_type(key, _kind(part))}]"


def _plain_type(key: str, kind: Mapping[str, Any]) -> str:
    if "anyOf" in kind:
        return " | ".join(_plain_type(key, one) for one in kind["anyOf"])
    if "enum" in kind:
        return _named(key)
    if "const" in kind:
        return f'Literal["{kind["const"]}"]'
    if kind["type"] == "array":
        return f"Sequence[{_plain_type(key, kind['items'])}]"
    return _PLAIN[kind["type"]]


def _kind(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the type of a value; the other form is a value with its source."""
    kind: Mapping[str, Any] = part["anyOf"][0]
    return kind


def _one(kind: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the type of a value, or of one of its list, at any depth."""
    inner = kind.get("items") or kind.get("anyOf", [None])[0]
    return kind if inner is None else _one(inner)


def _is_section(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "object"


def _literal(name: str, values: Sequence[str]) -> str:
    return "\n".join([f"{name} = Literal[", *(f'    "{value}",' for value in values), "]\n"])


def _named(key: str) -> str:
    """Call a class after its key: ``host.scheduler`` is ``HostScheduler``."""
    return "".join(word.capitalize() for word in key.replace(".", "_").split("_"))
