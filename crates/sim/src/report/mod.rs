//! Report of a run. The JSON form of these types is a stable interface: fields are added, but not changed.
//! Names of fields end with the units of their values.

mod bad_blocks;
mod build;
mod causes;
mod chips;
mod controller;
mod declarations;
mod demand;
mod distributions;
mod drain;
mod ecc;
mod energy;
mod flash;
mod flow_steady_state;
mod over_provisioning;
mod parity;
mod parts;
mod path_utilisation;
mod power_loss;
mod protection;
mod quantiles;
mod scheduler;
mod search;
mod slc_cache;
mod steady_state;
mod stop_criterion;
mod tenants;
mod time_series;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use venice_requests::{DeviceUse, FormatChoice, ReadCounters};

pub use bad_blocks::{BadBlockReport, GrownBadBlockReport};
pub use build::Provenance;
pub use chips::{ChipQueueReport, ChipReport};
pub use controller::ControllerReport;
pub use declarations::{Figure, Form, explain, figures, reference_page, schema};
pub use demand::DemandReport;
pub use distributions::{DistributionsReport, LatencyDistribution, QueueDistributions};
pub use drain::DrainReport;
pub use ecc::EccReport;
pub(crate) use energy::activity;
pub use energy::{AreaReport, PaperEnergyReport};
pub use flow_steady_state::FlowSteadyStateReport;
pub use parity::ParityReport;
pub use parts::Parts;
pub use path_utilisation::{PathStopReport, PathUtilisationReport};
pub use power_loss::PowerLossReport;
pub(crate) use power_loss::power_loss_reports;
pub use protection::ProtectionReport;
pub use search::SearchReport;
pub use slc_cache::SlcCacheReport;
pub use steady_state::{RoundReport, SteadyStateReport};
pub use stop_criterion::StopCriterionReport;
pub use tenants::{AloneReport, EvennessReport, FairnessReport};

/// Version of the report, increased when the meaning of a figure changes.
///
/// In version 2, rates, counts and shares are those of the measured window, which ends with the last
/// completion. `write_amplification` is in bytes per byte. In version 1, rates, counts and shares included
/// the operations after the last completion, and `write_amplification` had the meaning of
/// `pages_per_written_page`.
pub const SCHEMA_VERSION: u32 = 2;

