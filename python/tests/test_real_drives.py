"""Presets of drives that can be bought, beside what is published of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome


def per_second(venice: Callable[..., Outcome], *options: str) -> float:
    """Give the requests that the Samsung 970 PRO serves in a second."""
    outcome = venice("run", "--drive", "samsung-970-pro", *options, "--json", "-")
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


def test_random_writes_of_a_970_pro_fall_short_of_a_drive_that_puts_pages_together(
    venice: Callable[..., Outcome],
) -> None:
    options = ("--workload", "random-write", "--closed-loop", "128", "--requests", "20000")
    # Sixteen dies, most of them programming a page of 4 KB alone in 185 us.
    assert 86_000 < per_second(venice, *options) < 125_000
