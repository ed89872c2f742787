//! Criterion that determined the length of a run, and its outcome.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_drive::observe::StopGoal;
use venice_fabric::Fabric;

/// Criterion that can end a run, and its outcome.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct StopCriterionReport {
    /// Kind of criterion: `steady` for the verdict of `steadiness`, `precision` for the confidence interval
    /// of a figure.
    pub criterion: &'static str,
    /// True if the criterion ended the run; false if the requests ended earlier.
    pub reached: bool,
    /// Total number of requests issued, including warm-up.
    #[schemars(extend("unit" = "requests"))]
    pub requests: u64,
    /// Half-width of the confidence interval at which the run ends, in % of the estimate; absent for the
    /// criterion `steady`.
    pub most_half_width_pct: Option<f64>,
    /// Half-width of the last 95 % confidence interval by batch means, in % of the estimate; absent for the
    /// criterion `steady` and with fewer than 20 batches.
    pub half_width_pct: Option<f64>,
    /// Estimate of the figure: its mean over the batches.
    #[schemars(extend("unit" = "the figure's"))]
    pub estimate: Option<f64>,
    /// Number of batches.
    #[schemars(extend("unit" = "batches"))]
    pub batches: Option<u64>,
    /// Number of requests per batch.
    #[schemars(extend("unit" = "requests"))]
    pub batch_requests: Option<u64>,
    /// Lag-1 autocorrelation of the batches.
    #[schemars(extend("unit" = "1"))]
    pub autocorrelation: Option<f64>,
}

/// Reports the criterion of a run, if there was one.
pub(super) fn until_report(device: &Device<dyn Fabric>) -> Option<StopCriterionReport> {
    let until = device.probes().until.as_deref()?;
    let found = until.precision();
    let (criterion, most_half_width_pct) = match until.goal() {
        StopGoal::Steady => ("steady", None),
        StopGoal::Precision(goal) => ("precision", Some(goal.most_ppm as f64 / 1e4)),
    };
    Some(StopCriterionReport {
        criterion,
        reached: until.is_reached(),
        requests: device.host().submitted(),
        most_half_width_pct,
        half_width_pct: found.map(|found| found.half_width_pct),
        estimate: found.map(|found| found.estimate),
        batches: found.map(|found| found.batches as u64),
        batch_requests: found.map(|found| found.batch_requests),
        autocorrelation: found.map(|found| found.autocorrelation),
    })
}
