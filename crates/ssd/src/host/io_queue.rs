//! The host's I/O queue: what waits between the flows and the drive, with a scheduler that chooses from it.
//!
//! # What it models
//! The queue has a limited number of entries. A request has one until it is complete, in the drive too; requests beyond
//! wait behind in the order in which they came, and the scheduler does not see them. It hands over at most a given number
//! of requests that are not complete. So with one entry no scheduler has a choice.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §III (the I/O queue in the host); Linux kernel documentation, `nr_requests`.
//!
//! # Parameters
//! `host.scheduler.*`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::RequestId;

use super::request::HostRequest;
use super::scheduler::{
    AnyScheduler, ConflictCounters, ConflictMeter, HostScheduler, Issue, Location, Met, Queued,
    SchedulerCounters, SchedulerSettings,
};

venice_kernel::counters! {
    /// What the host's I/O queue counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct IoQueueCounters {
        /// By its scheduler.
        pub scheduler: SchedulerCounters,
        /// Conflicts of requests when they come.
        pub conflicts: ConflictCounters,
        /// Time for which requests waited or were served; up to the last instant at which none did.
        pub busy: SimSpan,
    }
}

/// The queue and its scheduler.
#[derive(Clone, Debug)]
pub(super) struct IoQueue {
    settings: SchedulerSettings,
    scheduler: AnyScheduler,
    /// Requests that the scheduler does not see yet.
    behind: VecDeque<Queued>,
    /// Chosen, and held back because a unit is in use.
    held: Option<Queued>,
    in_drive: u32,
    /// By unit, whether a request in the drive touches it; where conflicts are held back.
    in_use: Vec<bool>,
    conflicts: ConflictMeter,
    /// Requests that wait or are served.
    outstanding: u64,
    busy_since: SimTime,
    busy: SimSpan,
    /// What had been counted when the measured phase began.
    before: IoQueueCounters,
}

impl IoQueue {
    /// Nothing waits.
    pub(super) fn new(settings: SchedulerSettings) -> Self {
        Self {
            scheduler: settings.scheme.build(&settings),
            behind: VecDeque::new(),
            held: None,
            in_drive: 0,
            in_use: vec![false; settings.drive_units.units() as usize],
            conflicts: ConflictMeter::new(settings.units.units()),
            settings,
            outstanding: 0,
            busy_since: SimTime::ZERO,
            busy: SimSpan::ZERO,
            before: IoQueueCounters::default(),
        }
    }

    /// A request has been issued. Returns what it meets.
    pub(super) fn add(&mut self, id: RequestId, request: &HostRequest, now: SimTime) -> Met {
        let location = self.settings.units.locate(request.start_sector, request.sectors);
        let in_drive = self.settings.drive_units.locate(request.start_sector, request.sectors);
        let HostRequest { op, start_sector, .. } = *request;
        if self.outstanding == 0 {
            self.busy_since = now;
        }
        self.outstanding += 1;
        self.behind.push_back(Queued { id, op, start_sector, location, in_drive, since: now });
        self.show();
        self.conflicts.came(op, location)
    }

    /// The request that the drive gets next, if it gets one now.
    pub(super) fn next(&mut self, now: SimTime) -> Option<RequestId> {
        if self.in_drive == self.settings.drive_slots {
            return None;
        }
        let queued = self.held.take().or_else(|| self.scheduler.next(now))?;
        if self.settings.issue == Issue::WithoutConflicts && !self.reserve(queued.in_drive) {
            self.held = Some(queued);
            return None;
        }
        self.in_drive += 1;
        Some(queued.id)
    }

    /// Takes a request's units into use, if none of them is.
    fn reserve(&mut self, location: Location) -> bool {
        let units = self.settings.drive_units.units();
        let is_free = location.units(units).all(|unit| !self.in_use[unit]);
        if is_free {
            location.units(units).for_each(|unit| self.in_use[unit] = true);
        }
        is_free
    }

    /// A request that the drive got is complete.
    pub(super) fn completed(&mut self, request: &HostRequest, now: SimTime) {
        let location = self.settings.units.locate(request.start_sector, request.sectors);
        self.conflicts.went(request.op, location);
        if self.settings.issue == Issue::WithoutConflicts {
            let map = self.settings.drive_units;
            let in_drive = map.locate(request.start_sector, request.sectors);
            in_drive.units(map.units()).for_each(|unit| self.in_use[unit] = false);
        }
        self.scheduler.completed(location);
        self.in_drive -= 1;
        self.outstanding -= 1;
        if self.outstanding == 0 {
            self.busy += now.since(self.busy_since);
        }
        self.show();
    }

    /// From now on it is measured.
    pub(super) fn begin_measuring(&mut self, now: SimTime) {
        self.busy_since = now;
        self.before = self.counters_so_far();
    }

    /// What was counted in the measured phase.
    pub(super) fn counters(&self) -> IoQueueCounters {
        self.counters_so_far() - self.before
    }

    fn counters_so_far(&self) -> IoQueueCounters {
        IoQueueCounters {
            scheduler: self.scheduler.counters(),
            conflicts: self.conflicts.counters(),
            busy: self.busy,
        }
    }

    /// Lets the scheduler see as many requests as there are entries.
    fn show(&mut self) {
        let handed = self.in_drive as usize + usize::from(self.held.is_some());
        while self.scheduler.waiting() + handed < self.settings.queue_length as usize
            && let Some(queued) = self.behind.pop_front()
        {
            self.scheduler.add(queued);
        }
    }
}