/// Report of one run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Report {
    /// Version of the report format.
    #[schemars(extend("unit" = ""))]
    pub schema_version: u32,
    /// Version of Venice that produced the report.
    pub venice_version: &'static str,
    /// Build of the engine. It has no influence on results.
    pub build: BuildInfo,
    /// Name of the fabric.
    pub fabric: String,
    /// Resolved configuration.
    pub config: serde_json::Value,
    /// Seed of every random stream.
    #[schemars(extend("unit" = ""))]
    pub seed: u64,
    /// Capacity for the host in bytes, before any failure.
    pub capacity_bytes: u64,
    /// Source of the requests.
    pub workload: WorkloadInfo,
    /// Phases of the run, in order.
    pub phases: Vec<PhaseReport>,
    /// Requests of the measured phase.
    pub requests: Requests,
    /// Arrivals and completions over time.
    pub demand: DemandReport,
    /// Steady-state verdict of the measured phase.
    pub steadiness: SteadyStateReport,
    /// Criterion that determined the length of the run; absent if there was none.
    pub until: Option<StopCriterionReport>,
    /// True if the run ended at the limit of the simulator's clock; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by_clock: Option<bool>,
    /// Time from the first issue to the last completion, in microseconds. This is the measured window, for
    /// which rates, counts and shares are computed.
    pub makespan_us: f64,
    /// Completed requests per second; absent if no time passed.
    pub iops: Option<f64>,
    /// Data read and written by the host, in 10^6 bytes per second.
    pub bandwidth_mb_per_s: Option<f64>,
    /// Latency from issue by the host to completion, in microseconds.
    pub latency_us: LatencyTriple,
    /// Latency from entry into the drive's queue to completion, in microseconds. Without queue rings, it
    /// starts when the drive fetches the command.
    pub device_latency_us: LatencyTriple,
    /// Mean time of a request in each latency stage, in microseconds, by operation. The stages add up to the
    /// mean latency. `firmware` and `decoding` are absent if their time is zero.
    pub breakdown_us: BTreeMap<&'static str, BTreeMap<&'static str, f64>>,
    /// Points of the latency distribution, each as share of requests in % and latency in microseconds.
    #[schemars(extend("unit" = "%, µs"))]
    pub latency_cdf: Vec<(f64, f64)>,
    /// Results of each host queue, by queue number; queues without requests are left out.
    pub queues: Vec<QueueReport>,
    /// Fairness among queues; absent if only one had requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<FairnessReport>,
    /// Operations of the flash array.
    pub flash: FlashReport,
    /// Bytes programmed to flash, in whole pages, divided by the bytes that the host wrote in the measured
    /// window. Absent without writes, or if write amplification is not settled
    /// (`steadiness.write_amplification_settled`). Pages programmed for Write Zeroes commands count, but
    /// their bytes do not count as written by the host, since no data crosses the link.
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification: Option<f64>,
    /// Mapping units that fit into the programmed pages, divided by the mapping units programmed for the host
    /// in the measured window; absent if there are none. By default, a mapping unit is a page. The figure
    /// differs from `write_amplification` if the host writes parts of mapping units or the data cache merges
    /// writes.
    #[schemars(extend("unit" = "units/unit"))]
    pub pages_per_written_page: Option<f64>,
    /// Operands of the host's gathers; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gather: Option<GatherReport>,
    /// Searches of the host; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchReport>,
    /// Deallocation by trims; absent if there were no trims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deallocation: Option<DeallocationReport>,
    /// Cores of the controller; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerReport>,
    /// Read errors and decoders of the controller; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecc: Option<EccReport>,
    /// pSLC cache; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc_cache: Option<SlcCacheReport>,
    /// Bad blocks of the drive, and its parity across dies.
    #[serde(flatten)]
    pub protection: ProtectionReport,
    /// Effects of the examined losses of power; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_losses: Option<Vec<PowerLossReport>>,
    /// Figures of the paths between controllers and chips.
    pub path: PathReport,
    /// Mean times of pages read by the host, by the position of their chip.
    pub page_reads: PageReads,
    /// Utilisation of chips, planes and paths.
    pub utilisation: Utilisation,
    /// Operations of the drive from the last completion until it is idle. They are not included in figures of
    /// the measured window.
    pub after_last_completion: DrainReport,
    /// Queues and activity of each chip, in the order of rows and columns; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chips: Option<Vec<ChipReport>>,
    /// Utilisation of each channel, bus or link; absent unless complete distributions were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<PathUtilisationReport>>,
    /// Mean time of a request in the stage `chip_wait` by cause, in microseconds, by operation. The causes
    /// add up to the stage. `host_array`, `host_transfer`: another host command uses the chip's array or
    /// pins. `path_held`: a command for the chip, or data of another command in its register, waits for a
    /// path. `collection_reads`, `collection_programs`, `erases`, `wear_levelling`, `map_commands`: the chip
    /// executes garbage collection, wear levelling, or reads and writes of translation pages. `no_free_page`:
    /// a write waits until garbage collection has freed a page. Absent unless causes were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip_wait_causes_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// Mean time of a request in the stage `cache` by cause, in microseconds, by operation. The causes add up
    /// to the stage. `memory` is the access time of the cache's memory. The rest is the wait for space in the
    /// cache, divided by the causes that delayed destages, as in `chip_wait_causes_us`. Absent unless causes
    /// were requested, and without a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_causes_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// Mean wait of a request caused by internal operations of the drive (garbage collection, wear levelling,
    /// mapping), in microseconds, by operation and by cause. It is the sum of `chip_wait_causes_us` and
    /// `cache_causes_us` over these causes. Absent unless causes were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip_wait_behind_us: Option<BTreeMap<&'static str, BTreeMap<&'static str, f64>>>,
    /// Slowest requests with their causes, the slowest first; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Vec<SlowRequest>>,
    /// Time series in intervals of equal length; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_series: Option<TimeSeriesReport>,
    /// Complete distributions of latencies, outstanding requests and erases; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributions: Option<DistributionsReport>,
    /// Results of flows that end in steady state (option `ss` of fio job files); absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Vec<FlowSteadyStateReport>>,
    /// Energy by component, in microjoules; `total` is their sum.
    pub energy_uj: BTreeMap<&'static str, f64>,
    /// Time from the first issue to the end of all operations of the drive, in microseconds. Energy is
    /// counted until then, beyond the measured window, to include all operations that the requests cause.
    pub energy_window_us: f64,
    /// Total energy divided by `energy_window_us`, in milliwatts; absent if no time passed.
    pub mean_power_mw: Option<f64>,
    /// Groups of figures that are declared in their own modules.
    #[serde(flatten)]
    pub parts: Parts,
    /// Look-ups in the page mapping.
    pub mapping: MappingReport,
    /// Counters of the data cache; absent if the drive has none.
    pub cache: Option<CacheReport>,
    /// Results of the host scheduler; absent if there is none.
    pub scheduler: Option<SchedulerReport>,
    /// Failed parts of the fabric, and the consequences of the failure; absent if nothing fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultReport>,
    /// Checks of the audit; absent if the run was not audited.
    pub audit: Option<AuditReport>,
    /// Wall-clock time for building the drive, including preconditioning, and for the run, in seconds. It is
    /// not a result of the simulation.
    pub wall_s: f64,
    /// Number of events executed. Skipped repetitions of failing scouts are not executed.
    #[schemars(extend("unit" = "events"))]
    pub events: u64,
}

/// Build of the engine.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BuildInfo {
    /// Profile with which the engine was compiled: `release` or `debug`.
    pub profile: &'static str,
    /// Name and version of the crate with user-defined policies whose engine executed the run; absent for the
    /// built-in engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policies: Option<&'static str>,
}

impl BuildInfo {
    /// Returns the build of the engine with the built-in policies.
    const fn built_in() -> Self {
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        Self { profile, policies: None }
    }
}

/// Source of the requests.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WorkloadInfo {
    /// File name of the trace or name of the workload. The names of several flows are joined by ` + `.
    pub name: String,
    /// True if the requests were generated, false if they were recorded.
    pub synthetic: bool,
    /// Kind of loop: `open`, `closed`, or `mixed` if flows differ.
    pub r#loop: &'static str,
    /// Number of outstanding requests, summed over closed-loop flows.
    #[schemars(extend("unit" = "requests"))]
    pub queue_depth: Option<u32>,
    /// Format of the trace and how it was chosen.
    #[serde(flatten)]
    pub format_choice: FormatChoice,
    /// Counters of reading the trace.
    #[serde(flatten)]
    pub read: ReadCounters,
    /// Devices of the trace and their placement.
    #[serde(flatten)]
    pub devices: DeviceUse,
    /// Number of requests beyond the drive's capacity, which were served at their address modulo the
    /// capacity.
    #[schemars(extend("unit" = "requests"))]
    pub folded: u64,
}

/// Phase of the run. All figures of the report outside the list of phases are figures of the measured phase.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename = "Phase")]
pub struct PhaseReport {
    /// Name of the phase: `warmup` or `measure`.
    pub name: &'static str,
    /// Time of the phase's first issue, in microseconds since the start of the run.
    pub start_us: f64,
    /// Start of the next phase, in microseconds since the start of the run. For the last phase, this is its
    /// last completion.
    pub end_us: f64,
    /// Number of requests issued in the phase. All of them completed.
    #[schemars(extend("unit" = "requests"))]
    pub requests: u64,
}

