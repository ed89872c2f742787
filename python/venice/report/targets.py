"""Targets for the figures of reports, read from TOML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError, explain_figure
from venice.files.documents import DocumentError, read_toml
from venice.files.open_errors import unreadable
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from venice.report import Report


@dataclass(frozen=True)
class Target:
    """Target for a figure in a job's report: its bounds."""

    job: str
    figure: str
    at_least: float | None
    at_most: float | None

    def value(self, report: Report) -> float | None:
        """Return the value of the figure in a report; ``None`` if the report lacks the figure."""
        found: float | None = figure(report, self.figure)
        return found

    def is_met(self, report: Report) -> bool:
        """Return true if the report contains the figure, and its value is within the bounds."""
        found = self.value(report)
        if found is None:
            return False
        above = self.at_least is None or found >= self.at_least
        return above and (self.at_most is None or found <= self.at_most)

    def __str__(self) -> str:
        """Return the bounds of the target as text."""
        least = [] if self.at_least is None else [f"at least {self.at_least:,g}"]
        most = [] if self.at_most is None else [f"at most {self.at_most:,g}"]
        return ", ".join([*least, *most])


def load_targets(path: Path, jobs: Sequence[str]) -> list[Target]:
    """Read targets from a file with a table for each job, whose keys are figures of the report.

    Raises
    ------
    UsageError
        If the file cannot be read, names a job that the suite lacks, or is invalid.
    """
    try:
        tables = read_toml(path)
    except OSError as error:
        raise UsageError(f"{path}: {unreadable(error, _TARGETS)}") from None
    except DocumentError as error:
        raise UsageError(f"{path}: {error}; expected: {_TARGETS}") from None
    unknown = [job for job in tables if job not in jobs]
    if unknown:
        raise UsageError(f"{path}: the suite has no job `{unknown[0]}`; it has {', '.join(jobs)}")
    return [target for job, figures in tables.items() for target in _targets(path, job, figures)]


def _targets(path: Path, job: str, figures: Any) -> Iterator[Target]:  # noqa: ANN401 what TOML has
    for name, bounds in figures.items() if isinstance(figures, dict) else [("", figures)]:
        if not _are_bounds(bounds):
            raise UsageError(
                f"{path}: [{job}] {name}: expected a figure of the report in quotes and its "
                'bounds, such as "latency_us.read.p99" = {at_most = 500}'
            )
        # Refuses names of figures that do not exist.
        explain_figure(name)
        yield Target(job, name, bounds.get("at_least"), bounds.get("at_most"))


def _are_bounds(bounds: Any) -> bool:  # noqa: ANN401 what TOML has
    return (
        isinstance(bounds, dict)
        and bool(bounds)
        and not set(bounds) - {"at_least", "at_most"}
        and all(type(bound) in {int, float} for bound in bounds.values())
    )


_TARGETS = "targets in TOML, a table for each job"
