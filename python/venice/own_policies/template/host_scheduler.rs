//! Host scheduler `NAME`: the shortest request first, unless the oldest has waited for long.
//!
//! Contract: the documentation of the module `venice_host::scheduler`.

use venice_engine::crates::host::scheduler::{
    CompletedRequest, DriveCapacity, HostScheduler as HostSchedulerModel, QueuedRequest, SchedulerCounters,
    SchedulerSettings,
};
use venice_engine::crates::kernel::{SimSpan, SimTime};
use venice_engine::crates::params::{declare, number};

declare! {
    /// Parameters of the host scheduler `NAME`.
    pub struct HostSchedulerParameters in "host.scheduler.NAME." {
        /// Age from which the oldest request goes first.
        patience as patience_us: SimSpan = number(0.0, 1e6), unit "µs", default "1000", source "ours";
    }
}

/// Host scheduler `NAME`.
#[derive(Clone, Debug)]
pub struct HostScheduler {
    /// Waiting requests, in order of arrival.
    waiting: Vec<QueuedRequest>,
    patience: SimSpan,
}

impl HostScheduler {
    /// Returns an empty queue.
    pub fn new(own: &HostSchedulerParameters, _settings: &SchedulerSettings) -> Self {
        Self { waiting: Vec::new(), patience: own.patience }
    }
}

impl HostSchedulerModel for HostScheduler {
    fn add(&mut self, queued: QueuedRequest) {
        self.waiting.push(queued);
    }

    /// Returns a request that the drive accepts now, or `None`.
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
