"""Distinct results among runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.repeats import result_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.report.report import Report


def distinct_results(reports: Iterable[Report]) -> int:
    """Count the different results among reports.

    Two runs have the same result if their reports agree in all figures of the simulated drive.
    Fewer results than seeds mean that the seed has no influence, as on a trace.

    Examples
    --------
    >>> from venice.report import Report
    >>> distinct_results([Report({"seed": 1, "iops": 5.0}), Report({"seed": 2, "iops": 5.0})])
    1
    """
    return len({result_of(report) for report in reports})


def says_the_same(one: Report, other: Report) -> bool:
    """Return true if two reports agree in all figures of the simulated drive."""
    return result_of(one) == result_of(other)
