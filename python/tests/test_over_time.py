"""Time series and slowest requests in reports, files, pictures and the terminal output."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

import venice as api
from venice.observation.intervals import MOST, IntervalDivision, parse_interval
from venice.papers.required_figures import require
from venice.report.over_time import columns_over_time
from venice.report.slowest_requests import reason, slowest_table
from venice.report.summary_table import notes_of_each
from venice.report.work import flash_of_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_COLLECTING = (
    "--set array.rows=2 --set array.cols=2 --set flash.blocks_per_plane=16 "
    "--set flash.pages_per_block=32 --set precondition.mode=steady_state "
    "--workload mixed-70-30 --requests 4000"
)


def _sets() -> list[str]:
    return [word for word in _COLLECTING.split() if "=" in word]


def _collecting(**more: object) -> api.Report:
    return api.run(workload="mixed-70-30", requests=4000, sets=_sets(), **more)  # type: ignore[arg-type]


def test_a_run_reports_time_series_and_causes_only_on_request() -> None:
    report = _collecting()
    assert not {"time_series", "slowest", "chip_wait_behind_us"} & set(report)
    assert (report.time_series, report.slowest) == (None, None)


def test_an_observed_run_has_equal_results() -> None:
    plain, requested = _collecting().to_dict(), dict(_collecting(interval="1ms").to_dict())
    for key in ("time_series", "slowest", "chip_wait_causes_us", "chip_wait_behind_us"):
        del requested[key]
    assert {**requested, "wall_s": 0} == {**plain, "wall_s": 0}


def test_intervals_add_up_to_the_run() -> None:
    report = _collecting(interval="500us")
    columns = columns_over_time(report)
    assert {len(column) for column in columns.values()} == {len(columns["start_us"])}
    assert sum(columns["flash_erases"]) == flash_of_run(report)["erases"] > 0
    assert sum(columns["read_count"]) + sum(columns["write_count"]) == 4000
    assert set(require(report.time_series).start_us[1:]) <= {500.0 * place for place in range(MOST)}


def test_the_slowest_requests_of_a_drive_that_collects_owe_it_to_collection() -> None:
    report = _collecting(slowest=3)
    slowest = require(report.slowest)
    assert len(slowest) == 3
    assert slowest[0].latency_us == report.latency_us.all.max
    for row in slowest:
        stages = dict(row.stages_us)
        assert sum(stages.values()) == pytest.approx(row.latency_us)
        assert sum(row.chip_wait_behind_us.values()) <= stages["chip_wait"] + 1e-6
    table = slowest_table(report)
    assert table is not None
    assert "GC " in table
    assert reason(report.to_dict()["slowest"][0]) in table


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_intervals_are_written_as_the_suffix_says(
    suffix: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    files = ("--intervals-out", f"rows{suffix}", "--json", "out.json")
    outcome = venice("run", *_COLLECTING.split(), "--interval", "1ms", *files)
    assert outcome.code == 0, outcome.stderr
    expected = columns_over_time(api.Report.load(tmp_path / "out.json"))
    file = tmp_path / f"rows{suffix}"
    if suffix == ".parquet":
        found = parquet.read_table(file).to_pydict()
    elif suffix == ".json":
        rows = json.loads(file.read_text())
        found = {name: [row[name] for row in rows] for name in rows[0]}
    else:
        with file.open() as lines:
            texts = list(csv.DictReader(lines))
        found = {
            name: [float(row[name]) if row[name] else None for row in texts] for name in texts[0]
        }
    assert found == expected


def test_a_run_is_drawn_over_time_as_its_report_is_later(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    files = ("--plot", "run.png", "--json", "out.json")
    outcome = venice("run", *_COLLECTING.split(), "--interval", "40", *files)
    assert outcome.code == 0, outcome.stderr
    assert "dominant cause" in outcome.stdout
    later = venice("plot", "out.json", "--kind", "time", "-o", "later.png")
    assert later.code == 0, later.stderr
    assert (tmp_path / "later.png").read_bytes() == (tmp_path / "run.png").read_bytes()
    with (tmp_path / "later.csv").open() as lines:
        assert 20 <= len(list(csv.DictReader(lines))) <= 40


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("--interval 5", "dominant cause"),
        ("--interval 1us", "intervals of"),
    ],
)
def test_the_screen_shows_slow_requests_and_joined_intervals(
    options: str, reported: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", *_COLLECTING.split(), *options.split())
    assert reported in outcome.stdout


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("--interval soon", "a time with its unit"),
        ("--interval 3lightyears", "a time with its unit"),
        ("--interval 1", "from 2 to"),
        ("--interval 2.5", "from 2 to"),
        ("--interval 1ns", "from 1us to"),
        ("--interval 9999min", "from 1us to"),
        ("--slowest -1", "from 0 to"),
        ("--plot run.png", "--interval 100ms"),
        ("--intervals-out rows.csv", "--interval 100ms"),
        ("--interval 1ms --intervals-out rows.txt", ".csv, .json or .parquet"),
        ("--interval 1ms --plot run.bmp", "unsupported picture format"),
    ],
)
def test_what_is_no_interval_is_refused_in_a_sentence(
    options: str, reported: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--workload", "random-read", *options.split())
    assert outcome.code == 2
    assert reported in outcome.message


def test_a_report_without_intervals_is_not_drawn_over_time(venice: Callable[..., Outcome]) -> None:
    venice("run", "--workload", "random-read", "--requests", "10", "--json", "out.json")
    outcome = venice("plot", "out.json", "--kind", "time", "-o", "out.png")
    assert outcome.code == 2
    assert "run with `--interval`" in outcome.message


def test_lengths_and_numbers_of_intervals_are_read() -> None:
    assert parse_interval("1s") == IntervalDivision(10**12, MOST)
    assert (
        parse_interval("2.5 ms")
        == parse_interval("2500us")
        == IntervalDivision(2_500_000_000, MOST)
    )
    assert parse_interval(200) == parse_interval("199") == IntervalDivision(10**6, 200)


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("--of iops", "its own panels"),
        ("--baseline bus", "`--baseline` requires `--kind bars`"),
    ],
)
def test_a_run_over_time_is_drawn_with_its_own_panels(
    options: str, reported: str, venice: Callable[..., Outcome]
) -> None:
    venice("run", "--workload", "random-read", "--requests", "10", "--json", "out.json")
    outcome = venice("plot", "out.json", "--kind", "time", "-o", "out.png", *options.split())
    assert outcome.code == 2
    assert reported in outcome.message


def test_failures_and_spare_blocks_of_a_drive_that_wears_out_are_columns() -> None:
    report = api.run(
        workload="random-write",
        requests=4000,
        interval=20,
        sets=[
            "array.rows=2",
            "array.cols=2",
            "flash.blocks_per_plane=32",
            "flash.pages_per_block=16",
            "flash.erase_failure_ppm=300000",
            "flash.grown_bad_block_reserve_pct=10",
            "ftl.over_provisioning_pct=40",
            "precondition.mode=steady_state",
        ],
    )
    columns = columns_over_time(report)
    assert sum(columns["failed"]) == report.requests.failed == 4000 - report.requests.completed > 0
    spare = columns["flash_spare_blocks"]
    grown = report.content["bad_blocks"]["grown"]
    assert (spare[0], spare[-1]) == (32, 32 - grown["failed_blocks"])
    assert spare == sorted(spare, reverse=True)
    [note] = notes_of_each([report])
    assert (
        "failed, which latencies and rates do not include: the drive has become read-only" in note
    )
