"""Figure 13: requests that meet a path conflict, on every workload, with the load beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import NAMES, TITLES
from venice.papers.printed_claims import CONFLICTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import StudyRatios
    from venice.papers.size import Size
    from venice.sweep import Point

_COLUMNS = (
    "workload", "regime", "fabric", "requests_conflict_pct", "transfers_conflict_pct",
    "bandwidth_mb_per_s", "channel_pct", "chip_pct",
)  # fmt: skip
_METRICS = (
    CONFLICTS, "path.conflict_pct", "bandwidth_mb_per_s", "utilisation.channel_pct",
    "utilisation.chip_pct",
)  # fmt: skip
_STUDIES = (study.PERFORMANCE, study.MIXES)


def _points(size: Size) -> Sequence[Point]:
    return [point for on in _STUDIES for point in study.points(on, size)]


def _evaluate(runs: Runs, size: Size) -> Finding:
    both = [study.StudyRatios(runs, on, size.some(on.workloads)) for on in _STUDIES]
    rows = [
        [workload, regime.name, design]
        + [found.figure(metric, workload, regime, design) for metric in _METRICS]
        for found in both
        for workload in found.workloads
        for regime in suite.REGIMES
        for design in NAMES
    ]
    return Finding(_COLUMNS, rows, Card(runs, size).stated("fig13"), lambda: _draw(both[0]))


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
