"""Selected columns of request rows, in chunks or complete, with and without a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from pyarrow import parquet

import venice as api
from venice.files.output import OutputError
from venice.observation.listeners import CombinedLog
from venice.observation.request_columns import chosen
from venice.observation.request_log import RequestLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_TOGETHER = 1 << 18
"""Number of rows that are passed to a listener at a time."""

_CAUSES = {"chip_wait_behind_ps", "owes_most_to", "chip"}


def test_the_table_has_the_requested_columns_in_order() -> None:
    scenario = api.Scenario(workload="mixed-70-30", requests=3000)
    every = pl.DataFrame(api.run(**scenario, request_table="all").request_table)
    names = ["latency_ps", "op", "conflicted", "number", "chip"]
    some = api.run(**scenario, request_table=names).request_table
    assert some.keys() == names
    assert_frame_equal(pl.DataFrame(some), every.select(names))
    usual = api.run(**scenario, request_table=True).request_table
    assert set(every.columns) - set(usual.keys()) == _CAUSES
    assert_frame_equal(pl.DataFrame(usual), every.select(usual.keys()))


def test_latencies_of_the_rows_are_those_of_the_report() -> None:
    report = api.run(workload="random-read", requests=50_000, request_table=["latency_ps"])
    latencies_us = report.request_table["latency_ps"] / 1e6
    reported = report.latency_us.all
    assert latencies_us.mean() == pytest.approx(reported.mean, rel=1e-9)
    assert latencies_us.max() == pytest.approx(reported.max, rel=1e-9)
    for percent, told_us in ((50, reported.p50), (99, reported.p99)):
        requested = np.quantile(latencies_us, percent / 100, method="inverted_cdf")
        assert requested == pytest.approx(told_us, rel=2e-3), (
            "within a bin of the report's histogram"
        )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["latency"], r"requests have no column `latency`; did you mean `latency_ps`\? expected:"),
        (["number", "number"], "the column `number` of requests is named twice; expected: once"),
        ([], "no column of requests is named; expected: names, `usual` or `all`"),
        ("none", "requests have no column `none`"),
    ],
)
def test_columns_that_cannot_be_are_refused_before_the_run(
    columns: list[str], message: str
) -> None:
    with pytest.raises(api.UsageError, match=message):
        api.run(workload="random-read", requests=10, request_table=columns)
    with pytest.raises(api.UsageError, match=message):
        RequestLog(io.BytesIO(), columns=columns)


class _Kept:
    columns = "all"

    def __init__(self) -> None:
        self.tables: list[api.Table] = []

    def __call__(self, rows: api.Table) -> None:
        self.tables.append(rows)


class _Summed:
    columns = "all"

    def __init__(self) -> None:
        self.sums: list[pl.DataFrame] = []

    def __call__(self, rows: api.Table) -> None:
        self.sums.append(_sums(pl.DataFrame(rows)))


def _sums(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.exclude("op", "owes_most_to").cast(pl.Int128).sum())


@pytest.mark.nightly
def test_chunks_that_are_kept_or_dropped_are_the_rows_of_the_whole_table() -> None:
    scenario = api.Scenario(workload="zipf-mixed", requests=2 * _TOGETHER + 1000)
    kept, summed = _Kept(), _Summed()
    api.run(**scenario, log=kept)
    assert [len(rows) for rows in kept.tables] == [_TOGETHER, _TOGETHER, 1000]
    whole = pl.DataFrame(api.run(**scenario, request_table="all").request_table)
    parts = [pl.DataFrame(rows) for rows in kept.tables]
    assert_frame_equal(pl.concat(parts), whole)
    api.run(**scenario, log=summed)
    # The memory of a chunk that is no longer used is reused for the next one.
    for sums, part in zip(summed.sums, parts, strict=True):
        assert_frame_equal(sums, _sums(part))


def test_a_listener_is_notified_of_the_end_without_rows() -> None:
    kept = _Kept()
    api.run(workload="random-read", requests=_TOGETHER, log=kept)
    assert [len(rows) for rows in kept.tables] == [_TOGETHER, 0]


def test_combined_listeners_get_the_union_of_columns() -> None:
    some, more = _Kept(), _Kept()
    some.columns = "usual"
    both = CombinedLog([some, more])
    assert both.columns == chosen("all")
    api.run(workload="random-read", requests=100, log=both)
    assert some.tables[0].keys() == more.tables[0].keys() == chosen("all")


def test_a_log_has_its_own_columns_whatever_others_ask_for(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    with RequestLog(path, columns=["latency_ps", "number"], compression="none") as log:
        report = api.run(workload="random-read", requests=3000, log=CombinedLog([log, _Kept()]))
        assert not path.exists()
    table = parquet.read_table(path)
    assert table.column_names == ["latency_ps", "number"]
    assert table["latency_ps"].to_numpy().mean() / 1e6 == pytest.approx(report.latency_us.all.mean)


def test_a_run_that_is_interrupted_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    path, file = tmp_path / "log.parquet", io.BytesIO()
    path.write_bytes(b"what was there before")

    def stop(completed: int, *_rest: object) -> None:
        if completed > 3 * _TOGETHER:
            raise KeyboardInterrupt

    for where in (path, file):
        with pytest.raises(KeyboardInterrupt), RequestLog(where) as log:
            api.run(workload="random-read", requests=9 * _TOGETHER, log=log, progress=stop)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.parquet"]
    assert path.read_bytes() == b"what was there before"
    assert file.getbuffer().nbytes > 0
    with pytest.raises(pa.ArrowInvalid):
        parquet.read_table(file)


def test_a_full_disk_is_reported_and_ends_the_run() -> None:
    with pytest.raises(OutputError, match="could not be written"), RequestLog("/dev/full") as log:
        api.run(workload="random-read", requests=3 * _TOGETHER, log=log)


def test_the_command_writes_the_columns_that_are_named(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    run = "run --workload random-read --requests 100"
    named = venice(*f"{run} --request-log a.parquet --request-columns number,chip".split())
    every = venice(*f"{run} --request-log b.parquet --request-columns all".split())
    assert named.code == every.code == 0
    assert parquet.read_schema(tmp_path / "a.parquet").names == ["number", "chip"]
    assert parquet.read_schema(tmp_path / "b.parquet").names == chosen("all")
    alone = venice(*f"{run} --request-columns all".split())
    assert alone.code == 2
    assert (
        "`--request-columns` requires `--request-log`; add --request-log OUT.parquet"
        in alone.message
    )
