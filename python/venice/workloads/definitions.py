"""Definitions of the classes and types of workloads and traces, from their schema."""

from __future__ import annotations

import json
from dataclasses import MISSING
from functools import cache
from typing import TYPE_CHECKING, Any

from venice._native import workload_names, workload_schema
from venice.schema_classes.definitions import Changes, Choice, ClassDefinition, Keyword
from venice.schema_classes.section import Section
from venice.schema_classes.values import Law
from venice.workloads.description import Description, MixDescription
from venice.workloads.section import mix, table
from venice.workloads.trace import TraceDescription

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.schema_classes.definitions import Definition

_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
_IMPLIED = ("extends", "synthetic")
"""Keys of a file without a Python keyword: the base determines the first, the second is always
true."""
_PATH = "str | PathLike[str]"
_OWN_TYPES = {"flows": f"Sequence[WorkloadName | {_PATH} | Workload]", "format": "TraceFormat"}
"""Types of keywords that differ from those of the schema."""
_OWN_NAMES = {"Event": "TraceEvent"}
_BASE = "Name or file of the {what} that this one changes; empty for a {what} without a base."


def workload_definitions() -> list[Definition]:
    """Return the definitions: names, distributions, choices, tables, workloads and traces."""
    schema = _schema()
    formats = schema["Trace"]["properties"]["format"]["enum"]
    choices = {name: part for name, part in schema.items() if "oneOf" in part}
    tables = [_table(name, key) for name, key in _tables("Workload", "") if key]
    workload, several = _workload(), _mix()
    return [
        Choice("WorkloadName", workload_names()),
        Choice("TraceFormat", formats),
        *(_law(name) for name in _laws()),
        *(law for part in choices.values() for law in _scalars(part)),
        *(_choice(name, part) for name, part in choices.items()),
        *tables,
        Changes(workload),
        workload,
        Changes(several),
        several,
        _trace(),
    ]


@cache
def _schema() -> dict[str, Any]:
    parts: dict[str, Any] = json.loads(workload_schema())["$defs"]
    return parts


def _tables(name: str, key: str) -> Iterator[tuple[str, str]]:
    """Yield the tables of a file with their keys, subtables first."""
    for inner, part in _schema()[name]["properties"].items():
        held = _reference(part)
        if held and "properties" in _schema()[held]:
            yield from _tables(held, f"{key}.{inner}".removeprefix("."))
    yield name, key


@cache
def _laws() -> tuple[str, ...]:
    """Return the distributions, and parts of distributions, that have several parameters."""
    tables = {*dict(_tables("Workload", "")), "Mix", "Trace"}
    return tuple(
        name for name, part in _schema().items() if "properties" in part and name not in tables
    )


@cache
def _tags() -> dict[str, str]:
    """Return the tag of each distribution that has several parameters."""
    choices = [one for part in _schema().values() for one in part.get("oneOf", ())]
    return {
        _reference(value): tag
        for one in choices
        for tag, value in one.get("properties", {}).items()
    }


def _law(name: str) -> ClassDefinition:
    part = _schema()[name]
    return ClassDefinition(
        name=name,
        parent=Law,
        about=part["description"],
        keywords=[
            Keyword(key, _type(value), _about(value), default=MISSING)
            for key, value in part["properties"].items()
        ],
        tag=_tags().get(name, ""),
        repr=True,
    )


def _scalars(part: Mapping[str, Any]) -> Iterator[ClassDefinition]:
    """Yield the distributions of a choice that have only one parameter."""
    for one in part["oneOf"]:
        if "title" in one:
            ((tag, value),) = one["properties"].items()
            about = _about({**value, "description": "Its value."})
            yield ClassDefinition(
                name=one["title"],
                parent=Law,
                about=one["description"],
                keywords=[Keyword("value", _type(value), about, default=MISSING)],
                tag=tag,
                kw_only=False,
                repr=True,
            )


