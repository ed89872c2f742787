"""Table of the finished runs of a sweep, for terminals and notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from venice.report.criterion_notes import until_word
from venice.report.demand import verdict
from venice.report.figure_paths import figure
from venice.report.latency_bars import MOST_BARS, Bar, latency_bars
from venice.report.summary_table import folded_pct, skipped
from venice.text import counts
from venice.text.html_table import html_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report import Report
    from venice.sweep.definition import Point
    from venice.sweep.store import Results

MOST_ROWS = 60
"""Maximum number of runs that are shown; files contain all."""

_SHOWN = (
    ("mean µs", "latency_us.all.mean"),
    ("p99 µs", "latency_us.all.p99"),
    ("IOPS", "iops"),
)
_IF_ANY: tuple[tuple[str, Callable[[Report], object], Callable[[Report], str]], ...] = (
    ("load", verdict, verdict),
    ("until", until_word, until_word),
    ("folded %", folded_pct, lambda report: f"{folded_pct(report):.1f}"),
    ("skipped", skipped, lambda report: f"{skipped(report):,}"),
)
"""Optional columns: title, a function that tells if a run has the figure, and its text."""


def titles_and_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of the first runs: values on the axes and some figures."""
    first = results[:MOST_ROWS]
    reports = [report for _, report in first]
    more = [(title, text) for title, is_there, text in _IF_ANY if any(map(is_there, reports))]
    keys = list(dict.fromkeys(key for point, _ in first for key in point.choices))
    titles = [*keys, *(title for title, _ in _SHOWN), *(title for title, _ in more)]
    rows = [
        [
            *(str(point.choices.get(key, "")) for key in keys),
            *_figures(report),
            *(text(report) for _, text in more),
        ]
        for point, report in first
    ]
    return titles, rows


def outcome_html(
    results: Results, reasons: Sequence[tuple[Point, str]], seed_note: str | None
) -> str:
    """Return the finished runs of a sweep, and the points without a result, as HTML."""
    titles, rows = titles_and_rows(results)
    count = len(results)
    few = f", the first {MOST_ROWS} of them here" if count > MOST_ROWS else ""
    failures = [
        [str(point), reason.splitlines()[0].removeprefix("error: ")]
        for point, reason in reasons[:MOST_ROWS]
    ]
    table = html_table(f"{counts.of(count, 'run')}{few}", titles, rows) if count else "no runs"
    if count:
        first = results[:MOST_BARS]
        table += latency_bars([Bar(str(point), report) for point, report in first])
    table += f"<p>{escape(seed_note)}</p>" if seed_note else ""
    without = f"{len(reasons):,} without a result"
    return table + (html_table(without, ["point", "why"], failures) if failures else "")


def _figures(report: Report) -> list[str]:
    values = [figure(report, path) for _, path in _SHOWN]
    return ["–" if value is None else f"{value:,.2f}" for value in values]
