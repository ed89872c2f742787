"""Rows of a comparison, each with the reports of all seeds."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from venice.report.report import Report

    Row = Sequence[Report]


def rows_of(reports: Sequence[Report], seeds: int = 1) -> list[Row]:
    """Split the reports of a comparison into rows of one report per seed.

    Examples
    --------
    >>> from venice.report import Report
    >>> [len(row) for row in rows_of([Report({})] * 6, seeds=3)]
    [3, 3]
    """
    return [reports[start : start + seeds] for start in range(0, len(reports), seeds)]


def firsts(rows: Iterable[Row]) -> list[Report]:
    """Return the first report of each row."""
    return [row[0] for row in rows]


def mean_of(row: Row, figure: Callable[[Report], float | None]) -> float | None:
    """Return the mean of a figure over the seeds; ``None`` if a run lacks the figure.

    An integer that is equal in all runs stays an integer.
    """
    found = [value for report in row if (value := figure(report)) is not None]
    if len(found) == len(row) and all(isinstance(one, int) and one == found[0] for one in found):
        return found[0]

    return fsum(found) / len(found) if len(found) == len(row) else None
