"""Plot of latency over throughput at several loads."""

from __future__ import annotations

from math import nan
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.lines import Line2D

from venice._native import UsageError
from venice.plot.canvas import Entries
from venice.plot.log_scale import number_log_axis, set_log_scale
from venice.plot.results.curves import marked_entries
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.report.demand import is_saturated, offered_iops
from venice.report.fabric_looks import looks_of
from venice.report.figure_words import words_of
from venice.report.grouping import ARRIVALS, Groups
from venice.stats import CONFIDENCE_PCT, mean_of, sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Cell
    from venice.report.fabric_looks import Look
    from venice.report.grouping import Result, Series
    from venice.stats import Estimate

_SHIFT = 0.004
"""Distance between the intervals of neighbouring curves, as a share of the largest load."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Markers of series, in the order of the colours."""


def load_table(results: Sequence[Result], of: str, confidence_pct: float = CONFIDENCE_PCT) -> Table:
    """Return a table of throughput, a latency and saturation, for each drive and load.

    If there are several seeds, the values are means, with half the latency's confidence interval. A
    point is saturated if one of its runs is.

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
    """Results of a drive under one load, over the seeds."""

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
        """Position on the curve: offered rate of an open loop, throughput of a closed one."""
        return self.offered_iops or self.iops

    def row(self) -> tuple[Cell, ...]:
        """Return the row of the table for the point."""
        mean, half, seeds = self.latency
        return self.name, self.offered_iops, self.iops, mean, self.is_saturated, half, seeds


def draw_load_table(axes: Axes, table: Table) -> Entries:
    """Draw a curve for each drive, with intervals over seeds; points past saturation are hollow."""
    looks = looks_of([str(row[0]) for row in table.rows])
    for name, look in looks.items():
        rows = [row for row in table.rows if row[0] == name]
        draw_load_curve(
            axes,
            [
                LoadPoint(float(row[2] or 0) / 1000, _number(row[3]), _number(row[5]), bool(row[4]))
                for row in rows
            ],
            look,
        )
    set_log_scale(axes.yaxis)
    number_log_axis(axes.yaxis)
    axes.set_xlim(left=0)
    axes.set_xlabel("Throughput (thousand requests/s)")
    axes.set_ylabel(words_of(table.titles[3]).axis)
    return load_entries(looks, is_past=any(row[4] for row in table.rows))


class LoadPoint(NamedTuple):
    """Point of a curve over load."""

    thousands: float
    value: float
    half: float
    is_past: bool


def side_by_side(curves: Sequence[Sequence[LoadPoint]]) -> list[list[LoadPoint]]:
    """Shift curves sideways by a few thousandths of the axis, so that intervals do not overlap."""
    span = max((point.thousands for points in curves for point in points), default=0.0)
    return [
        [
            point._replace(thousands=point.thousands + span * _SHIFT * (place - len(curves) // 2))
            for point in points
        ]
        for place, points in enumerate(curves)
    ]


def draw_load_curve(axes: Axes, points: Sequence[LoadPoint], look: Look) -> None:
    """Draw a curve with intervals; points past saturation are hollow."""
    axes.errorbar(
        [point.thousands for point in points],
        [point.value for point in points],
        yerr=[point.half for point in points],
        color=look.colour,
        linestyle=look.dash,
        capsize=2,
        elinewidth=0.8,
    )
    for is_past in (False, True):
        shown = [point for point in points if point.is_past is is_past]
        axes.plot(
            [point.thousands for point in shown],
            [point.value for point in shown],
            look.marker,
            color=look.colour,
            markerfacecolor="white" if is_past else look.colour,
            markeredgewidth=0.8,
        )


def load_entries(looks: Mapping[str, Look], *, is_past: bool) -> Entries:
    """Return the legend of the curves, with an entry for points past saturation if needed."""
    handles, labels = marked_entries(looks)
    if not is_past:
        return Entries(handles, labels)
    hollow = Line2D([], [], color="0.3", linestyle="", marker="o", markerfacecolor="white")
    return Entries([*handles, hollow], [*labels, "past saturation"])


def _number(cell: Cell) -> float:
    return nan if cell is None else float(cell)
