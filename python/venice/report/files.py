"""Reports as files: one way to write them, so that equal reports are equal bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice import output

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from venice.report.report import Report


class ReportError(ValueError):
    """A file that should hold reports does not."""


def to_json(value: Any) -> str:  # noqa: ANN401 any JSON value
    """Write JSON in the one form that all files of ours have."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def reports_to_json(reports: Iterable[Report]) -> str:
    """Write a list of reports."""
    return to_json([report.to_dict() for report in reports])


def save(text: str, path: Path) -> None:
    """Write a file, whole or not at all."""
    with output.create(path) as file:
        file.write(text.encode())


def save_reports(reports: Iterable[Report], path: str | PathLike[str]) -> None:
    """Write a list of reports, as ``venice compare --json`` does."""
    save(reports_to_json(reports), Path(path))


def load_reports(path: str | PathLike[str]) -> list[Report]:
    """Read the file of ``venice run --json`` or ``venice compare --json``.

    Raises
    ------
    ReportError
        If the file holds no reports.
    """
    from venice.report.report import Report  # noqa: PLC0415 each needs the other

    try:
        content = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise ReportError(f"{path}: is not JSON: {error}") from None
    found = content if isinstance(content, list) else [content]
    if not all(isinstance(item, dict) and "schema_version" in item for item in found):
        raise ReportError(f"{path}: holds no report of Venice")
    return [Report(item) for item in found]
