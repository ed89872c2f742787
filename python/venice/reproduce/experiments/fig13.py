"""Figure 13: requests that meet no path conflict, on every workload, with the load beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import suite
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_PAPER = {"bus": 76.40, "pssd": 78.47, "pnssd": 77.88, "nossd": 80.65, "venice": 99.98}
_COLUMNS = (
    "workload", "pace", "fabric", "conflict_free_pct", "bandwidth_mb_per_s", "channel_pct",
    "chip_pct", "transfers_conflict_pct",
)  # fmt: skip
_WAYS = (
    "bandwidth_mb_per_s", "utilisation.channel_pct", "utilisation.chip_pct", "path.conflict_pct",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    return [
        *suite.points(suite.PERFORMANCE, suite.WORKLOADS, size),
        *suite.points(suite.PERFORMANCE, suite.MIXES, size),
    ]


def _tell(runs: Runs, size: Size) -> Finding:
    workloads = (*size.some(suite.WORKLOADS), *size.some(suite.MIXES))
    found = suite.Suite(runs, suite.PERFORMANCE, workloads)
    rows = [
        [workload, pace.name, fabric, _free(found, workload, pace, fabric)]
        + [found.figure(way, workload, pace, fabric) for way in _WAYS]
        for workload in workloads
        for pace in suite.PACES
        for fabric in suite.FABRICS
    ]
    single = suite.Suite(runs, suite.PERFORMANCE, size.some(suite.WORKLOADS))
    claims = [
        Claim(
            "fig13",
            f"requests without path conflict, {suite.TITLES[fabric]}",
            paper,
            _mean(single, pace, fabric),
            "%",
            "Figure 13",
            pace.text,
            _note(single, pace, fabric),
        )
        for pace in suite.PACES
        for fabric, paper in _PAPER.items()
    ]
    return Finding(_COLUMNS, rows, claims, lambda: _draw(found))


def _free(found: suite.Suite, workload: str, pace: suite.Pace, fabric: str) -> float | None:
    conflicts = found.figure("path.requests_conflict_pct", workload, pace, fabric)
    return None if conflicts is None else 100 - conflicts


def _mean(found: suite.Suite, pace: suite.Pace, fabric: str) -> float | None:
    shares = [_free(found, workload, pace, fabric) for workload in found.workloads]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def _note(found: suite.Suite, pace: suite.Pace, fabric: str) -> str:
    shares = [_free(found, workload, pace, fabric) for workload in found.workloads]
    known = [share for share in shares if share is not None]
    return f"from {min(known):.4g} to {max(known):.4g} % over the workloads" if known else ""


def _draw(found: suite.Suite) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    content = {
        pace.text: {
            suite.TITLES[fabric]: [
                _free(found, workload, pace, fabric) for workload in found.workloads
            ]
            for fabric in _PAPER
        }
        for pace in suite.PACES
    }
    return panels_of_bars(
        list(found.workloads), content, Panel("", y="requests without path conflict, %")
    )


EXPERIMENT = Experiment(
    "fig13", "venice", "Requests without path conflict", "Venice, Figure 13", _tell, _points
)
