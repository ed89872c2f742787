//! Steady state: criterion for the end of a job, as in fio.
//!
//! # What it models
//! fio's `steadystate`: a figure is sampled once per interval. If, over a window of several intervals, its
//! deviation from the mean or its slope stays within a limit, the flow ends. Flows of a group are evaluated
//! together.
//!
//! # What is left out
//! fio's minimum of one second for `ss_interval` does not apply, because simulated runs are short.
//!
//! # Source
//! fio's HOWTO, version 3.42, `steadystate`.

use venice_kernel::SimSpan;

/// Figure that is sampled to detect a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyFigure {
    /// Completed requests per second.
    Iops,
    /// Bytes of completed requests per second.
    Bandwidth,
    /// Mean latency, in nanoseconds.
    Latency,
}

/// Steady-state criterion, which ends a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyStateCriterion {
    /// Figure that is sampled.
    pub figure: SteadyFigure,
    /// True if the slope is limited; false if the largest deviation from the mean is limited.
    pub by_slope: bool,
    /// Limit of the slope per interval, or of the largest deviation from the mean.
    pub limit: f64,
    /// True if `limit` is in % of the mean over the window.
    pub limit_is_pct: bool,
    /// Length of the window, a multiple of the interval.
    pub window: SimSpan,
    /// Sampling interval.
    pub interval: SimSpan,
    /// Time at the start of the flow during which nothing is sampled.
    pub ramp: SimSpan,
    /// Number of the group. All flows of a group are evaluated together.
    pub group: u32,
}

impl SteadyStateCriterion {
    /// Returns the number of intervals in a window.
    pub fn intervals(&self) -> usize {
        (self.window.as_ps() / self.interval.as_ps().max(1)) as usize
    }
}
