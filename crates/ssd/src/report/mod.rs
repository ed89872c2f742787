//! What a run says when it is over. The JSON of these types is the interface; fields are added, not
//! changed. Names end in their units.

mod afterwards;
mod build;
mod causes;
mod chips;
mod declared;
mod demand;
mod distributions;
mod energy;
mod flash;
mod over_provisioning;
mod over_time;
mod parts;
mod places;
mod quantiles;
mod scheduler;
mod steadiness;
mod steady;
mod tenants;
mod until;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use venice_requests::{DeviceUse, FormatChoice, ReadCounters};

pub use afterwards::AfterwardsReport;
pub use build::Provenance;
pub use chips::{ChipQueueReport, ChipReport};
pub use declared::{Figure, Form, explain, figures, reference_page, schema};
pub use demand::DemandReport;
pub use distributions::{DistributionsReport, LatencyDistribution, QueueDistributions};
pub use energy::{AreaReport, PaperEnergyReport};
pub use parts::Parts;
pub use places::{PlaceReport, StopReport};
pub use steadiness::{RoundReport, SteadinessReport};
pub use steady::SteadyReport;
pub use tenants::{AloneReport, EvennessReport, FairnessReport};
pub use until::UntilReport;

/// Version of the report, raised when a figure changes its meaning.
///
/// 2: rates, counts and shares are of the measured window, which ends with the last completion, and `write_amplification` is bytes per
/// byte. In version 1 they included the drive's work after that, and `write_amplification` was today's `pages_per_written_page`.
pub const SCHEMA_VERSION: u32 = 2;

