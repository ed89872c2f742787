"""Parquet traces: the unit of their times, from the column's type or its name."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import venice as api

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

MS = [0, 3, 3, 7, 12, 12, 20, 41, 41, 60]
"""Whole milliseconds, which every unit can represent."""

REST: dict[str, list[Any]] = {
    "op": ["read", "write", "R", "W", "read", "write", "read", "write", "read", "read"],
    "start_sector": [8 * place * place for place in range(10)],
    "sectors": [8, 16, 8, 8, 24, 8, 8, 64, 8, 8],
}


def times(kind: str) -> tuple[str, pa.Array]:
    """Return the name and content of a column of times, in a form that programs write."""
    unit = {"ns": 10**6, "us": 10**3, "ms": 1}
    name, _, of = kind.partition(" ")
    match name.removesuffix("]").split("["):
        case ["timestamp", typed]:
            whole = pa.array([at * unit[typed] for at in MS], pa.int64())
            return of or "timestamp", whole.cast(pa.timestamp(typed))
        case ["duration", typed]:
            whole = pa.array([at * unit[typed] for at in MS], pa.int64())
            return of or "arrival", whole.cast(pa.duration(typed))
        case ["float_s"]:
            return of, pa.array([at / 1000 for at in MS], pa.float64())
        case ["float32_ms"]:
            return of, pa.array(MS, pa.float32())
        case ["int"]:
            return of, pa.array([at * unit[of.rsplit("_", 1)[-1]] for at in MS], pa.int64())
    raise AssertionError(kind)


def write(folder: Path, kind: str, **options: bool | str) -> Path:
    name, column = times(kind)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trace.parquet"
    parquet.write_table(pa.table({name: column, **REST}), path, **options)
    return path


def report_of(trace: Path, columns: str | None = None) -> str:
    """Return the report as text, without the fields that depend on the file or the machine."""
    report = json.loads(api.run(trace=trace, columns=columns).to_json())
    for key in ("name", "format"):
        del report["workload"][key]
    del report["wall_s"], report["queues"][0]["name"]
    return json.dumps(report)


KINDS = [
    "int arrival_us",
    "int arrival_ms",
    "int time_ns",
    "timestamp[ns]",
    "timestamp[us] time",
    "timestamp[ms]",
    "timestamp[ns] arrival_ns",
    "duration[ns]",
    "duration[us]",
    "duration[ms] time_ms",
    "float_s time_s",
    "float_s arrival_s",
    "float32_ms timestamp_ms",
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_requests_give_the_same_report(kind: str, tmp_path: Path) -> None:
    lines = zip(MS, REST["op"], REST["start_sector"], REST["sectors"], strict=True)
    path = tmp_path / "trace.csv"
    path.write_text("".join(f"{at},{op},{start},{sectors}\n" for at, op, start, sectors in lines))
    columns = "time:ms,op,offset:sector,size:sector"
    expected = report_of(path, columns=columns)
    assert report_of(write(tmp_path / "own", kind)) == expected


@pytest.mark.parametrize("compression", ["NONE", "SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD"])
def test_pages_may_be_compressed_in_any_usual_way(compression: str, tmp_path: Path) -> None:
    plain = write(tmp_path / "plain", "int arrival_us", compression="NONE")
    packed = write(tmp_path / "packed", "int arrival_us", compression=compression)
    assert report_of(packed) == report_of(plain)


def test_time_stamps_of_twelve_bytes_are_read(tmp_path: Path) -> None:
    packed = write(tmp_path / "old", "timestamp[ns]", use_deprecated_int96_timestamps=True)
    assert report_of(packed) == report_of(write(tmp_path / "new", "timestamp[ns]"))


@pytest.mark.parametrize(
    ("kind", "typed", "named"),
    [
        ("timestamp[ns] arrival_us", "ns", "us"),
        ("timestamp[ms] time_s", "ms", "s"),
        ("duration[ns] arrival_us", "ns", "us"),
    ],
)
def test_a_name_that_contradicts_its_type_is_refused(
    kind: str, typed: str, named: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    path = write(tmp_path, kind)
    outcome = venice("run", "--trace", path)
    assert outcome.code == 2
    column = kind.split()[1]
    assert outcome.message == (
        f"error: {path}: the times of column `{column}` are in {typed} by the column's type and in "
        f"{named} by its name; rename it to `arrival` if the type is right, or write it as whole "
        "numbers if the name is\n"
    )


@pytest.mark.parametrize("values", [MS, [at / 10 for at in MS]])
def test_times_without_a_known_unit_are_refused(
    values: list[float], tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    path = tmp_path / "own.parquet"
    parquet.write_table(pa.table({"time": values, **REST}), path)
    outcome = venice("run", "--trace", path)
    assert outcome.code == 2
    assert "the unit of the times of column `time` is unknown" in outcome.message
    assert "rename it to `time_ns` (or _ps, _us, _ms, _s)" in outcome.message


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 1e300])
def test_a_fraction_that_is_no_time_is_a_bad_record(value: float, tmp_path: Path) -> None:
    path = tmp_path / "own.parquet"
    parquet.write_table(pa.table({"time_s": [0.5] * 9 + [value], **REST}), path)
    with pytest.raises(
        api.TraceError, match=r"invalid `arrival`\n  --> .*, record 10\n   = expected: a time"
    ):
        api.run(trace=path)


def test_numbers_that_stand_for_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.parquet"
    decimals = pa.array([Decimal(start) for start in REST["start_sector"]], pa.decimal128(12, 2))
    table = pa.table({"arrival_us": MS, **REST, "start_sector": decimals})
    parquet.write_table(table, path, store_decimal_as_integer=True)
    with pytest.raises(api.TraceError, match="`start_sector` of whole numbers"):
        api.run(trace=path)
