//! Host I/O queue between flows and drive, with a scheduler that selects from it.
//!
//! # What it models
//! The queue has a limited number of entries. A request occupies an entry while it waits, or until it
//! completes ([`QueueCounts`]). Further requests wait behind the queue in arrival order; the scheduler does
//! not see them. The number of incomplete requests in the drive is limited, and the scheduler sends only
//! requests that the drive accepts ([`DriveCapacity`]).
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A (the I/O queue in the host); Linux kernel documentation, `nr_requests`.
//!
//! # Parameters
//! `host.scheduler.*`

use std::collections::VecDeque;

use venice_kernel::{SimTime, TimeSeries};
use venice_nand::geometry::{Priority, RequestId};
use venice_requests::{HostRequest, Op};

use super::collection_notice::CollectionNotice;
use super::request::Request;
use super::scheduler::{
    AnyScheduler, ConflictCounters, ConflictMeter, DispatchRule, DriveCapacity, ExternalScheduler,
    HostScheduler, QueueCounts, QueuedRequest, SchedulerCounters, SchedulerFailure, SchedulerSettings,
    Scheme,
};

venice_kernel::counters! {
    /// Counters of the host's I/O queue.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct IoQueueCounters {
        /// Counters of the queue's scheduler.
        pub scheduler: SchedulerCounters,
        /// Numbers of conflicts between new requests and requests in the queue or in the drive.
        pub conflicts: ConflictCounters,
    }
}

/// Queue length and requests in the drive over the measured phase.
#[derive(Clone, Debug)]
pub struct QueueHistory {
    /// Start of the measured phase.
    pub start: SimTime,
    /// Arrival time of the last request.
    pub last_arrival: SimTime,
    /// Number of requests waiting in the host, over time.
    pub waiting: TimeSeries,
    /// Number of requests in the drive, over time.
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

/// Host I/O queue with its scheduler.
#[derive(Debug)]
pub struct IoQueue {
    settings: SchedulerSettings,
    scheduler: AnyScheduler,
    /// Requests for which the queue has no free entry. If reads and writes have separate entries, index 0
    /// holds reads and 1 writes; otherwise index 0 holds all.
    behind: [VecDeque<QueuedRequest>; 2],
    /// Number of requests that the scheduler holds, indexed like `behind`.
    seen: [usize; 2],
    in_drive: u32,
    /// Number of incomplete requests that bypass the queue.
    bypassing: u32,
    /// Time of the scheduler's pending alarm; `None` if there is no alarm.
    alarm: Option<SimTime>,
    room: DriveCapacity,
    conflicts: ConflictMeter,
    /// Number of requests that wait or are in the drive.
    outstanding: u64,
    history: QueueHistory,
    /// Number of batches that completed before the measured phase, by size, for reads and for writes.
    sizes_before: [Vec<u64>; 2],
    /// Counters at the start of the measured phase.
    before: IoQueueCounters,
}

impl IoQueue {
    /// Creates an empty queue. `external` (a user-defined scheduler) replaces the configured one.
    pub(super) fn new(settings: &SchedulerSettings, external: Option<ExternalScheduler>) -> Self {
        // The conflict-free scheme is an upper bound only if each unit serves one request at a time.
        let is_ideal = settings.scheme == Scheme::ConflictFree && external.is_none();
        let issue = if is_ideal { DispatchRule::WithoutConflicts } else { settings.issue };
        Self {
            scheduler: external.map_or_else(|| settings.scheme.build(settings), AnyScheduler::External),
            behind: [VecDeque::new(), VecDeque::new()],
            seen: [0; 2],
            in_drive: 0,
            bypassing: 0,
            alarm: None,
            room: DriveCapacity::new(settings.drive_units, issue, settings.drive_slots)
                .with_notices(settings.chips, settings.avoids_collecting),
            conflicts: ConflictMeter::new(settings.units.units()),
            settings: *settings,
            outstanding: 0,
            history: QueueHistory::new(SimTime::ZERO, settings.history_points),
            sizes_before: [Vec::new(), Vec::new()],
            before: IoQueueCounters::default(),
        }
    }

    /// Adds an issued request. Stores its parallel units and its conflicts in `request`.
    pub(super) fn add(&mut self, id: RequestId, request: &mut Request, priority: Priority, now: SimTime) {
        let HostRequest { op, start_sector, sectors, queue, .. } = request.host;
        // A search would conflict with requests to all units for as long as it takes.
        let located = if op == Op::Search { 1 } else { sectors };
        let location = self.settings.units.locate(start_sector, located);
        let in_drive = self.settings.drive_units.locate(start_sector, located);
        let op = op.side();
        self.arrived(now);
        let line = self.line(op);
        self.behind[line].push_back(QueuedRequest {
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
            tag: 0,
        });
        self.show(now);
        (request.location, request.met) = (location, self.conflicts.came(op, location));
    }

    fn arrived(&mut self, now: SimTime) {
        self.note(now);
        self.history.last_arrival = now;
        self.outstanding += 1;
    }

