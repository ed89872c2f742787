"""Figure of latency against the number of board wires, with the Pareto front."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from venice.exploration.front import front_of
from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.report.fabric_looks import looks_of
from venice.report.figure_words import words_of
from venice.report.grouping import Groups, Result
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report.fabric_looks import Look

_FIGURE = "latency_us.all.mean"
_WIRES = "area.wires_in_channels"
_WIDTH = "fabric.mesh.link_width_bits"
_MESHES = ("nossd", "venice")
"""Fabrics whose links have their own width."""
_WIDTHS_BITS = (4, 6, 8, 12, 16, 24)
_FABRIC, _BITS, _X, _Y, _HALF, _SEEDS, _ON_FRONT = range(7)


def _measure(request: FigureRequest, bench: Bench) -> Table:
    path = request.figures[0] if request.figures else _FIGURE
    meshes = [name for name in request.fabric_names if name in _MESHES]
    others = [name for name in request.fabric_names if name not in _MESHES]
    scenario = request.scenario() | request.pace
    found: list[Result] = []
    if others:
        axes: list[Mapping[str, Any]] = [{"fabric": others}, request.seed_axis]
        found += bench.sweep("other fabrics", scenario, axes)
    if meshes:
        axes = [{"fabric": meshes}, {_WIDTH: _WIDTHS_BITS}, request.seed_axis]
        found += bench.sweep("meshes", scenario, axes)
    return _table([_with_width(result) for result in found], path, request.confidence_pct)


def _with_width(result: Result) -> Result:
    """Return a result named after its fabric, and after the width of its links if that varies."""
    fabric, bits = result.report.fabric, result.choices.get(_WIDTH)
    name = fabric if bits is None else f"{fabric} {bits}"
    return Result(name, result.report, result.choices)


def _table(results: list[Result], path: str, confidence_pct: float) -> Table:
    points: list[tuple[Cell, ...]] = []
    for series in Groups(results).series:
        fabric, _, bits = series.drive.partition(" ")
        wires = sample_of(series, _WIRES, _FIGURE)
        values = sample_of(series, path, _FIGURE)
        x = mean_of(list(wires.values())).mean
        points.append((fabric, bits or None, x, *mean_of(list(values.values()), confidence_pct)))
    on_front = set(front_of([(float(row[_X] or 0), float(row[_Y] or 0)) for row in points]))
    half = half_title(confidence_pct)
    return Table(
        ("fabric", "link_width_bits", _WIRES, path, half, "seeds", "on_front"),
        tuple((*row, place in on_front) for place, row in enumerate(points)),
        interval_note([int(row[_SEEDS] or 1) for row in points], confidence_pct),
    )


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    axes = picture.subplots()
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    front = sorted(
        (float(row[_X] or 0), float(row[_Y] or 0)) for row in table.rows if row[_ON_FRONT]
    )
    xs, ys = zip(*front, strict=True)
    # Between two points of the front, the first one has the lowest known latency.
    axes.step(xs, ys, where="post", color="0.6", linewidth=0.9, zorder=1)
    families = [fabric for fabric in looks if fabric in _MESHES]
    for fabric, look in looks.items():
        rows = [row for row in table.rows if row[_FABRIC] == fabric]
        is_below = fabric in families[1:]
        _draw_family(axes, sorted(rows, key=lambda row: float(row[_X] or 0)), look, is_below)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel(words_of(_WIRES).axis)
    axes.set_ylabel(words_of(table.titles[_Y]).axis)
    handles = [
        Line2D([], [], color=one.colour, marker=one.marker, linestyle="") for one in looks.values()
    ]
    handles.append(Line2D([], [], color="0.6", linewidth=0.9))
    lay_out(picture, handles, [*(one.label for one in looks.values()), "Pareto front"])


def _draw_family(
    axes: Axes,
    rows: list[tuple[Cell, ...]],
    look: Look,
    is_below: bool,
) -> None:
    xs = [float(row[_X] or 0) for row in rows]
    ys = [float(row[_Y] or 0) for row in rows]
    halves = [float(row[_HALF] or nan) for row in rows]
    axes.errorbar(
        xs,
        ys,
        yerr=halves,
        color=look.colour,
        marker=look.marker,
        linestyle=":" if len(rows) > 1 else "",
        linewidth=0.8,
        capsize=2,
        zorder=3,
    )
    for x, y, row in zip(xs, ys, rows, strict=True):
        if row[_BITS] is not None:
            axes.annotate(
                str(row[_BITS]),
                (x, y),
                xytext=(-3, -3) if is_below else (3, 3),
                textcoords="offset points",
                ha="right" if is_below else "left",
                va="top" if is_below else "bottom",
                fontsize="x-small",
                color=look.colour,
            )


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    what = words_of(table.titles[_Y]).text
    return words.paragraph(
        f"{what[:1].upper()}{what[1:]} over the wires of the board, in wires of all channels of "
        f"the bus, for {fabrics} ({words.load_of(request)}). Numbers: width of mesh links in bits.",
        words.intervals_of(request),
        words.runs_of(request),
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("strided-read",),
    fabrics="bus,pssd,pnssd,nossd,venice",
    options=frozenset({"figures", "rate_scale", "closed_loop"}),
    requests=5_000,
)
