"""A sweep that is killed, runs into a full disk or loses a worker ends with the same table."""

from __future__ import annotations

import random
import signal
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pytest

from venice.sweep.store.damage import find
from venice.sweep.store.database import open_to_read

from .sweep_disturbed import Disturbed, end_by, fill_disks, finish, finished, kill_one_of_two

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_RUNS = 200
_NIGHT_S = 1800
_SEEDS = (1, 2, 3)

disturbances = pytest.mark.parametrize(
    "disturb",
    [
        pytest.param(partial(end_by, number=signal.SIGKILL), id="SIGKILL"),
        pytest.param(partial(end_by, number=signal.SIGTERM), id="SIGTERM"),
        pytest.param(fill_disks, id="full-disk"),
        pytest.param(kill_one_of_two, id="one-of-two-writers"),
    ],
)


@disturbances
def test_a_disturbed_sweep_has_the_table_of_an_undisturbed_one(
    tmp_path: Path, disturb: Callable[[Disturbed], Path]
) -> None:
    _compare(tmp_path, disturb, runs=30, times=1, seed=1)


@pytest.mark.nightly
@pytest.mark.timeout(_NIGHT_S)
@pytest.mark.parametrize("seed", _SEEDS)
@disturbances
def test_a_long_sweep_disturbed_often_has_the_table_of_an_undisturbed_one(
    tmp_path: Path, disturb: Callable[[Disturbed], Path], seed: int
) -> None:
    _compare(tmp_path, disturb, runs=_RUNS, times=12, seed=seed)


@pytest.mark.nightly
@pytest.mark.timeout(_NIGHT_S)
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("seed", _SEEDS)
def test_a_long_sweep_that_loses_a_dask_worker_has_the_table_of_an_undisturbed_one(
    tmp_path: Path, seed: int
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: no worker can be lost")
    from . import sweep_cluster  # noqa: PLC0415 it imports Dask

    moment = random.Random(seed).randrange(1, _RUNS // 2)  # noqa: S311 a moment, no secret
    counted = sweep_cluster.kill_one_of_two(tmp_path, sweep_cluster.a_sweep(_RUNS), moment)
    assert counted.is_same_table
    assert (counted.failed, counted.rows) == (0, _RUNS)


def _compare(
    folder: Path, disturb: Callable[[Disturbed], Path], *, runs: int, times: int, seed: int
) -> None:
    calm = finish(Disturbed.of(folder / "calm", runs, 1, seed))
    results = disturb(Disturbed.of(folder / "disturbed", runs, times, seed))
    assert (results / "results.csv").read_bytes() == (calm / "results.csv").read_bytes()
    assert finished(results) == runs
    with closing(open_to_read(results)) as database:
        assert not find(database, with_reports=True)
