"""Sweep files: hostile scenarios, axes and names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_text
from ..material import SWEEP
from ..values import number, text
from .toml import BROKEN, changed

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

NAMES = (
    "../escaped",
    "../../escaped",
    "a/b",
    "/tmp/venice-hostile-escaped",  # noqa: S108 nothing may be there
    "..",
    ".",
    "",
    "x" * 300,
)
_WORDS = ("sweep", "run", "mine.toml", "--workers", "1")


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a sweep's file."""
    content, is_escape = file_of(draw, SWEEP)
    dry = ("--dry-run",) if draw.random() < 0.3 else ()
    stores = ("out",) if not is_escape else ()
    return Case((*_WORDS, *dry), {"mine.toml": content}, stores=stores, must_fail=is_escape)


def file_of(draw: Random, whole: str) -> tuple[bytes, bool]:
    """Draw a sweep or exploration; return its file, and whether its name leaves the folder."""
    kind = draw.random()
    if kind < 0.1:
        return draw.choice(BROKEN), False
    if kind < 0.25:
        name = draw.choice(NAMES)
        return f"name = {json.dumps(name)}\n{whole}".encode(), True
    if kind < 0.4:
        return damage_text(draw, whole.encode()), False
    for _ in range(draw.randint(1, 2)):
        whole = changed(draw, whole, draw.choice([number, text])(draw))
    return whole.encode(), False
