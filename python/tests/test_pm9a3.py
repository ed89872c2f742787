"""Reads of the Samsung PM9A3 during writes, compared with external measurements."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from statistics import mean

import pytest

import venice

from .conftest import REPOSITORY

_DRIVE = REPOSITORY / "examples" / "drives" / "samsung-pm9a3-960.toml"

_JOBS = """
[global]
ioengine=io_uring
direct=1
bs=4k
time_based=1
ramp_time=0.5
runtime=1.5
rate_process=poisson
iodepth=4096
[writes]
rw=randwrite
rate_iops={writes_per_s:.0f}
[reads]
rw=randread
rate_iops={reads_per_s:.0f}
"""


@pytest.fixture(scope="module")
def measured() -> list[dict[str, str]]:
    """Return measured reads of the Samsung PM9A3 during writes (Haas et al., SSD-iq, VLDB 2025)."""
    shared = Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared"))
    path = shared / "reference" / "drives" / "ssdiq-latency.csv"
    if not path.is_file():
        pytest.skip(f"the measurements are not at {path}; set VENICE_SHARED to their folder")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if (row["drive"], row["op"]) == ("samsung-pm9a3-960", "read")]


@pytest.mark.parametrize(
    "writes_per_s",
    [30_000, *(pytest.param(rate, marks=pytest.mark.nightly) for rate in (40_000, 50_000, 70_000))],
)
def test_reads_concurrent_with_writes_agree_with_a_pm9a3(
    measured: list[dict[str, str]], tmp_path: Path, writes_per_s: int
) -> None:
    rows = [row for row in measured if float(row["offered_iops"]) == writes_per_s]

    def of_drive(column: str) -> float:
        return mean(float(row[column]) for row in rows)

    jobs = tmp_path / "jobs.fio"
    rates = {name: of_drive(name) for name in ("writes_per_s", "reads_per_s")}
    jobs.write_text(_JOBS.format(**rates))
    report = venice.run(drive=str(_DRIVE), workload=str(jobs))
    assert report.latency_us.read.mean == pytest.approx(of_drive("mean_us"), rel=0.15)
