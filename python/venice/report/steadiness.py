"""Notes on the steady-state verdict, which the engine determines.

SNIA's Performance Test Specification 2.0.2 (2020): over a measurement window of five rounds, the
largest and smallest value of a figure differ by at most 20 % of the average (data excursion), and
the regression line through the values rises or falls by at most 10 % of it (slope excursion).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.report.report import Report

ROUNDS = 5
"""Number of rounds in a measurement window."""
DATA_EXCURSION_PCT = 20.0
"""Maximum difference between the rounds of a figure in steady state, in % of their average."""
SLOPE_EXCURSION_PCT = 10.0
"""Maximum rise or fall of the line through the rounds of a figure in steady state, in % of their
average."""
UNPROGRAMMED_RISE_PCT = 10.0
"""Maximum rise of the data in the write buffer that flash does not have, in % of the data written
to the buffer meanwhile, in steady state."""

FIGURES = {
    "latency_us": ("latency", "µs"),
    "iops": ("IOPS", "requests/s"),
    "write_amplification": ("write amplification", "bytes/byte"),
    "free_blocks": ("number of free blocks", "blocks"),
}
"""Name and unit of each figure that is checked for steady state, by its key in the report."""

_NOT_SETTLED = "not_settled"
_UNDECIDED = "undecided"
_TIMES = 2.0
"""Smallest ratio of a change that is written as a factor instead of a percentage."""
_MILLION = 10**6


def verdict_of(report: Report) -> str:
    """Return the steady-state verdict: ``settled``, ``not_settled``, ``undecided``, or empty.

    Examples
    --------
    >>> from venice.report import Report
    >>> verdict_of(Report({"steadiness": {"verdict": "settled"}}))
    'settled'
    """
    return str(_steadiness(report).get("verdict", ""))


def is_amplification_settled(report: Report) -> bool:
    """Return true if the run is long enough for the write amplification of its drive.

    Examples
    --------
    >>> from venice.report import Report
    >>> found = {"steadiness": {"write_amplification_settled": False}}
    >>> is_amplification_settled(Report(found))
    False
    """
    return _steadiness(report).get("write_amplification_settled") is not False


def is_latency_steady(report: Report) -> bool | None:
    """Return true if the mean latencies of the rounds neither differ nor drift too much.

    ``None`` stands for a run that is too short to tell.

    Examples
    --------
    >>> from venice.report import Report
    >>> is_latency_steady(Report({"steadiness": {"latency_us": {"steady": False}}}))
    False
    """
    found: bool | None = (_steadiness(report).get("latency_us") or {}).get("steady")
    return found


def figures_of(report: Report) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the name, the unit and the rounds of each figure that is checked for steady state."""
    found = _steadiness(report)
    for key, (name, unit) in FIGURES.items():
        if found.get(key) is not None:
            yield name, unit, found[key]


def steadiness_notes(reports: Sequence[Report], names: Sequence[str]) -> list[str]:
    """Return notes with the steady-state verdict on one run, or on several named runs.

    Examples
    --------
    >>> from venice.report import Report
    >>> rising = {"rounds": [1, 2, 3, 4, 5.5], "slope_pct": 145.2, "range_pct": 145.2}
    >>> rising["steady"] = False
    >>> found = {"verdict": "not_settled", "latency_us": rising, "requests_needed": 3_000_000}
    >>> steadiness_notes([Report({"steadiness": found})], ["bus"])[0].partition(".")[0]
    'Not settled: latency rose 5'
    """
    named = [one for one in zip(names, reports, strict=True) if verdict_of(one[1])]
    if not named:
        return []
    notes = [_not_settled(named), _undecided(named)]
    found = [note for note in notes if note]
    return found or [_settled([report for _, report in named])]


def _settled(reports: Sequence[Report]) -> str:
    figures = [name for name, _, _ in figures_of(reports[0])]
    listed = f"{', '.join(figures[:-1])} and {figures[-1]}" if figures[1:] else "".join(figures)
    runs = f" in all {len(reports)} runs" if len(reports) > 1 else ""
    return f"Settled: {listed} are steady over five rounds{runs}."


def _not_settled(named: Sequence[tuple[str, Report]]) -> str:
    chosen = [(name, report) for name, report in named if verdict_of(report) == _NOT_SETTLED]
    if not chosen:
        return ""
    reasons = [(name, "; ".join(_reasons(report))) for name, report in chosen]
    alone = len(named) == 1
    texts = [reason if alone else f"{name} ({reason})" for name, reason in reasons]
    return f"Not settled: {', '.join(texts)}. {_advice([report for _, report in chosen])}"


def _undecided(named: Sequence[tuple[str, Report]]) -> str:
    chosen = [(name, report) for name, report in named if verdict_of(report) == _UNDECIDED]
    if not chosen:
        return ""
    runs = "the run is" if len(named) == 1 else f"{', '.join(name for name, _ in chosen)} are"
    return (
        f"Too few requests to tell whether {runs} settled. "
        f"{_advice([report for _, report in chosen])}"
    )


def _reasons(report: Report) -> Iterator[str]:
    for name, _, figure in figures_of(report):
        if not figure["steady"]:
            yield f"{name} {_change(figure)}"
    found = _steadiness(report)
    if not is_amplification_settled(report):
        blocks = found["blocks_written_per_plane"]
        shortage = f"only {blocks:.2g} blocks were written per plane"
        if blocks >= 1:
            shortage = "fewer than half as many blocks were erased as written"
        yield f"{shortage}, so write amplification is not known"
    if (rise_pct := found.get("unprogrammed_rise_pct") or 0) > UNPROGRAMMED_RISE_PCT:
        yield f"the write buffer filled with {rise_pct:.0f} % of the data written to it"


def _change(figure: Mapping[str, Any]) -> str:
    """Return a text on the trend of a figure over the rounds, or on its range."""
    first, *_, last = figure["rounds"]
    slope_pct = figure["slope_pct"]
    if abs(slope_pct) <= SLOPE_EXCURSION_PCT or not first:
        return f"varied by {figure['range_pct']:.0f} % between rounds"
    if slope_pct > 0 and last >= _TIMES * first:
        return f"rose {last / first:.1f}× during the run"
    verb = "rose" if slope_pct > 0 else "fell"
    return f"{verb} by {abs(slope_pct):.0f} % of its average during the run"


def _advice(reports: Sequence[Report]) -> str:
    needed = max(_steadiness(report).get("requests_needed") or 0 for report in reports)
    least = _count(needed)
    if any(report.content.get("workload", {}).get("format") for report in reports):
        return f"At least {least} requests are needed."
    if any(report.content.get("until") for report in reports):
        return f"At least {least} requests are needed: raise the upper bound."
    return f"Run at least {least} requests, or use --until steady."


def _count(requests: int) -> str:
    return f"{requests / _MILLION:,.2g} M" if requests >= _MILLION else f"{requests:,}"


def _steadiness(report: Report) -> Mapping[str, Any]:
    found: Mapping[str, Any] = report.content.get("steadiness") or {}
    return found
