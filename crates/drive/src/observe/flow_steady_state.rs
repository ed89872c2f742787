//! Steady-state detection for flows that end when they are in steady state (fio's `steadystate` option).

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};

use venice_requests::{SECTOR_BYTES, SteadyFigure, SteadyStateCriterion};

use super::RequestRow;

/// Completed requests and bytes in one interval.
#[derive(Clone, Copy, Debug, Default)]
struct IntervalSample {
    requests: u64,
    bytes: u64,
    latency_ps: u128,
}

/// Result of the steady-state test for a window of intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Mean over the intervals of the window.
    pub mean: f64,
    /// Maximum distance of an interval's value from the mean.
    pub deviation: f64,
    /// Slope of the least-squares line through the values of the intervals, per interval.
    pub slope: f64,
    /// Value that is compared with the limit for steady state: the deviation or the slope.
    pub criterion: f64,
}

/// Steady-state detector of a group of flows.
#[derive(Clone, Debug)]
pub struct FlowSteadyState {
    goal: SteadyStateCriterion,
    queues: Vec<u16>,
    /// End of the ramp time. Completions before it are ignored.
    from: SimTime,
    /// End of the current interval.
    next: SimTime,
    now: IntervalSample,
    window: VecDeque<f64>,
    verdict: Option<Verdict>,
    attained: Option<SimTime>,
}

impl FlowSteadyState {
    /// Creates the detector for flows that start at `start`.
    pub fn new(goal: SteadyStateCriterion, queues: Vec<u16>, start: SimTime) -> Self {
        let (now, window) = Default::default();
        let from = start + goal.ramp;
        let next = from + goal.interval;
        Self { goal, queues, from, next, now, window, verdict: None, attained: None }
    }

    /// Returns the flows' criterion of steady state.
    pub fn goal(&self) -> &SteadyStateCriterion {
        &self.goal
    }

    /// Returns the host queues of the flows.
    pub fn queues(&self) -> &[u16] {
        &self.queues
    }

    /// Returns the result of the last complete window, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// Returns the instant at which the flows reached steady state, if they did.
    pub fn attained(&self) -> Option<SimTime> {
        self.attained
    }

    /// Returns the end of the current interval; `None` if the flows have reached steady state.
    pub fn next_end(&self) -> Option<SimTime> {
        self.attained.is_none().then_some(self.next)
    }

    /// Adds a completed request to the current interval.
    pub fn completed(&mut self, row: &RequestRow) {
        if self.attained.is_none() && row.completed >= self.from && self.queues.contains(&row.queue) {
            self.now.requests += 1;
            self.now.bytes += u64::from(row.sectors) * u64::from(SECTOR_BYTES);
            self.now.latency_ps += u128::from(row.latency().as_ps());
        }
    }

    /// Advances the time to `next`, before which no further request completes. Returns true if the flows have
    /// reached steady state.
    pub fn before(&mut self, next: SimTime) -> bool {
        while self.attained.is_none() && self.next <= next {
            self.take();
        }
        self.attained.is_some()
    }

    fn take(&mut self) {
        let taken = std::mem::take(&mut self.now);
        let intervals = self.goal.intervals();
        if self.window.len() == intervals {
            self.window.pop_front();
        }
        self.window.push_back(figure(&self.goal, &taken));
        if self.window.len() == intervals {
            let verdict = judged(&self.goal, &self.window);
            self.verdict = Some(verdict);
            self.attained = (verdict.criterion < self.goal.limit).then_some(self.next);
        }
        self.next = self.next + self.goal.interval;
    }
}

fn figure(goal: &SteadyStateCriterion, taken: &IntervalSample) -> f64 {
    let per_second = |amount: u64| amount as f64 / seconds(goal.interval);
    match goal.figure {
        SteadyFigure::Iops => per_second(taken.requests),
        SteadyFigure::Bandwidth => per_second(taken.bytes),
        SteadyFigure::Latency if taken.requests == 0 => 0.0,
        SteadyFigure::Latency => taken.latency_ps as f64 / taken.requests as f64 / 1e3,
    }
}

fn seconds(span: SimSpan) -> f64 {
    span.as_us() / 1e6
}

/// Evaluates a window of intervals. A window without completions is not in steady state.
fn judged(goal: &SteadyStateCriterion, window: &VecDeque<f64>) -> Verdict {
    let mean = window.iter().sum::<f64>() / window.len() as f64;
    let deviation = window.iter().map(|one| (one - mean).abs()).fold(0.0, f64::max);
    let slope = slope(window);
    let judged = if goal.by_slope { slope.abs() } else { deviation };
    let criterion = if goal.limit_is_pct { judged / mean * 100.0 } else { judged };
    let criterion = if mean > 0.0 { criterion } else { f64::MAX };
    Verdict { mean, deviation, slope, criterion }
}

