"""Tables of requests and of intervals: other libraries read them without a copy."""

from __future__ import annotations

import gc
import io
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import venice
from venice.observation.request_log import RequestLog
from venice.papers.required_figures import require
from venice.report import STAGES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from venice import Report

_REQUESTS = 20_000


@pytest.fixture(scope="module")
def report() -> Report:
    return venice.run(workload="mixed-70-30", requests=_REQUESTS, interval=8, request_table=True)


def _address(values: NDArray[Any]) -> int:
    place: int = values.__array_interface__["data"][0]
    return place


def test_a_column_is_an_array_over_the_memory_that_the_libraries_get(report: Report) -> None:
    table = report.request_table
    latencies_ps = table["latency_ps"]
    assert not latencies_ps.flags.writeable
    (chunk,) = pa.table(table)["latency_ps"].chunks
    assert chunk.buffers()[1].address == _address(latencies_ps)
    in_polars = pl.DataFrame(table)["latency_ps"].to_numpy(allow_copy=False)
    assert _address(in_polars) == _address(latencies_ps)


def test_the_memory_stays_as_long_as_it_is_referenced() -> None:
    report = venice.run(workload="random-read", requests=5000, request_table=True)
    mean_ps = require(report.latency_us.all.mean) * 1e6
    latencies_ps, frame = report.request_table["latency_ps"], pl.DataFrame(report.request_table)
    del report
    gc.collect()
    other = np.ones(latencies_ps.size, dtype="u8")
    assert latencies_ps.mean() == pytest.approx(mean_ps)
    assert frame["latency_ps"].mean() == pytest.approx(mean_ps)
    assert other.sum() == latencies_ps.size


def test_every_library_has_equal_counts_and_names(report: Report) -> None:
    table = report.request_table
    reads = report.requests.reads
    frame = pd.DataFrame.from_arrow(table)
    assert len(table) == len(frame) == _REQUESTS
    assert (frame["op"] == "read").sum() == reads
    assert pl.DataFrame(table).filter(pl.col("op") == "read").height == reads
    requests = table  # DuckDB finds the table by the name of this variable.
    counted = duckdb.execute("select count(*) from requests where op = 'read'").fetchone()
    assert requests is table
    assert counted == (reads,)
    assert (table["op"] == "read").sum() == reads
    assert list(frame.columns) == table.keys() == pa.table(table).column_names


def test_pandas_reads_a_table_as_it_reads_rows(report: Report) -> None:
    table = report.request_table
    frame = pd.DataFrame(table)
    assert list(frame.columns) == table.keys()
    assert len(frame) == _REQUESTS
    same = table.to_pandas().astype({"op": "str"})
    pd.testing.assert_frame_equal(frame, same, check_dtype=False)
    assert frame["latency_ps"].dtype == np.int64
    assert frame["conflicted"].dtype == bool
    intervals = report.interval_table
    gaps = pd.DataFrame(intervals)["write_mean_us"].isna()
    assert (gaps == np.isnan(intervals["write_mean_us"])).all()


def test_a_table_is_columns_by_name_and_rows_in_order(report: Report) -> None:
    table = report.request_table
    columns, rows = dict(table), list(table)
    assert list(columns) == list(rows[0]) == table.keys()
    assert len(rows) == len(table)
    assert "latency_ps" in table
    assert "latency_us" not in table
    assert rows[7]["latency_ps"] == columns["latency_ps"][7]


def test_a_table_is_converted_to_each_library_without_copying(report: Report) -> None:
    table = report.request_table
    address = _address(table["latency_ps"])
    assert _address(table.to_polars()["latency_ps"].to_numpy(allow_copy=False)) == address
    (chunk,) = table.to_arrow()["latency_ps"].chunks
    assert chunk.buffers()[1].address == address
    assert list(table.to_pandas()["op"]) == list(table["op"])


def test_a_library_that_is_not_there_is_named(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(venice.UsageError, match="pip install polars"):
        report.request_table.to_polars()


def test_stages_add_up_and_truths_are_truths(report: Report) -> None:
    table = report.request_table
    stages = np.sum([table[f"{stage.key}_ps"] for stage in STAGES], axis=0)
    assert (stages == table["latency_ps"]).all()
    share = 100 * table["conflicted"].mean()
    assert share == pytest.approx(report.path.requests_conflict_pct)
    assert pl.DataFrame(table)["conflicted"].sum() == table["conflicted"].sum()


def test_the_log_s_file_is_the_same_table() -> None:
    file = io.BytesIO()
    with RequestLog(file) as log:
        venice.run(workload="zipf-mixed", requests=300_000, log=log)
    kept = venice.run(workload="zipf-mixed", requests=300_000, request_table=True).request_table
    assert parquet.ParquetFile(file).num_row_groups > 1
    read = parquet.read_table(file).unify_dictionaries()
    assert read.equals(pa.table(kept).unify_dictionaries())


def test_every_column_has_a_description_and_times_a_unit(report: Report) -> None:
    for name, meaning in report.request_table.schema.items():
        assert meaning.text
        assert name.endswith("_ps") == meaning.text.endswith("[ps]"), name
    field = pa.schema(report.request_table).field("latency_ps")
    assert field.metadata == {b"description": b"from issue to completion [ps]"}


def test_intervals_are_a_table_with_gaps() -> None:
    report = venice.run(workload="random-read", requests=2000, interval=8)
    table = report.interval_table
    frame = pl.DataFrame(table)
    assert frame["read_count"].sum() == 2000
    assert frame["read_count"].dtype == pl.Int64
    assert frame["write_mean_us"].is_null().all()
    assert np.isnan(table["write_mean_us"]).all()
    assert _address(table["read_count"]) == _address(frame["read_count"].to_numpy(allow_copy=False))


def test_what_is_not_there_is_said(report: Report) -> None:
    with pytest.raises(KeyError, match="latency_us"):
        _ = report.request_table["latency_us"]
    plain = venice.run(workload="random-read", requests=10)
    with pytest.raises(venice.UsageError, match="run with `request_table=True`"):
        _ = plain.request_table
    with pytest.raises(venice.UsageError, match="run with `interval=`"):
        _ = plain.interval_table
    with pytest.raises(venice.UsageError, match="`log=` and `request_table=`"):
        venice.run(workload="random-read", requests=10, log=print, request_table=True)


def test_a_run_without_requests_has_a_table_without_rows(tmp_path: Path) -> None:
    report = venice.run(
        workload="random-read", requests=0, save_state=tmp_path / "s", request_table=True
    )
    assert len(report.request_table) == 0
    assert report.request_table["latency_ps"].dtype == np.uint64


def test_a_table_changes_no_figure(report: Report) -> None:
    plain = venice.run(workload="mixed-70-30", requests=_REQUESTS, interval=8)
    assert plain.latency_us == report.latency_us


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": range(99)}), pl.DataFrame({"a": range(99)})])
def test_a_frame_that_is_no_trace_is_refused_without_being_printed(frame: Any) -> None:  # noqa: ANN401
    with pytest.raises(venice.UsageError, match=r"^`trace=` is a DataFrame; it should be a text"):
        venice.run(trace=frame)
