//! Measured window of a run, and the operations of the drive in it.
//!
//! # How
//! The window begins when the first measured request is issued and ends with the last completion.
//! [`WindowWork`] combines the window with these operations, and computes all rates and shares of a report.
//! After the last completion, the drive may still be busy with garbage collection or destages;
//! [`DrainPeriod`] records this work.
//!
//! [`WorkDone`] counts an operation at its start. Busy times are clipped: only the part of an operation or
//! transfer that lies within the window counts.

use venice_fabric::FabricCounters;
use venice_kernel::{SimSpan, SimTime, TimeSeries};
use venice_nand::geometry::ChipId;

use crate::cache::CacheCounters;
use crate::controller::queues::QueueMeasurement;
use crate::controller::{CoreCounters, DecoderCounters};
use crate::ftl::{FtlCounters, ReadErrorCounters, SearchCounters};
use crate::observe::{ChipTimes, DriveRecord};

/// Interval of simulated time on which rates and shares are based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasurementWindow {
    start: SimTime,
    end: SimTime,
}

impl MeasurementWindow {
    /// Creates the window from `start` to `end`. The window is empty if `end` is earlier than `start`.
    pub fn new(start: SimTime, end: SimTime) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns the start of the window.
    pub const fn start(self) -> SimTime {
        self.start
    }

    /// Returns the end of the window.
    pub const fn end(self) -> SimTime {
        self.end
    }

    /// Returns the length of the window.
    pub fn span(self) -> SimSpan {
        self.end.since(self.start)
    }

    /// Returns `amount` divided by the length of the window in seconds; `None` for an empty window.
    pub fn per_second(self, amount: f64) -> Option<f64> {
        (!self.span().is_zero()).then(|| amount / self.span().as_us() * 1e6)
    }

    /// Returns the mean share of the window in which each of `units` resources was busy, in %, or `None` for
    /// an empty window. `busy_ps` is the sum of the resources' busy times.
    fn share_pct(self, busy_ps: u128, units: usize) -> Option<f64> {
        let available_ps = u128::from(self.span().as_ps()) * units as u128;
        debug_assert!(busy_ps <= available_ps, "{busy_ps} ps of work in {available_ps} ps");
        (available_ps > 0).then(|| busy_ps as f64 / available_ps as f64 * 100.0)
    }
}

/// Returns the sum of time spans in picoseconds. The sum has 128 bits, since the sum over the chips in a long
/// run can exceed a [`SimSpan`].
pub(super) fn sum_ps<'a>(times: impl IntoIterator<Item = &'a SimSpan>) -> u128 {
    times.into_iter().map(|time| u128::from(time.as_ps())).sum()
}

/// Busy times of chips and planes, summed over all of them, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BusyTimes {
    /// Busy time of chips, summed over all chips.
    pub(super) chips_ps: u128,
    /// Busy time of arrays, summed over all planes.
    pub(super) arrays_ps: u128,
}

impl BusyTimes {
    /// Adds the difference between two cumulative records of busy times.
    pub(super) const fn add_between(&mut self, earlier: Self, later: Self) {
        self.chips_ps += later.chips_ps - earlier.chips_ps;
        self.arrays_ps += later.arrays_ps - earlier.arrays_ps;
    }
}

/// Use of the controller's decoders, and outcomes of the decoded reads.
#[derive(Clone, Copy, Debug)]
pub struct DecodingWork {
    /// Number of decoders.
    pub decoders: u32,
    /// Number of decoded pages, with their waiting and busy times.
    pub pages: DecoderCounters,
    /// Number of reads by outcome.
    pub errors: ReadErrorCounters,
}

impl DecodingWork {
    fn since(&self, earlier: &Self) -> Self {
        let (pages, errors) = (self.pages - earlier.pages, self.errors - earlier.errors);
        Self { decoders: self.decoders, pages, errors }
    }
}

/// Operations and busy times of the drive from the start of the measured phase up to an instant.
#[derive(Clone, Debug)]
pub struct WorkDone {
    pub(super) at: SimTime,
    pub(super) ftl: FtlCounters,
    pub(super) fabric: FabricCounters,
    pub(super) cache: Option<CacheCounters>,
    pub(super) cores: Option<CoreCounters>,
    pub(super) core_count: u32,
    pub(super) decoding: Option<DecodingWork>,
    pub(super) searches: SearchCounters,
    pub(super) drive: DriveRecord,
    /// Busy time of each chip in the measured phase.
    pub(super) chips: Vec<SimSpan>,
    pub(super) arrays_ps: u128,
    pub(super) planes: usize,
    /// Busy time of each path in the measured phase.
    pub(super) paths: Vec<SimSpan>,
    pub(super) chip_times: Option<ChipTimes>,
    pub(super) queues: QueueMeasurement,
    pub(super) chips_at_work: Option<TimeSeries>,
    /// Busy times while the host had outstanding requests, or `None` without a host scheduler.
    pub(super) while_outstanding: Option<BusyTimes>,
}

impl WorkDone {
    /// Returns the counters of the flash translation layer.
    pub const fn ftl(&self) -> &FtlCounters {
        &self.ftl
    }

    /// Returns the counters of the fabric.
    pub const fn fabric(&self) -> &FabricCounters {
        &self.fabric
    }

    /// Returns the counters of the data cache, if there is one.
    pub const fn cache(&self) -> Option<&CacheCounters> {
        self.cache.as_ref()
    }

    /// Returns the counters of the controller's cores, if there are any.
    pub const fn cores(&self) -> Option<&CoreCounters> {
        self.cores.as_ref()
    }

