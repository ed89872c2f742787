//! Figures of flows that end in steady state, in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::observe::FlowSteadyState;
use venice_kernel::SimTime;

use venice_requests::SteadyFigure;

/// Steady state of a group of flows that is determined for the flows together.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct FlowSteadyStateReport {
    /// Host queues of the flows.
    #[schemars(extend("unit" = ""))]
    pub queues: Vec<u16>,
    /// Figure that is measured in every interval: `iops`, `bw` (bytes per second) or `lat` (mean latency in
    /// nanoseconds).
    pub figure: &'static str,
    /// True if the criterion is the slope of the figure. False if it is the maximum distance of an interval's
    /// value from the mean.
    pub by_slope: bool,
    /// Upper bound of the slope or distance, in the figure's unit or in %.
    #[schemars(extend("unit" = "the figure's, or %"))]
    pub limit: f64,
    /// True if the limit is in % of the mean over the window.
    pub limit_is_pct: bool,
    /// Length of the window in which steady state is tested, in microseconds.
    pub window_us: f64,
    /// Length of an interval, in microseconds.
    pub interval_us: f64,
    /// Initial period without measurement, in microseconds.
    pub ramp_us: f64,
    /// True if the flows reached steady state.
    pub attained: bool,
    /// Time at which the flows reached steady state and ended, in microseconds since the start of the run.
    pub attained_at_us: Option<f64>,
    /// Mean over the last window; absent if no window was completed.
    #[schemars(extend("unit" = "the figure's"))]
    pub mean: Option<f64>,
    /// Maximum distance of an interval's value from the mean; absent if no window was completed.
    #[schemars(extend("unit" = "the figure's"))]
    pub deviation: Option<f64>,
    /// Slope of the least-squares line through the values, per interval; absent if no window was completed.
    #[schemars(extend("unit" = "the figure's"))]
    pub slope: Option<f64>,
    /// Value compared with the limit; absent for a window without completions.
    #[schemars(extend("unit" = "the figure's, or %"))]
    pub criterion: Option<f64>,
}

pub(super) fn steady_report(judge: &FlowSteadyState) -> FlowSteadyStateReport {
    let (goal, verdict) = (judge.goal(), judge.verdict());
    FlowSteadyStateReport {
        queues: judge.queues().to_vec(),
        figure: match goal.figure {
            SteadyFigure::Iops => "iops",
            SteadyFigure::Bandwidth => "bw",
            SteadyFigure::Latency => "lat",
        },
        by_slope: goal.by_slope,
        limit: goal.limit,
        limit_is_pct: goal.limit_is_pct,
        window_us: goal.window.as_us(),
        interval_us: goal.interval.as_us(),
        ramp_us: goal.ramp.as_us(),
        attained: judge.attained().is_some(),
        attained_at_us: judge.attained().map(SimTime::as_us),
        mean: verdict.map(|verdict| verdict.mean),
        deviation: verdict.map(|verdict| verdict.deviation),
        slope: verdict.map(|verdict| verdict.slope),
        criterion: verdict.map(|verdict| verdict.criterion).filter(|&criterion| criterion < f64::MAX),
    }
}
