"""The tail of latencies: which share of requests took longer, on logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.cdf import mark_axis
from venice.plot.results.table import Table
from venice.plot.style import colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.source import Result

_DASHES = ("-", "--", "-.", ":")


def tail_table(results: Sequence[Result]) -> Table:
    """List, for each run, latencies and the share of requests that took longer.

    Reports hold the distribution to the 99.99th percentile; behind it there is the longest alone,
    which no request exceeds and no logarithmic axis can show.
    """
    several = len({result.workload for result in results}) > 1
    rows = [
        (
            f"{result.name}, {result.workload}" if several else result.name,
            result.report.seed,
            latency_us,
            round((100 - percent) / 100, 10),
        )
        for result in results
        for percent, latency_us in result.report.latency_cdf
    ]
    return Table(("run", "seed", "latency_us", "share_longer"), tuple(rows))


def draw_tail_table(axes: Axes, table: Table) -> None:
    """Draw one curve for each run; runs that differ in their seeds have one colour."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    shade = dict(zip(names, colours(len(names)), strict=True))
    curves: dict[tuple[str, object], list[tuple[float, float]]] = {}
    for name, seed, latency_us, share in table.rows:
        curves.setdefault((str(name), seed), []).append((float(latency_us or 0), float(share or 0)))
    told: set[str] = set()
    for (run, _), points in curves.items():
        shown = [(latency, share) for latency, share in points if latency > 0 and share > 0]
        dash = _DASHES[names.index(run) % len(_DASHES)]
        label = None if run in told else run
        told.add(run)
        axes.plot(*zip(*shown, strict=True), dash, color=shade[run], label=label)
    mark_axis(axes)
    axes.set_yscale("log")
    axes.set_xlabel("latency, µs")
    axes.set_ylabel("share of requests that take longer")
    axes.legend(loc="best")
