//! A workload as its author writes it in TOML: keys and types, not yet ranges.

use serde::Deserialize;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// What it is, in a sentence.
    pub(super) description: String,
    /// Where its numbers come from.
    pub(super) source: String,
    /// Always true: a reminder to whoever reads the file.
    pub(super) synthetic: bool,
    /// How many requests.
    pub(super) requests: u64,
    /// Reads, in per cent of requests.
    pub(super) read_pct: f64,
    /// Gathers, in per cent of requests; `read_pct` is then of the others.
    #[serde(default)]
    pub(super) gather_pct: f64,
    /// Lengths.
    pub(super) size: Size,
    /// Places.
    pub(super) address: Address,
    /// Draw operations, sizes and gaps by so many strata; independently without it.
    pub(super) strata: Option<u32>,
    /// Reads of what was just written.
    pub(super) read_after_write: Option<ReadAfterWrite>,
    /// When the flow begins, in microseconds.
    #[serde(default)]
    pub(super) start_us: f64,
    /// When it ends at the latest.
    pub(super) stop_us: Option<f64>,
    /// From a completion to the next request; with `closed_loop_depth`.
    pub(super) think_us: Option<f64>,
    /// Requests outstanding; this or `open_loop`.
    pub(super) closed_loop_depth: Option<u32>,
    /// Arrivals by the clock; this or `closed_loop_depth`.
    pub(super) open_loop: Option<OpenLoop>,
}

/// `size = { fixed_bytes = 4096 }`, `size = { choices = [ … ] }`, `size = { normal = { … } }`, or
/// `size = { by_operation = { read = …, write = … } }` with one of the others for each.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Size {
    FixedBytes(u64),
    Choices(Vec<Choice>),
    Normal(Normal),
    ByOperation(Box<ByOperation>),
}

/// `{ read = { fixed_bytes = 4096 }, write = { fixed_bytes = 16384 } }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByOperation {
    pub(super) read: Size,
    pub(super) write: Size,
}

/// `{ mean_bytes = 8192, deviation_bytes = 2048 }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Normal {
    pub(super) mean_bytes: u64,
    pub(super) deviation_bytes: u64,
}

/// `{ bytes = 8192, weight = 3 }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    pub(super) bytes: u64,
    pub(super) weight: u32,
}

/// The table `[address]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Address {
    pub(super) pattern: Pattern,
    pub(super) footprint: Footprint,
    pub(super) align_bytes: u64,
    #[serde(default)]
    pub(super) align_offset_bytes: u64,
    #[serde(default = "no_runs")]
    pub(super) run_requests: f64,
    #[serde(default)]
    pub(super) runs_by_operation: bool,
}

fn no_runs() -> f64 {
    1.0
}

/// `{ pct = 20.0, within_writes = 64 }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAfterWrite {
    pub(super) pct: f64,
    pub(super) within_writes: u32,
}

/// `"uniform"`, `"sequential"`, `"permutation"`, `{ zipf = { … } }`, `{ hot_cold = { … } }`, `{ pareto = { … } }` or
/// `{ normal = { … } }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Pattern {
    Uniform,
    Sequential,
    Permutation,
    Zipf(Zipf),
    HotCold(HotCold),
    Pareto(ParetoPlaces),
    Normal(NormalPlaces),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoPlaces {
    pub(super) h: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalPlaces {
    pub(super) deviation_pct: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Zipf {
    pub(super) theta: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HotCold {
    pub(super) hot_access_pct: f64,
    pub(super) hot_space_pct: f64,
}

/// `{ bytes = … }`, `{ at_most_bytes = … }` or `{ drive_pct = … }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Footprint {
    Bytes(u64),
    AtMostBytes(u64),
    DrivePct(f64),
}

/// The table `[open_loop]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenLoop {
    pub(super) mean_gap_us: Option<f64>,
    pub(super) mb_per_s: Option<f64>,
    pub(super) gaps: Gaps,
    pub(super) bursts: Option<Bursts>,
    pub(super) most_outstanding: Option<u32>,
}

/// `"constant"`, `"exponential"`, `{ hyperexponential = { … } }` or `{ pareto = { … } }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Gaps {
    Constant,
    Exponential,
    Hyperexponential(Hyperexponential),
    Pareto(ParetoGaps),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hyperexponential {
    pub(super) long_pct: f64,
    pub(super) short_mean_pct: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoGaps {
    pub(super) shape: f64,
}

/// The table `[open_loop.bursts]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bursts {
    pub(super) on_us: f64,
    pub(super) off_us: f64,
    pub(super) lengths: Spacing,
}

/// `"constant"` or `"exponential"`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spacing {
    Constant,
    Exponential,
}
