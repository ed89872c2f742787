//! End of a run by a criterion: steady state of the drive, or a given precision of a figure.
//!
//! # How
//! *Steady.* The measured phase is a window of requests, judged by [`SteadyStateTest`] at its end. A window that
//! is not settled becomes warm-up, and the next one has twice as many requests, so the figures of the run are
//! those of a settled window.
//!
//! *Precision.* Non-overlapping batch means: completions are grouped into consecutive batches of equal size;
//! the figure of each batch (a mean, a quantile or a rate) is one observation, and the confidence interval
//! follows from Student's t. The interval is computed at 20, 24, 28 and 32 batches; 32 batches are then
//! merged in pairs, so the batch size doubles. The run ends when the half-width of the 95 % interval is below
//! the given share of the estimate and the batches are uncorrelated: their lag-1 autocorrelation is at most
//! `2 / sqrt(batches)`.
//!
//! # Limits
//! An initial transient is not removed in the mode *precision*: use a warm-up. The interval is that of one
//! sequence of requests under one seed.
//!
//! # Source
//! Law, Simulation Modeling and Analysis, 5th ed. (2015), section 9.5.3 (batch means; sequential procedure
//! with doubled batches); Seila, "A batching approach to quantile estimation in regenerative simulations",
//! Management Science 28 (1982) 573 (batch quantiles); Box, Jenkins and Reinsel, Time Series Analysis, 4th
//! ed. (2008), section 2.1.6 (bound of an uncorrelated series).

use venice_kernel::SimTime;
use venice_requests::Op;

use super::{Completion, Latencies, Probe, Rounds, SteadyStateTest, SteadyStateVerdict};

/// Requests of the first judged window: a thousand per round.
const FIRST_WINDOW: u64 = 5_000;
/// Numbers of batches at which the interval is computed, with the 97.5 % quantile of Student's t for one
/// degree of freedom less (NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2).
const LOOKS: [(usize, f64); 4] = [(20, 2.093), (24, 2.069), (28, 2.052), (32, 2.040)];
/// Maximum number of batches, at which pairs are merged.
const MAX_BATCHES: usize = 32;
/// Initial batch size for means.
const MEAN_BATCH: u64 = 100;
/// Initial number of requests above the quantile per batch.
const BEYOND_QUANTILE: u64 = 10;
/// Unity in parts per million.
const WHOLE_PPM: u64 = 1_000_000;

/// Criterion that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopGoal {
    /// Steady state of the measured phase.
    Steady,
    /// Precision of a figure.
    Precision(PrecisionGoal),
}

/// Required precision of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrecisionGoal {
    /// Figure to be estimated.
    pub figure: PreciseFigure,
    /// Operation whose requests count; `None` for all operations.
    pub op: Option<Op>,
    /// Maximum half-width of the interval, in parts per million of the estimate.
    pub most_ppm: u64,
}

/// Figure of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreciseFigure {
    /// The mean latency.
    MeanLatency,
    /// Quantile of the latency, in parts per million.
    LatencyQuantile(u64),
    /// The requests per second.
    Iops,
}

impl PrecisionGoal {
    fn first_batch(&self) -> u64 {
        match self.figure {
            PreciseFigure::LatencyQuantile(ppm) => {
                (BEYOND_QUANTILE * WHOLE_PPM / (WHOLE_PPM - ppm).max(1)).max(MEAN_BATCH)
            }
            PreciseFigure::MeanLatency | PreciseFigure::Iops => MEAN_BATCH,
        }
    }
}

/// Consequence of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDecision {
    /// The run continues.
    GoOn,
    /// The run continues, and its measured phase begins again.
    MeasureAnew,
    /// The run ends.
    Stop,
}

/// Confidence interval of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Mean of the batches: microseconds, or requests per second.
    pub estimate: f64,
    /// Half-width of the 95 % interval, in % of the estimate.
    pub half_width_pct: f64,
    /// Number of batches.
    pub batches: usize,
    /// Requests per batch.
    pub batch_requests: u64,
    /// Lag-1 autocorrelation of the batches.
    pub autocorrelation: f64,
}

/// Criterion of a run and its state.
#[derive(Clone, Debug)]
pub struct StopCriterion {
    goal: StopGoal,
    /// Requests of the current window.
    window: u64,
    batches: CompletionBatches,
    precision: Option<Precision>,
    is_reached: bool,
}

impl StopCriterion {
    /// Creates the state before the run.
    pub fn new(goal: StopGoal) -> Self {
        let size = match goal {
            StopGoal::Precision(goal) => goal.first_batch(),
            StopGoal::Steady => MEAN_BATCH,
        };
        let batches = CompletionBatches::new(size);
        Self { goal, window: FIRST_WINDOW, batches, precision: None, is_reached: false }
    }

    /// Returns the criterion.
    pub const fn goal(&self) -> StopGoal {
        self.goal
    }

    /// True if the criterion has ended the run.
    pub const fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// Returns the last interval of the figure, if one was computed.
    pub const fn precision(&self) -> Option<Precision> {
        self.precision
    }

    /// Processes a completion. `left` is the number of requests that the flows have not issued yet; `None` if
    /// unknown.
    pub fn completed(
        &mut self,
        completion: &Completion<'_>,
        rounds: &Rounds,
        left: Option<u64>,
        now: SimTime,
    ) -> StopDecision {
        if self.is_reached || !completion.is_measured || completion.request.has_failed {
            return StopDecision::GoOn;
        }
        match self.goal {
            StopGoal::Steady => self.judge(rounds, left),
            StopGoal::Precision(goal) => {
                if goal.op.is_none_or(|op| op == completion.request.host.op) {
                    self.measure(&goal, completion, now);
                }
                if self.is_reached { StopDecision::Stop } else { StopDecision::GoOn }
            }
        }
    }

