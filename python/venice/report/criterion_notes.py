"""Notes about why a run ended: a criterion, or the end of the simulator's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.options.criterion import BATCHES, RATE, STEADY, parse_until
from venice.text.units import time_text

if TYPE_CHECKING:
    from venice.report.report import Report


_REMEDY = "Raise --requests, take a longer trace, or allow a wider interval."
_US_PER_DAY = 86_400e6


def until_notes(report: Report, until: str | None = None) -> list[str]:
    """Return notes that state whether the criterion was reached, and after how many requests.

    `until` is the text of the criterion, whose figure is not named in a report.
    """
    found = report.content.get("until")
    if not found:
        return []
    requests = f"{found['requests']:,} requests"
    end = f"reached after {requests}" if found["reached"] else f"not reached in {requests}"
    if found["criterion"] == STEADY:
        return [f"Steady state was {end}."]
    if (absent := _absent_operation(report, until)) is not None:
        return [
            f"The precision was {end}: the run has no {absent}s. Choose a figure of its requests."
        ]
    if found["half_width_pct"] is None:
        few = f"The precision was {end}: too few for the {BATCHES} batches of an interval."
        return [f"{few}{_estimate(report, until)} {_REMEDY}"]
    interval = (
        f"The precision was {end}: 95 % interval of ±{found['half_width_pct']:.2g} % "
        f"(at most {found['most_half_width_pct']:g} % requested) by {found['batches']} batch means "
        f"of {found['batch_requests']:,} requests."
    )
    return [interval if found["reached"] else f"{interval}{_estimate(report, until)} {_REMEDY}"]


def _absent_operation(report: Report, until: str | None) -> str | None:
    """Return the operation of the criterion if the run measured no such request."""
    if until is None:
        return None
    criterion = parse_until(until)
    is_rate = criterion.figure == RATE
    if is_rate or report.latency_us[criterion.operation].count:
        return None
    return "request" if criterion.operation == "all" else criterion.operation


def _estimate(report: Report, until: str | None) -> str:
    """Return a text with the criterion's figure over all measured requests."""
    if until is None:
        return ""
    criterion = parse_until(until)
    if criterion.figure == RATE:
        return f" The estimate so far is {report.iops:,.0f} IOPS, without that precision."

    name = f"latency_us.{criterion.operation}.{criterion.figure}"
    value = getattr(report.latency_us[criterion.operation], criterion.figure)
    return f" The estimate so far is {name} = {time_text(value)}, without that precision."


def clock_notes(report: Report) -> list[str]:
    """Return a note if the run ended at the limit of the simulator's clock."""
    content = report.content
    if not content.get("ended_by_clock"):
        return []
    days = content["makespan_us"] / _US_PER_DAY
    requests = f"{content['requests']['completed']:,} requests"
    reason = "no request is issued later, so near the end of the simulator's clock"
    return [f"The run ended after {days:,.0f} days of simulated time and {requests}: {reason}."]


def until_word(report: Report) -> str:
    """Return "not reached" if the run's criterion was not reached, otherwise an empty text.

    Examples
    --------
    >>> from venice.report import Report
    >>> until_word(Report({"until": {"reached": False}}))
    'not reached'
    """
    found = report.content.get("until")
    return "not reached" if found and not found["reached"] else ""
