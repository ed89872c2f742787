"""Whether a drive kept up with its requests, and whether their latencies are of one kind."""

from __future__ import annotations

from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from venice.report.report import Report


def is_saturated(report: Report) -> bool:
    """Whether requests came faster than the drive serves them.

    Examples
    --------
    >>> from venice.report import Report
    >>> is_saturated(Report({"demand": {"saturated": True}}))
    True
    """
    return bool(_demand(report).get("saturated"))


def verdict(report: Report) -> str:
    """Say in a word what is wrong with a run's load: nothing, if nothing is.

    Examples
    --------
    >>> from venice.report import Report
    >>> verdict(Report({"demand": {"saturated": False, "stationary": False}}))
    'drifting'
    """
    if is_saturated(report):
        return "saturated"
    return "drifting" if _demand(report).get("stationary") is False else ""


def offered_iops(report: Report) -> float | None:
    """Give the requests that came per second; ``None`` where the drive set their pace."""
    return _demand(report).get("offered_iops")


def backlog(report: Report) -> float | None:
    """Give how many requests were outstanding when the last one was issued."""
    return _demand(report).get("backlog")


def demand_notes(reports: Sequence[Report], names: Sequence[str]) -> list[str]:
    """Say which drives did not keep up, and which measured phases are not stationary.

    Of a single run it is said, too, that its measured phase is stationary.
    """
    if len(reports) == 1:
        return [note for note in (_overload(reports[0]), _steadiness(reports[0])) if note]
    named = list(zip(names, reports, strict=True))
    overloads = [f"{name}: {note}" for name, report in named if (note := _overload(report))]
    drifting = [
        f"{name} ({_demand(report)['drift_pct']:+.0f} %)"
        for name, report in named
        if _demand(report).get("stationary") is False and not is_saturated(report)
    ]
    if drifting:
        overloads.append(f"{_UNSTEADY}: {', '.join(drifting)}; {_REMEDY}")
    return overloads


_UNSTEADY = "not stationary, mean latency drifts over the measured phase"
_REMEDY = "a longer warm-up (--warmup) or more requests may help"


def _demand(report: Report) -> Mapping[str, Any]:
    found: Mapping[str, Any] = report.to_dict().get("demand") or {}
    return found


def _overload(report: Report) -> str | None:
    # Where the host has a scheduler, its own note tells of its queue.
    if not is_saturated(report) or report.to_dict().get("scheduler"):
        return None
    demand = _demand(report)
    return (
        f"past saturation: {demand['offered_iops']:,.0f} requests/s come and "
        f"{demand['completed_iops']:,.0f} are served; {demand['backlog']:,} of "
        f"{sum(demand['issued']):,} wait when the last one comes, so latencies tell how long the "
        "run was"
    )


def _steadiness(report: Report) -> str | None:
    demand = _demand(report)
    if demand.get("drift_pct") is None or is_saturated(report):
        return None
    drift_pct = round(demand["drift_pct"], 1) + 0.0  # no minus before a nought
    if demand["stationary"] is None:
        return (
            f"mean latency drifts by {drift_pct:+} % over the measured phase, which may be chance: "
            "more requests tell whether it is stationary"
        )
    if demand["stationary"]:
        return f"stationary: mean latency drifts by {drift_pct:+} % over the measured phase"
    return f"{_UNSTEADY} by {demand['drift_pct']:+.0f} %; {_REMEDY}"
