"""Tables of text: titles, a rule, rows."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_RULE = "─"


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
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


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
    # What prints no table should not wait for this.
    from prettytable import HRuleStyle, PrettyTable, VRuleStyle  # noqa: PLC0415

    table = PrettyTable(
        [str(column) for column in range(len(titles))],
        header=False,
        hrules=HRuleStyle.NONE,
        vrules=VRuleStyle.NONE,
        horizontal_char=_RULE,
        junction_char=_RULE,
    )
    for column in table.field_names:
        table.align[column] = "l" if int(column) < left else "r"
    # The library does not break the titles that it knows of.
    head = _title_rows(titles)
    for number, row in enumerate(head, 1):
        table.add_row(row, divider=number == len(head))
    table.add_rows(list(map(list, rows)))
    # Its lines begin and end where a frame would be.
    return "\n".join(line[1:-1].rstrip() for line in str(table).splitlines())


def _title_rows(titles: Sequence[str]) -> list[list[str]]:
    lines = [title.split("\n") for title in titles]
    height = max(map(len, lines))
    padded = [[""] * (height - len(title)) + title for title in lines]
    return [list(row) for row in zip(*padded, strict=True)]
