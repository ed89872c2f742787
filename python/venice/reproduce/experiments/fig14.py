"""Figure 14: power and energy, by the paper's product and as the physical sum."""

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

_PAPERS = "mean power × execution time, as the paper"
_SUM = "physical sum over components"
_POWERS = {_PAPERS: "energy_paper.power_mw", _SUM: "mean_power_mw"}
_ENERGIES = {_PAPERS: "energy_paper.energy_uj", _SUM: "energy_uj.total"}


def _experiment(
    name: str, title: str, ways: Mapping[str, str], paper: Mapping[str, float]
) -> Experiment:
    section = f"Figure 14({name[-1]})"

    def points(size: Size) -> Sequence[Point]:
        return suite.points(suite.PERFORMANCE, suite.WORKLOADS, size)

    def tell(runs: Runs, size: Size) -> Finding:
        found = suite.Suite(runs, suite.PERFORMANCE, size.some(suite.WORKLOADS))
        rows = [
            [
                workload,
                regime.name,
                way,
                *(found.figure(way, workload, regime, f) for f in suite.FABRICS),
            ]
            for workload in found.workloads
            for regime in suite.REGIMES
            for way in ways.values()
        ]
        claims = [
            Claim(
                name,
                f"{title}, Venice against {suite.TITLES[rival]}",
                reduction,
                suite.change(found.mean_gain(way, regime, "venice", rival)),
                "%",
                section,
                f"{regime.text}; {kind}",
            )
            for regime in suite.REGIMES
            for kind, way in ways.items()
            for rival, reduction in paper.items()
        ]
        columns = ("workload", "regime", "figure", *suite.FABRICS)
        return Finding(columns, rows, claims, lambda: _draw(found, title, ways))

    return Experiment(name, "venice", title.capitalize(), f"Venice, {section}", tell, points)


def _draw(found: suite.Suite, title: str, ways: Mapping[str, str]) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    content = {
        kind: {
            suite.TITLES[fabric]: [
                *found.gains(way, suite.TABLE, fabric, "bus"),
                found.mean_gain(way, suite.TABLE, fabric, "bus"),
            ]
            for fabric in suite.FABRICS[1:]
        }
        for kind, way in ways.items()
    }
    panel = Panel(suite.TABLE.text, y=f"{title}, × Baseline's")
    return panels_of_bars([*found.workloads, "mean"], content, panel, level=1)


FIG14A = _experiment("fig14a", "power", _POWERS, {"bus": -4.0})
FIG14B = _experiment(
    "fig14b", "energy", _ENERGIES, {"bus": -61.0, "pssd": -54.0, "pnssd": -53.0, "nossd": -46.0}
)
