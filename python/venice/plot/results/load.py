"""Latency over throughput: what a drive answers at each load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.plot.results.table import Table
from venice.plot.style import colours
from venice.report.demand import is_saturated
from venice.sweep.figures import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.source import Result

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Of series, in the order of the colours."""


def load_table(results: Sequence[Result], of: str) -> Table:
    """List, for each run, throughput, a latency, and whether it was past saturation.

    Raises
    ------
    UsageError
        If no drive has two runs, so that there is no curve, or a report has no such figure.
    """
    rows = []
    for result in results:
        latency, iops = figure(result.report, of), figure(result.report, "iops")
        if not isinstance(latency, int | float) or iops is None:
            raise UsageError(f"`{of}` is no latency of the report of {result.name}")
        offered = figure(result.report, "demand.offered_iops")
        rows.append((result.name, offered, iops, latency, is_saturated(result.report)))
    if len(rows) == len({row[0] for row in rows}):
        raise UsageError(
            "each drive has one run, and a curve takes several: "
            "a sweep over closed_loop or rate_scale, for instance"
        )
    # Along a curve the load rises: offered in an open loop, served in a closed one.
    rows.sort(key=lambda row: row[1] or row[2])
    names = list(dict.fromkeys(result.name for result in results))
    rows.sort(key=lambda row: names.index(row[0]))
    return Table(("run", "offered_iops", "iops", of, "saturated"), tuple(rows))


def draw_load_table(axes: Axes, table: Table) -> None:
    """Draw a curve for each drive; runs past saturation are hollow, and say how long they were."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    for place, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True)):
        rows = [row for row in table.rows if row[0] == name]
        marker = MARKERS[place % len(MARKERS)]
        axes.plot(
            [float(row[2] or 0) / 1000 for row in rows],
            [float(row[3] or 0) for row in rows],
            color=colour,
            label=name,
        )
        for is_past in (False, True):
            shown = [row for row in rows if row[4] is is_past]
            axes.plot(
                [float(row[2] or 0) / 1000 for row in shown],
                [float(row[3] or 0) for row in shown],
                marker,
                color=colour,
                markersize=4,
                fillstyle="none" if is_past else "full",
            )
    if any(row[4] for row in table.rows):
        axes.plot([], [], "o", color="0.5", fillstyle="none", label="past saturation")
    axes.set_yscale("log")
    axes.set_xlabel("throughput, thousand requests/s")
    axes.set_ylabel(table.titles[3])
    axes.legend(loc="best")
