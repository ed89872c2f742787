//! A workload as its author writes it in TOML: keys and types. From these types the schema is made, too.
//!
//! Ranges are in `ranges`; `checks` refuses what is outside of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::{
    ENDS_US, FLOWS, OUTSTANDING, PARETO_H, PARETO_SHAPE, PCT, REQUEST_BYTES, REQUESTS, RUN_REQUESTS, SPAN_US,
    STRATA, THETA, THINK_US, WEIGHT, WITHIN_WRITES,
};

/// Synthetic requests of one flow.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Workload")]
pub(super) struct Definition {
    /// A workload's name, or the path of its file, relative to this one: what is not said here is as there. Empty or left
    /// out for one that says all itself.
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// What reports call it; the file's name if it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// What it is, in a sentence.
    pub(super) description: String,
    /// Where its numbers come from.
    pub(super) source: String,
    /// Always true: a reminder to whoever reads the file.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// How many requests there are.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Reads, as a share of requests.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) read_pct: f64,
    /// Gathers of operands, as a share of requests; `read_pct` is then of the others.
    #[serde(default)]
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) gather_pct: f64,
    /// How long requests are.
    pub(super) size: Size,
    /// Where requests start.
    pub(super) address: Address,
    /// Draw operations, lengths and gaps so that each block of so many requests has one from each of as many equal parts
    /// of their law; independently if it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *STRATA.start(), max = *STRATA.end()), extend("unit" = "requests"))]
    pub(super) strata: Option<u32>,
    /// Reads of what was just written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read_after_write: Option<ReadAfterWrite>,
    /// When the flow begins, in simulated time.
    #[serde(default)]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) start_us: f64,
    /// When it ends at the latest, in simulated time; later than `start_us`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *ENDS_US.start(), max = *ENDS_US.end()), extend("unit" = "µs"))]
    pub(super) stop_us: Option<f64>,
    /// From a completion to the next request in its place; with `closed_loop_depth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *THINK_US.start(), max = *THINK_US.end()), extend("unit" = "µs"))]
    pub(super) think_us: Option<f64>,
    /// Requests outstanding at any time, which a completion makes room for; this or `open_loop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) closed_loop_depth: Option<u32>,
    /// Arrivals by the clock; this or `closed_loop_depth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open_loop: Option<OpenLoop>,
}

/// Several workloads at once, each on a queue of its own and in its own part of the drive.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Mix")]
pub(super) struct MixDefinition {
    /// A mix's name, or the path of its file, relative to this one: what is not said here is as there. Empty or left out
    /// for one that says all itself.
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "what is extended has been laid under the definition before this is read")]
    pub(super) extends: Option<String>,
    /// What reports call it; the file's name if it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// What it is, in a sentence.
    pub(super) description: String,
    /// Where its numbers come from.
    pub(super) source: String,
    /// Always true: a reminder to whoever reads the file.
    #[schemars(extend("const" = true))]
    pub(super) synthetic: bool,
    /// How many requests there are in all.
    #[schemars(range(min = *REQUESTS.start(), max = *REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) requests: u64,
    /// Mean gap of all flows together: they are sped up or slowed down by one factor. As the flows have it if it is left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Workloads of one flow: a name, the path of a file, relative to this one, or what such a file says, as a table.
    #[schemars(length(min = *FLOWS.start(), max = *FLOWS.end()))]
    pub(super) flows: Vec<FlowDefinition>,
}

/// A workload of one flow in a mix: its name, the path of its file, or what its file would say.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a flow is a workload's name, the path of its file, or a table of what that would say"
)]
#[schemars(rename = "Flow")]
pub(super) enum FlowDefinition {
    /// A workload's name, or the path of its file.
    Named(String),
    /// What a workload's file says.
    Described(#[schemars(with = "Definition")] toml::Table),
}

/// `size = { fixed_bytes = 4096 }`, `size = { choices = [ … ] }`, `size = { normal = { … } }`, or
/// `size = { by_operation = { read = …, write = … } }` with one of the others for each.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Size {
    /// One length for all: a multiple of 512.
    #[schemars(extend("title" = "FixedBytes"))]
    FixedBytes(
        #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
         u64,
    ),
    /// Each of several lengths as often as its weight says.
    #[schemars(extend("title" = "Choices"))]
    Choices(#[schemars(length(min = 1))] Vec<Choice>),
    /// Normally distributed.
    Normal(NormalSizes),
    /// Lengths of reads and of writes.
    ByOperation(Box<ByOperation>),
}

/// Lengths of reads and of writes, each by one of the other laws.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ByOperation {
    /// Lengths of reads.
    pub(super) read: Size,
    /// Lengths of writes.
    pub(super) write: Size,
}

/// Normally distributed lengths, rounded up to sectors of 512 bytes; from one sector to six deviations above the mean.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalSizes {
    /// The mean: a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) mean_bytes: u64,
    /// The standard deviation: a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) deviation_bytes: u64,
}

/// One of several lengths.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    /// The length: a multiple of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) bytes: u64,
    /// Its share among the weights of all.
    #[schemars(range(min = *WEIGHT.start(), max = *WEIGHT.end()), extend("unit" = ""))]
    pub(super) weight: u32,
}

/// Where requests start.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Address {
    /// Where requests start that do not go on from the one before.
    pub(super) pattern: Pattern,
    /// How much of the drive is touched, from its first sector on.
    pub(super) footprint: Footprint,
    /// Starts are multiples of this, which is one of 512.
    #[schemars(range(min = *REQUEST_BYTES.start(), max = *REQUEST_BYTES.end()), extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_bytes: u64,
    /// And so much farther on: a multiple of 512 below `align_bytes`.
    #[serde(default)]
    #[schemars(extend("multipleOf" = 512, "unit" = "bytes"))]
    pub(super) align_offset_bytes: u64,
    /// Mean number of requests in a sequential run; 1 is no runs.
    #[serde(default = "no_runs")]
    #[schemars(range(min = *RUN_REQUESTS.start(), max = *RUN_REQUESTS.end()), extend("unit" = "requests"))]
    pub(super) run_requests: f64,
    /// Whether, in a run or under the sequential pattern, reads go on from reads and writes from writes.
    #[serde(default)]
    pub(super) runs_by_operation: bool,
}