/// Requests of the measured phase.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct Requests {
    /// Number of requests issued by the host: `completed` and `failed` together.
    pub submitted: u64,
    /// Number of requests completed without an error.
    pub completed: u64,
    /// Number of requests that ended with an error of any kind, if there are any. Latencies, rates and the numbers
    /// below do not include them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Number of completed reads.
    pub reads: u64,
    /// Number of completed writes.
    pub writes: u64,
    /// Number of completed gathers, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gathers: Option<u64>,
    /// Number of completed searches, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<u64>,
    /// Number of completed trims, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trims: Option<u64>,
    /// Number of completed flushes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
    /// Number of completed writes with forced unit access, if there are any. They are also counted in
    /// `writes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fua_writes: Option<u64>,
    /// Number of completed Write Zeroes commands, if there are any. They are not counted in `writes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero_writes: Option<u64>,
    /// Bytes of completed reads.
    #[schemars(extend("unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes of completed writes.
    #[schemars(extend("unit" = "bytes"))]
    pub written_bytes: u64,
}

/// Latencies of all requests, of reads and of writes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LatencyTriple {
    /// Latencies of all requests.
    pub all: LatencyReport,
    /// Latencies of reads.
    pub read: LatencyReport,
    /// Latencies of writes.
    pub write: LatencyReport,
    /// Latencies of gathers; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gather: Option<LatencyReport>,
    /// Latencies of searches; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<LatencyReport>,
    /// Latencies of trims; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trim: Option<LatencyReport>,
    /// Latencies of flushes; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<LatencyReport>,
    /// Latencies of Write Zeroes commands; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_zeroes: Option<LatencyReport>,
    /// Latencies of writes with forced unit access, which also count in `write`; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_fua: Option<LatencyReport>,
}

/// Summary of a latency distribution. All figures except `count` are absent without requests.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LatencyReport {
    /// Number of requests.
    #[schemars(extend("unit" = "requests"))]
    pub count: u64,
    /// Exact mean latency.
    pub mean: Option<f64>,
    /// Median latency, accurate to 0.1 % like all percentiles.
    pub p50: Option<f64>,
    /// 90th percentile of the latency.
    pub p90: Option<f64>,
    /// 99th percentile of the latency.
    pub p99: Option<f64>,
    /// 99.9th percentile of the latency.
    pub p999: Option<f64>,
    /// Exact maximum latency.
    pub max: Option<f64>,
}

/// Figures of one host queue.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct QueueReport {
    /// Number of the queue.
    #[schemars(extend("unit" = ""))]
    pub queue: usize,
    /// Unique name of the queue's workload, flow, job or trace.
    pub name: String,
    /// Latencies of the queue's requests, as in the report's figure `latency_us`.
    pub latency_us: LatencyTriple,
    /// Device latencies of the queue's requests, as in the report's figure `device_latency_us`.
    pub device_latency_us: LatencyTriple,
    /// Minimum latency of the queue's requests, in microseconds.
    pub min_latency_us: Option<f64>,
    /// Minimum device latency of the queue's requests, in microseconds.
    pub min_device_latency_us: Option<f64>,
    /// Bytes read by the queue's requests.
    pub read_bytes: u64,
    /// Bytes written by the queue's requests.
    pub written_bytes: u64,
    /// Requests completed per second, between the queue's first issue and its last completion; absent if no
    /// time passed.
    pub iops: Option<f64>,
    /// Data read and written between the queue's first issue and its last completion, in 10^6 bytes per
    /// second.
    pub bandwidth_mb_per_s: Option<f64>,
    /// Figures of the queue in a run in which it had the drive alone; absent without such a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<AloneReport>,
    /// Stage times of the queue's requests, as in the report's figure `breakdown_us`.
    pub breakdown_us: BTreeMap<&'static str, BTreeMap<&'static str, f64>>,
    /// Flash pages read or programmed for the queue's requests, by operation. Pages served only by the data
    /// cache are left out.
    pub pages: BTreeMap<&'static str, PageTimes>,
}

/// Mean times of the pages of one operation.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct PageTimes {
    /// Number of pages.
    #[schemars(extend("unit" = "pages"))]
    pub count: u64,
    /// Mean time from the creation of the page's transaction to its end.
    pub turnaround_us: f64,
    /// Mean time of the page's array operations.
    pub array_us: f64,
    /// Mean time of the page's transfers over the fabric.
    pub transfer_us: f64,
}

