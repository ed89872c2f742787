"""Rows of the table of a sweep, one for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.figure_paths import columns, figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report import Report
    from venice.sweep.definition import Point, Sweep


def rows(sweep: Sweep, results: Sequence[tuple[Point, Report]]) -> list[list[Any]]:
    """Return a row for each run: its values on the axes, and then its figures."""
    paths = columns([report for _, report in results])
    return [
        [
            *(point.choices[key] for key in sweep.keys),
            *(figure(report, path) for path in paths),
        ]
        for point, report in results
    ]
