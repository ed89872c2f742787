"""Overload and the verdict of steadiness."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import plot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

REQUESTS = 5000


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Write reads of 4 KiB, one every ten microseconds."""
    path = tmp_path / "trace.txt"
    places = [n * 7919 % 100_000 * 8 for n in range(REQUESTS)]
    path.write_text("".join(f"{n * 10_000} 0 {at} 8 1\n" for n, at in enumerate(places)))
    return path


def test_an_overload_is_no_latency(trace: Path, venice: Callable[..., Outcome]) -> None:
    fabrics = ("--fabrics", "bus,venice")
    options = ("--trace", trace.name, "--format", "mqsim-ascii", *fabrics, "--json", "out.json")
    calm, overload = (venice("compare", *options, "--rate-scale", scale) for scale in (1, 200))
    assert (calm.code, overload.code) == (0, 0)
    assert "saturat" not in calm.stdout
    rows = overload.stdout.split("\n\n")[0].strip("\n").splitlines()
    assert [row.split()[-1] for row in rows[3:]] == ["saturated", "saturated"]
    assert "offered" in rows[1]
    assert "bus: Overloaded: 20,000,000 requests/s are offered" in overload.stdout
    for report in json.loads((trace.parent / "out.json").read_text()):
        load = report["demand"]
        assert load["saturated"]
        assert load["offered_iops"] == pytest.approx(20e6, rel=0.001)
        served = REQUESTS - load["backlog"]
        window_s = (REQUESTS - 1) / 20e6
        assert load["completed_iops"] == pytest.approx(served / window_s, rel=0.001)
        assert load["completed_iops"] < report["iops"] * 1.1
        assert sum(load["issued"]) == sum(load["completed"]) == REQUESTS


def test_the_figure_marks_overloaded_drives(trace: Path) -> None:
    def ticks(scale: float) -> list[str]:
        report = api.run(
            trace=trace, format="mqsim-ascii", fabric="ideal", rate_scale=scale, requests=2000
        )
        _, bars, _ = plot.draw_comparison([report]).axes
        return [label.get_text() for label in bars.get_xticklabels()]

    assert ticks(1) == ["Ideal"]
    assert ticks(500) == ["Ideal\n(saturated)"]


def test_a_level_load_is_settled(venice: Callable[..., Outcome]) -> None:
    outcome = venice("run", "--workload", "random-read", "--requests", 20_000)
    assert "Settled: latency, IOPS and number of free blocks are steady" in outcome.stdout
    report = api.run(workload="random-read", requests=20_000)
    assert report.steadiness.verdict == "settled"
    assert report.steadiness.requests_needed is None
    assert report.demand.offered_iops is None


def test_a_latency_that_rises_is_not_settled_on_any_surface(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    # Reads of one sector at first, of eight hundred at the end.
    lines = [f"{n * 500_000} 0 {n * 1000} {1 + n * 800 // 2000} 1\n" for n in range(2000)]
    (tmp_path / "trace.txt").write_text("".join(lines))
    options = ("--trace", "trace.txt", "--format", "mqsim-ascii", "--json", "out.json")
    alone = venice("run", *options)
    assert "Not settled: latency rose " in alone.stdout
    assert "× during the run. At least 8,000 requests are needed." in alone.stdout
    assert venice("report", "sheet", "out.json", "-o", "sheet.html").code == 0
    page = (tmp_path / "sheet.html").read_text()
    assert "Not settled: latency rose " in page
    assert "not met" in page
    compared = venice("compare", *options, "--fabrics", "bus,ideal")
    assert "Not settled: bus (latency rose " in compared.stdout


def test_few_requests_decide_nothing(venice: Callable[..., Outcome]) -> None:
    outcome = venice("run", "--workload", "random-read", "--requests", 200)
    assert "Too few requests to tell whether the run is settled. Run at least 800" in outcome.stdout


def test_a_short_run_of_a_prepared_drive_has_no_settled_write_amplification(
    venice: Callable[..., Outcome],
) -> None:
    sets = ("flash.blocks_per_plane=32", "flash.pages_per_block=64", "ftl.over_provisioning_pct=20")
    options = [part for one in (*sets, "precondition.mode=steady_state") for part in ("--set", one)]
    outcome = venice("run", *options, "--workload", "random-write", "--requests", 2000)
    assert "blocks were written per plane, so write amplification is not known" in outcome.stdout
    (work,) = (line for line in outcome.stdout.splitlines() if line.split()[:2] == ["bus", "–"])
    assert work
    planes, pages = 128, 64
    report = api.run(
        sets=[*sets, "precondition.mode=steady_state"], workload="random-write", requests=2000
    )
    found = report.steadiness
    assert found.blocks_written_per_plane == pytest.approx(2000 / planes / pages, rel=0.1)
    assert not found.write_amplification_settled
    assert found.requests_needed == pytest.approx(planes * pages, rel=0.1)
