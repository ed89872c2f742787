"""Functions that return HTML elements of a page."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; color: #1b1b1b; max-width: 72em; margin: 2em auto;
       padding: 0 1.5em; }
h1 { font-size: 1.7em; margin-bottom: 0; } h2 { border-bottom: 1px solid #bbb; margin-top: 2em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: .2em .7em; border-bottom: 1px solid #ddd; text-align: right; }
th { border-bottom: 1px solid #888; font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td:not(.text), th { white-space: nowrap; } td.text, th.text { text-align: left; }
.met { color: #00654a; font-weight: 600; } .missed { color: #a83e00; font-weight: 600; }
.verdict { font-size: 1.15em; line-height: 1.7; padding-left: 1.2em; }
.note { color: #555; } img { max-width: 100%; } pre { font-size: 12px; overflow-x: auto; }
@media print { body { margin: 0; } h2 { break-after: avoid; } table, img { break-inside: avoid; } }
"""


def text(value: object) -> str:
    """Return a value as text, escaped for HTML."""
    return escape(str(value))


def paragraph(words: str, kind: str = "") -> str:
    """Return a paragraph of escaped text."""
    return f"<p{_class(kind)}>{text(words)}</p>"


def marked(words: str, *, good: bool) -> str:
    """Return a word with the style of a good or a bad result."""
    return f'<span class="{"met" if good else "missed"}">{text(words)}</span>'


def table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = (0,)
) -> str:
    """Return a table; cells are HTML, and the columns `words` are left-aligned."""
    kinds = ["text" if place in words else "" for place in range(len(titles))]
    head = "".join(
        f"<th{_class(kind)}>{text(title)}</th>" for title, kind in zip(titles, kinds, strict=True)
    )
    lines = "".join(
        "<tr>"
        + "".join(f"<td{_class(kind)}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>\n"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{lines}</tbody></table>"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table with rows of names and values."""
    cells = [(text(name), text(value)) for name, value in rows]
    lines = "".join(
        f'<tr><td>{name}</td><td class="text">{value}</td></tr>\n' for name, value in cells
    )
    return f"<table>{lines}</table>"


def picture(svg: bytes, description: str) -> str:
    """Return an SVG drawing embedded in the page."""
    data = b64encode(svg).decode()
    return f'<p><img alt="{text(description)}" src="data:image/svg+xml;base64,{data}"></p>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
