//! By sector in one direction, with expiry: the kernel's deadline scheduler.
//!
//! # How
//! Reads and writes are each kept by sector and by arrival. A run goes upwards by sector; after a number of requests,
//! or at its end, it is decided anew: reads, unless writes were passed over too often; and there the oldest if it has
//! expired, else the next from the sector on that was served last in this direction, else the oldest.
//!
//! # What is left out
//! Merging of neighbouring requests, priorities, zones.
//!
//! # Source
//! Linux kernel documentation, `block/deadline-iosched`: `read_expire`, `write_expire`, `fifo_batch`,
//! `writes_starved`.

use std::collections::{BTreeMap, BTreeSet};

use venice_kernel::{SimSpan, SimTime};

use super::{Done, DriveRoom, HostScheduler, Model, Queued, SchedulerCounters, SchedulerSettings, Scheme};
use crate::parameters::{declare, number, whole};
use venice_requests::request::Op;

/// The longest expiry, in milliseconds.
const LONGEST_MS: f64 = 1e6;

declare! {
    /// What `deadline` is told.
    pub struct DeadlineParameters in "host.scheduler." {
        /// Age at which a read goes next, for `deadline`.
        read_expire_ms: f64 = number(0.0, LONGEST_MS), unit "ms", default "500", source "Linux, block/deadline-iosched";
        /// Age at which a write goes next when it is the writes' turn, for `deadline`.
        write_expire_ms: f64 = number(0.0, LONGEST_MS), unit "ms", default "5000", source "Linux, block/deadline-iosched";
        /// Requests in order of their sectors before expiry is looked at again, for `deadline`.
        fifo_batch: u32 = whole(1, 65_536), unit "requests", default "16", source "Linux, block/deadline-iosched";
        /// Turns that reads may take while writes wait, for `deadline`.
        writes_starved: u32 = whole(1, 65_536), unit "turns", default "2", source "Linux, block/deadline-iosched";
    }
}

/// Requests of one direction; a serial number tells equal sectors and arrivals apart.
#[derive(Clone, Debug, Default)]
struct Direction {
    by_sector: BTreeMap<(u64, u64), Queued>,
    by_arrival: BTreeSet<(SimTime, u64, u64)>,
    /// The sector that was served last.
    latest: u64,
}

impl Direction {
    fn insert(&mut self, queued: Queued, serial: u64) {
        self.by_sector.insert((queued.start_sector, serial), queued);
        self.by_arrival.insert((queued.since, serial, queued.start_sector));
    }

    fn remove(&mut self, place: (u64, u64)) -> Option<Queued> {
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

/// Two directions and the run that is under way.
#[derive(Clone, Debug)]
pub struct Deadline {
    settings: DeadlineParameters,
    reads: Direction,
    writes: Direction,
    /// Direction of the run, and how many it has taken.
    run: Option<(Op, u32)>,
    passed_over: u32,
    serial: u64,
}

impl Model for Deadline {
    type Parameters = DeadlineParameters;

    fn new(_scheme: Scheme, own: &DeadlineParameters, _settings: &SchedulerSettings) -> Self {
        let (reads, writes) = (Direction::default(), Direction::default());
        Self { settings: *own, reads, writes, run: None, passed_over: 0, serial: 0 }
    }
}

impl Deadline {
    fn direction(&mut self, op: Op) -> &mut Direction {
        match op {
            Op::Read | Op::Gather => &mut self.reads,
            Op::Write => &mut self.writes,
        }
    }

    /// The next request of the run, if it goes on.
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

    /// Where a new run begins.
    fn begin(&mut self, now: SimTime) -> Option<(Op, (u64, u64))> {
        let op = self.turn();
        self.run = Some((op, 0));
        let expire_ms = match op {
            Op::Read | Op::Gather => self.settings.read_expire_ms,
            Op::Write => self.settings.write_expire_ms,
        };
        let expire = SimSpan::from_us_f64(expire_ms * 1e3);
        let direction = self.direction(op);
        let (since, oldest) = direction.oldest()?;
        let onwards = direction.onwards().filter(|_| now.since(since) < expire);
        Some((op, onwards.unwrap_or(oldest)))
    }
}

impl HostScheduler for Deadline {
    fn add(&mut self, queued: Queued) {
        self.serial += 1;
        let serial = self.serial;
        self.direction(queued.op).insert(queued, serial);
    }

    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued> {
        if self.waiting() == 0 {
            return None;
        }
        let before = (self.run, self.passed_over);
        let (op, place) = self.go_on().or_else(|| self.begin(now))?;
        if !room.takes(self.direction(op).by_sector.get(&place)?) {
            // It is decided anew when the drive has room.
            (self.run, self.passed_over) = before;
            return None;
        }
        if let Some((_, taken)) = &mut self.run {
            *taken += 1;
        }
        self.direction(op).remove(place)
    }

    fn completed(&mut self, _done: Done, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.reads.by_sector.len() + self.writes.by_sector.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
