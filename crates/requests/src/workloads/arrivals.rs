//! When the next request arrives.
//!
//! # What it models
//!
//! Closed loop: always zero, since the run decides. Open loop: gaps by the clock, by one of four laws, the
//! first request at the flow's start; optionally in bursts with pauses between them.
//!
//! # How
//!
//! - Constant and exponential gaps.
//! - Hyperexponential: most gaps are short, some long, both exponential. A run of short gaps between two long
//!   ones is a burst; its length is geometric. This is what an interrupted Poisson process looks like between
//!   arrivals, said in terms that do not change with the rate.
//! - Pareto: the gap exceeds x with a probability in proportion to x^-shape.
//!
//! With bursts, gaps pass on a clock that runs only during bursts; each burst's end adds a pause. Gaps on
//! that clock are on / (on + off) of the stated mean, so the mean over a long run is the stated one. With
//! exponential gaps and lengths this is the interrupted Poisson process. Logarithms are those of the
//! `libm` crate, so that a seed gives the same arrivals on every host.
//!
//! # What is left out
//!
//! Correlation between gap, size and address; rates that drift over a day.
//!
//! # Source
//!
//! Kuczura, "The Interrupted Poisson Process as an Overflow Process", Bell System Technical Journal 1973.
//! Two exponential phases fit the gaps of storage traces better than any other of twenty laws: Wajahat et al.,
//! "Analyzing the distribution fit for storage workload and Internet traffic traces", Performance Evaluation
//! 2020.
//!
//! # Parameters
//!
//! `closed_loop_depth`, or `open_loop` with `mean_gap_us` or `mb_per_s`, `gaps`, and `bursts` with `on_us`,
//! `off_us`, `lengths`; `start_us`.

use venice_kernel::{RandomStream, SimSpan, SimTime};

use super::draws::Draws;
use super::spec::{Bursts, Gaps, OpenLoop, Pacing, Spacing};

/// Draws arrivals.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    clock: Option<Clock>,
}

/// The open loop's.
#[derive(Clone, Debug)]
struct Clock {
    now_ps: u64,
    mean_gap_ps: f64,
    gaps: Gaps,
    bursts: Option<Phase>,
    draws: Draws,
    started: bool,
}

/// Where in its bursts the clock is.
#[derive(Clone, Debug)]
struct Phase {
    bursts: Bursts,
    left_ps: u64,
    stream: RandomStream,
}

impl Arrivals {
    /// Arrivals from `start` on, whose gaps come from one source of chance and whose bursts from another.
    pub(super) fn new(pacing: Pacing, start: SimTime, gaps: Draws, bursts: RandomStream) -> Self {
        let clock = match pacing {
            Pacing::ClosedLoop { .. } => None,
            Pacing::OpenLoop(open_loop) => Some(Clock::new(open_loop, start, gaps, bursts)),
        };
        Self { clock }
    }

    /// The next arrival; `None` beyond the simulator's clock.
    #[inline]
    pub(super) fn next(&mut self) -> Option<SimTime> {
        self.clock.as_mut().map_or(Some(SimTime::ZERO), Clock::next)
    }
}

impl Clock {
    fn new(open_loop: OpenLoop, start: SimTime, draws: Draws, mut burst_stream: RandomStream) -> Self {
        let mean_gap_ps = open_loop.mean_gap.as_ps() as f64;
        let busy = open_loop.bursts.map_or(1.0, |bursts| {
            bursts.on.as_ps() as f64 / (bursts.on.as_ps() as f64 + bursts.off.as_ps() as f64)
        });
        let bursts = open_loop.bursts.map(|bursts| {
            let left_ps = length(bursts.lengths, bursts.on, &mut burst_stream);
            Phase { bursts, left_ps, stream: burst_stream }
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

impl Phase {
    /// The pauses that fall into the next `gap_ps` of burst time.
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

/// The length of a burst or a pause, to the nearest picosecond.
fn length(spacing: Spacing, mean: SimSpan, stream: &mut RandomStream) -> u64 {
    let mean_ps = mean.as_ps() as f64;
    match spacing {
        Spacing::Constant => mean_ps.round() as u64,
        Spacing::Exponential => (exponential(stream.unit()) * mean_ps).round() as u64,
    }
}

impl Gaps {
    /// A gap, in units of the mean.
    #[inline]
    fn draw(self, draws: &mut Draws) -> f64 {
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

/// The exponential deviate of mean 1 that a share `unit` of all stay below.
#[inline]
fn exponential(unit: f64) -> f64 {
    // A ratio of two shares may round up to 1, whose deviate would be infinite.
    -libm::log((1.0 - unit).max(f64::EPSILON / 2.0))
}
