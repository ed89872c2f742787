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
    """Number of requests in a size class: sizes from above 2^(n-1) up to 2^n bytes."""

    up_to_bytes: int
    """Upper limit of the class [bytes]."""
    reads: int
    """Number of reads."""
    writes: int
    """Number of writes."""


class GapDistribution(TypedDict):
    """Distribution of the gaps between consecutive arrivals [µs]."""

    zero_pct: float
    """Share of gaps that are exactly zero [%]."""
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
    """Ratio of standard deviation to mean: 0 for equal gaps, 1 for a Poisson process, more for
    bursts."""
    cdf: list[tuple[float, float]]
    """Cumulative distribution: gap [µs], and share of gaps that do not exceed it [%]; ten points
    per decade."""


class Dispersion(TypedDict):
    """Index of dispersion for counts (Gusella 1991) at one time scale."""

    window_us: int
    """Length of a time window [µs]."""
    windows: int
    """Number of windows."""
    index: float
    """Variance over mean of the requests per window: 0 if regular, 1 for a Poisson process."""
    most: int
    """Number of requests in the fullest window."""


class Timeline(TypedDict):
    """Number of arrivals over time."""

    bin_us: float
    """Length of a bin [µs]."""
    requests: list[int]
    """Number of requests in each bin."""


class Spread(TypedDict):
    """Distribution of pages over channels or chips."""

    pages: list[int]
    """Number of pages read or written on each channel or chip."""
    busiest_over_mean: float
    """Ratio of the largest number to the mean: 1 if even."""
    coefficient_of_variation: float
    """Ratio of standard deviation to mean: 0 if even."""


class DriveSpread(TypedDict):
    """Distribution of the load over a drive, if each page is at its static location."""

    folded: int
    """Number of requests beyond the drive's capacity, wrapped around it."""
    channels: Spread
    """Distribution over channels."""
    chips: Spread
    """Distribution over chips."""


class DeviceInfo(TypedDict):
    """Requests of one device in a trace."""

    name: str
    """Name of the device in the trace."""
    requests: int
    """Number of requests."""
    reads: int
    """Number of reads."""
    first_sector: int
    """First sector that a request accesses [512 bytes]."""
    end_sector: int
    """Sector after the last one that a request accesses [512 bytes]."""


class TraceInfo(TypedDict):
    """Characteristics of a trace."""

    requests: int
    """Number of requests."""
    read_pct: float
    """Share of reads, with searches [%]."""
    searches: NotRequired[int]
    """Number of searches, which are part of the reads."""
    mean_size_kib: float
    """Mean request size [1,024 bytes]."""
    mean_inter_arrival_us: float | None
    """Mean gap between arrivals [µs]; ``None`` for a single request."""
    median_inter_arrival_us: float | None
    """Median gap between arrivals [µs]."""
    duration_us: float
    """Time from the first arrival to the last [µs]."""
    sequential_pct: NotRequired[float]
    """Share of requests that begin where the preceding one on the same device ends [%]."""
    footprint_mib: float
    """Size of all distinct 4-KiB blocks that are accessed [1,048,576 bytes]."""
    footprint_exact: NotRequired[bool]
    """True if the footprint is exact, false if it is estimated for lack of memory."""
    format: str
    """Name of the format."""
    format_note: NotRequired[str | None]
    """Rule by which the format was chosen, if several formats can read the same lines."""
    compression: NotRequired[str]
    """Compression of the file."""
    out_of_order: NotRequired[int]
    """Number of requests that were sorted, because their time stamp is earlier than the preceding
    one."""
    moved_up: NotRequired[int]
    """Number of requests too late to be sorted, which arrive together with the latest preceding
    request."""
    skipped_bad: NotRequired[int]
    """Number of malformed lines that were skipped, as `skip_bad` permits."""
    other_ops: NotRequired[int]
    """Number of operations that are neither reads nor writes, and were skipped."""
    trims: NotRequired[int]
    """Number of trims (discard, unmap), in formats that distinguish them."""
    trims_skipped: NotRequired[int]
    """Number of skipped operations that are trims without an address range."""
    flushes: NotRequired[int]
    """Number of skipped operations that are flushes, in formats that distinguish them."""
    zero_size: NotRequired[int]
    """Number of requests of zero bytes that were skipped."""
    garbled_times: NotRequired[int]
    """Number of records with an impossible time that were skipped."""
    sizes: NotRequired[list[SizeClass]]
    """Number of requests by size."""
    inter_arrival: NotRequired[GapDistribution | None]
    """Distribution of the gaps between arrivals; ``None`` for a single request."""
    dispersion: NotRequired[list[Dispersion]]
    """Burstiness at each time scale with at least thirty windows."""
    timeline: NotRequired[Timeline]
    """Arrivals over time."""
    devices: NotRequired[list[DeviceInfo]]
    """Devices with requests, by number; named devices are numbered in order of appearance."""
    coinciding_pages: NotRequired[int]
    """Number of 4-KiB pages that several devices access."""
    spread: NotRequired[DriveSpread | None]
    """Distribution of the load over the given drive; ``None`` if none is given."""


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
    """Read a trace to its end and return its characteristics.

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
        Maximum number of malformed lines to skip [default: 0].
    devices
        Name of the device to read [default: all].
    drive
        Drive for the distribution of the load over channels and chips.

    Raises
    ------
    UsageError
        If the description of the columns or the event is invalid, or a number is out of range.
    TraceError
        If the file is missing, damaged or in an unknown format.
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
