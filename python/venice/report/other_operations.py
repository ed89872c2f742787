"""Table of the operations of a run other than reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.rows import firsts, mean_of, rows_of
from venice.report.summary_table import names_of
from venice.text.layout import format_table
from venice.text.units import written_column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.report.report import Report

_OPERATIONS = {"trim": "trim", "flush": "flush", "write_zeroes": "write zeroes"}
"""Label of each operation, by its key in a report."""


def other_operations_table(reports: Sequence[Report], *, seeds: int = 1) -> str | None:
    """Return a table of the trims, flushes and write zeroes; ``None`` if there are none.

    If there are several seeds, the values are means.
    """
    rows = rows_of(reports, seeds)
    names = names_of(firsts(rows))
    found = [
        (name, operation, row)
        for name, row in zip(names, rows, strict=True)
        for operation in _OPERATIONS
        if mean_of(row, _figure(operation, "count"))
    ]
    if not found:
        return None

    def column(figure: str) -> list[float | None]:
        return [mean_of(row, _figure(operation, figure)) for _, operation, row in found]

    counts = [f"{count or 0:,.0f}" for count in column("count")]
    written = [written_column(f"{key}\n{{}}", column(key)) for key in ("mean", "p99")]
    titles = ["", "operation", "requests", *(title for title, _ in written)]
    labels = [_OPERATIONS[operation] for _, operation, _ in found]
    columns = [[name for name, *_ in found], labels, counts, *(texts for _, texts in written)]
    return format_table(titles, list(zip(*columns, strict=True)))


def _figure(operation: str, figure: str) -> Callable[[Report], float | None]:
    """Return the function that reads a figure of an operation's latency from a report."""
    return lambda report: (report.content["latency_us"].get(operation) or {}).get(figure)