/// Operations of the flash array, counted when their commands are sent.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
pub struct FlashReport {
    /// Number of pages read for any purpose.
    pub reads: u64,
    /// Number of pages programmed for any purpose.
    pub programs: u64,
    /// Number of blocks erased.
    #[schemars(extend("unit" = "blocks"))]
    pub erases: u64,
    /// Bytes of the pages that were read.
    #[schemars(extend("unit" = "bytes"))]
    pub read_bytes: u64,
    /// Bytes of the pages that were programmed. A page counts as a whole, even if the host wrote only a part
    /// of it.
    #[schemars(extend("unit" = "bytes"))]
    pub programmed_bytes: u64,
    /// Number of multi-plane read commands.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_reads: u64,
    /// Number of multi-plane program commands.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_programs: u64,
    /// Number of suspensions of erase commands. A multi-plane command counts once.
    #[schemars(extend("unit" = "suspensions"))]
    pub suspended_erases: u64,
    /// Number of suspensions of program commands. A multi-plane command counts once.
    #[schemars(extend("unit" = "suspensions"))]
    pub suspended_programs: u64,
    /// Number of pages relocated by copyback, without crossing the fabric.
    pub copybacks: u64,
    /// Number of translation pages read, for look-ups and write-backs.
    pub mapping_reads: u64,
    /// Number of translation pages programmed.
    pub mapping_programs: u64,
    /// Number of mapping units moved by garbage collection. By default, a mapping unit is a page.
    #[schemars(extend("unit" = "units"))]
    pub gc_moves: u64,
    /// Number of mapping units moved by static wear levelling.
    #[schemars(extend("unit" = "units"))]
    pub wear_moves: u64,
    /// Number of pages that garbage collection moved to another plane, if enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_elsewhere: Option<u64>,
    /// Number of mapping units that garbage collection moved in idle time; absent if `ftl.gc_idle_free_blocks_pct`
    /// is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub idle_moves: Option<u64>,
    /// Number of mapping units moved by read reclaim; absent if `ftl.read_reclaim_reads` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub reclaim_moves: Option<u64>,
    /// Number of mapping units moved by refresh; absent without refresh (`ftl.refresh_age_days`, `ftl.refresh_errors_pct`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub refresh_moves: Option<u64>,
    /// Number of pages read by scrub, which are included in `reads`; absent if `ftl.scrub_pages_per_s` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub scrub_reads: Option<u64>,
    /// Number of programmed pages with parity, which are included in `programs`; absent if the drive has no
    /// parity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub parity_programs: Option<u64>,
    /// Number of mapping units that folding moved from the pSLC cache; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub fold_moves: Option<u64>,
    /// Number of pages copied from chip to chip without a controller, if the fabric supports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies_between_chips: Option<u64>,
    /// Number of erases of the least erased block, including warm-up.
    #[schemars(extend("unit" = "erases"))]
    pub min_block_erases: u32,
    /// Number of erases of the most erased block, including warm-up.
    #[schemars(extend("unit" = "erases"))]
    pub max_block_erases: u32,
    /// Difference between the largest and the smallest erase count of a plane's blocks, averaged over planes.
    /// Erases of the warm-up count.
    #[schemars(extend("unit" = "erases"))]
    pub mean_plane_erase_span: f64,
    /// Difference between the largest and the smallest erase count of a plane's blocks, in the plane where it
    /// is largest. Erases of the warm-up count.
    #[schemars(extend("unit" = "erases"))]
    pub max_plane_erase_span: u32,
    /// Number of mapping units programmed for the host. By default, a mapping unit is a page.
    #[schemars(extend("unit" = "units"))]
    pub host_programs: u64,
    /// Number of mapping units that were read because a write covered only a part of them.
    #[schemars(extend("unit" = "units"))]
    pub update_reads: u64,
    /// Number of victim blocks collected to gain free blocks.
    #[schemars(extend("unit" = "blocks"))]
    pub gc_executions: u64,
    /// Number of victim blocks whose garbage collection began in idle time; absent if
    /// `ftl.gc_idle_free_blocks_pct` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub idle_executions: Option<u64>,
    /// Number of blocks whose data was moved by read reclaim; absent if `ftl.read_reclaim_reads` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub reclaim_executions: Option<u64>,
    /// Number of blocks whose data was moved by refresh; absent without refresh (`ftl.refresh_age_days`, `ftl.refresh_errors_pct`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub refresh_executions: Option<u64>,
    /// Number of blocks whose data was moved by static wear levelling.
    #[schemars(extend("unit" = "blocks"))]
    pub wear_executions: u64,
    /// Number of read commands. A multi-plane command counts once.
    #[schemars(extend("unit" = "commands"))]
    pub read_commands: u64,
    /// Number of program commands. A multi-plane command counts once.
    #[schemars(extend("unit" = "commands"))]
    pub program_commands: u64,
    /// Number of erase commands. A multi-plane command counts once.
    #[schemars(extend("unit" = "commands"))]
    pub erase_commands: u64,
    /// Number of multi-plane erase commands.
    #[schemars(extend("unit" = "commands"))]
    pub multiplane_erases: u64,
    /// Number of write-backs of translation pages that were requested, whether or not the page was
    /// programmed.
    #[schemars(extend("unit" = "pages"))]
    pub mapping_write_backs: u64,
    /// Counts of mapping units and their slots; absent if a mapping unit is a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitReport>,
    /// Two-pass programming; absent with one-pass programming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_pass: Option<TwoPassReport>,
}

/// Relation between mapping units and flash pages.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "units"))]
pub struct UnitReport {
    /// Number of mapping units per page, or 1 if a mapping unit covers several pages.
    pub per_page: u32,
    /// Number of pages per mapping unit, or 1 if a page contains several mapping units.
    #[schemars(extend("unit" = "pages"))]
    pub pages_per_unit: u32,
    /// Mean number of mapping units per programmed page, for the host and garbage collection together.
    #[schemars(extend("unit" = "units/page"))]
    pub per_program: Option<f64>,
    /// Number of slots (space for one mapping unit) that remained empty in programmed pages.
    pub empty_slots: u64,
    /// Number of reads of mapping units that were served by a read of the same page for another unit.
    #[schemars(extend("unit" = "reads"))]
    pub shared_reads: u64,
}

/// Two-pass programming.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
pub struct TwoPassReport {
    /// Number of pages that second passes programmed.
    pub second_pass_pages: u64,
    /// Number of reads of word lines between their first and second pass, which the controller's buffer
    /// served.
    #[schemars(extend("unit" = "reads"))]
    pub buffer_reads: u64,
    /// Memory for two word lines of each plane and open block: of each write stream, of garbage collection and of
    /// cold data, and of the map if it is on flash.
    #[schemars(extend("unit" = "bytes"))]
    pub buffer_bytes: u64,
}

