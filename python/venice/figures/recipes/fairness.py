"""Figure of each tenant's slowdown relative to its run alone, and of Jain's index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.groups import draw_groups
from venice.plot.results.data_table import Table, number_of
from venice.plot.results.figures import half_title, interval_note
from venice.report.fabric_looks import looks_of
from venice.report.tenants import jain_index, tenant_name, tenants_of
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.report import Report

_JAIN = "Jain's index"
_FABRIC, _TENANT, _MEAN, _HALF = range(4)


def _measure(request: FigureRequest, bench: Bench) -> Table:
    scenario = request.scenario() | request.pace
    results = bench.observed("runs", scenario, request.axes, alone=True)
    found: dict[str, list[Report]] = {}
    for result in results:
        found.setdefault(result.name, []).append(result.report)
    half = half_title(request.confidence_pct)
    return Table(
        ("fabric", "tenant", "slowdown_or_index", half, "seeds"),
        tuple(row for name in found for row in _rows(name, found[name], request.confidence_pct)),
        interval_note([request.seeds], request.confidence_pct),
    )


def _rows(fabric: str, reports: list[Report], confidence_pct: float) -> Iterator[tuple[Cell, ...]]:
    slowdowns = [_slowdowns(report) for report in reports]
    for tenant in slowdowns[0]:
        yield fabric, tenant, *mean_of([one[tenant] for one in slowdowns], confidence_pct)
    indices = [jain_index(list(one.values())) or 0.0 for one in slowdowns]
    yield fabric, _JAIN, *mean_of(indices, confidence_pct)


def _slowdowns(report: Report) -> dict[str, float]:
    found: dict[str, float] = {}
    for queue in tenants_of(report):
        slowdown = queue["alone"]["slowdown_mean"]
        if slowdown is None:
            raise UsageError(f"the tenant {tenant_name(report, queue)} has no measured request")
        found[tenant_name(report, queue)] = slowdown
    return found


def _draw(picture: Picture, table: Table, _request: FigureRequest) -> None:
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    tenants = [
        one for one in dict.fromkeys(str(row[_TENANT]) for row in table.rows) if one != _JAIN
    ]
    bars = {
        (str(row[_TENANT]), str(row[_FABRIC])): (float(row[_MEAN] or 0), number_of(row[_HALF]))
        for row in table.rows
    }
    left, right = picture.subplots(1, 2, width_ratios=(len(tenants), 1))
    entries = draw_groups(left, tenants, looks, bars)
    left.axhline(1.0, color="black", linewidth=0.8)
    left.set_ylim(bottom=0)
    left.set_ylabel("Slowdown against alone (×)")
    draw_groups(right, [_JAIN], looks, bars)
    right.set_ylim(0, 1.05)
    right.set_ylabel("Jain's index of slowdowns")
    right.set_xticks([])
    lay_out(picture, *entries)


def _caption(request: FigureRequest, table: Table) -> str:
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    return words.paragraph(
        f"Mean latency of each tenant over that of its run alone, on {fabrics} "
        f"({words.load_of(request)}), and Jain's index of the slowdowns: 1 if all are equal.",
        words.intervals_of(request),
        words.runs_of(request),
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("mix1",),
    options=frozenset({"rate_scale", "closed_loop"}),
    requests=10_000,
)
