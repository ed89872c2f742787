"""Every key of a drive with a hostile value, in a file or by ``--set``, and broken drive files."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from venice import _native

from ..case import Case
from ..damage import damage_text
from ..material import SMALL
from ..values import argument, number, text
from .toml import BROKEN, literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

    from ..case import Outcome
    from ..material import Material

_RUN = ("run", "--workload", "mixed-70-30", "--requests", "40", "--audit", "--json", "out.json")
_SECRET = b"PASSWORD=not-for-logs\n"
_DRIVE = b"""extends = "venice-performance"
name = "mine"
[array]
rows = 2
cols = 2
[flash]
blocks_per_plane = 16
pages_per_block = 16
t_read_us = 40
[fabric]
name = "venice"
"""


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a drive."""
    kind = draw.random()
    key = draw.choice(keys())
    if kind < 0.5:
        value = argument(draw) if draw.random() < 0.3 else number(draw)
        word = f"{key}=".encode() + (value if isinstance(value, bytes) else value.encode())
        return Case((*_RUN, *SMALL, "--set", word), outputs=("out.json",))
    return Case(
        (*_RUN, "--drive", "drive.toml"),
        {"drive.toml": _file(draw, key), "secret.txt": _SECRET},
        outputs=("out.json",),
        faults=_foreign_lines,
    )


def _foreign_lines(outcome: Outcome, _folder: Path) -> list[str]:
    """Return faults if the output quotes files that are not drive files."""
    is_shown = any(line in outcome.stderr for line in (_SECRET.strip(), b"root:x:0"))
    return ["quotes a file that is no drive"] if is_shown else []


def _file(draw: Random, key: str) -> bytes:
    kind = draw.random()
    if kind < 0.4:
        value = literal(draw, draw.choice([number, text])(draw))
        return f'extends = "venice-cost"\n{key} = {value}\n'.encode()
    if kind < 0.6:
        return draw.choice(BROKEN)
    if kind < 0.75:
        extended = draw.choice(["secret.txt", "/etc/passwd", "/dev/zero", "drive.toml", text(draw)])
        return f"extends = {json.dumps(extended)}\n".encode()
    return damage_text(draw, _DRIVE)


@cache
def keys() -> list[str]:
    """List all keys of drives."""
    schema = json.loads(_native.schema())
    return sorted(_keys("", schema))


def _keys(path: str, schema: dict[str, Any]) -> Iterator[str]:
    for name, part in schema.get("properties", {}).items():
        if "properties" in part:
            yield from _keys(f"{path}{name}.", part)
        else:
            yield f"{path}{name}"
