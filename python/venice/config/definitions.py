"""Classes and types of a drive's configuration, from its schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from venice._native import drive_names, explain, schema
from venice.config.drive import DriveDescription
from venice.schema_classes.definitions import Changes, Choice, ClassDefinition, Keyword
from venice.schema_classes.section import Section, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.schema_classes.definitions import Definition

_BASE = Keyword(
    name="base",
    kind="DriveName | str | PathLike[str]",
    about=["A preset's name, or the path of a drive's file; empty for a drive without a base."],
    default="venice-performance",
    is_positional=True,
)
_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}


def drive_definitions() -> list[Definition]:
    """Return the definitions of the choices, of the sections, innermost first, and of the drive."""
    root = json.loads(schema())
    del root["properties"]["extends"]
    choices = [Choice("DriveName", drive_names()), *_choices(root, "")]
    drive = ClassDefinition(
        name="Drive",
        parent=DriveDescription,
        about="A drive: its base, and its changes to the base",
        keywords=[_BASE, *_keywords("", root)],
        decorate=section(""),
        has_changes=True,
    )
    return [*sorted(choices, key=lambda one: one.name), *_sections(root, ""), Changes(drive), drive]


def _choices(part: Mapping[str, Any], key: str) -> Iterator[Choice]:
    """Yield the allowed words of each parameter that has a list of words."""
    for name, inner in part["properties"].items():
        full = _joined(key, name)
        if _is_section(inner):
            yield from _choices(inner, full)
        elif words := _one(_kind(inner)).get("enum"):
            yield Choice(_class_name(full), words)


def _sections(part: Mapping[str, Any], key: str) -> Iterator[ClassDefinition]:
    """Yield the sections of a part of the schema, subsections first."""
    for name, inner in part["properties"].items():
        if _is_section(inner):
            full = _joined(key, name)
            yield from _sections(inner, full)
            yield ClassDefinition(
                name=_class_name(full),
                parent=Section,
                about=inner["description"],
                keywords=_keywords(full, inner),
                decorate=section(full),
            )


def _keywords(key: str, part: Mapping[str, Any]) -> list[Keyword]:
    """Return the keywords of a section: values, then subsections."""
    ordered = sorted(part["properties"].items(), key=lambda item: _is_section(item[1]))
    return [_keyword(_joined(key, name), name, inner) for name, inner in ordered]


def _keyword(key: str, name: str, part: Mapping[str, Any]) -> Keyword:
    if _is_section(part):
        return Keyword(name, _class_name(key), [f"{part['description']}."], is_section=True)
    kind = _kind(part)
    about = [part["description"], f"{_values(kind, part.get('default'))} Source: {_source(key)}."]
    return Keyword(name, f"Value[{_type(key, kind)}]", about)


def _values(kind: Mapping[str, Any], default: object) -> str:
    """Return a sentence with the range and the default of a value."""
    one = _one(kind)
    span = f"{one['minimum']:.15g} to {one['maximum']:.15g}; " if "minimum" in one else ""
    shown = "empty" if default == "" else json.dumps(default, ensure_ascii=False)
    text = f"{span}no default" if default is None else f"{span}default {shown}"
    return f"{text[0].upper()}{text[1:]}."


def _source(key: str) -> str:
    """Return the source that the engine cites for a parameter."""
    cited = [line for line in explain(key).splitlines() if line.startswith("  source ")]
    return cited[-1].removeprefix("  source").strip().rstrip(".")


def _type(key: str, kind: Mapping[str, Any]) -> str:
    """Return the Python type of a key as source text."""
    if "anyOf" in kind:
        return " | ".join(_type(key, one) for one in kind["anyOf"])
    if "enum" in kind:
        return _class_name(key)
    if "const" in kind:
        return f'Literal["{kind["const"]}"]'
    if kind["type"] == "array":
        return f"Sequence[{_type(key, kind['items'])}]"
    return _PLAIN[kind["type"]]


def _kind(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a value without the variant that adds its source."""
    kind: Mapping[str, Any] = part["anyOf"][0]
    return kind


def _one(kind: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a value, or of the innermost elements if the value is a list."""
    inner = kind.get("items") or kind.get("anyOf", [None])[0]
    return kind if inner is None else _one(inner)


def _is_section(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "object"


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}".removeprefix(".")


def _class_name(key: str) -> str:
    """Return the name of the class for a key: `HostScheduler` for ``host.scheduler``."""
    return "".join(word.capitalize() for word in key.replace(".", "_").split("_"))
