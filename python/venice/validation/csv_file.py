"""Measured rows as CSV, the format in which data sets are contributed."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from venice.validation.beside import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venice.validation.load import Condition
    from venice.validation.rows import Row

COLUMNS = (
    *("drive", "op", "pattern", "bs", "qd", "jobs", "rwmix", "engine", "preconditioned"),
    *("iops", "mb_s", "mean_us", "p50_us", "p99_us", "p999_us", "source_file"),
)
_CONDITIONS: dict[Condition, str] = {
    "written": "no",
    "filled": "filled",
    "steady": "filled, 4K rand",
}


def csv_of(rows: Iterable[Row], drive: str) -> tuple[str, int]:
    """Return rows as CSV, and the number of rows that cannot be expressed.

    Parameters
    ----------
    rows
        Measured rows.
    drive
        Name of the drive, for rows that do not state one.
    """
    text, left_out = StringIO(), 0
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        words = None if isinstance(row.load, str) else words_of(row.load)
        if isinstance(row.load, str) or words is None:
            left_out += 1
            continue
        stream, figures = row.load.stream, row.figures
        rate = figures.iops
        writer.writerow(
            [
                row.drive or drive,
                row.operation,
                "rand" if stream.is_random else "seq",
                stream.size_bytes,
                stream.depth,
                stream.jobs,
                words,
                "fio",
                _CONDITIONS[row.load.scene.condition],
                _number(rate, 0),
                _number(None if rate is None else rate * stream.size_bytes / 1e6, 1),
                *(_number(figures[place], 2) for place in range(4)),
                f"{row.source.file} {row.source.name}".strip(),
            ]
        )
    return text.getvalue(), left_out


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
