//! FIFO scheduler (first come, first served): the baseline.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Scheduler with a single FIFO queue.
#[derive(Clone, Debug, Default)]
pub struct Noop {
    queue: VecDeque<QueuedRequest>,
}

impl SchedulerModel for Noop {
    type Parameters = ();

    fn new(_scheme: Scheme, _own: &(), _settings: &SchedulerSettings) -> Self {
        Self::default()
    }
}

impl HostScheduler for Noop {
    fn add(&mut self, queued: QueuedRequest) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        self.queue.front().filter(|queued| room.takes(queued))?;
        self.queue.pop_front()
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
