"""Drive states that are saved and loaded, from Python and from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import venice

if TYPE_CHECKING:
    from pathlib import Path

    from venice.config import FabricName

_SMALL = (
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=64",
    "flash.pages_per_block=32",
    "precondition.mode=steady_state",
    "precondition.occupancy_pct=90",
)


def _venice(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "venice", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _figures(report: venice.Report) -> dict[str, object]:
    figures: dict[str, object] = json.loads(report.to_json())
    for other in ("wall_s", "build"):
        figures.pop(other, None)
    return figures


@pytest.mark.parametrize("load", ["light", "saturated"])
def test_a_run_from_a_saved_drive_is_the_run_on_that_drive(tmp_path: Path, load: str) -> None:
    state, sets = tmp_path / "drive.state", [*_SMALL, f"precondition.gc_load={load}"]
    saved = venice.run(workload="random-write", requests=0, sets=sets, save_state=state)
    assert saved.requests.completed == 0
    here = venice.run(workload="random-write", requests=3000, sets=sets)
    there = venice.run(workload="random-write", requests=3000, sets=sets, load_state=state)
    assert _figures(here) == _figures(there)
    assert here.flash.gc_moves > 0


def test_every_fabric_of_a_comparison_begins_with_the_same_state(tmp_path: Path) -> None:
    state = tmp_path / "drive.state"
    venice.run(workload="random-write", requests=2000, sets=_SMALL, save_state=state)
    compared = venice.compare(
        fabrics=["bus", "ideal"],
        workload="random-write",
        requests=500,
        sets=_SMALL,
        load_state=state,
    )
    fabrics: list[FabricName] = ["bus", "ideal"]
    for fabric, report in zip(fabrics, compared, strict=True):
        alone = venice.run(
            fabric=fabric,
            workload="random-write",
            requests=500,
            sets=_SMALL,
            load_state=state,
            causes=True,
        )
        assert _figures(report) == _figures(alone)


def test_no_request_is_for_saving_only() -> None:
    with pytest.raises(venice.UsageError, match="`requests=` is 0"):
        venice.run(workload="random-write", requests=0, sets=_SMALL)


def test_the_command_line_saves_and_loads_and_refuses_with_one_message(tmp_path: Path) -> None:
    state = tmp_path / "drive.state"
    sets = [part for key in _SMALL for part in ("--set", key)]
    run = ["run", "--workload", "random-write", *sets]
    saved = _venice(*run, "--requests", "0", "--save-state", str(state))
    assert saved.returncode == 0, saved.stderr
    loaded = _venice(*run, "--requests", "200", "--load-state", str(state))
    assert loaded.returncode == 0, loaded.stderr
    assert "warning: `precondition.mode`, `precondition.occupancy_pct` have" in loaded.stderr
    assert "precondition" not in saved.stderr
    state.write_bytes(state.read_bytes()[:-1])
    refused = _venice(*run, "--requests", "200", "--load-state", str(state))
    assert refused.returncode == 2
    assert "the file is damaged" in refused.stderr
    assert "Traceback" not in refused.stderr
    nowhere = tmp_path / "missing" / "drive.state"
    unwritable = _venice(*run, "--requests", "200", "--save-state", str(nowhere))
    assert unwritable.returncode == 2
    assert f"the folder `{nowhere.parent}` does not exist" in unwritable.stderr


def test_a_state_of_another_drive_is_refused_with_the_difference(tmp_path: Path) -> None:
    state = tmp_path / "drive.state"
    venice.run(workload="random-write", requests=10, sets=_SMALL, save_state=state)
    other = [*_SMALL, "flash.blocks_per_plane=65"]
    with pytest.raises(
        venice.StateError, match=r"`flash\.blocks_per_plane` is 64 in the state and 65 in"
    ):
        venice.run(workload="random-write", requests=10, sets=other, load_state=state)
