"""Presets of real drives compared with published figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome


def per_second(
    venice: Callable[..., Outcome], *options: str, drive: str = "samsung-970-pro"
) -> float:
    """Return the number of requests that a drive serves in a second."""
    outcome = venice("run", "--drive", drive, *options, "--json", "-")
    assert outcome.code == 0, outcome.stderr
    report = json.loads(outcome.stdout)
    report = report[0] if isinstance(report, list) else report
    return float(report["requests"]["completed"] / report["makespan_us"] * 1e6)


@pytest.mark.parametrize(
    ("workload", "depth", "published", "bound"),
    [("random-read", 128, 370_000, 0.03), ("sequential-read", 32, 3_500e6 / (128 * 1024), 0.05)],
)
def test_a_970_pro_reads_about_as_much_as_its_vendor_says(
    venice: Callable[..., Outcome], workload: str, depth: int, published: float, bound: float
) -> None:
    options = ("--workload", workload, "--closed-loop", str(depth), "--requests", "10000")
    assert per_second(venice, *options) == pytest.approx(published, rel=bound)


def test_random_writes_of_a_970_pro_are_as_fast_as_its_log_and_slow_where_pages_have_places(
    venice: Callable[..., Outcome],
) -> None:
    options = ("--workload", "random-write", "--closed-loop", "128", "--requests", "20000")
    assert per_second(venice, *options) == pytest.approx(500_000, rel=0.15)
    # Sixteen dies, most of them programming a page of 4 KB alone in 185 us.
    by_address = (*options, "--set", "ftl.allocation_mode=static")
    assert 86_000 < per_second(venice, *by_address) < 125_000


def test_a_zn540_reads_in_sequence_as_fast_as_its_link_and_one_page_in_its_constants(
    venice: Callable[..., Outcome],
) -> None:
    drive = "wd-zn540"
    options = ("--workload", "sequential-read", "--closed-loop", "32", "--requests", "2000")
    link = 3_050e6 / (128 * 1024)
    assert per_second(venice, *options, drive=drive) == pytest.approx(link, rel=0.01)
    alone = ("--workload", "random-read", "--closed-loop", "1", "--requests", "500")
    assert 1e6 / per_second(venice, *alone, drive=drive) == pytest.approx(80.4, rel=0.005)
