"""Failed parts of every fabric, selected as in the experiment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from venice.papers.experiments.failed_parts import COUNTS, DESIGNS, Design, band, failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


def test_more_failures_of_a_draw_contain_those_of_fewer() -> None:
    for design in DESIGNS:
        few, many = (str(failed(design, 7, count)) for count in (1, 6))
        assert few != many
        assert failed(design, 7, 6) == failed(design, 7, 6)
        assert failed(design, 7, 6) != failed(design, 8, 6)
        assert len(design.parts) >= max(COUNTS)


def test_a_band_holds_the_middle_of_the_draws() -> None:
    found = band([float(value) for value in range(101)])
    assert (found.low, found.mean, found.high) == (2.0, 50.0, 98.0)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_every_fabric_accepts_its_random_settings(
    venice: Callable[..., Outcome], design: Design, tmp_path: Path
) -> None:
    sets = (*design.sets, *failed(design, 1, 2), "fabric.faults.degraded_mode=true")
    options = [word for change in sets for word in ("--set", change)]
    report = tmp_path / "report.json"
    load = ("--workload", "mixed-70-30", "--requests", 300, "--audit", "--json", report)
    outcome = venice("run", "--fabric", design.fabric, *load, *options)
    assert (outcome.code, outcome.stderr) == (0, "")
    faults = json.loads(report.read_text())["faults"]
    assert faults["requests_failed"] == 0
    assert faults["raw_capacity_lost_bytes"] * 64 == len(faults["chips_lost"]) * (
        faults["raw_capacity_bytes"] + faults["raw_capacity_lost_bytes"]
    )
