"""Results that are kept in files, and what each is called in a picture."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from venice.labels import labels
from venice.report import Report
from venice.report.files import ReportError
from venice.report.repeats import seed_note
from venice.report.table import drive_name
from venice.sweep.repeats import SEEDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Result:
    """A run.

    Attributes
    ----------
    name
        What tells its drive from the others; runs that differ in nothing but their seed or their
        load have one name.
    report
        What it says.
    choices
        Of a run of a sweep, its value on each axis.
    """

    name: str
    report: Report
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def workload(self) -> str:
        """What its requests are called."""
        return str(self.report.workload.name)


OF_THE_LOAD = (
    "closed_loop",
    "rate_scale",
    "workload",
    "trace",
    "devices",
    "trace_resample",
    "trace_block",
    "trace_seed",
    "seed",
    "requests",
)
"""Axes of a sweep that change no drive, and are in no name."""


def load_results(paths: Sequence[Path]) -> list[Result]:
    """Read files of ``run --json`` and ``compare --json``, and sweeps: their folder or its file.

    Raises
    ------
    ReportError
        If a file holds no results.
    """
    found = [one for path in paths for one in _entries(path)]
    if not found:
        raise ReportError(f"{', '.join(map(str, paths))}: holds no run")
    names = _names([report for report, _ in found])
    return [
        Result(_of_axes(choices) or name, report, choices)
        for (report, choices), name in zip(found, names, strict=True)
    ]


def note_of_repeats(results: Sequence[Result]) -> str | None:
    """Say that the seed changes nothing, if runs that differ in it alone do not differ."""
    groups: dict[str, dict[tuple[object, ...], Report]] = {}
    for one in results:
        axes = {key: value for key, value in one.choices.items() if key not in SEEDS}
        workload = one.report.to_dict()["workload"]
        place = [_drive_key(one.report), axes, *map(workload.get, ("name", "loop", "queue_depth"))]
        seeds = (one.report.seed, one.choices.get("trace_seed"))
        groups.setdefault(json.dumps(place, sort_keys=True), {})[seeds] = one.report
    return seed_note(list(group.values()) for group in groups.values())


def _entries(path: Path) -> list[tuple[Report, Mapping[str, Any]]]:
    file = path / "results.json" if path.is_dir() else path
    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise ReportError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ReportError(f"{file}: is not JSON: {error}") from None
    return [_entry(one, file) for one in (content if isinstance(content, list) else [content])]


def _entry(one: Any, file: Path) -> tuple[Report, Mapping[str, Any]]:  # noqa: ANN401 any JSON value
    choices: Mapping[str, Any] = {}
    if isinstance(one, dict) and isinstance(one.get("report"), dict):
        one, choices = one["report"], one.get("point", {})
    if not isinstance(one, dict) or "schema_version" not in one:
        raise ReportError(f"{file}: holds no report of Venice")
    return Report(one), choices


def _of_axes(choices: Mapping[str, Any]) -> str:
    told = {key: value for key, value in choices.items() if key not in OF_THE_LOAD}
    return ", ".join(
        str(value) if key in ("fabric", "drive") else f"{key.rsplit('.', 1)[-1]}={value}"
        for key, value in told.items()
    )


def _names(reports: Sequence[Report]) -> list[str]:
    """Call each drive once, however many runs there are of it."""
    keys = [_drive_key(report) for report in reports]
    of_key = dict(zip(keys, reports, strict=True))
    drives = list(of_key.values())
    rows = [(drive_name(report), report.fabric) for report in drives]
    named = labels(rows, [_without_seed(report) for report in drives])
    by_key = dict(zip(of_key, named, strict=True))
    return [by_key[key] for key in keys]


def _drive_key(report: Report) -> str:
    return json.dumps([report.fabric, _without_seed(report)], sort_keys=True)


def _without_seed(report: Report) -> dict[str, Any]:
    config = copy.deepcopy(report.to_dict()["config"])
    config.get("run", {}).pop("seed", None)
    return dict(config)
