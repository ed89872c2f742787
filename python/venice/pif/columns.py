"""Storage of a table in a drive, with separate pages for each column.

A value of fixed width is a presence byte and the value's bytes. A text begins with a byte that no
text contains, which also ends the last text of a page; texts do not cross pages. Columns of other
types are stored in Arrow's format and read as a whole. For each page the controller keeps the first
row and the smallest and largest value, a *zone map*.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE_BYTES = 16_384
LONGEST_PATTERN = 32
MOST_PATTERNS = 8
_MARK = b"\xff"
_NO_TEXT = b"\xfe"
_VALUE = b"\x01"


@dataclass(frozen=True)
class Column:
    """Column of a table as stored in pages.

    Attributes
    ----------
    field
        Name and type of the column.
    data
        Pages of the column, concatenated.
    starts
        Index of the first row of each page, and the number of rows at the end. A column that is
        read as a whole may be longer than its one page.
    zones
        Smallest and largest value of each page; ``None`` if unknown.
    """

    field: pa.Field
    data: bytes
    starts: np.ndarray
    zones: list[tuple[Any, Any] | None]
    decode: Callable[[bytes, int], pa.Array]
    is_whole: bool = False

    @property
    def pages(self) -> int:
        """Return the number of pages of the column."""
        return -(-len(self.data) // PAGE_BYTES)

    def pages_of(self, rows: np.ndarray) -> list[int]:
        """Return the pages that contain selected rows; `rows` has a boolean for each row."""
        if self.is_whole:
            return list(range(self.pages)) if rows.any() else []
        before = np.concatenate(([0], np.cumsum(rows)))
        return np.flatnonzero(np.diff(before[self.starts])).tolist()


def is_text(kind: pa.DataType) -> bool:
    """Return true if the values are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_fixed(kind: pa.DataType) -> bool:
    """Return true if the values are numbers, dates or times of one width."""
    return not pa.types.is_interval(kind) and bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_temporal(kind)
        or pa.types.is_boolean(kind)
    )


def plain(table: pa.Table) -> pa.Table:
    """Return the table with dictionary and view types replaced by plain ones.

    Raises
    ------
    UsageError
        If the name of a column is not UTF-8.
    """
    try:
        table.column_names  # noqa: B018 the names are decoded
    except UnicodeDecodeError as error:
        raise UsageError(f"the name of a column is not UTF-8 text: {error.object!r}") from None
    fields = []
    for field in table.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        fields.append(field.with_type(pa.string() if str(kind) == "string_view" else kind))
    return table.cast(pa.schema(fields))


def stored(field: pa.Field, values: pa.ChunkedArray) -> Column:
    """Return a column divided into pages."""
    array = _one(values)
    if is_fixed(field.type):
        return _fixed(field, array)
    if is_text(field.type):
        lengths = np.asarray(pc.fill_null(pc.binary_length(array), 1), dtype=np.int64)
        if not len(lengths) or lengths.max() <= PAGE_BYTES - 2:
            return _texts(field, array, lengths)
    return _whole(field, array)


def _one(values: pa.ChunkedArray) -> pa.Array:
    """Return the values as one contiguous array without offset."""
    whole = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    return (
        pa.concat_arrays([whole]) if not whole.offset else pa.array(whole.to_pylist(), whole.type)
    )


def _fixed(field: pa.Field, array: pa.Array) -> Column:
    packed = _bytes_of(array)
    width = packed.shape[1]
    there = np.asarray(pc.is_valid(array), dtype=np.uint8)[:, None]
    records = np.concatenate((there, packed * there), axis=1)
    each = PAGE_BYTES // (width + 1)
    starts = np.append(np.arange(0, len(array), each), len(array))
    pages = (records[a:b].tobytes().ljust(PAGE_BYTES, b"\0") for a, b in pairwise(starts))

    def decode(page: bytes, rows: int) -> pa.Array:
        found = np.frombuffer(page, np.uint8, rows * (width + 1)).reshape(rows, width + 1)
        return _from_bytes(np.ascontiguousarray(found[:, 1:]), found[:, 0] == 1, field.type)

    return Column(field, b"".join(pages), starts, _zones(array, starts), decode)