/// One run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Report {
    /// Version of this shape.
    #[schemars(extend("unit" = ""))]
    pub schema_version: u32,
    /// Version of Venice that made it.
    pub venice_version: &'static str,
    /// How the engine was built; not part of the result.
    pub build: BuildInfo,
    /// Name of the fabric.
    pub fabric: String,
    /// The resolved configuration.
    pub config: serde_json::Value,
    /// Seed of every random stream.
    #[schemars(extend("unit" = ""))]
    pub seed: u64,
    /// Bytes that a host can address, before anything fails.
    pub capacity_bytes: u64,
    /// Where the requests came from.
    pub workload: WorkloadInfo,
    /// Parts of the run, in order.
    pub phases: Vec<Phase>,
    /// Requests of the measured phase.
    pub requests: Requests,
    /// How they came and went.
    pub demand: DemandReport,
    /// Steadiness of the measured phase.
    pub steadiness: SteadinessReport,
    /// Criterion that chose the run's length; absent if there was none.
    pub until: Option<UntilReport>,
    /// True if the run ended because the simulator's clock does; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by_clock: Option<bool>,
    /// First issue to last completion, in microseconds: the measured window, to which rates, counts and shares refer.
    pub makespan_us: f64,
    /// Completed requests per second; absent when no time passed.
    pub iops: Option<f64>,
    /// Bytes read and written by the host per second, in 10^6.
    pub bandwidth_mb_per_s: Option<f64>,
    /// Issue by the host to completion, in microseconds.
    pub latency_us: LatencyTriple,
    /// Entry into the drive's queue to completion, in microseconds; without rings, fetch by the drive to completion.
    pub device_latency_us: LatencyTriple,
    /// Mean time of a request in each stage, in microseconds, by direction; adds up to its mean latency.
    pub breakdown_us: BTreeMap<&'static str, BTreeMap<&'static str, f64>>,
    /// Points of the latency distribution: (share of requests in %, latency in microseconds).
    #[schemars(extend("unit" = "%, µs"))]
    pub latency_cdf: Vec<(f64, f64)>,
    /// Host queues, by number; those that carried no request are left out.
    pub queues: Vec<QueueReport>,
    /// How evenly the queues were served; absent where one alone carried requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<FairnessReport>,
    /// What the flash did.
    pub flash: FlashReport,
    /// Bytes programmed to flash, in whole pages, divided by the bytes that the host wrote in the measured window; absent if the
    /// host wrote nothing, or if it is not settled (`steadiness.write_amplification_settled`).
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification: Option<f64>,
    /// Pages programmed divided by pages programmed for the host in the measured window; absent when there are none. It differs from
    /// `write_amplification` where the host writes parts of pages or the data cache joins its writes.
    #[schemars(extend("unit" = "pages/page"))]
    pub pages_per_written_page: Option<f64>,
    /// How operands came together for the host's gathers; absent when there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gather: Option<GatherReport>,
    /// Paths between controllers and chips.
    pub path: PathReport,
    /// Pages that the host read, by the place of their chip.
    pub page_reads: PageReads,
    /// Occupation.
    pub utilisation: Utilisation,
    /// Work of the drive from the last completion until it is idle, which no figure of the measured window includes.
    pub after_last_completion: AfterwardsReport,
    /// What waits for each chip, and what each chip does, row by row; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chips: Option<Vec<ChipReport>>,
    /// How busy each channel, bus or link was; absent unless whole distributions were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<PlaceReport>>,
    /// Mean time of a request in the stage `chip_wait` by cause, in microseconds, by direction; adds up to the stage. The chip's
    /// array, or the pins, work for another command of the host (`host_array`, `host_transfer`); the chip, or another command's data
    /// in its register, waits for a path (`path_held`); the drive's own work keeps the chip (`collection_reads`,
    /// `collection_programs`, `erases`, `wear_levelling`, `map_commands`), or a write waits for garbage collection to free a page
    /// (`no_free_page`). Absent unless causes were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip_wait_causes_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// Mean time of a request in the stage `cache` by cause, in microseconds, by direction; adds up to the stage. `memory` is the time
    /// of the cache's memory; the rest is waiting for room, with the causes that kept the cache's writes to flash from ending, as in
    /// `chip_wait_causes_us`. Absent unless causes were asked for, and when the drive has no cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_causes_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// Mean wait of a request behind the drive's own work, in microseconds, by direction and by work: the sum of
    /// `chip_wait_causes_us` and `cache_causes_us` for each cause that is not the host's. Absent unless causes were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip_wait_behind_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// The requests that took longest, the slowest first, and why; absent unless they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Vec<SlowRequest>>,
    /// What happened when, in intervals of one length; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_series: Option<TimeSeriesReport>,
    /// Whole distributions: of latencies, of requests outstanding, of erases; absent unless they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributions: Option<DistributionsReport>,
    /// Whether flows that end when they are steady (`ss` of fio's job files) were; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Vec<SteadyReport>>,
    /// Energy by component, in microjoules; `total` is their sum.
    pub energy_uj: BTreeMap<&'static str, f64>,
    /// First issue to the end of the drive's work, in microseconds. Energy is counted until then, past the measured window, so that it
    /// contains the whole work for the requests.
    pub energy_window_us: f64,
    /// That sum over that time, in milliwatts; absent when no time passed.
    pub mean_power_mw: Option<f64>,
    /// Groups of figures that declare themselves.
    #[serde(flatten)]
    pub parts: Parts,
    /// Look-ups in the page map.
    pub mapping: Mapping,
    /// What the data cache did; absent when the drive has none.
    pub cache: Option<CacheReport>,
    /// What the host's scheduler did; absent when there is none.
    pub scheduler: Option<SchedulerReport>,
    /// What failed, and what that cost; absent when nothing fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultReport>,
    /// What the audit looked at; absent when the run was not audited.
    pub audit: Option<AuditReport>,
    /// Wall time in seconds of building the drive, preconditioning included, and of the run; not part of the result.
    pub wall_s: f64,
    /// Events executed.
    #[schemars(extend("unit" = "events"))]
    pub events: u64,
}

/// How the engine was built.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BuildInfo {
    /// `release` or `debug`.
    pub profile: &'static str,
}

