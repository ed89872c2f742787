//! Scheduler with a FIFO queue per parallel unit: a request overtakes requests that wait for other units.
//!
//! # How
//! Each unit has a FIFO queue of the requests that need it. A request is eligible when it is at the head of
//! the queues of all its units, and leaves these queues when it is complete. The oldest eligible request is
//! sent first. Each unit therefore serves its requests in order, a request waits only for requests with a
//! common unit, and none starves. The computing time per request depends on its number of units, not on the
//! number of waiting requests.
//!
//! # What is left out
//! Physical locations of pages: the host assumes the units from the addresses. In the drive, where locations
//! are known, `ftl.scheduling = "paq"` has a similar effect.
//!
//! # Source
//! Own design, after Jung, Wilson, Kandemir: "Physically Addressed Queueing (PAQ): Improving Parallelism in
//! Solid State Disks", ISCA 2012, whose queue is in the drive.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use slab::Slab;
use venice_kernel::SimTime;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Request in the unit queues, which waits or is in the drive.
#[derive(Clone, Copy, Debug)]
struct UnitEntry {
    queued: QueuedRequest,
    number: u64,
    /// Number of unit queues in which an older request precedes this request.
    behind: u32,
}

/// Scheduler with one FIFO queue per unit, and the set of eligible requests.
#[derive(Clone, Debug)]
pub struct UnitQueues {
    entries: Slab<UnitEntry>,
    /// FIFO queue of each unit.
    lines: Vec<VecDeque<usize>>,
    /// Eligible requests, each as serial number and entry index, the oldest on top.
    may_go: BinaryHeap<Reverse<(u64, usize)>>,
    so_far: u64,
    waiting: usize,
}

impl UnitQueues {
    /// Creates empty queues for `units` units.
    fn over(units: u32) -> Self {
        Self {
            entries: Slab::new(),
            lines: vec![VecDeque::new(); units as usize],
            may_go: BinaryHeap::new(),
            so_far: 0,
            waiting: 0,
        }
    }

    fn units(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Removes the complete request at the head of a unit's queue. The next one may become eligible.
    fn comes_up(&mut self, unit: usize) {
        let Some(&place) = self.lines[unit].front() else { return };
        let entry = &mut self.entries[place];
        entry.behind -= 1;
        if entry.behind == 0 {
            self.may_go.push(Reverse((entry.number, place)));
        }
    }
}

impl SchedulerModel for UnitQueues {
    type Parameters = ();

    fn new(_scheme: Scheme, _own: &(), settings: &SchedulerSettings) -> Self {
        Self::over(settings.units.units())
    }
}

impl HostScheduler for UnitQueues {
    fn add(&mut self, queued: QueuedRequest) {
        let place = self.entries.vacant_key();
        let mut behind = 0;
        for unit in queued.location.units(self.units()) {
            behind += u32::from(!self.lines[unit].is_empty());
            self.lines[unit].push_back(place);
        }
        let number = self.so_far;
        self.entries.insert(UnitEntry { queued, number, behind });
        if behind == 0 {
            self.may_go.push(Reverse((number, place)));
        }
        self.so_far += 1;
        self.waiting += 1;
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let &Reverse((_, place)) = self.may_go.peek()?;
        let queued = self.entries[place].queued;
        if !room.takes(&queued) {
            return None;
        }
        self.may_go.pop();
        self.waiting -= 1;
        Some(queued)
    }

    fn completed(&mut self, done: CompletedRequest, _now: SimTime) {
        let location = done.location;
        let first = self.lines[location.first as usize].front();
        self.entries.remove(*first.expect("who is complete was first in its lines"));
        for unit in location.units(self.units()) {
            self.lines[unit].pop_front();
            self.comes_up(unit);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
