"""Figure of latency, throughput and garbage collection over time."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.log_scale import number_log_axis, set_log_scale
from venice.plot.results.data_table import Table
from venice.report.fabric_looks import looks_of
from venice.report.mapping_units import pages_per_unit
from venice.report.over_time import columns_over_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report.fabric_looks import Look
    from venice.report.grouping import Result

_INTERVALS = 120
_US_PER_MS = 1000.0
_US_PER_S = 1e6
_FABRIC, _START, _END = 0, 1, 2
_PANELS = (
    ("read_p99_us", "Read p99 (µs)", True),
    ("write_p99_us", "Write p99 (µs)", True),
    ("mb_per_s", "Throughput (MB/s)", False),
    ("gc_pages_per_s", "GC (pages/s)", False),
)
"""Columns to draw, with their titles; the flag is true for a logarithmic axis."""
_TITLES = ("fabric", "start_us", "end_us", *(name for name, _, _ in _PANELS))


def _measure(request: FigureRequest, bench: Bench) -> Table:
    scenario = request.scenario() | request.pace | {"seed": request.first_seed}
    axes = [{"fabric": request.fabric_names}]
    results = bench.observed("runs", scenario, axes, interval=_INTERVALS)
    return Table(_TITLES, tuple(row for result in results for row in _served(result)))


def _served(result: Result) -> list[tuple[Cell, ...]]:
    """Return the rows of the intervals, up to the last interval in which requests completed."""
    rows = list(_rows(result))
    while rows and not rows[-1][_TITLES.index("mb_per_s")]:
        rows.pop()
    return rows


def _rows(result: Result) -> Iterator[tuple[Cell, ...]]:
    columns = columns_over_time(result.report)
    gaps = [None] * len(columns["start_us"])
    pages = pages_per_unit(result.report.config)
    for place, (start, end) in enumerate(zip(columns["start_us"], columns["end_us"], strict=True)):
        served = [columns.get(f"{one}_mb_per_s", gaps)[place] or 0.0 for one in ("read", "write")]
        length_s = (end - start) / _US_PER_S
        moved = (columns.get("flash_gc_moves", gaps)[place] or 0.0) * pages
        yield (
            result.name,
            start,
            end,
            columns.get("read_p99_us", gaps)[place],
            columns.get("write_p99_us", gaps)[place],
            sum(served),
            moved / length_s if length_s else None,
        )


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    shown = [panel for panel in _PANELS if any(row[_TITLES.index(panel[0])] for row in table.rows)]
    panels = picture.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, title, is_log) in zip(panels, shown, strict=True):
        for fabric, look in looks.items():
            _draw_steps(axes, table, fabric, name, look)
        if is_log:
            set_log_scale(axes.yaxis)
            number_log_axis(axes.yaxis)
        else:
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_ylabel(title)
    panels[-1].set_xlabel("Simulated time (ms)")
    panels[-1].margins(x=0)
    picture.align_ylabels(panels)
    handles = [Line2D([], [], color=one.colour, linestyle=one.dash) for one in looks.values()]
    lay_out(picture, handles, [one.label for one in looks.values()])


def _draw_steps(axes: Axes, table: Table, fabric: str, name: str, look: Look) -> None:
    rows = [row for row in table.rows if row[_FABRIC] == fabric]
    values = [row[_TITLES.index(name)] for row in rows]
    edges = [float(row[_START] or 0) / _US_PER_MS for row in rows]
    edges.append(float(rows[-1][_END] or 0) / _US_PER_MS)
    axes.stairs(
        [nan if value is None else float(value) for value in values],
        edges,
        baseline=None,
        color=look.colour,
        linestyle=look.dash,
        linewidth=1.0,
    )


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    lengths = [float(row[_END] or 0) - float(row[_START] or 0) for row in table.rows]
    return words.paragraph(
        f"{fabrics} over time ({words.load_of(request)}): 99th percentiles of latency, throughput "
        f"and pages moved by garbage collection, in intervals of {max(lengths) / _US_PER_MS:.3g} "
        f"ms; seed {request.first_seed}.",
        words.runs_of(request),
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    drive="venice-cost",
    sets=(
        "flash.blocks_per_plane=128",
        "flash.pages_per_block=64",
        "ftl.over_provisioning_pct=20",
        "precondition.mode=steady_state",
    ),
    fabrics="bus,venice",
    options=frozenset({"rate_scale", "closed_loop"}),
    height=1.9,
)
