"""Request log as a Parquet file, which is written during the run."""

from __future__ import annotations

import io
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, cast, get_args

from venice._native import RequestSink, UsageError
from venice.files.output import create
from venice.files.parquet import ParquetFile
from venice.observation.request_columns import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from types import TracebackType

    from venice.observation.request_columns import Columns

Compression = Literal["zstd", "lz4", "snappy", "none"]


class RequestLog:
    """Writer of a Parquet file with a row for every request, in a separate thread.

    The columns are those of :attr:`venice.Report.request_table`; the schema of the file contains
    their meanings. Rows are in order of completion; up to some 10 MB of rows are kept in memory. If
    the run fails or is interrupted, no complete file is left.

    Parameters
    ----------
    file
        Path, created when the run ends, or an open file, which is not closed.
    columns
        See :func:`venice.observation.request_columns.chosen`.
    compression
        Compression of the file's pages. ``"zstd"`` makes the smallest file; ``"none"`` takes
        the least time of the writing thread.

    Raises
    ------
    UsageError
        If there is no such column or compression, or pyarrow is not installed.
    OutputError
        During the run or at the end of the ``with`` block, if the file cannot be written.

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
        if compression not in get_args(Compression):
            names = ", ".join(get_args(Compression))
            raise UsageError(
                f"unknown compression `{compression}` of a request log; expected: one of {names}"
            )
        self.columns = chosen(columns)
        """Columns of the rows."""
        self._target = file
        self._compression = compression
        self._files = ExitStack()
        self._rows: RequestSink | None = None

    @property
    def rows(self) -> RequestSink:
        """Object through which the engine passes the rows of a run to the writer."""
        if self._rows is None:
            raise UsageError(
                "the RequestLog is not open; expected: its use inside the block `with "
                "RequestLog(...) as log`"
            )
        return self._rows

    def __enter__(self) -> RequestLog:
        with ExitStack() as files:
            if isinstance(self._target, io.IOBase):
                file = cast("BinaryIO", self._target)
            else:
                file = files.enter_context(create(Path(cast("str", self._target))))
            self._rows = files.enter_context(self._ended(file))
            self._files = files.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rows = None
        self._files.__exit__(kind, error, trace)

    @contextmanager
    def _ended(self, file: BinaryIO) -> Iterator[RequestSink]:
        parquet_file = ParquetFile("a request log")
        rows = RequestSink(parquet_file.write, self.columns)
        with parquet_file.open(file, rows, self._compression):
            try:
                yield rows
                rows.end()
            finally:
                # After an interruption, the thread may still be writing rows.
                rows.leave()
