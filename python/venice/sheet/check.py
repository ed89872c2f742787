"""Simulation of a data sheet's figures, and of the resource that limits each."""

from __future__ import annotations

import json
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.api.run import run_drive
from venice.execution.pool import stoppable_pool, worker_count
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.report.mapping_units import unit_bytes
from venice.sheet.loads import DEEP, LOADS, RANDOM_READS, Load
from venice.sheet.short_blocks import steady_drive
from venice.workloads import Address, AtMostBytes, Workload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Preparations
    from venice.report import Report

BOUND_PCT = 90.0
"""Utilisation from which a resource counts as the limit of a single outstanding request [%]."""
DEEP_BOUND_PCT = 50.0
"""Utilisation from which a resource counts as the limit of many outstanding requests [%]. The mean
over a kind of resource hides its busiest member."""
_STEADY_WRITES = ("random write", DEEP)
_SEQUENTIAL_WRITES = "sequential write"
_WITHOUT_MAP = ["ftl.mapping=ideal"]
"""Settings of a drive that writes no map entries to flash."""
_ADMISSION = "write admission"
"""Limit of the rate of writes (`controller.write_admission_unit_ns`)."""
LEAST_MAP_PCT = 0.1
"""Smallest cost of a map on flash that :attr:`Figure.limit` states [%]."""
TURNS = 8
"""Number of blocks, or superblocks, written in steady state before and during a measurement."""


class Figure(NamedTuple):
    """Row of the simulated data sheet."""

    load: str
    depth: int
    mb_per_s: float
    iops: float
    mean_us: float
    p99_us: float
    write_amplification: float | None
    """Ratio of programmed to written bytes of random writes in steady state; otherwise ``None``."""
    busy_pct: dict[str, float]
    bound: str
    state: str
    """``"steady"``; ``"burst"`` if the write buffer takes requests at a rate above that in steady
    state, or if the pSLC cache takes most of the data, until it is full; empty for other loads on
    the drive as configured."""
    sheet: dict[str, float]
    """Figures that the drive's data sheet states, by the name of the field in this class."""
    map_pct: float | None = None
    """Share of the rate of sequential writes that a map on flash costs [%]; ``None`` for other
    loads and for a map in memory."""

    @property
    def limit(self) -> str:
        """Bound of the rate, a resource or the latency, with the share that the map costs."""
        is_noted = self.map_pct is not None and self.map_pct >= LEAST_MAP_PCT
        return f"{self.bound}, map {self.map_pct:.1f} %" if is_noted else self.bound

    def difference_pct(self, field: str) -> float:
        """Return the difference of a figure from the data sheet [%]."""
        figure: float = getattr(self, field)
        return 100.0 * (figure / self.sheet[field] - 1.0)


def check_drive(name: str, workers: int | None = None) -> list[Figure]:
    """Simulate all rows of the data sheet of a drive; `name` is a preset or a file."""
    config = json.loads(drive_of(RunOptions(drive=name)).to_json())
    return figures_of_loads(name, config, LOADS, workers)


def figures_of_loads(
    name: str, config: dict[str, Any], loads: Sequence[Load], workers: int | None = None
) -> list[Figure]:
    """Simulate rows of a drive's data sheet; a steady load also requires the load of depth 256."""
    # The longest first, so that the processors end at about the same time.
    order = sorted(loads, key=lambda load: (load.is_steady, load.depth), reverse=True)
    without_map = [load for load in order if _writes_map(load, config)]
    with stoppable_pool(worker_count(workers, len(order))) as (pool, shared):
        runs = pool.map(lambda load: report_of(name, config, load, shared.preparations), order)
        runs_without_map = pool.map(
            lambda load: report_of(name, config, load, sets=_WITHOUT_MAP), without_map
        )
        reports = dict(zip(order, runs, strict=True))
        reports_without_map = dict(zip(without_map, runs_without_map, strict=True))
    figures = [figure_of(load, reports[load], config) for load in loads]
    return [
        figure._replace(
            state=_state(load, figure, reports),
            map_pct=_map_pct(reports[load], reports_without_map.get(load)),
        )
        for load, figure in zip(loads, figures, strict=True)
    ]


def _writes_map(load: Load, config: dict[str, Any]) -> bool:
    """Return true if a load consists of sequential writes of a drive with its map on flash."""
    return load.name == _SEQUENTIAL_WRITES and config["ftl"]["mapping"] == "cached"


def _map_pct(report: Report, without_map: Report | None) -> float | None:
    """Return the share of the rate that the map on flash costs [%], from a run without it."""
    if without_map is None:
        return None
    ratio = _known(report.bandwidth_mb_per_s) / _known(without_map.bandwidth_mb_per_s)
    return 100.0 * max(0.0, 1.0 - ratio)


