"""Consistency checks of a report: figures that follow from other figures.

Shares lie between 0 and 100 %, parts add up to their whole, percentiles rise, stages add up to the
latency. Definitions are those of the page that ``make docs`` writes, ``docs/reference/report.md``.
"""

from __future__ import annotations

from itertools import pairwise
from math import isclose, isfinite
from typing import TYPE_CHECKING, Any

from .shares import impossible_shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Report = Mapping[str, Any]

_RELATIVE = 1e-6
_ABSOLUTE_US = 1e-5
"""Times are whole picoseconds, rounded once each."""
_OPERATIONS = ("read", "write", "gather", "trim", "flush", "write_zeroes", "search")
_RISING = ("p50", "p90", "p99", "p999", "max")
_RISING_IN_INTERVALS = ("p50_us", "p99_us", "p999_us", "max_us")


def inconsistencies(report: Report) -> list[str]:
    """Return a message for each figure of a report that is impossible or contradicts another one.

    >>> inconsistencies({"energy_uj": {"links": 1.0, "routers": 2.0, "total": 4.0}})
    ['energy_uj.total is 4.0; its parts add up to 3.0']
    """
    figures = {name: value for name, value in report.items() if name != "config"}
    found = [f"impossible share: {text}" for text in impossible_shares(report)]
    return found + [text for check in _CHECKS for text in check(figures)]


def _numbers(figures: Report) -> Iterator[str]:
    for path, value in _leaves("", figures):
        if isinstance(value, float) and not isfinite(value):
            yield f"{path} is {value}"


def _percentiles(figures: Report) -> Iterator[str]:
    for path, group in _groups("", figures):
        if "count" in group and "p50" in group:
            yield from _latencies(path, group)


def _latencies(path: str, group: Report) -> Iterator[str]:
    if not group["count"]:
        if group["mean"] is not None:
            yield f"{path}.mean is {group['mean']} of no requests"
        return
    yield from _falling(path, {name: group[name] for name in _RISING})
    if group["mean"] > group["max"] * (1 + _RELATIVE):
        yield f"{path}.mean is {group['mean']}, above the maximum of {group['max']}"


def _falling(path: str, rising: Mapping[str, float]) -> Iterator[str]:
    for (below, low), (above, high) in pairwise(rising.items()):
        if low > high:
            yield f"{path}.{below} is {low}, above {above} of {high}"


def _operations(figures: Report) -> Iterator[str]:
    """Check that figures of all requests follow from those of each operation."""
    for path, group in _groups("", figures):
        if "all" in group and "read" in group:
            parts = [group[name] for name in _OPERATIONS if group.get(name)]
            yield from _sum(f"{path}.all.count", group["all"]["count"], _field(parts, "count"))
            whole = group["all"]["count"] * (group["all"]["mean"] or 0.0)
            times = (part["count"] * (part["mean"] or 0.0) for part in parts)
            yield from _sum(f"{path}.all.mean × count", whole, times)


def _requests(figures: Report) -> Iterator[str]:
    if (requests := figures.get("requests")) is None:
        return
    by_operation = [
        requests[name]
        for name in ("reads", "writes", "gathers", "trims", "flushes", "zero_writes", "searches")
        if name in requests
    ]
    failed = requests.get("failed", 0)
    yield from _sum("requests.submitted", requests["submitted"], [*by_operation, failed])
    yield from _sum("requests.completed", requests["completed"], by_operation)
    yield from _sum("latency_us.all.count", figures["latency_us"]["all"]["count"], by_operation)
    for path, group in _groups("", figures):
        if "requests_failed" in group:
            yield from _sum(f"{path}.requests_failed", group["requests_failed"], [failed])


def _queues(figures: Report) -> Iterator[str]:
    if (queues := figures.get("queues")) is None:
        return
    for operation in ("all", "read", "write"):
        counts = [queue["latency_us"][operation]["count"] for queue in queues]
        count = figures["latency_us"][operation]["count"]
        yield from _sum(f"latency_us.{operation}.count over queues", count, counts)
    for name in ("read_bytes", "written_bytes"):
        yield from _sum(f"requests.{name}", figures["requests"][name], _field(queues, name))


def _stages(figures: Report) -> Iterator[str]:
    yield from _stages_of("", figures)
    for queue in figures.get("queues", ()):
        yield from _stages_of(f"queues[{queue['queue']}].", queue)


def _stages_of(path: str, figures: Report) -> Iterator[str]:
    for operation, stages in figures.get("breakdown_us", {}).items():
        mean = figures["latency_us"][operation]["mean"] or 0.0
        yield from _time(f"{path}latency_us.{operation}.mean", mean, stages.values())


