"""Figure 15: arrays of equal numbers of chips, with other numbers of rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import BEST, LETTER, TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_STUDIES = (study.WIDE, study.PERFORMANCE, study.TALL)
_RIVALS = ("bus", "pssd", "nossd", "ideal")
"""Designs that Venice is compared with; pnSSD is omitted because it needs a square array (footnote
6)."""
_COLUMNS = ("array", "regime", "measure", "over", "venice_speed_up", "venice_best_speed_up")


def _points(size: Size) -> Sequence[Point]:
    return [point for on in _STUDIES for point in study.points(on, size)]


def _shape(on: study.Study) -> str:
    return f"{on.rows}x{on.cols}"


def _evaluate(runs: Runs, size: Size) -> Finding:
    every = [study.StudyRatios(runs, on, size.some(on.workloads)) for on in _STUDIES]
    table = [
        [
            _shape(found.study),
            regime.name,
            measure,
            rival,
            found.mean_gain(metric, regime, rival, LETTER.name),
            found.mean_gain(metric, regime, rival, BEST.name),
        ]
        for found in every
        for regime in suite.REGIMES
        for measure, metric in suite.MEASURES.items()
        for rival in _RIVALS
    ]
    claims = Card(runs, size).stated("fig15")
    return Finding(_COLUMNS, table, claims, lambda: _draw(every))


def _draw(every: Sequence[study.StudyRatios]) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    metric = suite.MEASURES[suite.STATED]
    content = {
        regime.text: {
            f"{TITLES[venice.name]} over {TITLES[rival]}": [
                found.mean_gain(metric, regime, rival, venice.name) for found in every
            ]
            for venice in (LETTER, BEST)
            for rival in _RIVALS[:3]
        }
        for regime in suite.REGIMES
    }
    groups = [_shape(found.study) for found in every]
    return panels_of_bars(groups, content, Panel("", y="execution time, × faster"), level=1)


EXPERIMENT = Experiment(
    "fig15", "venice", "Arrays of other shapes", "Venice, Figure 15", _evaluate, _points
)
