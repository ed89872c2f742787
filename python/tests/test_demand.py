"""Whether a drive kept up, and whether the measured phase is stationary."""

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
    assert "bus: past saturation: 20,000,000 requests/s come" in overload.stdout
    for report in json.loads((trace.parent / "out.json").read_text()):
        load = report["demand"]
        assert load["saturated"]
        assert load["offered_iops"] == pytest.approx(20e6, rel=0.001)
        served = REQUESTS - load["backlog"]
        window_s = (REQUESTS - 1) / 20e6
        assert load["completed_iops"] == pytest.approx(served / window_s, rel=0.001)
        assert load["completed_iops"] < report["iops"] * 1.1
        assert sum(load["issued"]) == sum(load["completed"]) == REQUESTS


def test_the_figure_says_which_drive_did_not_keep_up(trace: Path) -> None:
    def ticks(scale: float) -> list[str]:
        report = api.run(
            trace=trace, format="mqsim-ascii", fabric="ideal", rate_scale=scale, requests=2000
        )
        _, bars, _ = plot.draw_comparison([report]).axes
        return [label.get_text() for label in bars.get_xticklabels()]

    assert ticks(1) == ["ideal"]
    assert ticks(500) == ["ideal\n(saturated)"]


def test_a_run_says_that_it_is_stationary(venice: Callable[..., Outcome]) -> None:
    options = ("run", "--workload", "random-read", "--requests", 5000)
    outcome = venice(*options)
    assert "stationary: mean latency drifts by " in outcome.stdout
    assert "not stationary" not in outcome.stdout
    report = api.run(workload="random-read", requests=5000)
    assert report.demand.stationary
    assert report.demand.offered_iops is None


def test_a_phase_that_drifts_is_said_to(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    # Reads that become longer: from one sector to eight hundred.
    lines = [f"{n * 500_000} 0 {n * 1000} {1 + n * 800 // 2000} 1\n" for n in range(2000)]
    (tmp_path / "trace.txt").write_text("".join(lines))
    outcome = venice("run", "--trace", "trace.txt", "--format", "mqsim-ascii")
    assert "not stationary, mean latency drifts over the measured phase by +" in outcome.stdout
    compared = venice(
        *("compare", "--trace", "trace.txt", "--format", "mqsim-ascii", "--fabrics", "bus,ideal")
    )
    assert "not stationary, mean latency drifts over the measured phase: bus (+" in compared.stdout