    fn judge(&mut self, rounds: &Rounds, left: Option<u64>) -> StopDecision {
        if rounds.completed() < self.window {
            return StopDecision::GoOn;
        }
        if SteadyStateTest::of(rounds).verdict() == SteadyStateVerdict::Settled {
            self.is_reached = true;
            return StopDecision::Stop;
        }
        self.window *= 2;
        // A last window without enough requests would measure less than the previous one.
        let is_enough = left.is_none_or(|left| left >= self.window);
        if is_enough { StopDecision::MeasureAnew } else { StopDecision::GoOn }
    }

    fn measure(&mut self, goal: &PrecisionGoal, completion: &Completion<'_>, now: SimTime) {
        if !self.batches.add(completion, now) {
            return;
        }
        let count = self.batches.closed.len();
        let Some(&(_, t)) = LOOKS.iter().find(|(batches, _)| *batches == count) else { return };
        let figures: Vec<f64> = self.batches.closed.iter().map(|batch| batch.figure(goal.figure)).collect();
        let precision = interval(&figures, t, self.batches.size);
        self.precision = Some(precision);
        let is_uncorrelated = precision.autocorrelation <= 2.0 / (count as f64).sqrt();
        self.is_reached = is_uncorrelated && precision.half_width_pct * 1e4 < goal.most_ppm as f64;
        if count == MAX_BATCHES && !self.is_reached {
            self.batches.join();
        }
    }
}

/// The front end calls the criterion directly, because a probe cannot end a flow.
impl Probe for StopCriterion {}

fn interval(figures: &[f64], t: f64, batch_requests: u64) -> Precision {
    let count = figures.len() as f64;
    let estimate = figures.iter().sum::<f64>() / count;
    let squares: f64 = figures.iter().map(|one| (one - estimate).powi(2)).sum();
    let products: f64 = figures.windows(2).map(|pair| (pair[0] - estimate) * (pair[1] - estimate)).sum();
    let half_width = t * (squares / (count - 1.0) / count).sqrt();
    Precision {
        estimate,
        half_width_pct: if half_width == 0.0 { 0.0 } else { half_width / estimate * 100.0 },
        batches: figures.len(),
        batch_requests,
        autocorrelation: if squares == 0.0 { 0.0 } else { products / squares },
    }
}

/// Consecutive completions of one batch.
#[derive(Clone, Debug, Default)]
struct CompletionBatch {
    latencies: Latencies,
    sum_ps: u128,
    begin: SimTime,
    end: SimTime,
}

impl CompletionBatch {
    fn figure(&self, figure: PreciseFigure) -> f64 {
        let count = self.latencies.count() as f64;
        match figure {
            PreciseFigure::MeanLatency => self.sum_ps as f64 / count / 1e6,
            PreciseFigure::Iops => count / self.end.since(self.begin).as_us() * 1e6,
            PreciseFigure::LatencyQuantile(ppm) => {
                let quantile = ppm as f64 / WHOLE_PPM as f64;
                let found = self.latencies.distribution();
                found.and_then(|all| all.quantiles_us([quantile]).next()).unwrap_or(0.0)
            }
        }
    }

    fn joined(mut self, later: &Self) -> Self {
        self.latencies.merge(&later.latencies);
        self.sum_ps += later.sum_ps;
        self.end = later.end;
        self
    }
}

/// Batches of a run.
#[derive(Clone, Debug)]
struct CompletionBatches {
    size: u64,
    open: CompletionBatch,
    closed: Vec<CompletionBatch>,
}

impl CompletionBatches {
    fn new(size: u64) -> Self {
        Self { size, open: CompletionBatch::default(), closed: Vec::new() }
    }

    /// Adds a completion. Returns true if it completes a batch.
    fn add(&mut self, completion: &Completion<'_>, now: SimTime) -> bool {
        if self.closed.is_empty() && self.open.latencies.count() == 0 {
            self.open.begin = completion.request.host.arrival;
        }
        self.open.latencies.record(completion.latency);
        self.open.sum_ps += u128::from(completion.latency.as_ps());
        if self.open.latencies.count() < self.size {
            return false;
        }
        self.open.end = now;
        let next = CompletionBatch { begin: now, ..CompletionBatch::default() };
        self.closed.push(std::mem::replace(&mut self.open, next));
        true
    }

    fn join(&mut self) {
        let pairs = self.closed.chunks(2).map(|pair| pair[0].clone().joined(&pair[1]));
        self.closed = pairs.collect();
        self.size *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The half-width of a table in Law, section 9.5.3, is that of Student's t over independent batches.
    #[test]
    fn the_interval_is_that_of_students_t() {
        let figures: Vec<f64> = (0..20).map(|n| if n % 2 == 0 { 9.0 } else { 11.0 }).collect();
        let found = interval(&figures, 2.093, 100);
        let deviation = (20.0_f64 / 19.0).sqrt();
        assert!((found.estimate - 10.0).abs() < 1e-12);
        assert!((found.half_width_pct - 2.093 * deviation / 20.0_f64.sqrt() / 10.0 * 100.0).abs() < 1e-9);
        assert!((found.autocorrelation + 0.95).abs() < 1e-9, "they alternate");
    }

    #[test]
    fn a_batch_of_a_quantile_has_ten_requests_beyond_it() {
        let size = |figure| PrecisionGoal { figure, op: None, most_ppm: 1 }.first_batch();
        assert_eq!(size(PreciseFigure::MeanLatency), 100);
        assert_eq!(size(PreciseFigure::LatencyQuantile(500_000)), 100);
        assert_eq!(size(PreciseFigure::LatencyQuantile(990_000)), 1_000);
        assert_eq!(size(PreciseFigure::LatencyQuantile(999_000)), 10_000);
    }
}
