//! Ideal scheduler without conflicts: FIFO order, with each request redirected to idle units.
//!
//! # What it models
//! Each request is moved, by whole pages, to the nearest idle units, so that it waits only while there are
//! too few consecutive idle units. No real drive can do this, since its data has fixed locations; the scheme
//! is an upper bound for host schedulers.
//!
//! # What is left out
//! The data: a read accesses a page other than the requested one. Requests are moved as a whole, so a request
//! of many pages waits if idle units are scattered.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §III: "an ideal case where all incoming requests can be distributed to the
//! rest idle parallel units".

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Scheduler with a FIFO queue whose requests are redirected to idle units.
#[derive(Clone, Debug, Default)]
pub struct ConflictFree {
    queue: VecDeque<QueuedRequest>,
}

impl SchedulerModel for ConflictFree {
    type Parameters = ();

    fn new(_scheme: Scheme, _own: &(), _settings: &SchedulerSettings) -> Self {
        Self::default()
    }
}

impl HostScheduler for ConflictFree {
    fn add(&mut self, queued: QueuedRequest) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let moved = room.moved_to_idle(self.queue.front()?)?;
        self.queue.pop_front();
        Some(moved)
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
