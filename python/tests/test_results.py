"""Results in ``conformance/results``, and the pages that show them."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools import results
from tools.results import Table, from_markdown, numbers, on_page_markdown, to_markdown, words
from venice.papers import QUICK, card
from venice.papers.printed_claims import PRINTED_CLAIMS

if TYPE_CHECKING:
    from venice.papers.size import Size

REPOSITORY = Path(__file__).resolve().parents[2]
OF_REQUESTS = ("request", "request-bursts", "request-closed", "request-ways")
"""Regimes with paths held for requests."""
SCORECARDS = {
    "venice-scorecard": QUICK,
    "venice-scorecard-full": QUICK,
    "venice-scorecard-request": replace(QUICK, regimes=OF_REQUESTS),
}
"""Files of scorecards, each with a size that has the file's regimes."""
FILES = sorted(results.RESULTS.glob("*.json"), key=lambda file: file.stem)
PAGE = """\
# A scorecard

Two lines
of text.

| claim | hits | factor | gain |
| --- | ---: | ---: | ---: |
| a \\| b | 1,200 | 1.40 | 1.2 × |
| c | 3 | – | 10.25 × |

## Next

| mixed |
| ---: |
| 1.2 |
| 1 (0 to 2) |
"""


def test_a_page_becomes_texts_and_tables() -> None:
    """Columns with equal decimals or units become numbers; the title is not included."""
    table: Table = {
        "columns": [
            words("claim"),
            numbers("hits", "{:,.0f}"),
            numbers("factor", "{:,.2f}"),
            numbers("gain", "{:.4g} ×"),
        ],
        "rows": [["a | b", 1200, 1.4, 1.2], ["c", 3, None, 10.25]],
    }
    mixed: Table = {"columns": [numbers("mixed")], "rows": [["1.2"], ["1 (0 to 2)"]]}
    content = from_markdown(PAGE)
    assert content == ["Two lines\nof text.", table, "## Next", mixed]
    assert f"# A scorecard\n\n{to_markdown(content)}\n" == PAGE


def test_a_cell_may_have_several_figures() -> None:
    """The format of the column names them."""
    table: Table = {
        "columns": [numbers("bus", "{mean_us:.1f} ({p99_us:,})")],
        "rows": [[{"mean_us": 1.25, "p99_us": 1234}]],
    }
    assert to_markdown([table]).splitlines()[-1] == "| 1.2 (1,234) |"


def test_a_file_has_a_line_for_each_row(tmp_path: Path) -> None:
    """Reading the file gives the same rows."""
    content = from_markdown(PAGE)
    results.write(tmp_path / "a.json", content)
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == content
    assert '  ["a | b", 1200, 1.4, 1.2],\n' in text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_is_in_its_canonical_form(file: Path) -> None:
    """Files have the form that the commands write, with a format for each cell."""
    text = file.read_text()
    content = json.loads(text)
    assert results.to_json(content) == text
    assert to_markdown(content)


def test_every_file_is_shown_by_one_page() -> None:
    """Conversely, every page that shows results names existing files."""
    pages = [page.read_text() for page in (REPOSITORY / "docs").rglob("*.md")]
    shown = [name for page in pages for name in results.names(page)]
    assert sorted(shown) == [file.stem for file in FILES]


def test_mkdocs_shows_results_in_a_page() -> None:
    """Results replace the line that names them; the rest of the page is unchanged."""
    name = FILES[0].stem
    page = f"# Title\n\n<!-- results: {name} -->\n\n<!-- other -->\n"
    shown = on_page_markdown(page, page=None, config=None, files=None)
    assert shown == f"# Title\n\n{results.render(name)}\n\n<!-- other -->\n"


@pytest.mark.parametrize(("name", "size"), SCORECARDS.items())
def test_a_scorecard_of_venice_has_the_catalogue_s_claims_in_its_regimes(
    name: str, size: Size
) -> None:
    """A catalogue that has grown since needs `make reproduce-venice`."""
    tables = {
        (table["columns"][0]["title"], len(table["columns"])): [row[0] for row in table["rows"]]
        for table in _content(name)
        if not isinstance(table, str)
    }
    views = tables["regime; measure; Venice", 5]
    claims = next(rows for (title, _), rows in tables.items() if title == "claim")
    assert claims == [claim.text for claim in PRINTED_CLAIMS]
    assert views == [view.text for view in card.views(size)]


def test_the_page_on_venice_counts_the_claims_and_hits_of_the_scorecard() -> None:
    page = (REPOSITORY / "docs" / "reproducing-venice.md").read_text()
    counted = re.findall(r"(?:paper's|of the) (\d+) claims", page)
    assert set(counted) == {str(len(PRINTED_CLAIMS))}
    rows = [[cell.strip(" *") for cell in line.split("|")] for line in page.splitlines()]
    pairs = {pair for row in rows for pair in itertools.pairwise(row)}
    summary = next(text for text in _content("venice-scorecard")[2:] if isinstance(text, str))
    stated, _, best = re.findall(r"(\d+) of \d+ \(placebo (\d+)\)", summary)
    assert {stated, best} <= pairs


def test_the_page_on_venice_counts_the_hits_of_paths_held_for_requests() -> None:
    """The table at full size has the hits of the best view of each regime."""
    page = (REPOSITORY / "docs" / "reproducing-venice.md").read_text()
    counted = re.search(r"\| hits of 67, and placebo \| \|(.+)", page)
    assert counted is not None
    stated = [int(hits) for hits in re.findall(r"(\d+)\**, \d+ \|", counted[1])]
    (table,) = (
        part["rows"]
        for part in _content("venice-scorecard-request")
        if not isinstance(part, str) and part["columns"][1]["title"] == "hits"
    )
    views = len(table) // len(OF_REQUESTS)
    hits = [row[1] for row in table]
    assert stated[: len(OF_REQUESTS)] == [
        max(hits[first : first + views]) for first in range(0, len(hits), views)
    ]


def _content(name: str) -> list[str | Table]:
    content: list[str | Table] = json.loads((results.RESULTS / f"{name}.json").read_text())
    return content
