"""Studies: runs of all designs of a drive on several workloads, with several loads and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments import suite
from venice.papers.experiments.designs import NAMES, SQUARE_ONLY, find, point
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.experiment import Runs
    from venice.papers.experiments.suite import Regime
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

SATURATED = 0.025
"""Ratio of mean latency to execution time above which a run counts as saturated. A queue that grows
evenly to 5 % of all requests holds 2.5 % of them on average; by Little's law, this is the ratio."""
FIRST_SEED = 1


@dataclass(frozen=True)
class Study:
    """Study of a drive: workloads that all designs serve.

    Attributes
    ----------
    name
        Name of the study.
    drive
        Drive that all designs have in common.
    workloads
        Names of the workloads.
    rows, cols
        Shape of the array, in chips.
    """

    name: str
    drive: str
    workloads: Sequence[str]
    rows: int = 8
    cols: int = 8

    @property
    def designs(self) -> tuple[str, ...]:
        """Designs that are possible on the array."""
        is_square = self.rows == self.cols
        return tuple(name for name in NAMES if is_square or name not in SQUARE_ONLY)

    @property
    def sets(self) -> tuple[str, ...]:
        """Settings of the drive for the shape of the array."""
        return (f"array.rows={self.rows}", f"array.cols={self.cols}")


PERFORMANCE = Study("performance", suite.PERFORMANCE, suite.WORKLOADS)
COST = Study("cost", suite.COST, suite.WORKLOADS)
MIXES = Study("mixes", suite.PERFORMANCE, suite.MIXES)
WIDE = Study("4x16", suite.PERFORMANCE, suite.WORKLOADS, rows=4, cols=16)
TALL = Study("16x4", suite.PERFORMANCE, suite.WORKLOADS, rows=16, cols=4)
STUDIES = (PERFORMANCE, COST, MIXES, WIDE, TALL)


def seeds_of(size: Size) -> range:
    """Return the seeds with which a run of this size is repeated."""
    return range(FIRST_SEED, FIRST_SEED + size.seeds)


def points(
    study: Study,
    size: Size,
    regimes: Sequence[Regime] = suite.REGIMES,
    workloads: Sequence[str] | None = None,
) -> list[Point]:
    """Return the runs of a study under some loads (regimes), with its workloads or given ones."""
    return [
        point(
            {
                "study": study.name,
                "workload": workload,
                "regime": regime.name,
                "fabric": design,
                "seed": seed,
            },
            (*study.sets, *regime.sets(study.rows, find(design).fabric)),
            drive=study.drive,
            workload=regime.workload(workload),
            requests=size.requests,
            closed_loop=regime.depth,
            seed=seed,
        )
        for workload in workloads or size.some(study.workloads)
        for regime in regimes
        for design in study.designs
        for seed in seeds_of(size)
    ]


def is_saturated(report: Report) -> bool:
    """Return true if the offered load exceeds the drive's throughput."""
    if report.workload.loop != "open":
        return False
    return bool(require(report.latency_us.all.mean) > SATURATED * report.makespan_us)


@dataclass(frozen=True)
class StudyRatios:
    """Ratios between designs with one seed, from the reports of :func:`points`."""

    runs: Runs
    study: Study
    workloads: Sequence[str]
    seed: int = FIRST_SEED

    def report(self, workload: str, regime: Regime, design: str) -> Report | None:
        """Return the report of a run; ``None`` if it is missing."""
        return self.runs.find(
            study=self.study.name,
            workload=workload,
            regime=regime.name,
            fabric=design,
            seed=self.seed,
        )

    def figure(self, metric: str, workload: str, regime: Regime, design: str) -> float | None:
        """Return a figure of a run; ``None`` for a latency of a saturated open loop."""
        report = self.report(workload, regime, design)
        if report is None or (metric.startswith("latency") and is_saturated(report)):
            return None
        return self.runs.figure(
            metric,
            study=self.study.name,
            workload=workload,
            regime=regime.name,
            fabric=design,
            seed=self.seed,
        )

    def gain(self, metric: str, workload: str, regime: Regime, over: str, of: str) -> float | None:
        """Return the gain in a figure: the value of `over` divided by the value of `of`."""
        return suite.ratio(
            self.figure(metric, workload, regime, over), self.figure(metric, workload, regime, of)
        )

    def gains(self, metric: str, regime: Regime, over: str, of: str) -> list[float | None]:
        """Return the gain for each workload."""
        return [self.gain(metric, workload, regime, over, of) for workload in self.workloads]

    def mean_gain(self, metric: str, regime: Regime, over: str, of: str) -> float | None:
        """Return the arithmetic mean of the gains over the workloads, as in the paper."""
        return suite.mean(self.gains(metric, regime, over, of))

    def geometric_gain(self, metric: str, regime: Regime, over: str, of: str) -> float | None:
        """Return the geometric mean of the gains over the workloads."""
        return suite.mean_ratio(self.gains(metric, regime, over, of))
