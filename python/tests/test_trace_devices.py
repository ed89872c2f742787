"""Devices of a trace: placed as requested, and never overlaid without a request."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

import pytest

import venice as api

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

REQUESTS = 40
MIB_SECTORS = 2048


@pytest.fixture
def volumes(tmp_path: Path) -> Path:
    """Write a trace in SPC's format whose five volumes all begin at 0, and share eight pages."""
    lines = [
        f"{number % 5},{number // 5 * 8},4096,{'rw'[number % 2]},{number / 1000:.6f}\n"
        for number in range(REQUESTS)
    ]
    path = tmp_path / "volumes.spc"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    """Write a trace whose two devices have no page in common, although their ranges overlap."""
    lines = [
        f"8,{16 * (number % 2)} 0 {number} 0.{number:06} 1 D W {number * 8} + 8 [a]\n"
        for number in range(REQUESTS)
    ]
    path = tmp_path / "apart.blkparse"
    path.write_text("".join(lines))
    return path


def test_devices_that_coincide_are_refused_with_the_choices_and_the_pages(
    volumes: Path, venice: Callable[..., Outcome]
) -> None:
    for command in ("run", "compare"):
        outcome = venice(command, "--trace", volumes)
        assert (outcome.code, outcome.stdout) == (2, "")
        first, *rest = outcome.stderr.splitlines()
        assert first == (
            "error: 8 pages of 4 KiB are accessed by more than one of the trace's 5 devices"
        )
        assert rest[:2] == ["  --> volumes.spc", "   = devices: 0, 1, 2, 3, 4"]
        for choice in ("side-by-side", "overlay", "NAME"):
            assert f"--devices {choice} " in outcome.message
    with pytest.raises(api.UsageError, match="8 pages of 4 KiB"):
        api.run(trace=volumes, fold=True)


@pytest.mark.parametrize(
    ("devices", "requests", "pages", "layout"),
    [
        ("overlay", 40, 8, "overlay"),
        ("side-by-side", 40, 40, "side-by-side"),
        ("3", 8, 8, "single"),
    ],
)
def test_each_choice_runs_its_variant(
    volumes: Path, devices: str, requests: int, pages: int, layout: str
) -> None:
    report = api.run(trace=volumes, devices=devices, request_table=True)
    table = report.request_table
    assert table is not None
    starts = list(table["start_sector"])
    assert report.requests.completed == requests
    assert len(set(starts)) == pages
    assert max(starts) < (5 * MIB_SECTORS if layout == "side-by-side" else MIB_SECTORS)
    workload = report.workload
    assert (workload.devices, workload.device_layout) == (1 if layout == "single" else 5, layout)
    assert workload.name == "volumes.spc" + (", device 3" if layout == "single" else "")


def test_the_choice_is_taken_wherever_a_trace_is(volumes: Path, tmp_path: Path) -> None:
    trace = api.Trace(volumes, devices="3")
    assert api.run(trace=trace).requests.completed == 8
    assert [one.requests.completed for one in api.compare(trace=trace, fabrics=["bus"])] == [8]
    assert api.run(trace=volumes, devices=3).requests.completed == 8
    sweep = api.Sweep.of(
        {"trace": str(volumes)}, [{"devices": ["overlay", "side-by-side", "0"]}], name="devices"
    )
    outcome = api.run_sweep(sweep, tmp_path / "out")
    assert [report.requests.completed for _, report in outcome.results] == [40, 40, 8]
    unchosen = api.Sweep.of({"trace": str(volumes)}, [{"fabric": ["bus", "ideal"]}], name="none")
    with pytest.raises(api.UsageError, match="8 pages of 4 KiB"):
        api.run_sweep(unchosen, tmp_path / "none")


