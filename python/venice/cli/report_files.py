"""Files of reports that commands read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.files.open_errors import unreadable
from venice.report.files import EXPECTED
from venice.report.report_lists import load_reports

if TYPE_CHECKING:
    from pathlib import Path

    from venice.report import Report


def reports_in(path: Path) -> list[Report]:
    """Read all reports of a file.

    Raises
    ------
    UsageError
        If the file cannot be read.
    ReportError
        If the file contains no reports.
    """
    try:
        return load_reports(path)
    except OSError as error:
        raise UsageError(f"{path}: {unreadable(error, EXPECTED)}") from None


def load_single_report(path: Path) -> Report:
    """Read a report from a file that must contain exactly one.

    Raises
    ------
    UsageError
        If the file cannot be read, or holds several reports.
    ReportError
        If the file contains no reports.
    """
    found = reports_in(path)
    if len(found) != 1:
        raise UsageError(
            f"{path}: holds {len(found)} reports; expected: one, as `venice run --json` writes it"
        )
    return found[0]
