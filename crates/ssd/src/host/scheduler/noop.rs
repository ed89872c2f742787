//! First come, first served: the scheme that all others are compared with.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{HostScheduler, Location, Queued, SchedulerCounters};

/// One queue.
#[derive(Clone, Debug, Default)]
pub struct Noop {
    queue: VecDeque<Queued>,
}

impl HostScheduler for Noop {
    fn add(&mut self, queued: Queued) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime) -> Option<Queued> {
        self.queue.pop_front()
    }

    fn completed(&mut self, _location: Location) {}

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
