"""Conversion of columns to the engine's form: unsigned 64-bit integers.

A missing, negative or invalid value is null.
"""

from __future__ import annotations

from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

Values: TypeAlias = tuple[memoryview, memoryview]
"""64-bit numbers, and a byte for each number that is 0 if the value is missing."""

_OPERATIONS = (
    *(b"read", b"Read", b"R", b"r"),
    *(b"write", b"Write", b"W", b"w"),
    *(b"trim", b"Trim", b"discard", b"Discard"),
    *(b"flush", b"Flush", b"sync", b"fsync"),
    *(b"write_fua", b"Write_FUA", b"WF", b"WFS"),
    *(b"write_zeroes", b"Write_Zeroes", b"write zeroes", b"Write Zeroes"),
    *(b"write_zeroes_deac", b"Write_Zeroes_DEAC", b"write zeroes deac", b"Write Zeroes DEAC"),
    *(b"trim_range", b"Trim_Range", b"trim range", b"Trim Range"),
    *(b"search", b"Search", b"SEARCH", b"S"),
)
_SPELLINGS = 4
"""Number of spellings of each operation."""
_BEYOND = 2.0**64


def integers(column: pa.Array) -> pa.Array:
    """Return integers; time stamps and durations keep the unit of the column."""
    if types.is_temporal(column.type):
        is_short = column.type.bit_width == pa.int32().bit_width
        column = column.view(pa.int32() if is_short else pa.int64())
    if types.is_unsigned_integer(column.type):
        return column.cast(pa.uint64())
    return _kept(pc.greater_equal(column, pa.scalar(0, column.type)), column)


def fractions(column: pa.Array, ticks: int) -> pa.Array:
    """Return fractional values, multiplied by `ticks` and rounded."""
    counted = pc.multiply(column.cast(pa.float64()), float(ticks))
    counted = pc.round(counted, round_mode="half_towards_infinity")
    is_number = pc.and_(pc.greater_equal(counted, 0.0), pc.less(counted, _BEYOND))
    return _kept(is_number, counted)


def operations(column: pa.Array) -> pa.Array:
    """Return the index of each operation in `_OPERATIONS`."""
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = pa.large_binary()
    place = pc.index_in(column.cast(kind), value_set=pa.array(_OPERATIONS, kind))
    return pc.divide(place, _SPELLINGS).cast(pa.uint64())


def zeros(count: int) -> pa.Array:
    """Return a column of ``count`` zeros."""
    return pa.repeat(pa.scalar(0, pa.uint64()), count)


def packed(column: pa.Array) -> Values:
    """Return the memory of a column, which the engine copies."""
    is_there = column.is_valid().cast(pa.uint8())
    return _memory(column.fill_null(0)).cast("Q"), _memory(is_there).cast("B")


def _kept(condition: pa.Array, column: pa.Array) -> pa.Array:
    kept = pc.if_else(condition, column, pa.scalar(None, column.type))
    return kept.cast(pa.uint64(), safe=False)


def _memory(column: pa.Array) -> memoryview:
    width = column.type.bit_width // 8
    begin = column.offset * width
    whole = memoryview(column.buffers()[1])
    return whole[begin : begin + len(column) * width]
