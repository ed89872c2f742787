"""Figure 10: throughput of each design, on both drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.card import Card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.speed_up import draw_gains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import Study
    from venice.papers.size import Size
    from venice.sweep import Point


def _experiment(name: str, on: Study, title: str) -> Experiment:
    def points(size: Size) -> Sequence[Point]:
        return study.points(on, size)

    def evaluate(runs: Runs, size: Size) -> Finding:
        found = study.StudyRatios(runs, on, size.some(on.workloads))
        rows = [
            [
                workload,
                regime.name,
                *(found.figure("iops", workload, regime, design) for design in on.designs),
            ]
            for workload in found.workloads
            for regime in suite.REGIMES
        ]
        columns = ("workload", "regime", *(f"{design}_iops" for design in on.designs))
        return Finding(
            columns,
            rows,
            Card(runs, size).stated(name),
            lambda: draw_gains(found, "iops", "IOPS, × Baseline's", upside_down=True),
        )

    source = f"Venice, Figure 10({name[-1]})"
    return Experiment(name, "venice", f"Throughput: {title}", source, evaluate, points)


FIG10A = _experiment("fig10a", study.PERFORMANCE, "performance-optimised drive")
FIG10B = _experiment("fig10b", study.COST, "cost-optimised drive")
