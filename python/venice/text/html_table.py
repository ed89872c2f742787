"""HTML tables for notebooks, without scripts, style sheets or external resources."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def html_table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return an HTML table whose first column has the names of the rows.

    Examples
    --------
    >>> html_table("of <one> row", ["fabric", "mean\nµs"], [["bus", "12.3"]])
    '<table><caption>of &lt;one&gt; row</caption><thead><tr><th scope="col">fabric</th><th scope="col">mean<br>µs</th></tr></thead><tbody><tr><th scope="row">bus</th><td>12.3</td></tr></tbody></table>'
    """  # noqa: E501 one line of HTML
    head = "".join(f'<th scope="col">{_text(title)}</th>' for title in titles)
    body = "".join(_row(name, figures) for name, *figures in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _row(name: str, figures: Iterable[str]) -> str:
    cells = "".join(f"<td>{_text(figure)}</td>" for figure in figures)
    return f'<tr><th scope="row">{_text(name)}</th>{cells}</tr>'


def _text(text: str) -> str:
    return escape(text).replace("\n", "<br>")
