//! Criteria that end a run: steady state of the drive, or a given precision of a figure.
//!
//! # How
//! *Steady state.* The measured phase is a window with a given number of requests. At its end,
//! [`SteadyStateTest`] tests it for steady state. A window that is not in steady state becomes part of the
//! warm-up, and the next window has twice as many requests. The reported figures are thus those of a window
//! in steady state.
//!
//! *Precision.* The method is that of non-overlapping batch means. Completions are grouped into consecutive
//! batches of equal size. The figure of each batch (a mean, a quantile or a rate) is one observation, and the
//! confidence interval follows from Student's t distribution. The interval is computed after 20, 24, 28 and
//! 32 batches. Then the 32 batches are merged in pairs, so the batch size doubles. The run ends when two
//! conditions are met. The half-width of the 95 % interval is below the given share of the estimate, and the
//! batches are uncorrelated: their lag-1 autocorrelation is at most `2 / sqrt(batches)`.
//!
//! # Limits
//! *Precision* does not remove an initial transient; use a warm-up for this. The interval is valid for one
//! sequence of requests with one seed.
//!
//! # Source
//! Law, Simulation Modeling and Analysis, 5th ed. (2015), section 9.5.3 (batch means; sequential procedure
//! with doubled batches); Seila, "A batching approach to quantile estimation in regenerative simulations",
//! Management Science 28 (1982) 573 (batch quantiles); Box, Jenkins and Reinsel, Time Series Analysis, 4th
//! ed. (2008), section 2.1.6 (bound of an uncorrelated series).

use venice_kernel::SimTime;
use venice_requests::Op;

use super::{Completion, Latencies, Probe, Rounds, SteadyStateTest, SteadyStateVerdict};

/// Number of requests in the first window tested for steady state: 1,000 for each round.
const FIRST_WINDOW: u64 = 5_000;
/// Numbers of batches after which the interval is computed. Each number is paired with the 97.5 % quantile of
/// Student's t for one degree of freedom less (NIST/SEMATECH e-Handbook of Statistical Methods, section
/// 1.3.6.7.2).
const LOOKS: [(usize, f64); 4] = [(20, 2.093), (24, 2.069), (28, 2.052), (32, 2.040)];
/// Number of batches at which the batches are merged in pairs.
const MAX_BATCHES: usize = 32;
/// Initial number of requests in a batch, for means and rates.
const MEAN_BATCH: u64 = 100;
/// Initial number of requests of a batch that are slower than the quantile to be estimated.
const BEYOND_QUANTILE: u64 = 10;
/// One million, the value of a whole in parts per million.
const WHOLE_PPM: u64 = 1_000_000;

/// Criterion that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopGoal {
    /// Steady state of the measured phase, in all tested figures.
    Steady,
    /// Precision of a figure of the run, as a confidence interval.
    Precision(PrecisionGoal),
}

/// Required precision of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrecisionGoal {
    /// Figure to be estimated.
    pub figure: PreciseFigure,
    /// Operation whose requests are counted; `None` for all operations.
    pub op: Option<Op>,
    /// Maximum half-width of the confidence interval, in parts per million of the estimate.
    pub most_ppm: u64,
}

/// Figure whose precision can end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreciseFigure {
    /// Mean latency of requests.
    MeanLatency,
    /// Quantile of the latency, given in parts per million.
    LatencyQuantile(u64),
    /// Completed requests per second.
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

/// Decision of the criterion after a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDecision {
    /// The run continues.
    GoOn,
    /// The run continues, and its measured phase starts again.
    MeasureAnew,
    /// The run ends.
    Stop,
}

/// Confidence interval of the estimate of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Mean over the batches, in microseconds or requests per second.
    pub estimate: f64,
    /// Half-width of the 95 % interval, in % of the estimate.
    pub half_width_pct: f64,
    /// Number of batches from which the interval was computed.
    pub batches: usize,
    /// Number of requests in each batch.
    pub batch_requests: u64,
    /// Lag-1 autocorrelation of the batches.
    pub autocorrelation: f64,
}

/// Criterion that ends a run, with its state.
#[derive(Clone, Debug)]
pub struct StopCriterion {
    goal: StopGoal,
    /// Number of requests in the current window that is tested for steady state.
    window: u64,
    batches: CompletionBatches,
    precision: Option<Precision>,
    is_reached: bool,
}

impl StopCriterion {
    /// Creates the state of the criterion at the start of the run.
    pub fn new(goal: StopGoal) -> Self {
        let size = match goal {
            StopGoal::Precision(goal) => goal.first_batch(),
            StopGoal::Steady => MEAN_BATCH,
        };
        let batches = CompletionBatches::new(size);
        Self { goal, window: FIRST_WINDOW, batches, precision: None, is_reached: false }
    }

    /// Returns the criterion that ends the run.
    pub const fn goal(&self) -> StopGoal {
        self.goal
    }

    /// Returns true if the criterion is met and the run can end.
    pub const fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// Returns the last computed confidence interval, if there is one.
    pub const fn precision(&self) -> Option<Precision> {
        self.precision
    }

    /// Processes a completion, and returns the decision on the run. `left` is the number of requests that the
    /// flows have not issued yet, or `None` if it is unknown.
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
        // A last window with too few requests would be shorter than the previous one.
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

/// Ignores all events. The front end calls the criterion directly, since a probe cannot end a flow.
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

/// Consecutive completions that form one batch.
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

/// Batches of the completions of a run.
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

    /// Adds a completion to the current batch. Returns true if this completes the batch.
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

    /// Compares the half-width with a table of Law, section 9.5.3, for independent batches (Student's t).
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
