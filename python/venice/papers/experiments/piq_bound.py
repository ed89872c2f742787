"""Bound on the joint change of waiting time and latency of writes; not a claim of the paper.

In the paper's text, PIQ reduces the waiting time of writes by 46.3 % and their latency by 33.8 %.
PIQ+ reduces them by 70.5 % and 39.7 %. The first 46 points of waiting thus bring 34 points of
latency, the next 24 bring 6. Less waiting shortens a write by the same time, so on a trace whose
waiting is a share *w* of the latency, a point of waiting is *w* points of latency. The largest
reduction of waiting for a given reduction of latency occurs if it falls on the traces with the
smallest *w*; this module computes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers.experiments import piq_suite
from venice.papers.experiments.suite import ratio
from venice.papers.markdown import section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from venice.papers.experiments.piq_suite import Schemes
    from venice.report import Report

STEP = (5.9, 24.2)
"""Changes of latency and of waiting of writes from PIQ to PIQ+, in percentage points: 39.7 − 33.8
and 70.5 − 46.3."""


def most_waiting(weights: Iterable[tuple[float, float]], latency_points: float) -> float:
    """Return the largest mean change of waiting that a change of latency allows.

    Parameters
    ----------
    weights
        For each trace, the share of waiting in latency, and the share of waiting that remains.
    latency_points
        Mean change of latency, in percentage points.

    Examples
    --------
    >>> most_waiting([(0.5, 0.8), (1.0, 0.8)], 10.0)
    20.0
    >>> most_waiting([(0.0, 0.8), (1.0, 0.8)], 10.0)
    50.0
    """
    known = sorted(weights)
    left = latency_points / 100 * len(known)
    taken = 0.0
    for weight, there in known:
        part = min(there, left / weight) if weight > 0 else there
        taken += part
        left -= part * weight
    return 100 * taken / len(known) if known else 0.0


def bound_section(found: Schemes) -> str:
    """Return a section of the scorecard with the bound for the traces of some runs."""
    weights = [_weight(found, load) for load in found.loads]
    pairs = list(zip(weights, found.of_both_kinds(), strict=True))
    groups = {
        "with both kinds of requests": [of for of, both in pairs if of is not None and both],
        "with writes": [of for of, _ in pairs if of is not None],
    }
    lines = [_line(name, of) for name, of in groups.items() if of]
    if not lines:
        return ""
    latency, waiting = STEP
    text = (
        f"In the paper PIQ+ takes {waiting} points of the waiting of writes beyond PIQ, and "
        f"{latency} of their latency. The most points of waiting that {latency} of latency can "
        "come with, if all fall on the traces where waiting weighs least:"
    )
    return section("Waiting and latency of writes, PIQ+: a bound", text, "\n".join(lines))


def _line(name: str, weights: Sequence[tuple[float, float]]) -> str:
    latency, waiting = STEP
    shares = [100 * share for share, _ in weights]
    most = most_waiting(weights, latency)
    verdict = "fewer than" if most < waiting else "more than"
    return (
        f"- Traces {name} ({len(weights)}), where waiting is {min(shares):.0f} to "
        f"{max(shares):.0f} % of a write's latency under NOOP: {most:.1f}, {verdict} {waiting}"
    )


def _weight(found: Schemes, load: str) -> tuple[float, float] | None:
    reports = [found.report(load, scheme) for scheme in ("noop", "piq")]
    if not piq_suite.has_enough(reports[0], ("write",)):
        return None
    before, after = (None if report is None else _waiting(report) for report in reports)
    share = ratio(before, None if reports[0] is None else piq_suite.latency(reports[0], "write"))
    left = ratio(after, before)
    return None if share is None or left is None else (share, left)


def _waiting(report: Report) -> float | None:
    return piq_suite.waiting(report, "write")