def _bytes_of(array: pa.Array) -> np.ndarray:
    """Return the bytes of each value as a row of a matrix."""
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    width = array.type.bit_width // 8
    data = array.buffers()[1]
    if not len(array) or data is None:
        return np.zeros((len(array), width), np.uint8)
    return np.frombuffer(data, np.uint8, len(array) * width).reshape(len(array), width)


def _from_bytes(packed: np.ndarray, there: np.ndarray, kind: pa.DataType) -> pa.Array:
    is_bool = pa.types.is_boolean(kind)
    valid = pa.py_buffer(np.packbits(there, bitorder="little").tobytes())
    width = pa.uint8() if is_bool else kind
    array = pa.Array.from_buffers(width, len(there), [valid, pa.py_buffer(packed.tobytes())])
    return array.cast(pa.bool_()) if is_bool else array


def _texts(field: pa.Field, array: pa.Array, lengths: np.ndarray) -> Column:
    ends = np.cumsum(lengths + 1)
    starts = [0]
    while starts[-1] < len(array):
        before = ends[starts[-1] - 1] if starts[-1] else 0
        # One byte is reserved for the mark at the end of the page.
        starts.append(int(np.searchsorted(ends, before + PAGE_BYTES - 1, side="right")))
    texts = array.cast(pa.large_binary()).to_pylist()
    records = [_NO_TEXT if text is None else text for text in texts]
    pages = (
        (_MARK + _MARK.join(records[a:b]) + _MARK).ljust(PAGE_BYTES, b"\0")
        for a, b in pairwise(starts)
    )

    def decode(page: bytes, _rows: int) -> pa.Array:
        found = page[1 : page.rindex(_MARK)].split(_MARK)
        texts = [None if text == _NO_TEXT else text for text in found]
        return pa.array(texts, pa.large_binary()).cast(pa.large_string()).cast(field.type)

    bounds = np.array(starts)
    return Column(field, b"".join(pages), bounds, _zones(array, bounds), decode)


def _whole(field: pa.Field, array: pa.Array) -> Column:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([field])) as writer:
        writer.write_table(pa.table([array], schema=pa.schema([field])))
    data = sink.getvalue().to_pybytes()

    def decode(data: bytes, _rows: int) -> pa.Array:
        with pa.ipc.open_stream(data) as reader:
            return _one(reader.read_all().column(0))

    return Column(field, data, np.array([0, len(array)]), [None], decode, is_whole=True)


def _zones(array: pa.Array, starts: Sequence[int] | np.ndarray) -> list[tuple[Any, Any] | None]:
    """Return the smallest and largest value of each page, for types that can be compared safely."""
    kind = array.type
    # Types are excluded whose order differs: DuckDB orders not-a-number in its own way, and Python
    # time zones and fractions of microseconds.
    is_known = (
        is_text(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_date32(kind)
        or (pa.types.is_timestamp(kind) and kind.tz is None and kind.unit != "ns")
    )
    zones: list[tuple[Any, Any] | None] = []
    for first, after in pairwise(starts):
        if not is_known:
            zones.append(None)
            continue
        try:
            found = pc.min_max(array.slice(first, after - first)).as_py()
        except (OverflowError, ValueError):
            # Python cannot represent these years.
            zones.append(None)
            continue
        zones.append((found["min"], found["max"]))
    return zones


def value_pattern(column: Column, value: Any) -> bytes | None:  # noqa: ANN401 of any type
    """Return the stored bytes of a value to search for; ``None`` if a search is not possible."""
    kind = column.field.type
    if column.is_whole:
        return None
    if is_text(kind):
        return bytes(_MARK + value.encode() + _MARK)[:LONGEST_PATTERN]
    try:
        array = pa.array([value], kind)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return None
    return bytes(_VALUE + _bytes_of(array)[0].tobytes())[:LONGEST_PATTERN]


def part_pattern(text: str, *, begins: bool, ends: bool) -> bytes:
    """Return the stored bytes of a part of a text, to search for."""
    return (_MARK * begins + text.encode() + _MARK * ends)[:LONGEST_PATTERN]