/// Where the requests came from.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WorkloadInfo {
    /// The trace's file name or the workload's name; of several flows, joined by ` + `.
    pub name: String,
    /// Whether requests were made up rather than recorded.
    pub synthetic: bool,
    /// `open`, `closed`, or `mixed` when flows differ.
    pub r#loop: &'static str,
    /// Requests kept outstanding, summed over closed-loop flows.
    #[schemars(extend("unit" = "requests"))]
    pub queue_depth: Option<u32>,
    /// The trace's format and how it was chosen.
    #[serde(flatten)]
    pub format_choice: FormatChoice,
    /// What reading the trace met.
    #[serde(flatten)]
    pub read: ReadCounters,
    /// The trace's devices and their placement.
    #[serde(flatten)]
    pub devices: DeviceUse,
    /// Requests folded into the drive because they lay beyond its capacity.
    #[schemars(extend("unit" = "requests"))]
    pub folded: u64,
}

/// A part of the run. All other figures are of the part that is measured.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Phase {
    /// `warmup` or `measure`.
    pub name: &'static str,
    /// When its first request was issued, in microseconds since the run's start.
    pub start_us: f64,
    /// When the next part began, or, of the last, when its last request was completed.
    pub end_us: f64,
    /// Requests issued in it; all of them were completed.
    #[schemars(extend("unit" = "requests"))]
    pub requests: u64,
}

/// Requests of the measured phase.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct Requests {
    /// Issued by the host.
    pub submitted: u64,
    /// Answered.
    pub completed: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Gathers of operands among them, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gathers: Option<u64>,
    /// Bytes of the reads that completed.
    #[schemars(extend("unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes of the writes that completed.
    #[schemars(extend("unit" = "bytes"))]
    pub written_bytes: u64,
}

/// Latencies of all requests, of reads and of writes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LatencyTriple {
    /// All requests together.
    pub all: LatencyReport,
    /// Reads.
    pub read: LatencyReport,
    /// Writes.
    pub write: LatencyReport,
    /// Gathers of operands, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gather: Option<LatencyReport>,
}

/// A latency distribution in figures; all but `count` are absent when there was no request.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LatencyReport {
    /// Requests.
    #[schemars(extend("unit" = "requests"))]
    pub count: u64,
    /// Exact mean.
    pub mean: Option<f64>,
    /// Median, within 0.1 %, as the other percentiles.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// Exact maximum.
    pub max: Option<f64>,
}

/// One host queue.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct QueueReport {
    /// Its number.
    #[schemars(extend("unit" = ""))]
    pub queue: usize,
    /// The name of its workload, flow, job or trace; no two queues have the same.
    pub name: String,
    /// As the report's field of this name.
    pub latency_us: LatencyTriple,
    /// As the report's field of this name.
    pub device_latency_us: LatencyTriple,
    /// The least latency of its requests, in microseconds.
    pub min_latency_us: Option<f64>,
    /// The least device latency of its requests, in microseconds.
    pub min_device_latency_us: Option<f64>,
    /// Bytes that its requests read.
    pub read_bytes: u64,
    /// Bytes that its requests wrote.
    pub written_bytes: u64,
    /// Requests completed per second, from its first issue to its last completion; absent when no time passed.
    pub iops: Option<f64>,
    /// Bytes read and written per second, in 10^6, over the same time.
    pub bandwidth_mb_per_s: Option<f64>,
    /// The same queue with the drive to itself; absent unless it was run alone, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<AloneReport>,
    /// As the report's field of this name.
    pub breakdown_us: BTreeMap<&'static str, BTreeMap<&'static str, f64>>,
    /// Pages that flash read, or programmed, for its requests, by operation; without those that only the data cache wrote.
    pub pages: BTreeMap<&'static str, PageTimes>,
}

/// Pages of one operation, and where their time went, on average.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct PageTimes {
    /// How many.
    #[schemars(extend("unit" = "pages"))]
    pub count: u64,
    /// From the request's coming to the page's end.
    pub turnaround_us: f64,
    /// Of that, in the array.
    pub array_us: f64,
    /// Of that, on the way over the fabric.
    pub transfer_us: f64,
}

