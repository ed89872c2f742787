"""Figure 12: mixes of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.experiments.speed_up import claims_over_rivals, find_speed_ups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_PAPER = {"bus": 1.83, "pssd": 1.81, "pnssd": 1.80, "nossd": 1.63}


def _points(size: Size) -> Sequence[Point]:
    return suite.points(suite.PERFORMANCE, suite.MIXES, size)


def _tell(runs: Runs, size: Size) -> Finding:
    found = suite.Suite(runs, suite.PERFORMANCE, size.some(suite.MIXES))
    claims = claims_over_rivals("fig12", found, _PAPER, "Figure 12")
    return find_speed_ups(found, "mixes", claims)


EXPERIMENT = Experiment(
    "fig12", "venice", "Mixes of workloads", "Venice, Figure 12", _tell, _points
)
