//! The measured window, and the work of the drive in it.
//!
//! # How
//! The window begins when the first measured request is issued and ends with the last completion. Rates and shares of a report are
//! those of [`Served`], which holds the window together with the work that was done in it: nothing else divides one by the other.
//! A drive goes on after the last completion (garbage collection, write-back of the data cache); that work is of [`Afterwards`].
//!
//! [`WorkDone`] counts an operation when it begins. Times at work are exact: an operation or a transfer that begins before the window
//! or ends after it counts with the part that lies in it.

use venice_kernel::{SimSpan, SimTime, TimeSeries};

use crate::cache::CacheCounters;
use crate::controller::queues::Measured;
use crate::fabric::FabricCounters;
use crate::ftl::FtlCounters;
use crate::geometry::ChipId;
use crate::observe::{ChipTimes, DriveRecord};

/// A span of simulated time to which rates and shares refer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    start: SimTime,
    end: SimTime,
}

impl Window {
    /// The window between two instants; an empty one if the second is the earlier one.
    pub fn new(start: SimTime, end: SimTime) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Start of the window.
    pub const fn start(self) -> SimTime {
        self.start
    }

    /// End of the window.
    pub const fn end(self) -> SimTime {
        self.end
    }

    /// Length of the window.
    pub fn span(self) -> SimSpan {
        self.end.since(self.start)
    }

    /// Returns `amount` per second; none if the window is empty.
    pub fn per_second(self, amount: f64) -> Option<f64> {
        (!self.span().is_zero()).then(|| amount / self.span().as_us() * 1e6)
    }

    /// Returns the share of the window for which `units` were at work on average, in %; none if the window is empty.
    fn share_pct(self, busy_ps: u128, units: usize) -> Option<f64> {
        let available_ps = u128::from(self.span().as_ps()) * units as u128;
        debug_assert!(busy_ps <= available_ps, "{busy_ps} ps of work in {available_ps} ps");
        (available_ps > 0).then(|| busy_ps as f64 / available_ps as f64 * 100.0)
    }
}

/// Returns the sum of times, in picoseconds: a span is too short for the sum over the chips of a long run.
pub(super) fn sum_ps<'a>(times: impl IntoIterator<Item = &'a SimSpan>) -> u128 {
    times.into_iter().map(|time| u128::from(time.as_ps())).sum()
}

/// Times at work in picoseconds, each summed over what works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BusyTimes {
    /// Of chips.
    pub(super) chips_ps: u128,
    /// Of the arrays of planes.
    pub(super) arrays_ps: u128,
}

impl BusyTimes {
    /// Adds the work between two states.
    pub(super) const fn add_between(&mut self, earlier: Self, later: Self) {
        self.chips_ps += later.chips_ps - earlier.chips_ps;
        self.arrays_ps += later.arrays_ps - earlier.arrays_ps;
    }
}

/// Work of the drive since the measured phase began, up to an instant.
#[derive(Clone, Debug)]
pub struct WorkDone {
    pub(super) at: SimTime,
    pub(super) ftl: FtlCounters,
    pub(super) fabric: FabricCounters,
    pub(super) cache: Option<CacheCounters>,
    pub(super) drive: DriveRecord,
    /// By chip.
    pub(super) chips: Vec<SimSpan>,
    pub(super) arrays_ps: u128,
    pub(super) planes: usize,
    /// By path.
    pub(super) paths: Vec<SimSpan>,
    pub(super) chip_times: Option<ChipTimes>,
    pub(super) queues: Measured,
    pub(super) chips_at_work: Option<TimeSeries>,
    /// Work while the host had requests outstanding, if the host has a scheduler.
    pub(super) while_outstanding: Option<BusyTimes>,
}

impl WorkDone {
    /// Counts of the translation layer.
    pub const fn ftl(&self) -> &FtlCounters {
        &self.ftl
    }

    /// Counts of the fabric.
    pub const fn fabric(&self) -> &FabricCounters {
        &self.fabric
    }

    /// Counts of the data cache, if there is one.
    pub const fn cache(&self) -> Option<&CacheCounters> {
        self.cache.as_ref()
    }

    /// Counts of commands, suspensions and transfers.
    pub const fn drive(&self) -> &DriveRecord {
        &self.drive
    }

    /// Number of chips with a die at work over time, if the host has a scheduler.
    pub const fn chips_at_work(&self) -> Option<&TimeSeries> {
        self.chips_at_work.as_ref()
    }

