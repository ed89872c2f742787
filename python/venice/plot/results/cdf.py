"""Plot of the cumulative distribution of latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.log_scale import mark_axis
from venice.plot.results.curves import draw_curves, names_of_curves
from venice.plot.results.data_table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.report.grouping import Result


def cdf_table(results: Sequence[Result]) -> Table:
    """Return a table of the cumulative distribution of latencies of each run."""
    rows = [
        (name, report.seed, latency_us, percent)
        for name, report in names_of_curves(results)
        for percent, latency_us in report.latency_cdf
    ]
    return Table(("run", "seed", "latency_us", "percent"), tuple(rows))


def draw_cdf_table(axes: Axes, table: Table) -> Entries:
    """Draw a curve for each run; runs that differ only in their seeds have one colour."""
    entries = draw_curves(axes, table)
    mark_axis(axes)
    axes.set_ylim(0, 100)
    axes.set_xlabel("Latency (µs)")
    axes.set_ylabel("Requests that take no longer (%)")
    return entries
