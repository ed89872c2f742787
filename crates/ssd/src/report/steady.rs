//! Whether flows that end when they are steady were.

use schemars::JsonSchema;
use serde::Serialize;
use venice_kernel::SimTime;

use crate::observe::SteadyJudge;
use venice_requests::SteadyFigure;

/// Flows that are judged together.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SteadyReport {
    /// Their host queues.
    #[schemars(extend("unit" = ""))]
    pub queues: Vec<u16>,
    /// What is taken every interval: `iops`; `bw`, in bytes per second; `lat`, the mean latency in nanoseconds.
    pub figure: &'static str,
    /// Whether its slope is judged, rather than its largest distance from the mean.
    pub by_slope: bool,
    /// What the slope, or the distance, has to stay below, in the figure's unit or in %.
    #[schemars(extend("unit" = "the figure's, or %"))]
    pub limit: f64,
    /// Whether that is in % of the mean.
    pub limit_is_pct: bool,
    /// Over how long it is judged, in microseconds.
    pub window_us: f64,
    /// How often it is taken, in microseconds.
    pub interval_us: f64,
    /// So long at first nothing is taken, in microseconds.
    pub ramp_us: f64,
    /// Whether they were steady.
    pub attained: bool,
    /// When they were, in microseconds since the run's start; they issue nothing afterwards.
    pub attained_at_us: Option<f64>,
    /// The mean over the last window; absent, as what follows, if there was no whole one.
    #[schemars(extend("unit" = "the figure's"))]
    pub mean: Option<f64>,
    /// The largest distance from it.
    #[schemars(extend("unit" = "the figure's"))]
    pub deviation: Option<f64>,
    /// The slope of the best line, from one interval to the next.
    #[schemars(extend("unit" = "the figure's"))]
    pub slope: Option<f64>,
    /// What is compared with the limit; absent, too, of a window in which nothing happened.
    #[schemars(extend("unit" = "the figure's, or %"))]
    pub criterion: Option<f64>,
}

pub(super) fn steady_report(judge: &SteadyJudge) -> SteadyReport {
    let (goal, verdict) = (judge.goal(), judge.verdict());
    SteadyReport {
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
