"""A killed sweep can be continued: no result is lost, and no finished run is repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sweep_kills import kill_and_count

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sweep_killed_at_random_moments_has_the_table_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    counted = kill_and_count(tmp_path, runs=60, kills=5, seed=1)
    assert counted.kills >= 3, "the sweep was over before it could be killed"
    assert counted.is_same_table
    assert counted.finished == 60
    assert counted.begun_after_finished == 0
    # The runs begun are the finished ones and those under way at a kill: two for each worker.
    assert counted.finished <= counted.begun <= counted.finished + counted.under_way
