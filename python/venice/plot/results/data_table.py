"""Data of a picture, as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from venice.text import counts
from venice.text.html_table import html_table

_MOST_ROWS = 60
"""Maximum number of rows that a notebook shows."""
_WHOLE = 1000
"""Smallest number that is shown without decimals."""

Cell = str | float | int | bool | None


@dataclass(frozen=True)
class Table:
    """Rows of data under column titles."""

    titles: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """Method and confidence level of the intervals, if there are any."""

    def to_csv(self) -> str:
        """Return the table as CSV; cells without a figure are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.titles)
        writer.writerows(self.rows)
        return text.getvalue()

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        rows = [[_text(cell) for cell in row] for row in self.rows[:_MOST_ROWS]]
        few = f", the first {_MOST_ROWS} of them here" if len(self.rows) > _MOST_ROWS else ""
        return html_table(f"{counts.of(len(self.rows), 'row')}{few}", self.titles, rows)


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if abs(cell) >= _WHOLE else f"{cell:.4g}"


def number_of(cell: Cell) -> float | None:
    """Return the number in a cell; ``None`` for a text or an empty cell.

    Examples
    --------
    >>> number_of(2), number_of(None)
    (2.0, None)
    """
    return None if cell is None else float(cell)
