"""What a trace is like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from venice import _native
from venice.scenario import check_range

if TYPE_CHECKING:
    from os import PathLike


class TraceInfo(TypedDict):
    """The characteristics by which traces are known."""

    requests: int
    """Requests."""
    read_pct: float
    """Reads among them, in %."""
    mean_size_kib: float
    """Mean request size, in units of 1,024 bytes."""
    mean_inter_arrival_us: float | None
    """Mean gap between arrivals; ``None`` for a single request."""
    median_inter_arrival_us: float | None
    """Median gap."""
    duration_us: float
    """From the first arrival to the last."""
    footprint_mib: float
    """Distinct 4-KiB blocks touched, in units of 1,048,576 bytes."""
    footprint_exact: NotRequired[bool]
    """Whether the footprint is exact, not an estimate for want of memory."""
    format: str
    """The format's name."""
    format_note: NotRequired[str | None]
    """The rule by which the format was chosen among those that read the same lines."""
    compression: NotRequired[str]
    """How the file is compressed."""
    out_of_order: NotRequired[int]
    """Requests whose time stamp ran backwards; they were put in order."""
    moved_up: NotRequired[int]
    """Those of them that came too late for it, and arrive with the latest one before."""
    skipped_bad: NotRequired[int]
    """Bad lines that were passed over, as `skip_bad` allowed."""
    other_ops: NotRequired[int]
    """Operations that are neither reads nor writes, passed over."""
    zero_size: NotRequired[int]
    """Requests for no data, passed over."""
    garbled_times: NotRequired[int]
    """Records with a time that cannot be, passed over."""


def trace_info(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002 the option's name
    *,
    columns: str | None = None,
    event: str | None = None,
    skip_bad: int | None = None,
) -> TraceInfo:
    """Read a trace to its end and measure it.

    Parameters
    ----------
    path
        The file, plain or compressed.
    format
        The format, when it is not to be found out from the first lines.
    columns
        A description of the columns, when the format is none of those known.
    event
        The event that stands for a request, ``"D"`` or ``"Q"``, where a trace has several for each.
    skip_bad
        Bad lines that may be passed over; none by default.

    Raises
    ------
    UsageError
        If the description of the columns or the event cannot be understood, or a number is out of
        range.
    TraceError
        If the file is missing, damaged or of no known format.
    """
    check_range("skip_bad", skip_bad)
    text = _native.trace_info(path, format, columns=columns, event=event, skip_bad=skip_bad)
    return cast("TraceInfo", json.loads(text))
