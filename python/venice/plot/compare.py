"""Figure of a comparison: latency tail, mean and 99th percentile, and parts of the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.api.compare import Comparison
from venice.plot.canvas import lay_out
from venice.plot.comparison_panels import draw_means, draw_parts, draw_tails
from venice.plot.picture import Picture
from venice.plot.style import style, title_of
from venice.report.fabric_looks import looks_of
from venice.report.rows import firsts, rows_of
from venice.report.summary_table import names_of
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report import Report
    from venice.report.rows import Row

_SIZE_INCHES = (14.5, 4.2)


def draw_comparison(
    reports: Sequence[Report], *, seeds: int | None = None, confidence_pct: float = CONFIDENCE_PCT
) -> Picture:
    """Draw the reports of one comparison side by side.

    Parameters
    ----------
    reports
        One or more reports, as :func:`venice.compare` returns them. A fabric has the same colour in
        all pictures.
    seeds
        Number of reports of each row, one for each seed. Each report has a separate curve; bars are
        means with confidence intervals [default: the number of the comparison, 1 for a list].
    confidence_pct
        Confidence level of the intervals, in %.
    """
    own = reports.seeds if isinstance(reports, Comparison) else 1
    rows = rows_of(reports, own if seeds is None else seeds)
    with style():
        figure = Picture(figsize=_SIZE_INCHES, heading=_heading(reports, rows, confidence_pct))
        left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.1, 1.1))
        looks = looks_of(_names(rows))
        entries = draw_tails(left, rows, looks)
        draw_means(middle, rows, looks, confidence_pct)
        draw_parts(right, rows)
        lay_out(figure, *entries)
        return figure


def _names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the rows; rows with equal names are numbered."""
    names = names_of(firsts(rows))
    return [
        name if names.count(name) == 1 else f"{name} #{place}"
        for place, name in enumerate(names, 1)
    ]


def _heading(reports: Sequence[Report], rows: Sequence[Row], confidence_pct: float) -> str:
    seeds = len(rows[0])
    intervals = f", {confidence_pct:g} % intervals over {seeds} seeds" if seeds > 1 else ""
    return f"{title_of(reports)}{intervals}"
