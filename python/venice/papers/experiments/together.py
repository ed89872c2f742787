"""Search in chips, controller or host beside host requests, on each fabric, with and without PIQ+.

The host reads and writes pages at a fixed rate, while searches of another part of the drive arrive
at a fixed rate. The reference is the host alone, at the same rate. The work of all designs is thus
equal; they differ in the time of a search, and in the quantiles of the host's reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.designs import BEST, LETTER
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.workloads import Mix, Workload


class _Design(NamedTuple):
    name: str
    fabric: str
    sets: tuple[str, ...] = ()


_DESIGNS = (
    _Design("Baseline", "bus"),
    _Design("pSSD", "pssd"),
    _Design("pnSSD", "pnssd"),
    _Design("NoSSD", "nossd"),
    _Design("Venice", "venice", LETTER.sets),
    _Design("Venice, best", "venice", BEST.sets),
    _Design("ideal", "ideal"),
)
_NO_SEARCH = "none"
_LOCATIONS = (_NO_SEARCH, "pif", "pis", "host")
_LOADS = (500, 1_000, 2_000, 4_000)
"""Rates of the host's requests [MB/s]."""
_WEAR_LOAD = 1_000
_SCHEDULERS = {"none": (), "PIQ+": ("host.scheduler.scheme=piq_plus",)}
_YOUNG = "no errors"
_WEAR = {
    _YOUNG: (),
    "2,000 cycles, 3 months": ("ecc.pe_cycles=2000", "ecc.retention_days=91"),
    "2,000 cycles, 6 months": ("ecc.pe_cycles=2000", "ecc.retention_days=182"),
}
_DECODERS = ("ecc.decoders=1", "ecc.placement=per_row")
_PAGE, _SEARCH = 16_384, 4 * 2**20
_SEARCH_MB_PER_S = 2_000.0
"""Rate at which data is to be searched, in searches at equal distances [MB/s]."""
_MOST_REQUESTS = 100_000
_READ_PCT = 95.0
_COLUMNS = (
    "design", "fabric", "search", "scheduler", "host_mb_per_s", "wear", "read_p50_us",
    "read_p99_us", "read_p999_us", "read_p99_over_no_search", "search_mean_us", "search_p99_us",
    "fabric_mb", "failed_in_chips_pct",
)  # fmt: skip


class _Cell(NamedTuple):
    """One run: the key of its choices."""

    design: str
    search: str
    scheduler: str
    load: int
    wear: str


def _flows(cell: _Cell, requests: int) -> Workload | Mix:
    from venice.workloads import FixedBytes, Mix, OpenLoop, Workload  # noqa: PLC0415 built from a schema

    host = Workload(
        "poisson-read-16k",
        name="host",
        requests=requests,
        read_pct=_READ_PCT,
        open_loop=OpenLoop(mb_per_s=float(cell.load)),
    )
    if cell.search == _NO_SEARCH:
        return host
    search = Workload(
        "poisson-read-16k",
        name="search",
        search_pct=100.0,
        size=FixedBytes(_SEARCH),
        open_loop=OpenLoop(mb_per_s=_SEARCH_MB_PER_S, gaps="constant"),
    )
    searches = round(requests * _PAGE / cell.load * _SEARCH_MB_PER_S / _SEARCH)
    return Mix(
        name="host and search",
        requests=requests + searches,
        description="requests of the host, and searches",
        source="ours",
        flows=[host, search],
    )


def _point(cell: _Cell, requests: int) -> Point:
    design = next(design for design in _DESIGNS if design.name == cell.design)
    search = () if cell.search == _NO_SEARCH else (f"search.location={cell.search}",)
    wear = (*_WEAR[cell.wear], *(_DECODERS if cell.wear != _YOUNG else ()))
    return suite.point(
        cell._asdict(),
        drive=suite.COST,
        fabric=design.fabric,
        workload=_flows(cell, requests),
        sets=(*design.sets, *search, *_SCHEDULERS[cell.scheduler], *wear),
    )


def _cells(size: Size) -> list[_Cell]:
    at_load = [
        _Cell(design.name, search, scheduler, load, _YOUNG)
        for design in _DESIGNS
        for search in _LOCATIONS
        for scheduler in _SCHEDULERS
        for load in size.some(_LOADS)
    ]
    worn = [
        _Cell(design.name, search, "none", _WEAR_LOAD, wear)
        for design in _DESIGNS
        for search in _LOCATIONS
        for wear in _WEAR
        if wear != _YOUNG
    ]
    return [*at_load, *worn]