/// Deallocation by trims. The units in these figures are mapping units.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "units"))]
pub struct DeallocationReport {
    /// Size of completed trims, in bytes.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: u64,
    /// Number of ranges of the completed trims; absent if each trim had one range.
    #[schemars(extend("unit" = "ranges"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranges: Option<u64>,
    /// Number of mapping units that were deallocated, whether they held data or not.
    pub units: u64,
    /// Number of mapping units that a trim covered only in part. These mapping units kept their data.
    pub units_kept: u64,
    /// Number of mapping units that a trim covered only in part, and whose covered sectors it zeroed; absent if
    /// there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units_zeroed: Option<u64>,
    /// Number of reads that ended with an error, since they covered sectors without data (`ftl.dulbe`); absent if
    /// there were none.
    #[schemars(extend("unit" = "requests"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_refused: Option<u64>,
    /// Number of physical pages that became invalid.
    #[schemars(extend("unit" = "pages"))]
    pub pages_freed: u64,
    /// Number of pages of host reads that needed no flash operation, since the page or its sectors were
    /// deallocated.
    #[schemars(extend("unit" = "pages"))]
    pub reads_without_flash: u64,
    /// Number of mapping units that hold data at the end of the run.
    pub units_in_use: u64,
}

/// Operands of the host's gathers, which each combine several pages on one chip.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "operands"))]
pub struct GatherReport {
    /// Number of results of gathers. A gather has a result for each page that it covers.
    #[schemars(extend("unit" = "pages"))]
    pub gathers: u64,
    /// Number of operands that reached the chip on which they are combined. It is the sum of `in_place`,
    /// `copied_between_chips` and `by_controller`.
    pub operands: u64,
    /// Number of operands that were already on the chip on which they are combined.
    pub in_place: u64,
    /// Number of array operations that sensed operands on the chip on which they are combined.
    #[schemars(extend("unit" = "operations"))]
    pub senses: u64,
    /// Number of operands that were sensed together with other operands.
    pub sensed_together: u64,
    /// Number of operands copied from another chip without a controller.
    pub copied_between_chips: u64,
    /// Number of operands transferred from another chip through a controller.
    pub by_controller: u64,
    /// Bytes of operands copied from chip to chip.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_between_chips: u64,
    /// Bytes of operands transferred through a controller. Each byte is transferred twice, but counts once.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_by_controller: u64,
    /// Probability that a bit of at least one operand of a result is wrong, averaged over results; absent for
    /// a drive without decoders.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = ""))]
    pub raw_bit_error_rate: Option<f64>,
    /// Expected number of bits of a result for which at least one operand is wrong; absent for a drive
    /// without decoders.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "bits"))]
    pub wrong_bits_per_result: Option<f64>,
}

/// Mean time from a page's look-up to its arrival at a controller, in microseconds, for host reads from
/// flash. Rows and columns without reads have no value.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PageReads {
    /// Mean time by row of the array.
    pub by_row_us: Vec<Option<f64>>,
    /// Mean time by column of the array.
    pub by_column_us: Vec<Option<f64>>,
}

/// Figures of the paths between controllers and chips.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PathReport {
    /// Data rate of a path (a channel, a ring link, or a link between routers), in 10^6 bytes per second;
    /// absent if unlimited.
    pub rate_mb_per_s: Option<f64>,
    /// Number of transfers of commands and data.
    #[schemars(extend("unit" = "transfers"))]
    pub transfers: u64,
    /// Share of transfers that found no free path at their first attempt, in %.
    pub conflict_pct: Option<f64>,
    /// Share of requests with at least one transfer that found no free path at its first attempt, in %.
    pub requests_conflict_pct: Option<f64>,
    /// Mean number of links crossed by a transfer.
    #[schemars(extend("unit" = "links"))]
    pub mean_hops: Option<f64>,
    /// Number of transfers by number of links crossed, starting at zero.
    #[schemars(extend("unit" = "transfers"))]
    pub hop_counts: Vec<u64>,
    /// Number of scouts that returned without a path.
    #[schemars(extend("unit" = "scouts"))]
    pub scout_retries: u64,
    /// Mean number of links by which reserved paths exceed the shortest path, per transfer.
    #[schemars(extend("unit" = "links"))]
    pub mean_detour_hops: Option<f64>,
}

/// Utilisation in the measured window, which ends with the last completion. Only the parts of operations and
/// transfers within the window count, so no share exceeds 100 %.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Utilisation {
    /// Mean share of time in which a chip has an active die, in %.
    pub chip_pct: Option<f64>,
    /// Mean share of time in which the array of a plane is busy, in %.
    pub plane_pct: Option<f64>,
    /// Mean share of time in which a path (channel, bus, link) is in use, in %.
    pub channel_pct: Option<f64>,
    /// Share of time in which each chip has an active die, in %, by row and column.
    pub chip_pct_by_chip: Vec<f64>,
}

/// Slow request, with its latency by stage and by cause.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SlowRequest {
    /// Number of the request in the order of issue, from 0.
    #[schemars(extend("unit" = ""))]
    pub number: u64,
    /// Number of the host queue.
    #[schemars(extend("unit" = ""))]
    pub queue: u16,
    /// Operation of the request: `read`, `write` or `gather`.
    pub operation: &'static str,
    /// First sector of the request, in sectors of 512 bytes.
    #[schemars(extend("unit" = ""))]
    pub start_sector: u64,
    /// Length of the request in bytes.
    pub size_bytes: u64,
    /// Time of issue by the host, in microseconds since the start of the run.
    pub arrival_us: f64,
    /// Time from issue by the host to completion, in microseconds.
    pub latency_us: f64,
    /// Time in each stage, in microseconds. The stages add up to the latency. For a request of several pages,
    /// these are the stages of the page that ended last.
    pub stages_us: BTreeMap<&'static str, f64>,
    /// Waits for a chip or for space in the cache, by cause as in `chip_wait_causes_us` and
    /// `cache_causes_us`.
    pub causes_us: BTreeMap<&'static str, f64>,
    /// Waits for a chip caused by internal operations of the drive, by cause.
    pub chip_wait_behind_us: BTreeMap<&'static str, f64>,
    /// Chip of the page that ended last, numbered row by row; absent if flash was not involved.
    #[schemars(extend("unit" = ""))]
    pub chip: Option<u32>,
    /// Name of the largest part of the latency: a stage, or the cause of a wait.
    pub owes_most_to: &'static str,
}

