"""Gathers of operands on one chip (Venice, §8): duration, and effect on the host's reads.

A gather combines pages from any chips on one chip. Pages on other chips move there through a
controller or, if the design can do so, directly from chip to chip. Gathers are run alone, eight at
a time, and mixed with host reads that arrive at a fixed rate, so that all designs have the same
load. The reference is the reads alone, at the same rate.

Operands that are stored together on one chip are sensed one page at a time, as bits of the same
cells (ParaBit), or as word lines of a block or blocks of a plane (Flash-Cosmos). The cells are
worn, and the report has the expected wrong bits of a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.designs import BEST, LETTER
from venice.papers.markdown import section, table
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point


class _Design(NamedTuple):
    name: str
    fabric: str
    sets: tuple[str, ...] = ()


_COPIES = ("fabric.chip_to_chip=true",)
_EQUAL_WIRES = ("fabric.mesh.link_width_bits=14",)
"""Setting of the link width with which the mesh has Baseline's amount of wire, 7.84 channels."""
_BASELINE = _Design("Baseline", "bus")
_DESIGNS = (
    _BASELINE,
    _Design("pSSD", "pssd"),
    _Design("pnSSD", "pnssd"),
    _Design("pnSSD, column copies", "pnssd", _COPIES),
    _Design("NoSSD", "nossd"),
    _Design("Decoupled SSD", "decoupled"),
    _Design("Venice", "venice", LETTER.sets),
    _Design("Venice, circuits", "venice", (*LETTER.sets, *_COPIES)),
    _Design("Venice, best", "venice", BEST.sets),
    _Design("Venice, best, circuits", "venice", (*BEST.sets, *_COPIES)),
    _Design("Venice, best, 14 bits", "venice", (*BEST.sets, *_EQUAL_WIRES)),
    _Design("Venice, best, 14 bits, circuits", "venice", (*BEST.sets, *_EQUAL_WIRES, *_COPIES)),
    _Design("ideal", "ideal"),
)
_WAITS = tuple(
    _Design(
        f"Venice, best, circuits, {name}",
        "venice",
        (*BEST.sets, *_COPIES, f"gather.wait={wait}"),
    )
    for wait, name in (("always", "always wait"), ("never", "never wait"))
)
"""Variants of the rule on when operands wait for their target chip."""
_EVERY = (*_DESIGNS, *_WAITS)
_BLOCK, _PLANE = "gather.placement=same_block", "gather.placement=same_plane"
_COSMOS, _PARABIT = "gather.sensing=flash_cosmos", "gather.sensing=parabit"
_OR, _XOR = "gather.operation=or", "gather.operation=xor"
_WORN = ("ecc.decoders=8", "ecc.pe_cycles=1000", "ecc.retention_days=90")
_TWO_BITS = (_BLOCK, "flash.t_read_us=[25, 50]", "flash.t_prog_us=[640, 640]", *_WORN)
"""Times of a chip with two bits per cell (Gao et al., ParaBit, MICRO 2021)."""
_SENSED = (
    _Design("AND, single pages", "bus", (_BLOCK, *_WORN)),
    _Design("AND, Flash-Cosmos", "bus", (_BLOCK, _COSMOS, *_WORN)),
    _Design(
        "AND, Flash-Cosmos, ESP",
        "bus",
        (_BLOCK, _COSMOS, "gather.programming=enhanced_slc", *_WORN),
    ),
    _Design("AND, Flash-Cosmos, Venice, best", "venice", (*BEST.sets, _BLOCK, _COSMOS, *_WORN)),
    _Design("OR, Flash-Cosmos", "bus", (_PLANE, _OR, _COSMOS, *_WORN)),
    _Design("two bits per cell: single pages", "bus", _TWO_BITS),
    _Design("two bits per cell: AND, ParaBit", "bus", (*_TWO_BITS, _PARABIT)),
    _Design("two bits per cell: OR, ParaBit", "bus", (*_TWO_BITS, _PARABIT, _OR)),
    _Design("two bits per cell: XOR, ParaBit", "bus", (*_TWO_BITS, _PARABIT, _XOR)),
)
"""Ways of sensing operands that are stored together; the first one is the reference."""
OPERANDS = (2, 4, 8, 16)
_ALONE, _AMONG, _AMONG_MORE = "alone", "among reads", "among twice the reads"
_LOADS = {_AMONG: 1.0, _AMONG_MORE: 2.0}
_TOGETHER = "stored together"
_GATHERS, _READS = "gather", "gather-and-read"
_READS_ALONE, _READS_ALONE_SCALE = "poisson-read-4k", 1.92
"""Workload and rate of the reads without gathers: 24 of 25 requests of a load of 2 GB/s."""
_TIMES, _MOST_REQUESTS = 10, 100_000
"""Factor on the number of requests, of which one in 25 is a gather, and the maximum number."""
_COLUMNS = (
    "design", "fabric", "load", "operands", "gather_mean_us", "gather_p99_us",
    "gather_mean_over_baseline", "read_mean_us", "read_p99_us", "read_p99_over_no_gathers",
    "read_p99_over_baseline", "in_place", "copied_between_chips", "by_controller",
    "mb_between_chips", "mb_by_controller", "transfers_per_gather", "energy_uj_per_gather",
    "requests_conflict_pct", "senses_per_gather", "wrong_bits_per_result",
)  # fmt: skip


def _point(
    design: _Design,
    load: str,
    operands: int,
    requests: int,
    **scenario: Any,  # noqa: ANN401 keywords of run
) -> Point:
    gathers = (f"gather.operands={operands}",) if operands else ()
    return suite.point(
        {"design": design.name, "load": load, "operands": operands},
        drive=suite.PERFORMANCE,
        fabric=design.fabric,
        requests=requests,
        sets=(*design.sets, *gathers),
        **scenario,
    )


