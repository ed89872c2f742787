"""``venice config``: its output can be read as a drive file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import venice as api

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


@pytest.mark.parametrize("drive", api.drive_names())
def test_a_drive_shown_is_a_drive_that_loads(
    drive: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    changes = ("--fabric", "venice", "--set", "flash.t_bers_us=7000", "--seed", "9")
    shown = venice("config", "show", "--drive", drive, *changes)
    assert (shown.code, shown.stderr) == (0, "")
    (tmp_path / "shown.toml").write_text(shown.stdout)
    original = api.resolve(drive, "venice", ["flash.t_bers_us=7000"], 9)
    again = api.resolve(str(tmp_path / "shown.toml"))
    assert again.to_json() == original.to_json()
    assert again.capacity_bytes == original.capacity_bytes


def test_a_key_is_explained_with_its_unit(venice: Callable[..., Outcome]) -> None:
    outcome = venice("config", "explain", "flash.t_read_us")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("flash.t_read_us: Array read time (tR).\n")
    assert "µs" in outcome.stdout


def test_the_schema_is_json(venice: Callable[..., Outcome]) -> None:
    outcome = venice("config", "schema")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "flash" in json.loads(outcome.stdout)["properties"]


def test_the_report_holds_the_configuration_it_ran_with() -> None:
    drive = api.resolve("venice-cost", "pssd", ["flash.t_read_us=50"])
    report = api.run(
        drive="venice-cost",
        fabric="pssd",
        sets=["flash.t_read_us=50"],
        workload="random-read",
        requests=10,
    )
    assert report.to_dict()["config"] == json.loads(drive.to_json())
