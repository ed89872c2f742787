"""Designs that the paper cites as related work (§7), compared with the others.

Two panels are those of the load curves with the paper's host link: random 4-KiB reads, on all
channels and on two of eight. The third is the case for which Decoupled SSD was designed: random
writes to a small drive in the steady state of garbage collection. Each related design has variants:
HLNAND with links as fast as the baseline's channels, and Decoupled SSD without its network. The
latter is a conventional drive in which moved pages cross the system bus twice. Decoupled SSD is
also run, with and without its network, with a system bus of a quarter of the rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.papers import mqsim_values
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.bounds import placement
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


_FAST_RING = ("fabric.hlnand.link_rate_mb_per_s=1200",)
_NO_NETWORK = ("fabric.decoupled.global_copyback=false",)
_SLOW_BUS = ("fabric.decoupled.system_bus_rate_mb_per_s=2000",)
_DESIGNS = (
    *(
        _Design(suite.TITLES[fabric], fabric, LETTER.sets if fabric == "venice" else ())
        for fabric in suite.EVERY
    ),
    _Design(BEST.title, BEST.fabric, BEST.sets),
    _Design("HLNAND, links of 1.2 GB/s", "hlnand", _FAST_RING),
    _Design("Decoupled SSD, no copyback", "decoupled", _NO_NETWORK),
    _Design("Decoupled SSD, system bus of 2 GB/s", "decoupled", _SLOW_BUS),
    _Design("Decoupled SSD, bus of 2 GB/s, no copyback", "decoupled", (*_SLOW_BUS, *_NO_NETWORK)),
)
_BASELINE, _VENICE, _DECOUPLED = (
    _DESIGNS[suite.EVERY.index(name)] for name in ("bus", "venice", "decoupled")
)
_IN_STEADY_STATE = (_BASELINE, *_DESIGNS[-2:], _VENICE, _DECOUPLED)
"""Designs in the steady-state panel, since all twelve would overlap; the table has all."""


class _Panel(NamedTuple):
    title: str
    workload: str
    axis: str
    loads: tuple[float, ...]
    sets: tuple[str, ...] = ()

    def load(self, value: float) -> dict[str, Any]:
        """Return the keyword arguments of a run for a value on the load axis."""
        if self.axis == _OUTSTANDING:
            return {"closed_loop": int(value)}
        return {"rate_scale": value}


_OFFERED, _OUTSTANDING = "offered load, GB/s", "requests outstanding"
_STEADY = (
    *mqsim_values.COLLECTION,
    "flash.blocks_per_plane=32", "flash.pages_per_block=64", "ftl.over_provisioning_pct=15",
    "precondition.mode=steady_state",
)  # fmt: skip
_RATES = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
_PANELS = (
    _Panel("data on all channels", "poisson-read-4k", _OFFERED, _RATES),
    _Panel("data on 2 channels", "poisson-read-4k", _OFFERED, _RATES[:7], placement(2)),
    _Panel("collection in steady state", "mixed-70-30", _OUTSTANDING, (1, 4, 16, 64, 256), _STEADY),
)
_LEAST_DELIVERED = 0.95
_COLUMNS = (
    "panel", "design", "fabric", "load", "load_is", "delivered_gb_per_s", "is_saturated",
    "mean_us", "p99_us", "read_mean_us", "requests_conflict_pct", "path_wait_us", "mean_speed_up",
    "pages_per_written_page", "energy_total_uj",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    return [
        suite.point(
            {"panel": panel.title, "design": design.name, "fabric": design.fabric, "load": load},
            workload=panel.workload,
            fabric=design.fabric,
            requests=size.requests,
            sets=(*panel.sets, *design.sets),
            **panel.load(load),
        )
        for panel in _PANELS
        for design in _DESIGNS
        for load in size.some(panel.loads)
    ]


def _find(runs: Runs, panel: _Panel, design: _Design, load: float) -> Report | None:
    return runs.find(panel=panel.title, design=design.name, fabric=design.fabric, load=load)


def _row(runs: Runs, panel: _Panel, design: _Design, load: float) -> list[Any] | None:
    report = _find(runs, panel, design, load)
    baseline = _find(runs, panel, _DESIGNS[0], load)
    if report is None or baseline is None:
        return None
    delivered = require(report.bandwidth_mb_per_s) / 1000
    return [
        panel.title,
        design.name,
        design.fabric,
        load,
        panel.axis,
        delivered,
        panel.axis == _OFFERED and delivered < _LEAST_DELIVERED * load,
        report.latency_us.all.mean,
        report.latency_us.all.p99,
        report.latency_us.read.mean,
        report.path.requests_conflict_pct,
        report.breakdown()["path_wait"],
        suite.ratio(baseline.latency_us.all.mean, report.latency_us.all.mean),
        report.pages_per_written_page,
        report.energy_uj.total,
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [
        row
        for panel in _PANELS
        for design in _DESIGNS
        for load in size.some(panel.loads)
        if (row := _row(runs, panel, design, load)) is not None
    ]
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows), _text(rows))


def _text(rows: Sequence[Sequence[Any]]) -> str:
    """Return a table of the mean latencies in each panel [µs], without saturated designs."""
    parts = []
    for panel in _PANELS:
        own = [row for row in rows if row[0] == panel.title]
        loads = sorted({row[3] for row in own})
        found = {(row[1], row[3]): None if row[6] else row[7] for row in own}
        titles = [f"{panel.title}; {panel.axis}", *(f"{load:g}" for load in loads)]
        names = dict.fromkeys(row[1] for row in own)
        parts.append(
            table(titles, ([name, *(found.get((name, load)) for load in loads)] for name in names))
        )
    return section("Related designs: mean latency, µs", *parts)


def _draw(rows: Sequence[Sequence[Any]]) -> Figure:
    from venice.papers.draw import Panel, draw_lines, grid, label, logarithmic  # noqa: PLC0415 slow
    from venice.plot.log_scale import set_log_scale  # noqa: PLC0415 matplotlib

    figure, axes = grid(1, len(_PANELS), 5.2, 4.0)
    columns = [
        _COLUMNS.index(name) for name in ("panel", "design", "load", "mean_us", "is_saturated")
    ]
    cells = [[row[column] for column in columns] for row in rows]
    for space, panel in zip(axes[0], _PANELS, strict=True):
        shown = _IN_STEADY_STATE if panel.sets == _STEADY else _DESIGNS[: len(suite.EVERY) + 1]
        lines = {
            design.name: [
                (load, mean)
                for title, name, load, mean, saturated in cells
                if (title, name) == (panel.title, design.name) and not saturated
            ]
            for design in shown
        }
        draw_lines(space, lines)
        logarithmic(space)
        if panel.axis == _OUTSTANDING:
            set_log_scale(space.xaxis, base=2)
        label(space, Panel(panel.title, panel.axis, "mean latency, µs"))
        space.legend(loc="upper left", fontsize=6)
    return figure


EXPERIMENT = Experiment(
    "related",
    "venice",
    "HLNAND and Decoupled SSD beside the six designs",
    "ours",
    _evaluate,
    _points,
)
