"""Stacked bars of the stages of the mean latency, one for each row."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from venice.plot.style import names_below
from venice.report.parts import PARTS, parts_us
from venice.report.rows import firsts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report.rows import Row


def draw_breakdown(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw a bar for each row, whose parts add up to the mean latency."""
    breakdowns = [[parts_us(report) for report in row] for row in rows]
    foot = [0.0] * len(rows)
    for part in PARTS:
        heights = [fmean(one[part.key] for one in row) for row in breakdowns]
        if any(heights):
            axes.bar(
                range(len(rows)), heights, 0.6, bottom=foot, color=part.colour, label=part.label
            )
        foot = [below + height for below, height in zip(foot, heights, strict=True)]
    axes.set_xticks(range(len(rows)), names_below(firsts(rows)))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("mean latency, µs")
    axes.set_title("Where the time goes")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1, 1))