def _state(load: Load, figure: Figure, reports: dict[Load, Report]) -> str:
    """Return the state in which a drive serves a load (see :class:`Figure`)."""
    if not load.is_steady:
        return "burst" if _is_cached(reports[load]) else ""
    if figure.bound == _ADMISSION:
        # The rate of admission does not depend on the content of the write buffer.
        return "steady"
    deep = next(other for other in LOADS if (other.name, other.depth) == (load.name, DEEP))
    is_faster = _known(reports[load].iops) > _known(reports[deep].iops)
    return "burst" if is_faster and "cache" in reports[load].content else "steady"


def _is_cached(report: Report) -> bool:
    """Return true if the pSLC cache took most of the data that the host wrote."""
    slc = report.content.get("slc_cache")
    return slc is not None and slc["host_bytes"] > slc["direct_bytes"]


def report_of(
    name: str,
    config: dict[str, Any],
    load: Load,
    preparations: Preparations | None = None,
    sets: list[str] | None = None,
) -> Report:
    """Return the report of one load on the drive `name`, whose configuration is `config`.

    `sets` changes the drive of a load that is not measured in steady state.
    """
    sets = sets or []
    measured = max(2000, 100 * load.depth)
    warmup = measured // 4
    if load.is_steady:
        steady = steady_drive(config, "saturated" if load.depth == DEEP else "light")
        sets = steady.sets
        if load.depth == DEEP:
            writes = TURNS * steady.writes
            measured = warmup = max(measured, round(100.0 * writes / (100.0 - load.read_pct)))
    options = RunOptions(
        drive=name,
        sets=sets,
        workload=workload_of(load, config["sheet"]),
        requests=warmup + measured,
        warmup=warmup,
    )
    return run_drive(drive_of(options), options, preparations=preparations)


def workload_of(load: Load, sheet: dict[str, Any]) -> Workload:
    """Return the workload of a load, in the range of addresses that the data sheet states."""
    workload = Workload(base=load.base, read_pct=load.read_pct, closed_loop_depth=load.depth)
    read_range = sheet["random_read_range_bytes"]
    if load.base != RANDOM_READS or not read_range:
        return workload
    return replace(workload, address=Address(footprint=AtMostBytes(read_range)))


def figure_of(load: Load, report: Report, config: dict[str, Any]) -> Figure:
    """Return the data sheet's row for a load, from its report."""
    latency = report.latency_us.all
    mb_per_s = _known(report.bandwidth_mb_per_s)
    busy = {
        "host link": _link_pct(load, mb_per_s, config["host"]["link_rate_mb_per_s"]),
        "channels": _known(report.utilisation.channel_pct),
        "chips": _known(report.utilisation.chip_pct),
    }
    cores = report.content.get("controller")
    if cores is not None:
        busy["controller cores"] = cores["utilisation_pct"]
        busy[_ADMISSION] = _admission_pct(load, report, config)
    most = max(busy, key=lambda resource: busy[resource])
    least_pct = BOUND_PCT if load.depth == 1 else DEEP_BOUND_PCT
    bound = most if busy[most] >= least_pct else "latency"
    figure = Figure(
        load.name,
        load.depth,
        mb_per_s,
        _known(report.iops),
        _known(latency.mean),
        _known(latency.p99),
        _write_amplification(report) if (load.name, load.depth) == _STEADY_WRITES else None,
        busy,
        bound,
        "",
        {},
    )
    return figure._replace(sheet=_stated(load, figure, config["sheet"]))


def _link_pct(load: Load, mb_per_s: float, link: float | str) -> float:
    """Return the utilisation of the host link, whose directions are independent [%]."""
    if isinstance(link, str):
        return 0.0
    share = max(load.read_pct, 100.0 - load.read_pct) / 100.0
    return 100.0 * mb_per_s * share / link


def _admission_pct(load: Load, report: Report, config: dict[str, Any]) -> float:
    """Return the rate of written mapping units relative to the limit of write admission [%].

    A write takes a token for each unit that it touches. Requests are aligned to their size.
    """
    unit_ns: float = config["controller"]["write_admission_unit_ns"]
    iops = _known(report.iops)
    request_bytes = 1e6 * _known(report.bandwidth_mb_per_s) / iops
    units_per_s = iops * (100.0 - load.read_pct) / 100.0 * ceil(request_bytes / unit_bytes(config))
    return 100.0 * units_per_s * unit_ns / 1e9


def _stated(load: Load, figure: Figure, sheet: dict[str, float]) -> dict[str, float]:
    stated = [] if load.stated is None else [load.stated]
    if figure.write_amplification is not None:
        stated.append(("write_amplification", "write_amplification"))
    return {field: sheet[key] for key, field in stated if sheet[key]}


def _write_amplification(report: Report) -> float:
    """Return the ratio of programmed to written bytes, for runs of any length."""
    written: int = sum(queue["written_bytes"] for queue in report.content["queues"])
    programmed: float = report.content["flash"]["programmed_bytes"]
    return float(programmed / written)


def _known(figure: float | None) -> float:
    """Return a figure that is not ``None``, since every run with measured requests has it."""
    if figure is None:
        message = "a run without measured requests has no figures"
        raise ValueError(message)
    return figure