/// Work of the flash. An operation counts when its command is sent.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
pub struct FlashReport {
    /// Pages read, for whatever purpose.
    pub reads: u64,
    /// Pages programmed, for whatever purpose.
    pub programs: u64,
    /// Blocks erased.
    #[schemars(extend("unit" = "blocks"))]
    pub erases: u64,
    /// Bytes of the pages read.
    #[schemars(extend("unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes of the pages programmed. A page counts whole, whatever part of it the host wrote.
    #[schemars(extend("unit" = "bytes"))]
    pub programmed_bytes: u64,
    /// Read commands to several planes at once.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_reads: u64,
    /// Program commands to several planes at once.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_programs: u64,
    /// Suspensions of an erase, of one or several planes at once.
    #[schemars(extend("unit" = "suspensions"))]
    pub suspended_erases: u64,
    /// Suspensions of a program, likewise.
    #[schemars(extend("unit" = "suspensions"))]
    pub suspended_programs: u64,
    /// Pages of moves that did not cross the fabric.
    pub copybacks: u64,
    /// Pages of the map read, for look-ups and for write-backs.
    pub mapping_reads: u64,
    /// Pages of the map programmed.
    pub mapping_programs: u64,
    /// Pages moved by garbage collection.
    pub gc_moves: u64,
    /// Pages moved by static wear levelling.
    pub wear_moves: u64,
    /// Of the pages moved by garbage collection, those that went to another plane, where they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_elsewhere: Option<u64>,
    /// Of these, those that went from chip to chip without a controller, where the fabric copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies_between_chips: Option<u64>,
    /// Erases of the block that was erased least often, warm-up included.
    #[schemars(extend("unit" = "erases"))]
    pub min_block_erases: u32,
    /// Erases of the block that was erased most often, warm-up included.
    #[schemars(extend("unit" = "erases"))]
    pub max_block_erases: u32,
    /// How far the erase counts of a plane's blocks lie apart, as a mean over the planes, warm-up included.
    #[schemars(extend("unit" = "erases"))]
    pub mean_plane_erase_span: f64,
    /// The most of them.
    #[schemars(extend("unit" = "erases"))]
    pub max_plane_erase_span: u32,
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages read because a partial write did not cover them.
    pub update_reads: u64,
    /// Collections of a block for want of free ones.
    #[schemars(extend("unit" = "blocks"))]
    pub gc_executions: u64,
    /// Collections of a block by static wear levelling.
    #[schemars(extend("unit" = "blocks"))]
    pub wear_executions: u64,
    /// Read commands, to one plane or several.
    #[schemars(extend("unit" = "commands"))]
    pub read_commands: u64,
    /// Program commands, likewise.
    #[schemars(extend("unit" = "commands"))]
    pub program_commands: u64,
    /// Erase commands, likewise.
    #[schemars(extend("unit" = "commands"))]
    pub erase_commands: u64,
    /// Erase commands to several planes at once.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_erases: u64,
    /// Write-backs of the map that were wanted, whether or not they are programmed.
    #[schemars(extend("unit" = "pages"))]
    pub mapping_write_backs: u64,
}

/// How operands came together.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "operands"))]
pub struct GatherReport {
    /// Results that were worked out: one for each page of a request.
    #[schemars(extend("unit" = "pages"))]
    pub gathers: u64,
    /// Operands that reached the chip of their result; the sum of the next three.
    pub operands: u64,
    /// Of these, those that lay on that chip.
    pub in_place: u64,
    /// Those that came from another chip without a controller.
    pub copied_between_chips: u64,
    /// Those that came from another chip by a controller.
    pub by_controller: u64,
    /// Bytes of operands that went from chip to chip.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_between_chips: u64,
    /// Bytes of operands that went out to a controller and in again, counted once.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_by_controller: u64,
}

/// Mean time from a page's look-up to its arrival at a controller, in microseconds, of what the host read from flash; of
/// a place that nothing was read from there is none.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PageReads {
    /// By row of the array.
    pub by_row_us: Vec<Option<f64>>,
    /// By column of the array.
    pub by_column_us: Vec<Option<f64>>,
}

