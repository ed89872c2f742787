"""Where the mean request's time went, stacked for each report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.style import colours, names_below
from venice.report import STAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report import Report


def draw_breakdown(axes: Axes, reports: Sequence[Report]) -> None:
    """Draw one bar for each report; its parts add up to the mean latency."""
    breakdowns = [report.breakdown() for report in reports]
    foot = [0.0] * len(reports)
    for stage, colour in zip(STAGES, colours(len(STAGES)), strict=True):
        heights = [breakdown[stage.key] for breakdown in breakdowns]
        axes.bar(range(len(reports)), heights, 0.6, bottom=foot, color=colour, label=stage.label)
        foot = [below + height for below, height in zip(foot, heights, strict=True)]
    axes.set_xticks(range(len(reports)), names_below(reports))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("mean latency, µs")
    axes.set_title("Where the time goes")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1, 1))
