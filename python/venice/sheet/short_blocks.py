"""Drives with shorter blocks, whose garbage collection reaches steady state after few writes.

Write amplification depends on the number of blocks (or superblocks) and on the spare share, but
hardly on the length of a block. A drive of terabytes collects a superblock of gigabytes only after
millions of writes; with shorter blocks it does so after some ten thousand. The erase time is
reduced in proportion, so that erases occupy the dies for as long in total. Beyond some thousand,
the number of blocks has no effect either, and is limited.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from venice.report.mapping_units import unit_bytes

LINE_UNITS = 4096
"""Smallest number of mapping units in a superblock."""
BLOCK_UNITS = 128
"""Smallest number of mapping units in a block that is collected alone."""
PROGRAM_UNITS = 24
"""Smallest number of program units in a block, since a victim may leave the last partly empty."""
MAX_BLOCKS = 16_384
"""Largest number of blocks of a plane. Preconditioning takes time in proportion to it."""


class SteadyDrive(NamedTuple):
    """Settings for measurements in steady state, and the number of writes that they need."""

    sets: list[str]
    writes: int
    """Number of mapping units that are collected together: those of a block or of a superblock."""


def steady_drive(config: dict[str, Any], gc_load: str) -> SteadyDrive:
    """Return the settings of a drive with shorter blocks, in steady state under a load."""
    flash, ftl, array = config["flash"], config["ftl"], config["array"]
    page = flash["page_bytes"]
    unit = unit_bytes(config)
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
        f"flash.blocks_per_plane={min(flash['blocks_per_plane'], MAX_BLOCKS)}",
        f"flash.t_bers_us={flash['t_bers_us'] * short / pages}",
    ]
    return SteadyDrive(sets, blocks * short * page // unit)