def _points(size: Size) -> Sequence[Point]:
    requests = min(32 * size.requests, _MOST_REQUESTS)
    return [_point(cell, requests) for cell in _cells(size)]


def _row(runs: Runs, cell: _Cell) -> list[Any] | None:
    report = runs.find(**cell._asdict())
    alone = runs.find(**cell._replace(search=_NO_SEARCH)._asdict())
    if report is None or alone is None:
        return None
    fabric = next(design.fabric for design in _DESIGNS if design.name == cell.design)
    read = report.latency_us.read
    return [
        cell.design,
        fabric,
        cell.search,
        cell.scheduler,
        cell.load,
        cell.wear,
        read.p50,
        read.p99,
        read.p999,
        suite.ratio(read.p99, alone.latency_us.read.p99),
        *_search_figures(report),
    ]


def _search_figures(report: Report) -> list[float | None]:
    found = report.search
    searches = report.latency_us.search
    if found is None or searches is None:
        return [None] * 4
    return [
        searches.mean,
        searches.p99,
        found.bytes_from_chips / 1e6,
        100 * found.pages_failed_in_chips / found.pages if found.pages else None,
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [row for cell in _cells(size) if (row := _row(runs, cell)) is not None]
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows), _text(rows))


def _value(rows: Sequence[Sequence[Any]], name: str, cell: _Cell) -> float | None:
    wanted = [cell.design, cell.search, cell.scheduler, cell.load, cell.wear]
    found = (row for row in rows if [row[0], *row[2:6]] == wanted)
    row = next(found, None)
    return None if row is None else row[_COLUMNS.index(name)]


def _loads(rows: Sequence[Sequence[Any]]) -> list[int]:
    return sorted({row[4] for row in rows})


def _text(rows: Sequence[Sequence[Any]]) -> str:
    def lines(name: str, scheduler: str, load: int, wear: str) -> list[list[object]]:
        return [
            [
                design.name,
                *(
                    _value(rows, name, _Cell(design.name, search, scheduler, load, wear))
                    for search in _LOCATIONS
                ),
            ]
            for design in _DESIGNS
        ]

    contents = (
        ("read_p99_us", "99th percentile of host reads, µs"),
        ("search_mean_us", "mean time of a search of 4 MiB, µs"),
    )
    parts = [
        table(
            [f"{load} MB/s, scheduler {scheduler}: {what}", *_LOCATIONS],
            lines(name, scheduler, load, _YOUNG),
        )
        for load in _loads(rows)
        for scheduler in _SCHEDULERS
        for name, what in contents
    ]
    worn = [
        table(
            [f"{_WEAR_LOAD} MB/s, {wear}: {what}", *_LOCATIONS],
            lines(name, "none", _WEAR_LOAD, wear),
        )
        for wear in _WEAR
        if wear != _YOUNG
        for name, what in contents
    ]
    return section("Searches beside the host's requests", *parts, *worn)


def _draw(rows: Sequence[Sequence[Any]]) -> Figure:
    from venice.papers.draw import (  # noqa: PLC0415 matplotlib is slow
        Panel,
        draw_lines,
        grid,
        label,
        legend_below,
        logarithmic,
    )

    figure, axes = grid(1, len(_LOCATIONS) - 1, 4.2, 4.2)
    for space, search in zip(axes[0], _LOCATIONS[1:], strict=True):
        lines = {
            design.name: [
                (float(load), value)
                for load in _loads(rows)
                if (
                    value := _value(
                        rows, "read_p99_us", _Cell(design.name, search, "none", load, _YOUNG)
                    )
                )
                is not None
            ]
            for design in _DESIGNS
        }
        draw_lines(space, lines)
        label(space, Panel(f"search: {search}", "host, MB/s", "99th percentile of reads, µs"))
        logarithmic(space)
    legend_below(figure, axes[0][0])
    return figure


EXPERIMENT = Experiment(
    "together",
    "together",
    "searches in chips, controller or host beside the host's requests, with and without PIQ+",
    "ours",
    _evaluate,
    _points,
)
