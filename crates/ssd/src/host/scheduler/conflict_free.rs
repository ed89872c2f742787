//! As they came, and wherever the drive is idle: the ideal case without conflicts.
//!
//! # What it models
//! Every request is served by units at which no other one is: it is moved, by whole pages, to the nearest such units. So a
//! request waits only while there are too few idle units in a row. No drive can do that, since data is where it is; what a
//! scheduler leaves to gain is measured by it.
//!
//! # What is left out
//! Contents: a read finds what happens to be where it is sent. Requests are moved whole, so one of many pages may wait while
//! idle units are scattered.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §III: "an ideal case where all incoming requests can be distributed to the rest idle
//! parallel units".

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{Done, DriveRoom, HostScheduler, Model, Queued, SchedulerCounters, SchedulerSettings, Scheme};

/// One queue.
#[derive(Clone, Debug, Default)]
pub struct ConflictFree {
    queue: VecDeque<Queued>,
}

impl Model for ConflictFree {
    type Parameters = ();

    fn new(_scheme: Scheme, _own: &(), _settings: &SchedulerSettings) -> Self {
        Self::default()
    }
}

impl HostScheduler for ConflictFree {
    fn add(&mut self, queued: Queued) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveRoom) -> Option<Queued> {
        let moved = room.moved_to_idle(self.queue.front()?)?;
        self.queue.pop_front();
        Some(moved)
    }

    fn completed(&mut self, _done: Done, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
