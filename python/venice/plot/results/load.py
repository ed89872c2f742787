"""Latency over throughput at several loads."""

from __future__ import annotations

from math import nan
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError
from venice.plot.log_scale import set_log_scale
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.plot.style import colours
from venice.report.demand import is_saturated, offered_iops
from venice.report.grouping import ARRIVALS, Groups
from venice.stats import CONFIDENCE_PCT, mean_of, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result, Series
    from venice.stats import Estimate

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Markers of series, in the order of the colours."""


def load_table(results: Sequence[Result], of: str, confidence_pct: float = CONFIDENCE_PCT) -> Table:
    """Return a table of throughput, a latency and saturation, for each drive and load.

    Over several seeds they are means, with half of the latency's confidence interval. A point is
    saturated if one of its runs is.

    Raises
    ------
    UsageError
        If no curve has two loads, or a report has no such figure.
    """
    groups = Groups(results, axes=ARRIVALS)
    points = [_Point.of(groups.name(one), one, of, confidence_pct) for one in groups.series]
    names = list(dict.fromkeys(point.name for point in points))
    if len(points) == len(names):
        raise UsageError(
            "each drive has one load, and a curve takes several: "
            "a sweep over closed_loop or rate_scale, for instance"
        )
    points.sort(key=lambda point: (names.index(point.name), point.place))
    titles = ("run", "offered_iops", "iops", of, "saturated", half_title(confidence_pct), "seeds")
    note = interval_note((point.latency.seeds for point in points), confidence_pct)
    return Table(titles, tuple(point.row() for point in points), note)


class _Point(NamedTuple):
    """A drive under one load, over seeds."""

    name: str
    offered_iops: float | None
    iops: float
    latency: Estimate
    is_saturated: bool

    @classmethod
    def of(cls, name: str, series: Series, figure: str, confidence_pct: float) -> _Point:
        latencies = sample_of(series, figure, "latency_us.all.p99")
        rates = sample_of(series, "iops", "latency_us.all.p99")
        offered = sample(series.reports, offered_iops)
        return cls(
            name,
            fmean(offered.values()) if offered else None,
            fmean(rates.values()),
            mean_of(list(latencies.values()), confidence_pct),
            any(map(is_saturated, series.reports)),
        )

    @property
    def place(self) -> float:
        """Position along the curve: offered rate of an open loop, throughput of a closed one."""
        return self.offered_iops or self.iops

    def row(self) -> tuple[Cell, ...]:
        """Return the row of the table."""
        mean, half, seeds = self.latency
        return self.name, self.offered_iops, self.iops, mean, self.is_saturated, half, seeds


def draw_load_table(axes: Axes, table: Table) -> None:
    """Draw a curve for each drive, with intervals over seeds; points past saturation are hollow."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    for place, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True)):
        rows = [row for row in table.rows if row[0] == name]
        axes.errorbar(
            [_in_thousands(row) for row in rows],
            [float(row[3] or 0) for row in rows],
            yerr=[float(row[5] or nan) for row in rows],
            color=colour,
            label=name,
            capsize=2,
        )
        for is_past in (False, True):
            shown = [row for row in rows if row[4] is is_past]
            axes.plot(
                [_in_thousands(row) for row in shown],
                [float(row[3] or 0) for row in shown],
                MARKERS[place % len(MARKERS)],
                color=colour,
                markersize=4,
                fillstyle="none" if is_past else "full",
            )
    if any(row[4] for row in table.rows):
        axes.plot([], [], "o", color="0.5", fillstyle="none", label="past saturation")
    set_log_scale(axes.yaxis)
    axes.set_xlabel("throughput, thousand requests/s")
    axes.set_ylabel(table.titles[3])
    axes.legend(loc="best", title=table.note or None)


def _in_thousands(row: Sequence[Cell]) -> float:
    return float(row[2] or 0) / 1000
