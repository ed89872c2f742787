"""Frames of reports, comparisons and sweeps, in each library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import venice
from venice.report.frame import Frame

if TYPE_CHECKING:
    from pathlib import Path

    from venice import Comparison


@pytest.fixture(scope="module")
def both() -> Comparison:
    return venice.compare(fabrics=["bus", "venice"], workload="random-read", requests=200, seeds=2)


def test_every_library_has_the_rows_of_a_comparison(both: Comparison) -> None:
    frame = both.frame
    name = "latency_us.all.p99"
    reported = [report.latency_us.all.p99 for report in both]
    assert frame[name] == reported
    assert frame["name"] == ["bus", "bus", "venice", "venice"]
    assert frame["seed"] == [1, 2, 1, 2]
    for table in (pd.DataFrame(frame), frame.to_pandas()):  # type: ignore[call-overload, unused-ignore]
        assert list(table.columns) == frame.keys()
        assert list(table[name]) == reported
    for in_polars in (pl.DataFrame(frame), frame.to_polars()):
        assert in_polars[name].to_list() == reported
        assert in_polars["write_amplification"].null_count() == 4
    assert pa.table(frame)[name].to_pylist() == frame.to_arrow()[name].to_pylist() == reported
    query = "select count(*), max(seed) from frame where fabric = 'venice'"
    assert duckdb.execute(query).fetchall() == [(2, 2)]


def test_a_report_is_a_frame_of_one_row(both: Comparison) -> None:
    (row,) = both[0].frame
    assert row["iops"] == both[0].iops
    assert row["breakdown_us.read.array"] == both[0].breakdown_us.read.array
    assert row["demand.saturated"] is both[0].demand.saturated
    assert not any(name.startswith("config") for name in row)


def test_a_sweep_is_a_frame_of_its_choices_and_figures(tmp_path: Path) -> None:
    sweep = venice.Sweep.of(
        {"workload": "random-read", "requests": 50},
        [{"fabric": ["bus", "ideal"]}, {"seed": [1, 2]}],
    )
    outcome = venice.run_sweep(sweep, tmp_path)
    frame = outcome.frame
    assert (frame["fabric"], frame["seed"]) == (["bus", "bus", "ideal", "ideal"], [1, 2, 1, 2])
    assert frame["iops"] == [report.iops for _, report in outcome.results]
    assert frame.to_pandas().groupby("fabric")["iops"].mean().idxmax() == "ideal"


def test_columns_have_one_type() -> None:
    frame = Frame([{"a": 1, "b": 1}, {"a": "x", "b": 2.5}, {"c": True}])
    assert frame["a"] == ["1", "x", None]
    assert frame["b"] == [1.0, 2.5, None]
    assert pl.DataFrame(frame).dtypes == [pl.String, pl.Float64, pl.Boolean]
    assert "<td>2.5</td>" in frame._repr_html_()


def test_libraries_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Frame([{"a": 1}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert pl.DataFrame(frame)["a"].to_list() == [1]
    with pytest.raises(venice.UsageError, match="pip install pyarrow"):
        frame.to_arrow()
