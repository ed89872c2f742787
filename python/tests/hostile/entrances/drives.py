"""Random drives with random fabrics and loads, audited; every report is checked."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import venice
from venice import _native

from ..case import Case

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_SIZES = {
    "array.rows": (1, 2, 3, 4, 8),
    "array.cols": (1, 2, 3, 4, 8),
    "flash.dies_per_chip": (1, 2),
    "flash.planes_per_die": (1, 2, 4),
    "flash.blocks_per_plane": (8, 16, 24, 40),
    "flash.pages_per_block": (4, 16, 32, 64),
    "flash.page_bytes": (4096, 8192, 16384),
    "ftl.over_provisioning_pct": (7, 15, 28, 40),
    "precondition.mode": ("none", "fill", "steady_state"),
}
_LOADS = (
    "random-read",
    "random-write",
    "mixed-70-30",
    "zipf-mixed",
    "bursty-oltp",
    "sequential-read",
    "gather",
    "gather-and-read",
    "mix4",
)
_CHANGED = 6
"""Maximum number of keys that are drawn in addition to the sizes."""
_LEFT_ALONE = (
    "area.",
    "power.",
    "pif.",
    "fabric.name",
    "fabric.faults",
    "fabric.mesh.fail",
    "array.",
    "run.",
)


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a drive, a fabric and a load."""
    values = {key: draw.choice(choices) for key, choices in _SIZES.items() if draw.random() < 0.8}
    for key, choices in draw.sample(_choices(), draw.randint(0, _CHANGED)):
        values.setdefault(key, draw.choice(choices))
    sets = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    words = (
        "run",
        "--drive",
        draw.choice(venice.drive_names()),
        *sets,
        *_load(draw),
        *_watched(draw),
    )
    fabric = ("--fabric", draw.choice(venice.fabric_names()))
    return Case((*words, *fabric, "--audit", "--json", "out.json"), outputs=("out.json",))


def _load(draw: Random) -> tuple[str, ...]:
    requests = draw.choice([1, 20, 300, 2000])
    words = [
        "--workload",
        draw.choice(_LOADS),
        "--requests",
        str(requests),
        "--seed",
        str(draw.randrange(100)),
    ]
    if draw.random() < 0.4:
        words += ["--closed-loop", str(draw.choice([1, 8, 64]))]
    if draw.random() < 0.4:
        words += ["--warmup", str(requests * 9 // 10)]
    return tuple(words)


def _watched(draw: Random) -> tuple[str, ...]:
    options = (("--interval", "7"), ("--slowest", "5"), ("--distributions",), ("--causes",))
    return tuple(word for option in options if draw.random() < 0.5 for word in option)


@cache
def _choices() -> list[tuple[str, list[str]]]:
    """List the keys of drives with named or boolean values, and these values."""
    schema = json.loads(_native.schema())
    return [one for one in _of("", schema) if not one[0].startswith(_LEFT_ALONE)]


def _of(path: str, schema: dict[str, Any]) -> list[tuple[str, list[str]]]:
    found = []
    for name, part in schema.get("properties", {}).items():
        if "properties" in part:
            found += _of(f"{path}{name}.", part)
        elif "enum" in (first := part.get("anyOf", [part])[0]):
            found.append((f"{path}{name}", first["enum"]))
        elif first.get("type") == "boolean":
            found.append((f"{path}{name}", ["true", "false"]))
    return found