/// Time series of the measured phase in intervals of equal length, until the drive has ended all its
/// operations. Every list has one element per interval.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TimeSeriesReport {
    /// Length of an interval. The last one may be shorter.
    pub interval_us: f64,
    /// Number of times that neighbouring intervals were merged to limit the number of intervals. Each time
    /// doubles their length.
    #[schemars(extend("unit" = "times"))]
    pub joined: u32,
    /// Start of each interval, in microseconds since the start of the run.
    pub start_us: Vec<f64>,
    /// End of the last interval, in microseconds since the start of the run.
    pub end_us: f64,
    /// Number of requests issued, by interval.
    #[schemars(extend("unit" = "requests"))]
    pub issued: Vec<u64>,
    /// Requests completed per second, by interval.
    pub iops: Vec<Option<f64>>,
    /// Number of requests that ended with an error, by interval; absent if there were none in the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "requests"))]
    pub failed: Option<Vec<u64>>,
    /// Completed reads, including gathers, by interval.
    pub read: CompletedOverTime,
    /// Completed writes by interval.
    pub write: CompletedOverTime,
    /// Mean number of outstanding requests, by interval.
    #[schemars(extend("unit" = "requests"))]
    pub queue_depth: Vec<Option<f64>>,
    /// Mean share of time in which a chip had an active die, in %.
    pub chip_pct: Vec<Option<f64>>,
    /// Mean share of time in which the array of a plane was busy, in %.
    pub plane_pct: Vec<Option<f64>>,
    /// Mean share of time in which a path was in use, in %.
    pub channel_pct: Vec<Option<f64>>,
    /// Operations of the flash array.
    pub flash: WorkOverTime,
    /// Bytes programmed, divided by the bytes of completed writes; absent without completed writes.
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification: Vec<Option<f64>>,
    /// Mapping units that fit into the programmed pages, divided by the mapping units programmed for the
    /// host; absent if there are none.
    #[schemars(extend("unit" = "units/unit"))]
    pub pages_per_written_page: Vec<Option<f64>>,
}

/// Reads or writes, by the interval of their completion. Latencies are measured from the issue of a
/// request by the host.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct CompletedOverTime {
    /// Number of completed requests.
    #[schemars(extend("unit" = "requests"))]
    pub count: Vec<u64>,
    /// Bytes that the requests transferred.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: Vec<u64>,
    /// Data transferred, in 10^6 bytes per second.
    #[schemars(extend("unit" = "10^6 bytes/s"))]
    pub mb_per_s: Vec<Option<f64>>,
    /// Exact mean latency. All latencies are absent without completions in the interval.
    pub mean_us: Vec<Option<f64>>,
    /// Median latency, accurate to 0.1 % like all percentiles.
    pub p50_us: Vec<Option<f64>>,
    /// 99th percentile of the latency.
    pub p99_us: Vec<Option<f64>>,
    /// 99.9th percentile of the latency.
    pub p999_us: Vec<Option<f64>>,
    /// Exact maximum of the latency.
    pub max_us: Vec<Option<f64>>,
    /// Exact mean wait for a chip caused by internal operations of the drive (garbage collection, wear
    /// levelling, mapping).
    pub behind_us: Vec<Option<f64>>,
}

/// Flash operations in each interval.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
pub struct WorkOverTime {
    /// Number of pages read for any purpose.
    pub reads: Vec<u64>,
    /// Number of pages programmed for any purpose.
    pub programs: Vec<u64>,
    /// Number of mapping units programmed for the host. By default, a mapping unit is a page.
    #[schemars(extend("unit" = "units"))]
    pub host_programs: Vec<u64>,
    /// Bytes of the pages that were programmed.
    #[schemars(extend("unit" = "bytes"))]
    pub programmed_bytes: Vec<u64>,
    /// Number of mapping units moved by garbage collection.
    #[schemars(extend("unit" = "units"))]
    pub gc_moves: Vec<u64>,
    /// Number of mapping units moved by static wear levelling.
    #[schemars(extend("unit" = "units"))]
    pub wear_moves: Vec<u64>,
    /// Number of mapping units that garbage collection moved in idle time; absent if `ftl.gc_idle_free_blocks_pct`
    /// is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub idle_moves: Option<Vec<u64>>,
    /// Number of mapping units moved by read reclaim; absent if `ftl.read_reclaim_reads` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub reclaim_moves: Option<Vec<u64>>,
    /// Number of blocks whose data was moved by read reclaim; absent if `ftl.read_reclaim_reads` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub reclaim_executions: Option<Vec<u64>>,
    /// Number of mapping units moved by refresh; absent without refresh (`ftl.refresh_age_days`, `ftl.refresh_errors_pct`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub refresh_moves: Option<Vec<u64>>,
    /// Number of blocks whose data was moved by refresh; absent without refresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub refresh_executions: Option<Vec<u64>>,
    /// Number of uncorrectable reads for the host; absent for a drive without decoders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncorrectable_host_reads: Option<Vec<u64>>,
    /// Number of mapping units that folding moved from the pSLC cache; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub fold_moves: Option<Vec<u64>>,
    /// Number of blocks erased.
    #[schemars(extend("unit" = "blocks"))]
    pub erases: Vec<u64>,
    /// Number of free blocks of the drive at the end of the interval.
    #[schemars(extend("unit" = "blocks"))]
    pub free_blocks: Vec<u64>,
    /// Number of valid mapping units in the pSLC cache at the end of the interval; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "units"))]
    pub slc_cached_units: Option<Vec<u64>>,
    /// Number of spare blocks that are left in the reserve for failed blocks at the end of the interval; absent if
    /// erases cannot fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "blocks"))]
    pub spare_blocks: Option<Vec<u64>>,
}

