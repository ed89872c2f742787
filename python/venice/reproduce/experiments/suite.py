"""What the Venice paper's experiments share: workloads, designs, paces, and means over workloads.

The paper gives each workload's mean gap between requests (Table 2), and speaks of execution time.
Its pace alone leaves most drives idle, so each comparison is made at two paces: the table's, and
with as many requests outstanding as keep every controller busy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

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
RIVALS = ("bus", "pssd", "pnssd", "nossd")
"""What the paper compares Venice with, in its order."""

TITLES = {
    "bus": "Baseline",
    "pssd": "pSSD",
    "pnssd": "pnSSD",
    "nossd": "NoSSD",
    "venice": "Venice",
    "ideal": "ideal",
}


@dataclass(frozen=True)
class Pace:
    """When requests are issued.

    Attributes
    ----------
    name
        Its name in tables.
    text
        Its name in the scorecard.
    scenario
        The keywords of :func:`venice.run` that make it.
    """

    name: str
    text: str
    scenario: Mapping[str, Any] = field(default_factory=dict)


TABLE = Pace("table2", "open loop, mean gaps of Table 2")
BUSY = Pace("qd64", "closed loop, 64 outstanding", {"closed_loop": 64})
PACES = (TABLE, BUSY)

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
    """Give the runs of some workloads on one drive, at each pace, on each fabric."""
    return [
        point(
            {"drive": drive, "workload": workload, "pace": pace.name, "fabric": fabric},
            drive=drive,
            workload=workload,
            fabric=fabric,
            requests=size.requests,
            **pace.scenario,
        )
        for workload in size.some(workloads)
        for pace in PACES
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

    def figure(self, way: str, workload: str, pace: Pace, fabric: str) -> float | None:
        """Give a figure of a run."""
        return self.runs.figure(
            way, drive=self.drive, workload=workload, pace=pace.name, fabric=fabric
        )

    def report(self, workload: str, pace: Pace, fabric: str) -> Report | None:
        """Give the report of a run."""
        return self.runs.find(drive=self.drive, workload=workload, pace=pace.name, fabric=fabric)

    def gain(self, way: str, workload: str, pace: Pace, over: str, of: str) -> float | None:
        """Give how much less of a figure `of` has than `over`: a speed-up if it is a time."""
        return ratio(self.figure(way, workload, pace, over), self.figure(way, workload, pace, of))

    def gains(self, way: str, pace: Pace, over: str, of: str) -> list[float | None]:
        """Give the gain for each workload."""
        return [self.gain(way, workload, pace, over, of) for workload in self.workloads]

    def mean_gain(self, way: str, pace: Pace, over: str, of: str) -> float | None:
        """Give the geometric mean of the gains."""
        return mean_ratio(self.gains(way, pace, over, of))
