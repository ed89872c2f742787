"""What a report holds, for editors and type checkers; generated from its schema.

A figure that a run can lack is typed ``| None``.
To write it anew: ``pytest --bless python/tests/test_report_types.py``.
"""

from __future__ import annotations

from typing import Any

from venice.report.figures import Figures, Named


class AdvancedCommands(Figures):
    """How often the drive used more of a chip than a plane at a time."""

    multiplane_reads: int
    """Reads of several planes at once."""

    multiplane_programs: int
    """Programs of several planes at once."""

    interleaved: int
    """Operations that began while another die of the chip was at work."""

    copybacks: int
    """Moves inside a plane."""


class AfterwardsReport(Figures):
    """Work of the drive from the last completion until it is idle: garbage collection, and what
    the data cache writes to flash.
    """

    duration_us: float
    """From the last completion until the last array or transfer is done, in microseconds."""

    chip_pct: float | None
    """Share of that time for which a chip has a die at work, in %, averaged over chips; absent if
    it is none.
    """

    plane_pct: float | None
    """Share of that time for which the array of a plane works, in %, averaged over planes."""

    channel_pct: float | None
    """Share of that time for which a path is in use, in %, averaged over paths."""

    transfers: int
    """Transfers in that time: commands and data."""

    flash: FlashReport
    """Work of the flash in that time."""


class AloneReport(Figures):
    """A tenant that has the drive to itself, and what the others cost it."""

    latency_us: LatencyReport
    """Its latencies, as the report's field of this name."""

    bandwidth_mb_per_s: float | None
    """Bytes read and written per second, in 10^6, from its first issue to its last completion."""

    slowdown_mean: float | None
    """Mean latency beside the others over that alone."""

    slowdown_p99: float | None
    """99th percentile beside the others over that alone."""

    throughput_ratio: float | None
    """Throughput beside the others over that alone."""


class AreaReport(Figures):
    """Area of the fabric's parts on the board."""

    chips_mm2: float
    """All chips, in square millimetres."""

    routers_mm2: float
    """All routers, in square millimetres."""

    routers_pct: float
    """Routers as a share of the chips, in %."""

    die_overhead_pct: float
    """What the flash dies are larger by than the baseline's, as a share of them, in %."""

    wires_in_channels: float
    """Wires of channels and links, in shared channels of the baseline."""

    wires_saved_pct: float
    """How much less that is than the baseline's, in %; negative if more."""


class AuditReport(Figures):
    """What the audit looked at. A run with a violation has no report but an error."""

    reads_checked: int
    """Page reads whose contents were compared with the shadow."""


class Backlog(Figures):
    """Whether a run is long enough to speak of a mean: where the queue only grows, means say how
    long the run was.
    """

    first_half: float
    """Requests outstanding on average in the first half of the time in which requests came."""

    second_half: float
    """In the second half."""

    drain_pct: float
    """Time that the drive went on after the last request had come, as a share of the measured
    phase, in %.
    """

    grows: bool
    """Whether the queue was longer in the second half by half, and took more than 5 % of the phase
    to empty: past saturation.
    """


class BatchSizes(Figures):
    """Sizes of complete batches."""

    count: int
    """How many batches."""

    mean: float
    """Mean number of requests in one."""

    max: int
    """Most requests in one."""

    histogram: Any
    """Number of batches by number of requests."""


class BuildInfo(Figures):
    """How the engine was built."""

    profile: str
    """`release` or `debug`."""


class CacheReport(Figures):
    """What the data cache did."""

    read_hit_sectors: int
    """Sectors that reads found."""

    read_miss_sectors: int
    """Sectors that reads had to get from flash."""

    writes: int
    """Writes of a page, or of part of one, that it took."""

    write_hits: int
    """Of these, those to a page that it had."""

    writes_held_up: int
    """Requests that waited because too much was on its way to flash."""

    evictions: int
    """Pages that lost their room to others."""

    destages: int
    """Pages that it wrote to flash."""


class ChipQueueReport(Figures):
    """One queue of a chip: transactions, each a page or a block, that wait for a command.

    A write whose page was given out at its arrival waits while the rest of its page is read,
    and an erase from the beginning of its collection.
    """

    work: str
    """What waits in it."""

    enqueued: int
    """Transactions that joined it."""

    dequeued: int
    """Transactions that left it."""

    mean_length: float
    """Its mean length."""

    stdev_length: float
    """Its standard deviation about that mean."""

    max_length: int
    """The most that waited at one time."""

    mean_wait_us: float | None
    """How long those waited that left it, on average; absent if none did."""

    max_wait_us: float | None
    """The longest of these waits."""

    priority: str | None
    """Of which priority class, where classes wait apart."""


