"""Loading of results from files, and their names in pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.files.open_errors import unreadable
from venice.report import Report
from venice.report.configuration import config_without_seed, drive_key
from venice.report.files import EXPECTED, ReportError, check_all, load_json
from venice.report.grouping import (
    OF_NO_DRIVE,
    Groups,
    Result,
)
from venice.report.repeats import seed_note
from venice.report.summary_table import drive_name
from venice.text.labels import labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def load_results(paths: Sequence[Path]) -> list[Result]:
    """Read the results in files of ``run --json`` and ``compare --json``, and in sweeps.

    Raises
    ------
    ReportError
        If a file holds no results.
    """
    found = [one for path in paths for one in _entries(path)]
    if not found:
        raise ReportError(f"{', '.join(map(str, paths))}: holds no run")
    return with_names(found)


def with_names(found: Sequence[tuple[Report, Mapping[str, Any]]]) -> list[Result]:
    """Return results named after their differences, with their values on a sweep's axes."""
    by_config = _names([report for report, _ in found])
    by_axes = [_of_axes(choices) for _, choices in found]
    names = by_axes if _are_distinct(by_axes, by_config) else by_config
    return [
        Result(name, report, choices) for (report, choices), name in zip(found, names, strict=True)
    ]


def _are_distinct(by_axes: Sequence[str], by_config: Sequence[str]) -> bool:
    """Return true if the names by axes distinguish all configurations."""
    return all(by_axes) and len(set(zip(by_axes, by_config, strict=True))) == len(set(by_axes))


def note_of_repeats(results: Sequence[Result]) -> str | None:
    """Return a note if runs that differ only in their seeds have equal results."""
    return seed_note(series.reports for series in Groups(results).series)


def _entries(path: Path) -> list[tuple[Report, Mapping[str, Any]]]:
    file = path / "results.json" if path.is_dir() else path
    try:
        content = load_json(file)
    except OSError as error:
        raise ReportError(f"{file}: {unreadable(error, EXPECTED)}") from None
    entries = [_parts(one) for one in (content if isinstance(content, list) else [content])]
    reports = [report for report, _ in entries]
    is_comparison = isinstance(content, list) and not any(choices for _, choices in entries)
    check_all(reports, file, is_comparison=is_comparison)
    return [(Report(report), choices) for report, choices in entries]


def _parts(one: Any) -> tuple[Any, Mapping[str, Any]]:  # noqa: ANN401 any JSON value
    """Return a report before validation, with its values on a sweep's axes."""
    if isinstance(one, dict) and isinstance(one.get("report"), dict):
        return one["report"], one.get("point", {})
    return one, {}


def _of_axes(choices: Mapping[str, Any]) -> str:
    of_drive = {key: value for key, value in choices.items() if key not in OF_NO_DRIVE}
    return ", ".join(
        str(value) if key in ("fabric", "drive") else f"{key.rsplit('.', 1)[-1]}={value}"
        for key, value in of_drive.items()
    )


def _names(reports: Sequence[Report]) -> list[str]:
    """Return the name of the drive of each report; runs of one drive have the same name."""
    keys = [drive_key(report.content) for report in reports]
    of_key = dict(zip(keys, reports, strict=True))
    drives = list(of_key.values())
    rows = [(drive_name(report), report.fabric) for report in drives]
    with_names = labels(rows, [config_without_seed(report.content) for report in drives])
    by_key = dict(zip(of_key, with_names, strict=True))
    return [by_key[key] for key in keys]
