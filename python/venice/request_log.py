"""The request log as a Parquet file, written as a stream beside the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from venice._native import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future
    from types import TracebackType

    from venice.table import Table

_ROWS_PER_GROUP = 1 << 18
_LEAST_BITS = 32
"""Of numbers that Parquet writes as differences."""


class RequestLog:
    """Writes rows as they come, in a thread of its own; memory holds two row groups at most.

    The columns are those of :attr:`venice.Report.request_table`; each says what it means in the
    file's schema. Rows are in order of completion.

    Parameters
    ----------
    file
        Where to; it is left open.

    Raises
    ------
    UsageError
        If pyarrow is not installed.

    Examples
    --------
    ::

        with open("log.parquet", "wb") as file, RequestLog(file) as log:
            venice.run(workload="random-read", log=log)
    """

    def __init__(self, file: BinaryIO) -> None:
        self._arrow, self._parquet = _pyarrow()
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 seldom wanted

        self._file = file
        self._writer: Any = None
        self._batches: list[Any] = []
        self._rows = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="venice-log")
        self._writing: Future[None] | None = None

    def __call__(self, rows: Table) -> None:
        """Take further rows."""
        self._batches.append(self._arrow.record_batch(rows))
        self._rows += len(rows)
        if self._rows >= _ROWS_PER_GROUP:
            self._write_group()

    def __enter__(self) -> RequestLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._thread:
            if kind is None:
                self._write_group()
                self._wait()
        if self._writer is not None:
            self._writer.close()

    def _write_group(self) -> None:
        """Hand over what there is as soon as the group before is written."""
        self._wait()
        batches, self._batches, self._rows = self._batches, [], 0
        self._writing = self._thread.submit(self._write, batches)

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()

    def _write(self, batches: list[Any]) -> None:
        table = self._arrow.Table.from_batches(batches)
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table, row_group_size=_ROWS_PER_GROUP)

    def _open(self, schema: Any) -> Any:  # noqa: ANN401 pyarrow has no types
        """Open the file; numbers are written as differences, which takes half the time."""
        types = self._arrow.types
        words = [field.name for field in schema if types.is_dictionary(field.type)]
        numbers = [field.name for field in schema if _is_wide(types, field.type)]
        return self._parquet.ParquetWriter(
            self._file,
            schema,
            compression="zstd",
            use_dictionary=words,
            column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        )


def _is_wide(types: Any, kind: Any) -> bool:  # noqa: ANN401 as above
    return bool(types.is_integer(kind) and kind.bit_width >= _LEAST_BITS)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # noqa: ICN001, PLC0415 large, and needed by few
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "the request log needs pyarrow, which is not installed; "
            "install it with: pip install 'venice-ssd[parquet]'"
        ) from None
    return pyarrow, parquet