    /// Queues of chips, where they are measured.
    pub const fn queues(&self) -> &Measured {
        &self.queues
    }

    /// Occupation over the window from `start` to the instant of this record.
    fn occupation(&self, window: Window) -> Occupation {
        Occupation {
            chip_pct: window.share_pct(sum_ps(&self.chips), self.chips.len()),
            plane_pct: window.share_pct(self.arrays_ps, self.planes),
            path_pct: window.share_pct(sum_ps(&self.paths), self.paths.len()),
        }
    }

    pub(super) fn since(&self, earlier: &Self) -> Self {
        let subtract = |later: &[SimSpan], earlier: &[SimSpan]| {
            let earlier = earlier.iter().copied().chain(std::iter::repeat(SimSpan::ZERO));
            later.iter().zip(earlier).map(|(&later, earlier)| later - earlier).collect()
        };
        Self {
            ftl: self.ftl - earlier.ftl,
            fabric: self.fabric - earlier.fabric,
            drive: self.drive.since(&earlier.drive),
            chips: subtract(&self.chips, &earlier.chips),
            arrays_ps: self.arrays_ps - earlier.arrays_ps,
            paths: subtract(&self.paths, &earlier.paths),
            ..self.clone()
        }
    }
}

/// Shares of a window, in %; absent if it is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupation {
    /// Share for which a chip had a die at work, averaged over chips.
    pub chip_pct: Option<f64>,
    /// Share for which the array of a plane worked, averaged over planes.
    pub plane_pct: Option<f64>,
    /// Share for which a path was in use, averaged over paths.
    pub path_pct: Option<f64>,
}

/// Time of one chip, as shares of the measured window in %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipShares {
    /// An array of one of its dies at work.
    pub array_pct: f64,
    /// A command or data on its pins.
    pub transfer_pct: f64,
    /// Both at once.
    pub both_pct: f64,
    /// Neither.
    pub idle_pct: f64,
}

/// The measured window with the work that was done in it.
#[derive(Clone, Debug)]
pub struct Served {
    pub(super) window: Window,
    pub(super) work: WorkDone,
}

impl Served {
    /// The window.
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The work in the window.
    pub const fn work(&self) -> &WorkDone {
        &self.work
    }

    /// Shares of the window.
    pub fn occupation(&self) -> Occupation {
        self.work.occupation(self.window)
    }

    /// Shares of the window for which each chip had a die at work, in %.
    pub fn by_chip(&self) -> impl Iterator<Item = Option<f64>> {
        self.work.chips.iter().map(|busy| self.window.share_pct(busy.as_ps().into(), 1))
    }

    /// Shares of the window for which each path was in use, in %.
    pub fn by_path(&self) -> impl Iterator<Item = Option<f64>> {
        self.work.paths.iter().map(|busy| self.window.share_pct(busy.as_ps().into(), 1))
    }

    /// How a chip spent the window, where that is measured.
    pub fn of_chip(&self, chip: ChipId) -> Option<ChipShares> {
        let time = self.work.chip_times.as_ref()?.of(chip);
        let pct = |busy: SimSpan| self.window.share_pct(busy.as_ps().into(), 1).unwrap_or(0.0);
        let either = time.array + time.transfer - time.both;
        Some(ChipShares {
            array_pct: pct(time.array),
            transfer_pct: pct(time.transfer),
            both_pct: pct(time.both),
            idle_pct: pct(self.window.span() - either),
        })
    }

    /// Shares for which chips and planes worked of the time `outstanding` for which the host had requests outstanding.
    pub fn while_outstanding(&self, outstanding: SimSpan) -> Option<Occupation> {
        let BusyTimes { chips_ps, arrays_ps } = self.work.while_outstanding?;
        let window = Window::new(self.window.start, self.window.start + outstanding);
        Some(Occupation {
            chip_pct: window.share_pct(chips_ps, self.work.chips.len()),
            plane_pct: window.share_pct(arrays_ps, self.work.planes),
            path_pct: None,
        })
    }
}

/// The time from the last completion until the drive is idle, with the work that was done in it.
#[derive(Clone, Debug)]
pub struct Afterwards {
    pub(super) window: Window,
    pub(super) work: WorkDone,
}

impl Afterwards {
    /// From the last completion until the drive is idle.
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The work in that time.
    pub const fn work(&self) -> &WorkDone {
        &self.work
    }

    /// Shares of that time.
    pub fn occupation(&self) -> Occupation {
        self.work.occupation(self.window)
    }
}
