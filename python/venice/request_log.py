"""The request log as a Parquet file, written as a stream beside the run."""

from __future__ import annotations

import io
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from venice._native import UsageError
from venice.output import create
from venice.request_columns import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from os import PathLike
    from types import TracebackType

    from _typeshed import ReadableBuffer

    from venice.request_columns import Columns
    from venice.table import Table

    Compression = Literal["zstd", "lz4", "snappy", "none"]

_ROWS_PER_GROUP = 1 << 18
_LEAST_BITS = 32
"""Of numbers that Parquet writes as differences."""


class RequestLog:
    """Writes rows as they come, in a thread of its own; memory holds two row groups at most.

    The columns are those of :attr:`venice.Report.request_table`; each says what it means in the
    file's schema. Rows are in order of completion. If the run ends by an error, or is interrupted,
    there is no file that looks like one of a whole run.

    Parameters
    ----------
    file
        Where to: a path, which comes into being at the end, or an open file, which is left open.
    columns
        As for :func:`venice.request_columns.chosen`.
    compression
        Of the file's pages. ``"zstd"`` makes the smallest file; ``"none"`` takes the writing
        thread least time.

    Raises
    ------
    UsageError
        If pyarrow is not installed, or there is no such column.
    OutputError
        From the block, if the file cannot be written to its end: a full disk, for instance.

    Examples
    --------
    ::

        with RequestLog("log.parquet", columns=["number", "latency_ps"]) as log:
            venice.run(workload="random-read", log=log)
    """

    def __init__(
        self,
        file: BinaryIO | str | PathLike[str],
        *,
        columns: Columns = "usual",
        compression: Compression = "zstd",
    ) -> None:
        self._arrow, self._parquet = _pyarrow()
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 seldom wanted

        self.columns = chosen(columns)
        """What a run puts into its rows."""
        self._target = file
        self._compression = compression
        self._files = ExitStack()
        self._gate: _Gate | None = None
        self._writer: Any = None
        self._batches: list[Any] = []
        self._rows = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="venice-log")
        self._writing: Future[None] | None = None

    def __call__(self, rows: Table) -> None:
        """Take further rows."""
        self._batches.append(self._arrow.record_batch(rows).select(self.columns))
        self._rows += len(rows)
        if self._rows >= _ROWS_PER_GROUP:
            self._write_group()

    def __enter__(self) -> RequestLog:
        with ExitStack() as files:
            if isinstance(self._target, io.IOBase):
                file = cast("BinaryIO", self._target)
            else:
                file = files.enter_context(create(Path(cast("str", self._target))))
            self._gate = _Gate(file)
            files.enter_context(self._written(self._gate))
            self._files = files.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.__exit__(kind, error, trace)

    @contextmanager
    def _written(self, gate: _Gate) -> Iterator[None]:
        try:
            yield
            self._write_group()
            self._wait()
            if self._writer is not None:
                self._writer.close()
        except BaseException:
            gate.is_shut = True
            raise
        finally:
            self._thread.shutdown()
            self._writer = None

    def _write_group(self) -> None:
        """Hand over what there is as soon as the group before is written."""
        self._wait()
        batches, self._batches, self._rows = self._batches, [], 0
        if batches:
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
            self._gate,
            schema,
            compression=self._compression,
            use_dictionary=words,
            column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        )


class _Gate(io.RawIOBase):
    """Lets bytes through to a file until it is shut.

    Arrow completes a file as soon as nobody has its writer any more, even one that lacks rows.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self.is_shut = False

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        return len(memoryview(data)) if self.is_shut else self._file.write(data)


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
