"""Figure 4: what earlier designs and a drive without path conflicts gain over the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.experiments.speed_up import find_speed_ups
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_PAPER = {"pssd": 1.27, "pnssd": 1.30, "nossd": 1.35, "ideal": 4.0}
_PAPER_MAX = 11.74
_SECTION = "Figure 4"


def _points(size: Size) -> Sequence[Point]:
    return suite.points(suite.PERFORMANCE, suite.WORKLOADS, size)


def _tell(runs: Runs, size: Size) -> Finding:
    found = suite.Suite(runs, suite.PERFORMANCE, size.some(suite.WORKLOADS))
    claims = [
        claim
        for regime in suite.REGIMES
        for measure, way in suite.MEASURES.items()
        for claim in _claims(found, way, regime, f"{regime.text}; {measure}")
    ]
    return find_speed_ups(found, "earlier designs", claims)


def _claims(found: suite.Suite, way: str, regime: suite.Regime, where: str) -> list[Claim]:
    means = [
        Claim(
            "fig4",
            f"{suite.TITLES[fabric]} over Baseline, mean",
            paper,
            found.mean_gain(way, regime, "bus", fabric),
            "×",
            _SECTION,
            where,
        )
        for fabric, paper in _PAPER.items()
    ]
    gains = [gain for gain in found.gains(way, regime, "bus", "ideal") if gain is not None]
    most = max(gains, default=None)
    return [
        *means,
        Claim("fig4", "ideal over Baseline, maximum", _PAPER_MAX, most, "×", _SECTION, where),
    ]


EXPERIMENT = Experiment(
    "fig4", "venice", "Earlier designs and the ideal drive", "Venice, Figure 4", _tell, _points
)