def test_devices_without_common_pages_are_overlaid_with_a_note(
    apart: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--trace", apart)
    assert outcome.code == 0, outcome.stderr
    assert "2 devices of the trace share one address range (overlay)" in outcome.stdout
    one = venice("run", "--trace", apart, "--devices", "8,16")
    assert "only one device of the trace is replayed" in one.stdout


def test_only_requests_that_are_run_count(volumes: Path) -> None:
    assert api.run(trace=volumes, requests=1).requests.completed == 1
    with pytest.raises(api.UsageError, match=r"1 page of 4 KiB is accessed by .* 2 devices"):
        api.run(trace=volumes, requests=2)


def test_a_name_that_is_none_is_refused_with_those_there_are(
    apart: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--trace", apart, "--devices", "sdb")
    assert outcome.code == 2
    assert outcome.stderr.startswith("error: unknown device `sdb`")
    assert "8,0, 8,16" in outcome.message
    without = venice("run", "--workload", "random-read", "--devices", "overlay")
    assert without.code == 2
    assert "`--devices` requires a trace" in without.message


def test_tenants_of_a_trace_are_called_devices(
    volumes: Path, venice: Callable[..., Outcome]
) -> None:
    screen = venice("run", "--trace", volumes, "--devices", "overlay").stdout
    rows = [line.split()[:3] for line in screen.splitlines() if line.startswith(" device ")]
    assert rows == [["device", str(number), str(number)] for number in range(5)]
    assert "queue 0" not in screen


def test_a_pipe_is_refused_as_soon_as_devices_overlap(volumes: Path, tmp_path: Path) -> None:
    text = volumes.read_text()

    def run(devices: str | None) -> api.Report:
        pipe = tmp_path / f"pipe-{devices}"
        os.mkfifo(pipe)
        threading.Thread(target=lambda: pipe.write_text(text), daemon=True).start()
        return api.run(trace=pipe, devices=devices, format="spc")

    with pytest.raises(api.UsageError, match=r"the addresses of the trace's .* devices overlap"):
        run(None)
    assert run("overlay").requests.completed == REQUESTS
    with pytest.raises(api.UsageError, match="more than once, which is impossible for a pipe"):
        run("side-by-side")


def test_information_lists_devices(volumes: Path, venice: Callable[..., Outcome]) -> None:
    found = json.loads(venice("trace", "info", volumes, "--json", "-").stdout)
    assert found["coinciding_pages"] == 8
    assert [one["name"] for one in found["devices"]] == ["0", "1", "2", "3", "4"]
    assert found["devices"][1] == {
        "name": "1",
        "requests": 8,
        "reads": 4,
        "first_sector": 0,
        "end_sector": 64,
    }
    shown = venice("trace", "info", volumes).stdout
    assert "8 requests, 50.0 % reads, 0.000 to 0.031 MiB" in shown
    assert api.trace_info(volumes, devices="1")["requests"] == 8


def test_conversion_makes_devices_one(volumes: Path, tmp_path: Path) -> None:
    for devices, requests in (("side-by-side", 40), ("2", 8)):
        path = tmp_path / f"{devices}.txt"
        api.convert_trace(volumes, path, "msr-rounded", devices=devices)
        found = api.trace_info(path)
        assert (found["requests"], len(found["devices"])) == (requests, 1)
    with pytest.raises(api.UsageError, match="choose one"):
        api.convert_trace(volumes, tmp_path / "out", side_by_side=True, devices="2")


def test_operations_that_are_not_simulated_are_rows_of_the_result(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    lines = [f"8,0 0 {number} 0.00000000{number} 9 D W 8 + 8 [a]\n" for number in range(6)]
    lines += ["8,0 0 7 0.000000007 9 D DS 8 + 8 [a]\n"] * 3
    lines += ["8,0 0 8 0.000000008 9 D FN [a]\n"] * 2
    lines += ["8,0 0 9 0.000000009 9 D N 8 + 8 [a]\n"]
    (tmp_path / "ops.txt").write_text("".join(lines))
    outcome = venice("run", "--trace", "ops.txt", "--json", "out.json")
    rows = [" ".join(line.split()) for line in outcome.stdout.splitlines()]
    assert "other operations, neither read nor write 1 8.3" in rows
    workload = json.loads((tmp_path / "out.json").read_text())["workload"]
    found = [workload[key] for key in ("other_ops", "trims", "flushes", "zero_size")]
    assert found == [1, 3, 2, 0]
    report = api.run(trace=tmp_path / "ops.txt")
    assert (report.workload.trims, report.workload.flushes) == (3, 2)
    counts = report.requests
    assert (counts.writes, counts.trims, counts.flushes) == (6, 3, 2)
    info = api.trace_info(tmp_path / "ops.txt")
    assert (info["requests"], info["trims"], info["trims_skipped"]) == (6, 3, 0)
