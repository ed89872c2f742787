"""The distribution of latencies: one curve for each report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.style import colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report import Report

_DASHES = ("-", "--", "-.", ":")


def draw_cdf(axes: Axes, reports: Sequence[Report]) -> None:
    """Draw the share of requests that took no longer than a latency."""
    for index, (report, colour) in enumerate(zip(reports, colours(len(reports)), strict=True)):
        percents, latencies_us = zip(*report.latency_cdf, strict=True)
        dash = _DASHES[index % len(_DASHES)]
        axes.plot(latencies_us, percents, dash, color=colour, label=report.fabric)
    axes.set_xscale("log")
    axes.set_ylim(0, 100)
    axes.set_xlabel("latency, µs (logarithmic)")
    axes.set_ylabel("requests, %")
    axes.set_title("Latency distribution")
    axes.legend(loc="lower right")
