"""Sweeps on a Dask cluster: workers that die, transfer of files, and refused sweeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice import Sweep, UsageError, run_sweep, version
from venice.sweep import cluster as of_sweeps
from venice.sweep.cluster import connected

from .sweep_cluster import Job, a_reproduction, a_sweep, an_exploration, cluster, kill_one_of_two

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Outcome

pytestmark = pytest.mark.filterwarnings("default")
"""Warnings of Dask itself are ignored."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster(workers=1) as made:
        yield made.scheduler_address


def _without_time(report: api.Report) -> dict[str, Any]:
    return {**report.to_dict(), "wall_s": 0}


@pytest.mark.parametrize(
    ("job", "after"),
    [
        pytest.param(a_sweep(36), 12, id="sweep"),
        pytest.param(an_exploration(36), 12, id="exploration", marks=pytest.mark.nightly),
        pytest.param(a_reproduction(), 12, id="reproduction", marks=pytest.mark.nightly),
    ],
)
def test_every_result_arrives_once_although_a_worker_is_killed(
    tmp_path: Path, job: Job, after: int
) -> None:
    counted = kill_one_of_two(tmp_path, job, after)
    assert counted.failed == 0
    assert counted.rows == counted.attempts >= 36
    assert counted.is_same_table
    assert counted.workers >= 2
    # Runs that the killed worker had begin again; the cluster has at most this many at a time.
    assert counted.begun - counted.rows <= of_sweeps.PER_THREAD * 4


def test_the_commands_run_on_a_cluster(
    address: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 100\n'
        '[[axis]]\nfabric = ["bus", "ideal"]\n'
    )
    done = venice("sweep", "s.toml", "--dask", address)
    assert done.code == 0, done.stderr
    assert "2 runs in out/s/results.csv" in done.stdout
    assert "2 of them found there" in venice("sweep", "s.toml").stdout
    (tmp_path / "e.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 100\n'
        '[[axis]]\nfabric = ["bus", "ideal"]\n[[objective]]\nfigure = "iops"\n'
    )
    done = venice("explore", "e.toml", "--dask", address, "--out", "out/s")
    assert done.code == 0, done.stderr
    assert "2 runs were found there" in done.stdout + done.stderr
    done = venice("reproduce", "tab4", "--size", "golden", "--dask", address)
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("is_seen", [True, False])
def test_files_that_workers_do_not_see_are_sent_once(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_seen: bool
) -> None:
    trace, drive = tmp_path / "t.trace", tmp_path / "d.toml"
    trace.write_text("0 0 0 8 1\n100000 0 8 8 1\n")
    drive.write_text('extends = "venice-cost"\nname = "d"\n')
    scenario = {"trace": str(trace), "format": "mqsim-ascii", "drive": str(drive)}
    sweep = Sweep.of(scenario, [{"fabric": ["bus", "venice"]}])
    if not is_seen:
        monkeypatch.setattr(of_sweeps, "_sees", lambda _name, _size: False)
    with connected(address) as executor:
        sent: list[bytes] = []
        client = executor._client  # noqa: SLF001
        scatter = client.scatter

        def counted(content: bytes, **options: bool) -> object:
            sent.append(content)
            return scatter(content, **options)

        monkeypatch.setattr(client, "scatter", counted)
        outcome = run_sweep(sweep, tmp_path / "out", executor=executor)
    assert sorted(sent) == ([] if is_seen else sorted([trace.read_bytes(), drive.read_bytes()]))
    assert outcome.failed == []
    for point, report in outcome.results:
        assert _without_time(report) == _without_time(api.run(**point.scenario))


def test_a_worker_has_a_file_only_with_equal_content(tmp_path: Path) -> None:
    here, there = tmp_path / "here.trace", tmp_path / "there.trace"
    here.write_text("0 0 0 8 1\n")
    version = of_sweeps._Version.of(here)  # noqa: SLF001

    def sees() -> bool:
        return of_sweeps._sees(str(there), version)  # noqa: SLF001

    assert not sees()
    there.write_text("0 0 8 8 1\n")
    assert not sees(), "of the same size, and another file"
    there.write_text(here.read_text())
    os.utime(there, ns=(0, 0))
    assert sees(), "of another time, and the same file"
    there.write_text("0 0 0 8 1\n\n")
    assert not sees()


def test_a_workers_runs_need_no_file_that_a_workload_names(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "base.toml").write_text('extends = "bursty-oltp"\nread_pct = 30\n')
    mix = tmp_path / "mix.toml"
    mix.write_text('extends = "mix1"\nflows = ["base.toml", "hm_0"]\nrequests = 50\n')
    monkeypatch.setattr(of_sweeps, "_sees", lambda _name, _size: False)
    sweep = Sweep.of({"workload": str(mix), "closed_loop": 4}, [{"fabric": ["bus"]}])
    with connected(address) as executor:
        outcome = run_sweep(sweep, tmp_path / "out", executor=executor)
    assert outcome.failed == []
    ((point, report),) = outcome.results
    assert _without_time(report) == _without_time(api.run(**point.scenario))


def test_a_wrong_trace_fails_on_a_cluster_as_it_does_here(address: str, tmp_path: Path) -> None:
    (tmp_path / "bad.trace").write_text("0 0 0 8 1\nwhat is this\n")
    sweep = Sweep.of(
        {"trace": str(tmp_path / "bad.trace"), "format": "mqsim-ascii"}, [{"fabric": ["bus"]}]
    )
    with connected(address) as executor:
        there = run_sweep(sweep, tmp_path / "there", executor=executor)
    here = run_sweep(sweep, tmp_path / "here")
    assert there.refused == here.refused == 1
    assert there.failed[0][1] == here.failed[0][1]


@pytest.mark.parametrize(
    ("name", "value"), [("__version__", "9.9"), ("engine_digest", lambda: "9.9")]
)
def test_a_worker_with_another_build_is_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(version, name, value)
    sweep = Sweep.of({"workload": "random-read", "requests": 10}, [{"fabric": ["bus"]}])
    with connected(address) as executor, pytest.raises(UsageError, match=r"and this is .*9\.9"):
        run_sweep(sweep, tmp_path, executor=executor)


def test_what_is_no_scheduler_is_one_message(
    venice: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_sweeps, "_PATIENCE_S", 0.3)
    with pytest.raises(UsageError, match="no Dask scheduler answers at"), connected("127.0.0.1:1"):
        pass
    (tmp_path / "s.toml").write_text('[scenario]\nworkload = "random-read"\n[[axis]]\nseed = [1]\n')
    for arguments, message in (
        (("--dask", "none.json"), "none.json: there is no such file of a Dask scheduler"),
        (("--dask", "x:1", "--workers", "2"), "the cluster has its own workers"),
    ):
        for command in (("sweep", "s.toml"), ("reproduce", "tab4")):
            outcome = venice(*command, *arguments)
            assert (outcome.code, outcome.errors) == (2, 1), outcome.stderr
            assert message in outcome.message


def test_without_dask_the_option_states_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_sweeps, "find_spec", lambda _name: None)
    with (
        pytest.raises(UsageError, match="pip install 'venice-ssd\\[dask\\]'"),
        connected("127.0.0.1:1"),
    ):
        pass
