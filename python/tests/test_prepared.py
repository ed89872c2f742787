"""Runs with equal initial states share one preparation, without effect on their results."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import venice as api
from venice._native import Preparations
from venice.api.run import run_drive
from venice.execution.pool import preparations_of_process
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions

if TYPE_CHECKING:
    from venice.config import FabricName

_SETS = (
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=32",
    "flash.pages_per_block=32",
    "precondition.mode=steady_state",
    "ftl.victim=random",
)
_RUN: dict[str, Any] = {"drive": "venice-cost", "workload": "mixed-70-30", "requests": 500}


def _figures(report: api.Report) -> dict[str, Any]:
    return {**report.to_dict(), "wall_s": 0}


def test_the_reports_of_a_comparison_are_those_of_its_runs_alone() -> None:
    fabrics: list[FabricName] = ["bus", "venice", "nossd"]
    for seeds in (1, 2):
        together = api.compare(fabrics=fabrics, seeds=seeds, sets=_SETS, **_RUN)
        alone = [
            api.run(fabric=fabric, seed=seed, sets=_SETS, causes=True, **_RUN)
            for fabric in fabrics
            for seed in range(1, seeds + 1)
        ]
        assert [_figures(one) for one in together] == [_figures(one) for one in alone]


def test_an_executor_s_worker_keeps_what_it_has_prepared_last() -> None:
    preparations_of_process.cache_clear()
    with ThreadPoolExecutor(1) as executor:
        given = api.compare(fabrics=["bus", "venice"], executor=executor, sets=_SETS, **_RUN)
    assert len(preparations_of_process()) == 1
    here = api.compare(fabrics=["bus", "venice"], sets=_SETS, **_RUN)
    assert [_figures(one) for one in given] == [_figures(one) for one in here]
    preparations_of_process.cache_clear()


def test_only_drives_with_equal_preconditioning_are_shared() -> None:
    preparations = Preparations(1 << 30)

    def count(*sets: str, **changed: Any) -> int:  # noqa: ANN401 any option
        sets = (*_SETS, "precondition.gc_load=light", *sets)
        options = RunOptions.of({**_RUN, **changed, "sets": sets})
        run_drive(drive_of(options), options, preparations=preparations)
        return len(preparations)

    assert count() == 1
    assert count(fabric="venice", closed_loop=3, workload="random-read") == 1
    assert count("host.scheduler.scheme=piq") == 1
    assert count("precondition.occupancy_pct=50") == 2
    assert count(seed=7) == 3
    assert count("flash.t_read_us=9") == 4
    assert count("precondition.mode=none") == 4
