"""Damaged stores of sweeps: an exported table is complete or not written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_bytes, flip_bits
from ..material import SWEEP

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from ..case import Outcome
    from ..material import Material

_COMMANDS = (
    ("sweep", "export", "kept", "-o", "kept.csv"),
    ("sweep", "status", "kept"),
    ("sweep", "sql", "SELECT * FROM runs", "kept"),
    ("sweep", "run", "sweep.toml", "--out", "kept", "--workers", "1"),
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a damage and a command that reads the store."""
    damage = flip_bits if draw.random() < 0.6 else damage_bytes
    words = draw.choice([_COMMANDS[0], _COMMANDS[3], *_COMMANDS])
    table = "kept.csv" if words[1] == "export" else "kept/results.csv"
    return Case(
        words,
        {"kept/results.sqlite": damage(draw, material.store), "sweep.toml": SWEEP.encode()},
        outputs=("kept.csv",),
        stores=("kept",),
        faults=partial(_other_rows, table, material.tables[table]),
    )


def _other_rows(name: str, expected: str, outcome: Outcome, folder: Path) -> list[str]:
    """Return faults if the table has a row that the undamaged store does not have."""
    table = folder / name
    if outcome.code or not table.is_file():
        return []
    wrong = sorted(set(table.read_text().splitlines()) - set(expected.splitlines()))
    return [f"{name} has other figures: {row}" for row in wrong[:1]]