def _points(size: Size) -> Sequence[Point]:
    requests = min(_TIMES * size.requests, _MOST_REQUESTS)
    counts = size.some(OPERANDS)
    alone = [
        _point(design, _ALONE, operands, size.requests, workload=_GATHERS)
        for design in _EVERY
        for operands in counts
    ]
    among = [
        _point(design, load, operands, requests, workload=_READS, rate_scale=scale)
        for design in _EVERY
        for load, scale in _LOADS.items()
        for operands in counts
    ]
    without = [
        _point(
            design, load, 0, requests, workload=_READS_ALONE, rate_scale=_READS_ALONE_SCALE * scale
        )
        for design in _EVERY
        for load, scale in _LOADS.items()
    ]
    together = [
        _point(design, _TOGETHER, operands, size.requests, workload=_GATHERS)
        for design in _SENSED
        for operands in counts
    ]
    return [*alone, *among, *without, *together]


def _find(runs: Runs, design: _Design, load: str, operands: int) -> Report | None:
    return runs.find(design=design.name, load=load, operands=operands)


def _row(runs: Runs, design: _Design, load: str, operands: int) -> list[Any] | None:
    report = _find(runs, design, load, operands)
    reference = _SENSED[0] if load == _TOGETHER else _BASELINE
    baseline = _find(runs, reference, load, operands)
    if report is None or baseline is None:
        return None
    without = _find(runs, design, load, 0)
    gather, read = require(report.latency_us.gather), report.latency_us.read
    ways, done = require(report.gather), require(report.requests.gathers)
    has_only_gathers = load in (_ALONE, _TOGETHER)
    return [
        design.name,
        design.fabric,
        load,
        operands,
        gather.mean,
        gather.p99,
        suite.ratio(gather.mean, require(baseline.latency_us.gather).mean),
        read.mean,
        read.p99,
        suite.ratio(read.p99, without.latency_us.read.p99) if without else None,
        suite.ratio(read.p99, baseline.latency_us.read.p99),
        ways.in_place,
        ways.copied_between_chips,
        ways.by_controller,
        ways.bytes_between_chips / 1e6,
        ways.bytes_by_controller / 1e6,
        report.path.transfers / done if has_only_gathers else None,
        report.energy_uj["total"] / done if has_only_gathers else None,
        report.path.requests_conflict_pct,
        ways.senses / ways.gathers,
        ways.wrong_bits_per_result,
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [
        row
        for load in (_ALONE, *_LOADS, _TOGETHER)
        for operands in size.some(OPERANDS)
        for design in (_SENSED if load == _TOGETHER else _EVERY)
        if (row := _row(runs, design, load, operands)) is not None
    ]
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows, size), _text(rows, size))


def _cell(
    rows: Sequence[Sequence[Any]], name: str, design: _Design, load: str, operands: int
) -> float | None:
    wanted = [design.name, design.fabric, load, operands]
    found = (row for row in rows if row[:4] == wanted)
    row = next(found, None)
    return None if row is None else row[_COLUMNS.index(name)]


def _text(rows: Sequence[Sequence[Any]], size: Size) -> str:
    counts = size.some(OPERANDS)

    def lines(name: str, load: str) -> list[list[object]]:
        return [
            [design.name, *(_cell(rows, name, design, load, count) for count in counts)]
            for design in (_SENSED if load == _TOGETHER else _EVERY)
        ]

    titles = [f"{count} operands" for count in counts]
    parts = [
        table(["alone: mean time of a gather, µs", *titles], lines("gather_mean_us", _ALONE)),
        *(
            table([f"{load}: {what}", *titles], lines(name, load))
            for load in _LOADS
            for name, what in (
                ("gather_mean_us", "mean time of a gather, µs"),
                ("read_p99_us", "99th percentile of the host's reads, µs"),
                ("read_p99_over_no_gathers", "the same, × without gathers"),
            )
        ),
    ]
    sensed = [
        table([f"stored together: {what}", *titles], lines(name, _TOGETHER))
        for name, what in (
            ("gather_mean_us", "mean time of a gather, µs"),
            ("senses_per_gather", "array operations per gather"),
            ("energy_uj_per_gather", "energy per gather, µJ"),
            ("wrong_bits_per_result", "expected wrong bits of a result"),
        )
    ]
    return section("Operands gathered on one chip (§8)", *parts, *sensed)


def _draw(rows: Sequence[Sequence[Any]], size: Size) -> Figure:
    from venice.papers.draw import (  # noqa: PLC0415 matplotlib is slow
        Panel,
        draw_lines,
        grid,
        label,
        legend_below,
        logarithmic,
    )

    figure, axes = grid(1, 2, 5.4, 4.2)
    panels = (
        (_ALONE, "gather_mean_us", "mean time of a gather, µs"),
        (_AMONG_MORE, "read_p99_us", "99th percentile of the host's reads, µs"),
    )
    for space, (load, name, title) in zip(axes[0], panels, strict=True):
        lines = {
            design.name: [
                (float(operands), value)
                for operands in size.some(OPERANDS)
                if (value := _cell(rows, name, design, load, operands)) is not None
            ]
            for design in _DESIGNS
        }
        draw_lines(space, lines)
        label(space, Panel(f"gathers {load}", "operands", title))
    logarithmic(axes[0][1])
    legend_below(figure, axes[0][0])
    return figure


EXPERIMENT = Experiment(
    "gathering",
    "venice",
    "operands of in-flash operations gathered on one chip, by a controller or not (§8)",
    "ours",
    _evaluate,
    _points,
)
