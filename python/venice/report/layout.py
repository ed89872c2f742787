"""Tables of text: titles, a rule, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_RULE = "─"


def laid_out(titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    r"""Lay out a table, the same for a terminal and for a file.

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
    table.add_rows([list(row) for row in rows])
    # Its lines begin and end where a frame would be.
    return "\n".join(line[1:-1].rstrip() for line in str(table).splitlines())


def _title_rows(titles: Sequence[str]) -> list[list[str]]:
    lines = [title.split("\n") for title in titles]
    height = max(map(len, lines))
    padded = [[""] * (height - len(title)) + title for title in lines]
    return [list(row) for row in zip(*padded, strict=True)]
