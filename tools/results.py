"""Results in ``conformance/results`` and their tables in the pages of the documentation.

A file has texts and tables, in order; a table has columns and rows. A page shows a file with a line
``<!-- results: NAME -->``, which mkdocs replaces by :func:`on_page_markdown`.
``python -m tools.results FILE.md FILE.json`` converts a page of Markdown to such a file.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RESULTS = Path(__file__).resolve().parents[1] / "conformance" / "results"
_PLACEHOLDER = re.compile(r"^<!-- results: (?P<name>[\w-]+) -->$", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"(?P<number>-?[\d,]+(\.(?P<decimals>\d+))?)(?P<unit> [^\d\s{}]+)?")


class Column(TypedDict):
    """Column of a table."""

    title: str
    format: str
    """Format of a cell, as for ``str.format``; the fields of a cell that is an object by name."""
    align: str
    """``left`` or ``right``."""


class Table(TypedDict):
    """Table of a file of results."""

    columns: list[Column]
    rows: list[list[Any]]
    """Cells of each row; null for a dash."""


def numbers(title: str, form: str = "{}") -> Column:
    """Return a column of numbers."""
    return {"title": title, "format": form, "align": "right"}


def words(title: str, form: str = "{}") -> Column:
    """Return a column of texts."""
    return {"title": title, "format": form, "align": "left"}


def write(path: Path, content: Sequence[str | Table]) -> None:
    """Write a file of results, a line for each text, column and row."""
    path.write_text(to_json(content), encoding="utf-8")


def to_json(content: Sequence[str | Table]) -> str:
    """Return texts and tables as JSON, a line for each text, column and row."""
    return "[\n" + ",\n".join(map(_part, content)) + "\n]\n"


def _part(part: str | Table) -> str:
    if isinstance(part, str):
        return _json(part)
    columns, rows = (",\n  ".join(map(_json, part[key])) for key in ("columns", "rows"))
    return f'{{"columns": [\n  {columns}\n ],\n "rows": [\n  {rows}\n ]}}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def to_markdown(content: Sequence[str | Table]) -> str:
    """Return texts and tables as Markdown, with an empty line between them."""
    return "\n\n".join(part if isinstance(part, str) else _table(part) for part in content)


def _table(table: Table) -> str:
    columns = table["columns"]
    titles = [column["title"] for column in columns]
    rules = ["---:" if column["align"] == "right" else "---" for column in columns]
    rows = (map(_cell, columns, row) for row in table["rows"])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rules, *rows))


def _cell(column: Column, cell: Any) -> str:  # noqa: ANN401 what JSON holds
    if cell is None:
        return "–"
    form = column["format"]
    shown = form.format(**cell) if isinstance(cell, dict) else form.format(cell)
    return shown.replace("|", "\\|")


def from_markdown(text: str) -> list[str | Table]:
    """Return the texts and tables of a page, without its title.

    Columns of numbers with equal decimals and units become numbers; others remain texts.
    """
    blocks = text.strip().split("\n\n")
    if blocks[0].startswith("# "):
        del blocks[0]
    return [_parsed(block) if block.startswith("|") else block for block in blocks]


def _parsed(block: str) -> Table:
    titles, rules, *rows = (
        [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line.strip())[1:-1]]
        for line in block.splitlines()
    )
    columns, values = [], []
    for title, rule, cells in zip(titles, rules, zip(*rows, strict=True), strict=True):
        is_right = rule.endswith(":")
        form, parsed = _typed(cells) if is_right else ("{}", list(cells))
        columns.append(numbers(title, form) if is_right else words(title, form))
        values.append(parsed)
    return {"columns": columns, "rows": [list(row) for row in zip(*values, strict=True)]}


def _typed(cells: Sequence[str]) -> tuple[str, list[Any]]:
    """Return a format and the values that it shows as these cells; the cells if there is none."""
    found = [_NUMBER.fullmatch(cell) for cell in cells if cell != "–"]
    if not all(found):
        return "{}", list(cells)
    parts = [one for one in found if one]
    units = {one["unit"] or "" for one in parts}
    decimals = {len(one["decimals"] or "") for one in parts}
    for unit in units:
        for form in (*(f"{{:,.{count}f}}" for count in decimals), "{:.4g}"):
            column = numbers("", form + unit)
            values = [_value(cell) for cell in cells]
            if [_cell(column, value) for value in values] == list(cells):
                return column["format"], values
    return "{}", list(cells)


def _value(cell: str) -> float | None:
    if cell == "–":
        return None
    number = cell.split(" ", maxsplit=1)[0].replace(",", "")
    return float(number) if "." in number else int(number)


def render(name: str) -> str:
    """Return the Markdown of a file of results."""
    return to_markdown(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))


def names(page: str) -> Iterator[str]:
    """Yield the names of the results that a page shows."""
    return (found["name"] for found in _PLACEHOLDER.finditer(page))


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put results into a page, as a hook of mkdocs."""
    return _PLACEHOLDER.sub(lambda found: render(found["name"]), markdown)


def main() -> None:
    """Convert a page of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="Markdown file to read")
    parser.add_argument("results", type=Path, help="JSON file to write")
    given = parser.parse_args()
    write(given.results, from_markdown(given.page.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
