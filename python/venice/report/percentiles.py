"""Percentiles in the tables of a report, which the engine computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report.report import Report

USUAL = (50.0, 99.0, 99.9)
"""Default percentiles of a table."""

RECORDED = (*map(float, range(100)), *(99 + tenth / 10 for tenth in range(1, 10)), 99.99, 100.0)
"""Percentiles that a report contains."""


def parse_percentiles(text: str) -> tuple[float, ...]:
    """Parse a comma-separated list of percentiles.

    Raises
    ------
    UsageError
        If a percentile is not a number, or is not in reports.

    Examples
    --------
    >>> parse_percentiles("50,99.99")
    (50.0, 99.99)
    """
    return tuple(_one(part.strip(), text) for part in text.split(","))


def _one(part: str, text: str) -> float:
    try:
        percentile = float(part)
    except ValueError:
        percentile = -1.0
    found = next((recorded for recorded in RECORDED if abs(recorded - percentile) < 1e-9), None)  # noqa: PLR2004 rounding alone
    if found is None:
        raise UsageError(
            f"`{part}` is not a percentile of a report, in `percentiles=` {text}; "
            "expected: 0, 1 … 99, 99.1 … 99.9, 99.99 and 100"
        )
    return found


def title(percentile: float) -> str:
    """Return the name of a percentile for the title of a column.

    Examples
    --------
    >>> [title(percentile) for percentile in (50.0, 99.9, 100.0)]
    ['p50', 'p99.9', 'max']
    """
    return "max" if percentile == RECORDED[-1] else f"p{percentile:g}"


_KEYS = {50.0: "p50", 90.0: "p90", 99.0: "p99", 99.9: "p999", 100.0: "max"}
"""Percentiles that reports have for each queue and operation, with their keys."""


def key_of(percentile: float) -> str:
    """Return the key of a percentile in the latencies of a queue.

    Raises
    ------
    UsageError
        If reports do not have the percentile for queues.

    Examples
    --------
    >>> key_of(99.9)
    'p999'
    """
    key = _KEYS.get(percentile)
    if key is None:
        raise UsageError(
            f"`percentiles=`: {percentile:g} is not reported for single flows; "
            "expected: 50, 90, 99, 99.9 and 100"
        )
    return key


def latency_us(report: Report, percentile: float) -> float | None:
    """Return a percentile of the latencies of all requests, in microseconds."""
    named = {50.0: "p50", 99.0: "p99", 99.9: "p999", 100.0: "max"}.get(percentile)
    if named:
        exact: float | None = report.content["latency_us"]["all"][named]
        return exact
    points: Sequence[Sequence[float]] = report.content["latency_cdf"]
    return next((us for share, us in points if abs(share - percentile) < 1e-9), None)  # noqa: PLR2004