class ChipReport(Figures):
    """One chip. Shares, counts and means are of the measured window."""

    row: int
    """Its row in the array; a channel, where there are channels."""

    col: int
    """Its column."""

    array_pct: float
    """Share of time with an array of one of its dies at work, in %."""

    transfer_pct: float
    """Share of time with a command or data on its way to it, or data on its way from it, in %."""

    array_and_transfer_pct: float
    """Share of time with both, in %."""

    idle_pct: float
    """Share of time with neither, in %."""

    queues: list[ChipQueueReport]
    """What waits for one of its dies, by kind of work and, where they wait apart, by priority
    class.
    """


class CompletedOverTime(Figures):
    """Requests of one direction by the interval in which they completed; latencies, as the
    report's, are from issue by the host.
    """

    count: list[int]
    """How many."""

    bytes: list[int]
    """Their bytes."""

    mb_per_s: list[float | None]
    """Their bytes per second, in 10^6."""

    mean_us: list[float | None]
    """Exact mean latency; absent, as the others, where none completed."""

    p50_us: list[float | None]
    """Median latency, within 0.1 %, as the other percentiles."""

    p99_us: list[float | None]
    """99th percentile."""

    p999_us: list[float | None]
    """99.9th percentile."""

    max_us: list[float | None]
    """Exact maximum."""

    behind_us: list[float | None]
    """Exact mean of the wait for a chip behind the drive's own work: collection, wear levelling,
    the map.
    """


class DemandReport(Figures):
    """How requests came and went in the measured phase."""

    offered_iops: float | None
    """Requests that the host issued per second, from the first issue to the last; absent in a
    closed loop, where the drive decides when they are issued.
    """

    completed_iops: float | None
    """Requests completed per second in that time."""

    backlog: int
    """Requests outstanding when the last one was issued, itself included."""

    saturated: bool
    """Whether requests came faster than the drive serves them, so that latencies tell how long the
    run was.
    """

    interval_us: float
    """Length of an interval of the three lists, in microseconds; the first begins with the first
    issue.
    """

    issued: list[int]
    """Requests issued in each."""

    completed: list[int]
    """Requests completed in each."""

    mean_latency_us: list[float | None]
    """Mean latency of the requests that were issued in each; absent where none was."""


class DistributionsReport(Figures):
    """Whole distributions."""

    queues: list[QueueDistributions]
    """Host queues, by number; those that carried no request are left out."""

    requests_by_depth: Any
    """Requests by the number outstanding when they were issued, themselves included: 1, 2 to 3, 4
    to 7, and so on, by the least of each.
    """

    busy_us: float
    """For how long requests of the measured phase were outstanding, in microseconds."""

    blocks_by_erases: Any
    """Blocks of the drive by how often they were erased, preconditioning and warm-up included."""


class EvennessReport(Figures):
    """How evenly a figure is spread over tenants."""

    jain: float | None
    """Jain's index: (sum of x)² / (n × sum of x²), 1 if all are equal and 1/n if one has
    everything (Jain, Chiu, Hawe, DEC-TR-301, 1984).
    """

    max_over_min: float | None
    """The largest over the smallest."""


class FairnessReport(Figures):
    """How evenly several tenants were served."""

    throughput: EvennessReport
    """Of their throughput, in bytes per second."""

    slowdown: EvennessReport | None
    """Of their slowdown, the mean latency of a tenant over that of the tenant alone; absent unless
    each was run alone, too.
    """


class FaultReport(Figures):
    """What failed, and what that cost.

    Counts are of the whole run but for the requests, which are those of the measured phase.
    """

    failed_at_us: float
    """When it failed, in microseconds from the start."""

    known_at_us: float
    """When controllers knew."""

    chips_lost: list[list[int]]
    """Row and column of each chip that no controller reaches."""

    raw_capacity_bytes: int
    """Bytes of the pages of chips that are left."""

    raw_capacity_lost_bytes: int
    """Bytes of the pages of those that are lost."""

    host_capacity_bytes: int
    """Bytes that the host can address; what is lost in the run stays addressable, and has to find
    room elsewhere.
    """

    pages_lost: int
    """Pages of the host whose data were lost in the run."""

    page_reads_failed: int
    """Reads of a page that ended with an error."""

    page_programs_failed: int
    """Programs of a page that did: the page had been given out on a chip that was lost before it
    was sent.
    """

    writes_without_room: int
    """Writes of a page that found no room on what is left."""

    writes_sent_elsewhere: int
    """Writes that waited for a chip that was lost and went elsewhere."""

    requests_failed: int
    """Requests of the host that ended with an error; they have no part in latencies and
    throughput.
    """


