//! Jobs that end when they are steady.
//!
//! # What it models
//! fio's `steadystate`: a figure is taken once every interval; when, over a window of so many intervals, it keeps within a
//! limit of its mean, or its slope within a limit, nothing more is issued. Flows of one group are judged together.
//!
//! # What is left out
//! fio's `ss_interval` is one second at least; here it is any time, because runs are short.
//!
//! # Source
//! fio's HOWTO, version 3.42, `steadystate`.

use venice_kernel::SimSpan;

/// What is taken every interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyFigure {
    /// Requests completed per second.
    Iops,
    /// Bytes of completed requests per second.
    Bandwidth,
    /// Mean latency, in nanoseconds.
    Latency,
}

/// When a flow counts as steady, and ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyGoal {
    /// What is taken.
    pub figure: SteadyFigure,
    /// Whether its slope is judged, rather than how far it goes from its mean.
    pub by_slope: bool,
    /// What the slope from one interval to the next, or the largest distance from the mean, has to stay below.
    pub limit: f64,
    /// Whether the limit is in % of the mean over the window.
    pub limit_is_pct: bool,
    /// Over how long it is judged: several intervals.
    pub window: SimSpan,
    /// How often it is taken.
    pub interval: SimSpan,
    /// From the flow's start so long nothing is taken.
    pub ramp: SimSpan,
    /// Flows with the same number are judged together.
    pub group: u32,
}

impl SteadyGoal {
    /// Intervals of a window.
    pub fn intervals(&self) -> usize {
        (self.window.as_ps() / self.interval.as_ps().max(1)) as usize
    }
}
