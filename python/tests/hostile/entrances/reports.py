"""Edited or damaged reports, read by all commands that read reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..damage import damage_text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_COMMANDS = (
    ("report", "sheet", "in.json", "-o", "out.html"),
    ("report", "fio", "in.json", "-o", "out.json"),
    ("report", "diff", "in.json", "in.json"),
    ("view", "in.json", "-o", "out.html"),
    ("plot", "in.json", "--kind", "breakdown", "-o", "out.png"),
    ("plot", "in.json", "--kind", "bars", "-o", "out.svg"),
    ("plot", "in.json", "--kind", "chips", "-o", "out.svg"),
)
_OUTPUTS = ("out.html", "out.json", "out.png", "out.svg", "out.csv")
_VALUES: tuple[Any, ...] = (None, 0, -1, 1e308, "text", "", [], {}, True, [[]], {"a": 1}, 10**30)
_TEXTS = ("[" * 100_000, "{}", "[]", "null", "1", '"text"', '{"a":' * 50_000, "NaN", "[1, 2]", "")


def draw(draw: Random, material: Material) -> Case:
    """Draw a report and a command that reads it."""
    content = draw.choice([material.report, material.report, material.compared])
    kind = draw.random()
    if kind < 0.65:
        changed = json.loads(content)
        _change(draw, changed)
        content = json.dumps(changed).encode()
    elif kind < 0.85:
        content = damage_text(draw, content)
    else:
        content = draw.choice(_TEXTS).encode()
    return Case(draw.choice(_COMMANDS), {"in.json": content}, outputs=_OUTPUTS)


def _change(draw: Random, value: Any) -> None:  # noqa: ANN401 any JSON value
    """Remove a random part of a value, or replace it."""
    while True:
        key = draw.choice(sorted(value)) if isinstance(value, dict) else draw.randrange(len(value))
        inner = value[key]
        if not (isinstance(inner, dict | list) and inner and draw.random() < 0.6):
            break
        value = inner
    if isinstance(value, dict) and draw.random() < 0.5:
        del value[key]
    else:
        value[key] = draw.choice(_VALUES)
