"""Workloads and traces, for editors and type checkers; generated from the schema.

To write it anew: ``pytest --bless python/tests/test_workload_types.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, Self, TypeAlias, TypedDict, Unpack

from venice.described.section import Section
from venice.described.values import Law
from venice.workloads.description import Description, MixDescription
from venice.workloads.section import mix, table
from venice.workloads.trace import TraceDescription

__all__ = [
    "Address",
    "AtMostBytes",
    "Bursts",
    "ByOperation",
    "Choice",
    "Choices",
    "DrivePct",
    "FixedBytes",
    "Footprint",
    "FootprintBytes",
    "Gaps",
    "HotCold",
    "Hyperexponential",
    "Mix",
    "MixChanges",
    "NormalPlaces",
    "NormalSizes",
    "OpenLoop",
    "ParetoGaps",
    "ParetoPlaces",
    "Pattern",
    "ReadAfterWrite",
    "Size",
    "Spacing",
    "Trace",
    "TraceEvent",
    "TraceFormat",
    "Workload",
    "WorkloadChanges",
    "WorkloadName",
    "Zipf",
]

WorkloadName = Literal[
    "random-read",
    "random-write",
    "mixed-70-30",
    "sequential-read",
    "strided-read",
    "zipf-mixed",
    "bursty-oltp",
    "poisson-read-4k",
    "poisson-read-16k",
    "poisson-read-64k",
    "gather",
    "gather-and-read",
    "hm_0",
    "mds_0",
    "proj_3",
    "prxy_0",
    "rsrch_0",
    "src1_0",
    "src2_1",
    "usr_0",
    "wdev_0",
    "web_1",
    "YCSB_B",
    "YCSB_D",
    "jenkins",
    "postgres",
    "LUN0",
    "LUN2",
    "LUN3",
    "ssd-00",
    "ssd-10",
    "mix1",
    "mix2",
    "mix3",
    "mix4",
    "mix5",
    "mix6",
]


TraceFormat = Literal[
    "msr-csv",
    "msr-blank",
    "msr-rounded",
    "mqsim-ascii",
    "ssdsim-100ns",
    "ssdsim-us",
    "disksim-ascii",
    "replay-ms",
    "spc",
    "blkparse",
    "vscsi-csv",
    "fiu-blkparse",
    "tencent-replay",
    "tencent-cbs",
    "alibaba-csv",
    "systor-csv",
    "fio-iolog",
    "blktrace",
    "vscsi-1",
    "vscsi-2",
    "oracle-general",
    "parquet",
]


@dataclass(frozen=True, kw_only=True)
class ByOperation(Law):
    """Lengths of reads and of writes, each by one of the other laws.

    Attributes
    ----------
    read
        Lengths of reads.
    write
        Lengths of writes.
    """

    TAG = "by_operation"

    read: Size
    write: Size


@dataclass(frozen=True, kw_only=True)
class Choice(Law):
    """One of several lengths.

    Attributes
    ----------
    bytes
        The length: a multiple of 512 [bytes].
        From 512 to 67108864.
    weight
        Its share among the weights of all.
        From 1 to 1000000.
    """

    bytes: int
    weight: int


@dataclass(frozen=True, kw_only=True)
class HotCold(Law):
    """Two regions, the first of which is hot.

    Attributes
    ----------
    hot_access_pct
        Share of requests that start in the hot part [%].
        From 0 to 100.
    hot_space_pct
        Share of places that are hot [%].
        Above 0 below 100.
    """

    TAG = "hot_cold"

    hot_access_pct: float
    hot_space_pct: float


@dataclass(frozen=True, kw_only=True)
class Hyperexponential(Law):
    """Gaps that are exponentially distributed about one of two means.

    Attributes
    ----------
    long_pct
        Share of gaps that are long; one over it is the mean number of requests in a burst [%].
        Above 0 below 100.
    short_mean_pct
        Mean of the short gaps, as a share of the mean of all [%].
        Above 0 below 100.
    """

    TAG = "hyperexponential"

    long_pct: float
    short_mean_pct: float


@dataclass(frozen=True, kw_only=True)
class NormalPlaces(Law):
    """Normally distributed places about the middle of the footprint, cut off at its ends.

    Attributes
    ----------
    deviation_pct
        The standard deviation, as a share of the footprint [%].
        Above 0 below 100.
    """

    TAG = "normal"

    deviation_pct: float


@dataclass(frozen=True, kw_only=True)
class NormalSizes(Law):
    """Normally distributed lengths, rounded up to sectors of 512 bytes; from one sector to six
    deviations above the mean.

    Attributes
    ----------
    deviation_bytes
        The standard deviation: a multiple of 512 [bytes].
        From 512 to 67108864.
    mean_bytes
        The mean: a multiple of 512 [bytes].
        From 512 to 67108864.
    """

    TAG = "normal"

    deviation_bytes: int
    mean_bytes: int


@dataclass(frozen=True, kw_only=True)
class ParetoGaps(Law):
    """Gaps with a heavy tail: they exceed x with a probability in proportion to x to the power of
    -shape.

    Attributes
    ----------
    shape
        The exponent.
        From 1.01 to 100.
    """

    TAG = "pareto"

    shape: float


@dataclass(frozen=True, kw_only=True)
class ParetoPlaces(Law):
    """Self-similar popularity: the first share h of the places gets the share 1 - h of requests,
    and so on within it.

    Attributes
    ----------
    h
        The share h: 0.2 is the rule of 80 and 20.
        From 0.001 to 0.999.
    """

    TAG = "pareto"

    h: float


@dataclass(frozen=True, kw_only=True)
class Zipf(Law):
    """Zipf's law: the place of rank k comes in proportion to k to the power of -theta; ranks are
    scattered over the footprint.

    Attributes
    ----------
    theta
        The skew: 0.99 is that of the YCSB benchmark.
        From 0.01 to 5.
    """

    TAG = "zipf"

    theta: float


@dataclass(frozen=True)
class FootprintBytes(Law):
    """So many bytes: a multiple of 512.

    Attributes
    ----------
    value
        Its value [bytes].
        From 512.
    """

    TAG = "bytes"

    value: int


@dataclass(frozen=True)
class AtMostBytes(Law):
    """So many bytes, or the whole drive if that is smaller: a multiple of 512.

    Attributes
    ----------
    value
        Its value [bytes].
        From 512.
    """

    TAG = "at_most_bytes"

    value: int


@dataclass(frozen=True)
class DrivePct(Law):
    """A share of the drive.

    Attributes
    ----------
    value
        Its value [%].
        Above 0 to 100.
    """

    TAG = "drive_pct"

    value: float


@dataclass(frozen=True)
class FixedBytes(Law):
    """One length for all: a multiple of 512.

    Attributes
    ----------
    value
        Its value [bytes].
        From 512 to 67108864.
    """

    TAG = "fixed_bytes"

    value: int


@dataclass(frozen=True)
class Choices(Law):
    """Each of several lengths as often as its weight says.

    Attributes
    ----------
    value
        Its value.
    """

    TAG = "choices"

    value: Sequence[Choice]


TraceEvent: TypeAlias = Literal["Q", "D"]
"""Which of a request's events in a block-layer trace stands for the request."""

