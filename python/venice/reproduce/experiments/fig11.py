"""Figure 11: tail latencies of two workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_PAPER = {
    "src1_0": {"bus": -32.0, "pssd": -31.0, "pnssd": -30.0, "nossd": -27.0},
    "hm_0": {"bus": -22.0, "pssd": -21.0, "pnssd": -18.0, "nossd": -17.0},
}
_P99 = "latency_us.all.p99"
_UP_TO_PCT = 99.0


def _points(size: Size) -> Sequence[Point]:
    return [
        point for workload in _PAPER for point in suite.points(suite.PERFORMANCE, (workload,), size)
    ]


def _tell(runs: Runs, _size: Size) -> Finding:
    found = suite.Suite(runs, suite.PERFORMANCE, tuple(_PAPER))
    rows = [
        [workload, regime.name, fabric, percent, latency_us]
        for workload in _PAPER
        for regime in suite.REGIMES
        for fabric in suite.FABRICS
        for percent, latency_us in _cdf(found, workload, regime, fabric)
    ]
    claims = [
        Claim(
            "fig11",
            f"p99 of {workload}, Venice against {suite.TITLES[rival]}",
            paper,
            suite.change(suite.ratio(
                found.figure(_P99, workload, regime, "venice"),
                found.figure(_P99, workload, regime, rival),
            )),
            "%",
            "Figure 11",
            regime.text,
            _note(found, workload, regime, rival),
        )
        for workload, reductions in _PAPER.items()
        for regime in suite.REGIMES
        for rival, paper in reductions.items()
    ]  # fmt: skip
    columns = ("workload", "regime", "fabric", "requests_pct", "latency_us")
    return Finding(columns, rows, claims, lambda: _draw(found))


def _note(found: suite.Suite, workload: str, regime: suite.Regime, rival: str) -> str:
    best = suite.ratio(
        found.figure(_P99, workload, regime, "ideal"), found.figure(_P99, workload, regime, rival)
    )
    change = suite.change(best)
    return "" if change is None else f"bound: ideal has {change:+.1f} % in the same runs"


def _cdf(
    found: suite.Suite, workload: str, regime: suite.Regime, fabric: str
) -> list[tuple[float, float]]:
    report = found.report(workload, regime, fabric)
    if report is None:
        return []
    return [(percent, us) for percent, us in report.latency_cdf if percent <= _UP_TO_PCT]


def _draw(found: suite.Suite) -> Figure:
    from venice.reproduce.draw import Panel, draw_steps, grid, label  # noqa: PLC0415 matplotlib

    figure, axes = grid(len(_PAPER), len(suite.REGIMES))
    pairs = [(workload, regime) for workload in _PAPER for regime in suite.REGIMES]
    spaces = [space for row in axes for space in row]
    for space, (workload, regime) in zip(spaces, pairs, strict=True):
        lines = {
            suite.TITLES[fabric]: [(us, percent) for percent, us in dots]
            for fabric in suite.FABRICS
            if (dots := _cdf(found, workload, regime, fabric))
        }
        draw_steps(space, lines)
        space.set_xscale("log")
        label(space, Panel(f"{workload}, {regime.text}", "latency, µs", "requests, %"))
    axes[0][0].legend(loc="lower right")
    return figure


EXPERIMENT = Experiment(
    "fig11", "venice", "Latency distribution to p99", "Venice, Figure 11", _tell, _points
)
