"""Damaged states of drives, and states of other drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..case import Case
from ..damage import damage_bytes
from ..material import SMALL

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_RUN = (
    "run",
    "--workload",
    "mixed-70-30",
    "--requests",
    "60",
    "--json",
    "out.json",
    "--audit",
    "--load-state",
    "in.state",
)
_OTHERS = (
    "array.rows=4",
    "flash.pages_per_block=32",
    "ftl.over_provisioning_pct=20",
    "ftl.mapping=cached",
    "flash.page_bytes=8192",
    "flash.t_read_us=9",
)


def draw(draw: Random, material: Material) -> Case:
    """Draw a state and a drive."""
    if draw.random() < 0.3:
        other = ("--set", draw.choice(_OTHERS))
        return Case((*_RUN, *SMALL, *other), {"in.state": material.state}, outputs=("out.json",))
    damaged = damage_bytes(draw, material.state)
    is_damaged = damaged != material.state
    return Case((*_RUN, *SMALL), {"in.state": damaged}, outputs=("out.json",), must_fail=is_damaged)
