//! Deadline scheduler of the Linux kernel: sector order in one direction, with expiry.
//!
//! # How
//! Reads and writes each have a list sorted by sector and one sorted by arrival. The scheduler serves a *run*
//! of reads or of writes in ascending order of sectors. After `fifo_batch` requests, or if no higher sector
//! waits, a new run begins. It consists of reads, unless reads have been preferred to waiting writes too
//! often. A run starts with the oldest request of its kind if that has expired. Otherwise it starts with the
//! next sector after the last one served of this kind or, if there is none, with the oldest request.
//!
//! # What is left out
//! Merging of adjacent requests, priorities, zones.
//!
//! # Source
//! Linux kernel documentation, `block/deadline-iosched`: `read_expire`, `write_expire`, `fifo_batch`,
//! `writes_starved`.

use std::collections::{BTreeMap, BTreeSet};

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};
use venice_requests::request::Op;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Maximum expiry time in milliseconds.
const LONGEST_MS: f64 = 1e6;

declare! {
    /// Parameters of `deadline`.
    pub struct DeadlineParameters in "host.scheduler." {
        /// Age at which a read expires and is served next, for `deadline`.
        read_expire_ms: f64 = number(0.0, LONGEST_MS), unit "ms", default "500", source "Linux, block/deadline-iosched";
        /// Age at which a write expires and is served first in the next run of writes, for `deadline`.
        write_expire_ms: f64 = number(0.0, LONGEST_MS), unit "ms", default "5000", source "Linux, block/deadline-iosched";
        /// Maximum number of requests served in sector order before expired requests are checked, for
        /// `deadline`.
        fifo_batch: u32 = whole(1, 65_536), unit "requests", default "16", source "Linux, block/deadline-iosched";
        /// Maximum number of successive runs of reads while writes wait, for `deadline`.
        writes_starved: u32 = whole(1, 65_536), unit "turns", default "2", source "Linux, block/deadline-iosched";
    }
}

/// Requests of one kind (reads or writes). Serial numbers distinguish requests with equal sectors or arrival
/// times.
#[derive(Clone, Debug, Default)]
struct DirectionQueue {
    by_sector: BTreeMap<(u64, u64), QueuedRequest>,
    by_arrival: BTreeSet<(SimTime, u64, u64)>,
    /// Start sector of the last request sent.
    latest: u64,
}

impl DirectionQueue {
    fn insert(&mut self, queued: QueuedRequest, serial: u64) {
        self.by_sector.insert((queued.start_sector, serial), queued);
        self.by_arrival.insert((queued.since, serial, queued.start_sector));
    }

    fn remove(&mut self, place: (u64, u64)) -> Option<QueuedRequest> {
        let queued = self.by_sector.remove(&place)?;
        self.by_arrival.remove(&(queued.since, place.1, queued.start_sector));
        self.latest = queued.start_sector;
        Some(queued)
    }

    fn onwards(&self) -> Option<(u64, u64)> {
        self.by_sector.range((self.latest, 0)..).next().map(|(&place, _)| place)
    }

    fn oldest(&self) -> Option<(SimTime, (u64, u64))> {
        self.by_arrival.first().map(|&(since, serial, sector)| (since, (sector, serial)))
    }
}

/// Deadline scheduler of the Linux kernel.
#[derive(Clone, Debug)]
pub struct Deadline {
    settings: DeadlineParameters,
    reads: DirectionQueue,
    writes: DirectionQueue,
    /// Operation of the current run (reads or writes), and the number of requests served in the run.
    run: Option<(Op, u32)>,
    passed_over: u32,
    serial: u64,
}

impl SchedulerModel for Deadline {
    type Parameters = DeadlineParameters;

    fn new(_scheme: Scheme, own: &DeadlineParameters, _settings: &SchedulerSettings) -> Self {
        let (reads, writes) = (DirectionQueue::default(), DirectionQueue::default());
        Self { settings: *own, reads, writes, run: None, passed_over: 0, serial: 0 }
    }
}

impl Deadline {
    fn direction(&mut self, op: Op) -> &mut DirectionQueue {
        match op {
            Op::Read | Op::Gather | Op::Search => &mut self.reads,
            _ => &mut self.writes,
        }
    }

    /// Returns the next request of the current run, if the run continues.
    fn go_on(&mut self) -> Option<(Op, (u64, u64))> {
        let (op, _) = self.run.filter(|&(_, taken)| taken < self.settings.fifo_batch)?;
        self.direction(op).onwards().map(|place| (op, place))
    }

    fn turn(&mut self) -> Op {
        let (reads, writes) = (!self.reads.by_sector.is_empty(), !self.writes.by_sector.is_empty());
        if reads && !(writes && self.passed_over >= self.settings.writes_starved) {
            self.passed_over += u32::from(writes);
            return Op::Read;
        }
        self.passed_over = 0;
        Op::Write
    }

    /// Starts a new run. Returns its first request.
    fn begin(&mut self, now: SimTime) -> Option<(Op, (u64, u64))> {
        let op = self.turn();
        self.run = Some((op, 0));
        let expire_ms = match op {
            Op::Read | Op::Gather | Op::Search => self.settings.read_expire_ms,
            _ => self.settings.write_expire_ms,
        };
        let expire = SimSpan::from_us_f64(expire_ms * 1e3);
        let direction = self.direction(op);
        let (since, oldest) = direction.oldest()?;
        let onwards = direction.onwards().filter(|_| now.since(since) < expire);
        Some((op, onwards.unwrap_or(oldest)))
    }
}

impl HostScheduler for Deadline {
    fn add(&mut self, queued: QueuedRequest) {
        self.serial += 1;
        let serial = self.serial;
        self.direction(queued.op).insert(queued, serial);
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.waiting() == 0 {
            return None;
        }
        let before = (self.run, self.passed_over);
        let (op, place) = self.go_on().or_else(|| self.begin(now))?;
        if !room.takes(self.direction(op).by_sector.get(&place)?) {
            // The request is not sent; the choice is repeated when the drive has a free slot.
            (self.run, self.passed_over) = before;
            return None;
        }
        if let Some((_, taken)) = &mut self.run {
            *taken += 1;
        }
        self.direction(op).remove(place)
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.reads.by_sector.len() + self.writes.by_sector.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
