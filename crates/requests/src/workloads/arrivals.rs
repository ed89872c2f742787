//! Generation of arrival times.
//!
//! # What it models
//!
//! Closed loop: all arrivals are zero, since completions determine when requests are issued. Open loop: the
//! first request arrives at the flow's start; gaps follow one of four distributions, optionally in bursts
//! with pauses between them.
//!
//! # How
//!
//! - Constant and exponential gaps.
//! - Hyperexponential: most gaps are short and some long, both exponential. The short gaps between two long
//!   ones form a burst, of geometric length. The distribution equals that of an interrupted Poisson process,
//!   but its parameters do not depend on the rate.
//! - Pareto: the probability of a gap above x is proportional to x^-shape.
//!
//! With bursts, gaps are measured on a clock that runs only during bursts, and each end of a burst adds a
//! pause. The gaps are multiplied by on / (on + off), so that the long-term mean is the configured one. With
//! exponential gaps and lengths, the result is an interrupted Poisson process. Logarithms are computed by the
//! `libm` crate, so that a seed gives equal arrivals on every host.
//!
//! # What is left out
//!
//! Correlation between gap, size and address, and daily variations of the rate, are not modelled.
//!
//! # Source
//!
//! Kuczura, "The Interrupted Poisson Process as an Overflow Process", Bell System Technical Journal 1973. Two
//! exponential phases fit the gaps of storage traces better than nineteen other distributions: Wajahat et
//! al., "Analyzing the distribution fit for storage workload and Internet traffic traces", Performance
//! Evaluation 2020.
//!
//! # Parameters
//!
//! `closed_loop_depth`, or `open_loop` with `mean_gap_us` or `mb_per_s`, `gaps`, and `bursts` with `on_us`,
//! `off_us`, `lengths`; `start_us`.

use venice_kernel::{RandomStream, SimSpan, SimTime};

use super::draws::UniformDraws;
use super::spec::{Bursts, Gaps, OpenLoop, Pacing, Spacing};

/// Generator of arrival times.
#[derive(Clone, Debug)]
pub(super) struct ArrivalGenerator {
    clock: Option<ArrivalClock>,
}

/// Clock of an open loop, which determines arrival times.
#[derive(Clone, Debug)]
struct ArrivalClock {
    now_ps: u64,
    mean_gap_ps: f64,
    gaps: Gaps,
    bursts: Option<BurstPhase>,
    draws: UniformDraws,
    started: bool,
}

/// Position in the current burst or pause.
#[derive(Clone, Debug)]
struct BurstPhase {
    bursts: Bursts,
    left_ps: u64,
    stream: RandomStream,
}

impl ArrivalGenerator {
    /// Creates a generator of arrivals that start at `start`. Gaps and bursts have separate random streams.
    pub(super) fn new(pacing: Pacing, start: SimTime, gaps: UniformDraws, bursts: RandomStream) -> Self {
        let clock = match pacing {
            Pacing::ClosedLoop { .. } => None,
            Pacing::OpenLoop(open_loop) => Some(ArrivalClock::new(open_loop, start, gaps, bursts)),
        };
        Self { clock }
    }

    /// Returns the next arrival time; `None` beyond the simulated time range.
    #[inline]
    pub(super) fn next(&mut self) -> Option<SimTime> {
        self.clock.as_mut().map_or(Some(SimTime::ZERO), ArrivalClock::next)
    }
}

impl ArrivalClock {
    fn new(open_loop: OpenLoop, start: SimTime, draws: UniformDraws, mut burst_stream: RandomStream) -> Self {
        let mean_gap_ps = open_loop.mean_gap.as_ps() as f64;
        let busy = open_loop.bursts.map_or(1.0, |bursts| {
            bursts.on.as_ps() as f64 / (bursts.on.as_ps() as f64 + bursts.off.as_ps() as f64)
        });
        let bursts = open_loop.bursts.map(|bursts| {
            let left_ps = length(bursts.lengths, bursts.on, &mut burst_stream);
            BurstPhase { bursts, left_ps, stream: burst_stream }
        });
        let (mean_gap_ps, gaps) = (mean_gap_ps * busy, open_loop.gaps);
        Self { now_ps: start.as_ps(), mean_gap_ps, gaps, bursts, draws, started: false }
    }

    fn next(&mut self) -> Option<SimTime> {
        if !self.started {
            self.started = true;
            return Some(SimTime::from_ps(self.now_ps));
        }
        let gap_ps = (self.gaps.draw(&mut self.draws) * self.mean_gap_ps).round() as u64;
        let pause_ps = self.bursts.as_mut().map_or(Some(0), |phase| phase.pause_ps(gap_ps))?;
        self.now_ps = self.now_ps.checked_add(gap_ps)?.checked_add(pause_ps)?;
        Some(SimTime::from_ps(self.now_ps))
    }
}

impl BurstPhase {
    /// Returns the total length of the pauses while `gap_ps` picoseconds of burst time elapse.
    fn pause_ps(&mut self, mut gap_ps: u64) -> Option<u64> {
        let mut paused_ps = 0_u64;
        while gap_ps >= self.left_ps {
            gap_ps -= self.left_ps;
            let Bursts { on, off, lengths } = self.bursts;
            paused_ps = paused_ps.checked_add(length(lengths, off, &mut self.stream))?;
            self.left_ps = length(lengths, on, &mut self.stream);
        }
        self.left_ps -= gap_ps;
        Some(paused_ps)
    }
}

/// Returns the random length of a burst or pause, rounded to a picosecond.
fn length(spacing: Spacing, mean: SimSpan, stream: &mut RandomStream) -> u64 {
    let mean_ps = mean.as_ps() as f64;
    match spacing {
        Spacing::Constant => mean_ps.round() as u64,
        Spacing::Exponential => (exponential(stream.unit()) * mean_ps).round() as u64,
    }
}

impl Gaps {
    /// Returns a random gap as a multiple of the mean gap.
    #[inline]
    fn draw(self, draws: &mut UniformDraws) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Exponential => exponential(draws.unit()),
            Self::Hyperexponential { long_ratio, short_mean } => {
                let (unit, short_ratio) = (draws.unit(), 1.0 - long_ratio);
                if unit < short_ratio {
                    exponential(unit / short_ratio) * short_mean
                } else {
                    let long_mean = (1.0 - short_ratio * short_mean) / long_ratio;
                    exponential((unit - short_ratio) / long_ratio) * long_mean
                }
            }
            Self::Pareto { shape } => {
                let least = (shape - 1.0) / shape;
                least * libm::pow(1.0 - draws.unit(), -1.0 / shape)
            }
        }
    }
}

/// Returns the value of the exponential distribution with mean 1 at the cumulative probability `unit`.
#[inline]
fn exponential(unit: f64) -> f64 {
    // A ratio of two probabilities can round to 1, whose exponential deviate would be infinite.
    -libm::log((1.0 - unit).max(f64::EPSILON / 2.0))
}
