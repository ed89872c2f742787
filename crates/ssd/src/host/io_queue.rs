//! The host's I/O queue: what waits between the flows and the drive, with a scheduler that chooses from it.
//!
//! # What it models
//! The queue has a limited number of entries. A request has one while it waits, or until it is complete
//! ([`QueueCounts`]); requests beyond wait behind in the order in which they came, and the scheduler does not see them. It
//! hands over at most a given number of requests that are not complete, and only what the drive takes at that instant
//! ([`DriveRoom`]).
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A (the I/O queue in the host); Linux kernel documentation, `nr_requests`.
//!
//! # Parameters
//! `host.scheduler.*`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime, TimeSeries};

use crate::geometry::{Priority, RequestId};

use super::request::Request;
use super::scheduler::{
    AnyScheduler, ConflictCounters, ConflictMeter, DriveRoom, Failure, HostScheduler, Issue, OwnScheduler,
    QueueCounts, Queued, SchedulerCounters, SchedulerSettings, Scheme,
};
use venice_requests::{HostRequest, Op};

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

/// How many requests waited and how many were in the drive, over the measured phase.
#[derive(Clone, Debug)]
pub struct QueueHistory {
    /// When it begins.
    pub start: SimTime,
    /// When the last request came.
    pub last_arrival: SimTime,
    /// Requests that waited in the host.
    pub waiting: TimeSeries,
    /// Requests in the drive.
    pub in_drive: TimeSeries,
    noted: SimTime,
}

impl QueueHistory {
    fn new(start: SimTime, points: u32) -> Self {
        let series = TimeSeries::new(start, points);
        Self { start, last_arrival: start, waiting: series.clone(), in_drive: series, noted: start }
    }

    fn note(&mut self, waiting: u32, in_drive: u32, now: SimTime) {
        self.waiting.add(self.noted, now, waiting);
        self.in_drive.add(self.noted, now, in_drive);
        self.noted = now;
    }
}

/// The queue and its scheduler.
#[derive(Debug)]
pub struct IoQueue {
    settings: SchedulerSettings,
    scheduler: AnyScheduler,
    /// Requests that the scheduler does not see yet: reads and writes, where entries are counted by kind; else all in the first.
    behind: [VecDeque<Queued>; 2],
    /// Requests that it sees and that wait, in the same way.
    seen: [usize; 2],
    in_drive: u32,
    /// When the scheduler will be woken.
    alarm: Option<SimTime>,
    room: DriveRoom,
    conflicts: ConflictMeter,
    /// Requests that wait or are served.
    outstanding: u64,
    busy_since: SimTime,
    busy: SimSpan,
    history: QueueHistory,
    /// Of reads and of writes, the batches by size that were complete when the measured phase began.
    sizes_before: [Vec<u64>; 2],
    /// What had been counted then.
    before: IoQueueCounters,
}

impl IoQueue {
    /// Nothing waits. A scheduler from outside the catalogue takes the place of that of the settings.
    pub(super) fn new(settings: SchedulerSettings, own: Option<OwnScheduler>) -> Self {
        // The ideal is one only where units serve one request at a time.
        let is_ideal = settings.scheme == Scheme::ConflictFree && own.is_none();
        let issue = if is_ideal { Issue::WithoutConflicts } else { settings.issue };
        Self {
            scheduler: own.map_or_else(|| settings.scheme.build(&settings), AnyScheduler::Own),
            behind: [VecDeque::new(), VecDeque::new()],
            seen: [0; 2],
            in_drive: 0,
            alarm: None,
            room: DriveRoom::new(settings.drive_units, issue, settings.drive_slots),
            conflicts: ConflictMeter::new(settings.units.units()),
            settings,
            outstanding: 0,
            busy_since: SimTime::ZERO,
            busy: SimSpan::ZERO,
            history: QueueHistory::new(SimTime::ZERO, settings.history_points),
            sizes_before: [Vec::new(), Vec::new()],
            before: IoQueueCounters::default(),
        }
    }

    /// A request has been issued; where it lies and what it met is written down in it.
    pub(super) fn add(&mut self, id: RequestId, request: &mut Request, priority: Priority, now: SimTime) {
        let HostRequest { op, start_sector, sectors, queue, .. } = request.host;
        let location = self.settings.units.locate(start_sector, sectors);
        let in_drive = self.settings.drive_units.locate(start_sector, sectors);
        let op = op.side();
        self.note(now);
        self.history.last_arrival = now;
        if self.outstanding == 0 {
            self.busy_since = now;
        }
        self.outstanding += 1;
        let line = self.line(op);
        self.behind[line].push_back(Queued {
            id,
            op,
            start_sector,
            sectors,
            queue,
            priority,
            location,
            in_drive,
            since: now,
            batch: 0,
        });
        self.show(now);
        (request.location, request.met) = (location, self.conflicts.came(op, location));
    }

