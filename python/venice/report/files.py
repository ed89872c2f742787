"""Files of reports in a canonical form, in which equal reports have equal bytes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from venice.files import output
from venice.files.documents import MOST_REPORTS_BYTES, DocumentError, read_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike


EXPECTED = "what `--json` of a run or a comparison writes, or a sweep's results.json"
"""Description of a valid file of reports, for error messages."""


class ReportError(ValueError):
    """Error of an invalid file of reports."""


def to_json(value: Any) -> str:  # noqa: ANN401 any JSON value
    """Return JSON as in report files; a list of reports has one report per line."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_text(value: Any) -> str:  # noqa: ANN401 any JSON value
    """Return JSON without spaces, in the engine's form."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def save(text: str, path: str | PathLike[str]) -> None:
    """Write a text to a file atomically."""
    with output.create(os.fspath(path)) as file:
        file.write(text.encode())


def load_objects(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """Read a file of reports as plain JSON objects.

    Raises
    ------
    ReportError
        If the file contains no reports.
    """
    content = load_json(path)
    found = content if isinstance(content, list) else [content]
    check_all(found, path, is_comparison=isinstance(content, list))
    return found


def load_json(path: str | PathLike[str]) -> Any:  # noqa: ANN401 any JSON value
    """Return the JSON value in a file of reports.

    Raises
    ------
    ReportError
        If the file is not JSON.
    """
    try:
        return read_json(path, MOST_REPORTS_BYTES)
    except DocumentError as error:
        raise ReportError(f"{path}: {error}; expected: {EXPECTED}") from None


def check_all(
    reports: Sequence[Any], path: str | PathLike[str], *, is_comparison: bool = False
) -> None:
    """Refuse an object that is not a complete report of this version.

    Raises
    ------
    ReportError
        The message names the command that creates the reports again.
    """
    from venice.report.version import old_version, validation_error  # noqa: PLC0415 rarely used

    known = (isinstance(report, dict) and "schema_version" in report for report in reports)
    if not reports or not all(known):
        raise ReportError(f"{path}: holds no report of Venice; expected: {EXPECTED}")
    for report in reports:
        wrong = old_version(report, reports if is_comparison else ()) or validation_error(report)
        if wrong:
            raise ReportError(f"{path}: {wrong}")