Footprint: TypeAlias = FootprintBytes | AtMostBytes | DrivePct
"""`{ bytes = … }`, `{ at_most_bytes = … }` or `{ drive_pct = … }`."""

Gaps: TypeAlias = Literal["constant", "exponential"] | Hyperexponential | ParetoGaps
"""`"constant"`, `"exponential"`, `{ hyperexponential = { … } }` or `{ pareto = { … } }`."""

Pattern: TypeAlias = (
    Literal["uniform", "sequential", "permutation"] | Zipf | HotCold | ParetoPlaces | NormalPlaces
)
"""`"uniform"`, `"sequential"`, `"permutation"`, `{ zipf = { … } }`, `{ hot_cold = { … } }`, `{
pareto = { … } }` or `{ normal = { … } }`."""

Size: TypeAlias = FixedBytes | Choices | NormalSizes | ByOperation
"""`size = { fixed_bytes = 4096 }`, `size = { choices = [ … ] }`, `size = { normal = { … } }`, or
`size = { by_operation = { read = …, write = … } }` with one of the others for each."""

Spacing: TypeAlias = Literal["constant", "exponential"]
"""`"constant"` or `"exponential"`."""


@table("address")
@dataclass(frozen=True, kw_only=True, repr=False)
class Address(Section):
    """Where requests start.

    Attributes
    ----------
    align_bytes
        Starts are multiples of this, which is one of 512 [bytes].
        From 512 to 67108864.
    align_offset_bytes
        And so much farther on: a multiple of 512 below `align_bytes` [bytes].
        From 0; default 0.
    footprint
        How much of the drive is touched, from its first sector on.
    pattern
        Where requests start that do not go on from the one before.
    run_requests
        Mean number of requests in a sequential run; 1 is no runs [requests].
        From 1 to 1000000; default 1.0.
    runs_by_operation
        Whether, in a run or under the sequential pattern, reads go on from reads and writes from
        writes.
        Default false.
    """

    align_bytes: int | None = None
    align_offset_bytes: int | None = None
    footprint: Footprint | None = None
    pattern: Pattern | None = None
    run_requests: float | None = None
    runs_by_operation: bool | None = None


