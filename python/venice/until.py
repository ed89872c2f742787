"""The criterion that ends a run: until the drive is steady, or a figure is known precisely."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from venice.report.report import Report

MOST_REQUESTS = 10_000_000
"""Requests of a workload at most, if a criterion ends the run and no number is given."""

_STEADY = "steady"
_RATE = "iops"
_OPERATIONS = ("all", "read", "write")
_LATENCIES = ("mean", "p50", "p90", "p99", "p999")
_CI = r"ci\(\s*([a-z0-9_.]+)\s*\)\s*<\s*(\d+(?:\.\d+)?)\s*%"
_BATCHES = 20
"""Batches of an interval at least."""
_REMEDY = "Raise --requests, take a longer trace, or allow a wider interval."
_PPM_PER_PCT = 10_000
_LARGEST_PCT = 100.0
_US_PER_DAY = 86_400e6


class Criterion(NamedTuple):
    """A criterion as the engine takes it."""

    figure: str
    """``steady``, ``iops``, or a figure of the latency."""
    operation: str = "all"
    """Operation of the latency."""
    most_ppm: int = 0
    """Largest half-width of the 95 % interval, in parts per million of the estimate."""


def parse_until(text: str) -> Criterion:
    """Read ``steady`` or ``ci(FIGURE) < P%``.

    Raises
    ------
    UsageError
        If the text is neither, or the figure cannot end a run.

    Examples
    --------
    >>> parse_until("steady").figure
    'steady'
    >>> parse_until("ci(latency_us.read.p99) < 2%")
    Criterion(figure='p99', operation='read', most_ppm=20000)
    """
    if text.strip() == _STEADY:
        return Criterion(_STEADY)

    found = re.fullmatch(_CI, text.strip())
    if found is None:
        raise UsageError(
            f"`until=` is `{text}`; it should be `steady` or a bound of an interval such as "
            "`ci(latency_us.read.p99) < 2%`"
        )
    share = float(found[2])
    if not 0 < share <= _LARGEST_PCT:
        raise UsageError(
            f"the bound of `until=` is {share:g} % in `{text}`; "
            "it should be above 0 and at most 100 %"
        )
    return Criterion(*_figure(found[1]), round(share * _PPM_PER_PCT))


def _figure(name: str) -> tuple[str, str]:
    if name == _RATE:
        return _RATE, "all"
    parts = name.split(".")
    if len(parts) == 3 and parts[0] == "latency_us":  # noqa: PLR2004 its parts
        _, operation, figure = parts
        if operation in _OPERATIONS and figure in _LATENCIES:
            return figure, operation
    raise UsageError(
        f"`{name}` cannot end a run, as `until=` has it; expected: iops or latency_us.OP.FIGURE, "
        f"where OP is {_listed(_OPERATIONS)} and FIGURE is {_listed(_LATENCIES)}"
    )


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def until_notes(report: Report, until: str | None = None) -> list[str]:
    """Say whether the criterion was reached, and after how many requests.

    `until` is the criterion as it was given; a report does not name its figure.
    """
    found = report.content.get("until")
    if not found:
        return []
    requests = f"{found['requests']:,} requests"
    end = f"reached after {requests}" if found["reached"] else f"not reached in {requests}"
    if found["criterion"] == _STEADY:
        return [f"Steady state was {end}."]
    if found["half_width_pct"] is None:
        few = f"The precision was {end}: too few for the {_BATCHES} batches of an interval."
        return [f"{few}{_estimate(report, until)} {_REMEDY}"]
    interval = (
        f"The precision was {end}: 95 % interval of ±{found['half_width_pct']:.2g} % "
        f"(at most {found['most_half_width_pct']:g} % asked) by {found['batches']} batch means of "
        f"{found['batch_requests']:,} requests."
    )
    return [interval if found["reached"] else f"{interval}{_estimate(report, until)} {_REMEDY}"]


def _estimate(report: Report, until: str | None) -> str:
    """Write the figure of the criterion, of all requests that were measured."""
    if until is None:
        return ""
    criterion = parse_until(until)
    if criterion.figure == _RATE:
        return f" The estimate so far is {report.iops:,.0f} IOPS, without that precision."
    from venice.report.table import time_text  # noqa: PLC0415 seldom wanted

    name = f"latency_us.{criterion.operation}.{criterion.figure}"
    value = getattr(report.latency_us[criterion.operation], criterion.figure)
    if value is None:
        return f" No request was measured for {name}."
    return f" The estimate so far is {name} = {time_text(value)}, without that precision."


def clock_notes(report: Report) -> list[str]:
    """Return the line that says that the end of the simulator's clock ended the run, if it did."""
    content = report.content
    if not content.get("ended_by_clock"):
        return []
    days = content["makespan_us"] / _US_PER_DAY
    requests = f"{content['requests']['completed']:,} requests"
    reason = "no request is issued later, so near the end of the simulator's clock"
    return [f"The run ended after {days:,.0f} days of simulated time and {requests}: {reason}."]


def until_word(report: Report) -> str:
    """Say in two words that a criterion was not reached; nothing otherwise.

    Examples
    --------
    >>> from venice.report import Report
    >>> until_word(Report({"until": {"reached": False}}))
    'not reached'
    """
    found = report.content.get("until")
    return "not reached" if found and not found["reached"] else ""
