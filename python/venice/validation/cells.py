"""Numbers in the cells of a CSV file."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    Cells = Mapping[str, str]


def number_in(cells: Cells, column: str) -> float | None:
    """Return the number in a cell, 0 or more; ``None`` for an empty or absent cell.

    Raises
    ------
    ValueError
        If the cell does not contain such a number.
    """
    text = cells.get(column)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not 0 <= number < inf:
        raise ValueError(f"`{column}` is `{text}`; expected: a number, 0 or more")
    return number


def whole_in(cells: Cells, column: str) -> int:
    """Return the whole number in a cell.

    Raises
    ------
    ValueError
        If the cell does not contain a whole number.
    """
    try:
        return int(cells[column])
    except ValueError:
        raise ValueError(f"`{column}` is `{cells[column]}`; expected: a whole number") from None
