"""Samples over seeds of one figure, from many reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.report.figure_paths import FIGURES, STAGE_FIGURES, figure
from venice.stats import CONFIDENCE_PCT
from venice.text.suggestions import path_suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.report.grouping import Series
    from venice.stats import Sample
    from venice.stats.paired_comparison import Seed


def sample_of(series: Series, of: str, examples: str) -> Sample:
    """Return the values of a figure in the runs of a series, by seed.

    Parameters
    ----------
    of
        Name of the figure in a report, with dots.
    examples
        Figures that the error message suggests.

    Raises
    ------
    UsageError
        If a report has no such figure.
    """
    found: dict[Seed, float] = {}
    for seed, report in series.runs.items():
        value = figure(report, of)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(
                f"`{of}` is not a figure of the report of {series.drive}; for instance {examples}"
                f"{path_suggestion(of, [*FIGURES, *STAGE_FIGURES])}"
            )
        found[seed] = float(value)
    return found


def half_title(confidence_pct: float = CONFIDENCE_PCT) -> str:
    """Return the title of the column with half the confidence interval."""
    return f"half_of_{confidence_pct:g}_pct_interval"


def interval_note(seeds: Iterable[int], confidence_pct: float, *, of_ratios: bool = False) -> str:
    """Return a note on means and intervals; empty if there is only one seed.

    Examples
    --------
    >>> interval_note([3, 5], 95, of_ratios=True)
    "mean ratios over 3 to 5 seeds, 95 % intervals (Student's t, paired by seed)"
    >>> interval_note([1, 1], 95)
    ''
    """
    counts = sorted({1, *seeds} - {1})
    if not counts:
        return ""
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    what, method = ("mean ratios", ", paired by seed") if of_ratios else ("means", "")
    return f"{what} over {span} seeds, {confidence_pct:g} % intervals (Student's t{method})"
