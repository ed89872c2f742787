"""Reading of files that contain several reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.files import load_objects, save, to_json
from venice.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


def reports_to_json(reports: Iterable[Report]) -> str:
    """Return several reports as JSON text."""
    return to_json([report.content for report in reports])


def save_reports(reports: Iterable[Report], path: str | PathLike[str]) -> None:
    """Write several reports to a file, as ``venice compare --json`` does."""
    save(reports_to_json(reports), path)


def load_reports(path: str | PathLike[str]) -> list[Report]:
    """Read the reports in a file of ``venice run --json`` or ``venice compare --json``.

    Raises
    ------
    ReportError
        If the file contains no reports.
    """
    return [Report(item) for item in load_objects(path)]
