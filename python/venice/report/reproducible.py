"""Removal of figures that differ between equal runs from reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.validation import OF_THE_COMPUTER

if TYPE_CHECKING:
    from venice.report.report import Report


def reproducible(report: Report) -> Report:
    """Return a report without wall time and build, so that equal runs have equal bytes.

    Examples
    --------
    >>> from venice.report import Report
    >>> dict(reproducible(Report({"iops": 5.0, "wall_s": 0.2})).content)
    {'iops': 5.0}
    """
    return report.with_content(
        {key: value for key, value in report.content.items() if key not in OF_THE_COMPUTER}
    )
