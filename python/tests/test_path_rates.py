"""Rates of paths: links have their channel's rate, and comparisons state where rates differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.report.rates import rates_note

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice import Report

    from .conftest import Outcome

_SLOW = ("compare", "--drive", "piq-128gb", "--workload", "random-read", "--requests", 3000)


def _mean_us(report: Report) -> float:
    mean_us = report.latency_us.all.mean
    assert mean_us is not None
    return mean_us


def test_no_fabric_is_faster_than_ideal_on_a_drive_of_slow_channels() -> None:
    reports = api.compare(
        drive="piq-128gb",
        fabrics=["bus", "nossd", "venice", "hlnand", "decoupled", "ideal"],
        workload="random-read",
        requests=3000,
    )
    means_us = {report.fabric: _mean_us(report) for report in reports}
    ideal_us = means_us.pop("ideal")
    assert min(means_us.values()) > 0.99 * ideal_us, means_us


@pytest.mark.parametrize("drive", ["venice-equal-wires", "venice-performance", "mqsim-default"])
def test_a_comparison_in_which_a_mesh_is_faster_than_ideal_is_never_silent(drive: str) -> None:
    reports = api.compare(
        drive=drive, fabrics=["nossd", "venice", "ideal"], workload="random-read", requests=1000
    )
    means_us = {report.fabric: _mean_us(report) for report in reports}
    is_beaten = min(means_us.values()) < 0.99 * means_us["ideal"]
    assert is_beaten == (drive == "venice-equal-wires"), means_us
    if is_beaten:
        assert list(rates_note(list(reports)))


def test_a_comparison_reports_different_path_rates(venice: Callable[..., Outcome]) -> None:
    paper = ("compare", "--fabrics", "bus,venice,pssd", "--workload", "random-read")
    message = venice(*paper, "--requests", 300).stdout
    assert "path rates differ: bus 1,200 MB/s, venice 1,000 MB/s, pssd 2,400 MB/s\n" in message


def test_a_comparison_is_silent_about_equal_rates(venice: Callable[..., Outcome]) -> None:
    assert "path rates" not in venice(*_SLOW, "--fabrics", "bus,venice,nossd,ideal").stdout


def test_a_comparison_has_the_rate_of_each_row() -> None:
    reports = api.compare(fabrics=["bus", "venice"], workload="random-read", requests=100)
    assert reports.path_rates == {"bus": pytest.approx(1200), "venice": pytest.approx(1000)}
    assert reports[1].path.rate_mb_per_s == pytest.approx(1000)
