"""Figure 9: speed-up of each design over the baseline, on both drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.experiments.speed_up import claims_over_rivals, find_speed_ups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point


def _experiment(name: str, drive: str, title: str, paper: Mapping[str, float]) -> Experiment:
    section = f"Figure 9({name[-1]})"

    def points(size: Size) -> Sequence[Point]:
        return suite.points(drive, suite.WORKLOADS, size)

    def tell(runs: Runs, size: Size) -> Finding:
        found = suite.Suite(runs, drive, size.some(suite.WORKLOADS))
        return find_speed_ups(found, title, claims_over_rivals(name, found, paper, section))

    return Experiment(name, "venice", f"Speed-up: {title}", f"Venice, {section}", tell, points)


PAPER_OF_FIG9A = {"bus": 2.65, "pssd": 2.10, "pnssd": 2.00, "nossd": 1.92}
"""Venice over each rival, as the paper has it."""

FIG9A = _experiment("fig9a", suite.PERFORMANCE, "performance-optimised drive", PAPER_OF_FIG9A)
FIG9B = _experiment(
    "fig9b",
    suite.COST,
    "cost-optimised drive",
    {"bus": 1.67, "pssd": 1.52, "pnssd": 1.55, "nossd": 1.47},
)
