"""Runs of the experiment on searches during host requests: designs, factors, quick fraction."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from venice.papers.experiments import suite, wires
from venice.papers.experiments.designs import BEST, DESIGNS, Design
from venice.papers.size import QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.papers.size import Size
    from venice.sweep import Point
    from venice.workloads import Mix

EQUAL_WIRES = Design(
    "venice-equal-wires",
    "Venice, equal wires",
    "venice",
    (*BEST.sets, *wires.link_width(14)),
)
"""Tuned Venice with 0.98 of Baseline's wires."""
COMPARED = (*DESIGNS[:-1], EQUAL_WIRES, DESIGNS[-1])
TITLES = {design.name: design.title for design in COMPARED}
NO_SEARCH = "none"
LOCATIONS = {NO_SEARCH: "none", "pif": "chips", "pis": "controller", "host": "host"}
SCHEDULERS = {
    "none": (),
    "PIQ+": (
        "host.scheduler.scheme=piq_plus",
        "host.scheduler.overdue_share_pct=100",
        "host.scheduler.passing_read_batches=8",
    ),
}
"""Host schedulers; the expectations were stated for PIQ+ without a limit on overdue writes."""
LOADS = (500, 1_000, 2_000, 4_000)
"""Rates of the host's requests [MB/s]."""
NEW, WORN, OLD = "new", "3 months", "6 months"
_WEAR = {
    NEW: (),
    WORN: ("ecc.pe_cycles=2000", "ecc.retention_days=91"),
    OLD: ("ecc.pe_cycles=2000", "ecc.retention_days=182"),
}
"""States of the cells; worn ones have 2,000 program/erase cycles."""
NO_GC, GC = "no GC", "GC"
_GC = {NO_GC: (), GC: ("precondition.mode=steady_state",)}
_DRIVE = (
    "flash.blocks_per_plane=64", "flash.pages_per_block=16", "ftl.over_provisioning_pct=28",
    "ecc.decoders=1", "ecc.placement=per_row",
)  # fmt: skip
"""Settings of all runs. Blocks are small, so that a run contains complete garbage collections."""
_PAGE, _SEARCH = 16_384, 4 * 2**20
_SEARCH_MB_PER_S = 2_000.0
"""Rate at which data is to be searched, in searches at equal distances [MB/s]."""
_READ_PCT = 95.0
_TIMES, _MOST_REQUESTS = 20, 100_000
"""Factor on the number of requests, for the 99.9th percentile of reads, and the maximum number."""
_WARM_UP_US = 4_000.0
"""Time that two searches take to arrive, in µs."""
_LONGEST_GAP_US = 1e9
_SEEDS, _FEW_SEEDS = 5, 2


class Cell(NamedTuple):
    """Combination of design and factors of a run, without its seed."""

    design: str
    search: str = NO_SEARCH
    scheduler: str = "none"
    load: int = 1_000
    wear: str = NEW
    gc: str = NO_GC
    without: str = ""
    """Cause that is removed from the run."""


def seeds(size: Size) -> range:
    """Return the seeds with which each run is repeated."""
    return range(1, 1 + (max(size.seeds, _SEEDS) if is_measured(size) else _FEW_SEEDS))


def is_measured(size: Size) -> bool:
    """Return true if the results have enough requests to be quoted."""
    return size.requests >= QUICK.requests


def _conditions(size: Size) -> Iterator[Cell]:
    """Yield the combinations of the host's scheduler and load, wear, and garbage collection.

    The quick size has a fraction of the full product: all loads with both schedulers, all states of
    wear, and garbage collection with both schedulers, each with the reference of other factors.
    """
    if size.requests > QUICK.requests:
        for scheduler, load, wear, gc in itertools.product(SCHEDULERS, LOADS, _WEAR, _GC):
            yield Cell("", NO_SEARCH, scheduler, load, wear, gc)
        return
    reference = Cell("")
    for scheduler, load in itertools.product(SCHEDULERS, LOADS):
        yield reference._replace(scheduler=scheduler, load=load)
    yield from (reference._replace(wear=wear) for wear in (WORN, OLD))
    yield from (reference._replace(scheduler=scheduler, gc=GC) for scheduler in SCHEDULERS)


def designs(size: Size) -> Sequence[Design]:
    """Return the designs that the experiment compares."""
    return size.some(COMPARED)


def cells(size: Size) -> list[Cell]:
    """Return all cells of the grid: the combinations of design and factors that are run."""
    return [
        condition._replace(design=design.name, search=search)
        for condition in _conditions(size)
        for design in designs(size)
        for search in LOCATIONS
    ]


def points(size: Size) -> Sequence[Point]:
    """Return the runs of all cells of the grid."""
    return [point for cell in cells(size) for point in repeated(cell, size)]


def repeated(
    cell: Cell, size: Size, sets: tuple[str, ...] = (), fabric: str | None = None
) -> list[Point]:
    """Return a run of a cell for each seed, with further settings and possibly another fabric."""
    design = next(design for design in COMPARED if design.name == cell.design)
    design = replace(design, fabric=fabric or design.fabric)
    return [_point(cell, seed, design, size, sets) for seed in seeds(size)]


def _point(cell: Cell, seed: int, design: Design, size: Size, sets: tuple[str, ...]) -> Point:
    search = () if cell.search == NO_SEARCH else (f"search.location={cell.search}",)
    return suite.point(
        {**cell._asdict(), "seed": seed},
        drive=suite.COST,
        fabric=design.fabric,
        workload=_flows(cell, min(_TIMES * size.requests, _MOST_REQUESTS)),
        warmup_us=_WARM_UP_US,
        seed=seed,
        sets=(
            *_DRIVE,
            *design.sets,
            *search,
            *SCHEDULERS[cell.scheduler],
            *_WEAR[cell.wear],
            *_GC[cell.gc],
            *sets,
        ),
    )


def _flows(cell: Cell, requests: int) -> Mix:
    """Return the host's requests and the searches, with a half of the drive each.

    Without searches, the second flow is one read during the warm-up, so that the host has the same
    requests and the same half of the drive.
    """
    from venice.workloads import FixedBytes, Mix, OpenLoop, Workload  # noqa: PLC0415 built from a schema

    name = "poisson-read-16k"
    rate = OpenLoop(mb_per_s=float(cell.load))
    host = Workload(name, name="host", requests=requests, read_pct=_READ_PCT, open_loop=rate)
    if cell.search == NO_SEARCH:
        others = 1
        other = Workload(name, name="one read", open_loop=OpenLoop(mean_gap_us=_LONGEST_GAP_US))
    else:
        others = round(requests * _PAGE / cell.load * _SEARCH_MB_PER_S / _SEARCH)
        other = Workload(
            name,
            name="search",
            search_pct=100.0,
            size=FixedBytes(_SEARCH),
            open_loop=OpenLoop(mb_per_s=_SEARCH_MB_PER_S, gaps="constant"),
        )
    return Mix(
        name="host and search",
        requests=requests + others,
        description="requests of the host, and searches",
        source="ours",
        flows=[host, other],
    )
