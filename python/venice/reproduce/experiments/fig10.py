"""Figure 10: throughput of each design, on both drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_COLUMNS = ("workload", "regime", *(f"{fabric}_iops" for fabric in suite.FABRICS))


def _experiment(name: str, drive: str, title: str, paper: Mapping[str, float]) -> Experiment:
    section = f"Figure 10({name[-1]})"

    def points(size: Size) -> Sequence[Point]:
        return suite.points(drive, suite.WORKLOADS, size)

    def tell(runs: Runs, size: Size) -> Finding:
        found = suite.Suite(runs, drive, size.some(suite.WORKLOADS))
        rows = [
            [
                workload,
                regime.name,
                *(found.figure("iops", workload, regime, f) for f in suite.FABRICS),
            ]
            for workload in found.workloads
            for regime in suite.REGIMES
        ]
        claims = [
            Claim(
                name,
                f"Venice's IOPS over {suite.TITLES[rival]}'s",
                gain,
                suite.change(found.mean_gain("iops", regime, "venice", rival)),
                "%",
                section,
                regime.text,
                _note(found, regime, rival),
            )
            for regime in suite.REGIMES
            for rival, gain in paper.items()
        ]
        return Finding(_COLUMNS, rows, claims, lambda: _draw(found, title))

    return Experiment(name, "venice", f"Throughput: {title}", f"Venice, {section}", tell, points)


def _note(found: suite.Suite, regime: suite.Regime, rival: str) -> str:
    best = suite.change(found.mean_gain("iops", regime, "ideal", rival))
    return "" if best is None else f"bound: ideal has {best:+.1f} % in the same runs"


def _draw(found: suite.Suite, title: str) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    groups = [*found.workloads, "mean"]
    content = {
        regime.text: {
            suite.TITLES[fabric]: [
                *found.gains("iops", regime, fabric, "bus"),
                found.mean_gain("iops", regime, fabric, "bus"),
            ]
            for fabric in suite.FABRICS[1:]
        }
        for regime in suite.REGIMES
    }
    return panels_of_bars(groups, content, Panel(title, y="IOPS, × Baseline's"), level=1)


FIG10A = _experiment(
    "fig10a",
    suite.PERFORMANCE,
    "performance-optimised drive",
    {"bus": 176.0, "pssd": 120.0, "pnssd": 113.0, "nossd": 102.0},
)
FIG10B = _experiment(
    "fig10b",
    suite.COST,
    "cost-optimised drive",
    {"bus": 76.0, "pssd": 58.0, "pnssd": 61.0, "nossd": 51.0},
)
