"""Data sheets: content and correctness."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.report.endurance import Endurance
from venice.report.work import flash_of_run, moved_pages
from venice.sheet import sheet_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_COLLECTING = [
    "--drive",
    "venice-cost",
    "--set",
    "array.rows=2",
    "--set",
    "array.cols=2",
    "--set",
    "flash.blocks_per_plane=16",
    "--set",
    "flash.pages_per_block=32",
    "--set",
    "precondition.mode=steady_state",
    "--workload",
    "mixed-70-30",
    "--closed-loop",
    "4",
    "--requests",
    "3000",
]


class _Page(HTMLParser):
    """Parser of a page, for its requests and unclosed elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "img", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _collecting(requests: int = 3000, *, distributions: bool = False) -> api.Report:
    return api.run(
        drive="venice-cost",
        sets=[word for word in _COLLECTING if "=" in word],
        workload="mixed-70-30",
        closed_loop=4,
        requests=requests,
        distributions=distributions,
    )


def test_a_sheet_is_one_self_contained_file(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    more = ["--interval", "50", "--distributions", "--json", "run.json"]
    assert venice("run", *_COLLECTING, *more).code == 0
    outcome = venice("report", "sheet", "run.json", "-o", "sheet.html")
    assert (outcome.code, outcome.stdout) == (0, "1 run in sheet.html\n")
    text = (tmp_path / "sheet.html").read_text()
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert len(page.sources) == 3, "the tail, the run over time, the erases"
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    report = api.Report.load(tmp_path / "run.json")
    for message in (
        "mixed-70-30: made up by a workload&#x27;s law (synthetic)",
        f"{report.flash.erases:,}",
        "GC programs on chip",
        "<h2>Drive life at this load</h2>",
        "TBW",
        "DWPD",
        "data excursion",
        "JESD218",
        "preconditioning steady_state",
    ):
        assert message in text, message
    assert re.search(r'class="(met|missed)"', text)
    again = venice("report", "sheet", "run.json", "-o", "again.html")
    assert again.code == 0
    assert (tmp_path / "again.html").read_text() == text, "the same report, the same bytes"


def test_a_sheet_of_a_plain_report_states_missing_figures_and_their_options(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    reports = [api.run(workload=name, requests=300) for name in ("random-read", "mixed-70-30")]
    api.save_reports(reports, tmp_path / "two.json")
    assert venice("report", "sheet", "two.json", "-o", "sheet.html").code == 0
    text = (tmp_path / "sheet.html").read_text()
    assert "Not known: the run is too short for five rounds of 100 requests." in text
    assert "not known: run with --distributions" in text
    assert "Nothing was written: this load does not wear the drive." in text


def test_the_headline_states_the_verdict_of_the_run(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    short = [*_COLLECTING, "--set", "flash.pages_per_block=1024", "--json", "short.json"]
    assert venice("run", *short, "--distributions").code == 0
    steadiness = api.load_reports(tmp_path / "short.json")[0].to_dict()["steadiness"]
    assert steadiness["verdict"] == "not_settled"
    assert not steadiness["write_amplification_settled"]
    assert venice("report", "sheet", "short.json", "-o", "short.html").code == 0
    page = (tmp_path / "short.html").read_text()
    assert ">not met<" in page
    assert ">met<" not in page


def test_moved_units_are_counted_as_pages() -> None:
    sets = [part for part in _COLLECTING if "=" in part]
    larger = (
        "flash.page_bytes=16384",
        "ftl.mapping_unit_bytes=4096",
        "ftl.over_provisioning_pct=25",
    )
    report = api.run(
        drive="venice-cost",
        workload="random-write",
        requests=20_000,
        sets=[*sets, *larger],
    )
    flash = report.to_dict()["flash"]
    moved = moved_pages(report.to_dict(), flash)
    assert 0 < moved == flash["gc_moves"] / 4
    # A unit of the host, of a move or without data is a quarter of a programmed page.
    units = flash["gc_moves"] + flash["host_programs"] + flash["units"]["empty_slots"]
    assert units == 4 * flash["programs"]


def test_a_page_has_another_name_and_files_are_there(venice: Callable[..., Outcome]) -> None:
    refused = venice("report", "sheet", "run.json", "-o", "sheet.pdf")
    assert (refused.code, refused.stdout) == (2, "")
    assert "sheet.pdf: a sheet is HTML; expected: a name that ends in .html" in refused.message
    absent = venice("report", "sheet", "run.json", "-o", "sheet.html")
    assert absent.code == 2
    assert "run.json: there is no such file" in absent.message


def test_endurance_follows_its_formulae() -> None:
    report = _collecting(distributions=True)
    life = Endurance.of(report, 3000, 5.0)
    flash = report.flash
    page_bytes = report.config["flash"]["page_bytes"]
    planes = 4 * report.config["flash"]["planes_per_die"]
    assert life.raw_bytes == planes * 16 * 32 * page_bytes
    assert life.flash_bytes == flash.programs * page_bytes
    assert life.write_amplification is not None
    assert life.write_amplification == report.write_amplification
    assert life.write_amplification > 1
    assert life.tbw is not None
    assert life.tbw == pytest.approx(life.raw_bytes * 3000 / life.write_amplification / 1e12)
    assert life.dwpd == pytest.approx(life.tbw * 1e12 / life.capacity_bytes / (5 * 365))
    years = life.tbw * 1e12 / (life.host_bytes / report.makespan_us * 1e6 * 86_400 * 365)
    assert life.years == pytest.approx(years)
    assert life.drive_writes_per_day / (life.dwpd or 0) == pytest.approx(5 / years)
    blocks = life.blocks_by_erases
    assert sum(blocks.values()) == planes * 16
    assert (min(blocks), max(blocks)) == (flash.min_block_erases, flash.max_block_erases)
    # Preconditioning erases the same number of blocks in both runs.
    before = _collecting(requests=1000, distributions=True)
    sums = [_erases(one) - flash_of_run(one)["erases"] for one in (report, before)]
    assert flash.erases > before.flash.erases > 0
    assert sums[0] == sums[1] > 0


def _erases(report: api.Report) -> int:
    blocks = Endurance.of(report, 3000, 5.0).blocks_by_erases
    return sum(erases * count for erases, count in blocks.items())


def test_a_drive_that_never_filled_or_wrote_little_has_no_life_without_a_reason(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    fresh = ["--workload", "random-write", "--requests", "2000"]
    small = "flash.blocks_per_plane=64"
    short = ["--set", "precondition.mode=steady_state", "--set", small, *fresh]
    for options, reported, has_figures in (
        (fresh, "began empty", True),
        (short, "too short", False),
    ):
        venice("run", "--drive", "venice-cost", *options, "--json", "run.json")
        venice("report", "sheet", "run.json", "-o", "sheet.html")
        life = (tmp_path / "sheet.html").read_text().split("<h2>")[1]
        assert life.startswith("Drive life")
        assert reported in life
        assert ("TBW" in life) == has_figures


def test_twice_the_rating_is_twice_the_life_and_nothing_written_none() -> None:
    report = _collecting()
    once, twice = (Endurance.of(report, cycles, 5.0) for cycles in (3000, 6000))
    assert (twice.tbw or 0) == pytest.approx(2 * (once.tbw or 0))
    assert once.evenness is None, "without distributions nothing is known of single blocks"
    reads = Endurance.of(api.run(workload="random-read", requests=100), 3000, 5.0)
    assert (reads.tbw, reads.dwpd, reads.years) == (None, None, None)


def test_a_sheet_lets_a_browser_load_and_run_nothing() -> None:
    report = api.run(workload="random-read", requests=20)
    page = sheet_of([report], lambda *_: None, rated_pe_cycles=1000, warranty_years=5)
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.index("Content-Security-Policy") < page.index("<title>")


def test_a_file_of_no_reports_has_no_sheet(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    (tmp_path / "none.json").write_text("[]")
    outcome = venice("report", "sheet", "none.json", "-o", "out.html")
    assert (outcome.code, outcome.errors) == (2, 1)
    assert "none.json" in outcome.stderr
    assert not (tmp_path / "out.html").exists()
