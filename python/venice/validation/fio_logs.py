"""Parser of fio's latency logs, with lines ``time ms, latency ns, direction, size, offset``.

A log in the folder of fio's JSON provides the percentiles of a job without them. A log without JSON
is a row if its name states the load: ``randread-32-4_lat.1.log`` is 4 jobs of depth 32, as in the
scripts of fio-plot.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from venice.validation.load import Load, Scene, Stream
from venice.validation.rows import DataError, Figures, Row, Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from venice.validation.load import Operation

_NAME = re.compile(
    r"(?P<rw>(?:rand)?(?:read|write))-(?P<depth>\d+)-(?P<jobs>\d+)_(?:c?lat)\.(?P<copy>\d+)\.log"
)
_CODES: dict[Operation, int] = {"read": 0, "write": 1}
_AVERAGED_MS = 100
"""Smallest time between two lines for which a log is assumed to contain averages [ms]."""
_LEAST_OF_P999 = 1000
"""Minimum number of requests for a 99.9th percentile."""


class Log(NamedTuple):
    """Latencies in a log, and the sizes of the requests."""

    latencies_us: list[float]
    size_bytes: int
    span_ms: float
    is_averaged: bool


def read_logs(paths: Sequence[Path]) -> list[Row]:
    """Return a row for each set of logs whose names state the load.

    Raises
    ------
    DataError
        If a log contains anything else.
    """
    rows = []
    for path in paths:
        found = _NAME.fullmatch(path.name)
        if found is None or found["copy"] != "1":
            continue
        operation: Operation = "read" if found["rw"].endswith("read") else "write"
        rows.append(_row(path, found, operation))
    return rows


def _row(path: Path, found: re.Match[str], operation: Operation) -> Row:
    source = Source(path.name, 1, path.stem)
    log = read_log(path, operation)
    if log is None:
        return Row("", operation, "empty latency log", Figures(), source)
    if log.is_averaged:
        return Row("", operation, "latency log of averages", Figures(), source)
    jobs = int(found["jobs"])
    read_pct = 100.0 if operation == "read" else 0.0
    is_random = found["rw"].startswith("rand")
    stream = Stream(read_pct, is_random, log.size_bytes, int(found["depth"]), jobs)
    scene = Scene((stream,), "written" if operation == "read" else "steady")
    mean = sum(log.latencies_us) / len(log.latencies_us)
    figures = Figures(
        mean_us=mean,
        iops=stream.outstanding / mean * 1e6,
        **_percentiles(log.latencies_us),
    )
    return Row("", operation, Load(scene), figures, source)


def figures_of_log(folder: Path, name: str, operation: Operation) -> dict[str, float]:
    """Return the percentiles from a job's latency log, if a log lists single requests."""
    stem = name.rsplit("/", 1)[-1]
    for ending in ("_clat.1.log", "_lat.1.log", "_clat.log", "_lat.log"):
        path = folder / f"{stem}{ending}"
        if stem and path.is_file():
            log = read_log(path, operation)
            return {} if log is None or log.is_averaged else _percentiles(log.latencies_us)
    return {}


def read_log(path: Path, operation: Operation) -> Log | None:
    """Return the requests of one direction in a log; ``None`` without such requests.

    Raises
    ------
    DataError
        If a line does not consist of numbers.
    """
    times, latencies, size = [], [], 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            cells = line.split(",")
            try:
                time, latency, code, bytes_ = (int(cell) for cell in cells[:4])
            except ValueError:
                raise DataError(
                    f"{path}, line {number}: `{line.strip()[:80]}`; expected: time, latency, "
                    "direction, size"
                ) from None
            if code == _CODES[operation]:
                times.append(time)
                latencies.append(latency / 1000)
                size = bytes_
    if not latencies:
        return None
    gaps = [late - early for early, late in pairwise(times)]
    is_averaged = bool(gaps) and min(gaps) >= _AVERAGED_MS
    return Log(latencies, size, times[-1] - times[0], is_averaged)


def _percentiles(latencies_us: Sequence[float]) -> dict[str, float]:
    """Return percentiles by fio's rule: the smallest latency that the share does not exceed.

    Examples
    --------
    >>> _percentiles([float(number) for number in range(1, 101)])
    {'p50_us': 50.0, 'p99_us': 99.0}
    """
    ordered = sorted(latencies_us)
    shares = {"p50_us": 50.0, "p99_us": 99.0}
    if len(ordered) >= _LEAST_OF_P999:
        shares["p999_us"] = 99.9
    return {
        name: ordered[ceil(round(share * len(ordered) / 100, 6)) - 1]
        for name, share in shares.items()
    }
