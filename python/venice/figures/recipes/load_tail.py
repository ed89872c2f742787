"""Figure of latency percentiles over offered load, with a curve for each fabric."""

from __future__ import annotations

from math import log10, nan
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.log_scale import number_log_axis, set_log_scale
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.plot.results.load import LoadPoint, draw_load_curve, load_entries, side_by_side
from venice.report.demand import is_saturated, offered_iops
from venice.report.fabric_looks import looks_of
from venice.report.figure_words import fitting, words_of
from venice.report.grouping import ARRIVALS, Groups
from venice.stats import mean_of, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Series

_FIGURE = "latency_us.all.p99"
_DEEP = 256
"""Outstanding requests with which the sustained throughput of a drive is measured."""
_DIGITS = 3
_CLEAR = 40.0
"""Largest ratio of the top of the axis to the highest point below saturation."""
_FABRIC, _PATH, _OFFERED, _SERVED, _MEAN, _HALF, _SATURATED = 0, 1, 3, 4, 5, 6, 8


def _measure(request: FigureRequest, bench: Bench) -> Table:
    key, values = _loads(request, bench)
    results = bench.sweep("loads", request.scenario(), [*request.axes, {key: values}])
    rows = [
        _row(series, key, path, request.confidence_pct)
        for path in request.figures or (_FIGURE,)
        for series in Groups(results, axes=ARRIVALS).series
    ]
    half = half_title(request.confidence_pct)
    return Table(
        ("fabric", "figure", key, "offered_iops", "iops", "mean", half, "seeds", "saturated"),
        tuple(rows),
        interval_note([request.seeds], request.confidence_pct),
    )


def _loads(request: FigureRequest, bench: Bench) -> tuple[str, list[float]]:
    """Return the loads to run: rates up to the best fabric's throughput, or queue depths."""
    scenario = {**request.scenario(), "seed": request.first_seed}
    fabrics = request.fabric_names
    (alone,) = bench.sweep("pace", scenario, [{"fabric": fabrics[:1]}])
    offered = offered_iops(alone.report)
    if offered is None:
        return "closed_loop", [2**place for place in range(request.loads)]
    deep = bench.sweep("capacity", {**scenario, "closed_loop": _DEEP}, [{"fabric": fabrics}])
    capacity = max(result.report.iops or 0.0 for result in deep)
    steps = range(1, request.loads + 1)
    return "rate_scale", [_rounded(capacity / offered * step / request.loads) for step in steps]


def _rounded(value: float) -> float:
    return round(value, _DIGITS - 1 - int(log10(value)) if value >= 1 else _DIGITS)


def _row(series: Series, key: str, path: str, confidence_pct: float) -> tuple[Cell, ...]:
    latencies = sample_of(series, path, _FIGURE)
    mean, half, seeds = mean_of(list(latencies.values()), confidence_pct)
    offered = sample(series.reports, offered_iops)
    served = sample_of(series, "iops", _FIGURE)
    return (
        series.drive,
        path,
        series.load[key],
        mean_of(list(offered.values())).mean if offered else None,
        mean_of(list(served.values())).mean,
        mean,
        half,
        seeds,
        any(map(is_saturated, series.reports)),
    )


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    paths = list(dict.fromkeys(str(row[_PATH]) for row in table.rows))
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    panels = picture.subplots(1, len(paths), squeeze=False)[0]
    for axes, path in zip(panels, paths, strict=True):
        rows = [row for row in table.rows if row[_PATH] == path]
        least, most = _bounds(rows)
        title, factor = fitting(words_of(path), least)
        curves = [
            [_point(row, factor) for row in rows if row[_FABRIC] == fabric] for fabric in looks
        ]
        for points, look in zip(side_by_side(curves), looks.values(), strict=True):
            draw_load_curve(axes, points, look)
        set_log_scale(axes.yaxis)
        axes.set_ylim(least * factor, most * factor)
        number_log_axis(axes.yaxis)
        axes.set_xlim(left=0)
        axes.set_xlabel(_x_title(table))
        axes.set_ylabel(title.axis)
    is_past = any(row[_SATURATED] for row in table.rows)
    lay_out(picture, *load_entries(looks, is_past=is_past))


def _point(row: tuple[Cell, ...], factor: float) -> LoadPoint:
    half = float(row[_HALF] or nan) * factor
    value = float(row[_MEAN] or nan) * factor
    return LoadPoint(_thousands(row), value, half, bool(row[_SATURATED]))


def _thousands(row: Sequence[Cell]) -> float:
    return float(row[_SERVED if row[_OFFERED] is None else _OFFERED] or 0.0) / 1000


def _x_title(table: Table) -> str:
    is_open = any(row[_OFFERED] is not None for row in table.rows)
    return f"{'Offered load' if is_open else 'Throughput'} (thousand requests/s)"


def _bounds(rows: Sequence[tuple[Cell, ...]]) -> tuple[float, float]:
    """Return limits of the axis that exclude points far past saturation."""
    means = [float(row[_MEAN] or 0) for row in rows]
    sound = [float(row[_MEAN] or 0) for row in rows if not row[_SATURATED]]
    tops = [float(row[_MEAN] or 0) + float(row[_HALF] or 0) for row in rows]
    highest = min(max(tops), _CLEAR * max(sound)) if sound else max(tops)
    lowest = min(mean for mean in means if mean > 0)
    if highest <= 0:
        raise UsageError("the figure load-tail has a logarithmic axis, and no value is above 0")
    return lowest / 1.5, highest * 1.5


def _caption(request: FigureRequest, table: Table) -> str:
    paths = dict.fromkeys(str(row[_PATH]) for row in table.rows)
    what = words.listed([words_of(path).text for path in paths])
    over = _x_title(table).partition(" (")[0].lower()
    is_past = any(row[_SATURATED] for row in table.rows)
    return words.paragraph(
        f"{what[:1].upper()}{what[1:]} over {over} for "
        f"{words.fabrics_of([str(row[_FABRIC]) for row in table.rows])} "
        f"({words.load_of(request)}).",
        words.intervals_of(request),
        words.runs_of(request),
        "Hollow markers: past saturation, where latency depends on the length of the run."
        if is_past
        else "",
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("poisson-read-4k",),
    options=frozenset({"loads", "figures"}),
)
