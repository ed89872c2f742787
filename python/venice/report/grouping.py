"""Grouping of runs into series for tables and pictures.

A run has a drive, a workload, settings of its load, and a seed. Runs that differ only in the seed
are samples of one series. Runs with other differences are separate series, unless the difference is
on an axis of the picture. Runs whose difference is not recorded in their reports are refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.report.configuration import drive_key
from venice.report.repeats import have_equal_results

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from venice.report.report import Report
    from venice.stats.paired_comparison import Seed

ARRIVALS = ("closed_loop", "rate_scale")
"""Settings of the arrival rate."""
LOAD = (
    *ARRIVALS,
    "requests",
    "warmup",
    "warmup_us",
    "devices",
    "trace_resample",
    "trace_block",
)
"""Settings of the load in addition to the trace or workload, named as options of ``venice run``."""
SEEDS = ("seed", "trace_seed")
"""Settings that distinguish samples of one load."""
OF_NO_DRIVE = (*LOAD, *SEEDS, "workload", "trace")
"""Axes of a sweep that do not change the drive."""


@dataclass(frozen=True)
class Result:
    """Run in a picture or table.

    Attributes
    ----------
    name
        Name of the drive.
    report
        Report of the run.
    choices
        Values on the axes of a sweep, by axis; empty for other runs.
    """

    name: str
    report: Report
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def workload(self) -> str:
        """Name of the trace or workload."""
        return str(self.report.workload.name)

    @property
    def seed(self) -> Seed:
        """Seed of the run, and seed of the trace if a sweep varies the latter."""
        seed: int = self.report.content.get("seed", 0)
        return (seed, self.choices["trace_seed"]) if "trace_seed" in self.choices else seed

    @property
    def load(self) -> dict[str, Any]:
        """Settings of the load; ``None`` for a setting that is absent or not recorded."""
        workload = self.report.content["workload"]
        stated = {
            "closed_loop": workload.get("queue_depth"),
            "devices": workload.get("device_layout"),
        }
        return {key: self.choices.get(key, stated.get(key)) for key in LOAD}


@dataclass(frozen=True)
class Series:
    """Runs of one drive under one load, one for each seed.

    Attributes
    ----------
    drive
        Name of the drive.
    workload
        Name of the trace or workload.
    load
        Settings of the load.
    runs
        Reports by seed.
    """

    drive: str
    workload: str
    load: Mapping[str, Any]
    runs: Mapping[Seed, Report]

    @property
    def seeds(self) -> int:
        """Number of distinct seeds."""
        return len(self.runs)

    @property
    def reports(self) -> list[Report]:
        """Reports, sorted by seed."""
        return [self.runs[seed] for seed in sorted(self.runs, key=str)]

    def like(self, other: Series) -> bool:
        """Return true if both series have the same requests."""
        return (self.workload, self.load) == (other.workload, other.load)


class Groups:
    """Series of a picture with their names, in the order of their first runs.

    Parameters
    ----------
    results
        Runs of the picture.
    axes
        Quantities on the picture's axes, which names omit: ``"workload"`` or keys of :data:`LOAD`.

    Raises
    ------
    UsageError
        If two runs of one seed have a difference that their reports do not record.

    Examples
    --------
    >>> from venice.report import Report
    >>> def run(scale, seed):
    ...     report = Report({"seed": seed, "workload": {"name": "hm_0"}})
    ...     return Result("bus", report, {"rate_scale": scale})
    >>> groups = Groups([run(1, 1), run(1, 2), run(8, 1)])
    >>> [(groups.name(series), series.seeds) for series in groups.series]
    [('bus, rate_scale=1', 2), ('bus, rate_scale=8', 1)]
    """

    def __init__(self, results: Sequence[Result], axes: Collection[str] = ()) -> None:
        self.series = list(_series(results))
        self._shown = [
            key
            for key in ("workload", *LOAD)
            if key not in axes and len({_value(one, key) for one in self.series}) > 1
        ]

    def name(self, series: Series) -> str:
        """Return the name of a series: its drive, and its differences from others of the drive."""
        return ", ".join([series.drive, *self._details(series)])

    def _details(self, series: Series) -> Iterator[str]:
        for key in self._shown:
            value = _value(series, key)
            if key == "workload":
                yield str(value)
            elif value is not None:
                yield f"{key}={format(value, 'g') if isinstance(value, float) else value}"


def _value(series: Series, key: str) -> Any:  # noqa: ANN401 a name or a number
    return series.workload if key == "workload" else series.load[key]


def _series(results: Sequence[Result]) -> Iterator[Series]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(_key(result), []).append(result)
    for runs in found.values():
        first = runs[0]
        yield Series(first.name, first.workload, first.load, _by_seed(runs))


def _key(result: Result) -> str:
    """Return a text that is equal for all runs of a series."""
    drive = drive_key(result.report.content)
    trace = result.choices.get("trace"), result.choices.get("workload")
    return json.dumps([result.name, drive, result.workload, trace, result.load], default=str)


def _by_seed(runs: Sequence[Result]) -> dict[Seed, Report]:
    """Return the reports by seed; duplicates are dropped."""
    found: dict[Seed, Report] = {}
    for run in runs:
        other = found.setdefault(run.seed, run.report)
        if not have_equal_results(other, run.report):
            raise UsageError(_unlike(run, other))
    return found


def _unlike(run: Result, other: Report) -> str:
    one, two = (_offered(report) for report in (other, run.report))
    rates = f" (offered: {one} and {two})" if one != two else ""
    return (
        f"`{run.name}` has two different runs of {run.workload} with seed {run.seed}{rates}, "
        "and their reports do not state in what they differ; expected one run for each seed. "
        "Draw them apart, or run them as a sweep (venice sweep) over what differs, such as "
        "rate_scale, whose points state it"
    )


def _offered(report: Report) -> str:
    rate = (report.content.get("demand") or {}).get("offered_iops")
    return "closed loop" if rate is None else f"{rate:,.0f} requests/s"