class FlashReport(Figures):
    """Work of the flash. An operation counts when its command is sent."""

    reads: int
    """Pages read, for whatever purpose."""

    programs: int
    """Pages programmed, for whatever purpose."""

    erases: int
    """Blocks erased."""

    read_bytes: int
    """Bytes of the pages read."""

    programmed_bytes: int
    """Bytes of the pages programmed. A page counts whole, whatever part of it the host wrote."""

    multiplane_reads: int
    """Read commands to several planes at once."""

    multiplane_programs: int
    """Program commands to several planes at once."""

    suspended_erases: int
    """Suspensions of an erase, of one or several planes at once."""

    suspended_programs: int
    """Suspensions of a program, likewise."""

    copybacks: int
    """Pages of moves that did not cross the fabric."""

    mapping_reads: int
    """Pages of the map read, for look-ups and for write-backs."""

    mapping_programs: int
    """Pages of the map programmed."""

    gc_moves: int
    """Pages moved by garbage collection."""

    wear_moves: int
    """Pages moved by static wear levelling."""

    min_block_erases: int
    """Erases of the block that was erased least often, warm-up included."""

    max_block_erases: int
    """Erases of the block that was erased most often, warm-up included."""

    mean_plane_erase_span: float
    """How far the erase counts of a plane's blocks lie apart, as a mean over the planes, warm-up
    included.
    """

    max_plane_erase_span: int
    """The most of them."""

    host_programs: int
    """Pages programmed for the host."""

    update_reads: int
    """Pages read because a partial write did not cover them."""

    gc_executions: int
    """Collections of a block for want of free ones."""

    wear_executions: int
    """Collections of a block by static wear levelling."""

    read_commands: int
    """Read commands, to one plane or several."""

    program_commands: int
    """Program commands, likewise."""

    erase_commands: int
    """Erase commands, likewise."""

    multiplane_erases: int
    """Erase commands to several planes at once."""

    mapping_write_backs: int
    """Write-backs of the map that were wanted, whether or not they are programmed."""

    copies_between_chips: int | None
    """Of these, those that went from chip to chip without a controller, where the fabric copies."""

    moves_elsewhere: int | None
    """Of the pages moved by garbage collection, those that went to another plane, where they may.
    """


class FlowSlowdown(Figures):
    """What its share of the drive does to a flow."""

    queue: int
    """The host queue."""

    requests: int
    """Its requests."""

    slowdown: float
    """Mean latency over the mean of its part from entry into the drive to completion: 1 where
    nothing waits in the host.
    """


class GatherReport(Figures):
    """How operands came together."""

    gathers: int
    """Results that were worked out: one for each page of a request."""

    operands: int
    """Operands that reached the chip of their result; the sum of the next three."""

    in_place: int
    """Of these, those that lay on that chip."""

    copied_between_chips: int
    """Those that came from another chip without a controller."""

    by_controller: int
    """Those that came from another chip by a controller."""

    bytes_between_chips: int
    """Bytes of operands that went from chip to chip."""

    bytes_by_controller: int
    """Bytes of operands that went out to a controller and in again, counted once."""


class History(Figures):
    """Means over intervals of the measured phase."""

    start_us: float
    """When it begins, in microseconds since the run's start."""

    interval_us: float
    """How long an interval is; the last one may be shorter."""

    waiting: list[float]
    """Requests that waited in the host."""

    in_drive: list[float]
    """Requests in the drive."""

    chip_pct: list[float]
    """Chips with a die at work, in %."""


class LatencyDistribution(Figures):
    """Latencies of one operation on one queue, from issue by the host to completion."""

    count: int
    """Requests."""

    bytes: int
    """Their bytes."""

    min_us: float
    """Exact minimum."""

    mean_us: float
    """Exact mean."""

    max_us: float
    """Exact maximum."""

    stdev_us: float
    """Standard deviation about the mean, from the histogram."""

    histogram: list[list[float]]
    """Requests by latency: the least latency of each part of a thousandth of it, and how many fell
    there.
    """


class LatencyReport(Figures):
    """A latency distribution in figures; all but `count` are absent when there was no request."""

    count: int
    """Requests."""

    mean: float | None
    """Exact mean."""

    p50: float | None
    """Median, within 0.1 %, as the other percentiles."""

    p90: float | None
    """90th percentile."""

    p99: float | None
    """99th percentile."""

    p999: float | None
    """99.9th percentile."""

    max: float | None
    """Exact maximum."""


class LatencyTriple(Figures):
    """Latencies of all requests, of reads and of writes."""

    all: LatencyReport
    """All requests together."""

    read: LatencyReport
    """Reads."""

    write: LatencyReport
    """Writes."""

    gather: LatencyReport | None
    """Gathers of operands, where there are any."""


