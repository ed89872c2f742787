"""Output of notebooks in a browser: it is displayed, without console output or requests."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice.report import Report

from .browser import Opened, browser, open_page
from .conftest import REPOSITORY
from .notebook import notebook_at, notebook_of, run_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

_NOTEBOOK = REPOSITORY / "docs/guide/fabrics.ipynb"
_NOTHING = "data:text/javascript,"
"""Replaces the script libraries that pages of nbconvert load."""
_BARS = """
import venice
from venice.execution import progress as bars

bars._PATIENCE_S = bars._REFRESH_S = 0.0
rows = venice.compare(fabrics=["bus", "ideal"], workload="random-read", requests=20_000)
"""
_EVIL = (
    '<img src="http://192.0.2.1/a.png"><script>alert("&")</script><style>*{display:none}</style>'
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def _is_quiet(opened: Opened) -> bool:
    """Return true if a page has no console output and requested only itself."""
    requested = [one for one in opened.asked_for if not one.startswith("data:")]
    return (opened.message, requested) == ([], [opened.address])


def _page(path: Path, *parts: str) -> Path:
    """Write a page that shows parts as a notebook does, each in its own element."""
    body = "".join(f"<div class=output>{part}</div>" for part in parts)
    path.write_text(f"<!doctype html><meta charset=utf-8><title>cells</title>{body}")
    return path


def _exported(notebook: Any) -> str:  # noqa: ANN401 nbformat has no types
    """Convert a notebook to a page with nbconvert."""
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    exporter = nbconvert.HTMLExporter(require_js_url=_NOTHING, mathjax_url=_NOTHING)
    with warnings.catch_warnings():
        # Warnings of Jupyter's libraries.
        warnings.simplefilter("ignore")
        return str(exporter.from_notebook_node(notebook)[0])


@pytest.mark.nightly
def test_a_notebook_page_makes_no_network_request(chromium: Browser, tmp_path: Path) -> None:
    notebook = notebook_at(_NOTEBOOK)
    run_notebook(notebook)
    path = tmp_path / "fabrics.html"
    path.write_text(_exported(notebook))
    opened = open_page(chromium, path)
    tables = opened.page.locator(".jp-OutputArea table")
    assert [table.locator("tbody tr").count() for table in tables.all()] == [3, 2, 2]
    assert all(table.is_visible() for table in tables.all())
    rows = tables.first.locator("tbody th").all_inner_texts()
    assert rows == ["bus", "pssd", "venice"]
    assert opened.page.locator("text=did you mean `flash.t_read_us`").count() == 1
    assert _is_quiet(opened), (opened.message, opened.asked_for)
    opened.page.close()


def test_a_report_and_a_comparison_are_shown_whole(chromium: Browser, tmp_path: Path) -> None:
    both = venice.compare(fabrics=["bus", "venice"], workload="mixed-70-30", requests=1000)
    path = _page(tmp_path / "cells.html", both[0]._repr_html_(), both._repr_html_())
    opened = open_page(chromium, path)
    report, comparison = opened.page.locator("table").all()
    assert f"{both[0].iops:,.0f} IOPS" in report.locator("caption").inner_text()
    assert report.locator("tbody th").all_inner_texts() == ["all", "read", "write"]
    assert comparison.locator("tbody th").all_inner_texts() == ["bus", "venice"]
    for table in (report, comparison):
        titles = table.locator("thead th").all()
        assert all(title.inner_text() and title.is_visible() for title in titles)
        # Each row has as many cells as the header.
        assert table.locator("tbody tr").first.locator("th, td").count() == len(titles)
    assert _is_quiet(opened), (opened.message, opened.asked_for)
    opened.page.close()


def test_names_that_are_html_load_and_run_nothing(chromium: Browser, tmp_path: Path) -> None:
    values = dict(venice.run(workload="random-read", requests=10).to_dict())
    report = Report({**values, "workload": {**values["workload"], "name": _EVIL}})
    opened = open_page(chromium, _page(tmp_path / "evil.html", report._repr_html_()))
    assert _EVIL in opened.page.locator("caption").inner_text()
    assert opened.page.locator("img, script, style").count() == 0
    assert _is_quiet(opened), (opened.message, opened.asked_for)
    opened.page.close()


def test_bars_ask_for_nothing(chromium: Browser, tmp_path: Path) -> None:
    received = run_notebook(notebook_of(_BARS))
    shown = [one["content"].get("data", {}).get("text/html") for one in received]
    bars = [text for text in shown if text]
    assert bars
    opened = open_page(chromium, _page(tmp_path / "bars.html", *bars))
    texts = opened.page.locator(".output").all_inner_texts()
    assert all("bus" in text and "ideal" in text for text in texts)
    assert _is_quiet(opened), (opened.message, opened.asked_for)
    opened.page.close()
