"""Latency over offered load, the usual figure for networks, which the paper does not include.

4-KiB reads arrive at random. The panels differ in the placement of the data (on all channels, or on
two of eight) and in the limit of the host link. A curve ends where its fabric saturates, because
beyond this point latency depends on the length of the run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import designs
from venice.papers.experiments.bounds import HOSTS, Bounds, placement
from venice.papers.printed_claims import CONFLICT_FREE_PCT
from venice.papers.required_figures import require
from venice.report import STAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_LOADS_GB_PER_S = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 7.5, 8.0, 9.0)
_CHANNELS = (8, 2)
_LEAST_DELIVERED = 0.95
_FIGURES = {"mean latency": "latency_us.all.mean", "99th percentile": "latency_us.all.p99"}
_COLUMNS = (
    "channels", "host_link", "fabric", "offered_gb_per_s", "delivered_gb_per_s", "is_saturated",
    "mean_us", "p99_us", "requests_conflict_pct", *(f"{stage.key}_us" for stage in STAGES),
    "bound_host_gb_per_s", "bound_paths_gb_per_s", "bound_chips_gb_per_s",
)  # fmt: skip


@dataclass(frozen=True)
class _Panel:
    channels: int
    host: str

    @property
    def title(self) -> str:
        where = "all channels" if self.channels == _CHANNELS[0] else f"{self.channels} channels"
        return f"data on {where}, host link {self.host}"


_PANELS = tuple(_Panel(channels, host) for channels in _CHANNELS for host in HOSTS)


def _points(size: Size) -> Sequence[Point]:
    return [
        designs.point(
            {
                "channels": panel.channels,
                "host": panel.host,
                "load": load,
                "fabric": fabric,
            },
            workload="poisson-read-4k",
            requests=2 * size.requests,
            rate_scale=load,
            sets=(*placement(panel.channels), *HOSTS[panel.host]),
        )
        for panel in _PANELS
        for load in size.some(_LOADS_GB_PER_S)
        for fabric in designs.NAMES
    ]


def _row(runs: Runs, panel: _Panel, load: float, fabric: str) -> list[Any] | None:
    report = runs.find(channels=panel.channels, host=panel.host, load=load, fabric=fabric)
    if report is None:
        return None
    delivered = require(report.bandwidth_mb_per_s) / 1000
    bounds = Bounds.of(report.content, designs.find(fabric).fabric, panel.channels)
    return [
        panel.channels,
        panel.host,
        fabric,
        load,
        delivered,
        delivered < _LEAST_DELIVERED * load,
        report.latency_us.all.mean,
        report.latency_us.all.p99,
        report.path.requests_conflict_pct,
        *report.breakdown().values(),
        bounds.host,
        bounds.paths,
        bounds.chips,
    ]


def _evaluate(runs: Runs, size: Size) -> Finding:
    rows = [
        row
        for panel in _PANELS
        for fabric in designs.NAMES
        for load in size.some(_LOADS_GB_PER_S)
        if (row := _row(runs, panel, load, fabric)) is not None
    ]
    return Finding(_COLUMNS, rows, (), lambda: _draw(rows), _one_load(rows))


def _one_load(rows: Sequence[Sequence[Any]]) -> str:
    """Return a table of the shares of Figure 13 for all designs under equal loads."""
    place, share = _COLUMNS.index("offered_gb_per_s"), _COLUMNS.index("requests_conflict_pct")
    even = [row for row in rows if row[0] == _CHANNELS[0] and row[1] == next(iter(HOSTS))]
    loads = sorted({row[place] for row in even})
    lines = [
        "## Requests without path conflict at one load, %",
        "",
        "4-KiB Poisson reads of data on all channels.",
        "",
        f"| design | paper | {' | '.join(f'{load:g} GB/s' for load in loads)} |",
        f"| --- | ---: |{' ---: |' * len(loads)}",
    ]
    for design in designs.NAMES:
        shares = {row[place]: 100 - row[share] for row in even if row[2] == design}
        paper = CONFLICT_FREE_PCT.get(designs.find(design).fabric)
        cells = " | ".join(f"{shares[load]:.2f}" if load in shares else "–" for load in loads)
        printed = "–" if paper is None else f"{paper:.2f}"
        lines.append(f"| {designs.TITLES[design]} | {printed} | {cells} |")
    return "\n".join(lines) + "\n"


def _curves(rows: Sequence[Sequence[Any]], panel: _Panel, figure: str) -> dict[str, list[Any]]:
    column = _COLUMNS.index(figure)
    return {
        designs.TITLES[fabric]: [
            (row[3], row[column])
            for row in rows
            if row[:3] == [panel.channels, panel.host, fabric] and not row[5]
        ]
        for fabric in designs.NAMES
    }


def _bounds(rows: Sequence[Sequence[Any]], panel: _Panel) -> dict[str, float]:
    ours = {row[2]: row[-3:] for row in rows if row[:2] == [panel.channels, panel.host]}
    marks = {"host link": ours["bus"][0], "channels": ours["bus"][1], "circuits": ours["venice"][1]}
    return {name: at for name, at in marks.items() if math.isfinite(at) and at < 10}  # noqa: PLR2004 the axis


def _draw(rows: Sequence[Sequence[Any]]) -> Figure:
    from venice.papers.draw import Panel, draw_lines, grid, label, logarithmic, mark  # noqa: PLC0415 slow

    figure, axes = grid(2, len(_PANELS))
    for down, (name, column) in enumerate(zip(_FIGURES, ("mean_us", "p99_us"), strict=True)):
        for right, panel in enumerate(_PANELS):
            space = axes[down][right]
            draw_lines(space, _curves(rows, panel, column))
            logarithmic(space)
            space.set_xlim(0, _LOADS_GB_PER_S[-1] + 0.8)
            mark(space, _bounds(rows, panel))
            label(space, Panel(panel.title, "offered load, GB/s", f"{name}, µs"))
    axes[0][0].legend(loc="upper left")
    return figure


EXPERIMENT = Experiment(
    "load", "venice", "Latency against offered load, six fabrics", "ours", _evaluate, _points
)
