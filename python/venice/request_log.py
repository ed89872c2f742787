"""The request log as a Parquet file, written as a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from venice._native import UsageError, request_reasons

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

_ROWS_PER_GROUP = 1 << 18
_TIMES = (
    "arrival_ps",
    "handed_over_ps",
    "fetched_ps",
    "completed_ps",
    "queue_ps",
    "mapping_ps",
    "chip_wait_ps",
    "path_wait_ps",
    "transfer_ps",
    "array_ps",
    "host_link_ps",
    "cache_ps",
    "chip_wait_behind_ps",
)

_FLAGS = ("conflicted", "met_read", "met_write")


class RequestLog:
    """Writes rows as they come; memory holds one row group at most.

    The columns are `number`, `queue`, `op` (``"read"`` or ``"write"``), `start_sector`, `sectors`
    (of 512 bytes), `arrival_ps`, `handed_over_ps` (by the host's scheduler; at arrival where there
    is none), `fetched_ps`, `completed_ps`, `conflicted` (a path conflict), `met_read` and
    `met_write` (what the host's scheduler saw on the request's units when it came), `batch` (the
    number of its batch, from 1, among those of its kind; 0 for none), and the time spent in each
    stage; the stages add up to the latency. `chip_wait_behind_ps` is the part of `chip_wait_ps`
    behind the drive's own work, as collection, and `owes_most_to` what most of the latency is owed
    to: a stage, or of the wait for the chip ``host_commands``, ``collection_reads``,
    ``collection_programs``, ``erases``, ``wear_levelling``, ``map_commands`` or ``no_free_page``;
    `chip` is the chip of the page that ended last, row by row, or -1. Rows are in order of
    completion.

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
        self._arrow, parquet = _pyarrow()
        self._schema = _schema(self._arrow)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._batches: list[Any] = []
        self._rows = 0

    def __call__(self, columns: Mapping[str, bytes]) -> None:
        """Take further rows."""
        batch = _batch(self._arrow, self._schema, columns)
        self._batches.append(batch)
        self._rows += batch.num_rows
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
        if kind is None:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        if self._batches:
            table = self._arrow.Table.from_batches(self._batches)
            self._batches, self._rows = [], 0
            self._writer.write_table(table, row_group_size=_ROWS_PER_GROUP)


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


def _schema(arrow: Any) -> Any:  # noqa: ANN401 pyarrow has no types
    operation = arrow.dictionary(arrow.int8(), arrow.string())
    columns = {
        "number": arrow.uint64(),
        "queue": arrow.uint16(),
        "op": operation,
        "start_sector": arrow.uint64(),
        "sectors": arrow.uint32(),
        "batch": arrow.uint64(),
        **dict.fromkeys(_TIMES[:4], arrow.uint64()),
        **dict.fromkeys(_FLAGS, arrow.bool_()),
        **dict.fromkeys(_TIMES[4:], arrow.uint64()),
        "owes_most_to": operation,
        "chip": arrow.int32(),
    }
    return arrow.schema([arrow.field(name, kind, nullable=False) for name, kind in columns.items()])


def _batch(arrow: Any, schema: Any, columns: Mapping[str, bytes]) -> Any:  # noqa: ANN401 as above
    rows = len(columns["op"])

    def array(name: str, kind: Any) -> Any:  # noqa: ANN401 as above
        return arrow.Array.from_buffers(kind, rows, [None, arrow.py_buffer(columns[name])])

    def column(field: Any) -> Any:  # noqa: ANN401 as above
        if field.name == "op":
            indices = array("op", arrow.int8())
            return arrow.DictionaryArray.from_arrays(indices, ["read", "write"])
        if field.name == "owes_most_to":
            indices = array(field.name, arrow.int8())
            return arrow.DictionaryArray.from_arrays(indices, request_reasons())
        if field.name in _FLAGS:
            return array(field.name, arrow.uint8()).cast(arrow.bool_())
        return array(field.name, field.type)

    return arrow.record_batch([column(field) for field in schema], schema=schema)
