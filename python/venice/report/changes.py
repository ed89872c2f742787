"""Changes of figures between two files of reports, for example before and after changing a drive.

Runs are matched by drive, fabric and workload; their configurations may differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice import stats
from venice._native import UsageError
from venice.report.figure_paths import FIGURES, STAGE_FIGURES, figure
from venice.report.summary_table import drive_name
from venice.stats import CONFIDENCE_PCT, sample
from venice.text.layout import format_table
from venice.text.suggestions import path_suggestion
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from venice.report.report import Report
    from venice.stats import Estimate, Sample

USUAL = ("latency_us.all.mean", "latency_us.all.p99", "iops", "write_amplification")
"""Figures that are compared by default if both runs have them."""
_TITLES = ("run", "figure", "before", "after", "change")


class Run(NamedTuple):
    """Drive, fabric and workload of a run, with a number if a file has several equal runs."""

    drive: str
    fabric: str
    workload: str
    number: int = 1

    def __str__(self) -> str:
        """Return the name of the run in tables."""
        number = f" #{self.number}" if self.number > 1 else ""
        return f"{self.drive}, {self.fabric}, {self.workload}{number}"


class Change(NamedTuple):
    """Change of a figure of a run.

    Attributes
    ----------
    before, after
        Means over seeds; ``None`` if the run is missing.
    change_pct
        Mean of the changes with each seed [%]; ``None`` if a run is missing or the figure was 0.
    """

    run: Run
    figure: str
    before: float | None
    after: float | None
    change_pct: Estimate | None

    @property
    def is_significant(self) -> bool:
        """True if the figure changed and the confidence interval over seeds, if any, excludes 0."""
        if self.change_pct is None:
            return self.before != self.after
        return abs(self.change_pct.mean) > (self.change_pct.half or 0.0)


def changes(
    before: Sequence[Report],
    after: Sequence[Report],
    figures: Sequence[str] = (),
    confidence_pct: float = CONFIDENCE_PCT,
) -> list[Change]:
    """Return the changes of figures between two lists of reports.

    Parameters
    ----------
    figures
        Names of figures in a report [default: those of :data:`USUAL` that the runs have].

    Raises
    ------
    UsageError
        If no report has one of the figures, or no run occurs in both lists.
    """
    first, second = _runs(before), _runs(after)
    if not first.keys() & second.keys():
        names = " and ".join(str(next(iter(runs))) for runs in (first, second))
        raise UsageError(
            f"no run is in both files ({names}); expected: runs of the same drives, fabrics and "
            "workloads"
        )
    found = [
        _change(run, name, (first.get(run, ()), second.get(run, ())), confidence_pct)
        for run in dict.fromkeys([*first, *second])
        for name in figures or USUAL
    ]
    for name in figures:
        if not any(one.figure == name and (one.before, one.after) != (None, None) for one in found):
            hint = path_suggestion(name, [*FIGURES, *STAGE_FIGURES])
            raise UsageError(f"`{name}` is not a figure of a run{hint}")
    return [one for one in found if (one.before, one.after) != (None, None)]


def table_of(found: Sequence[Change]) -> str:
    """Return the changes as a table for a terminal."""
    return format_table(_TITLES, list(_rows(found)), left=2)


def markdown_of(found: Sequence[Change]) -> str:
    """Return the changes as a table in Markdown, with significant ones in bold."""
    lines = [f"| {' | '.join(_TITLES)} |", "| --- | --- | ---: | ---: | ---: |"]
    for one, (run, name, before, after, change) in zip(found, _rows(found), strict=True):
        shown = f"**{change}**" if one.is_significant else change
        cells = [" ".join(run.split()).replace("|", "\\|"), f"`{name}`", before, after, shown]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _runs(reports: Sequence[Report]) -> dict[Run, list[Report]]:
    """Return the reports of each run, by seed."""
    found: dict[Run, list[Report]] = {}
    for report in reports:
        run = Run(drive_name(report), report.fabric, str(report.workload.name))
        while any(other.seed == report.seed for other in found.get(run, ())):
            run = run._replace(number=run.number + 1)
        found.setdefault(run, []).append(report)
    return found


def _change(
    run: Run, name: str, both: tuple[Iterable[Report], Iterable[Report]], confidence_pct: float
) -> Change:
    before, after = (_sample(reports, name) for reports in both)
    ratio = stats.ratio(after, before, confidence_pct)
    change = None
    if ratio is not None:
        half = None if ratio.half is None else ratio.half * 100
        change = ratio._replace(mean=(ratio.mean - 1) * 100, half=half)
    return Change(run, name, _mean(before), _mean(after), change)


def _sample(reports: Iterable[Report], name: str) -> Sample:
    def number(report: Report) -> float | None:
        value = figure(report, name)
        return None if isinstance(value, bool) or not isinstance(value, int | float) else value

    return sample(reports, number) or {}


def _mean(values: Mapping[object, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None


def _rows(found: Sequence[Change]) -> Iterator[list[str]]:
    for one in found:
        before, after = column_texts([one.before, one.after])
        yield [str(one.run), one.figure, before, after, _percentage(one.change_pct)]


def _percentage(change: Estimate | None) -> str:
    if change is None:
        return "–"
    half = "" if change.half is None else f" ± {change.half:.1f}"
    return f"{change.mean:+.1f}{half} %".replace("-", "−")
