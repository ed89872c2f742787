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

CONFLICT_FREE_PCT = {"bus": 76.40, "pssd": 78.47, "pnssd": 77.88, "nossd": 80.65, "venice": 99.98}
"""By fabric, the mean over the paper's workloads."""
_COLUMNS = (
    "workload", "regime", "fabric", "conflict_free_pct", "bandwidth_mb_per_s", "channel_pct",
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
        [workload, regime.name, fabric, _free(found, workload, regime, fabric)]
        + [found.figure(way, workload, regime, fabric) for way in _WAYS]
        for workload in workloads
        for regime in suite.REGIMES
        for fabric in suite.FABRICS
    ]
    single = suite.Suite(runs, suite.PERFORMANCE, size.some(suite.WORKLOADS))
    claims = [
        Claim(
            "fig13",
            f"requests without path conflict, {suite.TITLES[fabric]}",
            paper,
            _mean(single, regime, fabric),
            "%",
            "Figure 13",
            regime.text,
            _note(single, regime, fabric),
        )
        for regime in suite.REGIMES
        for fabric, paper in CONFLICT_FREE_PCT.items()
    ]
    return Finding(_COLUMNS, rows, claims, lambda: _draw(found))


def _free(found: suite.Suite, workload: str, regime: suite.Regime, fabric: str) -> float | None:
    conflicts = found.figure("path.requests_conflict_pct", workload, regime, fabric)
    return None if conflicts is None else 100 - conflicts


def _mean(found: suite.Suite, regime: suite.Regime, fabric: str) -> float | None:
    shares = [_free(found, workload, regime, fabric) for workload in found.workloads]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def _note(found: suite.Suite, regime: suite.Regime, fabric: str) -> str:
    shares = [_free(found, workload, regime, fabric) for workload in found.workloads]
    known = [share for share in shares if share is not None]
    return f"from {min(known):.4g} to {max(known):.4g} % over the workloads" if known else ""


def _draw(found: suite.Suite) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib

    content = {
        regime.text: {
            suite.TITLES[fabric]: [
                _free(found, workload, regime, fabric) for workload in found.workloads
            ]
            for fabric in CONFLICT_FREE_PCT
        }
        for regime in suite.REGIMES
    }
    return panels_of_bars(
        list(found.workloads), content, Panel("", y="requests without path conflict, %")
    )


EXPERIMENT = Experiment(
    "fig13", "venice", "Requests without path conflict", "Venice, Figure 13", _tell, _points
)
