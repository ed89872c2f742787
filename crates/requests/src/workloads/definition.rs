//! Keys and types of workload files in TOML. The JSON schema of these files is derived from them.
//!
//! The module `ranges` contains the accepted ranges of values, and `checks` validates them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::{
    ENDS_US, FLOWS, FLUSH_EVERY, OUTSTANDING, PARETO_H, PARETO_SHAPE, PATTERN_SET, PCT, REQUEST_BYTES,
    REQUESTS, RUN_REQUESTS, SPAN_US, STRATA, THETA, THINK_US, TRIM_RANGES, WEIGHT, WITHIN_WRITES,
};

/// Definition of a workload: the synthetic requests of one flow.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Workload")]
pub(super) struct WorkloadDefinition {
    /// Name of the workload, or path of the file relative to this file, from which missing keys are inherited
    /// [default: none].
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// Name of the workload in reports [default: name of the file].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Description of the workload in one sentence.
    pub(super) description: String,
    /// Source of the numbers in this definition, such as a publication.
    pub(super) source: String,
    /// Always `true`, as a reminder that the requests are synthetic.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// Number of requests.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Share of reads among the requests that are neither gathers, searches nor trims.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) read_pct: f64,
    /// Share of gathers among the requests. A gather combines several operands on one chip [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) gather_pct: f64,
    /// Share of searches among the requests that are not gathers. A search covers a range of pages [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) search_pct: f64,
    /// Number of the drive's pattern set for which searches search [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PATTERN_SET.start(), max = *PATTERN_SET.end()))]
    pub(super) pattern_set: u32,
    /// Share of trims among the requests that are neither gathers nor searches [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) trim_pct: f64,
    /// Number of ranges of each trim, each with a length and a start address of its own, like `num_range` of
    /// fio [default: 1].
    #[serde(default = "one_range")]
    #[schemars(range(min = *TRIM_RANGES.start(), max = *TRIM_RANGES.end()), extend("unit" = "ranges"))]
    pub(super) trim_ranges: u32,
    /// Number of writes before each flush, like `fsync` of fio; 0 for no flushes. Flushes count as `requests`
    /// [default: 0].
    #[serde(default)]
    #[schemars(range(min = *FLUSH_EVERY.start(), max = *FLUSH_EVERY.end()), extend("unit" = "writes"))]
    pub(super) flush_every: u32,
    /// Share of writes with forced unit access (FUA), among the writes that are not writes of zeroes
    /// [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) fua_pct: f64,
    /// Share of writes of zeroes among the writes. Their data does not cross the link [default: 0].
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) zeroes_pct: f64,
    /// True if the drive may deallocate the sectors of a write of zeroes [default: false].
    #[serde(default)]
    pub(super) zeroes_deallocate: bool,
    /// Length of requests.
    pub(super) size: SizeDefinition,
    /// Start addresses of requests.
    pub(super) address: Address,
    /// Number of requests per block of stratified sampling. In each block, operations, lengths and gaps are
    /// drawn once from each of this number of equal parts of their distributions [default: independent
    /// draws].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *STRATA.start(), max = *STRATA.end()), extend("unit" = "requests"))]
    pub(super) strata: Option<u32>,
    /// Reads that repeat recent writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read_after_write: Option<ReadAfterWriteDefinition>,
    /// Start of the flow in simulated time [default: 0].
    #[serde(default)]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) start_us: f64,
    /// Time at which the flow ends at the latest, in simulated time; later than `start_us` [default: none].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) stop_us: Option<f64>,
    /// Think time from a completion to the issue of the next request, with `closed_loop_depth` [default: 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *THINK_US.start(), max = *THINK_US.end()), extend("unit" = "µs"))]
    pub(super) think_us: Option<f64>,
    /// Number of outstanding requests in a closed loop. Excludes `open_loop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) closed_loop_depth: Option<u32>,
    /// Arrivals of an open loop. Excludes `closed_loop_depth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open_loop: Option<OpenLoopDefinition>,
}

const fn one_range() -> u32 {
    1
}

