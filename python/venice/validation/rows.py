"""Rows of measurements: a load, the figures of a drive under it, and their place in a file."""

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
    """Place of a row: file, line from 1, and the text by which its data set calls it."""

    file: str
    line: int
    name: str = ""


class Row(NamedTuple):
    """One measured row."""

    drive: str
    """Name of the drive; empty for data of the user's own drive."""
    operation: Operation
    load: Load | str
    """The load, or the reason why a drive cannot simulate it."""
    figures: Figures
    source: Source


class DataError(UsageError):
    """A file of measurements that cannot be read."""