class Mapping(Figures):
    """Look-ups in the page map."""

    hits: int
    """Answered from memory."""

    misses: int
    """Not answered from the cached table."""

    read_hits: int
    """Of the hits, those for reads of the host."""

    read_misses: int
    """Of the misses, those for reads of the host."""

    ranges: list[RangeLookUps] | None
    """The same for each address range, where part of the map is on flash and there are several
    ranges.
    """


class OverProvisioningReport(Figures):
    """Over-provisioning: pages of flash beyond the host's capacity, in % of it."""

    nominal_pct: float
    """All pages of flash beyond the host's capacity, in % of it."""

    effective_pct: float
    """Those that garbage collection can use: without free blocks below the start threshold, the
    empty half of open blocks, and the map, in % of the host's capacity.
    """

    expected_pages_per_written_page: float | None
    """Pages programmed per page written in the long run, in closed form; absent unless all writes
    are uniform over one range, each within a page, the range is full, and the victims are
    `greedy` or `fifo`.
    """


class PageReads(Figures):
    """Mean time from a page's look-up to its arrival at a controller, in microseconds, of what the
    host read from flash; of a place that nothing was read from there is none.
    """

    by_row_us: list[float | None]
    """By row of the array."""

    by_column_us: list[float | None]
    """By column of the array."""


class PageTimes(Figures):
    """Pages of one operation, and where their time went, on average."""

    count: int
    """How many."""

    turnaround_us: float
    """From the request's coming to the page's end."""

    array_us: float
    """Of that, in the array."""

    transfer_us: float
    """Of that, on the way over the fabric."""


class PaperEnergyReport(Figures):
    """Energy as the Venice paper computes it: mean power × execution time."""

    array_mw: float
    """Power of an array at work, on average."""

    path_mw: float
    """Power of a path that carries a transfer, on average."""

    power_mw: float
    """Both together."""

    energy_uj: float
    """Both together for the time of the measured phase, in microjoules."""


class PathReport(Figures):
    """Paths between controllers and chips."""

    rate_mb_per_s: float | None
    """Data rate of a path (a channel, a link of a ring, or a link between routers), in 10^6 bytes
    per second; absent if it is unlimited.
    """

    transfers: int
    """Transfers: commands and data."""

    conflict_pct: float | None
    """Share of transfers that found no path at their first attempt, in %."""

    requests_conflict_pct: float | None
    """Share of requests with such a transfer, in %."""

    mean_hops: float | None
    """Links crossed by a transfer, on average."""

    hop_counts: list[int]
    """Transfers by the number of links that they crossed, none first."""

    scout_retries: int
    """Scouts that came back without a path."""

    mean_detour_hops: float | None
    """Links by which reserved paths exceeded the shortest ones, on average per transfer."""


class Phase(Figures):
    """A part of the run. All other figures are of the part that is measured."""

    name: str
    """`warmup` or `measure`."""

    start_us: float
    """When its first request was issued, in microseconds since the run's start."""

    end_us: float
    """When the next part began, or, of the last, when its last request was completed."""

    requests: int
    """Requests issued in it; all of them were completed."""


class PlaceReport(Figures):
    """A place of the fabric over which transfers go: a channel, a bus, a link."""

    name: str
    """What it is called."""

    stops: list[StopReport]
    """What it joins, in the order in which it comes by; nothing where the fabric does not say."""

    busy_pct: float | None
    """Share of time for which it was in use, in %; absent of what is none of the paths of
    `utilisation.channel_pct`.
    """


class QueueDistributions(Figures):
    """Those of one host queue."""

    queue: int
    """Its number."""

    latency: Named[LatencyDistribution]
    """Of the measured phase, by operation; of those that had any request."""


class QueueReport(Figures):
    """One host queue."""

    queue: int
    """Its number."""

    name: str
    """The name of its workload, flow, job or trace; no two queues have the same."""

    latency_us: LatencyTriple
    """As the report's field of this name."""

    device_latency_us: LatencyTriple
    """As the report's field of this name."""

    min_latency_us: float | None
    """The least latency of its requests, in microseconds."""

    min_device_latency_us: float | None
    """The least device latency of its requests, in microseconds."""

    read_bytes: int
    """Bytes that its requests read."""

    written_bytes: int
    """Bytes that its requests wrote."""

    iops: float | None
    """Requests completed per second, from its first issue to its last completion; absent when no
    time passed.
    """

    bandwidth_mb_per_s: float | None
    """Bytes read and written per second, in 10^6, over the same time."""

    breakdown_us: Named[Named[float]]
    """As the report's field of this name."""

    pages: Named[PageTimes]
    """Pages that flash read, or programmed, for its requests, by operation; without those that
    only the data cache wrote.
    """

    alone: AloneReport | None
    """The same queue with the drive to itself; absent unless it was run alone, too."""


