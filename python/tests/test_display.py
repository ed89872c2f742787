"""Notebooks show reports and comparisons as tables of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import venice
from venice.report import Report
from venice.report.summary_table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


class Cells(HTMLParser):
    """The cells of a table, row by row, and every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.caption = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Begin a row, a cell or a line."""
        assert all(name == "scope" for name, _ in attrs)
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "br":
            self.rows[-1][-1] += " "

    def handle_data(self, data: str) -> None:
        """Take the text of a cell."""
        if self.rows:
            self.rows[-1][-1] += data
        else:
            self.caption += data


def test_a_report_shows_latencies_and_stages_of_each_operation() -> None:
    """The stages of a row add up to its mean, within rounding."""
    report = venice.run(workload="mixed-70-30", requests=2000, fabric="bus")
    shown = Cells(report._repr_html_())
    titles, *rows = shown.rows
    assert [row[0] for row in rows] == ["all", "read", "write"]
    assert rows[0][1] == "2,000"
    for name, _, mean, *_ in rows:
        assert mean == f"{report.latency_us[name]['mean']:,.1f}"
    first = titles.index("queue mean µs")
    for row in rows:
        assert abs(sum(map(_number, row[first:])) - _number(row[2])) < 0.05 * len(row[first:])
    assert f"{report.iops:,.0f} IOPS" in shown.caption


def test_a_comparison_shows_the_rows_that_the_terminal_shows() -> None:
    """The same titles and the same cells."""
    reports = venice.compare(
        fabrics=["bus", "ideal"], drive="venice-performance", workload="random-read", requests=500
    )
    shown = Cells(reports._repr_html_())
    written = table(reports).splitlines()
    for row, line in zip(shown.rows[1:], written[-2:], strict=True):
        assert row == line.split()
    assert [row[0] for row in shown.rows] == ["fabric", "bus", "ideal"]
    assert reports[0].fabric == "bus"


def test_of_several_seeds_a_row_has_the_means() -> None:
    """As many rows as drives, not as runs."""
    reports = venice.compare(fabrics=["bus"], seeds=3, workload="random-read", requests=200)
    assert len(reports) == 3
    assert len(Cells(reports._repr_html_()).rows) == 2


def test_names_are_text_whatever_they_hold() -> None:
    """A workload's name makes no tag, and there is neither script nor style."""
    values = dict(venice.run(workload="random-read", requests=10).to_dict())
    name = '<script>alert("&")</script>'
    report = Report({**values, "workload": {**values["workload"], "name": name}})
    shown = Cells(report._repr_html_())
    assert name in shown.caption
    allowed = {"table", "caption", "thead", "tbody", "tr", "th", "td", "br"}
    assert set(shown.tags) <= allowed


def test_the_guide_s_session_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block goes on where the one before it ended."""
    monkeypatch.chdir(tmp_path)
    guide = Path(__file__).parents[2] / "docs" / "guide" / "notebook.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    session: dict[str, Any] = {}
    for block in blocks:
        exec(block, session)  # noqa: S102 our own page
    assert len(blocks) >= 4
    assert [report.fabric for report in session["both"]] == ["bus", "venice"]
    assert len(session["latency_us"]) == 5000


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def test_a_sweep_shows_a_row_for_each_run_and_why_others_are_missing(tmp_path: Path) -> None:
    axes: list[Any] = [{"fabric": ["bus", "pnssd"]}, {"closed_loop": [1, 4]}]
    base: Any = {"workload": "random-read", "requests": 100, "sets": ["array.rows=4"]}
    outcome = venice.run_sweep(venice.Sweep.of(base, axes), tmp_path)
    shown = Cells(outcome._repr_html_())
    titles, first, second, *why = shown.rows
    assert titles == ["fabric", "closed_loop", "mean µs", "p99 µs", "IOPS", "load"]
    assert (first[:2], second[:2]) == (["bus", "1"], ["bus", "4"])
    left_out = [f"fabric = pnssd, closed_loop = {depth}" for depth in (1, 4)]
    assert [row[0] for row in why[1:]] == left_out
    assert why[1][1].startswith("pnSSD needs equal numbers of rows and columns")
    assert repr(outcome) == "<Outcome: 2 runs, 2 left out>"


def test_objects_have_short_distinct_labels() -> None:
    report = venice.run(workload="random-read", requests=2000, fabric="bus")
    mean = f"{report.latency_us.all.mean:,.2f}"
    assert repr(report) == f"<Report: bus, 2,000 requests, mean {mean} µs>"
    drive = venice.resolve("venice-cost", "venice")
    assert repr(drive) == f"<Drive: venice, {drive.capacity_bytes / 2**30:.1f} GiB>"
