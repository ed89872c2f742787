"""Cumulative distribution of latencies, a curve for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from venice.plot.log_scale import set_log_scale
from venice.plot.style import colours
from venice.report.rows import firsts
from venice.report.summary_table import names_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report.rows import Row

_ROOMY_RANGE = 300
_DASHES = ("-", "--", "-.", ":")


def draw_cdf(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the cumulative distribution of latencies, a curve for each seed."""
    named = zip(rows, names_of(firsts(rows)), colours(len(rows)), strict=True)
    for index, (row, name, colour) in enumerate(named):
        dash = _DASHES[index % len(_DASHES)]
        for seed, report in enumerate(row):
            percents, latencies_us = zip(*report.latency_cdf, strict=True)
            label = name if seed == 0 else None
            axes.plot(latencies_us, percents, dash, color=colour, label=label)
    mark_axis(axes)
    axes.set_ylim(0, 100)
    axes.set_xlabel("latency, µs (logarithmic)")
    axes.set_ylabel("requests, %")
    axes.set_title("Latency distribution")
    axes.legend(loc="lower right")


def mark_axis(axes: Axes) -> None:
    """Mark a logarithmic axis in plain numbers: 1, 2, 5 if there is room, else powers of ten."""
    set_log_scale(axes.xaxis)
    low, high = axes.get_xlim()
    roomy = high < low * _ROOMY_RANGE
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if roomy else (1,)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
