//! Keys and types of workload files in TOML; also the source of their JSON schema.
//!
//! Ranges are in `ranges` and checked by `checks`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::{
    ENDS_US, FLOWS, FLUSH_EVERY, OUTSTANDING, PARETO_H, PARETO_SHAPE, PCT, REQUEST_BYTES, REQUESTS,
    RUN_REQUESTS, SPAN_US, STRATA, THETA, THINK_US, WEIGHT, WITHIN_WRITES,
};

/// Synthetic requests of one flow.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Workload")]
pub(super) struct WorkloadDefinition {
    /// Name of a workload, or path of its file relative to this file, from which missing keys are inherited
    /// [default: none].
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// Name in reports [default: name of the file].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Description in one sentence.
    pub(super) description: String,
    /// Source of the figures.
    pub(super) source: String,
    /// Always true: a reminder that the requests are synthetic.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// Number of requests.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Share of reads among the requests.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) read_pct: f64,
    /// Share of gathers of operands among the requests; `read_pct` then refers to the others [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) gather_pct: f64,
    /// Share of trims among the requests that are not gathers; `read_pct` then refers to the others
    /// [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) trim_pct: f64,
    /// Number of writes before each flush, as with `fsync` of fio; 0: no flushes. Flushes are among `requests`
    /// [default: 0].
    #[serde(default)]
    #[schemars(range(min = *FLUSH_EVERY.start(), max = *FLUSH_EVERY.end()), extend("unit" = "writes"))]
    pub(super) flush_every: u32,
    /// Share of writes with forced unit access among the writes that do not write zeroes [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) fua_pct: f64,
    /// Share of writes that write zeroes without their data crossing the link [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) zeroes_pct: f64,
    /// True if the drive may deallocate for writes of zeroes [default: false].
    #[serde(default)]
    pub(super) zeroes_deallocate: bool,
    /// Length of requests.
    pub(super) size: SizeDefinition,
    /// Start addresses of requests.
    pub(super) address: Address,
    /// Stratified random draws of operations, lengths and gaps: each block of this number of requests has one
    /// draw from each of as many equal parts of the distribution [default: independent draws].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *STRATA.start(), max = *STRATA.end()), extend("unit" = "requests"))]
    pub(super) strata: Option<u32>,
    /// Reads of recently written data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read_after_write: Option<ReadAfterWriteDefinition>,
    /// Start of the flow in simulated time [default: 0].
    #[serde(default)]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) start_us: f64,
    /// Latest end of the flow in simulated time, later than `start_us` [default: none].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) stop_us: Option<f64>,
    /// Think time from a completion to the next request, for `closed_loop_depth` [default: 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *THINK_US.start(), max = *THINK_US.end()), extend("unit" = "µs"))]
    pub(super) think_us: Option<f64>,
    /// Number of outstanding requests of a closed loop; alternative to `open_loop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) closed_loop_depth: Option<u32>,
    /// Open-loop arrivals; alternative to `closed_loop_depth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open_loop: Option<OpenLoopDefinition>,
}

/// Concurrent workloads, each on a queue of its own and in its own part of the drive.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Mix")]
pub(super) struct MixDefinition {
    /// Name of a mix, or path of its file relative to this file, from which missing keys are inherited
    /// [default: none].
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// Name in reports [default: name of the file].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Description in one sentence.
    pub(super) description: String,
    /// Source of the figures.
    pub(super) source: String,
    /// Always true: a reminder that the requests are synthetic.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// Total number of requests.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Mean gap of all flows together, reached by a common factor of their rates [default: rates of the
    /// flows].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Workloads of the flows: name, path of a file relative to this file, or the content of such a file as a
    /// table.
    #[schemars(length(min = *FLOWS.start(), max = *FLOWS.end()))]
    pub(super) flows: Vec<FlowDefinition>,
}

