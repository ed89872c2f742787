"""Figure of the latency distribution and its tail."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.log_scale import mark_axis, set_log_scale
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note
from venice.report.fabric_looks import looks_of
from venice.report.grouping import Groups
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report import Report
    from venice.report.fabric_looks import Look

_TWO_PANELS_INCHES = 5.0
"""Smallest width at which distribution and tail are drawn side by side [inches]."""
_FABRIC, _PERCENT, _LATENCY, _HALF = range(4)


def _measure(request: FigureRequest, bench: Bench) -> Table:
    results = bench.sweep("runs", request.scenario() | request.pace, request.axes)
    half = half_title(request.confidence_pct)
    return Table(
        ("fabric", "percent", "latency_us", half, "seeds"),
        tuple(_rows(Groups(results), request.confidence_pct)),
        interval_note([request.seeds], request.confidence_pct),
    )


def _rows(groups: Groups, confidence_pct: float) -> Iterator[tuple[Cell, ...]]:
    """Yield the mean over seeds of each latency percentile that the runs of all seeds have."""
    for series in groups.series:
        curves = [_latencies(report) for report in series.reports]
        for percent in curves[0]:
            if all(percent in curve for curve in curves):
                mean, half, seeds = mean_of([one[percent] for one in curves], confidence_pct)
                yield series.drive, percent, mean, half, seeds


def _latencies(report: Report) -> dict[float, float]:
    """Return the latency of each percentile in a report."""
    return {point[0]: point[1] for point in report.latency_cdf}


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    if picture.get_figwidth() < _TWO_PANELS_INCHES:
        _draw_tail(picture.subplots(), table, looks)
    else:
        left, right = picture.subplots(1, 2)
        _draw_body(left, table, looks)
        _draw_tail(right, table, looks)
    handles = [Line2D([], [], color=one.colour, linestyle=one.dash) for one in looks.values()]
    lay_out(picture, handles, [one.label for one in looks.values()])


def _draw_body(axes: Axes, table: Table, looks: dict[str, Look]) -> None:
    for fabric, look in looks.items():
        _draw_curve(axes, table, fabric, look, is_tail=False)
    mark_axis(axes)
    axes.set_ylim(0, 100)
    axes.set_xlabel("Latency (µs)")
    axes.set_ylabel("Requests that take no longer (%)")


def _draw_tail(axes: Axes, table: Table, looks: dict[str, Look]) -> None:
    for fabric, look in looks.items():
        _draw_curve(axes, table, fabric, look, is_tail=True)
    mark_axis(axes)
    set_log_scale(axes.yaxis)
    axes.set_ylim(top=1)
    axes.set_xlabel("Latency (µs)")
    axes.set_ylabel("Share that takes longer")


def _draw_curve(axes: Axes, table: Table, fabric: str, look: Look, *, is_tail: bool) -> None:
    rows = [row for row in table.rows if row[_FABRIC] == fabric and float(row[_LATENCY] or 0) > 0]
    rows = [row for row in rows if not is_tail or float(row[_PERCENT] or 0) < 100]  # noqa: PLR2004 %
    latencies = [float(row[_LATENCY] or 0) for row in rows]
    percents = [float(row[_PERCENT] or 0) for row in rows]
    heights = [round(1 - one / 100, 10) if is_tail else one for one in percents]
    axes.plot(latencies, heights, look.dash, color=look.colour)
    halves = [float(row[_HALF] or 0) for row in rows]
    if any(halves) and all(map(isfinite, halves)):
        pairs = list(zip(latencies, halves, strict=True))
        axes.fill_betweenx(
            heights,
            [max(mean - half, mean / 100) for mean, half in pairs],
            [mean + half for mean, half in pairs],
            color=look.colour,
            alpha=0.2,
            linewidth=0,
        )


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    return words.paragraph(
        f"Distribution of request latencies on {fabrics} ({words.load_of(request)}).",
        words.intervals_of(request, "Mean latencies of each percentile"),
        "Shaded: intervals." if request.seeds > 1 else "",
        words.runs_of(request),
    )


RECIPE = Recipe(_measure, _draw, _caption, options=frozenset({"rate_scale", "closed_loop"}))
