"""Drives with shorter blocks, whose garbage collection settles in few writes.

Write amplification depends on the number of blocks (or lines of blocks) and on the spare share, and
hardly on the length of a block. A drive of terabytes turns over a line of gigabytes only after
millions of writes; with shorter blocks it does so after some ten thousand. Erases take a time in
proportion, so that they occupy the dies as long in total.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

LINE_UNITS = 4096
"""Least number of mapping units of a line."""
BLOCK_UNITS = 128
"""Least number of mapping units of a block that is collected alone."""
PROGRAM_UNITS = 24
"""Least number of program units of a block, the last of which a victim may leave partly empty."""


class SteadyDrive(NamedTuple):
    """Settings for measurements in steady state, and the writes that they need."""

    sets: list[str]
    writes: int
    """Mapping units that are collected together: a block, or a line of blocks."""


def steady_drive(config: dict[str, Any], gc_load: str) -> SteadyDrive:
    """Return the settings of a drive with shorter blocks, in steady state under this load."""
    flash, ftl, array = config["flash"], config["ftl"], config["array"]
    page = flash["page_bytes"]
    unit = ftl["mapping_unit_bytes"] or page
    blocks, units = 1, BLOCK_UNITS
    if ftl["placement"] == "superblock":
        chips = array["rows"] * array["cols"]
        blocks, units = chips * flash["dies_per_chip"] * flash["planes_per_die"], LINE_UNITS
    pages = flash["pages_per_block"]
    together = math.lcm(flash["program_pages"], max(1, unit // page))
    least = max(math.ceil(units * unit / (blocks * page)), PROGRAM_UNITS * together)
    short = together * math.ceil(least / together)
    short = min(pages, short)
    sets = [
        "precondition.mode=steady_state",
        f"precondition.gc_load={gc_load}",
        f"flash.pages_per_block={short}",
        f"flash.t_bers_us={flash['t_bers_us'] * short / pages}",
    ]
    return SteadyDrive(sets, blocks * short * page // unit)