class RangeLookUps(Figures):
    """Look-ups in one address range."""

    hits: int
    """Answered from memory."""

    misses: int
    """Not answered from the cached table."""


class ReportFigures(Figures):
    """One run."""

    schema_version: int
    """Version of this shape."""

    venice_version: str
    """Version of Venice that made it."""

    build: BuildInfo
    """How the engine was built; not part of the result."""

    fabric: str
    """Name of the fabric."""

    config: Any
    """The resolved configuration."""

    seed: int
    """Seed of every random stream."""

    capacity_bytes: int
    """Bytes that a host can address, before anything fails."""

    workload: WorkloadInfo
    """Where the requests came from."""

    phases: list[Phase]
    """Parts of the run, in order."""

    requests: Requests
    """Requests of the measured phase."""

    demand: DemandReport
    """How they came and went."""

    steadiness: SteadinessReport
    """Steadiness of the measured phase."""

    until: UntilReport | None
    """Criterion that chose the run's length; absent if there was none."""

    makespan_us: float
    """First issue to last completion, in microseconds: the measured window, to which rates, counts
    and shares refer.
    """

    iops: float | None
    """Completed requests per second; absent when no time passed."""

    bandwidth_mb_per_s: float | None
    """Bytes read and written by the host per second, in 10^6."""

    latency_us: LatencyTriple
    """Issue by the host to completion, in microseconds."""

    device_latency_us: LatencyTriple
    """Entry into the drive's queue to completion, in microseconds; without rings, fetch by the
    drive to completion.
    """

    breakdown_us: Named[Named[float]]
    """Mean time of a request in each stage, in microseconds, by direction; adds up to its mean
    latency.
    """

    latency_cdf: list[list[float]]
    """Points of the latency distribution: (share of requests in %, latency in microseconds)."""

    queues: list[QueueReport]
    """Host queues, by number; those that carried no request are left out."""

    flash: FlashReport
    """What the flash did."""

    write_amplification: float | None
    """Bytes programmed to flash, in whole pages, divided by the bytes that the host wrote in the
    measured window; absent if the host wrote nothing, or if it is not settled
    (`steadiness.write_amplification_settled`).
    """

    pages_per_written_page: float | None
    """Pages programmed divided by pages programmed for the host in the measured window; absent
    when there are none.

    It differs from `write_amplification` where the host writes parts of pages or the data cache
    joins its writes.
    """

    path: PathReport
    """Paths between controllers and chips."""

    page_reads: PageReads
    """Pages that the host read, by the place of their chip."""

    utilisation: Utilisation
    """Occupation."""

    after_last_completion: AfterwardsReport
    """Work of the drive from the last completion until it is idle, which no figure of the measured
    window includes.
    """

    energy_uj: Named[float]
    """Energy by component, in microjoules; `total` is their sum."""

    energy_window_us: float
    """First issue to the end of the drive's work, in microseconds.

    Energy is counted until then, past the measured window, so that it contains the whole work
    for the requests.
    """

    mean_power_mw: float | None
    """That sum over that time, in milliwatts; absent when no time passed."""

    energy_paper: PaperEnergyReport
    """Energy as the Venice paper computes it."""

    area: AreaReport
    """Area of the fabric's parts on the board."""

    over_provisioning: OverProvisioningReport
    """Over-provisioning, and the write amplification that it makes of uniform random writes."""

    mapping: Mapping
    """Look-ups in the page map."""

    cache: CacheReport | None
    """What the data cache did; absent when the drive has none."""

    scheduler: SchedulerReport | None
    """What the host's scheduler did; absent when there is none."""

    audit: AuditReport | None
    """What the audit looked at; absent when the run was not audited."""

    wall_s: float
    """Wall time in seconds of building the drive, preconditioning included, and of the run; not
    part of the result.
    """

    events: int
    """Events executed."""

    cache_causes_us: Named[Named[float]] | None
    """Mean time of a request in the stage `cache` by cause, in microseconds, by direction; adds up
    to the stage.

    `memory` is the time of the cache's memory; the rest is waiting for room, with the causes
    that kept the cache's writes to flash from ending, as in `chip_wait_causes_us`. Absent
    unless causes were asked for, and when the drive has no cache.
    """

    chip_wait_behind_us: Named[Named[float]] | None
    """Mean wait of a request behind the drive's own work, in microseconds, by direction and by
    work: the sum of `chip_wait_causes_us` and `cache_causes_us` for each cause that is not the
    host's.

    Absent unless causes were asked for.
    """

    chip_wait_causes_us: Named[Named[float]] | None
    """Mean time of a request in the stage `chip_wait` by cause, in microseconds, by direction;
    adds up to the stage.

    The chip's array, or the pins, work for another command of the host (`host_array`,
    `host_transfer`); the chip, or another command's data in its register, waits for a path
    (`path_held`); the drive's own work keeps the chip (`collection_reads`,
    `collection_programs`, `erases`, `wear_levelling`, `map_commands`), or a write waits for
    garbage collection to free a page (`no_free_page`). Absent unless causes were asked for.
    """

    chips: list[ChipReport] | None
    """What waits for each chip, and what each chip does, row by row; absent unless it was asked
    for.
    """

    distributions: DistributionsReport | None
    """Whole distributions: of latencies, of requests outstanding, of erases; absent unless they
    were asked for.
    """

    ended_by_clock: bool | None
    """True if the run ended because the simulator's clock does; absent otherwise."""

    fairness: FairnessReport | None
    """How evenly the queues were served; absent where one alone carried requests."""

    faults: FaultReport | None
    """What failed, and what that cost; absent when nothing fails."""

    gather: GatherReport | None
    """How operands came together for the host's gathers; absent when there were none."""

    places: list[PlaceReport] | None
    """How busy each channel, bus or link was; absent unless whole distributions were asked for."""

    slowest: list[SlowRequest] | None
    """The requests that took longest, the slowest first, and why; absent unless they were asked
    for.
    """

    steady: list[SteadyReport] | None
    """Whether flows that end when they are steady (`ss` of fio's job files) were; absent where
    there is none.
    """

    time_series: TimeSeriesReport | None
    """What happened when, in intervals of one length; absent unless it was asked for."""


