"""HTML page of a validation: shares, pictures, tables, and rows that could not be simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.sheet import html
from venice.sheet.page import POLICY
from venice.validation.summary import by_load, cells_of, shares_cells, unsteady_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from venice.validation.verdict import Validation

_TITLE = "Simulated drives beside measurements"


def page_of(validations: Sequence[Validation], draw: Callable[[Validation], bytes]) -> str:
    """Return the page as HTML; `draw` returns the picture of a drive as SVG."""
    parts = [*_shares(validations)]
    for one in validations:
        parts += _part(one, draw)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{_TITLE}</title><style>{html.STYLE}</style></head>\n<body>\n<h1>{_TITLE}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _shares(validations: Sequence[Validation]) -> Iterator[str]:
    titles, rows = shares_cells(validations)
    yield _table(titles, rows, words=(0, 1))
    yield html.paragraph(
        "A row of measurements is a point. Rows of one load are in one half: that to fit a drive "
        "to, or that held out to test it.",
        "note",
    )


def _part(validation: Validation, draw: Callable[[Validation], bytes]) -> Iterator[str]:
    yield f"<h2>{html.text(validation.drive)}</h2>"
    yield html.paragraph(f"Measured as {', '.join(validation.names)}.", "note")
    if validation.points:
        yield html.picture(draw(validation), f"measured and simulated {validation.drive}")
        yield _table(*cells_of(by_load(validation.points)), words=(0, 1, 2))
    if validation.unsteady_scenes:
        yield html.paragraph(unsteady_text(validation), "note")
    for refusal in validation.refused:
        yield html.paragraph(
            f"Not simulated: {refusal.rows} rows of {refusal.file}: {refusal.reason}."
        )


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int]) -> str:
    cells = [[html.text(cell) for cell in row] for row in rows]
    return html.table([title.replace("\n", " ") for title in titles], cells, words=words)