/// Paths between controllers and chips.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PathReport {
    /// Data rate of a path (a channel, a link of a ring, or a link between routers), in 10^6 bytes per second; absent if it is
    /// unlimited.
    pub rate_mb_per_s: Option<f64>,
    /// Transfers: commands and data.
    #[schemars(extend("unit" = "transfers"))]
    pub transfers: u64,
    /// Share of transfers that found no path at their first attempt, in %.
    pub conflict_pct: Option<f64>,
    /// Share of requests with such a transfer, in %.
    pub requests_conflict_pct: Option<f64>,
    /// Links crossed by a transfer, on average.
    #[schemars(extend("unit" = "links"))]
    pub mean_hops: Option<f64>,
    /// Transfers by the number of links that they crossed, none first.
    #[schemars(extend("unit" = "transfers"))]
    pub hop_counts: Vec<u64>,
    /// Scouts that came back without a path.
    #[schemars(extend("unit" = "scouts"))]
    pub scout_retries: u64,
    /// Links by which reserved paths exceeded the shortest ones, on average per transfer.
    #[schemars(extend("unit" = "links"))]
    pub mean_detour_hops: Option<f64>,
}

/// Occupation of the measured window, up to the last completion. Operations and transfers that cross an end of the window count
/// with the part in it, so that no share exceeds 100 %.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Utilisation {
    /// Share of time for which a chip has a die at work, in %, averaged over chips.
    pub chip_pct: Option<f64>,
    /// Share of time for which a plane's array works, in %, averaged over planes.
    pub plane_pct: Option<f64>,
    /// Share of time for which a path (channel, bus, link) is in use, in %, averaged over paths.
    pub channel_pct: Option<f64>,
    /// Share of time for which each chip has a die at work, in %, row by row.
    pub chip_pct_by_chip: Vec<f64>,
}

/// A request, and where its time went.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SlowRequest {
    /// Its number in order of issue, from zero.
    #[schemars(extend("unit" = ""))]
    pub number: u64,
    /// Its host queue.
    #[schemars(extend("unit" = ""))]
    pub queue: u16,
    /// `read`, `write` or `gather`.
    pub operation: &'static str,
    /// Its first sector, of 512 bytes.
    #[schemars(extend("unit" = ""))]
    pub start_sector: u64,
    /// Its length.
    pub size_bytes: u64,
    /// When the host issued it, in microseconds since the run's start.
    pub arrival_us: f64,
    /// Issue by the host to completion, in microseconds.
    pub latency_us: f64,
    /// Time in each stage, in microseconds; adds up to the latency. Of several pages, that of the one that ended last.
    pub stages_us: BTreeMap<&'static str, f64>,
    /// Its wait for a chip, or for room in the cache, by cause, as `chip_wait_causes_us` and `cache_causes_us`.
    pub causes_us: BTreeMap<&'static str, f64>,
    /// The part of that behind the drive's own work.
    pub chip_wait_behind_us: BTreeMap<&'static str, f64>,
    /// The chip of that page, row by row; absent if flash had no part in it.
    #[schemars(extend("unit" = ""))]
    pub chip: Option<u32>,
    /// The largest part of the latency: a stage, or a cause of the wait for a chip or for room in the cache.
    pub owes_most_to: &'static str,
}

/// The measured phase in intervals of one length, up to the end of all that was begun; every list has a place for each.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TimeSeriesReport {
    /// How long an interval is; the last one may be shorter.
    pub interval_us: f64,
    /// How often intervals were joined in pairs, each time doubling their length, so that they are not too many.
    #[schemars(extend("unit" = "times"))]
    pub joined: u32,
    /// When each begins, in microseconds since the run's start.
    pub start_us: Vec<f64>,
    /// When the last one ends.
    pub end_us: f64,
    /// Requests issued.
    #[schemars(extend("unit" = "requests"))]
    pub issued: Vec<u64>,
    /// Requests completed per second.
    pub iops: Vec<Option<f64>>,
    /// Reads that completed, gathers included.
    pub read: CompletedOverTime,
    /// Writes that completed.
    pub write: CompletedOverTime,
    /// Requests outstanding, on average.
    #[schemars(extend("unit" = "requests"))]
    pub queue_depth: Vec<Option<f64>>,
    /// Share of time for which a chip had a die at work, in %, averaged over chips.
    pub chip_pct: Vec<Option<f64>>,
    /// Share of time for which a plane's array worked, in %, averaged over planes.
    pub plane_pct: Vec<Option<f64>>,
    /// Share of time for which a path was in use, in %, averaged over paths.
    pub channel_pct: Vec<Option<f64>>,
    /// What the flash did.
    pub flash: WorkOverTime,
    /// Bytes programmed divided by the bytes of the writes that completed; absent where none did.
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification: Vec<Option<f64>>,
    /// Pages programmed divided by pages programmed for the host; absent where there are none.
    #[schemars(extend("unit" = "pages/page"))]
    pub pages_per_written_page: Vec<Option<f64>>,
}

