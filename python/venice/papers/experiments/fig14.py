"""Figure 14: power and energy, computed as in the paper and as the sum of the components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import NAMES, TITLES
from venice.papers.printed_claims import ENERGY, POWER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import StudyRatios
    from venice.papers.size import Size
    from venice.sweep import Point

_PAPERS = "mean power × execution time, as the paper"
_SUM = "physical sum over components"


def _experiment(name: str, title: str, metrics: Mapping[str, str]) -> Experiment:
    def points(size: Size) -> Sequence[Point]:
        return study.points(study.PERFORMANCE, size)

    def evaluate(runs: Runs, size: Size) -> Finding:
        on = study.PERFORMANCE
        found = study.StudyRatios(runs, on, size.some(on.workloads))
        rows = [
            [
                workload,
                regime.name,
                metric,
                *(found.figure(metric, workload, regime, design) for design in NAMES),
            ]
            for workload in found.workloads
            for regime in suite.REGIMES
            for metric in metrics.values()
        ]
        columns = ("workload", "regime", "figure", *NAMES)
        claims = Card(runs, size).stated(name)
        return Finding(columns, rows, claims, lambda: _draw(found, title, metrics))

    source = f"Venice, Figure 14({name[-1]})"
    return Experiment(name, "venice", title.capitalize(), source, evaluate, points)


def _draw(found: StudyRatios, title: str, metrics: Mapping[str, str]) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    content = {
        f"{regime.text}; {kind}": {
            TITLES[design]: [
                *found.gains(metric, regime, design, "bus"),
                found.mean_gain(metric, regime, design, "bus"),
            ]
            for design in NAMES[1:]
        }
        for regime in suite.REGIMES
        for kind, metric in metrics.items()
    }
    panel = Panel("", y=f"{title}, × Baseline's")
    return panels_of_bars([*found.workloads, "mean"], content, panel, level=1)


FIG14A = _experiment("fig14a", "power", {_PAPERS: POWER, _SUM: "mean_power_mw"})
FIG14B = _experiment("fig14b", "energy", {_PAPERS: ENERGY, _SUM: "energy_uj.total"})
