//! Observation options that all kinds of runs have.

use pyo3::prelude::*;
use venice_drive::observe::{
    IntervalSettings, PreciseFigure, PrecisionGoal, SliceSettings, StopGoal, WarmUp,
};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, Op};
use venice_sim::assembly::RunOptions;

use crate::error;

/// Options for the observation of a run. The mapping passed from Python must have all of these keys.
#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ObservationOptions {
    /// True if the audit checks the contents of the drive during the run.
    audit: bool,
    /// Warm-up: number of requests, and simulated time in microseconds.
    warmup: (u64, f64),
    /// Length of an interval in picoseconds, and the (even) maximum number of intervals.
    intervals: Option<(u64, u32)>,
    /// Number of slowest requests reported with their causes.
    slowest: u32,
    /// True if the report contains complete latency distributions.
    distributions: bool,
    /// True if waits are attributed to causes.
    causes: bool,
    /// Time window in which slices are recorded, as start and end in picoseconds, and the maximum number of
    /// slices.
    slices: Option<(u64, u64, u32)>,
    /// Criterion that ends the run: figure, operation, and half-width of the confidence interval in parts per
    /// million. The criterion `steady` uses only the first element.
    until: Option<(String, String, u64)>,
    /// True if the queues and the activity of each chip are measured.
    chips: bool,
}

impl ObservationOptions {
    /// Returns true if a criterion ends the run.
    pub const fn has_criterion(&self) -> bool {
        self.until.is_some()
    }

    /// Returns the observation options of the engine for a run with the flows `flows`.
    ///
    /// # Errors
    /// `UsageError` for an unknown criterion.
    pub fn options(&self, flows: &[Flow]) -> PyResult<RunOptions> {
        Ok(RunOptions {
            warm_up: self.warm_up(flows),
            audit: self.audit,
            watch_chips: self.chips,
            intervals: self.interval_settings(),
            slowest: self.slowest,
            distributions: self.distributions,
            causes: self.causes,
            slices: self.slice_settings(),
            until: self.until_goal()?,
            ..RunOptions::default()
        })
    }

    /// Returns the configured warm-up. If none is configured, returns the longest warm-up that a flow
    /// defines.
    fn warm_up(&self, flows: &[Flow]) -> WarmUp {
        let (requests, until_us) = self.warmup;
        let until = if requests == 0 && until_us == 0.0 {
            flows.iter().map(Flow::begins_to_count).max()
        } else {
            Some(SimTime::ZERO + SimSpan::from_us_f64(until_us))
        };
        WarmUp { requests, until: until.unwrap_or(SimTime::ZERO) }
    }

    fn until_goal(&self) -> PyResult<Option<StopGoal>> {
        let Some((figure, op, most_ppm)) = &self.until else { return Ok(None) };
        if figure == "steady" {
            return Ok(Some(StopGoal::Steady));
        }
        let wrong = || error::usage(&format!("`{figure}` of `{op}` cannot end a run"));
        let figure = figure_of(figure).ok_or_else(wrong)?;
        let op = op_of(op).map_err(|UnknownOperation| wrong())?;
        Ok(Some(StopGoal::Precision(PrecisionGoal { figure, op, most_ppm: *most_ppm })))
    }

    fn interval_settings(&self) -> Option<IntervalSettings> {
        let (ps, most) = self.intervals?;
        Some(IntervalSettings { length: SimSpan::from_ps(ps), most })
    }

    fn slice_settings(&self) -> Option<SliceSettings> {
        let (from, to, most) = self.slices?;
        Some(SliceSettings { from: SimTime::from_ps(from), to: SimTime::from_ps(to), most })
    }
}

fn figure_of(name: &str) -> Option<PreciseFigure> {
    Some(match name {
        "mean" => PreciseFigure::MeanLatency,
        "p50" => PreciseFigure::LatencyQuantile(500_000),
        "p90" => PreciseFigure::LatencyQuantile(900_000),
        "p99" => PreciseFigure::LatencyQuantile(990_000),
        "p999" => PreciseFigure::LatencyQuantile(999_000),
        "iops" => PreciseFigure::Iops,
        _ => return None,
    })
}

/// Returns the operation with this name, or `None` for `all`.
fn op_of(name: &str) -> Result<Option<Op>, UnknownOperation> {
    match name {
        "all" => Ok(None),
        // The latencies of a trim are those of all its ranges.
        _ => Op::by_name(name).filter(|&op| op != Op::TrimRange).map(Some).ok_or(UnknownOperation),
    }
}

/// Error for an unknown name of an operation.
struct UnknownOperation;
