"""The folder of a sweep: one file for each finished run, named by what was run.

A run is known by its resolved drive, its requests and the version of Venice, so a point that was
run before is found again even if the sweep has other axes now, and one whose drive or trace has
changed is not.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.report import Report
from venice.report.files import ReportError, save, to_json
from venice.scenario import drive_of, requests_of
from venice.sweep.figures import columns, rows
from venice.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.scenario import Scenario
    from venice.sweep.definition import Point, Sweep


class Store:
    """A folder with the results of a sweep.

    Attributes
    ----------
    folder
        Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs = folder / "runs"
        try:
            self._runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be made: {error.strerror}") from None

    def get(self, key: str) -> Report | None:
        """Give the report of a run that is finished; a file that holds none counts as not there."""
        try:
            return Report.load(self._runs / f"{key}.json")
        except (OSError, ReportError):
            return None

    def put(self, key: str, report: Report) -> None:
        """Keep the report of a run, whole or not at all."""
        report.save(self._runs / f"{key}.json")

    def write_results(self, sweep: Sweep, results: Sequence[tuple[Point, Report]]) -> None:
        """Write ``results.csv`` and ``results.json`` for a sweep."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*sweep.keys, *columns(results)])
        writer.writerows(rows(sweep, results))
        save(text.getvalue(), self.folder / "results.csv")
        content = [
            {"point": dict(point.choices), "report": report.to_dict()} for point, report in results
        ]
        save(to_json(content), self.folder / "results.json")


def run_key(scenario: Scenario) -> str:
    """Name a run by everything that its report depends on.

    Raises
    ------
    ConfigError
        If the drive is impossible.
    """
    parts: dict[str, Any] = {
        "version": __version__,
        "drive": drive_of(scenario).to_toml(),
        "requests": {
            key: _plain(value)
            for key, value in requests_of(scenario).items()
            # Whether a run is refused, which changes no report.
            if key != "most_folded_pct"
        },
        "audit": scenario.get("audit", False),
        "warmup": (scenario.get("warmup"), scenario.get("warmup_us")),
    }
    for key in ("trace", "workload", "load_state"):
        name = scenario.get(key)
        if name is not None and Path(str(name)).is_file():
            parts[f"{key}_file"] = _stamp(Path(str(name)))
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _plain(value: Any) -> Any:  # noqa: ANN401 what scenarios hold
    return value if value is None or isinstance(value, int | float | str) else str(value)


def _stamp(path: Path) -> tuple[int, int]:
    """Tell a file from another version of it without reading a gigabyte."""
    status = path.stat()
    return (status.st_size, status.st_mtime_ns)
