"""Tables of text: column titles, a rule, rows."""

from __future__ import annotations

import sys
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.box import Box

_UNLIMITED = 1 << 20
"""Width used if the output is not a terminal [characters]."""


def format_table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    r"""Return a table, which a narrow terminal shows in parts below each other.

    Each part has the text columns, and as many columns of figures as fit, at least one.

    Parameters
    ----------
    titles
        Title of each column, aligned at the rule; a line feed separates its lines.
    rows
        Cells of each row.
    left
        Number of left-aligned text columns; the others are figures.

    Examples
    --------
    >>> print(format_table(["fabric", "mean\nµs"], [["bus", "12.3"], ["venice", "8.1"]]))
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
    """Return the width of the terminal; ``None`` if the output is not a terminal."""
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
    # Rich takes as long to load as a short run, and not every command writes a table.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=_rule_below_titles(), show_edge=False, padding=(0, 1))
    height = max(title.count("\n") for title in titles)
    for column, title in enumerate(titles):
        head = Text("\n" * (height - title.count("\n")) + title)
        table.add_column(head, justify="left" if column < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    written = StringIO()
    console = Console(file=written, width=_UNLIMITED, color_system=None, force_terminal=False)
    console.print(table)
    lines = written.getvalue().splitlines()
    return "\n".join(map(str.rstrip, lines if rows else lines[: height + 1]))


def _rule_below_titles() -> Box:
    from rich.box import Box  # noqa: PLC0415 as above

    return Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
