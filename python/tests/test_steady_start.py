"""A run on a prepared drive begins in the steady state of its own load."""

from __future__ import annotations

import pytest

import venice

_SETS = [
    "flash.dies_per_chip=4",
    "flash.blocks_per_plane=240",
    "ftl.over_provisioning_pct=20",
    "precondition.mode=steady_state",
]


@pytest.mark.nightly
def test_the_first_moments_of_a_closed_loop_are_like_the_next() -> None:
    """From the first request on, garbage collection is active in as many planes as later."""
    report = venice.run(
        drive="venice-cost",
        fabric="bus",
        workload="mixed-70-30",
        closed_loop=64,
        requests=120_000,
        interval="300ms",
        sets=_SETS,
    )
    series = report.to_dict()["time_series"]
    figures = (series["write_amplification"], series["read"]["mean_us"], series["read"]["p99_us"])
    for first, second, *_ in figures:
        assert second == pytest.approx(first, rel=0.03)
