"""Figures of the measured window, the work after it, and reports of other versions."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice._native import SCHEMA_VERSION
from venice.report.files import ReportError
from venice.report.work import work_table

from .shares import impossible_shares

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_SMALL = (
    "array.rows=2",
    "array.cols=2",
    "flash.blocks_per_plane=24",
    "flash.pages_per_block=32",
)


def _options(**values: object) -> list[str]:
    """Return keywords as options of the command."""
    sets = [word for one in _SMALL for word in ("--set", one)]
    pairs = [(f"--{name.replace('_', '-')}", str(value)) for name, value in values.items()]
    return [*sets, *(word for pair in pairs for word in pair)]


def test_work_after_the_last_completion_counts_in_no_share_and_has_its_own_section(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    options = _options(workload="random-write", closed_loop=64, requests=4000, json="s.json")
    outcome = venice(
        *("run", "--drive", "samsung-970-pro", "--set", "precondition.mode=steady_state"),
        *("--interval", "10", *options),
    )
    assert outcome.code == 0, outcome
    report = json.loads((tmp_path / "s.json").read_text())
    assert impossible_shares(report) == []
    after, flash = report["after_last_completion"], report["flash"]
    assert after["flash"]["programs"] > 0
    assert after["duration_us"] > 0.01 * report["makespan_us"]
    assert "after the last completion the drive worked for" in outcome.stdout
    whole = report["makespan_us"] + after["duration_us"]
    assert report["energy_window_us"] == pytest.approx(whole)
    series = report["time_series"]["flash"]
    for key in ("programs", "erases", "gc_moves", "programmed_bytes"):
        assert sum(series[key]) == flash[key] + after["flash"][key], key
    written = report["requests"]["written_bytes"]
    assert report["write_amplification"] == flash["programmed_bytes"] / written


def test_write_amplification_of_4_kib_on_16_kib_pages_is_four_times_that_of_pages() -> None:
    report = api.run(
        drive="venice-cost",
        sets=[*_SMALL, "precondition.mode=steady_state", "cache.mode=off"],
        workload="random-write",
        closed_loop=32,
        requests=3000,
    )
    pages = report.pages_per_written_page
    assert report.config["flash"]["page_bytes"] == 4 * 4096
    assert report.requests.written_bytes == 3000 * 4096
    assert pages is not None
    assert pages > 1
    assert report.write_amplification == pytest.approx(4 * pages, rel=0.01)


def _old(path: Path) -> dict[str, Any]:
    """Write a report of an earlier version."""
    report = api.run(workload="random-write", fabric="bus", requests=50, closed_loop=4, seed=3)
    content = {**json.loads(report.to_json()), "schema_version": SCHEMA_VERSION - 1}
    path.write_text(json.dumps(content))
    return content


_COMMAND = (
    "run again: venice run --drive venice-performance --fabric bus --workload random-write "
    "--closed-loop 4 --requests 50 --seed 3"
)


@pytest.mark.parametrize(
    "command",
    [
        ("report", "sheet", "old.json", "-o", "old.html"),
        ("report", "fio", "old.json", "-o", "fio.json"),
        ("plot", "old.json", "--kind", "bars", "-o", "old.png"),
        ("view", "old.json", "-o", "old.html"),
    ],
)
def test_a_report_of_an_earlier_version_is_refused_with_the_command_that_makes_it_again(
    venice: Callable[..., Outcome], tmp_path: Path, command: tuple[str, ...]
) -> None:
    _old(tmp_path / "old.json")
    outcome = venice(*command)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert f"old.json: holds a report of version {SCHEMA_VERSION - 1}" in outcome.message
    assert _COMMAND in " ".join(outcome.stderr.split())


@pytest.mark.parametrize(
    "command", [("plot", "old.json", "-o", "old.png"), ("view", "old.json", "-o", "old.html")]
)
def test_a_comparison_of_an_earlier_version_is_refused_with_its_own_command(
    venice: Callable[..., Outcome], tmp_path: Path, command: tuple[str, ...]
) -> None:
    old = _old(tmp_path / "old.json")
    (tmp_path / "old.json").write_text(json.dumps([old, {**old, "fabric": "venice"}]))
    outcome = venice(*command)
    assert outcome.code == 2
    again = "venice compare venice-performance:bus,venice --workload random-write --closed-loop 4"
    assert f"run again: {again} --requests 50" in outcome.message


def test_reports_of_two_versions_are_not_mixed(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    old = _old(tmp_path / "old.json")
    api.run(workload="random-write", requests=50).save(tmp_path / "new.json")
    outcome = venice("plot", "new.json", "old.json", "--kind", "bars", "-o", "both.png")
    assert outcome.code == 2
    assert "old.json: holds a report of version" in outcome.message
    (tmp_path / "newer.json").write_text(json.dumps({**old, "schema_version": SCHEMA_VERSION + 1}))
    with pytest.raises(ReportError, match="update"):
        api.load_reports(tmp_path / "newer.json")


def test_a_store_of_reports_of_an_earlier_version_is_refused(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "two.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 40\n[[axis]]\nfabric = ["bus", "ideal"]\n'
    )
    first = venice("sweep", "two.toml", "--out", "kept")
    assert first.code == 0, first
    with sqlite3.connect(tmp_path / "kept" / "results.sqlite") as database:
        database.execute("DELETE FROM notes WHERE name = 'version of reports'")
    for command in (
        ("sweep", "two.toml", "--out", "kept"),
        ("sweep", "export", "kept", "-o", "table.csv"),
        ("sweep", "sql", "SELECT iops FROM runs", "kept"),
    ):
        outcome = venice(*command)
        assert outcome.code == 2, outcome
        message = " ".join(outcome.stderr.split())
        assert "holds reports of version 1" in message
        assert "run again: venice sweep two.toml --out NEW-FOLDER" in message


def test_a_run_without_writes_has_no_columns_about_them() -> None:
    reading, writing = (
        api.run(workload=workload, requests=200) for workload in ("random-read", "random-write")
    )
    assert "erased" not in work_table([reading])
    assert "erased" in work_table([writing])
    assert "erased" in work_table([reading, writing])
