"""Definition of an experiment: the runs that it needs, and the evaluation of their reports.

The rules for an experiment:

1. `points` returns the runs, each with different choices. An experiment that does not simulate a
   drive has no points.

2. `evaluate` only reads reports and does no long computations: it may be called again without runs.

3. The result of `evaluate` depends on the reports alone; equal reports give equal bytes.

4. Experiments that need the same run share it.

5. `follow` returns further runs, chosen by the reports of `points`, such as a search's second step.
   It receives no other reports, so that an interrupted command can resume.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.figure import Figure

    from venice.papers.scorecard import Claim
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.sweep.definition import Value


@dataclass(frozen=True)
class Finding:
    """Result of an experiment.

    Attributes
    ----------
    columns
        Names of the table's columns, each with its unit where it has one.
    rows
        Rows of the table.
    claims
        Rows of the scorecard.
    draw
        Function that draws the figure in the common style; ``None`` if there is no figure.
    text
        Markdown text before the scorecard rows of the experiment.
    summary
        Plain text that is printed in the terminal.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    claims: Sequence[Claim] = ()
    draw: Callable[[], Figure] | None = None
    text: str = ""
    summary: str = ""


class Runs:
    """Reports of an experiment's runs, by the choices that identify a run."""

    def __init__(
        self,
        results: Iterable[tuple[Point, Report]],
        refused: Iterable[tuple[Point, str]] = (),
    ) -> None:
        self._reports = {_key(dict(point.choices)): report for point, report in results}
        self._refused = {_key(dict(point.choices)): reason for point, reason in refused}

    def __len__(self) -> int:
        return len(self._reports)

    def find(self, **choices: Value) -> Report | None:
        """Return the report of the point with these choices; ``None`` if it is missing.

        The report is missing if the drive is impossible or the run failed. Keys with dots are
        passed as ``find(**{"array.rows": 4})``.
        """
        return self._reports.get(_key(choices))

    def refusal(self, **choices: Value) -> str | None:
        """Return why the drive of a point is impossible; ``None`` if it is possible."""
        return self._refused.get(_key(choices))

    def figure(self, metric: str, **choices: Value) -> float | None:
        """Return a figure of a point's report by its dotted name; ``None`` if it is missing."""
        value: Any = self.find(**choices)
        for step in metric.split("."):
            value = None if value is None else value[step]
        return None if value is None else float(value)


def _key(choices: dict[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(choices.items()))


def _no_points(_size: Size) -> Sequence[Point]:
    return ()


def _nothing_more(_runs: Runs, _size: Size) -> Sequence[Point]:
    return ()


@dataclass(frozen=True)
class Experiment:
    """A reproduction of a published figure or table, or an experiment of this project.

    Attributes
    ----------
    name
        Name on the command line and of its files.
    group
        Name of the suite, which selects all of its experiments.
    title
        Title on one line.
    source
        Reference to the publication; ``"ours"`` for an experiment of this project.
    evaluate
        Function that evaluates the reports.
    points
        Function that returns the runs for a given size.
    follow
        Function that returns further runs, chosen by the reports of the first.
    """

    name: str
    group: str
    title: str
    source: str
    evaluate: Callable[[Runs, Size], Finding]
    points: Callable[[Size], Sequence[Point]] = field(default=_no_points)
    follow: Callable[[Runs, Size], Sequence[Point]] = field(default=_nothing_more)
