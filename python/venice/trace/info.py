"""Characteristics of a trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from venice import _native
from venice.api.scenario import resolve
from venice.files.pipes import open_pipes
from venice.schema_classes import DescribedDrive
from venice.trace.read import options_of

if TYPE_CHECKING:
    from os import PathLike

    from venice import config
    from venice._native import Drive
    from venice.workloads import Trace


class SizeClass(TypedDict):
    """Requests of a size class: up to a power of two, and more than half of it."""

    up_to_bytes: int
    """Upper limit of the class."""
    reads: int
    """Reads."""
    writes: int
    """Writes."""


class GapDistribution(TypedDict):
    """The gaps between one arrival and the next [µs]."""

    zero_pct: float
    """Gaps of exactly zero, in %."""
    p10_us: float
    """Gap that 10 % of the gaps do not exceed (10th percentile)."""
    p25_us: float
    p50_us: float
    p75_us: float
    p90_us: float
    p99_us: float
    p99_9_us: float
    max_us: float
    """Longest gap."""
    coefficient_of_variation: float | None
    """Standard deviation over mean: 0 for equal gaps, 1 for a Poisson process, more for bursts."""
    cdf: list[tuple[float, float]]
    """Gap [µs], and share of gaps that do not exceed it [%]: ten points for each decade."""


class Dispersion(TypedDict):
    """The index of dispersion for counts (Gusella 1991) at one scale of time."""

    window_us: int
    """Length of a window of time [µs]."""
    windows: int
    """Number of windows."""
    index: float
    """Variance over mean of the requests per window: 0 if regular, 1 for a Poisson process."""
    most: int
    """Requests in the fullest window."""


class Timeline(TypedDict):
    """Arrivals over time."""

    bin_us: float
    """Length of a bin [µs]."""
    requests: list[int]
    """Requests in each bin."""


class Spread(TypedDict):
    """Distribution of pages over channels or chips."""

    pages: list[int]
    """Pages read or written in each."""
    busiest_over_mean: float
    """Ratio of the largest to the mean: 1 if even."""
    coefficient_of_variation: float
    """Standard deviation over mean: 0 if even."""


class DriveSpread(TypedDict):
    """Distribution of the load over a drive, with each page at its static location."""

    folded: int
    """Requests beyond the drive, wrapped around its capacity."""
    channels: Spread
    """Distribution over channels."""
    chips: Spread
    """Distribution over chips."""


class DeviceInfo(TypedDict):
    """The requests of one device of a trace."""

    name: str
    """Name in the trace."""
    requests: int
    """Number of requests."""
    reads: int
    """Number of reads."""
    first_sector: int
    """First sector of all requests [512 bytes]."""
    end_sector: int
    """First sector after all requests [512 bytes]."""


class TraceInfo(TypedDict):
    """Characteristics of a trace."""

    requests: int
    """Number of requests."""
    read_pct: float
    """Share of reads [%]."""
    mean_size_kib: float
    """Mean request size [1,024 bytes]."""
    mean_inter_arrival_us: float | None
    """Mean gap between arrivals [µs]; ``None`` for a single request."""
    median_inter_arrival_us: float | None
    """Median gap between arrivals [µs]."""
    duration_us: float
    """Time from the first arrival to the last [µs]."""
    sequential_pct: NotRequired[float]
    """Share of requests that begin at the end of the one before on the same device [%]."""
    footprint_mib: float
    """Distinct 4-KiB blocks accessed [1,048,576 bytes]."""
    footprint_exact: NotRequired[bool]
    """True if the footprint is exact, false if it is estimated for lack of memory."""
    format: str
    """Name of the format."""
    format_note: NotRequired[str | None]
    """Rule by which the format was chosen among those that can read the same lines."""
    compression: NotRequired[str]
    """Compression of the file."""
    out_of_order: NotRequired[int]
    """Requests with an earlier time stamp than the one before, sorted."""
    moved_up: NotRequired[int]
    """Requests too late to be sorted; they arrive with the latest one before them."""
    skipped_bad: NotRequired[int]
    """Malformed lines, skipped as `skip_bad` allows."""
    other_ops: NotRequired[int]
    """Operations that are neither reads nor writes, skipped."""
    trims: NotRequired[int]
    """Trims (discard, unmap), in formats that distinguish them."""
    trims_skipped: NotRequired[int]
    """Trims without an address range, which are among the skipped operations."""
    flushes: NotRequired[int]
    """Flushes among the skipped operations, in formats that distinguish them."""
    zero_size: NotRequired[int]
    """Requests of zero bytes, skipped."""
    garbled_times: NotRequired[int]
    """Records with an impossible time, skipped."""
    sizes: NotRequired[list[SizeClass]]
    """Requests by size."""
    inter_arrival: NotRequired[GapDistribution | None]
    """Distribution of the gaps between arrivals; ``None`` for a single request."""
    dispersion: NotRequired[list[Dispersion]]
    """Burstiness at time scales with at least thirty windows."""
    timeline: NotRequired[Timeline]
    """Arrivals over time."""
    devices: NotRequired[list[DeviceInfo]]
    """Devices with requests, by number; named devices are numbered in order of appearance."""
    coinciding_pages: NotRequired[int]
    """4-KiB pages that several devices access."""
    spread: NotRequired[DriveSpread | None]
    """Distribution of the load over the given drive; ``None`` without one."""


def trace_info(  # noqa: PLR0913 each is a keyword of its own
    path: str | PathLike[str] | Trace,
    format: str | None = None,  # noqa: A002 the option's name
    *,
    columns: str | None = None,
    event: str | None = None,
    skip_bad: int | None = None,
    devices: str | int | None = None,
    drive: Drive | config.Drive | None = None,
) -> TraceInfo:
    """Read a trace to its end and measure it.

    Parameters
    ----------
    path
        Path of the trace, plain or compressed, or a :class:`venice.Trace`.
    format
        Format of the trace [default: detected from the content].
    columns
        Columns of a trace in another format.
    event
        Event that counts as a request: dispatched (``"D"``) or queued (``"Q"``).
    skip_bad
        Malformed lines that are tolerated [default: 0].
    devices
        Name of the device to read [default: all].
    drive
        Drive for the distribution of the load over channels and chips.

    Raises
    ------
    UsageError
        If the description of the columns or the event is invalid, or a number is out of range.
    TraceError
        If the file is missing, damaged or of no known format.
    """
    settings = {
        "format": format,
        "columns": columns,
        "event": event,
        "skip_bad": skip_bad,
        "devices": devices,
    }
    trace = options_of(path, settings)
    if isinstance(drive, DescribedDrive):
        drive = resolve(drive)
    with open_pipes(trace.trace):
        text = _native.trace_info(trace, drive)
    return cast("TraceInfo", json.loads(text))
