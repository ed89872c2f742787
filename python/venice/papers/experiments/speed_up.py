"""Common parts of the speed-up figures: bars for each workload, and two means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study
from venice.papers.experiments.designs import TITLES
from venice.papers.experiments.suite import MEASURES, REGIMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import Study, StudyRatios
    from venice.papers.experiments.suite import Regime
    from venice.papers.scorecard import Claim
    from venice.papers.size import Size
    from venice.sweep import Point

_ARITHMETIC, _GEOMETRIC = "arithmetic mean", "geometric mean"


def speed_ups(
    name: str, title: str, source: str, on: Study, besides: Sequence[Study] = ()
) -> Experiment:
    """Return an experiment on the speed-up of every design over Baseline.

    `besides` are further studies for claims of the figure; they are not drawn.
    """

    def points(size: Size) -> Sequence[Point]:
        return [point for each in (on, *besides) for point in study.points(each, size)]

    def evaluate(runs: Runs, size: Size) -> Finding:
        found = study.StudyRatios(runs, on, size.some(on.workloads))
        return _find(found, Card(runs, size).stated(name))

    return Experiment(name, "venice", title, source, evaluate, points)


def _find(found: StudyRatios, claims: list[Claim]) -> Finding:
    designs = found.study.designs
    rows = [
        [workload, regime.name, measure, *_speed_ups(found, metric, regime, workload)]
        for workload in (*found.workloads, _ARITHMETIC, _GEOMETRIC)
        for regime in REGIMES
        for measure, metric in MEASURES.items()
    ]
    columns = ("workload", "regime", "measure", *(f"{design}_speed_up" for design in designs))
    return Finding(columns, rows, claims, lambda: _draw(found))


def _speed_ups(
    found: StudyRatios, metric: str, regime: Regime, workload: str
) -> list[float | None]:
    designs = found.study.designs
    if workload == _ARITHMETIC:
        return [found.mean_gain(metric, regime, "bus", design) for design in designs]
    if workload == _GEOMETRIC:
        return [found.geometric_gain(metric, regime, "bus", design) for design in designs]
    return [found.gain(metric, workload, regime, "bus", design) for design in designs]


def _draw(found: StudyRatios) -> Figure:
    return draw_gains(found, MEASURES["execution time"], "× faster than Baseline")


def draw_gains(found: StudyRatios, metric: str, what: str, *, upside_down: bool = False) -> Figure:
    """Return a bar chart of a figure as ratios to Baseline, for each workload and their mean."""
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    def pair(design: str) -> tuple[str, str]:
        return (design, "bus") if upside_down else ("bus", design)

    content = {
        regime.text: {
            TITLES[design]: [
                *found.gains(metric, regime, *pair(design)),
                found.mean_gain(metric, regime, *pair(design)),
            ]
            for design in found.study.designs[1:]
        }
        for regime in REGIMES
    }
    return panels_of_bars([*found.workloads, "mean"], content, Panel("", y=what), level=1)
