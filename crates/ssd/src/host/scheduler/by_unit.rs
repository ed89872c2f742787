//! By unit: a request passes those that wait for other units.
//!
//! # How
//! Every unit has a line of those that want it, in order of arrival; a request goes when it is the first in each of its lines,
//! and leaves them when it is complete. Of several that may go, the oldest does. So each unit serves in order, nothing waits behind a
//! request that it shares no unit with, and nothing starves. A request costs time for its own units only, however many wait.
//!
//! # What is left out
//! Where pages really are: units are what the host believes. In the drive, where that is known, `ftl.scheduling = "paq"` does the like.
//!
//! # Source
//! Ours, after Jung, Wilson, Kandemir: "Physically Addressed Queueing (PAQ): Improving Parallelism in Solid State Disks", ISCA
//! 2012, whose queue is in the drive.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use slab::Slab;
use venice_kernel::SimTime;

use super::{Done, DriveRoom, HostScheduler, Model, Queued, SchedulerCounters, SchedulerSettings, Scheme};

/// A request that waits or is in the drive.
#[derive(Clone, Copy, Debug)]
struct Entry {
    queued: Queued,
    number: u64,
    /// Of its units, those that an earlier one wants or has.
    behind: u32,
}

/// The lines, and who may go.
#[derive(Clone, Debug)]
pub struct ByUnit {
    entries: Slab<Entry>,
    /// By unit: who wants it.
    lines: Vec<VecDeque<usize>>,
    /// Number and entry of those that wait and are first in all their lines, the oldest on top.
    may_go: BinaryHeap<Reverse<(u64, usize)>>,
    so_far: u64,
    waiting: usize,
}

impl ByUnit {
    /// Nothing waits, all units are idle.
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

    /// The first in a line has left it.
    fn comes_up(&mut self, unit: usize) {
        let Some(&place) = self.lines[unit].front() else { return };
        let entry = &mut self.entries[place];
        entry.behind -= 1;
        if entry.behind == 0 {
            self.may_go.push(Reverse((entry.number, place)));
        }
    }
}

impl Model for ByUnit {
    type Parameters = ();

    fn new(_scheme: Scheme, _own: &(), settings: &SchedulerSettings) -> Self {
        Self::over(settings.units.units())
    }
}

impl HostScheduler for ByUnit {
    fn add(&mut self, queued: Queued) {
        let place = self.entries.vacant_key();
        let mut behind = 0;
        for unit in queued.location.units(self.units()) {
            behind += u32::from(!self.lines[unit].is_empty());
            self.lines[unit].push_back(place);
        }
        let number = self.so_far;
        self.entries.insert(Entry { queued, number, behind });
        if behind == 0 {
            self.may_go.push(Reverse((number, place)));
        }
        self.so_far += 1;
        self.waiting += 1;
    }

    fn next(&mut self, _now: SimTime, room: &DriveRoom) -> Option<Queued> {
        let &Reverse((_, place)) = self.may_go.peek()?;
        let queued = self.entries[place].queued;
        if !room.takes(&queued) {
            return None;
        }
        self.may_go.pop();
        self.waiting -= 1;
        Some(queued)
    }

    fn completed(&mut self, done: Done, _now: SimTime) {
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
