"""Map of the utilisation of the chips in the array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.plot.results.data_table import Table
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report.grouping import Result

_MOST_NUMBERED = 128
"""Maximum number of chips whose values are written on the map."""
_DARK_FROM = 0.55
"""Brightness of the background above which numbers are black instead of white."""


def chips_table(results: Sequence[Result]) -> Table:
    """Return a table of the utilisation of each chip of a run.

    Raises
    ------
    UsageError
        If there are several runs, or the report has no figures of single chips.
    """
    if len(results) != 1:
        raise UsageError(f'there are {len(results)} runs; `kind="chips"` draws one')
    report = results[0].report
    busy = report.utilisation.get("chip_pct_by_chip")
    cols = figure(report, "config.array.cols")
    if not busy or not cols:
        raise UsageError(f"the report of {results[0].name} lacks the utilisation of chips")
    rows = tuple((at // cols, at % cols, pct) for at, pct in enumerate(busy))
    return Table(("row", "column", "busy_pct"), rows)


def draw_chips_table(axes: Axes, table: Table) -> None:
    """Draw a square for each chip, coloured by its utilisation; controllers are on the left."""
    cols = 1 + max(int(row[1] or 0) for row in table.rows)
    busy = [float(row[2] or 0) for row in table.rows]
    grid = [busy[start : start + cols] for start in range(0, len(busy), cols)]
    # A colour scale for any colour vision, and for greyscale prints.
    image = axes.imshow(grid, cmap="cividis", vmin=0, vmax=max(busy) or 1)
    if len(busy) <= _MOST_NUMBERED:
        _write_numbers(axes, grid)
    axes.grid(visible=False)
    axes.set_xticks(range(cols))
    axes.set_yticks(range(len(grid)))
    axes.set_xlabel("Column of the array")
    axes.set_ylabel("Row")
    figure_of = axes.get_figure()
    if figure_of is not None:
        figure_of.colorbar(image, ax=axes, label="Chip at work (% of time)", pad=0.02)


def _write_numbers(axes: Axes, grid: Sequence[Sequence[float]]) -> None:
    most = max(map(max, grid)) or 1
    for y, row in enumerate(grid):
        for x, value in enumerate(row):
            colour = "black" if value > _DARK_FROM * most else "white"
            axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=colour, fontsize=6)