def _causes(figures: Report) -> Iterator[str]:
    for stage, splits in (("chip_wait", "chip_wait_causes_us"), ("cache", "cache_causes_us")):
        for operation, causes in (figures.get(splits) or {}).items():
            time = figures["breakdown_us"][operation][stage]
            yield from _time(f"breakdown_us.{operation}.{stage}", time, causes.values())


def _own_work(figures: Report) -> Iterator[str]:
    """Check the waits caused by the drive's own work: for a chip and for room in the cache."""
    splits = [figures.get(name) or {} for name in ("chip_wait_causes_us", "cache_causes_us")]
    if not splits[0]:
        return
    for operation, behind in (figures.get("chip_wait_behind_us") or {}).items():
        for cause, time in behind.items():
            parts = [split.get(operation, {}).get(cause, 0.0) for split in splits]
            yield from _time(f"chip_wait_behind_us.{operation}.{cause}", time, parts)


def _slowest(figures: Report) -> Iterator[str]:
    slowest = figures.get("slowest") or []
    for request in slowest:
        path = f"slowest[{request['number']}].latency_us"
        yield from _time(path, request["latency_us"], request["stages_us"].values())
    for slow, next_one in pairwise(request["latency_us"] for request in slowest):
        if slow < next_one:
            yield f"slowest: {next_one} µs comes after {slow} µs"


def _intervals(figures: Report) -> Iterator[str]:
    if (series := figures.get("time_series")) is None:
        return
    for operation in ("read", "write"):
        group = series[operation]
        count = _host_requests(figures, operation)
        yield from _sum(f"latency_us.{operation}.count over intervals", count, group["count"])
        for place, values in enumerate(
            zip(*(group[key] for key in _RISING_IN_INTERVALS), strict=True)
        ):
            if None not in values:
                rising = dict(zip(_RISING_IN_INTERVALS, values, strict=True))
                yield from _falling(f"time_series.{operation}[{place}]", rising)
    requests = figures["requests"]
    yield from _sum("requests.submitted over intervals", requests["submitted"], series["issued"])
    ends = (*series["start_us"][1:], series["end_us"])
    spans = (end - start for start, end in zip(series["start_us"], ends, strict=True))
    done = ((rate or 0.0) * span / 1e6 for rate, span in zip(series["iops"], spans, strict=True))
    yield from _sum("requests.completed over intervals", requests["completed"], done)
    failed = series.get("failed") or ()
    yield from _sum("requests.failed over intervals", requests.get("failed", 0), failed)
    yield from _upkeep(figures, series["flash"])


def _upkeep(figures: Report, series: Report) -> Iterator[str]:
    """Check the reclaimed and refreshed blocks of the intervals, up to the end of all work."""
    parts = (figures["flash"], figures["after_last_completion"]["flash"])
    for name in ("reclaim_executions", "refresh_executions"):
        if name in series:
            blocks = sum(part[name] for part in parts)
            yield from _sum(f"flash.{name} over intervals", blocks, series[name])


def _host_requests(figures: Report, operation: str) -> int:
    """Count requests that intervals show as `operation`: results of gathers are read, too."""
    shown = ("read", "gather") if operation == "read" else (operation,)
    latencies = figures["latency_us"]
    return sum(latencies[name]["count"] for name in shown if latencies.get(name))


def _energy(figures: Report) -> Iterator[str]:
    if (energy := figures.get("energy_uj")) is None:
        return
    parts = [value for name, value in energy.items() if name != "total"]
    yield from _sum("energy_uj.total", energy["total"], parts)
    if power := figures.get("mean_power_mw"):
        by_power = power * figures["energy_window_us"] / 1000
        yield from _sum("energy_uj.total by power", energy["total"], [by_power])


def _window(figures: Report) -> Iterator[str]:
    if "makespan_us" not in figures:
        return
    span_us, requests = figures["makespan_us"], figures["requests"]
    after_us = figures["after_last_completion"]["duration_us"]
    yield from _time("energy_window_us", figures["energy_window_us"], [span_us, after_us])
    if figures["iops"] is not None:
        yield from _sum(
            "requests.completed by iops", requests["completed"], [figures["iops"] * span_us / 1e6]
        )
        # Bytes of gathers are part of the bandwidth and of no other figure.
        if not requests.get("gathers"):
            moved = requests["read_bytes"] + requests["written_bytes"]
            yield from _sum("bytes by bandwidth", moved, [figures["bandwidth_mb_per_s"] * span_us])
    for before, after in pairwise(figures["phases"]):
        yield from _time(f"phases: start of {after['name']}", after["start_us"], [before["end_us"]])


