"""Figure 13: shares of requests with a path conflict, for every workload at its own load.

Traces given by name replace the workloads and are replayed at their recorded arrival times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import fig13_windows, study, suite, windows
from venice.papers.experiments.designs import NAMES, TITLES
from venice.papers.experiments.fig13_windows import COLUMNS
from venice.papers.printed_claims import CONFLICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import StudyRatios
    from venice.papers.size import Size
    from venice.sweep import Point

_STUDIES = (study.PERFORMANCE, study.MIXES)


def _points(size: Size) -> Sequence[Point]:
    if windows.traces(size):
        return windows.points(study.PERFORMANCE, size)
    return [point for on in _STUDIES for point in study.points(on, size)]


def _evaluate(runs: Runs, size: Size) -> Finding:
    if windows.traces(size):
        return fig13_windows.evaluate(runs, size)
    both = [study.StudyRatios(runs, on, size.some(on.workloads)) for on in _STUDIES]
    rows = [
        fig13_windows.row(found, workload, regime, design)
        for found in both
        for workload in found.workloads
        for regime in suite.REGIMES
        for design in NAMES
    ]
    return Finding(COLUMNS, rows, Card(runs, size).stated("fig13"), lambda: _draw(both[0]))


def _draw(found: StudyRatios) -> Figure:
    from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    content = {
        regime.text: {
            TITLES[design]: [
                found.figure(CONFLICTS, workload, regime, design) for workload in found.workloads
            ]
            for design in NAMES[:-1]
        }
        for regime in suite.REGIMES
    }
    return panels_of_bars(
        list(found.workloads), content, Panel("", y="requests with a path conflict, %")
    )


EXPERIMENT = Experiment(
    "fig13", "venice", "Requests with a path conflict", "Venice, Figure 13", _evaluate, _points
)
