"""Figures of a run over time as a table, for files and pictures."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, BinaryIO

from venice._native import UsageError
from venice.files.parquet import pyarrow_for
from venice.report.series import series_columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from venice.report.report import Report

SUFFIXES = (".csv", ".json", ".parquet")
"""Suffixes of files that :func:`write_series` writes."""


def columns_over_time(report: Report) -> dict[str, list[Any]]:
    """Return a column for each figure over time, named as in the report, such as ``read_p99_us``.

    The first two columns are the start and the end of each interval; a missing figure is ``None``.

    Raises
    ------
    UsageError
        If the run was not divided into intervals.

    Examples
    --------
    >>> import venice
    >>> report = venice.run(workload="random-read", requests=2000, interval=8)
    >>> columns = columns_over_time(report)
    >>> sum(columns["read_count"])
    2000
    """
    return series_columns(report.content)


def joined_note(report: Report) -> list[str]:
    """Return a note on intervals that were merged to limit their number."""
    series: Mapping[str, Any] | None = report.content.get("time_series")
    if not series or not series["joined"]:
        return []
    length_ms, times = series["interval_us"] / 1000, 2 ** series["joined"]
    count = len(series["start_us"])
    return [f"{count:,} intervals of {length_ms:,.6g} ms: {times:,} were joined to one each"]


def check_suffix(path: Path) -> None:
    """Refuse a file with an unknown suffix.

    Raises
    ------
    UsageError
        The message names the known suffixes.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"{path}: intervals are written as CSV, JSON or Parquet; "
            "end the name in .csv, .json or .parquet"
        )


def write_series(report: Report, file: BinaryIO, suffix: str) -> None:
    """Write a row for each interval to a file, in the format of the suffix."""
    columns = columns_over_time(report)
    if suffix.lower() == ".parquet":
        _write_parquet(report, file)
    elif suffix.lower() == ".json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        file.write(f"{json.dumps(rows, indent=1)}\n".encode())
    else:
        file.write(to_csv(columns).encode())


def to_csv(columns: Mapping[str, list[Any]]) -> str:
    """Return columns as CSV; cells without a figure are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _write_parquet(report: Report, file: BinaryIO) -> None:
    pyarrow, parquet = pyarrow_for("a Parquet file of intervals")
    parquet.write_table(pyarrow.table(report.interval_table), file, compression="zstd")
