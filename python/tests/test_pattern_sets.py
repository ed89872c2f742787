"""Searches for sets of patterns: outcomes, refusals, and replayed request logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import venice as api
from venice.observation.request_log import RequestLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANGE_BYTES = 4 << 20
PAGES = RANGE_BYTES // 16_384
TWO_SETS = api.Drive("pif", search=api.config.Search(match_pct=[5.0, 60.0], patterns=[1.0, 20.0]))


def searches(*sets: int) -> list[api.Request]:
    return [
        api.Request("search", 0, RANGE_BYTES, arrival_us=20_000.0 * number, pattern_set=pattern_set)
        for number, pattern_set in enumerate(sets)
    ]


def found(drive: api.Drive, *sets: int) -> dict[str, Any]:
    search: dict[str, Any] = api.run(drive=drive, source=searches(*sets)).to_dict()["search"]
    return search


def test_each_set_has_its_share_of_pages_and_its_passes() -> None:
    first, second = found(TWO_SETS, 0), found(TWO_SETS, 1)
    assert first["pages"] == second["pages"] == PAGES
    assert abs(first["pages_matched"] / PAGES - 0.05) < 4 * (0.05 * 0.95 / PAGES) ** 0.5
    assert abs(second["pages_matched"] / PAGES - 0.6) < 4 * (0.6 * 0.4 / PAGES) ** 0.5
    # Few of the 128 chips have a match in both of their pages, and need no further pass.
    assert first["tables_sent"] == 128
    assert 2.5 * 128 < second["tables_sent"] <= 3 * 128
    both = found(TWO_SETS, 0, 1)
    assert both["pages_matched"] == first["pages_matched"] + second["pages_matched"]


def test_the_first_set_is_that_of_a_drive_with_one_set() -> None:
    one_set = api.Drive("pif", search=api.config.Search(match_pct=5.0))
    assert found(one_set, 0) == found(TWO_SETS, 0)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_replayed_log_keeps_the_sets(tmp_path: Path, suffix: str) -> None:
    log_path = tmp_path / "log.parquet"
    with log_path.open("wb") as file, RequestLog(file) as log:
        first = api.run(drive=TWO_SETS, source=searches(1, 0, 1), log=log)
    rows = pl.read_parquet(log_path)
    assert rows["pattern_set"].to_list() == [1, 0, 1]
    trace = tmp_path / f"log.{suffix}"
    if suffix == "csv":
        arrival = (pl.col("arrival_ps") / 1e6).alias("arrival_us")
        rows.select(arrival, "op", "start_sector", "sectors", "pattern_set").write_csv(trace)
    again = api.run(drive=TWO_SETS, trace=trace)
    sections = ("search", "latency_us", "flash", "requests")
    assert [again.to_dict()[name] for name in sections] == [
        first.to_dict()[name] for name in sections
    ]


def test_other_operations_ignore_the_set() -> None:
    def reads() -> Iterator[api.Request]:
        yield api.Request("read", 0, 16_384, pattern_set=9)

    assert api.run(drive=TWO_SETS, source=reads).requests.reads == 1


@pytest.mark.parametrize("pattern_set", [2, 255])
def test_a_set_that_the_drive_lacks_is_refused(tmp_path: Path, pattern_set: int) -> None:
    text = f"request 2 searches for pattern set {pattern_set}, but the last set of the drive is 1"
    with pytest.raises(api.TraceError, match=text):
        api.run(drive=TWO_SETS, source=searches(0, pattern_set))
    trace = tmp_path / "log.csv"
    trace.write_text(
        f"time_us,op,lba,sectors,pattern_set\n0,read,0,8,\n5,search,0,8,{pattern_set}\n"
    )
    with pytest.raises(api.TraceError, match=text):
        api.run(drive=TWO_SETS, trace=trace)


def test_a_flow_with_a_set_that_the_drive_lacks_is_refused(tmp_path: Path) -> None:
    workload = tmp_path / "second.toml"
    workload.write_text('extends = "search"\nrequests = 2\npattern_set = 1\n')
    assert api.run(drive=TWO_SETS, workload=workload).to_dict()["search"]["searches"] == 2
    with pytest.raises(api.WorkloadError, match="but the last set of the drive is 0"):
        api.run(drive="pif", workload=workload)
    workload.write_text('extends = "search"\npattern_set = 16\n')
    with pytest.raises(api.WorkloadError, match="from 0 to 15"):
        api.run(drive="pif", workload=workload)


@pytest.mark.parametrize("number", [-1, 256])
def test_a_set_outside_the_range_of_a_byte_is_refused(number: int) -> None:
    with pytest.raises(api.WorkloadError, match=f"`pattern_set` is {number}; expected: from 0 to"):
        api.run(drive=TWO_SETS, source=searches(number))


@pytest.mark.parametrize(
    ("shares", "counts", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0, 3.0], "`match_pct` has 2 pattern sets, but `patterns` has 3"),
        ([1.0], [1.5], "a pattern set has 1.5 patterns"),
        ([1.0], [65.0], "1 to 64 patterns"),
        ([101.0], [1.0], "0 to 100 %"),
        ([1.0] * 17, [1.0], "a list of at most 16"),
    ],
)
def test_pattern_sets_that_contradict_each_other_are_refused(
    shares: list[float], counts: list[float], message: str
) -> None:
    drive = api.Drive("pif", search=api.config.Search(match_pct=shares, patterns=counts))
    with pytest.raises(api.ConfigError, match=message):
        api.run(drive=drive, source=searches(0))


def test_parquet_keeps_searches_and_other_formats_leave_them_out(tmp_path: Path) -> None:
    rows = [("read", 0), ("search", 2), ("write", 0), ("search", 1)]
    columns = {
        "arrival_ps": [1_000 * number for number in range(len(rows))],
        "op": [op for op, _ in rows],
        "start_sector": [0] * len(rows),
        "sectors": [8] * len(rows),
        "pattern_set": [pattern_set for _, pattern_set in rows],
    }
    trace = tmp_path / "trace.parquet"
    pl.DataFrame(columns).write_parquet(trace)
    assert api.trace_info(trace)["searches"] == 2
    kept = api.convert_trace(trace, tmp_path / "kept.parquet")
    assert (kept["requests"], kept["left_out"]) == (4, 0)
    table = pl.read_parquet(tmp_path / "kept.parquet")
    assert [*zip(table["op"], table["pattern_set"], strict=True)] == rows
    cut = api.convert_trace(trace, tmp_path / "cut.csv", "msr-csv")
    assert (cut["requests"], cut["left_out"]) == (2, 2)
