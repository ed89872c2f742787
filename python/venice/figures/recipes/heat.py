"""Figure of the utilisation of each chip and path: a map of the array for each fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.results.chips import chips_table
from venice.plot.results.data_table import Table
from venice.plot.results.links import HEAT, courses_of, draw_controllers, links_table
from venice.report.fabric_looks import fabric_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result

_CHIP = 0.24
_FABRIC, _KIND, _PLACE, _BUSY = 0, 1, 2, 7
_MOST_IN_ROW = 3


def _measure(request: FigureRequest, bench: Bench) -> Table:
    scenario = request.scenario() | request.pace | {"seed": request.first_seed}
    axes = [{"fabric": request.fabric_names}]
    results = bench.observed("runs", scenario, axes, distributions=True)
    titles = ("from_row", "from_column", "to_row", "to_column")
    return Table(
        ("fabric", "kind", "place", *titles, "busy_pct"),
        tuple(row for result in results for row in _rows(result)),
    )


def _rows(result: Result) -> Iterator[tuple[Cell, ...]]:
    for row, column, busy_pct in chips_table([result]).rows:
        yield result.name, "chip", f"chip {row},{column}", row, column, row, column, busy_pct
    for place, *ends, busy_pct in links_table([result]).rows:
        yield result.name, "path", place, *ends, busy_pct


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    fabrics = list(dict.fromkeys(str(row[_FABRIC]) for row in table.rows))
    columns = min(len(fabrics), _MOST_IN_ROW)
    rows_of_panels = -(-len(fabrics) // columns)
    grid = picture.add_gridspec(rows_of_panels, columns + 1, width_ratios=[*[1.0] * columns, 0.06])
    panels = [picture.add_subplot(grid[divmod(place, columns)]) for place in range(len(fabrics))]
    most = max(float(row[_BUSY] or 0) for row in table.rows) or 1.0
    top = min(_number(row[3]) for row in table.rows)
    shade = ScalarMappable(Normalize(0, most), HEAT)
    for axes, fabric in zip(panels, fabrics, strict=False):
        rows = [row for row in table.rows if row[_FABRIC] == fabric]
        _draw_paths(axes, [row for row in rows if row[_KIND] == "path"], shade)
        _draw_stops(axes, rows, shade)
        axes.set_title(fabric_label(fabric), loc="center")
        # Common limits, so that panels and their titles are level.
        axes.set_xlim(-1.5, max(_number(row[4]) for row in table.rows) + 0.5)
        axes.set_ylim(max(_number(row[3]) for row in table.rows) + 0.5, top - 0.5)
    picture.colorbar(shade, cax=picture.add_subplot(grid[:, -1]), label="Busy (% of time)")
    lay_out(picture)


def _draw_paths(axes: Axes, rows: Sequence[tuple[Cell, ...]], shade: ScalarMappable) -> None:
    courses = list(courses_of([row[_PLACE:] for row in rows]))
    axes.add_collection(LineCollection(courses, colors="0.75", linewidths=3.2))
    colours = shade.to_rgba(np.array([float(row[_BUSY] or 0) for row in rows]))
    axes.add_collection(LineCollection(courses, colors=colours, linewidths=2.4))


def _draw_stops(axes: Axes, rows: Sequence[tuple[Cell, ...]], shade: ScalarMappable) -> None:
    chips = [row for row in rows if row[_KIND] == "chip"]
    squares = [
        Rectangle((float(row[4] or 0) - _CHIP, float(row[3] or 0) - _CHIP), 2 * _CHIP, 2 * _CHIP)
        for row in chips
    ]
    colours = shade.to_rgba(np.array([float(row[_BUSY] or 0) for row in chips]))
    axes.add_collection(
        PatchCollection(squares, facecolors=colours, edgecolors="0.3", linewidths=0.5, zorder=3)
    )
    ends = {(_number(x), _number(y)) for row in rows for y, x in (row[3:5], row[5:7])}
    draw_controllers(axes, sorted(ends), _CHIP)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _number(cell: Cell) -> float:
    return float(str(cell))


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    return words.paragraph(
        f"Utilisation of chips (squares) and paths (lines) on {fabrics} "
        f"({words.load_of(request)}). Dots: controllers of the channels.",
        words.runs_of(request),
        f"Seed {request.first_seed}.",
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("strided-read",),
    fabrics="bus,pnssd,venice",
    options=frozenset({"rate_scale", "closed_loop"}),
)
