"""Sections and tables of the scorecard in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def section(title: str, *paragraphs: str) -> str:
    """Return a section in Markdown."""
    return "\n\n".join([f"## {title}", *paragraphs]) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown: texts on the left, numbers on the right, – if missing.

    Examples
    --------
    >>> print(table(["name", "gain"], [["a", 1.256], ["b", None]]))
    | name | gain |
    | --- | ---: |
    | a | 1.26 |
    | b | – |
    """
    lines = [f"| {' | '.join(titles)} |", f"| --- |{' ---: |' * (len(titles) - 1)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
