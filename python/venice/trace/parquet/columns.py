"""Columns of a Parquet file that describe requests.

The unit of times follows from the column's type or its name. A file in which these contradict each
other is refused, because one of them is wrong by a factor of a thousand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyarrow import types

from venice._native import TraceError
from venice.trace.parquet.values import fractions, integers, operations, packed, zeros

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from venice.trace.parquet.values import Values

_TIME_NAMES = ("arrival", "time", "timestamp")
"""Names of a column of times, the preferred one first; a unit may follow, as in `arrival_us`."""
_UNITS_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_ROUNDED_PS = 10**3
"""Unit to which fractional times are rounded [ps]; 64 bits of nanoseconds cover 584 years."""

_OPTIONAL_NAMES = ("queue", "pattern_set")
"""Columns of numbers that a file may lack; their values are then 0."""

_TIMES = "times: whole numbers of 32 or 64 bits, fractions, time stamps or lengths of time"
_NUMBERS = "whole numbers of 32 or 64 bits"
_TEXTS = "texts, as `read`, `write`, `trim` or `flush`"


class Columns(NamedTuple):
    """Columns of a file that describe requests."""

    time: str
    """Name of the column of times."""
    tick_ps: int
    """Unit of the returned arrival times [ps]."""
    ticks_per_fraction: int | None
    """Number of ticks in the unit of the values if these are fractional; otherwise ``None``."""
    numbers: tuple[str, ...]
    """Names of the optional columns of numbers that the file has."""

    @classmethod
    def of(cls, schema: pa.Schema, path: Path) -> Columns:
        """Return the columns of a file that describe requests.

        Raises
        ------
        TraceError
            If a column is missing or of another type, or the unit of times is unknown.
        """
        kinds = _first_of_each_name(zip(schema.names, schema.types, strict=True))
        time, unit_ps = _time(kinds, path)
        numbers = tuple(name for name in _OPTIONAL_NAMES if name in kinds)
        if not _is_text(kinds.get("op")):
            raise _wrong_column(path, "op", _TEXTS)
        for name in ("start_sector", "sectors", *numbers):
            if not types.is_integer(kinds.get(name, pa.null())):
                raise _wrong_column(path, name, _NUMBERS)
        if types.is_floating(kinds[time]):
            tick_ps = min(unit_ps, _ROUNDED_PS)
            return cls(time, tick_ps, unit_ps // tick_ps, numbers)
        return cls(time, unit_ps, None, numbers)

    @property
    def names(self) -> list[str]:
        """Names of the columns that describe requests."""
        return [self.time, "op", "start_sector", "sectors", *self.numbers]

    def values(self, batch: pa.RecordBatch) -> tuple[Values, ...]:
        """Return the values of a batch.

        The columns are arrival, operation, first sector, sectors, queue and pattern set.
        """
        columns = _first_of_each_name(zip(batch.schema.names, batch.columns, strict=True))
        time, per_fraction = columns[self.time], self.ticks_per_fraction
        return (
            packed(fractions(time, per_fraction) if per_fraction else integers(time)),
            packed(operations(columns["op"])),
            packed(integers(columns["start_sector"])),
            packed(integers(columns["sectors"])),
            *(
                packed(integers(columns[name]) if name in columns else zeros(batch.num_rows))
                for name in _OPTIONAL_NAMES
            ),
        )


def _first_of_each_name(named: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in named:
        found.setdefault(name, value)
    return found


def _time(kinds: Mapping[str, pa.DataType], path: Path) -> tuple[str, int]:
    """Return the name of the column of times and the unit of its values in picoseconds."""
    ranked = sorted(rank for name in kinds if (rank := _rank(name)) and not _is_nested(kinds[name]))
    if not ranked:
        raise _wrong_column(path, "arrival_ps", _TIMES)
    (base, _, name), *others = ranked
    for other_base, _, other in others:
        if other_base == base:
            raise TraceError(
                f"{path}: the columns `{name}` and `{other}` both give the time of a request, in "
                "different units\nremove the one that does not hold from the file"
            )
    kind, named = kinds[name], _unit_of(name)
    typed = getattr(kind, "unit", None)
    if not _is_time(kind):
        raise _wrong_column(path, name, _TIMES)
    if named and typed and named != typed:
        raise TraceError(
            f"{path}: the times of column `{name}` are in {typed} by the column's type and in "
            f"{named} by its name\nrename it to `arrival` if the type is right, or write it as "
            "whole numbers if the name is"
        )
    if not (unit := typed or named):
        raise TraceError(
            f"{path}: the unit of the times of column `{name}` is unknown\nrename it to "
            f"`{name}_ns` (or _ps, _us, _ms, _s), or write it as time stamps"
        )
    return name, _UNITS_PS[unit]


def _rank(name: str) -> tuple[int, int, str] | None:
    """Return the rank of a time column's name, by base and unit; ``None`` for other names."""
    base, underscore, unit = name.partition("_")
    if base not in _TIME_NAMES or (underscore and unit not in _UNITS_PS):
        return None
    return _TIME_NAMES.index(base), _UNITS_PS.get(unit, 0), name


def _unit_of(name: str) -> str | None:
    return name.partition("_")[2] or None


def _is_time(kind: pa.DataType) -> bool:
    is_number = types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)
    return is_number or (types.is_temporal(kind) and hasattr(kind, "unit"))


def _is_text(kind: pa.DataType | None) -> bool:
    if kind is None:
        return False
    if types.is_dictionary(kind):
        kind = kind.value_type
    return any(
        of(kind)
        for of in (
            *(types.is_string, types.is_large_string, types.is_string_view),
            *(types.is_binary, types.is_large_binary, types.is_binary_view),
        )
    )


def _is_nested(kind: pa.DataType) -> bool:
    return bool(types.is_nested(kind))


def _wrong_column(path: Path, name: str, expected: str) -> TraceError:
    return TraceError(
        f"{path}: the Parquet file should have a column `{name}` of {expected}\n"
        "its columns should be arrival_ps (or arrival_ns, _us, _ms, _s), op, start_sector, "
        "sectors and, if any, queue and pattern_set"
    )
