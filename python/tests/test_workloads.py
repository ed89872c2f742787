"""Workloads by name, by mix and by job file; warm-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

JOBS = """\
[global]
bs=4k
size=4m
[readers]
rw=randread
iodepth=4
numjobs=2
[writer]
rw=write
rate_iops=20000
"""


def test_every_workload_is_listed_with_its_source(venice: Callable[..., Outcome]) -> None:
    lines = venice("workloads").stdout.splitlines()
    assert [line.split()[0] for line in lines] == api.workload_names()
    assert max(map(len, lines)) <= 100
    outcome = venice("workloads", *api.workload_names())
    assert (outcome.code, outcome.stderr) == (0, "")
    blocks = outcome.stdout.split("\n\n")
    assert [block.split(":")[0] for block in blocks] == api.workload_names()
    assert all("\n  source: " in block for block in blocks)
    assert "Table 2" in dict(zip(api.workload_names(), blocks, strict=True))["hm_0"]


def test_stand_ins_are_labelled_synthetic() -> None:
    report = api.run(fabric="ideal", workload="hm_0", requests=200)
    assert (report.workload.name, report.is_synthetic) == ("hm_0", True)


def test_a_mix_runs_each_flow_on_a_queue_of_its_own() -> None:
    report = api.run(fabric="ideal", workload="mix6", requests=3000)
    assert report.workload.name == "mix6/prxy_0 + mix6/src2_1 + mix6/usr_0"
    assert [queue["queue"] for queue in report.to_dict()["queues"]] == [0, 1, 2]
    assert report.requests.completed == 3000


def test_the_jobs_of_a_file_run_at_once(tmp_path: Path) -> None:
    path = tmp_path / "jobs.fio"
    path.write_text(JOBS)
    report = api.run(fabric="ideal", workload=str(path))
    assert report.workload.name == "jobs/readers.0 + jobs/readers.1 + jobs/writer"
    assert (report.requests.reads, report.requests.writes) == (2048, 1024)
    assert report.to_dict()["workload"]["loop"] == "mixed"
    # The writer's last request arrives 1,023 gaps of 50 µs after its first.
    assert report.makespan_us >= 1023 * 50


@pytest.mark.parametrize("count", [1, 400, 999])
def test_requests_of_the_warm_up_are_in_no_figure(count: int) -> None:
    report = api.run(fabric="bus", workload="hm_0", requests=1000, warmup=count)
    warm_up, measured = report.to_dict()["phases"]
    assert (warm_up["name"], warm_up["requests"]) == ("warmup", count)
    assert (measured["name"], measured["requests"]) == ("measure", 1000 - count)
    assert warm_up["end_us"] == measured["start_us"]
    assert report.requests.completed == report.latency_us.all.count == 1000 - count
    assert report.makespan_us == pytest.approx(measured["end_us"] - measured["start_us"])


def test_a_warm_up_by_time_is_the_same_on_every_fabric() -> None:
    reports = api.compare(
        fabrics=["bus", "ideal"], workload="hm_0", requests=1000, warmup_us=20_000
    )
    phases = [report.to_dict()["phases"][0] for report in reports]
    assert phases[0] == phases[1]
    assert phases[0]["end_us"] >= 20_000


def test_the_table_states_the_warm_up(venice: Callable[..., Outcome]) -> None:
    outcome = venice("run", "--workload", "hm_0", "--requests", 300, "--warmup", 100)
    assert outcome.code == 0
    assert "200 requests" in outcome.stdout
    assert "Warm-up: 100 requests" in outcome.stdout


def test_a_warm_up_longer_than_the_run_is_the_users_mistake() -> None:
    with pytest.raises(api.UsageError, match="ended during the warm-up"):
        api.run(fabric="ideal", workload="hm_0", requests=10, warmup_us=1e9)


def test_the_list_of_workloads_is_the_engines() -> None:
    assert [name for name, _, _ in _native.workloads()] == api.workload_names()
