"""Data-sheet figures that a drive has in simulation, and the resource that bounds each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from venice.api.run import run
from venice.execution.pool import stoppable_pool, worker_count
from venice.workloads import Workload

if TYPE_CHECKING:
    from venice._native import Drive
    from venice.report import Report

BOUND_PCT = 90.0
"""Least utilisation of a resource that is reported as the bound [%]."""


class Load(NamedTuple):
    """Requests that determine one row of the data sheet."""

    name: str
    base: str
    read_pct: float
    depth: int

    @property
    def measured(self) -> int:
        """Number of measured requests: the depth adds an error of at most 1 %."""
        return max(2000, 100 * self.depth)


class Figure(NamedTuple):
    """Row of the data sheet."""

    load: str
    depth: int
    mb_per_s: float
    iops: float
    mean_us: float
    p99_us: float
    busy_pct: dict[str, float]
    bound: str


LOADS = tuple(
    Load(name, base, read_pct, depth)
    for name, base, read_pct in (
        ("sequential read", "sequential-read", 100.0),
        ("sequential write", "sequential-read", 0.0),
        ("random read", "random-read", 100.0),
    )
    for depth in (1, 256)
)


def check_drive(name: str, drive: Drive, workers: int | None = None) -> list[Figure]:
    """Measure all rows of the data sheet of the drive `name`, whose configuration is `drive`."""
    link = json.loads(drive.to_json())["host"]["link_rate_mb_per_s"]
    with stoppable_pool(worker_count(workers, len(LOADS))) as (pool, _):
        reports = pool.map(lambda load: _run(name, load), LOADS)
        return [_figure(load, report, link) for load, report in zip(LOADS, reports, strict=True)]


def _run(name: str, load: Load) -> Report:
    warmup = load.measured // 4
    requests = warmup + load.measured
    workload = Workload(base=load.base, read_pct=load.read_pct, closed_loop_depth=load.depth)
    return run(drive=name, workload=workload, requests=requests, warmup=warmup, progress=False)


def _figure(load: Load, report: Report, link_mb_per_s: float) -> Figure:
    latency = report.latency_us.all
    mb_per_s = _known(report.bandwidth_mb_per_s)
    busy = {
        "host link": 100.0 * mb_per_s / link_mb_per_s,
        "channels": _known(report.utilisation.channel_pct),
        "chips": _known(report.utilisation.chip_pct),
    }
    most = max(busy, key=lambda resource: busy[resource])
    bound = most if busy[most] >= BOUND_PCT else "latency" if load.depth == 1 else "none"
    return Figure(
        load.name,
        load.depth,
        mb_per_s,
        _known(report.iops),
        _known(latency.mean),
        _known(latency.p99),
        busy,
        bound,
    )


def _known(figure: float | None) -> float:
    """Return a figure, which every run with measured requests has."""
    if figure is None:
        message = "a run without measured requests has no figures"
        raise ValueError(message)
    return figure