class Requests(Figures):
    """Requests of the measured phase."""

    submitted: int
    """Issued by the host."""

    completed: int
    """Answered."""

    reads: int
    """Reads among them."""

    writes: int
    """Writes among them."""

    read_bytes: int
    """Bytes of the reads that completed."""

    written_bytes: int
    """Bytes of the writes that completed."""

    gathers: int | None
    """Gathers of operands among them, where there are any."""


class RoundReport(Figures):
    """A figure in the five rounds."""

    rounds: list[float]
    """Value in each round."""

    average: float
    """Mean of the rounds."""

    range_pct: float
    """Largest less smallest round, in % of the average; at most 20 if the figure is steady."""

    slope_pct: float
    """Rise of the line through the rounds, in % of the average; within 10 if the figure is steady.
    """

    steady: bool
    """True if both are within their bounds."""


class SchedulerReport(Figures):
    """What the host's scheduler did, and the conflicts that it met: requests that touch a unit
    which another one in the I/O queue or in the drive touches (Gao et al., PIQ, TCAD 2017,
    §II).
    """

    scheme: str
    """Its scheme."""

    conflicted_reads_pct: float | None
    """Share of reads that met a read or a write, in %."""

    conflicted_writes_pct: float | None
    """Share of writes that met a read or a write, in %."""

    read_read_conflicts: int
    """Reads that met a read."""

    write_write_conflicts: int
    """Writes that met a write."""

    read_write_conflicts: int
    """Reads that met a write, and writes that met a read."""

    conflicts_pct: Named[float | None]
    """Share of requests that met one of the same kind or of the other, in %, by `read_read`,
    `write_write`, `read_write` and `write_read`: the first word is the request, and the share
    is of its kind.
    """

    read_batches: int
    """Batches of reads."""

    write_batches: int
    """Batches of writes."""

    prioritised_write_batches: int
    """Of these, those that went before reads because of their age."""

    prioritised_write_batches_pct: float | None
    """Their share of batches of writes, in %."""

    prioritised_reads: int
    """Reads that went before a write that had entered the queue earlier."""

    prioritised_reads_pct: float | None
    """Their share of reads, in %."""

    batch_sizes: Named[BatchSizes]
    """Requests in a batch, by direction; absent where the scheme has no such batches."""

    vector_tests: int
    """Comparisons of a request's units with a batch's."""

    memory_bytes: int
    """Bytes that location vectors and time stamps of a full queue would take, as the paper counts
    them.
    """

    waiting_us: Named[LatencyReport]
    """From issue to hand-over to the drive, in microseconds, by direction."""

    processing_us: Named[LatencyReport]
    """From hand-over to completion, in microseconds, by direction."""

    waiting_cdf: Named[list[list[float]]]
    """Points of the distribution of waiting, by direction: (share of requests in %, time in
    microseconds).
    """

    latency_cdf: Named[list[list[float]]]
    """Points of the distribution of the whole latency, likewise."""

    busy_us: float
    """Time for which requests waited or were served, in microseconds."""

    chip_while_busy_pct: float | None
    """As the utilisation of chips, but of that time alone."""

    plane_while_busy_pct: float | None
    """As the utilisation of planes, but of that time alone."""

    advanced_commands: AdvancedCommands
    """Advanced commands: those to several planes, those beside another die's, those that copy
    inside the chip.
    """

    flows: list[FlowSlowdown]
    """By flow, what waiting in the host and in the drive's queue does to it."""

    jain_index: float | None
    """Jain's index of the flows' slowdowns: 1 where all suffer alike, down to one over their
    number; absent when there is none.
    """

    history: History
    """How long the queue was, and how many chips worked, over the run."""

    backlog: Backlog
    """Whether the requests came faster than the drive served them."""