    /// The request that the drive gets next, if it gets one now.
    pub(super) fn next(&mut self, now: SimTime) -> Option<Queued> {
        if self.room.free_slots == 0 {
            return None;
        }
        let queued = self.scheduler.next(now, &self.room)?;
        self.room.enter(queued.in_drive);
        self.in_drive += 1;
        let line = self.line(queued.op);
        self.seen[line] -= 1;
        self.show(now);
        Some(queued)
    }

    /// A request that the drive got is complete.
    pub(super) fn completed(&mut self, request: &Request, now: SimTime) {
        let (HostRequest { start_sector, sectors, .. }, done) = (request.host, request.done(now));
        self.note(now);
        self.conflicts.went(done.op, done.location);
        self.room.leave(self.settings.drive_units.locate(start_sector, sectors));
        self.scheduler.completed(done, now);
        self.in_drive -= 1;
        self.outstanding -= 1;
        if self.outstanding == 0 {
            self.busy += now.since(self.busy_since);
        }
        self.show(now);
    }

    /// When the scheduler is to be woken, if that is sooner than what was answered last.
    pub(super) fn new_alarm(&mut self) -> Option<SimTime> {
        let at = self.scheduler.wakes_at()?;
        let is_new = self.alarm.is_none_or(|alarm| at < alarm);
        is_new.then(|| *self.alarm.insert(at))
    }

    /// The instant has come for which the scheduler asked, unless it was another since.
    pub(super) fn alarm(&mut self, now: SimTime) {
        if self.alarm.is_some_and(|alarm| alarm <= now) {
            self.alarm = None;
        }
        if self.scheduler.wakes_at().is_some_and(|at| at <= now) {
            self.scheduler.woken(now);
        }
    }

    /// From now on it is measured.
    pub(super) fn begin_measuring(&mut self, now: SimTime) {
        self.busy_since = now;
        self.history = QueueHistory::new(now, self.settings.history_points);
        self.sizes_before = [Op::Read, Op::Write].map(|op| self.scheduler.batch_sizes(op).to_vec());
        self.before = self.counters_so_far();
    }

    /// Until now the queue was as long as it is.
    fn note(&mut self, now: SimTime) {
        let waiting = self.outstanding as u32 - self.in_drive;
        self.history.note(waiting, self.in_drive, now);
    }

    /// What it and its scheduler were told.
    pub const fn settings(&self) -> &SchedulerSettings {
        &self.settings
    }

    /// What its scheduler is called.
    pub fn scheduler_name(&self) -> &str {
        match &self.scheduler {
            AnyScheduler::Own(own) => own.name(),
            _ => self.settings.scheme.name(),
        }
    }

    /// Why its scheduler cannot go on, if so.
    pub fn failure(&mut self) -> Option<Failure> {
        self.scheduler.failure()
    }

    /// Requests that its scheduler has and has not handed over.
    pub fn waiting(&self) -> usize {
        self.scheduler.waiting()
    }

    /// How long the queue was, over the measured phase.
    pub const fn history(&self) -> &QueueHistory {
        &self.history
    }

    /// By number of requests: batches of this kind that were complete in the measured phase.
    pub fn batch_sizes(&self, op: Op) -> Vec<u64> {
        let before = &self.sizes_before[op as usize];
        let sizes = self.scheduler.batch_sizes(op).iter().enumerate();
        sizes.map(|(size, count)| count - before.get(size).copied().unwrap_or(0)).collect()
    }

    /// What was counted in the measured phase.
    pub fn counters(&self) -> IoQueueCounters {
        self.counters_so_far() - self.before
    }

    fn counters_so_far(&self) -> IoQueueCounters {
        IoQueueCounters {
            scheduler: self.scheduler.counters(),
            conflicts: self.conflicts.counters(),
            busy: self.busy,
        }
    }

    /// Where a request of this kind waits.
    fn line(&self, op: Op) -> usize {
        if self.settings.queue_counts == QueueCounts::WaitingByKind { op as usize } else { 0 }
    }

    /// Lets the scheduler see as many requests as there are entries; from then on they are in the queue.
    fn show(&mut self, now: SimTime) {
        let in_drive = match self.settings.queue_counts {
            QueueCounts::Waiting | QueueCounts::WaitingByKind => 0,
            QueueCounts::Outstanding => self.in_drive as usize,
        };
        for (behind, seen) in self.behind.iter_mut().zip(&mut self.seen) {
            while *seen + in_drive < self.settings.queue_length as usize
                && let Some(queued) = behind.pop_front()
            {
                self.scheduler.add(Queued { since: now, ..queued });
                *seen += 1;
            }
        }
    }
}