    /// Returns the number of the controller's cores.
    pub const fn core_count(&self) -> u32 {
        self.core_count
    }

    /// Returns the use of the controller's decoders and the outcomes of reads, if there are decoders.
    pub const fn decoding(&self) -> Option<&DecodingWork> {
        self.decoding.as_ref()
    }

    /// Returns the counters of searches.
    pub const fn searches(&self) -> &SearchCounters {
        &self.searches
    }

    /// Returns the record of the chips and the fabric: counts of commands, suspensions and transfers, and
    /// busy times.
    pub const fn drive(&self) -> &DriveRecord {
        &self.drive
    }

    /// Returns the number of active chips over time. `None` without a host scheduler.
    pub const fn chips_at_work(&self) -> Option<&TimeSeries> {
        self.chips_at_work.as_ref()
    }

    /// Returns the measured queues of the chips.
    pub const fn queues(&self) -> &QueueMeasurement {
        &self.queues
    }

    /// Returns the mean utilisation of chips, planes and paths over `window`.
    fn occupation(&self, window: MeasurementWindow) -> WindowUtilisation {
        WindowUtilisation {
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
            cores: self.cores.zip(earlier.cores).map(|(later, earlier)| later - earlier),
            decoding: self.decoding.zip(earlier.decoding).map(|(later, earlier)| later.since(&earlier)),
            searches: self.searches - earlier.searches,
            drive: self.drive.since(&earlier.drive),
            chips: subtract(&self.chips, &earlier.chips),
            arrays_ps: self.arrays_ps - earlier.arrays_ps,
            paths: subtract(&self.paths, &earlier.paths),
            ..self.clone()
        }
    }
}

/// Utilisation of chips, planes and paths in a window, in %; `None` for an empty window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowUtilisation {
    /// Mean share of time in which a die of a chip was active, in %.
    pub chip_pct: Option<f64>,
    /// Mean share of time in which the array of a plane was busy, in %.
    pub plane_pct: Option<f64>,
    /// Mean share of time in which a path was busy, in %.
    pub path_pct: Option<f64>,
}

/// Use of a chip's time, as shares of the measured window in %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipShares {
    /// Share of time in which the array of at least one of the chip's dies was busy, in %.
    pub array_pct: f64,
    /// Share of time in which a command or data was on the chip's pins, in %.
    pub transfer_pct: f64,
    /// Share of time in which at least one array and the pins were busy at the same time, in %.
    pub both_pct: f64,
    /// Share of time in which neither arrays nor pins were busy, in %.
    pub idle_pct: f64,
}

/// Measured window together with the operations and busy times in it.
#[derive(Clone, Debug)]
pub struct WindowWork {
    pub(super) window: MeasurementWindow,
    pub(super) work: WorkDone,
}

impl WindowWork {
    /// Returns the measured window.
    pub const fn window(&self) -> MeasurementWindow {
        self.window
    }

    /// Returns the operations and busy times in the measured window.
    pub const fn work(&self) -> &WorkDone {
        &self.work
    }

    /// Returns the utilisation of chips, planes and paths in the window.
    pub fn occupation(&self) -> WindowUtilisation {
        self.work.occupation(self.window)
    }

    /// Returns, for each chip, the share of the window in which one of its dies was active, in %.
    pub fn by_chip(&self) -> impl Iterator<Item = Option<f64>> {
        self.work.chips.iter().map(|busy| self.window.share_pct(busy.as_ps().into(), 1))
    }

    /// Returns, for each path, the share of the window in which it was busy, in %.
    pub fn by_path(&self) -> impl Iterator<Item = Option<f64>> {
        self.work.paths.iter().map(|busy| self.window.share_pct(busy.as_ps().into(), 1))
    }

    /// Returns the mean share of the window in which a core of the controller was busy, in %; `None` without
    /// cores.
    pub fn of_cores(&self) -> Option<f64> {
        let busy_ps = self.work.cores?.busy_ps;
        self.window.share_pct(busy_ps, self.work.core_count as usize)
    }

    /// Returns the mean utilisation of the controller's decoders in %; `None` without decoders and for an
    /// empty window.
    pub fn of_decoders(&self) -> Option<f64> {
        let work = self.work.decoding?;
        self.window.share_pct(work.pages.busy_ps, work.decoders as usize)
    }

    /// Returns the shares of a chip's time by activity, if they are measured.
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

    /// Returns the utilisation of chips and planes while requests were outstanding. `outstanding` is the
    /// total length of this time.
    pub fn while_outstanding(&self, outstanding: SimSpan) -> Option<WindowUtilisation> {
        let BusyTimes { chips_ps, arrays_ps } = self.work.while_outstanding?;
        let window = MeasurementWindow::new(self.window.start, self.window.start + outstanding);
        Some(WindowUtilisation {
            chip_pct: window.share_pct(chips_ps, self.work.chips.len()),
            plane_pct: window.share_pct(arrays_ps, self.work.planes),
            path_pct: None,
        })
    }
}

/// Period from the last completion until the drive is idle, with the operations and busy times in it.
#[derive(Clone, Debug)]
pub struct DrainPeriod {
    pub(super) window: MeasurementWindow,
    pub(super) work: WorkDone,
}

impl DrainPeriod {
    /// Returns the drain period as a window.
    pub const fn window(&self) -> MeasurementWindow {
        self.window
    }

    /// Returns the operations and busy times in the drain period.
    pub const fn work(&self) -> &WorkDone {
        &self.work
    }

    /// Returns the utilisation of chips, planes and paths in the drain period.
    pub fn occupation(&self) -> WindowUtilisation {
        self.work.occupation(self.window)
    }
}
