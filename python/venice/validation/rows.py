"""Rows of measurements: the load, the measured figures, and the location in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from venice.validation.load import Load, Operation


class Figures(NamedTuple):
    """Figures of one operation; ``None`` for an unknown figure."""

    mean_us: float | None = None
    p50_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    iops: float | None = None
    write_amplification: float | None = None


class Source(NamedTuple):
    """Location of a row: file, line (from 1), and its name in the data set."""

    file: str
    line: int
    name: str = ""


class Row(NamedTuple):
    """Row of measurements of a real drive."""

    drive: str
    """Name of the measured drive; empty if the data does not state it."""
    operation: Operation
    load: Load | str
    """Load of the row, or the reason why a drive cannot simulate it."""
    figures: Figures
    source: Source


class DataError(UsageError):
    """The file of measurements cannot be read."""
