"""Conversion of traces: format, selection, rate, wrap-around, mixing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, TypedDict, TypeVar, Unpack, cast

from venice import _native
from venice._native import UsageError
from venice.files import output
from venice.files.ledger import Ledger
from venice.files.pipes import open_pipes
from venice.options.value_checks import LONGEST_US, check_range
from venice.schema_classes import DescribedTrace
from venice.trace.parquet import trace_file
from venice.trace.read import options_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Drive, EditOptions
    from venice.options.engine_options import EngineOptions
    from venice.workloads import Trace

_SECTOR_BYTES = 512
_MOST_SECTORS = 2**51
"""End of the address range, in sectors of 512 bytes: an exbibyte."""
_LARGEST_QUEUE = 2**16 - 1

_Number = TypeVar("_Number", int, float)

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
_PARQUET = "parquet"

SUFFIXES = (*_COMPRESSIONS, f".{_PARQUET}")
"""Suffixes that select the compression or the format of a written trace."""


class TraceEdit(TypedDict, total=False):
    """Changes to the requests of a trace, applied in this order; all are optional."""

    side_by_side: bool
    """Same as ``devices="side-by-side"``."""
    op: Literal["read", "write"] | None
    """Operation to keep [default: both]."""
    from_us: float | None
    """First arrival time to keep, from the start of the trace [µs]."""
    until_us: float | None
    """Arrival time at which to stop, excluded, from the start of the trace [µs]."""
    queues: Sequence[int]
    """Numbers of the devices to keep [default: all]."""
    min_bytes: int | None
    """Size of the smallest request to keep [bytes]."""
    max_bytes: int | None
    """Size of the largest request to keep [bytes]."""
    from_sector: int | None
    """First start sector to keep [512 bytes]."""
    until_sector: int | None
    """Start sector at which to stop, excluded [512 bytes]."""
    rate_scale: float | None
    """Factor on the arrival rate, above 0."""
    mean_inter_arrival_us: float | None
    """Mean gap between arrivals [µs]."""
    fold_into: Drive | None
    """Drive around whose capacity addresses are wrapped."""
    requests: int | None
    """Number of requests to keep, counted from the first."""
    format: str | None
    """Input format [default: detected from the content]."""
    columns: str | None
    """Columns of an input in another format."""
    event: str | None
    """Event that counts as a request: dispatched (``"D"``) or queued (``"Q"``)."""
    skip_bad: int | None
    """Maximum number of malformed lines to skip in each trace."""
    devices: str | int | None
    """Placement of each trace's devices: an address range for each on one device
    (``"side-by-side"``), unchanged (``"overlay"``), or only the requests of one device, by its
    name."""


class Converted(TypedDict):
    """Numbers of requests in a conversion."""

    format: str
    """Name of the output format."""
    needs_name: bool
    """True if another format has the same columns, so that reading the file requires the format's
    name."""
    requests: int
    """Number of requests written."""
    times_cut: int
    """Number of requests whose time was rounded down to the resolution of the format."""
    left_out: int
    """Number of requests not written, because the format does not have their operation."""
    folded: int
    """Number of requests beyond the drive's capacity, wrapped around it."""
    out_of_order: int
    """Number of requests that were sorted, because their time stamp is earlier than the preceding
    one."""
    moved_up: int
    """Number of requests too late to be sorted, which arrive together with the latest preceding
    request."""
    skipped_bad: int
    """Number of malformed lines that were skipped."""
    other_ops: int
    """Number of operations that are neither reads nor writes, and were skipped."""
    trims: int
    """Number of trims (discard, unmap), in formats that distinguish them."""
    trims_skipped: int
    """Number of skipped operations that are trims without an address range."""
    flushes: int
    """Number of skipped operations that are flushes, in formats that distinguish them."""
    zero_size: int
    """Number of requests of zero bytes that were skipped."""
    garbled_times: int
    """Number of records with an impossible time that were skipped."""


def convert_trace(
    traces: str | PathLike[str] | Trace | Sequence[str | PathLike[str] | Trace],
    file: str | PathLike[str] | BinaryIO,
    to: str | None = None,
    **edit: Unpack[TraceEdit],
) -> Converted:
    """Write the requests of one or several traces as another trace.

    Several traces start at the same time, and each becomes a queue. Memory does not grow with the
    number of requests.

    Parameters
    ----------
    traces
        Paths, plain or compressed, or :class:`venice.Trace` objects.
    file
        Path or open file of the output. The suffix ``.parquet`` selects that format; ``.gz``,
        ``.zst``, ``.xz`` and ``.bz2`` select compression.
    to
        Output format [default: that of the trace if it can be written, else ``mqsim-ascii``].
    edit
        Changes to the requests: keys of :class:`venice.TraceEdit`.

    Returns
    -------
    Converted
        Numbers of written, changed and skipped requests.

    Raises
    ------
    UsageError
        If options are out of range or conflict, the format cannot be written or cannot represent
        the requests, or no request remains.
    TraceError
        If a trace is missing, damaged or in an unknown format.
    """
    _check(edit)
    paths = [traces] if isinstance(traces, str | PathLike | DescribedTrace) else list(traces)
    if not paths:
        raise UsageError("there is nothing to write: name a trace")
    inputs = [_input(path, edit) for path in paths]
    if not isinstance(file, str | PathLike):
        return _written(inputs, edit, to, "none", file)
    ledger = Ledger()
    for one in inputs:
        ledger.read("traces=", one.trace)
    ledger.write("file=", file)
    suffix = Path(fspath(file)).suffix
    to = to or (_PARQUET if suffix == f".{_PARQUET}" else None)
    compression = _COMPRESSIONS.get(suffix, "none")
    if to == _PARQUET and compression != "none":
        raise UsageError(
            "a Parquet file compresses itself; give it a name that ends in .parquet alone"
        )
    with output.create(Path(file)) as opened:
        return _written(inputs, edit, to, compression, opened)


