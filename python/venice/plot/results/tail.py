"""Plot of the latency tail: share of requests that took longer, on logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.log_scale import mark_axis, set_log_scale
from venice.plot.results.curves import draw_curves, names_of_curves
from venice.plot.results.data_table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.report.grouping import Result


def tail_table(results: Sequence[Result]) -> Table:
    """Return a table of latencies and of the share of requests that took longer, for each run.

    Reports contain the distribution up to the 99.99th percentile. The maximum is omitted: no
    request exceeds it, and zero has no place on a logarithmic axis.
    """
    rows = [
        (name, report.seed, latency_us, round((100 - percent) / 100, 10))
        for name, report in names_of_curves(results)
        for percent, latency_us in report.latency_cdf
    ]
    return Table(("run", "seed", "latency_us", "share_longer"), tuple(rows))


def draw_tail_table(axes: Axes, table: Table) -> Entries:
    """Draw a curve for each run; runs that differ only in their seeds have one colour."""
    entries = draw_curves(axes, table)
    mark_axis(axes)
    set_log_scale(axes.yaxis)
    axes.set_ylim(top=1)
    axes.set_xlabel("Latency (µs)")
    axes.set_ylabel("Share of requests that take longer")
    return entries
