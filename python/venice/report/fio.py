"""Conversion of reports to fio 3's ``--output-format=json``, for scripts that read it.

Figures that a simulator does not have are 0: processor time, context switches, page faults, merges,
dates. Sources: fio's documentation and the names that its ``stat.c`` writes, version 3.42.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.report.distributions import NONE, Latencies, distributions_of, merged
from venice.report.summary_table import drive_name
from venice.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venice.report.report import Report

_FIO = "fio-3.42"
"""Version of fio with this layout; programs that read it check the first number."""

_PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""Percentiles of fio's default ``percentile_list``."""

_BELOW = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
"""Upper bounds of fio's latency classes, in each unit of time."""

_DEPTHS = (1, 2, 4, 8, 16, 32, 64)
_BATCHES = ("0", "4", "8", "16", "32", "64", ">=64")
_BIN_BITS = 6
"""Number of bits after the most significant bit of a latency that determine its bin."""
_SECTOR_BYTES = 512
_KIB = 1024


def fio_json(
    report: Report, *, bins: bool = False, options: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a report in the layout of fio's JSON.

    Parameters
    ----------
    report
        Report of a run with ``distributions=True``.
    bins
        True to include the latency bins, as in fio's ``json+``.
    options
        Additional ``job options``, which override those from the report.

    Raises
    ------
    UsageError
        If the report has no distributions, or has operations for which fio has no figures.
    """
    queues = distributions_of(report)["queues"]
    for operation in ("gather", "search"):
        if any(operation in queue["latency"] for queue in queues):
            raise UsageError(f"fio has no operation `{operation}`, and its JSON no place for it")
    jobs = [
        _job(report, queue, name, bins=bins, options=options or {})
        for queue, name in zip(queues, _names(report, len(queues)), strict=True)
    ]
    return {
        "fio version": f"{_FIO}-venice-{__version__}",
        "timestamp": 0,
        "timestamp_ms": 0,
        "time": "Thu Jan  1 00:00:00 1970",
        "global options": {"ioengine": "venice", "direct": "1"},
        "jobs": jobs,
        "disk_util": [_disk(report, queues)],
    }


def _names(report: Report, count: int) -> list[str]:
    """Return the names of fio's jobs: the flows, if each queue has one."""
    names = str(report.workload.name).split(" + ")
    return names if len(names) == count else [f"queue {place}" for place in range(count)]


def _job(
    report: Report,
    queue: Mapping[str, Any],
    name: str,
    *,
    bins: bool,
    options: Mapping[str, str],
) -> dict[str, Any]:
    content = report.content
    read, write, zeroes, trim, flush = (
        Latencies.of(queue["latency"][side]) if side in queue["latency"] else NONE
        for side in ("read", "write", "write_zeroes", "trim", "flush")
    )
    # In fio, write zeroes are writes (`write_mode=zeroes` of engines/io_uring.c).
    write = merged(write, zeroes)
    alone = len(content["distributions"]["queues"]) == 1
    series = content.get("time_series") if alone else None
    runtime_us = content["makespan_us"]
    return {
        "jobname": name,
        "groupid": 0,
        "job_start": 0,
        "error": 0,
        "eta": 0,
        "elapsed": max(round(runtime_us / 1e6), 1),
        "job options": {**_options(report, name, [read, write, trim], alone=alone), **options},
        **{
            side: _direction(one, runtime_us, _samples(series, side), bins=bins)
            for side, one in (("read", read), ("write", write), ("trim", trim))
        },
        "sync": {"total_ios": flush.count, "lat_ns": _latencies(flush)},
        "job_runtime": _ms(runtime_us),
        "usr_cpu": 0.0,
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        **_depths(content["distributions"]["requests_by_depth"]),
        **_spread([read, write, trim]),
        "latency_depth": content["workload"]["queue_depth"] or 1,
        "latency_target": 0,
        "latency_target_ns": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
        "latency_window_us": 0,
        **_steady_state(content, queue["queue"]),
    }


def _options(
    report: Report, name: str, directions: Sequence[Latencies], *, alone: bool
) -> dict[str, str]:
    """Return the job options that a report determines. Reports lack the distribution of addresses.

    `directions` are the latencies of reads, writes and trims.
    """
    kinds: dict[tuple[bool, ...], str] = {
        (True, True, False): "rw",
        (False, True, False): "write",
        (False, False, True): "trim",
        (False, True, True): "trimwrite",
    }
    used = tuple(bool(one.count) for one in directions)
    found = {
        "name": name,
        "rw": kinds.get(used, "read"),
        "bs": _sizes(directions),
        "numjobs": "1",
    }
    depth = report.workload.queue_depth
    if depth is not None and alone:
        found["iodepth"] = str(depth)
    return found


def _sizes(directions: Sequence[Latencies]) -> str:
    """Return the mean request size as a fio option: one size, or one for each direction."""
    means = [round(one.bytes / one.count) if one.count else 0 for one in directions]
    texts = [f"{one // _KIB}k" if one and one % _KIB == 0 else str(one) for one in means]
    known = [text for text, one in zip(texts, means, strict=True) if one]
    return ",".join(known if len(set(known)) > 1 else known[:1])


def _ms(us: float) -> int:
    """Return a time rounded to milliseconds, at least one as in fio."""
    return max(round(us / 1000), 1)


def _direction(
    one: Latencies, runtime_us: float, samples: Sequence[tuple[float, float]], *, bins: bool
) -> dict[str, Any]:
    seconds = runtime_us / 1e6 if one.count else 0.0
    bytes_per_s = one.bytes / seconds if seconds else 0.0
    return {
        "io_bytes": one.bytes,
        "io_kbytes": one.bytes // _KIB,
        "bw_bytes": int(bytes_per_s),
        "bw": int(bytes_per_s / _KIB),
        "iops": one.count / seconds if seconds else 0.0,
        "runtime": _ms(runtime_us) if one.count else 0,
        "total_ios": one.count,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _latencies(NONE),
        "clat_ns": _latencies(one, percentiles=True, bins=bins),
        "lat_ns": _latencies(one),
        **_sampled("bw", [bytes_per_s / _KIB for _, bytes_per_s in samples]),
        **_sampled("iops", [iops for iops, _ in samples]),
    }


def _latencies(one: Latencies, *, percentiles: bool = False, bins: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {
        "min": _ns(one.min_us),
        "max": _ns(one.max_us),
        "mean": one.mean_us * 1000,
        "stddev": one.stdev_us * 1000,
        "N": one.count,
    }
    if percentiles and one.count:
        found["percentile"] = {
            f"{percentile:f}": _ns(one.percentile_us(percentile)) for percentile in _PERCENTILES
        }
        if bins:
            found["bins"] = _bins(one)
    return found


def _ns(us: float) -> int:
    return round(us * 1000)


def _bins(one: Latencies) -> dict[str, int]:
    counts: Counter[int] = Counter()
    for us, count in one.histogram:
        counts[bin_of(_ns(us))] += count
    return {str(ns): count for ns, count in sorted(counts.items())}


def bin_of(ns: int) -> int:
    """Return the middle of the bin in which fio counts a latency, in ns.

    Examples
    --------
    >>> [bin_of(ns) for ns in (5, 127, 128, 129, 1000)]
    [5, 127, 129, 129, 1004]
    """
    dropped = max(ns.bit_length() - 1 - _BIN_BITS, 0)
    return (ns >> dropped << dropped) + (1 << dropped) // 2


def _samples(series: Mapping[str, Any] | None, side: str) -> list[tuple[float, float]]:
    """Return IOPS and bytes per second of every complete interval; empty without intervals."""
    if series is None or side not in series or not any(series[side]["count"]):
        return []
    whole = len(series["start_us"])
    if whole > 1 and series["end_us"] - series["start_us"][-1] < series["interval_us"]:
        whole -= 1
    counts, rates = series[side]["count"][:whole], series[side]["mb_per_s"][:whole]
    return [
        (count / series["interval_us"] * 1e6, (rate or 0.0) * 1e6)
        for count, rate in zip(counts, rates, strict=True)
    ]


def _sampled(name: str, values: Sequence[float]) -> dict[str, Any]:
    is_bandwidth = name == "bw"
    spread = pstdev(values) if len(values) > 1 else 0.0
    # fio divides by the number of samples less one.
    spread *= sqrt(len(values) / (len(values) - 1)) if len(values) > 1 else 0.0
    return {
        f"{name}_min": int(min(values, default=0)),
        f"{name}_max": int(max(values, default=0)),
        **({"bw_agg": 100.0 if values else 0.0} if is_bandwidth else {}),
        f"{name}_mean": fmean(values) if values else 0.0,
        f"{name}_{'dev' if is_bandwidth else 'stddev'}": spread,
        f"{name}_samples": len(values),
    }


def _depths(by_depth: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Return the shares of requests by queue depth, in fio's form."""
    total = sum(by_depth.values())
    names = [*(str(depth) for depth in _DEPTHS[:-1]), f">={_DEPTHS[-1]}"]
    counts = dict.fromkeys(names, 0)
    for depth, count in by_depth.items():
        counts[depth if depth in counts else names[-1]] += count
    one_by_one = {name: 100.0 if name == "4" and total else 0.0 for name in _BATCHES}
    return {
        "iodepth_level": {name: _pct(count, total) for name, count in counts.items()},
        "iodepth_submit": one_by_one,
        "iodepth_complete": dict(one_by_one),
    }


def _pct(part: int, whole: int) -> float:
    return part / whole * 100 if whole else 0.0


def _spread(both: Iterable[Latencies]) -> dict[str, dict[str, float]]:
    """Return the shares of requests by latency, in fio's classes of ns, µs and ms."""
    pairs = [(us * 1000, count) for one in both for us, count in one.histogram]
    total = sum(count for _, count in pairs)
    found: dict[str, dict[str, float]] = {}
    for name, unit_ns, from_ns in (("ns", 1, 0), ("us", 1000, 1000), ("ms", 10**6, 10**6)):
        bounds: list[float] = [from_ns, *(bound * unit_ns for bound in _BELOW)]
        titles = [str(bound) for bound in _BELOW]
        if name == "ms":
            bounds += [2000 * unit_ns, float("inf")]
            titles += ["2000", ">=2000"]
        found[f"latency_{name}"] = {
            title: _pct(sum(count for ns, count in pairs if low <= ns < high), total)
            for title, low, high in zip(titles, bounds, bounds[1:], strict=False)
        }
    return found


def _steady_state(content: Mapping[str, Any], queue: int) -> dict[str, Any]:
    """Return fio's steady-state section, for a job whose criterion is steady state."""
    for one in content.get("steady") or ():
        if queue in one["queues"]:
            pct = "%" if one["limit_is_pct"] else ""
            rule = f"{one['figure']}{'_slope' if one['by_slope'] else ''}"
            mean = one["mean"] or 0.0
            return {
                "steadystate": {
                    "ss": f"{rule}:{one['limit']:f}{pct}",
                    "duration": round(one["window_us"] / 1e6),
                    "attained": int(one["attained"]),
                    "criterion": f"{one['criterion'] or 0.0:f}{pct}",
                    "max_deviation": one["deviation"] or 0.0,
                    "slope": one["slope"] or 0.0,
                    "data": {
                        f"{name}_mean": int(mean) if one["figure"] == name else 0
                        for name in ("bw", "iops", "lat")
                    },
                }
            }
    return {}


def _disk(report: Report, queues: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def total(side: str, of: str) -> int:
        return sum(int(one[of]) for one in latencies(side))

    def ticks(side: str) -> int:
        total_us: float = sum(one["mean_us"] * one["count"] for one in latencies(side))
        return round(total_us / 1000)

    def latencies(side: str) -> list[Mapping[str, Any]]:
        operations = ("write", "write_zeroes") if side == "write" else (side,)
        every = [queue["latency"].get(name) for queue in queues for name in operations]
        return [one for one in every if one is not None]

    content = report.content
    busy_us, run_us = content["distributions"]["busy_us"], content["makespan_us"]
    return {
        "name": drive_name(report),
        "read_ios": total("read", "count"),
        "write_ios": total("write", "count"),
        "read_sectors": total("read", "bytes") // _SECTOR_BYTES,
        "write_sectors": total("write", "bytes") // _SECTOR_BYTES,
        "read_merges": 0,
        "write_merges": 0,
        "read_ticks": ticks("read"),
        "write_ticks": ticks("write"),
        "in_queue": ticks("read") + ticks("write"),
        "util": min(busy_us / run_us * 100, 100.0) if run_us else 0.0,
    }
