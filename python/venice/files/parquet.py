"""Parquet files, written in batches of rows with pyarrow."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer

    from venice._native import RequestSink, Table


def pyarrow_for(what: str) -> tuple[Any, Any]:
    """Import `pyarrow` and `pyarrow.parquet`, which the feature `what` needs.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    """
    try:
        import pyarrow  # noqa: ICN001, PLC0415 large, and needed by few
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            f"{what} needs pyarrow, which is not installed; "
            "install it with: pip install 'venice-ssd[parquet]'"
        ) from None
    return pyarrow, parquet


class ParquetFile:
    """Parquet file with a row group for each table.

    Parameters
    ----------
    what
        Feature that needs the file, for the error that pyarrow is not installed.

    Raises
    ------
    UsageError
        If pyarrow is not installed.
    """

    def __init__(self, what: str) -> None:
        self._pyarrow, self._parquet = pyarrow_for(what)
        self._writer: Any = None

    @contextmanager
    def open(
        self, file: BinaryIO, columns: RequestSink | Table, compression: str = "zstd"
    ) -> Iterator[None]:
        """Write the header, and the footer when the ``with`` block ends without an exception.

        `columns` contains the names and types of the columns. Statistics are omitted, because
        writing them takes more time than they save in reading.
        """
        schema, target = self._pyarrow.schema(columns), _Target(file)
        is_of = self._pyarrow.types
        numbers = [field.name for field in schema if is_of.is_integer(field.type)]
        words = [
            field.name
            for field in schema
            if is_of.is_dictionary(field.type) or is_of.is_string(field.type)
        ]
        with self._parquet.ParquetWriter(
            target,
            schema,
            compression=compression.upper(),
            use_dictionary=words,
            column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
            write_statistics=False,
        ) as self._writer:
            try:
                yield
            except BaseException:
                target.cut_off()
                raise

    def write(self, rows: Table) -> None:
        """Write a table as a row group."""
        self._writer.write_batch(self._pyarrow.record_batch(rows))


class _Target(io.BufferedIOBase):
    """File that can discard the footer, which pyarrow writes even after an error."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO | None = file
        self._written_bytes = 0

    def cut_off(self) -> None:
        """Discard all further output to the file."""
        self._file = None

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        if self._file is not None:
            self._file.write(data)
        self._written_bytes += memoryview(data).nbytes
        return memoryview(data).nbytes

    def tell(self) -> int:
        return self._written_bytes
