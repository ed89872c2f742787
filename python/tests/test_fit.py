"""A drive file from fio's results: the fit finds the parameters used to generate them."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.fitting.parameters import Parameter
from venice.report.fio import fio_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

DEPTHS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
TRUE_READ_US, TRUE_LATENCY_NS = 62.0, 6000.0
BASE = """
name = "base"
extends = "samsung-970-pro"
[flash]
blocks_per_plane = 64
t_read_us = [40, 40]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return fio's JSON of ten depths on a drive whose times differ from the base's."""
    folder = tmp_path_factory.mktemp("fit")
    base = folder / "base.toml"
    base.write_text(BASE)
    data = folder / "data"
    data.mkdir()
    drive = folder / "true.toml"
    drive.write_text(
        f'extends = "base.toml"\n[flash]\nt_read_us = [{TRUE_READ_US}, {TRUE_READ_US}]\n'
        f"[host]\nlink_latency_ns = {TRUE_LATENCY_NS}\n"
    )
    for depth in DEPTHS:
        report = api.run(
            drive=str(drive),
            workload="random-read",
            closed_loop=depth,
            requests=4000,
            seed=7,
            distributions=True,
        )
        options = {"rw": "randread", "bs": "4k", "iodepth": str(depth)}
        (data / f"{depth}.json").write_text(json.dumps(fio_json(report, options=options)))
    return folder


def test_ten_points_of_fio_give_the_drive_back(
    results: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    drive, report = tmp_path / "drive.toml", tmp_path / "fit.json"
    outcome = venice(
        *("fit", "--data", str(results / "data"), "--drive", str(results / "base.toml")),
        *("-o", str(drive), "--json", str(report), "--trials", "24"),
        *("--param", "flash.t_read_us=20..100", "--param", "host.link_latency_ns=1000..30000"),
    )
    assert outcome.code == 0, outcome.stderr
    found = json.loads(report.read_text())
    assert found["held_out"]["share"] == {
        "mean": {"all": 100, "read": 100},
        "p99": {"all": 100, "read": 100},
    }
    assert found["unreached"] == []
    fitted = {one["key"]: one for one in found["parameters"]}
    read = fitted["flash.t_read_us"]
    assert read["value"] == pytest.approx(TRUE_READ_US, rel=0.15)
    assert read["low"] < TRUE_READ_US < read["high"]
    written = tomllib.loads(drive.read_text())
    assert written["flash"]["t_read_us"]["value"] == pytest.approx([read["value"]] * 2, rel=1e-3)
    again = venice("validate", str(drive), "--data", str(results / "data"), "--require", "100,90")
    assert again.code == 0, again.stderr


def test_a_load_beyond_every_setting_is_named(
    results: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    report = tmp_path / "fit.json"
    outcome = venice(
        *("fit", "--data", str(results / "data"), "--drive", str(results / "base.toml")),
        *("-o", str(tmp_path / "x.toml"), "--json", str(report), "--trials", "3"),
        *("--param", "flash.t_read_us=10..20"),
    )
    assert outcome.code == 0, outcome.stderr
    assert len(json.loads(report.read_text())["unreached"]) == len(DEPTHS) // 2
    assert "no setting reaches" in outcome.stderr


@pytest.mark.parametrize(
    "param",
    ["flash.t_red_us", "flash.t_read_us=9", "flash.t_read_us=9..2", "fabric.name", "host=1..2"],
)
def test_a_parameter_that_cannot_be_fitted_is_refused(
    param: str, results: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(
        *("fit", "--data", str(results / "data"), "--drive", str(results / "base.toml")),
        *("-o", str(tmp_path / "x.toml"), "--param", param),
    )
    assert outcome.code == 2
    assert param in outcome.stderr
    assert not (tmp_path / "x.toml").exists()


def test_a_list_keeps_its_proportions() -> None:
    parameter = Parameter("flash.t_read_us", 10, 90, (30.0, 30.0, 60.0))
    assert parameter.text(20) == "[15, 15, 30]"
    assert Parameter("host.command_bytes", 16, 99, (64.0,), is_whole=True).text(20.4) == "20"
