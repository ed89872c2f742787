"""Writes ``venice/workloads/declared.py``: the types that Python has of workloads and traces."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import venice

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_HEAD = '''"""Workloads and traces, for editors and type checkers; generated from the schema.

To write it anew: ``pytest --bless python/tests/test_workload_types.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, Self, TypeAlias, TypedDict, Unpack

from venice.described.section import Section
from venice.described.values import Law
from venice.workloads.description import Description, MixDescription
from venice.workloads.section import mix, table
from venice.workloads.trace import TraceDescription

'''
_WITH = '''
    def with_(self, **changes: Unpack[{name}Changes]) -> Self:
        """Give the {what} with changes: what is said last wins, value by value.

        Examples
        --------
        >>> {example}
        """
        said: {name}Changes = {{"base": self.base, **changes}}
        return self | type(self)(**said)
'''
_EXAMPLES = {
    "Workload": """Workload("random-read").with_(requests=5).with_(read_pct=50)
        Workload('random-read', read_pct=50, requests=5)""",
    "Mix": """Mix("mix1", requests=7).with_(mean_gap_us=2)
        Mix('mix1', mean_gap_us=2, requests=7)""",
}
_WIDTH = 100
_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
_NOT_SAID = ("extends", "synthetic")
_PATH = "str | PathLike[str]"
_FLOWS = f"Sequence[WorkloadName | {_PATH} | Workload]"
_BASE_TEXT = """    base
        A {what}'s name, or the path of its file: what is not said here is as there. Empty for one
        that says all itself."""
_OWN_NAMES = {"Event": "TraceEvent"}

_SCHEMA: dict[str, Any] = json.loads(
    (REPOSITORY / "docs/reference/workload.schema.json").read_text()
)["$defs"]


def module() -> str:
    """Give the module's text."""
    formats = _SCHEMA["Trace"]["properties"]["format"]["enum"]
    keys = dict(_tables("Workload", ""))
    aliases = [name for name, part in _SCHEMA.items() if "oneOf" in part]
    tables = [name for name in keys if name != "Workload"]
    parts = [
        _literal("WorkloadName", venice.workload_names()),
        _literal("TraceFormat", formats),
        *(_law(name, _SCHEMA[name]) for name in _laws()),
        *(text for name in aliases for text in _scalars(_SCHEMA[name])),
        "\n".join(_alias(name, _SCHEMA[name]) for name in aliases),
        *(_table(name, keys[name]) for name in tables),
        *_whole("Workload"),
        *_whole("Mix"),
        _trace(),
    ]
    names = [*_classes(parts), *map(_named, aliases), "WorkloadName", "TraceFormat"]
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"{_HEAD}__all__ = [\n{listed}]\n\n" + "\n\n".join(parts)


def _classes(parts: list[str]) -> Iterator[str]:
    for line in "\n".join(parts).splitlines():
        if line.startswith("class "):
            yield line.removeprefix("class ").partition("(")[0]


def _tables(name: str, key: str) -> Iterator[tuple[str, str]]:
    """Give the tables of a file, each behind those that it holds, and their keys."""
    for inner, part in _SCHEMA[name]["properties"].items():
        held = _reference(part)
        if held and "properties" in _SCHEMA[held]:
            yield from _tables(held, f"{key}.{inner}".removeprefix("."))
    yield name, key


def _laws() -> Iterator[str]:
    """Name what is a law, or a part of one, and has several values."""
    tables = {*dict(_tables("Workload", "")), "Mix", "Trace"}
    return (name for name, part in _SCHEMA.items() if "properties" in part and name not in tables)


def _tags() -> dict[str, str]:
    """Give the tag of each law that has several values."""
    found = {}
    for part in _SCHEMA.values():
        for one in part.get("oneOf", ()):
            for tag, value in one.get("properties", {}).items():
                found[_reference(value)] = tag
    return found


def _law(name: str, part: Mapping[str, Any]) -> str:
    inner = part["properties"]
    attributes = [f"    {key}\n{_about(value)}" for key, value in inner.items()]
    fields = [f"    {key}: {_type(value)}" for key, value in inner.items()]
    tag = _tags().get(name)
    if tag:
        fields = [f'    TAG = "{tag}"', "", *fields]
    head = _head(f"{name}(Law)", part["description"], "@dataclass(frozen=True, kw_only=True)")
    return "\n".join([*head, *attributes, '    """', "", *fields]) + "\n"


def _scalars(part: Mapping[str, Any]) -> Iterator[str]:
    """Write the laws of a choice that have one value."""
    for one in part["oneOf"]:
        if "title" in one:
            ((tag, value),) = one["properties"].items()
            head = _head(f"{one['title']}(Law)", one["description"], "@dataclass(frozen=True)")
            about = _about({**value, "description": "Its value."})
            body = ["    value", about, '    """', "", f'    TAG = "{tag}"', ""]
            yield "\n".join([*head, *body, f"    value: {_type(value)}"]) + "\n"


def _alias(name: str, part: Mapping[str, Any]) -> str:
    """Write a choice among laws."""
    words = [f'"{one["const"]}"' for one in part["oneOf"] if "const" in one]
    kinds = [f"Literal[{', '.join(words)}]"] if words else []
    for one in part["oneOf"]:
        inner = one.get("properties", {}).values()
        kinds += [one.get("title") or _reference(value) for value in inner]
    line = f"{_named(name)}: TypeAlias = {' | '.join(kinds)}"
    in_brackets = f"    {' | '.join(kinds)}"
    if len(line) > _WIDTH and len(in_brackets) <= _WIDTH:
        line = f"{_named(name)}: TypeAlias = (\n{in_brackets}\n)"
    elif len(line) > _WIDTH:
        below = "\n    | ".join(kinds)
        line = f"{_named(name)}: TypeAlias = (\n    {below}\n)"
    says = " ".join(part["description"].split())
    return line + "\n" + textwrap.fill(f'"""{says}"""', _WIDTH) + "\n"


def _table(name: str, key: str) -> str:
    part = _SCHEMA[name]
    attributes, fields = _said(part)
    head = [
        f'@table("{key}")',
        *_head(
            f"{name}(Section)",
            part["description"],
            "@dataclass(frozen=True, kw_only=True, repr=False)",
        ),
    ]
    return "\n".join([*head, *attributes, '    """', "", *fields]) + "\n"


def _whole(name: str) -> tuple[str, str]:
    """Write what a file is, and what changes it takes."""
    part = _SCHEMA[name]
    what, parent = ("mix", "MixDescription") if name == "Mix" else ("workload", "Description")
    attributes, fields = _said(part)
    base = f'    base: WorkloadName | {_PATH} = field(default="", kw_only=False)'
    decorator = '@mix("")' if name == "Mix" else '@table("")'
    head = _head(
        f"{name}({parent})",
        part["description"],
        "@dataclass(frozen=True, kw_only=True, repr=False)",
    )
    body = [_BASE_TEXT.format(what=what), *attributes, '    """', "", base, *fields]
    text = "\n".join([decorator, *head, *body]) + "\n"
    plain = [f"    {line.strip().partition(' = ')[0].removesuffix(' | None')}" for line in fields]
    changes = [
        f"class {name}Changes(TypedDict, total=False):",
        f'    """What :meth:`{name}.with_` takes."""',
        "",
        f"    base: WorkloadName | {_PATH}",
        *plain,
    ]
    example = _EXAMPLES[name]
    return "\n".join(changes) + "\n", text + _WITH.format(name=name, what=what, example=example)


def _said(part: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Write the texts and the fields of a table, values before the tables that it holds."""
    attributes, fields = [], []
    order = sorted(part["properties"].items(), key=lambda item: _is_table(item[1]))
    for key, value in order:
        if key in _NOT_SAID:
            continue
        attributes.append(f"    {key}\n{_about(value)}")
        kind = _FLOWS if key == "flows" else _type(value)
        default = f"{kind}()" if _is_table(value) else "None"
        kind = kind if _is_table(value) else f"{kind} | None"
        fields.append(f"    {key}: {kind} = {default}")
    return attributes, fields


def _trace() -> str:
    attributes, fields = _said(_SCHEMA["Trace"])
    head = _head(
        "Trace(TraceDescription)",
        "A trace: a file, and how it is read. What is ``None`` is found out, or as usual.",
        "@dataclass(frozen=True, kw_only=True, repr=False)",
    )
    path = ["    path", "        The file, plain or compressed."]
    first = f"    path: {_PATH} = field(kw_only=False)"
    fields = [line.replace("format: str", "format: TraceFormat") for line in fields]
    return "\n".join([*head, *path, *attributes, '    """', "", first, *fields]) + "\n"


def _head(name: str, text: str, *decorators: str) -> list[str]:
    """Begin a class."""
    first = text.partition(". ")[0].removesuffix(".")
    rest = text.removeprefix(first).removeprefix(".").strip()
    lines = [textwrap.fill(f'"""{first}.', _WIDTH, initial_indent="    ", subsequent_indent="    ")]
    if rest:
        lines += ["", textwrap.indent(textwrap.fill(rest, _WIDTH - 4), "    ")]
    return [*decorators, f"class {name}:", *lines, "", "    Attributes", "    ----------"]


def _about(part: Mapping[str, Any]) -> str:
    """Say what a value is, its unit, its range and its default."""
    lines = [part["description"].rstrip(".") + "."]
    unit = part.get("unit")
    if unit:
        lines[0] = lines[0].removesuffix(".") + f" [{unit}]."
    told = _range(part)
    if "default" in part and part["default"] is not None and part["default"] != "D":
        told = [*told, f"default {json.dumps(part['default'])}"]
    if told:
        text = "; ".join(told)
        lines.append(text[0].upper() + text[1:] + ".")
    indent = " " * 8
    return "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent=indent, subsequent_indent=indent)
        for line in lines
    )


def _range(part: Mapping[str, Any]) -> list[str]:
    least, most = part.get("minimum"), part.get("maximum")
    above, below = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    low = f"above {above:g}" if above is not None else "" if least is None else f"from {least:.15g}"
    high = f"below {below:g}" if below is not None else "" if most is None else f"to {most:.15g}"
    return [" ".join(filter(None, (low, high)))] * bool(low or high)


def _type(part: Mapping[str, Any]) -> str:
    held = _reference(part)
    if held:
        return _named(held)
    if part["type"] == "array":
        return f"Sequence[{_type(part['items'])}]"
    return _PLAIN[part["type"]]


def _reference(part: Mapping[str, Any]) -> str:
    """Name the part of the schema that a value refers to, if it does."""
    one = part.get("anyOf", [part])[0]
    return str(one.get("$ref", "")).rpartition("/")[2]


def _is_table(part: Mapping[str, Any]) -> bool:
    held = _reference(part)
    return bool(held) and "properties" in _SCHEMA[held] and held not in set(_laws())


def _named(name: str) -> str:
    return _OWN_NAMES.get(name, name)


def _literal(name: str, values: Sequence[str]) -> str:
    return "\n".join([f"{name} = Literal[", *(f'    "{value}",' for value in values), "]\n"])
