"""Mean and 99th percentile, side by side for each row."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from venice.plot.style import colours, names_below
from venice.report.interval import half_interval
from venice.report.rows import firsts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report.rows import Row

_WIDTH = 0.38


def draw_bars(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw two bars for each row, with their values on top; lines are the intervals over seeds."""
    places = range(len(rows))
    for (figure, label), colour, side in zip(
        (("mean", "mean"), ("p99", "99th percentile")), colours(2), (-1, 1), strict=True
    ):
        latencies = [[report.latency_us.all[figure] or 0.0 for report in row] for row in rows]
        halves = [half_interval(row) for row in latencies]
        shifted = [place + side * _WIDTH / 2 for place in places]
        bars = axes.bar(
            shifted,
            list(map(fmean, latencies)),
            _WIDTH,
            yerr=None if None in halves else halves,
            color=colour,
            label=label,
            capsize=2,
        )
        axes.bar_label(bars, fmt=_short, fontsize=6, padding=1)
    axes.set_xticks(places, names_below(firsts(rows)))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("latency, µs")
    axes.set_title("Mean and tail")
    axes.legend(loc="upper right")
    axes.margins(y=0.2)


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"  # noqa: PLR2004 where 3 digits end
