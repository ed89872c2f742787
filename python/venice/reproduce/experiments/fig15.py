"""Figure 15: arrays of other shapes with as many chips."""

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
    (4, 16): {"bus": 2.0, "pssd": 1.7, "nossd": 1.5},
    (8, 8): {"bus": 2.6, "pssd": 2.0, "nossd": 1.9},
    (16, 4): {"bus": 1.9, "pssd": 1.8, "nossd": 1.7},
}
"""Over Baseline, pSSD and NoSSD: pnSSD has no oblong array, so the three are taken to be these."""

_FABRICS = ("bus", "pssd", "nossd", "venice", "ideal")


def _points(size: Size) -> Sequence[Point]:
    return [
        suite.point(
            {"rows": rows, "workload": workload, "regime": regime.name, "fabric": fabric},
            drive=suite.PERFORMANCE,
            workload=workload,
            fabric=fabric,
            requests=size.requests,
            closed_loop=regime.depth,
            sets=(f"array.rows={rows}", f"array.cols={cols}", *regime.sets(rows)),
        )
        for rows, cols in _PAPER
        for workload in size.some(suite.WORKLOADS)
        for regime in suite.REGIMES
        for fabric in _FABRICS
    ]


def _gain(
    runs: Runs, size: Size, rows: int, regime: suite.Regime, pair: tuple[str, str], way: str
) -> float | None:
    def time(workload: str, fabric: str) -> float | None:
        return runs.figure(way, rows=rows, workload=workload, regime=regime.name, fabric=fabric)

    over, of = pair
    return suite.mean_ratio(
        suite.ratio(time(workload, over), time(workload, of))
        for workload in size.some(suite.WORKLOADS)
    )


def _tell(runs: Runs, size: Size) -> Finding:
    pairs = [(rival, "venice") for rival in (*_FABRICS[:3], "ideal")]
    table = [
        [
            f"{rows}x{cols}",
            regime.name,
            measure,
            pair[0],
            _gain(runs, size, rows, regime, pair, way),
        ]
        for rows, cols in _PAPER
        for regime in suite.REGIMES
        for measure, way in suite.MEASURES.items()
        for pair in pairs
    ]
    claims = [
        Claim(
            "fig15",
            f"{rows}x{cols}: Venice over {suite.TITLES[rival]}",
            paper,
            _gain(runs, size, rows, regime, (rival, "venice"), way),
            "×",
            "Figure 15",
            f"{regime.text}; {measure}",
            f"ideal: {_gain(runs, size, rows, regime, (rival, 'ideal'), way) or 0:.2f}",
        )
        for (rows, cols), rivals in _PAPER.items()
        for regime in suite.REGIMES
        for measure, way in suite.MEASURES.items()
        for rival, paper in rivals.items()
    ]
    columns = ("array", "regime", "measure", "over", "venice_speed_up")
    return Finding(columns, table, claims, lambda: _draw(runs, size))


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    way = suite.MEASURES["mean latency"]
    content = {
        regime.text: {
            f"over {suite.TITLES[rival]}": [
                _gain(runs, size, rows, regime, (rival, "venice"), way) for rows, _ in _PAPER
            ]
            for rival in _FABRICS[:3]
        }
        for regime in suite.REGIMES
    }
    groups = [f"{rows}x{cols}" for rows, cols in _PAPER]
    panel = Panel("", y="Venice's mean latency, × faster")
    return panels_of_bars(groups, content, panel, level=1)


EXPERIMENT = Experiment(
    "fig15", "venice", "Arrays of other shapes", "Venice, Figure 15", _tell, _points
)