/// Look-ups in the page mapping.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "look-ups"))]
#[serde(rename = "Mapping")]
pub struct MappingReport {
    /// Number of look-ups served from the cached mapping table.
    pub hits: u64,
    /// Number of look-ups that the cached mapping table could not serve.
    pub misses: u64,
    /// Number of look-ups for host reads that were served from the cached mapping table.
    pub read_hits: u64,
    /// Number of look-ups for host reads that the cached mapping table could not serve.
    pub read_misses: u64,
    /// Number of look-ups that found their entry in the host memory buffer; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_buffer_hits: Option<u64>,
    /// Number of look-ups that missed the cached table and the host memory buffer, and read flash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_buffer_misses: Option<u64>,
    /// Look-ups in each address range. Listed if there are several ranges and the mapping is partly in flash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<RangeLookUps>,
}

/// Look-ups in the page mapping for one address range.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "look-ups"))]
pub struct RangeLookUps {
    /// Number of look-ups served from the cached mapping table.
    pub hits: u64,
    /// Number of look-ups that the cached mapping table could not serve.
    pub misses: u64,
}

/// Counters of the data cache.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct CacheReport {
    /// Number of sectors that reads found in the cache.
    #[schemars(extend("unit" = "sectors"))]
    pub read_hit_sectors: u64,
    /// Number of sectors that reads did not find in the cache. They were read from flash.
    #[schemars(extend("unit" = "sectors"))]
    pub read_miss_sectors: u64,
    /// Number of writes accepted by the cache, each of a page or a part of a page.
    #[schemars(extend("unit" = "pages"))]
    pub writes: u64,
    /// Number of writes to a page that was already in the cache.
    #[schemars(extend("unit" = "pages"))]
    pub write_hits: u64,
    /// Number of requests that had to wait until destages had ended.
    #[schemars(extend("unit" = "requests"))]
    pub writes_held_up: u64,
    /// Number of pages evicted from the cache.
    #[schemars(extend("unit" = "pages"))]
    pub evictions: u64,
    /// Number of pages written to flash.
    #[schemars(extend("unit" = "pages"))]
    pub destages: u64,
    /// Number of flushes that waited for data on its way to flash, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "requests"))]
    pub flushes_waited: Option<u64>,
    /// Number of pages that the drive read ahead, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub read_ahead_pages: Option<u64>,
    /// Number of pages or parts of pages for which host reads waited while they were read ahead, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub read_ahead_waits: Option<u64>,
}

/// Results of the host scheduler, and conflicts. A request is in conflict if it shares a parallel unit with
/// another request in the I/O queue or in the drive (Gao et al., PIQ, TCAD 2017, §II).
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SchedulerReport {
    /// Scheduling scheme of the host, such as `piq`.
    pub scheme: String,
    /// Share of reads that were in conflict with any request, in %.
    pub conflicted_reads_pct: Option<f64>,
    /// Share of writes that were in conflict with any request, in %.
    pub conflicted_writes_pct: Option<f64>,
    /// Number of reads that were in conflict with a read.
    #[schemars(extend("unit" = "requests"))]
    pub read_read_conflicts: u64,
    /// Number of writes that were in conflict with a write.
    #[schemars(extend("unit" = "requests"))]
    pub write_write_conflicts: u64,
    /// Number of reads that were in conflict with a write, plus number of writes that were in conflict with a
    /// read.
    #[schemars(extend("unit" = "requests"))]
    pub read_write_conflicts: u64,
    /// Share of requests in conflict, in %, by `read_read`, `write_write`, `read_write` and `write_read`. The
    /// first word is the kind of the requests counted, and the second word the kind they conflict with.
    pub conflicts_pct: BTreeMap<&'static str, Option<f64>>,
    /// Number of batches of reads.
    #[schemars(extend("unit" = "batches"))]
    pub read_batches: u64,
    /// Number of batches of writes.
    #[schemars(extend("unit" = "batches"))]
    pub write_batches: u64,
    /// Number of batches of writes that preceded reads because of their age.
    #[schemars(extend("unit" = "batches"))]
    pub prioritised_write_batches: u64,
    /// Share of prioritised batches among the batches of writes, in %.
    pub prioritised_write_batches_pct: Option<f64>,
    /// Number of reads that preceded a write with an earlier place in the queue.
    #[schemars(extend("unit" = "requests"))]
    pub prioritised_reads: u64,
    /// Share of prioritised reads among all reads, in %.
    pub prioritised_reads_pct: Option<f64>,
    /// Requests per batch, by operation; absent for schemes without batches.
    pub batch_sizes: BTreeMap<&'static str, BatchSizes>,
    /// Number of comparisons of a request's parallel units with the parallel units of a batch.
    #[schemars(extend("unit" = "comparisons"))]
    pub vector_tests: u64,
    /// Memory for the location vectors and time stamps of a full queue, computed as in the paper.
    pub memory_bytes: u64,
    /// Time from issue to dispatch to the drive, in microseconds, by operation.
    pub waiting_us: BTreeMap<&'static str, LatencyReport>,
    /// Time from dispatch to the drive to completion, in microseconds, by operation.
    pub processing_us: BTreeMap<&'static str, LatencyReport>,
    /// Points of the waiting-time distribution by operation, each as share of requests in % and time in
    /// microseconds.
    #[schemars(extend("unit" = "%, µs"))]
    pub waiting_cdf: BTreeMap<&'static str, Vec<(f64, f64)>>,
    /// Points of the latency distribution by operation, each as share of requests in % and time in
    /// microseconds.
    #[schemars(extend("unit" = "%, µs"))]
    pub latency_cdf: BTreeMap<&'static str, Vec<(f64, f64)>>,
    /// Time in which requests were outstanding, from their issue to their completion, in microseconds.
    pub busy_us: f64,
    /// Utilisation of chips while requests were outstanding, in %.
    pub chip_while_busy_pct: Option<f64>,
    /// Utilisation of planes while requests were outstanding, in %.
    pub plane_while_busy_pct: Option<f64>,
    /// Number of advanced commands: multi-plane, interleaved, and copyback.
    pub advanced_commands: AdvancedCommands,
    /// Slowdown of each flow, caused by waits in the host and in the drive's queue.
    pub flows: Vec<FlowSlowdown>,
    /// Jain's index of the flows' slowdowns; absent if no flow has a slowdown. It is 1 if all are equal, and
    /// at least 1/n for n flows.
    #[schemars(extend("unit" = ""))]
    pub jain_index: Option<f64>,
    /// Queue length and busy chips over the run.
    pub history: History,
    /// Overload test: comparison of the queue in the two halves of the arrival period.
    pub backlog: Backlog,
}

