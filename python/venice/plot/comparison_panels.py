"""Panels of a comparison: latency tail, mean and 99th percentile, and parts of the mean."""

from __future__ import annotations

from math import nan
from statistics import fmean
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from venice.plot.groups import name_groups
from venice.plot.log_scale import mark_axis, set_log_scale
from venice.plot.results.curves import line_entries
from venice.plot.stacks import draw_stacks
from venice.plot.style import names_below
from venice.report.fabric_looks import mixed
from venice.report.parts import PARTS, parts_us
from venice.report.rows import firsts
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.report import Report
    from venice.report.fabric_looks import Look
    from venice.report.rows import Row

_WIDTH = 0.38
_PALE = 0.55
"""Share of white in the colour of the 99th percentile's bars."""
_MOST_NUMBERED = 8
"""Maximum number of rows for which values are written on the bars."""


def draw_tails(axes: Axes, rows: Sequence[Row], looks: Mapping[str, Look]) -> Entries:
    """Draw the share of requests that take longer than a latency; a curve for each seed."""
    for row, look in zip(rows, looks.values(), strict=True):
        for report in row:
            shown = [(us, 1 - percent / 100) for percent, us in report.latency_cdf]
            points = [(us, round(share, 10)) for us, share in shown if us > 0 and share > 0]
            if points:
                axes.plot(*zip(*points, strict=True), look.dash, color=look.colour)
    mark_axis(axes)
    set_log_scale(axes.yaxis)
    axes.set_ylim(top=1)
    axes.set_xlabel("Latency (µs)")
    axes.set_ylabel("Share of requests that take longer")
    axes.set_title("Tail")
    return line_entries(looks)


def draw_means(
    axes: Axes, rows: Sequence[Row], looks: Mapping[str, Look], confidence_pct: float
) -> None:
    """Draw the mean and the 99th percentile of each row; lines are intervals over seeds."""
    colours = [look.colour for look in looks.values()]
    pales = [mixed(colour, "#ffffff", _PALE) for colour in colours]
    for figure, side, shades in (("mean", -1, colours), ("p99", 1, pales)):
        found = [mean_of([_latency_us(one, figure) for one in row], confidence_pct) for row in rows]
        halves = [nan if one.half is None else one.half for one in found]
        bars = axes.bar(
            [place + side * _WIDTH / 2 for place in range(len(rows))],
            [one.mean for one in found],
            _WIDTH,
            yerr=halves if len(rows[0]) > 1 else None,
            color=shades,
            capsize=2,
        )
        if len(rows) <= _MOST_NUMBERED:
            axes.bar_label(bars, fmt=_short, fontsize=6, padding=1)
    name_groups(axes, names_below(firsts(rows)))
    axes.set_ylabel("Latency (µs)")
    axes.margins(y=0.12)
    handles = [Patch(facecolor="0.45"), Patch(facecolor="0.78")]
    axes.legend(
        handles,
        ["mean", "99th percentile"],
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=2,
        borderaxespad=0.2,
    )
    axes.set_title("Mean and tail")


def draw_parts(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw a stacked bar for each row, whose parts add up to the mean latency."""
    stacks = []
    for row in rows:
        found = [parts_us(report) for report in row]
        stacks.append({part.label: fmean(one[part.key] for one in found) for part in PARTS})
    handles, labels = draw_stacks(axes, stacks)
    name_groups(axes, names_below(firsts(rows)))
    axes.legend(
        handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0
    )
    axes.set_title("Where the mean goes")


def _latency_us(report: Report, figure: str) -> float:
    return report.latency_us.all[figure] or 0.0


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"  # noqa: PLR2004 where 3 digits end
