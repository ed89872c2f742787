"""Rows of measurements: a load, measured figures, and their location in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from venice.validation.load import Load, Operation


class Figures(NamedTuple):
    """Figures of one operation; ``None`` where one is unknown."""

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
    """One measured row."""

    drive: str
    """Name of the drive; empty if the data names none."""
    operation: Operation
    load: Load | str
    """The load, or the reason why a drive cannot simulate it."""
    figures: Figures
    source: Source


class DataError(UsageError):
    """A file of measurements that cannot be read."""