    /// Counts a request that bypasses the queue. Flush requests do so, as in Linux.
    pub(super) fn add_bypass(&mut self, now: SimTime) {
        self.arrived(now);
        self.bypassing += 1;
    }

    /// Counts the completion of a request that bypassed the queue.
    pub(super) fn bypass_completed(&mut self, now: SimTime) {
        self.note(now);
        self.bypassing -= 1;
        self.outstanding -= 1;
    }

    /// Returns the next request for the drive, if one may be sent.
    pub(super) fn next(&mut self, now: SimTime) -> Option<QueuedRequest> {
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

    /// Processes the completion of a request.
    pub(super) fn completed(&mut self, request: &Request, now: SimTime) {
        let (HostRequest { start_sector, sectors, .. }, done) = (request.host, request.done(now));
        self.note(now);
        self.conflicts.went(done.op, done.location);
        self.room.leave(self.settings.drive_units.locate(start_sector, sectors));
        self.scheduler.completed(done, now);
        self.in_drive -= 1;
        self.outstanding -= 1;
        self.show(now);
    }

    /// Processes a notice of garbage collection from the drive.
    pub(super) fn collection_notice(&mut self, notice: CollectionNotice) {
        let chips = self.settings.chips;
        self.room.note_collection(chips.unit_of(notice.chip()), notice.collects());
    }

    /// Returns the alarm time that the scheduler requests, if it is earlier than the pending alarm, and makes
    /// it the pending alarm. Returns `None` otherwise.
    pub(super) fn new_alarm(&mut self) -> Option<SimTime> {
        let at = self.scheduler.wakes_at()?;
        let is_new = self.alarm.is_none_or(|alarm| at < alarm);
        is_new.then(|| *self.alarm.insert(at))
    }

    /// Processes an alarm that is due at `now`: wakes the scheduler, unless it has requested another alarm
    /// time since.
    pub(super) fn alarm(&mut self, now: SimTime) {
        if self.alarm.is_some_and(|alarm| alarm <= now) {
            self.alarm = None;
        }
        if self.scheduler.wakes_at().is_some_and(|at| at <= now) {
            self.scheduler.woken(now);
        }
    }

    /// Starts the measured phase.
    pub(super) fn begin_measuring(&mut self, now: SimTime) {
        self.history = QueueHistory::new(now, self.settings.history_points);
        self.sizes_before = [Op::Read, Op::Write].map(|op| self.scheduler.batch_sizes(op).to_vec());
        self.before = self.counters_so_far();
    }

    /// Adds the queue length that has applied since the last change to the history.
    fn note(&mut self, now: SimTime) {
        let in_drive = self.in_drive + self.bypassing;
        let waiting = self.outstanding as u32 - in_drive;
        self.history.note(waiting, in_drive, now);
    }

    /// Returns the settings of the queue and its scheduler.
    pub const fn settings(&self) -> &SchedulerSettings {
        &self.settings
    }

    /// Returns the name of the scheduler.
    pub fn scheduler_name(&self) -> &str {
        match &self.scheduler {
            AnyScheduler::External(external) => external.name(),
            _ => self.settings.scheme.name(),
        }
    }

    /// Returns the failure of the scheduler, if there is one.
    pub fn failure(&mut self) -> Option<SchedulerFailure> {
        self.scheduler.failure()
    }

    /// Returns the number of requests that the scheduler holds.
    pub fn waiting(&self) -> usize {
        self.scheduler.waiting()
    }

    /// Returns the history of the queue length over the measured phase.
    pub const fn history(&self) -> &QueueHistory {
        &self.history
    }

    /// Returns the number of batches completed in the measured phase, indexed by their number of requests.
    pub fn batch_sizes(&self, op: Op) -> Vec<u64> {
        let before = &self.sizes_before[op as usize];
        let sizes = self.scheduler.batch_sizes(op).iter().enumerate();
        sizes.map(|(size, count)| count - before.get(size).copied().unwrap_or(0)).collect()
    }

    /// Returns the counters of the measured phase.
    pub fn counters(&self) -> IoQueueCounters {
        self.counters_so_far() - self.before
    }

    fn counters_so_far(&self) -> IoQueueCounters {
        IoQueueCounters { scheduler: self.scheduler.counters(), conflicts: self.conflicts.counters() }
    }

    /// Returns the index in `behind` and `seen` for reads or for writes.
    fn line(&self, op: Op) -> usize {
        if self.settings.queue_counts == QueueCounts::WaitingByKind { op as usize } else { 0 }
    }

    /// Moves requests without an entry into free entries of the queue, where the scheduler sees them.
    fn show(&mut self, now: SimTime) {
        let in_drive = match self.settings.queue_counts {
            QueueCounts::Waiting | QueueCounts::WaitingByKind => 0,
            QueueCounts::Outstanding => self.in_drive as usize,
        };
        for (behind, seen) in self.behind.iter_mut().zip(&mut self.seen) {
            while *seen + in_drive < self.settings.queue_length as usize
                && let Some(queued) = behind.pop_front()
            {
                self.scheduler.add(QueuedRequest { since: now, ..queued });
                *seen += 1;
            }
        }
    }
}