/// Requests of one direction by the interval in which they completed; latencies, as the report's, are from issue by the host.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct CompletedOverTime {
    /// How many.
    #[schemars(extend("unit" = "requests"))]
    pub count: Vec<u64>,
    /// Their bytes.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: Vec<u64>,
    /// Their bytes per second, in 10^6.
    #[schemars(extend("unit" = "10^6 bytes/s"))]
    pub mb_per_s: Vec<Option<f64>>,
    /// Exact mean latency; absent, as the others, where none completed.
    pub mean_us: Vec<Option<f64>>,
    /// Median latency, within 0.1 %, as the other percentiles.
    pub p50_us: Vec<Option<f64>>,
    /// 99th percentile.
    pub p99_us: Vec<Option<f64>>,
    /// 99.9th percentile.
    pub p999_us: Vec<Option<f64>>,
    /// Exact maximum.
    pub max_us: Vec<Option<f64>>,
    /// Exact mean of the wait for a chip behind the drive's own work: collection, wear levelling, the map.
    pub behind_us: Vec<Option<f64>>,
}

/// What the flash did in each interval.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
pub struct WorkOverTime {
    /// Pages read, for whatever purpose.
    pub reads: Vec<u64>,
    /// Pages programmed, for whatever purpose.
    pub programs: Vec<u64>,
    /// Pages programmed for the host.
    pub host_programs: Vec<u64>,
    /// Bytes of the pages programmed.
    #[schemars(extend("unit" = "bytes"))]
    pub programmed_bytes: Vec<u64>,
    /// Pages moved by garbage collection.
    pub gc_moves: Vec<u64>,
    /// Pages moved by static wear levelling.
    pub wear_moves: Vec<u64>,
    /// Blocks erased.
    #[schemars(extend("unit" = "blocks"))]
    pub erases: Vec<u64>,
    /// Free blocks of the drive at the interval's end.
    #[schemars(extend("unit" = "blocks"))]
    pub free_blocks: Vec<u64>,
}

/// Look-ups in the page map.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "look-ups"))]
pub struct Mapping {
    /// Answered from memory.
    pub hits: u64,
    /// Not answered from the cached table.
    pub misses: u64,
    /// Of the hits, those for reads of the host.
    pub read_hits: u64,
    /// Of the misses, those for reads of the host.
    pub read_misses: u64,
    /// The same for each address range, where part of the map is on flash and there are several ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<RangeLookUps>,
}

/// Look-ups in one address range.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "look-ups"))]
pub struct RangeLookUps {
    /// Answered from memory.
    pub hits: u64,
    /// Not answered from the cached table.
    pub misses: u64,
}

/// What the data cache did.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct CacheReport {
    /// Sectors that reads found.
    #[schemars(extend("unit" = "sectors"))]
    pub read_hit_sectors: u64,
    /// Sectors that reads had to get from flash.
    #[schemars(extend("unit" = "sectors"))]
    pub read_miss_sectors: u64,
    /// Writes of a page, or of part of one, that it took.
    #[schemars(extend("unit" = "pages"))]
    pub writes: u64,
    /// Of these, those to a page that it had.
    #[schemars(extend("unit" = "pages"))]
    pub write_hits: u64,
    /// Requests that waited because too much was on its way to flash.
    #[schemars(extend("unit" = "requests"))]
    pub writes_held_up: u64,
    /// Pages that lost their room to others.
    #[schemars(extend("unit" = "pages"))]
    pub evictions: u64,
    /// Pages that it wrote to flash.
    #[schemars(extend("unit" = "pages"))]
    pub destages: u64,
}

