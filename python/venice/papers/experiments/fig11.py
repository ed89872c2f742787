"""Figure 11: tail latencies of two workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import NAMES, TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_WORKLOADS = ("src1_0", "hm_0")
_UP_TO_PCT = 99.0


def _points(size: Size) -> Sequence[Point]:
    return study.points(study.PERFORMANCE, size, workloads=_WORKLOADS)


def _evaluate(runs: Runs, size: Size) -> Finding:
    found = study.StudyRatios(runs, study.PERFORMANCE, _WORKLOADS)
    rows = [
        [workload, regime.name, design, percent, latency_us]
        for workload in _WORKLOADS
        for regime in suite.REGIMES
        for design in NAMES
        for percent, latency_us in _cdf(found, workload, regime, design)
    ]
    columns = ("workload", "regime", "fabric", "requests_pct", "latency_us")
    return Finding(columns, rows, Card(runs, size).stated("fig11"), lambda: _draw(found))


def _cdf(
    found: study.StudyRatios, workload: str, regime: suite.Regime, design: str
) -> list[tuple[float, float]]:
    report = found.report(workload, regime, design)
    if report is None:
        return []
    return [(percent, us) for percent, us in report.latency_cdf if percent <= _UP_TO_PCT]


def _draw(found: study.StudyRatios) -> Figure:
    from venice.papers.draw import Panel, draw_steps, grid, label  # noqa: PLC0415 matplotlib
    from venice.plot.log_scale import set_log_scale  # noqa: PLC0415 matplotlib

    figure, axes = grid(len(suite.REGIMES), len(_WORKLOADS), 5.4)
    pairs = [(regime, workload) for regime in suite.REGIMES for workload in _WORKLOADS]
    spaces = [space for row in axes for space in row]
    for space, (regime, workload) in zip(spaces, pairs, strict=True):
        lines = {
            TITLES[design]: [(us, percent) for percent, us in dots]
            for design in NAMES
            if (dots := _cdf(found, workload, regime, design))
        }
        draw_steps(space, lines)
        set_log_scale(space.xaxis)
        label(space, Panel(f"{workload}: {regime.text}", "latency, µs", "requests, %"))
    axes[0][0].legend(loc="lower right")
    return figure


EXPERIMENT = Experiment(
    "fig11", "venice", "Latency distribution to p99", "Venice, Figure 11", _evaluate, _points
)