/// Workload of one flow in a mix: name, path of a file, or the content of such a file.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "invalid flow; expected: the name of a workload, the path of its file, or a table with its keys"
)]
#[schemars(rename = "Flow")]
pub(super) enum FlowDefinition {
    /// Name of a workload, or path of its file.
    Named(String),
    /// Content of a workload file.
    Described(#[schemars(with = "WorkloadDefinition")] toml::Table),
}

/// `size = { fixed_bytes = 4096 }`, `size = { choices = [ … ] }`, `size = { normal = { … } }`, or `size = {
/// by_operation = { read = …, write = … } }` with one of the other forms for each operation.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Size")]
pub(super) enum SizeDefinition {
    /// Constant length, a multiple of 512.
    #[schemars(extend("title" = "FixedBytes"))]
    FixedBytes(
        #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
         u64,
    ),
    /// Discrete distribution of lengths with weights.
    #[schemars(extend("title" = "Choices"))]
    Choices(#[schemars(length(min = 1))] Vec<SizeChoiceDefinition>),
    /// Normal distribution of lengths.
    Normal(NormalSizes),
    /// Lengths of reads and of writes.
    ByOperation(Box<ByOperation>),
}

/// Separate length distributions of reads and writes.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ByOperation {
    /// Length of reads.
    pub(super) read: SizeDefinition,
    /// Length of writes.
    pub(super) write: SizeDefinition,
}

/// Normal distribution of lengths, rounded up to sectors of 512 bytes and limited to one sector up to six
/// standard deviations above the mean.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalSizes {
    /// Mean length, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) mean_bytes: u64,
    /// Standard deviation, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) deviation_bytes: u64,
}

/// Length with its weight.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Choice")]
pub(super) struct SizeChoiceDefinition {
    /// Length, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) bytes: u64,
    /// Weight relative to the sum of all weights.
    #[schemars(range(min = *WEIGHT.start(), max = *WEIGHT.end()), extend("unit" = ""))]
    pub(super) weight: u32,
}

/// Start addresses of requests.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Address {
    /// Start addresses of requests that do not continue a sequential run.
    pub(super) pattern: Pattern,
    /// Used part of the drive, from its first sector on.
    pub(super) footprint: FootprintDefinition,
    /// Alignment of start addresses, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_bytes: u64,
    /// Offset of start addresses from the alignment: a multiple of 512 below `align_bytes` [default: 0].
    #[serde(default)]
    #[schemars(extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_offset_bytes: u64,
    /// Mean number of requests in a sequential run; 1 disables runs [default: 1].
    #[serde(default = "no_runs")]
    #[schemars(range(min = *RUN_REQUESTS.start(), max = *RUN_REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) run_requests: f64,
    /// Separate runs of reads and of writes, also under the sequential pattern [default: false].
    #[serde(default)]
    pub(super) runs_by_operation: bool,
}

fn no_runs() -> f64 {
    1.0
}

/// Reads with the address and length of a recent write.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "ReadAfterWrite")]
pub(super) struct ReadAfterWriteDefinition {
    /// Share of reads that repeat a recent write.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) pct: f64,
    /// Number of latest writes among which one is drawn uniformly.
    #[schemars(range(min = *WITHIN_WRITES.start(), max = *WITHIN_WRITES.end()), extend("unit" = "writes"))]
    pub(super) within_writes: u32,
}

/// `"uniform"`, `"sequential"`, `"permutation"`, `{ zipf = { … } }`, `{ hot_cold = { … } }`,
/// `{ pareto = { … } }` or `{ normal = { … } }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Pattern {
    /// Uniform distribution.
    Uniform,
    /// Sequential addresses, restarted at the end of the footprint.
    Sequential,
    /// Random permutation: every place once before any is repeated.
    Permutation,
    /// Zipf distribution.
    Zipf(ZipfDefinition),
    /// Hot and cold region.
    HotCold(HotCold),
    /// Self-similar distribution.
    Pareto(ParetoPlaces),
    /// Normal distribution about the middle of the footprint.
    Normal(NormalPlaces),
}

