//! Host scheduler: shortest request first, with an age limit.
//!
//! # How
//! The oldest request is sent first once it has waited for `patience`. Otherwise the scheduler selects the
//! request with the fewest sectors among those that the drive accepts; the older one on a tie.
//!
//! # What is left out
//! A distinction between reads and writes.
//!
//! # Source
//! None: this is an example of a minimal [`HostScheduler`].

use venice_host::scheduler::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters,
};
use venice_kernel::{SimSpan, SimTime};

/// Shortest-request-first host scheduler.
#[derive(Clone, Debug)]
pub struct ShortestFirst {
    /// Waiting requests, in order of arrival.
    waiting: Vec<QueuedRequest>,
    patience: SimSpan,
}

impl ShortestFirst {
    /// Returns a scheduler without requests. `patience` is the age from which the oldest request is sent
    /// first.
    pub const fn new(patience: SimSpan) -> Self {
        Self { waiting: Vec::new(), patience }
    }
}

impl HostScheduler for ShortestFirst {
    fn add(&mut self, queued: QueuedRequest) {
        self.waiting.push(queued);
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let oldest = self.waiting.first()?;
        let place = if now.since(oldest.since) >= self.patience && room.takes(oldest) {
            0
        } else {
            let takes = |&place: &usize| room.takes(&self.waiting[place]);
            (0..self.waiting.len()).filter(takes).min_by_key(|&place| self.waiting[place].sectors)?
        };
        Some(self.waiting.remove(place))
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
