"""Reading and writing of Parquet traces by pyarrow, which is imported on demand.

A file is decoded in batches of some thousand rows, which the engine processes.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from venice._native import TraceError, trace_columns
from venice.files.parquet import ParquetFile, pyarrow_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from venice._native import Table
    from venice.trace.parquet.columns import Columns
    from venice.trace.parquet.values import Values

_BATCH_ROWS = 16_384
_READ_BYTES = 1 << 18
"""Size of the compressed part of a column that is held in memory [bytes]."""
_MESSAGE_CHARS = 200
"""Maximum length of a message from pyarrow in an error [characters]."""


def open_columns(path: Path) -> tuple[int, Iterator[tuple[Values, ...]]]:
    """Open a Parquet trace; return its unit of time in ps, and an iterator of batches of rows.

    A batch has the columns `arrival`, `op` (0 is a read, 1 a write, 2 a trim), `start_sector`,
    `sectors`, `queue` and `pattern_set`.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    TraceError
        If the file is a pipe or damaged, or has no columns that describe requests.
    """
    if not path.is_file():
        raise TraceError(
            f"{path}: a Parquet trace is read from its end, which a pipe does not allow; "
            "write it to a regular file first"
        )
    pyarrow, parquet = pyarrow_for(f"{path}: a Parquet trace")
    from venice.trace.parquet.columns import Columns  # noqa: PLC0415 needs pyarrow

    with _decoding(path):
        # A path may have bytes that are not UTF-8.
        source = pyarrow.OSFile(os.fsencode(path))
        file = parquet.ParquetFile(source, buffer_size=_READ_BYTES, pre_buffer=False)
        schema = file.schema_arrow
    columns = Columns.of(schema, path)
    return columns.tick_ps, _batches(file, columns, path)


@contextmanager
def trace_file(file: BinaryIO) -> Iterator[Callable[[Table], None]]:
    """Yield a function that writes tables of requests to a Parquet trace.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    """
    parquet_file = ParquetFile("a Parquet trace")
    with parquet_file.open(file, trace_columns()):
        yield parquet_file.write


def _batches(
    file: Any,  # noqa: ANN401 pyarrow has no types
    columns: Columns,
    path: Path,
) -> Iterator[tuple[Values, ...]]:
    with _decoding(path):
        for batch in file.iter_batches(_BATCH_ROWS, columns=columns.names, use_threads=False):
            if batch.num_rows > 0:
                yield columns.values(batch)


@contextmanager
def _decoding(path: Path) -> Iterator[None]:
    """Convert errors of pyarrow to errors that name the file."""
    from pyarrow import ArrowException  # noqa: PLC0415 large, and needed by few

    try:
        yield
    except (ArrowException, OSError, ValueError, MemoryError) as error:
        text = "".join(letter if letter.isprintable() else " " for letter in str(error))
        raise TraceError(
            f"{path}: the Parquet file is damaged, or of a kind that is not read "
            f"({text[:_MESSAGE_CHARS]}); write or copy it again"
        ) from None