def _distributions(figures: Report) -> Iterator[str]:
    if (distributions := figures.get("distributions")) is None:
        return
    submitted = figures["requests"]["submitted"]
    yield from _sum(
        "requests.submitted by depth", submitted, distributions["requests_by_depth"].values()
    )
    for queue in distributions["queues"]:
        for operation, latency in queue["latency"].items():
            path = f"distributions.queues[{queue['queue']}].{operation}"
            counts = [count for _, count in latency["histogram"]]
            yield from _sum(f"{path}.count", latency["count"], counts)
            yield from _falling(
                path, {name: latency[name] for name in ("min_us", "mean_us", "max_us")}
            )


def _cumulated(figures: Report) -> Iterator[str]:
    for (share, time), (next_share, next_time) in pairwise(figures.get("latency_cdf", ())):
        if share > next_share or time > next_time:
            yield f"latency_cdf falls from {share} %, {time} µs to {next_share} %, {next_time} µs"


def _chips(figures: Report) -> Iterator[str]:
    for chip in figures.get("chips") or ():
        both = chip["array_and_transfer_pct"]
        parts = [chip["array_pct"] - both, chip["transfer_pct"] - both, both, chip["idle_pct"]]
        yield from _sum(f"chips[{chip['row']},{chip['col']}] in all", 100.0, parts)
    use = figures.get("utilisation")
    if use and use["chip_pct"] is not None and (by_chip := use["chip_pct_by_chip"]):
        yield from _sum("utilisation.chip_pct × chips", use["chip_pct"] * len(by_chip), by_chip)


def _work(figures: Report) -> Iterator[str]:
    if path := figures.get("path"):
        yield from _sum("path.transfers by hops", path["transfers"], path["hop_counts"])
    if mapping := figures.get("mapping"):
        for name in ("hits", "misses"):
            yield from _most(f"mapping.read_{name}", mapping[f"read_{name}"], mapping[name])
    if gather := figures.get("gather"):
        ways = [gather[name] for name in ("in_place", "copied_between_chips", "by_controller")]
        yield from _sum("gather.operands", gather["operands"], ways)
    if flash := figures.get("flash"):
        units = flash.get("units") or {"per_page": 1, "pages_per_unit": 1}
        most = flash["programs"] * units["per_page"] / units["pages_per_unit"]
        yield from _most("flash.host_programs", flash["host_programs"], most)
        yield from _most(
            "flash.min_block_erases", flash["min_block_erases"], flash["max_block_erases"]
        )


def _batches(figures: Report) -> Iterator[str]:
    batches = (figures.get("scheduler") or {}).get("batch_sizes") or {}
    for direction, sizes in batches.items():
        counts = sizes["histogram"].values()
        yield from _sum(f"scheduler.batch_sizes.{direction}.count", sizes["count"], counts)


def _demand(figures: Report) -> Iterator[str]:
    if demand := figures.get("demand"):
        submitted = figures["requests"]["submitted"]
        yield from _sum("requests.submitted by demand", submitted, demand["issued"])


_CHECKS = (
    _numbers,
    _percentiles,
    _operations,
    _requests,
    _queues,
    _stages,
    _causes,
    _own_work,
    _slowest,
    _intervals,
    _energy,
    _window,
    _distributions,
    _cumulated,
    _chips,
    _work,
    _batches,
    _demand,
)


def _sum(path: str, whole: float, parts: Iterable[float]) -> Iterator[str]:
    total = sum(parts)
    if not isclose(whole, total, rel_tol=_RELATIVE, abs_tol=1e-9):
        yield f"{path} is {whole}; its parts add up to {total}"


def _time(path: str, whole_us: float, parts_us: Iterable[float]) -> Iterator[str]:
    times = list(parts_us)
    if any(time < 0 for time in times):
        yield f"{path} has a negative part: {min(times)}"
    if not isclose(whole_us, sum(times), rel_tol=_RELATIVE, abs_tol=_ABSOLUTE_US):
        yield f"{path} is {whole_us}; its parts add up to {sum(times)}"


def _most(path: str, part: float, whole: float) -> Iterator[str]:
    if part > whole:
        yield f"{path} is {part}, above the whole of {whole}"


def _field(groups: Iterable[Report], name: str) -> Iterator[float]:
    return (group[name] for group in groups)


def _groups(path: str, value: Any) -> Iterator[tuple[str, Report]]:  # noqa: ANN401 any JSON value
    if isinstance(value, dict):
        yield path, value
    for name, inner in _children(path, value):
        yield from _groups(name, inner)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 any JSON value
    if not isinstance(value, dict | list):
        yield path, value
    for name, inner in _children(path, value):
        yield from _leaves(name, inner)


def _children(path: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 any JSON value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}" if path else name, inner
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield f"{path}[{place}]", inner
