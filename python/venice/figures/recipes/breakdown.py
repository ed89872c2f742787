"""Figure of the parts of the mean latency, with a stack for each fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.groups import name_groups
from venice.plot.results.breakdown import breakdown_table
from venice.plot.results.data_table import Table
from venice.plot.stacks import draw_stacks
from venice.report.fabric_looks import fabric_label
from venice.report.grouping import Groups
from venice.stats import mean_of

if TYPE_CHECKING:
    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell

_TOTAL = "total"
_FABRIC, _PART, _MEAN, _SEEDS, _HALF = range(5)


def _measure(request: FigureRequest, bench: Bench) -> Table:
    scenario = request.scenario() | request.pace
    results = bench.observed("runs", scenario, request.axes, causes=True)
    parts = breakdown_table(results, request.confidence_pct)
    totals: list[tuple[Cell, ...]] = []
    for series in Groups(results).series:
        means = [report.latency_us.all.mean or 0.0 for report in series.reports]
        mean, half, seeds = mean_of(means, request.confidence_pct)
        totals.append((series.drive, _TOTAL, mean, seeds, half))
    return Table(parts.titles, (*parts.rows, *totals), parts.note)


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    axes = picture.subplots()
    names = list(dict.fromkeys(str(row[_FABRIC]) for row in table.rows))
    stacks = [
        {str(row[_PART]): float(row[_MEAN] or 0) for row in table.rows if row[_FABRIC] == name}
        for name in names
    ]
    entries = draw_stacks(axes, stacks)
    totals = [row for row in table.rows if row[_PART] == _TOTAL]
    if any(row[_HALF] is not None for row in totals):
        axes.errorbar(
            range(len(names)),
            [float(row[_MEAN] or 0) for row in totals],
            yerr=[float(row[_HALF] or 0) for row in totals],
            fmt="none",
            ecolor="#222222",
            elinewidth=0.8,
            capsize=2,
        )
    name_groups(axes, [fabric_label(name) for name in names])
    lay_out(picture, *entries)


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    return words.paragraph(
        f"Parts of the mean latency on {fabrics} ({words.load_of(request)}).",
        words.intervals_of(request),
        words.runs_of(request),
    )


RECIPE = Recipe(_measure, _draw, _caption, options=frozenset({"rate_scale", "closed_loop"}))