/// Definition of a mix: concurrent workloads, each with its own queue and its own part of the drive.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Mix")]
pub(super) struct MixDefinition {
    /// Name of the mix, or path of the file relative to this file, from which missing keys are inherited
    /// [default: none].
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// Name of the mix in reports [default: name of the file].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Description of the mix in one sentence.
    pub(super) description: String,
    /// Source of the numbers in this definition, such as a publication.
    pub(super) source: String,
    /// Always `true`, as a reminder that the requests are synthetic.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// Total number of requests of all flows.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Mean gap between the requests of all flows together. The rates of the flows are scaled by a common
    /// factor to reach it [default: rates of the flows].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Workloads of the flows. Each is a name, the path of a file relative to this file, or the content of
    /// such a file as a table.
    #[schemars(length(min = *FLOWS.start(), max = *FLOWS.end()))]
    pub(super) flows: Vec<FlowDefinition>,
}

/// Workload of one flow in a mix: a name, the path of a file, or the content of such a file.
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

/// Length of requests: `{ fixed_bytes = 4096 }`, `{ choices = [ … ] }`, `{ normal = { … } }`, or `{
/// by_operation = { read = …, write = … } }` with one of the other forms for each operation.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Size")]
pub(super) enum SizeDefinition {
    /// Constant length of requests, a multiple of 512.
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
    /// Separate lengths of reads and of writes.
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

/// Normal distribution of lengths. A length is rounded up to sectors of 512 bytes, is at least one sector,
/// and exceeds the mean by at most six standard deviations.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalSizes {
    /// Mean length, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) mean_bytes: u64,
    /// Standard deviation of the length, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) deviation_bytes: u64,
}

/// Request length with its weight.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Choice")]
pub(super) struct SizeChoiceDefinition {
    /// Request length, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) bytes: u64,
    /// Weight of the length, relative to the sum of all weights.
    #[schemars(range(min = *WEIGHT.start(), max = *WEIGHT.end()), extend("unit" = ""))]
    pub(super) weight: u32,
}

/// Start addresses of requests.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Address {
    /// Distribution of the start addresses of requests that do not continue a sequential run.
    pub(super) pattern: Pattern,
    /// Part of the drive that the workload uses, from the drive's first sector on.
    pub(super) footprint: FootprintDefinition,
    /// Alignment of start addresses, a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_bytes: u64,
    /// Distance of start addresses from multiples of `align_bytes`; a multiple of 512 below `align_bytes`
    /// [default: 0].
    #[serde(default)]
    #[schemars(extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_offset_bytes: u64,
    /// Mean number of requests in a sequential run; 1 disables runs [default: 1].
    #[serde(default = "no_runs")]
    #[schemars(range(min = *RUN_REQUESTS.start(), max = *RUN_REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) run_requests: f64,
    /// True if reads continue only runs of reads, and writes only runs of writes, also with the sequential
    /// pattern [default: false].
    #[serde(default)]
    pub(super) runs_by_operation: bool,
}

fn no_runs() -> f64 {
    1.0
}

/// Reads that have the address and length of a recent write.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "ReadAfterWrite")]
pub(super) struct ReadAfterWriteDefinition {
    /// Share of reads that repeat a recent write.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) pct: f64,
    /// Number of latest writes, one of which is chosen with equal probability.
    #[schemars(range(min = *WITHIN_WRITES.start(), max = *WITHIN_WRITES.end()), extend("unit" = "writes"))]
    pub(super) within_writes: u32,
}

/// Distribution of start addresses: `"uniform"`, `"sequential"`, `"permutation"`, `{ zipf = { … } }`, `{
/// hot_cold = { … } }`, `{ pareto = { … } }` or `{ normal = { … } }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Pattern {
    /// Uniform distribution over the footprint.
    Uniform,
    /// Sequential addresses, which restart at the end of the footprint.
    Sequential,
    /// Random permutation: every possible start address occurs once before any occurs again.
    Permutation,
    /// Zipf distribution over scattered ranks.
    Zipf(ZipfDefinition),
    /// Hot region and cold region.
    HotCold(HotCold),
    /// Self-similar (Pareto) distribution over scattered ranks.
    Pareto(ParetoPlaces),
    /// Normal distribution about the middle of the footprint.
    Normal(NormalPlaces),
}

