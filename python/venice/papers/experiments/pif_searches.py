"""Common parts of the experiments on processing in flash: searches, wear and plots.

A search covers pages of which a share matches. Its simulation takes milliseconds, so no runs are
stored.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import pif_timing, pif_wear, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.pif.report import PlaceReport

DRIVE = "pif"
CYCLES = (0, 500, 1000, 2000)
MONTHS = (0, 1, 3, 6, 12)
_DAYS_PER_MONTH = 365 / 12


CHANNELS = 4
"""Number of channels of the paper's drive (§3.3)."""
_BLOCKS = 8192
"""Number of blocks per plane times chips per channel: 2,048 blocks with 4 chips, 128 with 64
(§3.3)."""


class Array(NamedTuple):
    """Shape of the array and its fabric."""

    fabric: str
    rows: int
    cols: int

    @property
    def sets(self) -> list[str]:
        """Return the settings of the drive for the array."""
        return [f"array.rows={self.rows}", f"array.cols={self.cols}"]


def of_paper(chips: int) -> Array:
    """Return the array of the paper's drive, with `chips` chips on each channel."""
    return Array("bus", CHANNELS, chips)


def blocks(chips: int) -> str:
    """Return the blocks per plane with which the capacity is the same for any number of chips."""
    return f"flash.blocks_per_plane={_BLOCKS // chips}"


@cache
def timed(
    place: str,
    array: Array,
    pages: int,
    selectivity: float,
    failure: float = 0.0,
    sets: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the figures of a search, for given shares of matches and decoding failures."""
    drive = resolve(DRIVE, array.fabric, [*array.sets, *sets], None)
    text = pif_timing(drive, place, pages=pages, selectivity=selectivity, failure=failure)
    figures: dict[str, Any] = json.loads(text)
    return figures


def wear_sets(cycles: float, months: float) -> list[str]:
    """Return the settings of the drive for a state of wear."""
    return [f"pif.pe_cycles={cycles}", f"pif.retention_days={months * _DAYS_PER_MONTH!r}"]


def wear(cycles: float, months: float) -> tuple[float, float, float]:
    """Return the mean raw bit errors of a codeword, and each decoder's page failure rate."""
    return pif_wear(resolve(DRIVE, None, wear_sets(cycles, months), None))


def times_us(pif: PlaceReport, pis: PlaceReport, host: PlaceReport) -> list[float]:
    """Return the times of a search by chips, controller and host, and the speed-up of the chips."""
    return [pif.time_us, pis.time_us, host.time_us, pis.time_us / pif.time_us]


def by(
    rows: Sequence[Sequence[Any]], name: int, x: int, y: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the points (x, y) of the rows, grouped by the column `name`."""
    return {
        key: [(row[x], row[y]) for row in rows if row[name] == key]
        for key in dict.fromkeys(row[name] for row in rows)
    }


def draw(
    title: str,
    x: str,
    y: str,
    lines: dict[str, list[tuple[float, float]]],
    level: float | None = None,
) -> Figure:
    """Return a plot of lines, with a horizontal reference line at `level`."""
    from venice.papers.draw import Panel, draw_lines, grid, label  # noqa: PLC0415 slow

    figure, axes = grid(1, 1, 6.0, 3.6)
    space = axes[0][0]
    draw_lines(space, lines)
    if level is not None:
        space.axhline(level, color="black", linewidth=0.8)
    label(space, Panel(title, x, y))
    space.legend()
    return figure