fn no_runs() -> f64 {
    1.0
}

/// Reads that repeat the place and length of a recent write.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAfterWrite {
    /// Share of reads that do.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) pct: f64,
    /// Of so many last writes, evenly.
    #[schemars(range(min = *WITHIN_WRITES.start(), max = *WITHIN_WRITES.end()), extend("unit" = "writes"))]
    pub(super) within_writes: u32,
}

/// `"uniform"`, `"sequential"`, `"permutation"`, `{ zipf = { … } }`, `{ hot_cold = { … } }`, `{ pareto = { … } }` or
/// `{ normal = { … } }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Pattern {
    /// Anywhere, evenly.
    Uniform,
    /// Each where the one before ended, and from the start again at the end.
    Sequential,
    /// Every place once before any comes again.
    Permutation,
    /// Places of unequal popularity.
    Zipf(Zipf),
    /// Two regions.
    HotCold(HotCold),
    /// Self-similar popularity.
    Pareto(ParetoPlaces),
    /// About the middle of the footprint.
    Normal(NormalPlaces),
}

/// Self-similar popularity: the first share h of the places gets the share 1 - h of requests, and so on within it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoPlaces {
    /// The share h: 0.2 is the rule of 80 and 20.
    #[schemars(range(min = *PARETO_H.start(), max = *PARETO_H.end()), extend("unit" = ""))]
    pub(super) h: f64,
}

/// Normally distributed places about the middle of the footprint, cut off at its ends.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalPlaces {
    /// The standard deviation, as a share of the footprint.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) deviation_pct: f64,
}

/// Zipf's law: the place of rank k comes in proportion to k to the power of -theta; ranks are scattered over the footprint.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Zipf {
    /// The skew: 0.99 is that of the YCSB benchmark.
    #[schemars(range(min = *THETA.start(), max = *THETA.end()), extend("unit" = ""))]
    pub(super) theta: f64,
}

/// Two regions, the first of which is hot.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HotCold {
    /// Share of requests that start in the hot part.
    #[schemars(range(min = *PCT.start(), max = *PCT.end()), extend("unit" = "%"))]
    pub(super) hot_access_pct: f64,
    /// Share of places that are hot.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) hot_space_pct: f64,
}

/// `{ bytes = … }`, `{ at_most_bytes = … }` or `{ drive_pct = … }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Footprint {
    /// So many bytes: a multiple of 512.
    #[schemars(extend("title" = "FootprintBytes"))]
    Bytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// So many bytes, or the whole drive if that is smaller: a multiple of 512.
    #[schemars(extend("title" = "AtMostBytes"))]
    AtMostBytes(#[schemars(range(min = 512), extend("multipleOf" = 512, "unit" = "bytes"))] u64),
    /// A share of the drive.
    #[schemars(extend("title" = "DrivePct"))]
    DrivePct(#[schemars(range(max = *PCT.end()), extend("exclusiveMinimum" = 0, "unit" = "%"))] f64),
}

/// Arrivals by the clock, whatever the drive has done.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenLoop {
    /// Mean time from one arrival to the next over the whole run, pauses included; this or `mb_per_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) mean_gap_us: Option<f64>,
    /// Bandwidth that is asked for, which with the mean length gives the mean gap; this or `mean_gap_us`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "unit" = "MB/s"))]
    pub(super) mb_per_s: Option<f64>,
    /// How gaps vary.
    pub(super) gaps: Gaps,
    /// Pauses between bursts of arrivals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bursts: Option<Bursts>,
    /// Arrivals are put off while so many requests of the flow are outstanding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = *OUTSTANDING.start(), max = *OUTSTANDING.end()), extend("unit" = "requests"))]
    pub(super) most_outstanding: Option<u32>,
}

/// `"constant"`, `"exponential"`, `{ hyperexponential = { … } }` or `{ pareto = { … } }`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Gaps {
    /// All alike.
    Constant,
    /// Exponentially distributed: arrivals are a Poisson process.
    Exponential,
    /// Most gaps short, some long.
    Hyperexponential(Hyperexponential),
    /// A heavy tail.
    Pareto(ParetoGaps),
}

/// Gaps that are exponentially distributed about one of two means.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hyperexponential {
    /// Share of gaps that are long; one over it is the mean number of requests in a burst.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) long_pct: f64,
    /// Mean of the short gaps, as a share of the mean of all.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 100, "unit" = "%"))]
    pub(super) short_mean_pct: f64,
}

/// Gaps with a heavy tail: they exceed x with a probability in proportion to x to the power of -shape.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoGaps {
    /// The exponent.
    #[schemars(range(min = *PARETO_SHAPE.start(), max = *PARETO_SHAPE.end()), extend("unit" = ""))]
    pub(super) shape: f64,
}

/// Bursts and pauses in turn; together no shorter than the mean gap.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bursts {
    /// Mean length of a burst.
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) on_us: f64,
    /// Mean length of a pause.
    #[schemars(range(min = *SPAN_US.start(), max = *SPAN_US.end()), extend("unit" = "µs"))]
    pub(super) off_us: f64,
    /// How both vary.
    pub(super) lengths: Spacing,
}

/// `"constant"` or `"exponential"`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spacing {
    /// All alike.
    Constant,
    /// Exponentially distributed.
    Exponential,
}
