"""Sensitivity of the results to assumptions about the drive, the host, the designs and power."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.papers import mqsim_values
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments.operating_points import BUSY, EVEN, MIXED, SKEWED
from venice.papers.experiments.suite import FABRICS, TITLES, ratio
from venice.papers.experiments.unstated_settings import HOME, X_THEN_Y
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.operating_points import Load
    from venice.papers.size import Size
    from venice.sweep import Point

_READS = (EVEN, SKEWED, BUSY)
_SMALL = ("flash.blocks_per_plane=32", "flash.pages_per_block=64", "ftl.over_provisioning_pct=15")


class _Variant(NamedTuple):
    name: str
    sets: tuple[str, ...] = ()
    loads: tuple[Load, ...] = _READS
    rows: int = 8
    cols: int = 8

    @property
    def fabrics(self) -> tuple[str, ...]:
        """Designs that are possible on the array."""
        is_square = self.rows == self.cols
        return FABRICS if is_square else tuple(name for name in FABRICS if name != "pnssd")


def _shape(rows: int, cols: int) -> _Variant:
    sets = (f"array.rows={rows}", f"array.cols={cols}", "flash.blocks_per_plane=64")
    return _Variant(f"array {rows}x{cols}", sets, rows=rows, cols=cols)


_AS_IS = _Variant("as it is", loads=(*_READS, MIXED))
_VARIANTS = (
    _AS_IS,
    _shape(4, 16),
    _shape(16, 4),
    _shape(16, 16),
    _shape(32, 32),
    _Variant("pages of 8 KiB", ("flash.page_bytes=8192",)),
    _Variant("pages of 16 KiB", ("flash.page_bytes=16384",)),
    _Variant("1 plane", ("flash.planes_per_die=1",)),
    _Variant("4 planes", ("flash.planes_per_die=4",)),
    *(
        _Variant(f"allocation {order}", (f"ftl.allocation={order}",))
        for order in ("CPWD", "WCPD", "WPCD", "PCWD", "PWCD")  # all orders if a chip has one die
    ),
    _Variant("dynamic allocation", ("ftl.allocation_mode=dynamic",), (MIXED,)),
    _Variant("small drive, no collection", _SMALL, (MIXED,)),
    _Variant(
        "small drive, collection in steady state",
        (*mqsim_values.COLLECTION, *_SMALL, "precondition.mode=steady_state"),
        (MIXED,),
    ),
    _Variant("tR of 20 µs", ("flash.t_read_us=20",)),
    _Variant("NV-DDR2 commands", ("flash.command.timing=nvddr2",)),
    _Variant("host link without limit", ("host.link_rate_mb_per_s=unlimited",)),
    _Variant("host link with packet headers", ("host.packet_header_bytes=20",)),
    _Variant("queue depth of the drive 32", ("host.queue_depth=32",)),
    _Variant("pSSD without header", ("fabric.pssd.header_bytes=0",)),
    _Variant("NoSSD: replies X then Y", (X_THEN_Y,)),
    _Variant("NoSSD: home controller", (HOME,)),
    _Variant("NoSSD: buffers of 64 KiB", ("fabric.nossd.port_buffer_bytes=65536",)),
    _Variant("NoSSD: packets of 1 KiB", ("fabric.nossd.max_payload_bytes=1024",)),
    _Variant("NoSSD: routers of 4 ns", ("fabric.nossd.router_latency_ns=4",)),
    _Variant("power: no controller, memory, host link", (
        "power.controller_mw=0", "power.dram_static_mw=0", "power.dram_pj_per_byte=0",
        "power.host_link_static_mw=0", "power.host_link_pj_per_byte=0",
    )),
    _Variant("power: controller 5 W", ("power.controller_mw=5000",)),
    _Variant("power: chips' standby × 10", ("power.chip_static_mw=1.65",)),
    _Variant("power: routers always on", ("power.router_static_mw=0.241",)),
    _Variant("power: arrays half", (
        "power.array_read_mw=80", "power.array_program_mw=90", "power.array_erase_mw=90",
    )),
)  # fmt: skip
_COLUMNS = (
    "load", "variant", "fabric", "mean_us", "p99_us", "iops", "requests_conflict_pct",
    "pages_per_written_page", "mean_speed_up", "energy_over_baseline", "energy_paper_over_baseline",
)  # fmt: skip
_METRICS = (
    "latency_us.all.mean", "latency_us.all.p99", "iops", "path.requests_conflict_pct",
    "pages_per_written_page",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    return [
        load.point({"variant": variant.name, "fabric": fabric}, variant.sets, size, variant.rows)
        for variant in size.some(_VARIANTS)
        for load in variant.loads
        for fabric in variant.fabrics
    ]


def _over(
    runs: Runs, metric: str, load: Load, variant: _Variant, pair: tuple[str, str]
) -> float | None:
    top, bottom = (
        runs.figure(metric, load=load.name, variant=variant.name, fabric=fabric) for fabric in pair
    )
    return ratio(top, bottom)


def _evaluate(runs: Runs, size: Size) -> Finding:
    variants = size.some(_VARIANTS)
    rows = [
        [
            load.name,
            variant.name,
            fabric,
            *(
                runs.figure(metric, load=load.name, variant=variant.name, fabric=fabric)
                for metric in _METRICS
            ),
            _over(runs, "latency_us.all.mean", load, variant, ("bus", fabric)),
            _over(runs, "energy_uj.total", load, variant, (fabric, "bus")),
            _over(runs, "energy_paper.energy_uj", load, variant, (fabric, "bus")),
        ]
        for variant in variants
        for load in variant.loads
        for fabric in variant.fabrics
    ]
    return Finding(_COLUMNS, rows, (), lambda: _draw(runs, variants), _text(runs, variants))


def _text(runs: Runs, variants: Sequence[_Variant]) -> str:
    parts = []
    for fabric in ("venice", "nossd"):
        rows = (
            [
                variant.name,
                *(
                    _over(runs, "latency_us.all.mean", load, variant, ("bus", fabric))
                    if load in variant.loads
                    else None
                    for load in (*_READS, MIXED)
                ),
            ]
            for variant in variants
        )
        titles = [f"{TITLES[fabric]} over Baseline", *(load.name for load in (*_READS, MIXED))]
        parts.append(table(titles, rows))
    about = "Mean latency, × better than Baseline's, with one setting of the drive changed."
    return section("Assumptions, one changed at a time", about, *parts)


def _draw(runs: Runs, variants: Sequence[_Variant]) -> Figure:
    from venice.papers.draw import Panel, draw_rows, grid, label  # noqa: PLC0415 matplotlib is slow

    figure, axes = grid(1, 2, 7.0, 9.0, left_inches=2.6)
    for space, load in zip(axes[0], (EVEN, SKEWED), strict=True):
        shown = [variant for variant in variants if load in variant.loads]
        series = {
            TITLES[fabric]: [
                _over(runs, "latency_us.all.mean", load, variant, ("bus", fabric))
                for variant in shown
            ]
            for fabric in ("nossd", "venice", "ideal")
        }
        draw_rows(space, [variant.name for variant in shown], series)
        space.axvline(1, color="black", linewidth=0.8)
        label(space, Panel(load.name, "mean latency, × faster than Baseline"))
    return figure


EXPERIMENT = Experiment(
    "sensitivity", "venice", "Assumptions, one changed at a time", "ours", _evaluate, _points
)