/// Self-similar distribution: a share h of the places has a share 1 - h of the requests, recursively.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoPlaces {
    /// Share h; 0.2 is the 80/20 rule.
    #[schemars(range(min = *PARETO_H.start(), max = *PARETO_H.end()), extend("unit" = ""))]
    pub(super) h: f64,
}

/// Normal distribution about the middle of the footprint, truncated at its ends.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalPlaces {
    /// Standard deviation relative to the footprint.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) deviation_pct: f64,
}

/// Zipf distribution: the probability of rank k is proportional to k to the power of -theta; ranks are
/// scattered over the footprint.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Zipf")]
pub(super) struct ZipfDefinition {
    /// Skew; 0.99 in the YCSB benchmark.
    #[schemars(range(min = *THETA.start(), max = *THETA.end()), extend("unit" = ""))]
    pub(super) theta: f64,
}

/// Hot region at the start of the footprint, and cold region.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HotCold {
    /// Share of requests that start in the hot region.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) hot_access_pct: f64,
    /// Share of places in the hot region.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) hot_space_pct: f64,
}

/// `{ bytes = … }`, `{ at_most_bytes = … }` or `{ drive_pct = … }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Footprint")]
pub(super) enum FootprintDefinition {
    /// Size in bytes, a multiple of 512.
    #[schemars(extend("title" = "FootprintBytes"))]
    Bytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// Size in bytes, limited to the drive's capacity; a multiple of 512.
    #[schemars(extend("title" = "AtMostBytes"))]
    AtMostBytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// Share of the drive.
    #[schemars(extend("title" = "DrivePct"))]
    DrivePct(#[schemars(range(max = *PCT.end()), extend("exclusiveMinimum" = 0, "unit" = "%"))] f64),
}

/// Open loop: arrivals independent of completions.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "OpenLoop")]
pub(super) struct OpenLoopDefinition {
    /// Mean time between arrivals over the whole run, including pauses; alternative to `mb_per_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Requested bandwidth, which determines the mean gap from the mean length; alternative to `mean_gap_us`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "unit" = "MB/s"))]
    pub(super) mb_per_s: Option<f64>,
    /// Distribution of gaps.
    pub(super) gaps: GapsDefinition,
    /// Pauses between bursts of arrivals [default: none].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bursts: Option<BurstsDefinition>,
    /// Maximum number of outstanding requests of the flow; further arrivals are delayed [default: no limit].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) most_outstanding: Option<u32>,
}

/// `"constant"`, `"exponential"`, `{ hyperexponential = { … } }` or `{ pareto = { … } }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Gaps")]
pub(super) enum GapsDefinition {
    /// Constant gaps.
    Constant,
    /// Exponential gaps: a Poisson process.
    Exponential,
    /// Hyperexponential gaps: mostly short, some long.
    Hyperexponential(Hyperexponential),
    /// Pareto gaps, with a heavy tail.
    Pareto(ParetoGaps),
}

/// Exponential gaps with one of two means.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hyperexponential {
    /// Share of long gaps; its reciprocal is the mean number of requests in a burst.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) long_pct: f64,
    /// Mean of the short gaps relative to the mean of all gaps.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) short_mean_pct: f64,
}

/// Pareto gaps: the probability of a gap above x is proportional to x to the power of -shape.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoGaps {
    /// Exponent of the distribution.
    #[schemars(range(min = *PARETO_SHAPE.start(), max = *PARETO_SHAPE.end()), extend("unit" = ""))]
    pub(super) shape: f64,
}

/// Alternating bursts and pauses; their sum must not be shorter than the mean gap.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Bursts")]
pub(super) struct BurstsDefinition {
    /// Mean length of a burst.
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) on_us: f64,
    /// Mean length of a pause.
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) off_us: f64,
    /// Distribution of both lengths.
    pub(super) lengths: SpacingDefinition,
}

/// `"constant"` or `"exponential"`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[serde(rename = "Spacing")]
pub(super) enum SpacingDefinition {
    /// Constant lengths.
    Constant,
    /// Exponentially distributed lengths.
    Exponential,
}
