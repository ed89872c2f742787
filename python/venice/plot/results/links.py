"""Map of the utilisation of each channel, bus or link of a fabric."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.plot.results.data_table import Table
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result

    Point = tuple[float, float]

_BESIDE = 0.14
"""Distance between two links with the same ends, in units of the distance between chips."""
_BELOW = 0.35
"""Vertical offset of a link that passes chips without connecting to them, in rows."""
_CHIP = 0.2
"""Half the side of a chip's square, in units of the distance between chips."""
HEAT = "YlOrRd"
"""Colour map of utilisation, from pale to dark; it suits any colour vision and greyscale prints."""


def links_table(results: Sequence[Result]) -> Table:
    """Return a table of the links of a fabric: ends, and share of time in use.

    The table has a row for each section between two stops, which are chips or controllers. A
    controller is in column -1 of its row, or in row -1 of its column.

    Raises
    ------
    UsageError
        If there are several runs, or the report has no figures of single links.
    """
    if len(results) != 1:
        raise UsageError(f'there are {len(results)} runs; `kind="links"` draws one')
    content = results[0].report.content
    cols = figure(results[0].report, "config.array.cols")
    if content.get("places") is None or not cols:
        raise UsageError(
            f"the report of {results[0].name} lacks the utilisation of links; run with "
            "`distributions=True`"
        )
    places = [place for place in content["places"] if place["busy_pct"] is not None]
    rows = tuple(
        (place["name"], *one, *other, place["busy_pct"])
        for place in places
        for one, other in pairwise(_points(place["stops"], int(cols)))
    )
    return Table(("place", "from_row", "from_column", "to_row", "to_column", "busy_pct"), rows)


def _points(stops: Sequence[Mapping[str, Any]], cols: int) -> Iterator[tuple[int, int]]:
    """Yield the row and column of each stop, a chip or a controller."""
    chips = [divmod(stop["index"], cols) for stop in stops if stop["kind"] == "chip"]
    leads_down = len(chips) > 1 and chips[0][1] == chips[1][1]
    for stop in stops:
        if stop["kind"] == "chip":
            yield divmod(stop["index"], cols)
        else:
            yield (-1, chips[0][1]) if leads_down else (chips[0][0], -1)


def draw_links_table(axes: Axes, table: Table) -> None:
    """Draw a line for each link, dark and wide if the link was busy; controllers are circles."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415 loaded with the axes

    busy = [float(row[5] or 0) for row in table.rows]
    most = max(busy, default=0) or 1
    courses = list(courses_of(table.rows))
    widths = [1.2 + 3 * pct / most for pct in busy]
    # Pale colours of idle links need an outline on white paper.
    axes.add_collection(LineCollection(courses, colors="0.6", linewidths=[w + 0.8 for w in widths]))
    lines = LineCollection(courses, cmap=HEAT, linewidths=widths)
    lines.set_array(busy)
    lines.set_clim(0, most)
    axes.add_collection(lines)
    _draw_stops(axes, table)
    axes.set_aspect("equal")
    axes.set_axis_off()
    figure_of = axes.get_figure()
    if figure_of is not None:
        figure_of.colorbar(lines, ax=axes, label="In use (% of time)", pad=0.02, shrink=0.9)


def courses_of(rows: Sequence[Sequence[Cell]]) -> Iterator[list[Point]]:
    """Yield the line to draw for each row of a table of links, as x and y."""
    seen: dict[frozenset[Point], int] = {}
    for _, from_row, from_column, to_row, to_column, _ in rows:
        one, other = _point(from_row, from_column), _point(to_row, to_column)
        before = seen.setdefault(frozenset((one, other)), 0)
        seen[frozenset((one, other))] += 1
        yield _course(one, other, before * _BESIDE)


def _point(row: object, column: object) -> Point:
    return float(str(column)), float(str(row))


def _course(one: Point, other: Point, aside: float) -> list[Point]:
    (x, y), (to_x, to_y) = one, other
    if abs(to_x - x) > 1:
        return [(x, y), (x, y + _BELOW), (to_x, y + _BELOW), (to_x, to_y)]
    if y == to_y:
        return [(x, y + aside), (to_x, to_y + aside)]
    return [(x + aside, y), (to_x + aside, to_y)]


def draw_controllers(axes: Axes, stops: Sequence[Point], radius: float) -> None:
    """Draw a circle for each controller, next to its row or above its column.

    The controllers of a mesh are not stops of its links; each is connected to the first router of a
    row.
    """
    from matplotlib.patches import Circle  # noqa: PLC0415 loaded with the axes

    found = [point for point in stops if min(point) < 0]
    rows = sorted({y for x, y in stops if x == 0})
    for y in rows if not found else ():
        axes.plot([-1, 0], [y, y], ":", color="0.5", linewidth=1.0, zorder=1)
    for point in found or [(-1.0, y) for y in rows]:
        axes.add_patch(Circle(point, radius, facecolor="0.2", edgecolor="none", zorder=3))


def _draw_stops(axes: Axes, table: Table) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 as above

    stops = sorted({_point(*row[place : place + 2]) for row in table.rows for place in (1, 3)})
    draw_controllers(axes, stops, _CHIP)
    for x, y in stops:
        if min(x, y) >= 0:
            square = Rectangle(
                (x - _CHIP, y - _CHIP), 2 * _CHIP, 2 * _CHIP, facecolor="white", edgecolor="0.3"
            )
            square.set_zorder(3)
            axes.add_patch(square)
    _number_rows_and_columns(axes, stops)


def _number_rows_and_columns(axes: Axes, stops: Sequence[Point]) -> None:
    across, down = [x for x, _ in stops], [y for _, y in stops]
    left, top = min(*across, -1) - 0.6, min(down) - 0.6
    small: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "x-small", "color": "0.35"}
    for row in range(int(max(down)) + 1):
        axes.text(left, row, str(row), **small)
    for column in range(int(max(across)) + 1):
        axes.text(column, top, str(column), **small)
    axes.set_xlim(left - 0.3, max(across) + 0.5)
    axes.set_ylim(max(down) + 0.6, top - 0.3)
