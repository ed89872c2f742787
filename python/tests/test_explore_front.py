"""An exploration comes near the front of a whole space with a part of its runs."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("optuna")

from .explore_front import Case, drawn_pct, exhausted, searched_pct

if TYPE_CHECKING:
    from pathlib import Path

_AXES = (
    {"fabric": ["bus", "pssd", "pnssd", "venice"]},
    {"array.rows": [4, 8, 16], "array.cols": [16, 8, 4]},
    {"fabric.mesh.link_width_bits": [4, 8, 16, 24]},
    {"host.queue_depth": [4, 16, 64, 256]},
)
_CASE = Case(
    {"drive": "venice-performance", "workload": "bursty-oltp", "rate_scale": 3.0, "requests": 250},
    _AXES,
    runs=80,
)


@pytest.mark.nightly
def test_half_of_the_runs_finds_nearly_all_of_the_front_and_more_than_chance(
    tmp_path: Path,
) -> None:
    whole = exhausted(_CASE, tmp_path)
    assert (len(whole.values), whole.impossible) == (160, 32)
    searched = [searched_pct(_CASE, whole, tmp_path, seed)[0] for seed in (1, 2, 3, 4, 5)]
    drawn = [drawn_pct(_CASE, whole, seed) for seed in range(20)]
    assert median(searched) < 1
    assert median(searched) < median(drawn) / 3