class SlowRequest(Figures):
    """A request, and where its time went."""

    number: int
    """Its number in order of issue, from zero."""

    queue: int
    """Its host queue."""

    operation: str
    """`read`, `write` or `gather`."""

    start_sector: int
    """Its first sector, of 512 bytes."""

    size_bytes: int
    """Its length."""

    arrival_us: float
    """When the host issued it, in microseconds since the run's start."""

    latency_us: float
    """Issue by the host to completion, in microseconds."""

    stages_us: Named[float]
    """Time in each stage, in microseconds; adds up to the latency.

    Of several pages, that of the one that ended last.
    """

    causes_us: Named[float]
    """Its wait for a chip, or for room in the cache, by cause, as `chip_wait_causes_us` and
    `cache_causes_us`.
    """

    chip_wait_behind_us: Named[float]
    """The part of that behind the drive's own work."""

    chip: int | None
    """The chip of that page, row by row; absent if flash had no part in it."""

    owes_most_to: str
    """The largest part of the latency: a stage, or a cause of the wait for a chip or for room in
    the cache.
    """


class SteadinessReport(Figures):
    """Steadiness of the measured phase by the rule of SNIA's Performance Test Specification 2.0.2:
    five rounds of equal length, whose range is at most 20 % and whose slope is at most 10 % of
    their average.
    """

    verdict: str
    """Verdict over all figures: `settled`; `not_settled`; `undecided` if the run is too short for
    five rounds of 100 requests.
    """

    rounds: int
    """Number of rounds."""

    round_us: float | None
    """Length of a round in microseconds; absent, as are the figures, if the run is too short."""

    latency_us: RoundReport | None
    """Mean latency of the requests completed in each round, in microseconds."""

    iops: RoundReport | None
    """Requests completed per second in each round."""

    write_amplification: RoundReport | None
    """Bytes programmed per byte written by the host in each round; absent if the drive does not
    collect garbage or a round has no write.
    """

    free_blocks: RoundReport | None
    """Free blocks at the end of each round."""

    blocks_written_per_plane: float
    """Blocks of host data written per plane in the measured phase."""

    write_amplification_settled: bool
    """True if the write amplification is settled: the drive does not collect garbage, or the host
    has written at least one block per plane.
    """

    requests_needed: int | None
    """Number of requests that a settled run needs, about; absent if the run is settled."""


class SteadyReport(Figures):
    """Flows that are judged together."""

    queues: list[int]
    """Their host queues."""

    figure: str
    """What is taken every interval: `iops`; `bw`, in bytes per second; `lat`, the mean latency in
    nanoseconds.
    """

    by_slope: bool
    """Whether its slope is judged, rather than its largest distance from the mean."""

    limit: float
    """What the slope, or the distance, has to stay below, in the figure's unit or in %."""

    limit_is_pct: bool
    """Whether that is in % of the mean."""

    window_us: float
    """Over how long it is judged, in microseconds."""

    interval_us: float
    """How often it is taken, in microseconds."""

    ramp_us: float
    """So long at first nothing is taken, in microseconds."""

    attained: bool
    """Whether they were steady."""

    attained_at_us: float | None
    """When they were, in microseconds since the run's start; they issue nothing afterwards."""

    mean: float | None
    """The mean over the last window; absent, as what follows, if there was no whole one."""

    deviation: float | None
    """The largest distance from it."""

    slope: float | None
    """The slope of the best line, from one interval to the next."""

    criterion: float | None
    """What is compared with the limit; absent, too, of a window in which nothing happened."""


class StopReport(Figures):
    """What a place joins."""

    kind: str
    """`controller` or `chip`; the router beside a chip is the chip here."""

    index: int
    """Which of these, from 0; chips row by row."""