@table("open_loop.bursts")
@dataclass(frozen=True, kw_only=True, repr=False)
class Bursts(Section):
    """Bursts and pauses in turn; together no shorter than the mean gap.

    Attributes
    ----------
    lengths
        How both vary.
    off_us
        Mean length of a pause [µs].
        From 0.001 to 1000000000.
    on_us
        Mean length of a burst [µs].
        From 0.001 to 1000000000.
    """

    lengths: Spacing | None = None
    off_us: float | None = None
    on_us: float | None = None


@table("open_loop")
@dataclass(frozen=True, kw_only=True, repr=False)
class OpenLoop(Section):
    """Arrivals by the clock, whatever the drive has done.

    Attributes
    ----------
    gaps
        How gaps vary.
    mb_per_s
        Bandwidth that is asked for, which with the mean length gives the mean gap; this or
        `mean_gap_us` [MB/s].
        Above 0.
    mean_gap_us
        Mean time from one arrival to the next over the whole run, pauses included; this or
        `mb_per_s` [µs].
        From 0.001 to 1000000000.
    most_outstanding
        Arrivals are put off while so many requests of the flow are outstanding [requests].
        From 1 to 65536.
    bursts
        Pauses between bursts of arrivals.
    """

    gaps: Gaps | None = None
    mb_per_s: float | None = None
    mean_gap_us: float | None = None
    most_outstanding: int | None = None
    bursts: Bursts = Bursts()


@table("read_after_write")
@dataclass(frozen=True, kw_only=True, repr=False)
class ReadAfterWrite(Section):
    """Reads that repeat the place and length of a recent write.

    Attributes
    ----------
    pct
        Share of reads that do [%].
        From 0 to 100.
    within_writes
        Of so many last writes, evenly [writes].
        From 1 to 65536.
    """

    pct: float | None = None
    within_writes: int | None = None


class WorkloadChanges(TypedDict, total=False):
    """What :meth:`Workload.with_` takes."""

    base: WorkloadName | str | PathLike[str]
    closed_loop_depth: int
    description: str
    gather_pct: float
    name: str
    read_pct: float
    requests: int
    size: Size
    source: str
    start_us: float
    stop_us: float
    strata: int
    think_us: float
    address: Address
    open_loop: OpenLoop
    read_after_write: ReadAfterWrite


