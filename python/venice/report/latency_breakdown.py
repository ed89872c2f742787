"""Table of the parts of the mean latency: stages, and waits by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.parts import PARTS, parts_us
from venice.report.rows import firsts
from venice.report.summary_table import names_of
from venice.text.layout import format_table
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report.rows import Row

_LEAST_SHARE = 0.001
"""Share of the largest mean below which a part has no line of its own."""


def breakdown_table_text(rows: Sequence[Row]) -> str:
    """Return a table with a line for each part of the mean latency, and a column for each row.

    Parts below a thousandth in every row are summed in the last line. The shares of the parts are
    shown if there is a single row.
    """
    columns = [_mean_parts(row) for row in rows]
    means = [sum(parts.values()) for parts in columns]
    least = _LEAST_SHARE * max(means)
    shown = [part for part in PARTS if any(parts[part.key] > least for parts in columns)]
    keys = {part.key for part in shown}
    labels = [*(part.label for part in shown), "other", "mean"]
    figures = [
        [
            *(parts[part.key] for part in shown),
            sum(us for key, us in parts.items() if key not in keys),
            mean,
        ]
        for parts, mean in zip(columns, means, strict=True)
    ]
    titles = ["where the mean\nrequest's time goes", *(f"{name}\nµs" for name in _names(rows))]
    texts = [column_texts(column) for column in figures]
    if len(rows) == 1:
        titles.append("\n%")
        texts.append(column_texts([100 * us / (means[0] or 1.0) for us in figures[0]]))
    lines = [
        line
        for line, each in zip(
            zip(labels, *texts, strict=True), zip(*figures, strict=True), strict=True
        )
        if line[0] != "other" or any(us > least / 10 for us in each)
    ]
    return format_table(titles, lines)


def _names(rows: Sequence[Row]) -> list[str]:
    return names_of(firsts(rows)) if len(rows) > 1 else [""]


def _mean_parts(row: Row) -> dict[str, float]:
    each = [parts_us(report) for report in row]
    return {part.key: sum(parts[part.key] for parts in each) / len(each) for part in PARTS}
