"""What a trace is like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from venice import _native

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
    format: str
    """The format's name."""
    compression: NotRequired[str]
    """How the file is compressed."""
    out_of_order: NotRequired[int]
    """Requests whose time stamp ran backwards."""


def trace_info(path: str | PathLike[str], format: str | None = None) -> TraceInfo:  # noqa: A002 the option's name
    """Read a trace to its end and measure it.

    Parameters
    ----------
    path
        The file, plain or compressed.
    format
        The format, when it is not to be found out from the first lines.

    Raises
    ------
    TraceError
        If the file is missing, damaged or of no known format.
    """
    return cast("TraceInfo", json.loads(_native.trace_info(path, format)))
