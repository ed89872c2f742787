"""Attribution of the tail latency to resources."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.view.latency_parts import PARTS, Resources, parts_by_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report

ONE_IN = 1000
"""Number of all requests per request that counts as the tail."""

MOST_RESOURCES = 10
"""Maximum number of resources that are named; the others are summed."""


class Share(NamedTuple):
    """Share of the tail's total latency that is due to one cause."""

    name: str
    us: float
    pct: float
    """Share rounded to a tenth, so that the shares of a table add up to 100 [%]."""


@dataclass(frozen=True)
class Tail:
    """Attribution of the latencies of a run's slowest requests."""

    requests: int
    """Number of slowest requests in the report that belong to the tail."""
    wanted: int
    """Number of requests in the tail, one in :data:`ONE_IN`; the report may contain fewer."""
    least_us: float
    """Shortest latency of these requests [µs]."""
    total_us: float
    """Sum of the latencies of these requests [µs]."""
    resources: Sequence[Share]
    """Share of the time by resource, the largest first; the last entry is the sum of all others."""
    causes: Sequence[Share]
    """Share of the time by cause, over all resources."""


def tail_of(report: Report) -> Tail | None:
    """Return the attribution of the slowest requests; ``None`` if the report has none."""
    slowest: Sequence[Mapping[str, Any]] = report.content.get("slowest") or ()
    if not slowest:
        return None
    wanted = ceil(report.requests.completed / ONE_IN)
    rows = slowest[:wanted]
    resources, labels = Resources(report), {part.key: part.label for part in PARTS}
    by_resource: defaultdict[str, float] = defaultdict(float)
    by_cause: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        for key, us in parts_by_key(row).items():
            by_resource[resources.name(key, row)] += us
            by_cause[labels[key]] += us
    return Tail(
        requests=len(rows),
        wanted=wanted,
        least_us=rows[-1]["latency_us"],
        total_us=sum(row["latency_us"] for row in rows),
        resources=_shares(_largest(by_resource)),
        causes=_shares(sorted(by_cause.items(), key=lambda item: -item[1])),
    )


def _largest(sums: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the largest shares; the last element is the sum of all other shares."""
    found = sorted(((name, us) for name, us in sums.items() if us), key=lambda item: -item[1])
    others = found[MOST_RESOURCES:]
    if others:
        rest = sum(us for _, us in others)
        found = [*found[:MOST_RESOURCES], (f"{len(others):,} others", rest)]
    return found


def _shares(sums: Sequence[tuple[str, float]]) -> list[Share]:
    named = [(name, us) for name, us in sums if us]
    pcts = rounded_shares([us for _, us in named])
    return [Share(name, us, pct) for (name, us), pct in zip(named, pcts, strict=True)]


def rounded_shares(values: Sequence[float]) -> list[float]:
    """Return shares in %, rounded to a tenth so that they add up to 100 (largest remainder).

    Examples
    --------
    >>> rounded_shares([1.0, 1.0, 1.0])
    [33.4, 33.3, 33.3]
    """
    total = sum(values)
    if not total:
        return [0.0 for _ in values]
    exact = [1000 * value / total for value in values]
    tenths = [int(value) for value in exact]
    missing = 1000 - sum(tenths)
    by_remainder = sorted(range(len(exact)), key=lambda place: tenths[place] - exact[place])
    for place in by_remainder[:missing]:
        tenths[place] += 1
    return [tenth / 10 for tenth in tenths]