def _choice(name: str, part: Mapping[str, Any]) -> Choice:
    """Return a choice among keywords and distributions."""
    words = [one["const"] for one in part["oneOf"] if "const" in one]
    kinds = [
        one.get("title") or _reference(value)
        for one in part["oneOf"]
        for value in one.get("properties", {}).values()
    ]
    return Choice(_class_name(name), words, kinds, " ".join(part["description"].split()))


def _table(name: str, key: str) -> ClassDefinition:
    part = _schema()[name]
    return ClassDefinition(name, Section, part["description"], _keywords(part), table(key))


def _workload() -> ClassDefinition:
    part = _schema()["Workload"]
    keywords = [_base("workload"), *_keywords(part)]
    return ClassDefinition(
        "Workload", Description, part["description"], keywords, table(""), has_changes=True
    )


def _mix() -> ClassDefinition:
    part = _schema()["Mix"]
    keywords = [_base("mix"), *_keywords(part)]
    return ClassDefinition(
        "Mix", MixDescription, part["description"], keywords, mix(""), has_changes=True
    )


def _trace() -> ClassDefinition:
    path = Keyword(
        "path", _PATH, ["The file, plain or compressed."], default=MISSING, is_positional=True
    )
    about = (
        "A trace: a file, and how it is read. Options that are `None` are detected, or the default"
    )
    return ClassDefinition("Trace", TraceDescription, about, [path, *_keywords(_schema()["Trace"])])


def _base(what: str) -> Keyword:
    about = [_BASE.format(what=what)]
    return Keyword("base", f"WorkloadName | {_PATH}", about, default="", is_positional=True)


def _keywords(part: Mapping[str, Any]) -> list[Keyword]:
    """Return the keywords of a table: values, then subtables."""
    ordered = sorted(part["properties"].items(), key=lambda item: _is_table(item[1]))
    return [_keyword(name, value) for name, value in ordered if name not in _IMPLIED]


def _keyword(name: str, part: Mapping[str, Any]) -> Keyword:
    if _is_table(part):
        return Keyword(name, _type(part), _about(part), is_section=True)
    return Keyword(name, f"{_OWN_TYPES.get(name) or _type(part)} | None", _about(part))


def _about(part: Mapping[str, Any]) -> list[str]:
    """Return the description of a value with its unit, followed by its range and default."""
    meaning, _, default = part["description"].rstrip(".").rstrip("]").partition(" [default: ")
    unit_and_default = [part.get("unit"), default and f"default: {default}"]
    brackets = ", ".join(filter(None, unit_and_default))
    unit = f" [{brackets}]" if brackets else ""
    limits = [_range(part)] if _range(part) else []
    if not default and part.get("default") not in (None, "D"):
        limits.append(f"default {json.dumps(part['default'])}")
    text = "; ".join(limits)
    return [f"{meaning}{unit}.", *([f"{text[0].upper()}{text[1:]}."] if text else [])]


def _range(part: Mapping[str, Any]) -> str:
    least, most = part.get("minimum"), part.get("maximum")
    above, below = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    low = f"above {above:g}" if above is not None else "" if least is None else f"from {least:.15g}"
    high = f"below {below:g}" if below is not None else "" if most is None else f"to {most:.15g}"
    return " ".join(filter(None, (low, high)))


def _type(part: Mapping[str, Any]) -> str:
    """Return the Python type of a value as source text."""
    held = _reference(part)
    if held:
        return _class_name(held)
    if part["type"] == "array":
        return f"Sequence[{_type(part['items'])}]"
    return _PLAIN[part["type"]]


def _reference(part: Mapping[str, Any]) -> str:
    """Return the name of the schema's part to which a value refers; empty if there is none."""
    one = part.get("anyOf", [part])[0]
    return str(one.get("$ref", "")).rpartition("/")[2]


def _is_table(part: Mapping[str, Any]) -> bool:
    held = _reference(part)
    return bool(held) and "properties" in _schema()[held] and held not in _laws()


def _class_name(name: str) -> str:
    return _OWN_NAMES.get(name, name)
