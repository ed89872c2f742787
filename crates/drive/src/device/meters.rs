//! Measurements of a drive, which can be read at any instant of a run.

use venice_fabric::{Fabric, FabricCounters};
use venice_kernel::{SimSpan, SimTime, TimeSeries};

use crate::cache::CacheCounters;
use crate::controller::{Backend, CoreCounters, Cores};
use crate::ftl::{DecodedRead, FtlCounters, GrownBadBlocks, SearchCounters};
use crate::observe::{FlashWork, Sample};

use super::front_end::FrontEnd;
use super::measurement_window::{
    BusyTimes, DecodingWork, DrainPeriod, MeasurementWindow, WindowWork, WorkDone, sum_ps,
};
use super::service::ServiceRecord;

/// Measurements of a drive in the measured phase.
pub struct Meters<'a, F: Fabric + ?Sized> {
    pub(super) front: &'a FrontEnd,
    pub(super) back: &'a Backend<F>,
    pub(super) service: &'a ServiceRecord,
}

impl<F: Fabric + ?Sized> Meters<'_, F> {
    /// Returns the FTL's counters.
    pub fn ftl_counters(&self) -> FtlCounters {
        *self.front.ftl.stats().counters() - self.front.before.ftl
    }

    /// Returns the fabric's counters up to `now`.
    pub fn fabric_counters(&self, now: SimTime) -> FabricCounters {
        self.back.paths().counters(now)
    }

    /// Returns the data cache's counters, if there is one.
    pub fn cache_counters(&self) -> Option<CacheCounters> {
        self.front.cache.as_ref().map(|cache| *cache.counters() - self.front.before.cache)
    }

    /// Returns the counters of the controller's cores up to `now`, if there are any.
    pub fn core_counters(&self, now: SimTime) -> Option<CoreCounters> {
        self.front.cores.as_ref().map(|cores| cores.counters(now) - self.front.before.cores)
    }

    /// Returns the use of the controller's decoders and the outcomes of reads up to `now`, if there are
    /// decoders.
    pub fn decoding_work(&self, now: SimTime) -> Option<DecodingWork> {
        let (decoders, errors) = (self.front.decoders.as_ref()?, self.front.ftl.read_errors()?);
        Some(DecodingWork {
            decoders: decoders.count(),
            pages: decoders.counters(now) - self.front.before.decoders,
            errors: *errors.counters() - self.front.before.read_errors,
        })
    }

    /// Returns the counters of searches.
    pub fn search_counters(&self) -> SearchCounters {
        *self.front.ftl.search_counters() - self.front.before.searches
    }

    /// Returns the busy time of each path of the fabric up to `now`.
    pub fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.back.paths().busy(now)
    }

    /// Returns the bytes sent on the host link up to `now` in both directions.
    pub fn link_bytes(&self, now: SimTime) -> u64 {
        self.front.host.transport.link_bytes(now) - self.front.before.link_bytes
    }

    /// Returns the cumulative operations and busy times of the current phase up to `now`. All events before
    /// `now` must have been processed.
    pub fn sample(&self, now: SimTime) -> Sample {
        let counters = self.ftl_counters();
        let busy = self.busy_times(now);
        let blocks = self.front.ftl.space().blocks();
        let free_blocks = blocks.planes.free_blocks();
        let decoding = self.decoding_work(now);
        let uncorrectable = decoding.map_or(0, |work| work.errors.uncorrectable[DecodedRead::Host as usize]);
        debug_assert_eq!(self.front.free_blocks(), free_blocks.cast_signed(), "free blocks are counted");
        Sample {
            issued: self.front.host.submitted(),
            chips_ps: busy.chips_ps,
            planes_ps: busy.arrays_ps,
            paths_ps: self.path_busy(now).into_iter().map(|span| u128::from(span.as_ps())).sum(),
            work: FlashWork {
                reads: counters.reads,
                programs: counters.programs,
                host_programs: counters.host_programs,
                gc_moves: counters.gc_moves,
                idle_moves: counters.idle_moves,
                wear_moves: counters.wear_moves,
                reclaim_moves: counters.reclaim_moves,
                refresh_moves: counters.refresh_moves,
                fold_moves: counters.fold_moves,
                erases: counters.erases,
                reclaim_executions: counters.reclaim_executions,
                refresh_executions: counters.refresh_executions,
                uncorrectable_host_reads: uncorrectable,
            },
            free_blocks,
            cached_units: blocks.cached_units(),
            spare_blocks: blocks.grown_bad_blocks().map_or(0, GrownBadBlocks::spare_blocks),
        }
    }

    /// Returns the measured window of a finished run, with the operations and busy times in it.
    pub fn window_work(&self) -> WindowWork {
        let recorder = &self.front.probes.recorder;
        let start = recorder.first_request.unwrap_or_default();
        let work = self.service.end().filter(|work| work.at == recorder.last_completion);
        debug_assert!(work.is_some() || recorder.first_request.is_none(), "the last completion was noticed");
        let window = MeasurementWindow::new(start, work.map_or(start, |work| work.at));
        WindowWork { window, work: work.cloned().unwrap_or_else(|| self.nothing_done()) }
    }

    /// Returns the operations and busy times of a finished run after its measured window.
    pub fn afterwards(&self, served: &WindowWork) -> DrainPeriod {
        let rest = served.window.end().max(self.front.probes.recorder.drive.last_work);
        let (window, work) =
            (MeasurementWindow::new(served.window.end(), rest), self.work_done(rest).since(&served.work));
        DrainPeriod { window, work }
    }

    /// Returns the operations and busy times from the start of the measured phase up to `now`. All events
    /// before `now` must have been processed.
    pub(super) fn work_done(&self, now: SimTime) -> WorkDone {
        let (chips, drive, detailed) =
            (self.back.chips(), &self.front.probes.recorder.drive, &self.front.probes.detailed);
        let ended = drive.chip_busy_by_chip.iter().copied().chain(std::iter::repeat(SimSpan::ZERO));
        let busy = self.busy_times(now);
        WorkDone {
            at: now,
            ftl: self.ftl_counters(),
            fabric: self.fabric_counters(now),
            cache: self.cache_counters(),
            cores: self.core_counters(now),
            core_count: self.front.cores.as_ref().map_or(0, Cores::count),
            decoding: self.decoding_work(now),
            searches: self.search_counters(),
            drive: drive.clone(),
            chips: chips.active_for(now).zip(ended).map(|(active, ended)| active + ended).collect(),
            arrays_ps: busy.arrays_ps,
            planes: self.back.paths().geometry().planes() as usize,
            paths: self.path_busy(now),
            chip_times: detailed.as_ref().and_then(|it| it.chip_times.as_ref()).map(|times| times.up_to(now)),
            queues: self.front.ftl.queues().measured.at(now),
            chips_at_work: self.chips_at_work(now),
            while_outstanding: self.service.outside_pauses(busy),
        }
    }

    /// Returns the busy times from the start of the measured phase up to `now`. All events before `now` must
    /// have been processed.
    pub(super) fn busy_times(&self, now: SimTime) -> BusyTimes {
        let (under_way, drive) = (self.back.chips().under_way(now), &self.front.probes.recorder.drive);
        // The record counts the array time of an operation completely when the operation starts.
        let worked = i128::from(drive.arrays.total().as_ps()) - i128::from(drive.voided.total().as_ps());
        let arrays_ps = worked - under_way.ahead_ps;
        debug_assert!(arrays_ps >= 0, "arrays have worked for {arrays_ps} ps");
        BusyTimes {
            chips_ps: sum_ps(&drive.chip_busy_by_chip) + under_way.active_ps.unsigned_abs(),
            arrays_ps: arrays_ps.max(0).unsigned_abs(),
        }
    }

    fn chips_at_work(&self, now: SimTime) -> Option<TimeSeries> {
        let mut series = self.front.probes.scheduled.as_ref()?.chips.clone();
        for active in self.back.chips().active_for(now) {
            series.add(SimTime::from_ps(now.as_ps() - active.as_ps()), now, 1);
        }
        Some(series)
    }

    /// Returns the record of a drive that has done no operation.
    fn nothing_done(&self) -> WorkDone {
        let now = self.work_done(self.front.probes.recorder.drive.last_work);
        now.since(&now)
    }
}