/// What the host's scheduler did, and the conflicts that it met: requests that touch a unit which another one in the I/O
/// queue or in the drive touches (Gao et al., PIQ, TCAD 2017, §II).
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SchedulerReport {
    /// Its scheme.
    pub scheme: String,
    /// Share of reads that met a read or a write, in %.
    pub conflicted_reads_pct: Option<f64>,
    /// Share of writes that met a read or a write, in %.
    pub conflicted_writes_pct: Option<f64>,
    /// Reads that met a read.
    #[schemars(extend("unit" = "requests"))]
    pub read_read_conflicts: u64,
    /// Writes that met a write.
    #[schemars(extend("unit" = "requests"))]
    pub write_write_conflicts: u64,
    /// Reads that met a write, and writes that met a read.
    #[schemars(extend("unit" = "requests"))]
    pub read_write_conflicts: u64,
    /// Share of requests that met one of the same kind or of the other, in %, by `read_read`, `write_write`,
    /// `read_write` and `write_read`: the first word is the request, and the share is of its kind.
    pub conflicts_pct: BTreeMap<&'static str, Option<f64>>,
    /// Batches of reads.
    #[schemars(extend("unit" = "batches"))]
    pub read_batches: u64,
    /// Batches of writes.
    #[schemars(extend("unit" = "batches"))]
    pub write_batches: u64,
    /// Of these, those that went before reads because of their age.
    #[schemars(extend("unit" = "batches"))]
    pub prioritised_write_batches: u64,
    /// Their share of batches of writes, in %.
    pub prioritised_write_batches_pct: Option<f64>,
    /// Reads that went before a write that had entered the queue earlier.
    #[schemars(extend("unit" = "requests"))]
    pub prioritised_reads: u64,
    /// Their share of reads, in %.
    pub prioritised_reads_pct: Option<f64>,
    /// Requests in a batch, by direction; absent where the scheme has no such batches.
    pub batch_sizes: BTreeMap<&'static str, BatchSizes>,
    /// Comparisons of a request's units with a batch's.
    #[schemars(extend("unit" = "comparisons"))]
    pub vector_tests: u64,
    /// Bytes that location vectors and time stamps of a full queue would take, as the paper counts them.
    pub memory_bytes: u64,
    /// From issue to hand-over to the drive, in microseconds, by direction.
    pub waiting_us: BTreeMap<&'static str, LatencyReport>,
    /// From hand-over to completion, in microseconds, by direction.
    pub processing_us: BTreeMap<&'static str, LatencyReport>,
    /// Points of the distribution of waiting, by direction: (share of requests in %, time in microseconds).
    #[schemars(extend("unit" = "%, µs"))]
    pub waiting_cdf: BTreeMap<&'static str, Vec<(f64, f64)>>,
    /// Points of the distribution of the whole latency, likewise.
    #[schemars(extend("unit" = "%, µs"))]
    pub latency_cdf: BTreeMap<&'static str, Vec<(f64, f64)>>,
    /// Time for which requests waited or were served, in microseconds.
    pub busy_us: f64,
    /// As the utilisation of chips, but of that time alone.
    pub chip_while_busy_pct: Option<f64>,
    /// As the utilisation of planes, but of that time alone.
    pub plane_while_busy_pct: Option<f64>,
    /// Advanced commands: those to several planes, those beside another die's, those that copy inside the chip.
    pub advanced_commands: AdvancedCommands,
    /// By flow, what waiting in the host and in the drive's queue does to it.
    pub flows: Vec<FlowSlowdown>,
    /// Jain's index of the flows' slowdowns: 1 where all suffer alike, down to one over their number; absent when there is none.
    #[schemars(extend("unit" = ""))]
    pub jain_index: Option<f64>,
    /// How long the queue was, and how many chips worked, over the run.
    pub history: History,
    /// Whether the requests came faster than the drive served them.
    pub backlog: Backlog,
}