/// Self-similar (Pareto) distribution: a share h of the start addresses receives a share 1 - h of the
/// requests, recursively.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoPlaces {
    /// Share h of the start addresses; 0.2 corresponds to the 80/20 rule.
    #[schemars(range(min = *PARETO_H.start(), max = *PARETO_H.end()), extend("unit" = ""))]
    pub(super) h: f64,
}

/// Normal distribution about the middle of the footprint, truncated at its ends.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalPlaces {
    /// Standard deviation of start addresses, relative to the footprint.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) deviation_pct: f64,
}

/// Zipf distribution: the probability of rank k is proportional to k to the power of -theta. Ranks are
/// scattered over the footprint.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Zipf")]
pub(super) struct ZipfDefinition {
    /// Exponent theta of the distribution; 0.99 in the YCSB benchmark.
    #[schemars(range(min = *THETA.start(), max = *THETA.end()), extend("unit" = ""))]
    pub(super) theta: f64,
}

/// Division of the footprint into a hot region at its start and a cold region.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HotCold {
    /// Share of requests that start in the hot region.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) hot_access_pct: f64,
    /// Size of the hot region relative to the footprint.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) hot_space_pct: f64,
}

/// Size of the footprint: `{ bytes = … }`, `{ at_most_bytes = … }` or `{ drive_pct = … }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Footprint")]
pub(super) enum FootprintDefinition {
    /// Size in bytes, a multiple of 512.
    #[schemars(extend("title" = "FootprintBytes"))]
    Bytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// Size in bytes, a multiple of 512. It is reduced to the drive's capacity if that is smaller.
    #[schemars(extend("title" = "AtMostBytes"))]
    AtMostBytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// Share of the drive's capacity.
    #[schemars(extend("title" = "DrivePct"))]
    DrivePct(#[schemars(range(max = *PCT.end()), extend("exclusiveMinimum" = 0, "unit" = "%"))] f64),
}

/// Open loop, in which requests arrive independently of completions.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename = "OpenLoop")]
pub(super) struct OpenLoopDefinition {
    /// Mean time between arrivals over the whole run, including pauses. Excludes `mb_per_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Requested bandwidth; the mean gap is the mean length divided by it. Excludes `mean_gap_us`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "unit" = "MB/s"))]
    pub(super) mb_per_s: Option<f64>,
    /// Distribution of the gaps between arrivals.
    pub(super) gaps: GapsDefinition,
    /// Pauses between bursts of arrivals [default: none].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bursts: Option<BurstsDefinition>,
    /// Maximum number of outstanding requests of the flow. Further arrivals are delayed [default: no limit].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) most_outstanding: Option<u32>,
}

/// Distribution of gaps: `"constant"`, `"exponential"`, `{ hyperexponential = { … } }` or `{ pareto = { … }
/// }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[serde(rename = "Gaps")]
pub(super) enum GapsDefinition {
    /// Constant gaps.
    Constant,
    /// Exponentially distributed gaps, as in a Poisson process.
    Exponential,
    /// Hyperexponential gaps, of which most are short and some long.
    Hyperexponential(Hyperexponential),
    /// Pareto-distributed gaps, which have a heavy tail.
    Pareto(ParetoGaps),
}

/// Hyperexponential distribution: exponential gaps with one of two means.
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
    /// Exponent of the Pareto distribution.
    #[schemars(range(min = *PARETO_SHAPE.start(), max = *PARETO_SHAPE.end()), extend("unit" = ""))]
    pub(super) shape: f64,
}

/// Alternating bursts and pauses. The sum of their mean lengths must not be shorter than the mean gap.
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
    /// Distribution of the lengths of bursts and of pauses.
    pub(super) lengths: SpacingDefinition,
}

/// Distribution of lengths: `"constant"` or `"exponential"`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[serde(rename = "Spacing")]
pub(super) enum SpacingDefinition {
    /// Constant lengths.
    Constant,
    /// Exponentially distributed lengths.
    Exponential,
}
