"""Data of a picture, as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

Cell = str | float | int | bool | None


@dataclass(frozen=True)
class Table:
    """Rows under titles."""

    titles: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """Method and confidence level of its intervals, if it has any."""

    def to_csv(self) -> str:
        """Return the table as CSV; an empty cell is a missing figure."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.titles)
        writer.writerows(self.rows)
        return text.getvalue()


def number_of(cell: Cell) -> float | None:
    """Return the number in a cell.

    Examples
    --------
    >>> number_of(2), number_of(None)
    (2.0, None)
    """
    return None if cell is None else float(cell)
