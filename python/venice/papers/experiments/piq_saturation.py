"""Saturation throughput of an in-order drive on a trace, and loads that are a share of it.

Two short runs precede the others: the trace at its own arrival times, for its own rate, and the
same requests with 64 always outstanding, for the throughput of the in-order drive under NOOP.
Offered loads are shares of that throughput, so that a share is comparable between fabrics, and a
run below one is saturated only during bursts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from venice.api.run import run
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_suite import DRIVE, IN_ORDER
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.config import FabricName
    from venice.papers.experiments.piq_suite import Load
    from venice.report import Report

_OUTSTANDING = 64
LINKS = "fabric.mesh.link_latency_ns=25"
"""Link latency with which the mesh has the bandwidth of eight channels."""


def rate_scale(load: Load, fabric: FabricName, share: float, requests: int) -> float:
    """Return the factor on the arrival rate for a given share of the saturation throughput."""
    trace, workload = load.scenario.get("trace"), load.scenario.get("workload")
    own_per_s = _pace(trace, workload, requests)
    most_per_s = _saturation(trace, workload, fabric, requests)
    return float(f"{share * most_per_s / own_per_s:.4g}")


def at_share(load: Load, fabric: FabricName, share: float, requests: int) -> Load:
    """Return a load at a share of the fabric's saturation throughput."""
    scale = rate_scale(load, fabric, share, requests)
    return piq_suite.Load(load.name, {**load.scenario, "rate_scale": scale})


def has_both_kinds(load: Load, requests: int) -> bool:
    """Return true if reads and writes are each more than 1 % of a load's requests."""
    trace, workload = load.scenario.get("trace"), load.scenario.get("workload")
    return piq_suite.has_enough(_at_its_pace(trace, workload, requests), ("read", "write"))


@cache
def _at_its_pace(trace: str | None, workload: str | None, requests: int) -> Report:
    return _run(trace, workload, "bus", requests)


def _pace(trace: str | None, workload: str | None, requests: int) -> float:
    report = _at_its_pace(trace, workload, requests)
    arrivals = 1 - piq_suite.scheduled(report, "backlog")["drain_pct"] / 100
    return float(report.requests.completed / (report.makespan_us * arrivals / 1e6))


@cache
def _saturation(
    trace: str | None, workload: str | None, fabric: FabricName, requests: int
) -> float:
    report = _run(trace, workload, fabric, requests, closed_loop=_OUTSTANDING)
    return require(report.iops)


def _run(
    trace: str | None,
    workload: str | None,
    fabric: FabricName,
    requests: int,
    closed_loop: int | None = None,
) -> Report:
    sets: Sequence[str] = (
        *IN_ORDER.sets,
        LINKS,
        "host.scheduler.scheme=noop",
        f"host.scheduler.drive_slots={_OUTSTANDING}",
    )
    return run(
        drive=DRIVE,
        fabric=fabric,
        trace=trace,
        fold=True,
        workload=workload,
        requests=requests,
        closed_loop=closed_loop,
        sets=sets,
    )
