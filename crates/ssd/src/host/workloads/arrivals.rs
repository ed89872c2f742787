//! When the next request arrives.
//!
//! # What it models
//!
//! Closed loop: always zero, since the run decides. Open loop: gaps by the clock, constant or exponential,
//! the first request at zero; optionally in bursts with pauses between them.
//!
//! # How
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
//!
//! # Parameters
//!
//! `closed_loop_depth`, or `open_loop` with `mean_gap_us`, `gaps`, and `bursts` with `on_us`, `off_us`,
//! `lengths`.

use venice_kernel::{RandomStream, SimSpan, SimTime};

use super::spec::{Bursts, OpenLoop, Pacing, Spacing};

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
    gaps: Spacing,
    bursts: Option<Phase>,
    stream: RandomStream,
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
    /// Arrivals whose gaps come from one stream and whose bursts from another.
    pub(super) fn new(pacing: Pacing, gaps: RandomStream, bursts: RandomStream) -> Self {
        let clock = match pacing {
            Pacing::ClosedLoop { .. } => None,
            Pacing::OpenLoop(open_loop) => Some(Clock::new(open_loop, gaps, bursts)),
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
    fn new(open_loop: OpenLoop, stream: RandomStream, mut burst_stream: RandomStream) -> Self {
        let mean_gap_ps = open_loop.mean_gap.as_ps() as f64;
        let busy = open_loop.bursts.map_or(1.0, |bursts| {
            bursts.on.as_ps() as f64 / (bursts.on.as_ps() as f64 + bursts.off.as_ps() as f64)
        });
        let bursts = open_loop.bursts.map(|bursts| {
            let left_ps = length(bursts.lengths, bursts.on, &mut burst_stream);
            Phase { bursts, left_ps, stream: burst_stream }
        });
        let (mean_gap_ps, gaps) = (mean_gap_ps * busy, open_loop.gaps);
        Self { now_ps: 0, mean_gap_ps, gaps, bursts, stream, started: false }
    }

    fn next(&mut self) -> Option<SimTime> {
        if !self.started {
            self.started = true;
            return Some(SimTime::ZERO);
        }
        let gap_ps = draw_ps(self.gaps, self.mean_gap_ps, &mut self.stream);
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

/// The length of a burst or a pause.
fn length(spacing: Spacing, mean: SimSpan, stream: &mut RandomStream) -> u64 {
    draw_ps(spacing, mean.as_ps() as f64, stream)
}

/// A span about its mean, to the nearest picosecond.
#[inline]
fn draw_ps(spacing: Spacing, mean_ps: f64, stream: &mut RandomStream) -> u64 {
    match spacing {
        Spacing::Constant => mean_ps.round() as u64,
        Spacing::Exponential => (-libm::log(1.0 - stream.unit()) * mean_ps).round() as u64,
    }
}
