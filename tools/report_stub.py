"""Prints the schema of reports as a type stub."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from venice._native import report_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD = '''"""Figures of a report for type checkers; generated from its schema by `make stubs`.

A figure that a report may be without has the type ``| None``.
"""

from typing import Any

from venice.report.figures import Figures, Named

'''
_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}


def report_stub() -> str:
    """Return the text of the stub: a class for each group of figures."""
    schema = json.loads(report_schema())
    groups = {**schema["$defs"], "ReportFigures": schema}
    return _HEAD + "\n".join(_class(name, groups[name]) for name in sorted(groups))


def _class(name: str, group: Mapping[str, Any]) -> str:
    required = group.get("required", [])
    optional = sorted(set(group["properties"]).difference(required))
    figures = [_figure(figure, group) for figure in [*required, *optional]]
    text = textwrap.indent("\n".join([_quoted(group["description"]), "", *figures]), "    ")
    return f"class {name}(Figures):\n{text}\n"


def _figure(name: str, group: Mapping[str, Any]) -> str:
    part = group["properties"][name]
    kind = _type(part)
    is_always_there = name in group.get("required", ()) or kind.endswith(("Any", "None"))
    optional = "" if is_always_there else " | None"
    return f"{name}: {kind}{optional}\n{_quoted(part['description'])}"


def _quoted(text: str) -> str:
    return f'"""{textwrap.fill(text, 90)}"""'


def _type(part: Mapping[str, Any]) -> str:
    """Return a type as source text."""
    if "$ref" in part:
        return str(part["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in part:
        return " | ".join(_type(one) for one in part["anyOf"])
    kinds = part.get("type")
    if isinstance(kinds, list):
        return " | ".join(_type({**part, "type": kind}) for kind in kinds)
    if kinds == "array":
        inner = part["prefixItems"][0] if "prefixItems" in part else part["items"]
        return f"list[{_type(inner)}]"
    if kinds == "object":
        inner = part["additionalProperties"]
        return f"Named[{_type(inner)}]" if isinstance(inner, dict) else "Any"
    return _PLAIN.get(str(kinds), "Any")
