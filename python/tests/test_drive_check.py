"""Data-sheet figures against the rates of the resources that bound them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome


def die_mb_per_s(dies: int, planes: int, page: int, program_us: float, channel: float) -> float:
    """Return the rate of dies that are busy from the transfer to the end of the program."""
    return dies * planes * page / (program_us + planes * page / channel)


WRITES = {
    "samsung-970-pro": ("chips", die_mb_per_s(16, 8, 4096, 185, 800)),
    "venice-performance": ("chips", die_mb_per_s(64, 2, 4096, 100, 1200)),
    "wd-zn540": ("host link", 3050.0),
}


@pytest.mark.parametrize("drive", WRITES)
def test_sequential_writes_reach_their_bound(drive: str, venice: Callable[..., Outcome]) -> None:
    outcome = venice("drive", "check", drive, "--json")
    assert outcome.code == 0
    (row,) = [
        row
        for row in json.loads(outcome.stdout)
        if (row["load"], row["depth"]) == ("sequential write", 256)
    ]
    bound, rate = WRITES[drive]
    assert row["bound"] == bound
    assert row["mb_per_s"] == pytest.approx(rate, rel=0.03)