@table("")
@dataclass(frozen=True, kw_only=True, repr=False)
class Workload(Description):
    """Synthetic requests of one flow.

    Attributes
    ----------
    base
        A workload's name, or the path of its file: what is not said here is as there. Empty for one
        that says all itself.
    closed_loop_depth
        Requests outstanding at any time, which a completion makes room for; this or `open_loop`
        [requests].
        From 1 to 65536.
    description
        What it is, in a sentence.
    gather_pct
        Gathers of operands, as a share of requests; `read_pct` is then of the others [%].
        From 0 to 100; default 0.0.
    name
        What reports call it; the file's name if it is left out.
    read_pct
        Reads, as a share of requests [%].
        From 0 to 100.
    requests
        How many requests there are [requests].
        From 1 to 1000000000000.
    size
        How long requests are.
    source
        Where its numbers come from.
    start_us
        When the flow begins, in simulated time [µs].
        From 0 to 1000000000000; default 0.0.
    stop_us
        When it ends at the latest, in simulated time; later than `start_us` [µs].
        From 0 to 1000000000000.
    strata
        Draw operations, lengths and gaps so that each block of so many requests has one from each
        of as many equal parts of their law; independently if it is left out [requests].
        From 2 to 1000000.
    think_us
        From a completion to the next request in its place; with `closed_loop_depth` [µs].
        From 0 to 1000000000.
    address
        Where requests start.
    open_loop
        Arrivals by the clock; this or `closed_loop_depth`.
    read_after_write
        Reads of what was just written.
    """

    base: WorkloadName | str | PathLike[str] = field(default="", kw_only=False)
    closed_loop_depth: int | None = None
    description: str | None = None
    gather_pct: float | None = None
    name: str | None = None
    read_pct: float | None = None
    requests: int | None = None
    size: Size | None = None
    source: str | None = None
    start_us: float | None = None
    stop_us: float | None = None
    strata: int | None = None
    think_us: float | None = None
    address: Address = Address()
    open_loop: OpenLoop = OpenLoop()
    read_after_write: ReadAfterWrite = ReadAfterWrite()

    def with_(self, **changes: Unpack[WorkloadChanges]) -> Self:
        """Give the workload with changes: what is said last wins, value by value.

        Examples
        --------
        >>> Workload("random-read").with_(requests=5).with_(read_pct=50)
        Workload('random-read', read_pct=50, requests=5)
        """
        said: WorkloadChanges = {"base": self.base, **changes}
        return self | type(self)(**said)


class MixChanges(TypedDict, total=False):
    """What :meth:`Mix.with_` takes."""

    base: WorkloadName | str | PathLike[str]
    description: str
    flows: Sequence[WorkloadName | str | PathLike[str] | Workload]
    mean_gap_us: float
    name: str
    requests: int
    source: str


@mix("")
@dataclass(frozen=True, kw_only=True, repr=False)
class Mix(MixDescription):
    """Several workloads at once, each on a queue of its own and in its own part of the drive.

    Attributes
    ----------
    base
        A mix's name, or the path of its file: what is not said here is as there. Empty for one
        that says all itself.
    description
        What it is, in a sentence.
    flows
        Workloads of one flow: a name, the path of a file, relative to this one, or what such a file
        says, as a table.
    mean_gap_us
        Mean gap of all flows together: they are sped up or slowed down by one factor. As the flows
        have it if it is left out [µs].
        From 0.001 to 1000000000.
    name
        What reports call it; the file's name if it is left out.
    requests
        How many requests there are in all [requests].
        From 1 to 1000000000000.
    source
        Where its numbers come from.
    """

    base: WorkloadName | str | PathLike[str] = field(default="", kw_only=False)
    description: str | None = None
    flows: Sequence[WorkloadName | str | PathLike[str] | Workload] | None = None
    mean_gap_us: float | None = None
    name: str | None = None
    requests: int | None = None
    source: str | None = None

    def with_(self, **changes: Unpack[MixChanges]) -> Self:
        """Give the mix with changes: what is said last wins, value by value.

        Examples
        --------
        >>> Mix("mix1", requests=7).with_(mean_gap_us=2)
        Mix('mix1', mean_gap_us=2, requests=7)
        """
        said: MixChanges = {"base": self.base, **changes}
        return self | type(self)(**said)


@dataclass(frozen=True, kw_only=True, repr=False)
class Trace(TraceDescription):
    """A trace: a file, and how it is read.

    What is ``None`` is found out, or as usual.

    Attributes
    ----------
    path
        The file, plain or compressed.
    columns
        A description of its columns, when its format is none of those known.
    devices
        Placement of its devices on the drive: `side-by-side` (each has an address range of its
        own), `overlay` (all share one), or the name of the only device whose requests are kept.
    event
        The event that stands for a request, where a trace has several for each: `D` is dispatched,
        `Q` is queued.
    format
        Its format, when it is not to be found out from its first lines.
    skip_bad
        Bad lines that may be passed over [lines].
        From 0; default 0.
    """

    path: str | PathLike[str] = field(kw_only=False)
    columns: str | None = None
    devices: str | None = None
    event: TraceEvent | None = None
    format: TraceFormat | None = None
    skip_bad: int | None = None
