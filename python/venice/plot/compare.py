"""Figure of a comparison: distribution, mean and tail, latency breakdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.api.compare import Comparison
from venice.plot.bars import draw_bars
from venice.plot.breakdown import draw_breakdown
from venice.plot.cdf import draw_cdf
from venice.plot.picture import Picture
from venice.plot.style import style, title_of
from venice.report.rows import rows_of
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report import Report

_SIZE_INCHES = (14.5, 4.0)

# Places as shares of the figure. Fixed, because the solver behind matplotlib's automatic layouts
# gives coordinates that differ in their last digits from one figure to the next, so other bytes.
_PLACES = {"left": 0.039, "right": 0.83, "bottom": 0.14, "top": 0.86, "wspace": 0.2}


def draw_comparison(
    reports: Sequence[Report], *, seeds: int | None = None, confidence_pct: float = CONFIDENCE_PCT
) -> Picture:
    """Draw the reports of one comparison beside each other.

    Parameters
    ----------
    reports
        At least one, as :func:`venice.compare` returns them.
    seeds
        Reports of each row, one for each seed: each has a curve of its own, and the bars are means
        with their confidence intervals. By default a comparison's own number, and 1 for a list.
    confidence_pct
        Confidence level of the intervals, in %.
    """
    own = reports.seeds if isinstance(reports, Comparison) else 1
    rows = rows_of(reports, own if seeds is None else seeds)
    with style():
        figure = Picture(figsize=_SIZE_INCHES)
        figure.subplots_adjust(**_PLACES)
        left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.1, 1.1))
        draw_cdf(left, rows)
        draw_bars(middle, rows, confidence_pct)
        draw_breakdown(right, rows)
        figure.suptitle(title_of(reports), x=0.01, ha="left")
        return figure