class TimeSeriesReport(Figures):
    """The measured phase in intervals of one length, up to the end of all that was begun; every
    list has a place for each.
    """

    interval_us: float
    """How long an interval is; the last one may be shorter."""

    joined: int
    """How often intervals were joined in pairs, each time doubling their length, so that they are
    not too many.
    """

    start_us: list[float]
    """When each begins, in microseconds since the run's start."""

    end_us: float
    """When the last one ends."""

    issued: list[int]
    """Requests issued."""

    iops: list[float | None]
    """Requests completed per second."""

    read: CompletedOverTime
    """Reads that completed, gathers included."""

    write: CompletedOverTime
    """Writes that completed."""

    queue_depth: list[float | None]
    """Requests outstanding, on average."""

    chip_pct: list[float | None]
    """Share of time for which a chip had a die at work, in %, averaged over chips."""

    plane_pct: list[float | None]
    """Share of time for which a plane's array worked, in %, averaged over planes."""

    channel_pct: list[float | None]
    """Share of time for which a path was in use, in %, averaged over paths."""

    flash: WorkOverTime
    """What the flash did."""

    write_amplification: list[float | None]
    """Bytes programmed divided by the bytes of the writes that completed; absent where none did."""

    pages_per_written_page: list[float | None]
    """Pages programmed divided by pages programmed for the host; absent where there are none."""


class UntilReport(Figures):
    """A criterion and its outcome."""

    criterion: str
    """Criterion: `steady`, by the verdict of `steadiness`; `precision`, by the confidence interval
    of a figure.
    """

    reached: bool
    """True if the criterion ended the run; false if the requests ended before."""

    requests: int
    """Requests issued in all, warm-up included."""

    most_half_width_pct: float | None
    """Largest half-width of the interval that ends the run, in % of the estimate; absent, as what
    follows, for `steady`.
    """

    half_width_pct: float | None
    """Half-width of the last 95 % interval by batch means, in % of the estimate; absent, as what
    follows, if there were fewer than 20 batches.
    """

    estimate: float | None
    """Mean of the batches."""

    batches: int | None
    """Number of batches."""

    batch_requests: int | None
    """Requests of a batch."""

    autocorrelation: float | None
    """Lag-1 autocorrelation of the batches."""


class Utilisation(Figures):
    """Occupation of the measured window, up to the last completion.

    Operations and transfers that cross an end of the window count with the part in it, so that
    no share exceeds 100 %.
    """

    chip_pct: float | None
    """Share of time for which a chip has a die at work, in %, averaged over chips."""

    plane_pct: float | None
    """Share of time for which a plane's array works, in %, averaged over planes."""

    channel_pct: float | None
    """Share of time for which a path (channel, bus, link) is in use, in %, averaged over paths."""

    chip_pct_by_chip: list[float]
    """Share of time for which each chip has a die at work, in %, row by row."""


class WorkOverTime(Figures):
    """What the flash did in each interval."""

    reads: list[int]
    """Pages read, for whatever purpose."""

    programs: list[int]
    """Pages programmed, for whatever purpose."""

    host_programs: list[int]
    """Pages programmed for the host."""

    programmed_bytes: list[int]
    """Bytes of the pages programmed."""

    gc_moves: list[int]
    """Pages moved by garbage collection."""

    wear_moves: list[int]
    """Pages moved by static wear levelling."""

    erases: list[int]
    """Blocks erased."""

    free_blocks: list[int]
    """Free blocks of the drive at the interval's end."""


class WorkloadInfo(Figures):
    """Where the requests came from."""

    name: str
    """The trace's file name or the workload's name; of several flows, joined by ` + `."""

    synthetic: bool
    """Whether requests were made up rather than recorded."""

    loop: str
    """`open`, `closed`, or `mixed` when flows differ."""

    queue_depth: int | None
    """Requests kept outstanding, summed over closed-loop flows."""

    format: str | None
    """The format's name; nothing for requests that are made up."""

    format_note: str | None
    """The rule that chose the format, and readings of the file that could have been others."""

    out_of_order: int
    """Requests whose time stamp was earlier than one before them in the file."""

    moved_up: int
    """Those of them that came too late to be put in their place; they arrive with the latest one
    before.
    """

    skipped_bad: int
    """Rows that were not what the format says, and were passed over because that was allowed."""

    other_ops: int
    """Operations that are neither reads nor writes (trims, flushes, barriers), which were passed
    over.
    """

    trims: int
    """Trims among them (discard, unmap); the format has to distinguish them."""

    flushes: int
    """Flushes among them (cache flush, sync); the format has to distinguish them."""

    zero_size: int
    """Requests for no data, which were passed over."""

    garbled_times: int
    """Records with a time that cannot be, as blktrace now and then writes them, which were passed
    over.
    """

    devices: int
    """Devices of the trace that have requests; 0 for requests that are made up."""

    device_layout: str | None
    """Placement of the trace's devices on the drive: `side-by-side`, `overlay` or `single`;
    nothing where there is one device and none was chosen.
    """

    folded: int
    """Requests folded into the drive because they lay beyond its capacity."""
