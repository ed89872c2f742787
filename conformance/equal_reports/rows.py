"""Rows of ``reports.toml``: scenarios and expected reports."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from equal_reports.canonical import Figures, digest, flatten

if TYPE_CHECKING:
    from pathlib import Path

ABSENT = "none"
"""Value in ``reports.toml`` for a figure that the report lacks."""

RUN_FIGURES = (
    "requests.completed",
    "makespan_us",
    "iops",
    "latency_us.read.mean",
    "latency_us.read.p99",
    "latency_us.write.mean",
    "latency_us.write.p99",
    "flash.programs",
    "flash.erases",
    "path.conflict_pct",
    "utilisation.channel_pct",
    "energy_uj.total",
)
SEARCH_FIGURES = (
    "output",
    "pages",
    "pages_read",
    "matched_pages",
    "pages_failed_in_chip",
    "pif.time_us",
    "pif.energy_uj",
    "pif.fabric_bytes",
    "pis.time_us",
    "pis.energy_uj",
    "host.time_us",
    "host.energy_uj",
)
"""Figures listed in ``reports.toml`` for each kind of report, by canonical path."""


@dataclass(frozen=True)
class Row:
    """A scenario and its expected report.

    Attributes
    ----------
    name
        Name in ``reports.toml``.
    scenario
        Options of the run: see the head of ``reports.toml``.
    sha256
        The hash of the canonical report; ``None`` if the row has not been filled in.
    figures
        Twelve figures of the report.
    same_as
        The row that has the same report; ``None`` if no other row has.
    """

    name: str
    scenario: dict[str, Any]
    sha256: str | None = None
    figures: Figures | None = None
    same_as: str | None = None

    @classmethod
    def of(cls, name: str, table: dict[str, Any]) -> Row:
        """Create from the row's table."""
        scenario = dict(table)
        results = {key: scenario.pop(key, None) for key in ("sha256", "figures", "same_as")}
        if results["figures"] is not None:
            results["figures"] = dict(flatten(results["figures"]))
        return cls(name, scenario, **results)

    def filled(self, report: Figures) -> Row:
        """Return the row with the hash and figures of a canonical report."""
        return replace(self, sha256=digest(report), figures=readable_figures(report))


def readable_figures(report: Figures) -> Figures:
    """Return the twelve figures of a canonical report that its row has."""
    names = SEARCH_FIGURES if "output" in report else RUN_FIGURES
    values = {name: report.get(name) for name in names}
    return {name: ABSENT if value is None else value for name, value in values.items()}


class ReportsFile:
    """``reports.toml``: its rows, and the text around them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = path.read_text()
        content = tomllib.loads(self._text)
        self.uncovered: dict[str, Any] = content.pop("uncovered", {})
        self.rows = {name: Row.of(name, table) for name, table in content.items()}

    def put(self, row: Row) -> None:
        """Replace the result of a row, or add the row."""
        assert row.figures is not None
        # JSON texts and numbers are valid TOML, too.
        figures = ", ".join(f"{path} = {json.dumps(value)}" for path, value in row.figures.items())
        result = f'sha256 = "{row.sha256}"\nfigures = {{ {figures} }}\n'
        paragraph = rf"^(\[{re.escape(row.name)}\]\n(?:(?!sha256|figures).+\n)*)(?:.+\n)*"
        self._text, count = re.subn(
            paragraph, lambda found: found[1] + result, self._text, flags=re.MULTILINE
        )
        assert count == 1, f"{self._path.name} has no paragraph that begins with [{row.name}]"
        self.rows[row.name] = row

    def save(self) -> None:
        """Write the file."""
        tomllib.loads(self._text)
        self._path.write_text(self._text)
