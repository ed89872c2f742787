"""Chip-to-chip garbage collection (Venice, §8): its effect on host requests, by design.

A small drive in the steady state of garbage collection serves random reads and writes at a fixed
queue depth. Valid pages are moved within their plane, or to the least busy plane of the drive or of
their column. They move through a controller, or directly from chip to chip if the design can do so.
There is no published comparison. The table shows the latency of host requests, write amplification,
and the share of pages that were moved without a controller.

Allocation is dynamic: with static allocation each plane reserves space for its own share of the
addresses, and accepts few pages from other planes. Preconditioning collects within planes and
leaves each plane a half-empty open block, which pages of other planes fill first. Blocks are short
and three quarters of a run are warm-up, so this transient ends before the measurement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers import mqsim_values
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.designs import LETTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

DRIVE = (
    *mqsim_values.COLLECTION,
    "flash.blocks_per_plane=64", "flash.pages_per_block=16", "ftl.over_provisioning_pct=15",
    "ftl.allocation_mode=dynamic", "precondition.mode=steady_state",
)  # fmt: skip
WORKLOAD = "mixed-70-30"
_DEPTHS = (4, 16, 64)
_TIMES, _MOST_REQUESTS = 20, 100_000
"""Factor on the number of requests, since garbage collections are rare, and the maximum number."""
WARM_UP = 0.75

_STAY, _COPYBACK, _ANYWHERE, _COLUMN = "same plane", "copyback", "least busy", "of column"
_DESTINATIONS = {
    _STAY: (),
    _COPYBACK: ("ftl.gc_copyback=true",),
    _ANYWHERE: ("ftl.gc_destination=least_busy_plane",),
    _COLUMN: ("ftl.gc_destination=least_busy_of_column",),
}


class _Design(NamedTuple):
    name: str
    fabric: str
    destinations: tuple[str, ...]
    sets: tuple[str, ...] = ()


_COPIES = ("fabric.chip_to_chip=true",)
_SLOW_BUS = ("fabric.decoupled.system_bus_rate_mb_per_s=2000",)
_DESIGNS = (
    _Design("Baseline", "bus", (_STAY, _COPYBACK, _ANYWHERE)),
    _Design("Decoupled SSD", "decoupled", (_STAY, _ANYWHERE)),
    _Design("Decoupled SSD, bus of 2 GB/s", "decoupled", (_STAY, _ANYWHERE), _SLOW_BUS),
    _Design("pnSSD", "pnssd", (_STAY, _ANYWHERE, _COLUMN)),
    _Design("pnSSD, column copies", "pnssd", (_ANYWHERE, _COLUMN), _COPIES),
    _Design("Venice", "venice", (_STAY, _COPYBACK, _ANYWHERE, _COLUMN)),
    _Design("Venice, circuits", "venice", (_ANYWHERE, _COLUMN), _COPIES),
    _Design(
        "Venice, circuits, lent id", "venice", (_ANYWHERE,),
        (*_COPIES, "fabric.venice.copy_id=lent"),
    ),
    _Design("Venice to the letter", "venice", (_STAY, _ANYWHERE), LETTER.sets),
    _Design("Venice to the letter, circuits", "venice", (_ANYWHERE,), (*_COPIES, *LETTER.sets)),
)  # fmt: skip
_CASES = tuple((design, where) for design in _DESIGNS for where in design.destinations)
_BASELINE = _CASES[0]
_COLUMNS = (
    "design", "fabric", "destination", "outstanding", "mean_us", "p99_us", "read_mean_us",
    "read_p99_us", "iops", "mean_over_baseline", "p99_over_baseline", "requests_conflict_pct",
    "pages_per_written_page", "gc_moves", "erases", "moves_elsewhere", "copies_between_chips",
    "copied_pct", "multiplane_programs",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    requests = min(_TIMES * size.requests, _MOST_REQUESTS)
    return [
        suite.point(
            {"design": design.name, "destination": where, "outstanding": depth},
            drive=suite.PERFORMANCE,
            workload=WORKLOAD,
            fabric=design.fabric,
            requests=requests,
            warmup=int(requests * WARM_UP),
            closed_loop=depth,
            sets=(*DRIVE, *_DESTINATIONS[where], *design.sets),
        )
        for design, where in _CASES
        for depth in _DEPTHS
    ]


def _find(runs: Runs, design: _Design, where: str, depth: int) -> Report | None:
    return runs.find(design=design.name, destination=where, outstanding=depth)


def _row(runs: Runs, design: _Design, where: str, depth: int) -> list[Any] | None:
    report = _find(runs, design, where, depth)
    baseline = _find(runs, *_BASELINE, depth)
    if report is None or baseline is None:
        return None
    every, ours = baseline.latency_us.all, report.latency_us.all
    flash = report["flash"]
    copies = flash.get("copies_between_chips", 0)
    return [
        design.name,
        design.fabric,
        where,
        depth,
        ours.mean,
        ours.p99,
        report.latency_us.read.mean,
        report.latency_us.read.p99,
        report.iops,
        suite.ratio(ours.mean, every.mean),
        suite.ratio(ours.p99, every.p99),
        report.path.requests_conflict_pct,
        report.pages_per_written_page,
        flash["gc_moves"],
        flash["erases"],
        flash.get("moves_elsewhere", 0),
        copies,
        100 * copies / flash["gc_moves"] if flash["gc_moves"] else None,
        flash["multiplane_programs"],
    ]


def _evaluate(runs: Runs, _size: Size) -> Finding:
    rows = [
        row
        for design, where in _CASES
        for depth in _DEPTHS
        if (row := _row(runs, design, where, depth)) is not None
    ]
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows))


def _draw(rows: Sequence[Sequence[Any]]) -> Figure:
    from venice.papers.draw import Panel, draw_rows, grid, label  # noqa: PLC0415 matplotlib is slow

    columns = [_COLUMNS.index(name) for name in ("design", "destination", "outstanding")]
    cells = {tuple(row[column] for column in columns): row for row in rows}
    groups = [f"{design.name}: {where}" for design, where in _CASES]
    figure, axes = grid(1, 2, 5.4, 8.0, left_inches=2.9)
    figures = {"mean_us": "mean latency, µs", "p99_us": "99th percentile, µs"}
    for space, (name, title) in zip(axes[0], figures.items(), strict=True):
        place = _COLUMNS.index(name)
        series = {
            f"{depth} outstanding": [
                cells[design.name, where, depth][place]
                if (design.name, where, depth) in cells
                else None
                for design, where in _CASES
            ]
            for depth in _DEPTHS
        }
        draw_rows(space, groups, series)
        label(space, Panel("collection in steady state", title))
    axes[0][1].set_yticklabels([])
    return figure


EXPERIMENT = Experiment(
    "circuits",
    "venice",
    "collection to other planes and from chip to chip: latency of the host's requests (§8)",
    "ours",
    _evaluate,
    _points,
)
