"""Tables of text: titles, a rule, rows."""

from __future__ import annotations

import sys
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_RULE = "─"
_GAP = "   "
_ABSENT = "–"
_FIRST_OF_OTHER_WIDTH = "\u0300"
"""The first combining character; wide ones come later."""
_WIDE = {"W": 2, "F": 2}


def laid_out(titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    r"""Lay out a table; on a terminal that is too narrow for it, in parts below each other.

    Each part has the columns of text, and as many figures as there is room for, at least one.

    Parameters
    ----------
    titles
        One for each column; lines of one are apart by a line feed, and end above the rule together.
    rows
        The cells.
    left
        How many columns are text, which begins at the left; those behind them are figures.

    Examples
    --------
    >>> print(laid_out(["fabric", "mean\nµs"], [["bus", "12.3"], ["venice", "8.1"]]))
              mean
     fabric     µs
    ───────────────
     bus      12.3
     venice    8.1
    """
    cells = [list(row) for row in rows]
    whole = _table(titles, cells, left)
    width = _terminal_width()
    if width is None or _width(whole) <= width:
        return whole
    return "\n\n".join(_parts(titles, cells, left, width))


def _terminal_width() -> int | None:
    """Give the columns of the terminal that text is written to, if it is one."""
    if not sys.stdout.isatty():
        return None

    return get_terminal_size().columns


def _width(text: str) -> int:
    return max(map(len, text.splitlines()))


def _parts(
    titles: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int
) -> Iterator[str]:
    start = left
    while start < len(titles):
        end, part = start + 1, _part(titles, rows, left, slice(start, start + 1))
        while end < len(titles):
            wider = _part(titles, rows, left, slice(start, end + 1))
            if _width(wider) > width:
                break
            end, part = end + 1, wider
        yield part
        start = end


def _part(titles: Sequence[str], rows: Sequence[Sequence[str]], left: int, figures: slice) -> str:
    def of(row: Sequence[str]) -> list[str]:
        return [*row[:left], *row[figures]]

    return _table(of(titles), [of(row) for row in rows], left)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    head = _title_rows(titles)
    body = [list(line) for row in rows for line in _lines_of(row)]
    columns = list(zip(*head, *body, strict=True))
    widths = [max(map(_columns_of, cells)) for cells in columns]

    def line(cells: Sequence[str]) -> str:
        padded = (
            _padded(cell, width, at_left=column < left)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f" {_GAP.join(padded)}".rstrip()

    rule = _RULE * (sum(widths) + len(_GAP) * (len(widths) - 1) + 2)
    return "\n".join([*map(line, head), *([rule] if body else []), *map(line, body)])


def _lines_of(row: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip_longest(*(cell.split("\n") for cell in row), fillvalue="")


def _padded(cell: str, width: int, *, at_left: bool) -> str:
    blanks = " " * (width - _columns_of(cell))
    return cell + blanks if at_left else blanks + cell


def _columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: some characters take two, or none."""
    if all(char < _FIRST_OF_OTHER_WIDTH or char == _ABSENT for char in text):
        return len(text)

    return sum(_WIDE.get(east_asian_width(char), 1) for char in text if not combining(char))


def _title_rows(titles: Sequence[str]) -> list[list[str]]:
    lines = [title.split("\n") for title in titles]
    height = max(map(len, lines))
    padded = [[""] * (height - len(title)) + title for title in lines]
    return [list(row) for row in zip(*padded, strict=True)]
