"""Parquet file of choices and figures, written in batches of rows."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from venice.files.parquet import pyarrow_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROWS_AT_A_TIME = 65_536
"""Number of rows in a row group, which takes some tens of megabytes of memory."""

_TYPES = {bool: "bool_", int: "int64", float: "float64", str: "string"}


def write(
    file: Any,  # noqa: ANN401 what pyarrow writes to
    names: Sequence[str],
    kinds: Sequence[type],
    rows: Iterator[tuple[Any, ...]],
) -> int:
    """Write rows to a Parquet file and return their number.

    Parameters
    ----------
    kinds
        Type of each column: ``bool``, ``int``, ``float`` or ``str``.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    """
    pyarrow, parquet = pyarrow_for("a Parquet table")
    types = [getattr(pyarrow, _TYPES[kind])() for kind in kinds]
    schema = pyarrow.schema(list(zip(names, types, strict=True)))
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_AT_A_TIME)):
            columns = [
                pyarrow.array([_as(kind, row[place]) for row in group], types[place])
                for place, kind in enumerate(kinds)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            count += len(group)
    return count


def _as(kind: type, value: Any) -> Any:  # noqa: ANN401 a cell
    return None if value is None else kind(value)
