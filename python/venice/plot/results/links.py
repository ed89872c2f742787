"""Map of the utilisation of each channel, bus or link."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.plot.results.data_table import Table
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.report.grouping import Result

    Point = tuple[float, float]

_BESIDE = 0.14
"""Distance between two links that connect the same stops, in chips."""
_BELOW = 0.35
"""Vertical offset, in rows, of a link that passes chips without joining them."""
_CHIP = 0.2
"""Half of a chip's side length."""


def links_table(results: Sequence[Result]) -> Table:
    """Return a table of the links of a fabric: ends, and share of time in use.

    The table has a row for each section between two stops; a controller is in column -1, beside its
    row, or in row -1, above its column.

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
    """Yield the row and column of each stop."""
    chips = [divmod(stop["index"], cols) for stop in stops if stop["kind"] == "chip"]
    leads_down = len(chips) > 1 and chips[0][1] == chips[1][1]
    for stop in stops:
        if stop["kind"] == "chip":
            yield divmod(stop["index"], cols)
        else:
            yield (-1, chips[0][1]) if leads_down else (chips[0][0], -1)


def draw_links_table(axes: Axes, table: Table) -> None:
    """Draw a line for each place, brighter and wider the busier it was; controllers are circles."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415 loaded with the axes

    busy = [float(row[5] or 0) for row in table.rows]
    most = max(busy, default=0) or 1
    # A colour scale for any colour vision, and for greyscale prints.
    lines = LineCollection(
        list(_courses(table)), cmap="cividis", linewidths=[1 + 3 * pct / most for pct in busy]
    )
    lines.set_array(busy)
    lines.set_clim(0, most)
    axes.add_collection(lines)
    _draw_stops(axes, table)
    axes.grid(visible=False)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set_xlabel("column of the array")
    axes.set_ylabel("row")
    figure_of = axes.get_figure()
    if figure_of is not None:
        figure_of.colorbar(lines, ax=axes, label="in use, %")


def _courses(table: Table) -> Iterator[list[Point]]:
    """Yield the line of each row of the table: x and y."""
    seen: dict[frozenset[Point], int] = {}
    for _, from_row, from_column, to_row, to_column, _ in table.rows:
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


def _draw_stops(axes: Axes, table: Table) -> None:
    from matplotlib.patches import Circle, Rectangle  # noqa: PLC0415 as above

    stops = {_point(*row[place : place + 2]) for row in table.rows for place in (1, 3)}
    for x, y in sorted(stops):
        if min(x, y) < 0:
            axes.add_patch(Circle((x, y), _CHIP, facecolor="white", edgecolor="black", zorder=3))
        else:
            square = Rectangle(
                (x - _CHIP, y - _CHIP), 2 * _CHIP, 2 * _CHIP, facecolor="white", edgecolor="black"
            )
            square.set_zorder(3)
            axes.add_patch(square)
    across, down = [x for x, _ in stops], [y for _, y in stops]
    axes.set_xticks(range(int(max(across)) + 1))
    axes.set_yticks(range(int(max(down)) + 1))
    axes.set_xlim(min(across) - 0.5, max(across) + 0.5)
    axes.set_ylim(min(down) - 0.5, max(down) + 0.5)