/// Sizes of the completed batches.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct BatchSizes {
    /// Number of complete batches.
    #[schemars(extend("unit" = "batches"))]
    pub count: u64,
    /// Mean number of requests per batch.
    pub mean: f64,
    /// Maximum number of requests per batch.
    pub max: u64,
    /// Number of batches by number of requests.
    #[schemars(extend("unit" = "batches"))]
    pub histogram: BTreeMap<u64, u64>,
}

/// Slowdown of a flow because of waiting.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct FlowSlowdown {
    /// Number of the host queue.
    #[schemars(extend("unit" = ""))]
    pub queue: usize,
    /// Number of the flow's requests.
    #[schemars(extend("unit" = "requests"))]
    pub requests: u64,
    /// Mean latency divided by the mean time from entry into the drive to completion. It is 1 if no request
    /// waits in the host.
    #[schemars(extend("unit" = ""))]
    pub slowdown: f64,
}

/// Mean values in each interval of the measured phase.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct History {
    /// Start of the first interval, in microseconds since the start of the run.
    pub start_us: f64,
    /// Length of an interval. The last one may be shorter.
    pub interval_us: f64,
    /// Mean number of requests that wait in the host, by interval.
    #[schemars(extend("unit" = "requests"))]
    pub waiting: Vec<f64>,
    /// Mean number of requests in the drive, by interval.
    #[schemars(extend("unit" = "requests"))]
    pub in_drive: Vec<f64>,
    /// Mean share of chips with an active die, in %, by interval.
    pub chip_pct: Vec<f64>,
}

/// Overload test. If the queue grows throughout the run, mean values depend on the length of the run.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "requests"))]
pub struct Backlog {
    /// Mean number of outstanding requests in the first half of the arrival period.
    pub first_half: f64,
    /// Mean number of outstanding requests in the second half of the arrival period.
    pub second_half: f64,
    /// Time from the last arrival to the last completion as a share of the measured phase, in %.
    pub drain_pct: f64,
    /// True if the run was saturated. The queue was then at least 50 % longer in the second half of the
    /// arrival period than in the first, and took more than 5 % of the measured phase to drain.
    pub grows: bool,
}

/// Commands that used several planes or dies of a chip.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "commands"))]
pub struct AdvancedCommands {
    /// Number of multi-plane reads.
    pub multiplane_reads: u64,
    /// Number of multi-plane programs.
    pub multiplane_programs: u64,
    /// Number of operations that started while another die of the chip was active.
    pub interleaved: u64,
    /// Number of pages relocated within a plane (copyback).
    pub copybacks: u64,
}

/// Failures of parts of the fabric, and their consequences. Requests are counted in the measured phase,
/// everything else in the whole run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FaultReport {
    /// Time of the failure, in microseconds since the start of the run.
    pub failed_at_us: f64,
    /// Time at which the controllers detected the failure, in microseconds since the start of the run.
    pub known_at_us: f64,
    /// Row and column of each chip that no controller can reach.
    #[schemars(extend("unit" = "row, column"))]
    pub chips_lost: Vec<(u32, u32)>,
    /// Capacity of all pages of the remaining chips, in bytes.
    pub raw_capacity_bytes: u64,
    /// Capacity of all pages of the lost chips, in bytes.
    pub raw_capacity_lost_bytes: u64,
    /// Capacity for the host, in bytes. Addresses whose data is lost can still be used, and then need space
    /// on other chips.
    pub host_capacity_bytes: u64,
    /// Number of host pages whose data was lost during the run.
    #[schemars(extend("unit" = "pages"))]
    pub pages_lost: u64,
    /// Number of page reads that ended with an error.
    #[schemars(extend("unit" = "pages"))]
    pub page_reads_failed: u64,
    /// Number of page programs that ended with an error. The chip was lost between the allocation of the page
    /// and its transfer.
    #[schemars(extend("unit" = "pages"))]
    pub page_programs_failed: u64,
    /// Number of page writes for which the remaining chips had no free page.
    #[schemars(extend("unit" = "pages"))]
    pub writes_without_room: u64,
    /// Number of writes that waited for a lost chip and were redirected to another one.
    #[schemars(extend("unit" = "pages"))]
    pub writes_sent_elsewhere: u64,
    /// Number of host requests that ended with an error. They are not included in latencies or throughput.
    #[schemars(extend("unit" = "requests"))]
    pub requests_failed: u64,
}

/// Checks of the audit, which compares the drive with a shadow copy of its contents. If it finds a violation,
/// the run ends with an error and has no report.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct AuditReport {
    /// Number of page reads whose contents were compared with the shadow copy.
    #[schemars(extend("unit" = "pages"))]
    pub reads_checked: u64,
}
