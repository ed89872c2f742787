"""Garbage collection of client drives in idle time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import venice

if TYPE_CHECKING:
    from pathlib import Path

CLIENT_DRIVES = ("tlc-client-1tb", "samsung-980-1tb", "lexar-nm800-pro-2tb")

_JOB = """
[global]
ioengine=libaio
direct=1
rw=randwrite
bs=4k
iodepth=64
size=100%
number_ios=2000
[before]
[after]
startdelay={pause}
"""


@pytest.mark.parametrize("drive", CLIENT_DRIVES)
def test_client_drive_frees_space_in_idle_time(drive: str, tmp_path: Path) -> None:
    flash = venice.config.Flash(blocks_per_plane=400, pages_per_block=72)
    steady = venice.config.Precondition(mode="steady_state")
    moves = {}
    for pause in ("1us", "2s"):
        job = tmp_path / "bursts.fio"
        job.write_text(_JOB.format(pause=pause))
        small = venice.Drive(drive, flash=flash, precondition=steady)
        report = venice.run(drive=small, workload=str(job), progress=False)
        moves[pause] = report.content["flash"]["idle_moves"]
    assert moves["1us"] == 0
    assert moves["2s"] > 0


@pytest.mark.parametrize("drive", ["tlc-enterprise-2tb", "qlc-4tb", "slc-low-latency"])
def test_drive_of_data_centres_collects_only_when_it_needs_space(drive: str) -> None:
    report = venice.run(drive=drive, workload="random-read", requests=10, progress=False)
    assert "idle_moves" not in report.content["flash"]
