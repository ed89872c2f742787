"""Notebooks show reports and comparisons as tables of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import venice
from venice.figures import Bench, FigureRequest, Source, make
from venice.report import Report
from venice.report.summary_table import table

if TYPE_CHECKING:
    from collections.abc import Sequence


class Cells(HTMLParser):
    """Parser that collects the cells of tables by row, without bars, and all tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.caption = ""
        self.feed(re.sub(r"<svg.*?</svg>", "", text))

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
        """Add the text to its cell."""
        if self.rows:
            self.rows[-1][-1] += data
        else:
            self.caption += data


_SVG = "{http://www.w3.org/2000/svg}"


def _bars(shown: str) -> list[dict[str, float]]:
    """Return the lengths of the parts of each bar, by their titles."""
    picture = ET.fromstring(shown[shown.index("<svg") :].partition("</svg>")[0] + "</svg>")  # noqa: S314 ours
    return [
        {
            str(part.findtext(f"{_SVG}title")).rpartition(":")[0]: float(part.attrib["width"])
            for part in bar.findall(f"{_SVG}rect")
        }
        for bar in picture.findall(f"{_SVG}g")
    ]


def test_bars_of_a_comparison_are_as_long_as_the_parts_of_its_means() -> None:
    rows = venice.compare(fabrics=["bus", "ideal"], workload="strided-read", requests=500)
    bars = _bars(rows._repr_html_())
    lengths = [sum(bar.values()) for bar in bars]
    means = [row.content["latency_us"]["all"]["mean"] for row in rows]
    assert lengths[0] / lengths[1] == pytest.approx(means[0] / means[1], rel=0.01)
    share = bars[0]["path wait"] / lengths[0]
    assert share == pytest.approx(rows[0].breakdown()["path_wait"] / means[0], rel=0.01)
    assert "path wait" not in bars[1]


def test_bars_of_a_sweep_are_few(tmp_path: Path) -> None:
    sweep = venice.Sweep.of({"workload": "random-read", "requests": 30}, [{"seed": [*range(25)]}])
    outcome = venice.run_sweep(sweep, tmp_path, progress=False)
    assert len(_bars(outcome._repr_html_())) == 20
    report = venice.run(workload="mixed-70-30", requests=500)
    evil = Report({**report.to_dict(), "fabric": "<script>"})
    assert "<script>" not in venice.Comparison([evil, report])._repr_html_()


def test_a_figure_of_a_paper_shows_its_picture_and_caption(tmp_path: Path) -> None:
    request = FigureRequest(
        fabrics="bus,venice", sources=(Source(workload="random-read"),), seeds=1, requests=100
    )
    made = make("cdf", request, Bench(tmp_path, "cdf"))
    shown = made._repr_html_()
    assert "data:image/png;base64," in shown
    assert made.caption.split("(")[0] in shown
    assert "<table>" in made.table._repr_html_()


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
    """Titles and cells are the same in both."""
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
    """The table has a row for each drive, not for each run."""
    reports = venice.compare(fabrics=["bus"], seeds=3, workload="random-read", requests=200)
    assert len(reports) == 3
    assert len(Cells(reports._repr_html_()).rows) == 2


def test_names_are_text_whatever_they_hold() -> None:
    """The name of a workload is escaped, and the HTML contains neither scripts nor styles."""
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
    """The code blocks share one session."""
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
