"""Mean and 99th percentile, side by side for each row."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from venice.plot.style import colours, names_below
from venice.report.rows import firsts
from venice.stats import CONFIDENCE_PCT, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report import Report
    from venice.report.rows import Row

_WIDTH = 0.38


def draw_bars(axes: Axes, rows: Sequence[Row], confidence_pct: float = CONFIDENCE_PCT) -> None:
    """Draw two bars for each row, with their values on top; lines are the intervals over seeds."""
    places = range(len(rows))
    for (figure, label), colour, side in zip(
        (("mean", "mean"), ("p99", "99th percentile")), colours(2), (-1, 1), strict=True
    ):
        latencies = [
            mean_of([_latency_us(report, figure) for report in row], confidence_pct) for row in rows
        ]
        halves = [one.half for one in latencies]
        shifted = [place + side * _WIDTH / 2 for place in places]
        bars = axes.bar(
            shifted,
            [one.mean for one in latencies],
            _WIDTH,
            yerr=None if None in halves else [half or nan for half in halves],
            color=colour,
            label=label,
            capsize=2,
        )
        axes.bar_label(bars, fmt=_short, fontsize=6, padding=1)
    axes.set_xticks(places, names_below(firsts(rows)))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("latency, µs")
    axes.set_title(_title(len(rows[0]), confidence_pct))
    axes.legend(loc="upper right")
    axes.margins(y=0.2)


def _title(seeds: int, confidence_pct: float) -> str:
    if seeds == 1:
        return "Mean and tail"
    return f"Mean and tail, {confidence_pct:g} % intervals over {seeds} seeds"


def _latency_us(report: Report, figure: str) -> float:
    return report.latency_us.all[figure] or 0.0


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"  # noqa: PLR2004 where 3 digits end
