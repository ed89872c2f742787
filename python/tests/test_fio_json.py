"""Reports in the layout of fio's JSON: its names, and figures that add up to the report's.

The names are those of fio's documentation and of what version 3.42 writes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.report.fio import bin_of, fio_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_TOP = {"fio version", "timestamp", "timestamp_ms", "time", "global options", "jobs", "disk_util"}
_JOB = {
    *("jobname", "groupid", "job_start", "error", "eta", "elapsed", "job options"),
    *("read", "write", "trim", "sync"),
    *("job_runtime", "usr_cpu", "sys_cpu", "ctx", "majf", "minf"),
    *("iodepth_level", "iodepth_submit", "iodepth_complete"),
    *("latency_ns", "latency_us", "latency_ms"),
    *("latency_depth", "latency_target", "latency_target_ns", "latency_percentile"),
    *("latency_window", "latency_window_us"),
}
_DIRECTION = {
    *("io_bytes", "io_kbytes", "bw_bytes", "bw", "iops", "runtime", "total_ios", "short_ios"),
    *("drop_ios", "slat_ns", "clat_ns", "lat_ns"),
    *("bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev", "bw_samples"),
    *("iops_min", "iops_max", "iops_mean", "iops_stddev", "iops_samples"),
}
_LATENCY = {"min", "max", "mean", "stddev", "N"}
_BELOW = ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"]
_DISK = {
    *("name", "read_ios", "write_ios", "read_sectors", "write_sectors", "read_merges"),
    *("write_merges", "read_ticks", "write_ticks", "in_queue", "util"),
}


@pytest.fixture(scope="module")
def report() -> api.Report:
    return api.run(
        workload="mixed-70-30",
        closed_loop=8,
        requests=6000,
        warmup=1000,
        interval="100us",
        distributions=True,
    )


@pytest.fixture(scope="module")
def job(report: api.Report) -> dict[str, Any]:
    jobs = fio_json(report)["jobs"]
    assert len(jobs) == 1
    found: dict[str, Any] = jobs[0]
    return found


def test_the_names_are_fio_s(report: api.Report, job: dict[str, Any]) -> None:
    whole = fio_json(report)
    assert set(whole) == _TOP
    assert set(job) == _JOB
    for side in ("read", "write", "trim"):
        assert set(job[side]) == _DIRECTION
        assert set(job[side]["lat_ns"]) == set(job[side]["slat_ns"]) == _LATENCY
    assert set(job["read"]["clat_ns"]) == _LATENCY | {"percentile"}
    assert set(job["trim"]["clat_ns"]) == _LATENCY
    assert set(job["sync"]) == {"total_ios", "lat_ns"}
    assert list(job["iodepth_level"]) == ["1", "2", "4", "8", "16", "32", ">=64"]
    assert list(job["iodepth_submit"]) == ["0", "4", "8", "16", "32", "64", ">=64"]
    assert list(job["latency_us"]) == list(job["latency_ns"]) == _BELOW
    assert list(job["latency_ms"]) == [*_BELOW, "2000", ">=2000"]
    assert list(job["read"]["clat_ns"]["percentile"])[-3:] == [
        "99.900000",
        "99.950000",
        "99.990000",
    ]
    assert [set(disk) for disk in whole["disk_util"]] == [_DISK]


def test_numbers_are_the_report_s(report: api.Report, job: dict[str, Any]) -> None:
    queue = report.to_dict()["queues"][0]
    for side, bytes_key in (("read", "read_bytes"), ("write", "written_bytes")):
        one, latency = job[side], report.to_dict()["latency_us"][side]
        assert (one["total_ios"], one["io_bytes"]) == (latency["count"], queue[bytes_key])
        assert (
            one["clat_ns"]["mean"] == one["lat_ns"]["mean"] == pytest.approx(latency["mean"] * 1000)
        )
        assert one["clat_ns"]["max"] == round(latency["max"] * 1000)
        for name, percentile in (("p50", "50.000000"), ("p99", "99.000000"), ("p999", "99.900000")):
            found = one["clat_ns"]["percentile"][percentile]
            assert found == pytest.approx(latency[name] * 1000, rel=2e-3)
        assert one["bw"] == one["bw_bytes"] // 1024
        assert one["io_bytes"] / one["bw_bytes"] == pytest.approx(
            report.makespan_us / 1e6, rel=1e-3
        )
    assert job["read"]["iops"] + job["write"]["iops"] == pytest.approx(report.iops)
    assert (job["trim"]["total_ios"], job["trim"]["iops"]) == (0, 0)


def test_shares_add_up_to_all(job: dict[str, Any]) -> None:
    latencies = [job[f"latency_{unit}"] for unit in ("ns", "us", "ms")]
    assert sum(sum(one.values()) for one in latencies) == pytest.approx(100)
    assert sum(job["iodepth_level"].values()) == pytest.approx(100)
    assert job["iodepth_level"]["8"] > 99, "a closed loop of eight"


def test_write_zeroes_are_writes() -> None:
    workload = api.Workload(base="mixed-70-30", read_pct=50.0, zeroes_pct=40.0)
    report = api.run(workload=workload, requests=2000, distributions=True, progress=False)
    latencies = report.content["latency_us"]
    writes, zeroes = latencies["write"], latencies["write_zeroes"]
    count = writes["count"] + zeroes["count"]
    assert min(writes["count"], zeroes["count"]) > 100
    found = fio_json(report)
    lat = found["jobs"][0]["write"]["lat_ns"]
    assert lat["N"] == found["jobs"][0]["write"]["total_ios"] == count
    total_us = writes["mean"] * writes["count"] + zeroes["mean"] * zeroes["count"]
    assert lat["mean"] == pytest.approx(1000 * total_us / count, rel=1e-6)
    assert lat["max"] == pytest.approx(1000 * max(writes["max"], zeroes["max"]), abs=1)
    assert found["disk_util"][0]["write_ios"] == count


def test_samples_are_intervals(report: api.Report, job: dict[str, Any]) -> None:
    read = job["read"]
    assert read["iops_samples"] == read["bw_samples"] > 10
    assert read["iops_min"] < read["iops_mean"] < read["iops_max"]
    # The first interval begins with the run, so means over time equal those of the run.
    assert read["iops_mean"] == pytest.approx(read["iops"], rel=0.02)
    assert read["bw_mean"] == pytest.approx(read["bw"], rel=0.02)
    without = api.run(workload="mixed-70-30", requests=100, distributions=True)
    assert fio_json(without)["jobs"][0]["read"]["iops_samples"] == 0
    assert report.time_series is not None


def test_bins_hold_every_request(report: api.Report) -> None:
    clat = fio_json(report, bins=True)["jobs"][0]["read"]["clat_ns"]
    assert sum(clat["bins"].values()) == clat["N"]
    bins = [int(ns) for ns in clat["bins"]]
    assert bins == sorted(bins)
    assert bin_of(clat["min"]) == pytest.approx(bins[0], rel=0.02)
    assert bin_of(clat["max"]) == pytest.approx(bins[-1], rel=0.02)


def test_every_job_of_a_file_reports_its_steady_state(tmp_path: Path) -> None:
    file = tmp_path / "two.fio"
    file.write_text(
        "[global]\nrw=randread\nsize=64m\nruntime=1s\ntime_based\niodepth=2\n"
        "ss=iops:50%\nss_dur=4ms\nss_interval=1ms\nss_ramp=1ms\n[a]\nbs=4k\n[b]\nbs=16k\n"
    )
    report = api.run(workload=str(file), distributions=True)
    assert report.makespan_us < 6000, "both end when they are steady, after five milliseconds"
    jobs = fio_json(report)["jobs"]
    assert [job["jobname"] for job in jobs] == ["two/a", "two/b"]
    assert [job["job options"]["bs"] for job in jobs] == ["4k", "16k"]
    for job in jobs:
        assert job["steadystate"]["attained"] == 1
        assert job["steadystate"]["ss"] == "iops:50.000000%"
    assert sum(job["read"]["total_ios"] for job in jobs) == report.requests.completed


def test_the_command_writes_it_and_takes_options_of_the_job(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    run = [
        "run",
        "--workload",
        "random-read",
        "--requests",
        "500",
        "--distributions",
        "--json",
        "r.json",
    ]
    assert venice(*run).code == 0
    assert venice("report", "fio", "r.json", "--option", "rw=randread", "-o", "f.json").code == 0
    options = json.loads((tmp_path / "f.json").read_text())["jobs"][0]["job options"]
    assert (options["rw"], options["iodepth"], options["numjobs"]) == ("randread", "16", "1")
    printed = venice("report", "fio", "r.json")
    assert json.loads(printed.stdout)["jobs"][0]["job options"]["rw"] == "read"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain.json"], "has no whole distributions; run again with `--distributions`"),
        (["absent.json"], "absent.json: there is no such file; expected: what `--json`"),
        (["plain.json", "--option", "rw"], "expected: KEY=VALUE"),
        (["two.json"], "two.json: holds 2 reports; expected: one, as `venice run --json`"),
    ],
)
def test_what_cannot_be_written_so_is_refused(
    venice: Callable[..., Outcome], tmp_path: Path, arguments: list[str], message: str
) -> None:
    plain = api.run(workload="random-read", requests=10)
    plain.save(tmp_path / "plain.json")
    api.save_reports([plain, plain], tmp_path / "two.json")
    outcome = venice("report", "fio", *arguments)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
