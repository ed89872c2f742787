"""Descriptions of the hosts of measurements.

The file ``hosts.toml`` beside this module describes the hosts of published data sets, and a file of
that name in a folder of measurements those of its rows. Each table ``[[host]]`` has conditions on
columns (``where``, regular expressions of whole cells in any case) and the values of
:class:`HostRule`. The first table whose conditions hold describes the host of a row. The columns
``host_cores`` and ``host_request_ns`` of a row take precedence over the table's cores and times of
requests; the times of the I/O scheduler remain those of the table.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.validation.cells import number_in, whole_in
from venice.validation.host import Host
from venice.validation.rows import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Cells = Mapping[str, str]

HOSTS_FILE = "hosts.toml"
"""Name of a file that describes the hosts of measurements."""
_KEYS = frozenset(
    {
        "where",
        "cores",
        "request_ns",
        "variation_pct",
        "write_ns",
        "overrun_ppm",
        "switch_ns",
        "wake_ns",
        "dispatch_ns",
        "core_per_job",
        "slice_us",
        "polling",
        "lock",
        "source",
    }
)
_MOST_CORES = 4096
_LONGEST_NS = 1e9
_LONGEST_SLICE_US = 1e6
_MOST_PCT = 100.0
_MOST_OVERRUN_PPM = 20.0


class HostRule(NamedTuple):
    """Host of the rows that meet conditions."""

    where: Mapping[str, re.Pattern[str]]
    cores: int
    request_ns: float
    switch_ns: float
    """Additional time for a change of process, for each doubling of a core's processes [ns]."""
    core_per_job: bool = False
    """True if each process is bound to one core."""
    variation_pct: float = 0.0
    """Exponentially distributed share of the time [%]; the rest is constant."""
    wake_ns: float = 0.0
    """Time from a completion until the I/O scheduler sends a request that waits for it [ns]."""
    dispatch_ns: float = 0.0
    """Time of a core to send a request that waited for the I/O scheduler [ns]."""
    slice_us: float = 0.0
    """Time slice of processes that share a core [µs]; 0 if they take turns for each request."""
    is_polling: bool = False
    """True if processes that share a core poll."""
    has_lock: bool = False
    """True if requests need a lock that all cores share."""
    write_ns: float = 0.0
    """Time for which a core is occupied after a write [ns]."""
    overrun_ppm: float = 0.0
    """Share of the run by which a job with a weight ends later, per outstanding request [ppm]."""

    def applies_to(self, cells: Cells) -> bool:
        """Return true if the cells of a row meet the conditions."""
        return all(
            pattern.fullmatch((cells.get(column) or "").strip())
            for column, pattern in self.where.items()
        )

    def host(self, depth: int, jobs: int) -> Host:
        """Return the host for a number of jobs, each of which is a process.

        A process with one outstanding request sleeps after each request, so that processes take
        turns on their core. Processes with a core each need no time slices, and cores that share a
        lock serve requests as a single core then.

        Examples
        --------
        >>> rule = HostRule({}, 2, 3000.0, 500.0, slice_us=6000.0)
        >>> rule.host(128, 1).cores, rule.host(1, 8).request_ns
        (1, 4500.0)
        >>> rule.host(128, 2).slice_us, rule.host(128, 3).slice_us
        (0.0, 6000.0)
        """
        is_shared = jobs > self.cores and self.slice_us > 0
        cores = 1 if self.has_lock and not is_shared else min(self.cores, jobs)
        if not self.cores:
            return Host(wake_ns=self.wake_ns)
        processes = jobs / min(self.cores, jobs)
        changes = 1 + log2(processes) if depth == 1 and processes > 1 else 0.0
        request_ns = self.request_ns + self.switch_ns * changes
        host = Host(
            cores, request_ns, self.core_per_job, self.variation_pct, self.wake_ns, self.dispatch_ns
        )
        host = host._replace(write_ns=self.write_ns, overrun_ppm=self.overrun_ppm)
        if not is_shared:
            return host
        return host._replace(
            core_per_job=False,
            slice_us=self.slice_us,
            is_polling=self.is_polling,
            has_lock=self.has_lock,
        )


def host_rules(folder: Path) -> list[HostRule]:
    """Return the hosts that a folder of measurements describes, then those of published data sets.

    Raises
    ------
    DataError
        If the folder's file is invalid.
    """
    own = folder / HOSTS_FILE
    return [*(_rules_in(own) if own.is_file() else ()), *_published()]


