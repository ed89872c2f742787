//! Checks of the contract of host schedulers; see [`HostScheduler`].

#![allow(clippy::missing_panics_doc, reason = "a check fails by panicking")]

use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::{Array, Priority, RequestId};
use venice_requests::Op;

use crate::scheduler::{
    ChipStripes, CompletedRequest, DispatchRule, DriveCapacity, HostScheduler, QueueCounts, QueuedRequest,
    SchedulerParameters, SchedulerSettings, Scheme, UnitMap,
};

/// Number of parallel units of the tested drive.
pub const UNITS: u32 = 8;

/// Maximum number of requests in the drive, in checks that limit them.
const SLOTS: u32 = 6;

/// Number of request lists that [`check`] generates.
const LISTS: u64 = 100;

/// Returns the scheduler settings of [`check`]: a drive of [`UNITS`] units and a queue of 64 entries.
pub fn settings() -> SchedulerSettings {
    SchedulerSettings {
        scheme: Scheme::Noop,
        queue_length: 64,
        queue_counts: QueueCounts::Waiting,
        drive_slots: 64,
        units: UnitMap::new(UNITS, 8),
        channels: None,
        chips: ChipStripes { map: UnitMap::new(UNITS, 8), array: Array { rows: 4, cols: UNITS / 4 } },
        avoids_collecting: false,
        issue: DispatchRule::Freely,
        drive_units: UnitMap::new(UNITS, 8),
        history_points: 16,
        parameters: SchedulerParameters::default(),
    }
}

/// Checks all points of the contract. `make` builds a scheduler with an empty queue.
///
/// # Panics
/// Panics if the scheduler violates the contract.
pub fn check<S: HostScheduler>(name: &str, make: impl Fn(&SchedulerSettings) -> S) {
    for seed in 0..LISTS {
        let coming = drawn(seed);
        for issue in [DispatchRule::Freely, DispatchRule::WithoutConflicts] {
            let scheduler_settings = SchedulerSettings { issue, ..settings() };
            let room = DriveCapacity::new(scheduler_settings.drive_units, issue, SLOTS);
            let cycles = served_in_cycles(&mut make(&scheduler_settings), coming.clone(), room);
            goes_exactly_once(name, &cycles, coming.len());
        }
        a_single_request_is_dispatched_at_once(name, &mut make(&settings()), coming);
    }
}

/// Creates a waiting request for `count` pages from `first_page`.
pub fn queued(number: usize, op: Op, first_page: u64, count: u32, since: SimTime) -> QueuedRequest {
    let location = UnitMap::new(UNITS, 8).locate(first_page * 8, count * 8);
    QueuedRequest {
        id: RequestId(number as u32),
        op,
        start_sector: first_page * 8,
        sectors: count * 8,
        queue: 0,
        priority: Priority::default(),
        location,
        in_drive: location,
        since,
        batch: 0,
        tag: 0,
    }
}

/// Creates a waiting request of a flow, for page `number`.
pub fn flow_request(number: usize, op: Op, queue: u16, since: SimTime) -> QueuedRequest {
    QueuedRequest { queue, ..queued(number, op, number as u64, 1, since) }
}

