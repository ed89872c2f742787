"""Writes ``venice/report/declared.py``: the types that Python has of a report, from its schema."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEAD = '''"""What a report holds, for editors and type checkers; generated from its schema.

A figure that a run can lack is typed ``| None``.
To write it anew: ``pytest --bless python/tests/test_report_types.py``.
"""

from __future__ import annotations

from typing import Any

from venice.report.figures import Figures, Named


'''
_ABSENT_HEAD = '''"""What a report may be without; generated from its schema.

To write it anew: ``pytest --bless python/tests/test_report_types.py``.
"""

from __future__ import annotations

'''
_MEANING = '"""Figures that a report may be without."""'
_WIDTH = 100
_PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
_ROOT = "ReportFigures"


def module() -> str:
    """Give the module's text."""
    groups = _groups()
    return _HEAD + "\n\n".join(_class(name, groups[name]) for name in sorted(groups))


def absent_module() -> str:
    """Give the text of the module that says what a report may be without."""
    groups = _groups().values()
    absent = sorted({name for group in groups for name in _absent(group)})
    lines = "".join(f'    "{name}",\n' for name in absent)
    return f"{_ABSENT_HEAD}MAY_BE_ABSENT = (\n{lines})\n{_MEANING}\n"


def _groups() -> dict[str, Any]:
    schema = json.loads((REPOSITORY / "docs/reference/report.schema.json").read_text())
    return {**schema["$defs"], _ROOT: schema}


def _absent(group: Mapping[str, Any]) -> Iterator[str]:
    required = group.get("required", ())
    return (name for name in group.get("properties", {}) if name not in required)


def _class(name: str, group: Mapping[str, Any]) -> str:
    absent = set(_absent(group))
    lines = [f"class {name}(Figures):", _text(group["description"])]
    for field in [*group.get("required", ()), *sorted(absent)]:
        part = group["properties"][field]
        kind = _type(part)
        optional = field in absent and not kind.endswith(("Any", "None"))
        lines += ["", f"    {field}: {kind}{' | None' if optional else ''}"]
        lines.append(_text(part["description"]))
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Lay out a text as a docstring that is four columns in: a sentence, then the others."""
    whole = f'    """{text}"""'
    if len(whole) <= _WIDTH:
        return whole
    first, _, others = text.partition(". ")
    parts = [first.rstrip(".") + ".", others]
    filled = [textwrap.fill(part, _WIDTH - 8) for part in parts if part]
    return textwrap.indent('"""' + "\n\n".join(filled) + '\n"""', "    ")


def _type(part: Mapping[str, Any]) -> str:
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
