"""Mean and 99th percentile, side by side for each report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.style import colours, names_below

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report import Report

_WIDTH = 0.38


def draw_bars(axes: Axes, reports: Sequence[Report]) -> None:
    """Draw two bars for each report, with their values on top."""
    places = range(len(reports))
    for (figure, label), colour, side in zip(
        (("mean", "mean"), ("p99", "99th percentile")), colours(2), (-1, 1), strict=True
    ):
        heights = [report.latency_us.all[figure] or 0.0 for report in reports]
        shifted = [place + side * _WIDTH / 2 for place in places]
        bars = axes.bar(shifted, heights, _WIDTH, color=colour, label=label)
        axes.bar_label(bars, fmt=_short, fontsize=6, padding=1)
    axes.set_xticks(places, names_below(reports))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("latency, µs")
    axes.set_title("Mean and tail")
    axes.legend(loc="upper right")
    axes.margins(y=0.2)


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"  # noqa: PLR2004 where 3 digits end