/// Sizes of complete batches.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct BatchSizes {
    /// How many batches.
    #[schemars(extend("unit" = "batches"))]
    pub count: u64,
    /// Mean number of requests in one.
    pub mean: f64,
    /// Most requests in one.
    pub max: u64,
    /// Number of batches by number of requests.
    #[schemars(extend("unit" = "batches"))]
    pub histogram: BTreeMap<u64, u64>,
}

/// What its share of the drive does to a flow.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct FlowSlowdown {
    /// The host queue.
    #[schemars(extend("unit" = ""))]
    pub queue: usize,
    /// Its requests.
    #[schemars(extend("unit" = "requests"))]
    pub requests: u64,
    /// Mean latency over the mean of its part from entry into the drive to completion: 1 where nothing waits in the host.
    #[schemars(extend("unit" = ""))]
    pub slowdown: f64,
}

/// Means over intervals of the measured phase.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct History {
    /// When it begins, in microseconds since the run's start.
    pub start_us: f64,
    /// How long an interval is; the last one may be shorter.
    pub interval_us: f64,
    /// Requests that waited in the host.
    #[schemars(extend("unit" = "requests"))]
    pub waiting: Vec<f64>,
    /// Requests in the drive.
    #[schemars(extend("unit" = "requests"))]
    pub in_drive: Vec<f64>,
    /// Chips with a die at work, in %.
    pub chip_pct: Vec<f64>,
}

/// Whether a run is long enough to speak of a mean: where the queue only grows, means say how long the run was.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct Backlog {
    /// Requests outstanding on average in the first half of the time in which requests came.
    pub first_half: f64,
    /// In the second half.
    pub second_half: f64,
    /// Time that the drive went on after the last request had come, as a share of the measured phase, in %.
    pub drain_pct: f64,
    /// Whether the queue was longer in the second half by half, and took more than 5 % of the phase to empty: past saturation.
    pub grows: bool,
}

/// How often the drive used more of a chip than a plane at a time.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "commands"))]
pub struct AdvancedCommands {
    /// Reads of several planes at once.
    pub multiplane_reads: u64,
    /// Programs of several planes at once.
    pub multiplane_programs: u64,
    /// Operations that began while another die of the chip was at work.
    pub interleaved: u64,
    /// Moves inside a plane.
    pub copybacks: u64,
}

/// What failed, and what that cost. Counts are of the whole run but for the requests, which are those of the measured phase.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FaultReport {
    /// When it failed, in microseconds from the start.
    pub failed_at_us: f64,
    /// When controllers knew.
    pub known_at_us: f64,
    /// Row and column of each chip that no controller reaches.
    #[schemars(extend("unit" = "row, column"))]
    pub chips_lost: Vec<(u32, u32)>,
    /// Bytes of the pages of chips that are left.
    pub raw_capacity_bytes: u64,
    /// Bytes of the pages of those that are lost.
    pub raw_capacity_lost_bytes: u64,
    /// Bytes that the host can address; what is lost in the run stays addressable, and has to find room elsewhere.
    pub host_capacity_bytes: u64,
    /// Pages of the host whose data were lost in the run.
    #[schemars(extend("unit" = "pages"))]
    pub pages_lost: u64,
    /// Reads of a page that ended with an error.
    #[schemars(extend("unit" = "pages"))]
    pub page_reads_failed: u64,
    /// Programs of a page that did: the page had been given out on a chip that was lost before it was sent.
    #[schemars(extend("unit" = "pages"))]
    pub page_programs_failed: u64,
    /// Writes of a page that found no room on what is left.
    #[schemars(extend("unit" = "pages"))]
    pub writes_without_room: u64,
    /// Writes that waited for a chip that was lost and went elsewhere.
    #[schemars(extend("unit" = "pages"))]
    pub writes_sent_elsewhere: u64,
    /// Requests of the host that ended with an error; they have no part in latencies and throughput.
    #[schemars(extend("unit" = "requests"))]
    pub requests_failed: u64,
}

/// What the audit looked at. A run with a violation has no report but an error.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct AuditReport {
    /// Page reads whose contents were compared with the shadow.
    #[schemars(extend("unit" = "pages"))]
    pub reads_checked: u64,
}