def _written(
    inputs: list[EngineOptions],
    edit: TraceEdit,
    to: str | None,
    compression: str,
    file: BinaryIO,
) -> Converted:
    with ExitStack() as stack:
        stack.enter_context(open_pipes(*(one.trace for one in inputs)))
        write = stack.enter_context(trace_file(file)) if to == _PARQUET else file.write
        text = _native.write_trace(inputs, _options(edit), to, compression, write)
    return cast("Converted", json.loads(text))


def _input(trace: str | PathLike[str] | Trace, edit: TraceEdit) -> EngineOptions:
    settings = {key: edit.get(key) for key in ("format", "columns", "event", "skip_bad", "devices")}
    if edit.get("side_by_side"):
        settings["devices"] = "side-by-side"
    return options_of(trace, settings)


def _options(edit: TraceEdit) -> EditOptions:
    op = edit.get("op")
    return {
        "reads": None if op is None else op == "read",
        "arrival_us": _range(edit.get("from_us"), edit.get("until_us"), LONGEST_US),
        "queues": list(edit.get("queues", ())),
        "sectors": _sectors(edit.get("min_bytes"), edit.get("max_bytes")),
        "start_sector": _range(edit.get("from_sector"), edit.get("until_sector"), _MOST_SECTORS),
        "rate_scale": edit.get("rate_scale"),
        "mean_gap_us": edit.get("mean_inter_arrival_us"),
        "fold_into": edit.get("fold_into"),
        "requests": edit.get("requests"),
    }


def _range(
    first: _Number | None, end: _Number | None, most: _Number
) -> tuple[_Number, _Number] | None:
    if first is None and end is None:
        return None
    return (0 if first is None else first, most if end is None else end)


def _sectors(least_bytes: int | None, most_bytes: int | None) -> tuple[int, int] | None:
    least = None if least_bytes is None else -(-least_bytes // _SECTOR_BYTES)
    end = None if most_bytes is None else most_bytes // _SECTOR_BYTES + 1
    return _range(least, end, _MOST_SECTORS)


def _check(edit: TraceEdit) -> None:
    for key in edit:
        if key not in TraceEdit.__annotations__:
            raise TypeError(f"unexpected keyword argument {key!r}")
    if edit.get("side_by_side") and edit.get("devices") not in (None, "side-by-side"):
        raise UsageError(
            f"`side_by_side` and `devices` = {edit.get('devices')!r} cannot be combined; choose one"
        )
    for name in ("requests", "skip_bad"):
        check_range(name, edit.get(name))
    if edit.get("op") not in (None, "read", "write"):
        raise UsageError(f"`{edit.get('op')}` is not an operation; expected: read or write")
    if edit.get("rate_scale") is not None and edit.get("mean_inter_arrival_us") is not None:
        raise UsageError("a rate scale and a mean gap cannot be combined; expected: one of them")
    mean_us = edit.get("mean_inter_arrival_us")
    if mean_us is not None and not 0 < mean_us < LONGEST_US:
        raise UsageError(f"the mean gap is {mean_us} us; expected: above 0")
    for queue in edit.get("queues", ()):
        if not 0 <= queue <= _LARGEST_QUEUE:
            raise UsageError(f"queue is {queue}; expected: from 0 to {_LARGEST_QUEUE}")
    _check_window("time", edit.get("from_us"), edit.get("until_us"), LONGEST_US)
    _check_window("size", edit.get("min_bytes"), edit.get("max_bytes"), _MOST_SECTORS)
    _check_window("sector", edit.get("from_sector"), edit.get("until_sector"), _MOST_SECTORS)


def _check_window(name: str, first: float | None, end: float | None, most: float) -> None:
    for value in (first, end):
        if value is not None and not 0 <= value <= most:
            raise UsageError(f"the {name} {value} is out of range; expected: from 0 to {most:g}")
    if first is not None and end is not None and end < first:
        raise UsageError(f"the {name} should end after it begins, but {end} is before {first}")
