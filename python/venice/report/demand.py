"""Detection of overload, and notes on the load of a drive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.steadiness import steadiness_notes, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report


def is_saturated(report: Report) -> bool:
    """Return true if requests arrived faster than the drive served them.

    Examples
    --------
    >>> from venice.report import Report
    >>> is_saturated(Report({"demand": {"saturated": True}}))
    True
    """
    return bool(_demand(report).get("saturated"))


def verdict(report: Report) -> str:
    """Return a word for the problem of a run's load, such as saturation; empty if there is none.

    Examples
    --------
    >>> from venice.report import Report
    >>> verdict(Report({"steadiness": {"verdict": "not_settled"}}))
    'not settled'
    """
    if is_saturated(report):
        return "saturated"
    found = verdict_of(report)
    return "" if found == "settled" else found.replace("_", " ")


def offered_iops(report: Report) -> float | None:
    """Return the offered requests per second; ``None`` for a closed loop."""
    return _demand(report).get("offered_iops")


def backlog(report: Report) -> float | None:
    """Return the number of outstanding requests when the last one was issued."""
    return _demand(report).get("backlog")


def demand_notes(reports: Sequence[Report], names: Sequence[str]) -> list[str]:
    """Return notes on overloaded drives, and on the steady state of the other drives."""
    named = list(zip(names, reports, strict=True))
    alone = len(named) == 1
    notes = [
        note if alone else f"{name}: {note}"
        for name, report in named
        if (note := _overload(report))
    ]
    others = [(name, report) for name, report in named if not is_saturated(report)]
    return notes + steadiness_notes([report for _, report in others], [name for name, _ in others])


def _demand(report: Report) -> Mapping[str, Any]:
    found: Mapping[str, Any] = report.content.get("demand") or {}
    return found


def _overload(report: Report) -> str | None:
    # For hosts with a scheduler, another note reports the queue.
    if not is_saturated(report) or report.content.get("scheduler"):
        return None
    demand = _demand(report)
    rate, issued = demand["offered_iops"], sum(demand["issued"])
    if rate is None:
        return (
            f"Overloaded: all {issued:,} requests arrive at one instant, so latencies measure the "
            "backlog only."
        )
    served = f"{demand['completed_iops']:,.0f} are served"
    if demand["completed_iops"] < 1:
        served = "none is served before the last arrival"
    return (
        f"Overloaded: {rate:,.0f} requests/s are offered, {served}. "
        f"{demand['backlog']:,} of {issued:,} requests wait at the last arrival, so "
        "latencies measure the backlog only."
    )