@cache
def _published() -> tuple[HostRule, ...]:
    return tuple(_rules_in(Path(__file__).with_name(HOSTS_FILE)))


def _rules_in(path: Path) -> list[HostRule]:
    try:
        return _tables(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _tables(content: Mapping[str, Any]) -> list[HostRule]:
    tables = content.get("host", [])
    if not isinstance(tables, list) or set(content) - {"host"}:
        raise ValueError("unknown content; expected: tables [[host]]")
    return [_rule(table) for table in tables]


def _rule(table: Any) -> HostRule:  # noqa: ANN401 unchecked TOML
    if not isinstance(table, dict) or not set(table) <= _KEYS:
        raise ValueError(f"unknown keys in a host; expected: {', '.join(sorted(_KEYS))}")
    where = table.get("where", {})
    if not isinstance(where, dict) or not all(isinstance(one, str) for one in where.values()):
        raise ValueError('`where` is invalid; expected: { column = "regular expression" }')
    try:
        patterns = {column: re.compile(words, re.IGNORECASE) for column, words in where.items()}
    except re.error as error:
        raise ValueError(f"`where`: {error}; expected: a regular expression") from None
    cores = table.get("cores", 0)
    if type(cores) is not int or not 0 <= cores <= _MOST_CORES:
        raise ValueError(f"`cores` is {cores!r}; expected: 0 to {_MOST_CORES:,}")
    per_job, polling, lock = (_flag(table, key) for key in ("core_per_job", "polling", "lock"))
    times = _time(table, "request_ns"), _time(table, "switch_ns")
    variation_pct = _number(table, "variation_pct", _MOST_PCT, "%")
    scheduler_times = _time(table, "wake_ns"), _time(table, "dispatch_ns")
    slice_us = _number(table, "slice_us", _LONGEST_SLICE_US, "µs")
    if not (cores and times[0]):
        _refuse_times_of_cores(table)
    for key in ("polling", "lock"):
        if table.get(key) and not slice_us:
            raise ValueError(f"`{key}` is true without time slices; expected: `slice_us`")
    rule = HostRule(patterns, cores, *times, per_job, variation_pct, *scheduler_times)
    write_ns = _time(table, "write_ns")
    overrun_ppm = _number(table, "overrun_ppm", _MOST_OVERRUN_PPM, "ppm")
    return rule._replace(
        slice_us=slice_us,
        is_polling=polling,
        has_lock=lock,
        write_ns=write_ns,
        overrun_ppm=overrun_ppm,
    )


def _flag(table: Mapping[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"`{key}` is {value!r}; expected: true or false")  # noqa: TRY004 of a file
    return value


def _refuse_times_of_cores(table: Mapping[str, Any]) -> None:
    """Refuse values that have no effect without cores that take time for requests."""
    for key in ("variation_pct", "write_ns", "overrun_ppm", "dispatch_ns", "slice_us"):
        if table.get(key):
            raise ValueError(
                f"`{key}` is {table[key]!r} without cores; expected: `cores` and `request_ns`"
            )


def _time(table: Mapping[str, Any], key: str) -> float:
    return _number(table, key, _LONGEST_NS, "ns")


def _number(table: Mapping[str, Any], key: str, most: float, unit: str) -> float:
    value = table.get(key, 0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= most:
        raise ValueError(f"`{key}` is {value!r}; expected: 0 to {most:,.0f} {unit}")
    return float(value)


def host_of(cells: Cells, depth: int, jobs: int, rules: Sequence[HostRule]) -> Host:
    """Return the host settings of the first rule that applies to a row, with the cores of the row.

    Raises
    ------
    ValueError
        If a column is invalid.
    """
    found = (rule.host(depth, jobs) for rule in rules if rule.applies_to(cells))
    host = next(found, Host())
    if not cells.get("host_cores"):
        return host
    cores, request_ns = whole_in(cells, "host_cores"), number_in(cells, "host_request_ns") or 0
    if not 0 <= cores <= _MOST_CORES or request_ns > _LONGEST_NS:
        raise ValueError(f"{cores} cores of {request_ns:g} ns are out of range")
    if not (cores and request_ns):
        return Host(wake_ns=host.wake_ns)
    return Host(cores, request_ns, wake_ns=host.wake_ns, dispatch_ns=host.dispatch_ns)