/// Returns the slope of the least-squares line through equidistant values.
fn slope(window: &VecDeque<f64>) -> f64 {
    let middle = (window.len() as f64 - 1.0) / 2.0;
    let places = || (0..window.len()).map(|place| place as f64 - middle);
    let squares: f64 = places().map(|place| place * place).sum();
    places().zip(window).map(|(place, one)| place * one).sum::<f64>() / squares
}

#[cfg(test)]
mod tests {
    use venice_host::scheduler::ConflictKinds;
    use venice_nand::latency::STAGES;
    use venice_requests::Op;

    use super::*;
    use crate::observe::CausedWait;

    fn goal(by_slope: bool, limit: f64, limit_is_pct: bool) -> SteadyStateCriterion {
        let (window, interval, ramp) = (SimSpan::from_us(4), SimSpan::from_us(1), SimSpan::from_us(2));
        SteadyStateCriterion {
            figure: SteadyFigure::Iops,
            by_slope,
            limit,
            limit_is_pct,
            window,
            interval,
            ramp,
            group: 0,
        }
    }

    fn row(queue: u16, completed: SimTime) -> RequestRow {
        RequestRow {
            number: 0,
            queue,
            op: Op::Read,
            start_sector: 0,
            sectors: 8,
            arrival: SimTime::ZERO,
            handed_over: SimTime::ZERO,
            met: ConflictKinds::default(),
            batch: 0,
            fetched: SimTime::ZERO,
            completed,
            conflicted: false,
            has_failed: false,
            stages: [SimSpan::ZERO; STAGES.len()],
            behind: CausedWait::default(),
            pattern_set: 0,
        }
    }

    fn judge(goal: SteadyStateCriterion, counts: &[u64]) -> FlowSteadyState {
        let mut judge = FlowSteadyState::new(goal, vec![3], SimTime::ZERO);
        for (us, &count) in (0..).zip(counts) {
            let at = SimTime::ZERO + SimSpan::from_ps(us * 1_000_000 + 1);
            judge.before(at);
            (0..count).for_each(|_| judge.completed(&row(3, at)));
            judge.completed(&row(4, at));
        }
        judge.before(SimTime::ZERO + SimSpan::from_us(counts.len() as u64));
        judge
    }

    #[test]
    fn requests_before_the_ramp_and_of_other_queues_are_not_counted() {
        let steady = judge(goal(false, 1.0, true), &[90, 2, 5, 5, 5, 5]);
        assert_eq!(steady.attained(), Some(SimTime::ZERO + SimSpan::from_us(6)));
        assert_eq!(steady.verdict().map(|verdict| verdict.mean), Some(5e6));
        assert_eq!(judge(goal(false, 1.0, true), &[90, 2, 5, 5, 5]).verdict(), None, "no whole window");
    }

    #[test]
    fn the_window_rolls_until_the_largest_deviation_is_below_the_limit() {
        let counts = [0, 0, 1, 9, 10, 11, 10, 10, 10];
        let at = |us| Some(SimTime::ZERO + SimSpan::from_us(us));
        assert_eq!(judge(goal(false, 10.1, true), &counts).attained(), at(7), "9 to 11 about 10");
        assert_eq!(judge(goal(false, 9.9, true), &counts).attained(), at(8), "10.25 and 7.3 %");
        assert_eq!(judge(goal(false, 1.0, true), &counts).attained(), None);
        assert_eq!(judge(goal(false, 1e6, false), &counts).attained(), at(8), "in requests per second");
    }

    #[test]
    fn a_slope_is_that_of_the_best_line_from_one_interval_to_the_next() {
        let rising = judge(goal(true, 1.0, true), &[0, 0, 10, 20, 30, 40]);
        let verdict = rising.verdict().unwrap_or_default();
        assert!((verdict.slope - 10e6).abs() < 1.0 && (verdict.criterion - 40.0).abs() < 1e-6, "{verdict:?}");
        assert_eq!(rising.attained(), None);
        let swinging = judge(goal(true, 1.0, true), &[0, 0, 10, 20, 20, 10]);
        assert!(swinging.attained().is_some(), "it goes up and down and does not rise");
        assert_eq!(
            judge(goal(true, 1.0, true), &[0, 0, 0, 0, 0, 0]).attained(),
            None,
            "nothing is not steady"
        );
    }
}
