"""Printed table of trims, flushes and write zeroes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_JOBS = """
[writer]
rw=randwrite
bs=4k
size=2m
fsync=16
[trimmer]
rw=randtrim
bs=64k
size=8m
"""
_DRIVE = ("--drive", "slc-low-latency")


def test_table_has_a_row_for_each_operation_other_than_reads_and_writes(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    job, report = tmp_path / "jobs.fio", tmp_path / "report.json"
    job.write_text(_JOBS)
    run = venice("run", *_DRIVE, "--workload", str(job), "--json", str(report))
    assert run.code == 0, run.stderr
    latencies = json.loads(report.read_text())["latency_us"]
    lines = run.stdout.splitlines()
    for operation in ("trim", "flush"):
        (row,) = [line.split() for line in lines if f" {operation} " in line]
        count, mean = latencies[operation]["count"], latencies[operation]["mean"]
        assert count > 0
        assert row[1:3] == [operation, f"{count:,}"]
        assert float(row[3]) == pytest.approx(mean, abs=0.06)
    assert "write zeroes" not in run.stdout


def test_run_of_reads_and_writes_has_no_such_table(venice: Callable[..., Outcome]) -> None:
    run = venice("run", *_DRIVE, "--workload", "mixed-70-30", "--requests", "100")
    assert run.code == 0, run.stderr
    assert "operation" not in run.stdout
