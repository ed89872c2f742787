"""Exact latency distributions of runs with ``distributions=True``."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.report.report import Report


@dataclass(frozen=True)
class Latencies:
    """Latency distribution of requests [µs], exact to a thousandth."""

    count: int = 0
    bytes: int = 0
    min_us: float = 0.0
    mean_us: float = 0.0
    max_us: float = 0.0
    stdev_us: float = 0.0
    histogram: Sequence[tuple[float, int]] = ()

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Latencies:
        """Return the distribution from its part of a report."""
        pairs = [(us, count) for us, count in values["histogram"]]
        return cls(**{**values, "histogram": pairs})

    def percentile_us(self, percentile: float) -> float:
        """Return a percentile of the latency.

        Examples
        --------
        >>> latencies = Latencies(4, 0, 1.0, 2.5, 4.0, 1.1, [(1.0, 1), (2.0, 1), (3.0, 1), (4, 1)])
        >>> [latencies.percentile_us(percentile) for percentile in (25.0, 50.0, 100.0)]
        [1.0, 2.0, 4.0]
        """
        # Rounded, so that a floating-point error does not select the next request.
        rank = max(ceil(percentile / 100 * self.count - 1e-9), 1)
        running = list(accumulate(count for _, count in self.histogram))
        least_us = self.histogram[bisect_left(running, rank)][0]
        return self.max_us if rank == self.count else max(least_us, self.min_us)


NONE = Latencies()
"""Distribution without requests."""


def merged(one: Latencies, other: Latencies) -> Latencies:
    """Return the distribution of the requests of two distributions.

    Examples
    --------
    >>> fast = Latencies(2, 8192, 1.0, 2.0, 3.0, 1.0, [(1.0, 1), (3.0, 1)])
    >>> both = merged(fast, Latencies(2, 512, 3.0, 4.0, 5.0, 1.0, [(3.0, 1), (5.0, 1)]))
    >>> both.count, both.mean_us, round(both.stdev_us**2, 9), list(both.histogram)
    (4, 3.0, 2.0, [(1.0, 1), (3.0, 2), (5.0, 1)])
    """
    if not one.count or not other.count:
        return one if one.count else other
    count = one.count + other.count
    mean_us = (one.count * one.mean_us + other.count * other.mean_us) / count
    squares = sum(
        part.count * (part.stdev_us**2 + (part.mean_us - mean_us) ** 2) for part in (one, other)
    )
    histogram: Counter[float] = Counter(dict(one.histogram))
    histogram.update(dict(other.histogram))
    return Latencies(
        count,
        one.bytes + other.bytes,
        min(one.min_us, other.min_us),
        mean_us,
        max(one.max_us, other.max_us),
        sqrt(squares / count),
        sorted(histogram.items()),
    )


def distributions_of(report: Report) -> Mapping[str, Any]:
    """Return the exact distributions in a report.

    Raises
    ------
    UsageError
        If the run was made without ``distributions=True``.
    """
    found: Mapping[str, Any] | None = report.content.get("distributions")
    if found is None:
        raise UsageError(
            "this report has no whole distributions; run again with `distributions=True`"
        )
    return found