/// Returns the time `us` microseconds after the start.
pub fn at(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

/// Drive that serves one request at a time.
pub struct SerialDrive<S> {
    /// Tested scheduler, which selects the requests of the drive.
    pub scheduler: S,
    now: SimTime,
}

impl<S: HostScheduler> SerialDrive<S> {
    /// Creates an idle drive.
    pub const fn new(scheduler: S) -> Self {
        Self { scheduler, now: SimTime::ZERO }
    }

    /// Serves up to `count` requests, while requests wait. Each takes the time that `took` returns.
    pub fn serve(&mut self, count: usize, took: impl Fn(&QueuedRequest) -> SimSpan) -> Vec<QueuedRequest> {
        let serve_one = || {
            let queued = self.next()?;
            let in_drive = took(&queued);
            self.now = self.now + in_drive;
            let done = CompletedRequest {
                latency: self.now.since(queued.since),
                in_drive,
                ..CompletedRequest::at_once(&queued)
            };
            self.scheduler.completed(done, self.now);
            Some(queued)
        };
        std::iter::from_fn(serve_one).take(count).collect()
    }

    /// Returns the next request; if none may be sent yet, proceeds to the scheduler's alarms first.
    fn next(&mut self) -> Option<QueuedRequest> {
        loop {
            if let Some(queued) = self.scheduler.next(self.now, &DriveCapacity::unlimited()) {
                return Some(queued);
            }
            self.now = self.now.max(self.scheduler.wakes_at()?);
            self.scheduler.woken(self.now);
        }
    }
}

/// Returns random requests, each with its arrival time in microseconds.
fn drawn(seed: u64) -> Vec<(u64, QueuedRequest)> {
    let mut random = RandomStream::new(seed, "testkit.queued");
    let (count, mut when) = (1 + random.below(80), 0);
    let mut request = |number| {
        when += random.below(3);
        let op = if random.chance(0.5) { Op::Read } else { Op::Write };
        let request = queued(number, op, random.below(40), 1 + random.below(5) as u32, at(when));
        let classes = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
        let flow = random.below(classes.len() as u64);
        (when, QueuedRequest { queue: flow as u16, priority: classes[flow as usize], ..request })
    };
    (0..count as usize).map(&mut request).collect()
}

/// Returns the requests sent in each microsecond. Each request takes one microsecond, and at most `room`
/// requests are in the drive.
///
/// # Panics
///
/// Panics if the scheduler sends a request that the drive does not accept (point 1 of the contract). Panics
/// if it sends none although the drive is empty and requests wait, except before an alarm (point 2).
pub fn served_in_cycles(
    scheduler: &mut impl HostScheduler,
    mut coming: Vec<(u64, QueuedRequest)>,
    mut room: DriveCapacity,
) -> Vec<Vec<QueuedRequest>> {
    coming.reverse();
    let mut cycles = Vec::new();
    for now in 0.. {
        while coming.last().is_some_and(|&(when, _)| when <= now) {
            scheduler.add(coming.pop().expect("it was looked at").1);
        }
        if scheduler.wakes_at().is_some_and(|alarm| alarm <= at(now)) {
            scheduler.woken(at(now));
        }
        let mut out = Vec::new();
        while room.free_slots > 0
            && let Some(goes) = scheduler.next(at(now), &room)
        {
            assert!(room.takes(&goes), "{goes:?} goes and the drive does not take it");
            room.enter(goes.in_drive);
            out.push(goes);
        }
        let has_reason =
            scheduler.waiting() == 0 || scheduler.wakes_at().is_some_and(|alarm| alarm > at(now));
        assert!(!out.is_empty() || has_reason, "nothing is in the drive, and nothing goes");
        for queued in &out {
            room.leave(queued.in_drive);
            scheduler.completed(CompletedRequest::at_once(queued), at(now + 1));
        }
        cycles.push(out);
        if coming.is_empty() && scheduler.waiting() == 0 {
            return cycles;
        }
    }
    cycles
}

/// Checks point 1 of the contract: each of the requests `0..count` is sent exactly once.
///
/// # Panics
///
/// Panics if a request is sent twice or never.
pub fn goes_exactly_once(name: &str, cycles: &[Vec<QueuedRequest>], count: usize) {
    let mut found: Vec<u32> = cycles.iter().flatten().map(|queued| queued.id.0).collect();
    found.sort_unstable();
    assert_eq!(found, (0..count as u32).collect::<Vec<_>>(), "{name} loses requests or gives one twice");
}

/// Checks point 5 of the contract: with one request at a time, all schedulers behave alike.
///
/// # Panics
/// Panics if the only request in the queue is not dispatched.
pub fn a_single_request_is_dispatched_at_once(
    name: &str,
    scheduler: &mut impl HostScheduler,
    coming: Vec<(u64, QueuedRequest)>,
) {
    for (number, (_, queued)) in coming.into_iter().enumerate() {
        let queued = QueuedRequest { queue: 0, since: at(100 + number as u64), ..queued };
        scheduler.add(queued);
        let goes = scheduler.next(at(100 + number as u64), &DriveCapacity::unlimited());
        assert_eq!(goes.map(|goes| goes.id), Some(queued.id), "{name} keeps back the only request");
        if let Some(goes) = goes {
            scheduler.completed(CompletedRequest::at_once(&goes), at(100 + number as u64));
        }
    }
}
