"""What the Venice paper's experiments share: workloads, designs, regimes, and means over workloads.

The paper gives each workload's mean gap between requests (Table 2), and speaks of execution time.
That pace alone leaves most drives idle, and says nothing of where data is. So each comparison is
made in four regimes: at the table's pace, and with as many requests outstanding as keep every
controller busy; with the data on all channels evenly, and on a quarter of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from venice.reproduce.experiments.bounds import placement
from venice.scenario import check
from venice.sweep import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.scenario import Scenario
    from venice.sweep.definition import Value

PERFORMANCE, COST = "venice-performance", "venice-cost"

WORKLOADS = (
    "hm_0", "mds_0", "proj_3", "prxy_0", "rsrch_0", "src1_0", "src2_1", "usr_0", "wdev_0", "web_1",
    "YCSB_B", "YCSB_D", "jenkins", "postgres", "LUN0", "LUN2", "LUN3", "ssd-00", "ssd-10",
)  # fmt: skip
"""Table 2."""

MIXES = tuple(f"mix{number}" for number in range(1, 7))
"""Table 3."""

FABRICS = ("bus", "pssd", "pnssd", "nossd", "venice", "ideal")
RELATED = ("hlnand", "decoupled")
"""What the paper names as related work (§7) and does not compare."""
EVERY = (*FABRICS, *RELATED)
RIVALS = ("bus", "pssd", "pnssd", "nossd")
"""What the paper compares Venice with, in its order."""

TITLES = {
    "bus": "Baseline",
    "pssd": "pSSD",
    "pnssd": "pnSSD",
    "nossd": "NoSSD",
    "venice": "Venice",
    "ideal": "ideal",
    "hlnand": "HLNAND",
    "decoupled": "Decoupled SSD",
}


@dataclass(frozen=True)
class Regime:
    """When requests are issued, and where their data is.

    Attributes
    ----------
    name
        Its name in tables.
    text
        Its name in the scorecard.
    depth
        Requests kept outstanding; ``None`` for the workload's own pace.
    share
        One over the share of the channels that hold all data.
    """

    name: str
    text: str
    depth: int | None = None
    share: int = 1

    def sets(self, rows: int = 8) -> tuple[str, ...]:
        """Give the changes to a drive with so many channels."""
        return placement(rows // self.share) if self.share > 1 else ()


REGIMES = (
    Regime("table2", "gaps of Table 2"),
    Regime("qd64", "64 outstanding", depth=64),
    Regime("table2-skewed", "gaps of Table 2, data on 1/4 of the channels", share=4),
    Regime("qd64-skewed", "64 outstanding, data on 1/4 of the channels", depth=64, share=4),
)
TABLE = REGIMES[0]

MEASURES = {"execution time": "makespan_us", "mean latency": "latency_us.all.mean"}
"""What a speed-up is a ratio of."""


def point(choices: Mapping[str, Value], **scenario: Any) -> Point:  # noqa: ANN401 keywords of run
    """Give a point of these choices."""
    result = cast("Scenario", scenario)
    check(result)
    return Point(choices, result)


def points(
    drive: str, workloads: Sequence[str], size: Size, fabrics: Sequence[str] = FABRICS
) -> list[Point]:
    """Give the runs of some workloads on one drive, at each regime, on each fabric."""
    return [
        point(
            {"drive": drive, "workload": workload, "regime": regime.name, "fabric": fabric},
            drive=drive,
            workload=workload,
            fabric=fabric,
            requests=size.requests,
            closed_loop=regime.depth,
            sets=regime.sets(),
        )
        for workload in size.some(workloads)
        for regime in REGIMES
        for fabric in fabrics
    ]


def ratio(top: float | None, bottom: float | None) -> float | None:
    """Divide, where both are there and the second is not 0."""
    return top / bottom if top is not None and bottom else None


def change(factor: float | None) -> float | None:
    """Give a factor as a change in per cent.

    Examples
    --------
    >>> change(1.5), change(0.75)
    (50.0, -25.0)
    """
    return None if factor is None else (factor - 1) * 100


def mean_ratio(ratios: Iterable[float | None]) -> float | None:
    """Give the geometric mean of ratios; those that are missing are left out."""
    logs = [math.log(value) for value in ratios if value]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


@dataclass(frozen=True)
class Suite:
    """The reports of :func:`points`, read as ratios between designs."""

    runs: Runs
    drive: str
    workloads: Sequence[str]

    def figure(self, way: str, workload: str, regime: Regime, fabric: str) -> float | None:
        """Give a figure of a run."""
        return self.runs.figure(
            way, drive=self.drive, workload=workload, regime=regime.name, fabric=fabric
        )

    def report(self, workload: str, regime: Regime, fabric: str) -> Report | None:
        """Give the report of a run."""
        return self.runs.find(
            drive=self.drive, workload=workload, regime=regime.name, fabric=fabric
        )

    def gain(self, way: str, workload: str, regime: Regime, over: str, of: str) -> float | None:
        """Give how much less of a figure `of` has than `over`: a speed-up if it is a time."""
        return ratio(
            self.figure(way, workload, regime, over), self.figure(way, workload, regime, of)
        )

    def gains(self, way: str, regime: Regime, over: str, of: str) -> list[float | None]:
        """Give the gain for each workload."""
        return [self.gain(way, workload, regime, over, of) for workload in self.workloads]

    def mean_gain(self, way: str, regime: Regime, over: str, of: str) -> float | None:
        """Give the geometric mean of the gains."""
        return mean_ratio(self.gains(way, regime, over, of))
