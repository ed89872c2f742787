"""Flushes, forced unit access, writes of zeroes and losses of power, through the package."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl
import pytest

import venice

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

PAGE = 4096
CACHED = ("cache.mode=write", "cache.capacity_bytes=1048576")


def _write(page: int, at_us: float = 0.0, op: str = "write") -> venice.Request:
    return venice.Request(op, page * PAGE, PAGE, at_us)  # type: ignore[arg-type]


def test_fsync_of_a_job_costs_a_program_with_a_cache_and_nothing_without(tmp_path: Path) -> None:
    job = tmp_path / "log.fio"
    job.write_text("[log]\nrw=write\nbs=4k\nsize=400k\nfsync=1\n")
    flushes = [
        venice.run(workload=job, sets=sets).latency_us["flush"]["mean"]
        for sets in ((), (*CACHED, "cache.power_loss_protection=true"), CACHED)
    ]
    assert flushes[0] == flushes[1]
    assert flushes[2] > flushes[0] + 50, "the time of a program"


def test_request_log_names_the_operations() -> None:
    requests = [
        _write(0),
        _write(1, 1.0, "write_fua"),
        _write(2, 2.0, "write_zeroes"),
        _write(2, 3.0, "write_zeroes_deac"),
        venice.Request("flush", 0, 0, 4.0),
    ]
    report = venice.run(source=requests, sets=CACHED, request_table="all", audit=True)
    rows = pl.DataFrame(report.request_table).sort("number")
    assert rows["op"].to_list() == [request.op for request in requests]
    counts = report.requests
    assert (counts.writes, counts.fua_writes, counts.zero_writes, counts.flushes) == (2, 1, 2, 1)
    assert report.latency_us["write_fua"]["count"] == 1
    assert set(report.breakdown_us) == {"write", "write_zeroes", "flush"}


def test_trace_of_a_database_flushes(tmp_path: Path) -> None:
    lines = ["fio version 3 iolog", "0 f add", "0 f open"]
    for number in range(20):
        lines += [
            f"{number * 500} f write {number * PAGE} {PAGE}",
            f"{number * 500 + 100} f sync 0 0",
        ]
    trace = tmp_path / "log.txt"
    trace.write_text("\n".join(lines) + "\n")
    report = venice.run(trace=trace, sets=CACHED, audit=True)
    assert (report.requests.writes, report.requests.flushes) == (20, 20)
    assert report.workload.flushes == 20


def test_loss_of_power_takes_what_only_a_volatile_cache_holds() -> None:
    # Written twice, so that the cache keeps the second version, then flushed.
    requests = [_write(0), _write(0, 2000.0), venice.Request("flush", 0, 0, 4000.0)]
    losses = {}
    for protected in ("false", "true"):
        report = venice.run(
            source=requests,
            sets=(*CACHED, f"cache.power_loss_protection={protected}"),
            power_loss_us=[3000.0, 6000.0],
            audit=True,
        )
        losses[protected] = report.content["power_losses"]
    before, after = losses["false"]
    assert (before["volatile_pages"], before["volatile_bytes"]) == (1, PAGE)
    assert after["volatile_pages"] == 0
    assert [loss["volatile_pages"] for loss in losses["true"]] == [1, 1]
    assert all(loss["protected"] for loss in losses["true"])


def test_restart_takes_the_reads_of_the_plane_with_most_pages() -> None:
    requests = [_write(page) for page in range(64)]
    times = []
    for method in ("scan", "journal"):
        report = venice.run(
            source=requests, sets=(f"ftl.restart={method}",), power_loss_us=[1e6], requests=64
        )
        (loss,) = report.content["power_losses"]
        times.append(loss["restart_us"])
    config = report.content["config"]
    planes = (
        config["array"]["rows"]
        * config["array"]["cols"]
        * config["flash"]["dies_per_chip"]
        * config["flash"]["planes_per_die"]
    )
    t_read = config["flash"]["t_read_us"]
    map_pages = -(-(report.content["capacity_bytes"] // PAGE * 4) // PAGE)
    assert times[0] == pytest.approx(max(1, 64 // planes) * t_read)
    assert times[1] == pytest.approx(times[0] + -(-map_pages // planes) * t_read)


def test_command_line_examines_losses_of_power(
    tmp_path: Path,
    venice: Callable[..., Outcome],
) -> None:
    outcome = venice(
        "run",
        "--workload",
        "random-write",
        "--requests",
        "100",
        "--power-loss",
        "50",
        "--power-loss",
        "100",
        "--json",
        "out.json",
    )
    assert outcome.code == 0
    losses = json.loads((tmp_path / "out.json").read_text())["power_losses"]
    assert [loss["at_us"] for loss in losses] == [50.0, 100.0]
    assert all(earlier["restart_us"] <= later["restart_us"] for earlier, later in pairwise(losses))
    assert venice("run", "--power-loss", "-1").code == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (venice.Request("flush", 0, 4096), "size_bytes"),
        (venice.Request("write", 0, 0), "size_bytes"),
        (venice.Request("trim", -512, 512), "offset_bytes"),
        (venice.Request("read", 0, 2**70), "size_bytes"),
        (venice.Request("read", 0, 512, 0.0, 70_000), "queue"),
    ],
)
def test_a_request_out_of_range_is_refused_with_its_field(
    wrong: venice.Request, field: str
) -> None:
    with pytest.raises(venice.WorkloadError, match=f"request 1: `{field}` is "):
        venice.run(source=[wrong])


def test_a_loss_of_power_after_the_end_is_noted(venice: Callable[..., Outcome]) -> None:
    few = "run --fabric ideal --workload random-write --requests 20"
    for at_us, is_noted in (("1", False), ("1e9", True)):
        outcome = venice(*few.split(), "--power-loss", at_us)
        assert ("completed before the loss of power" in outcome.stdout) is is_noted


def test_settings_without_effect_are_noted_and_the_run_goes_on(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    load = tmp_path / "mine.toml"
    load.write_text('extends = "random-read"\nflush_every = 4\n')
    few = f"--workload {load} --requests 20 --set ftl.page_fill_wait_us=5".split()
    for command in (("run", "--fabric", "bus"), ("compare", "--fabrics", "bus,ideal")):
        outcome = venice(*command, *few)
        assert outcome.code == 0
        keys = [line.split("`")[1] for line in outcome.stderr.splitlines()]
        assert keys == ["ftl.page_fill_wait_us", "flush_every"]
