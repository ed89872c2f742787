//! The shortest request first, unless the oldest has waited for long.
//!
//! # How
//! The oldest request goes if it has waited for as long as one is patient; else, of all that wait and that the drive takes, the one with the fewest
//! sectors, the older of equals.
//!
//! # What is left out
//! Reads and writes are alike.
//!
//! # Source
//! Ours, to show what a host scheduler takes.

use venice_kernel::{SimSpan, SimTime};
use venice_ssd::host::scheduler::{Done, DriveRoom, HostScheduler, Queued, SchedulerCounters};

/// See the module comment.
#[derive(Clone, Debug)]
pub struct ShortestFirst {
    /// In order of arrival.
    waiting: Vec<Queued>,
    patience: SimSpan,
}

impl ShortestFirst {
    /// An empty queue; `patience` is the age from which on the oldest goes first.
    pub const fn new(patience: SimSpan) -> Self {
        Self { waiting: Vec::new(), patience }
    }
}

impl HostScheduler for ShortestFirst {
    fn add(&mut self, queued: Queued) {
        self.waiting.push(queued);
    }

    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued> {
        let oldest = self.waiting.first()?;
        let place = if now.since(oldest.since) >= self.patience && room.takes(oldest) {
            0
        } else {
            let takes = |&place: &usize| room.takes(&self.waiting[place]);
            (0..self.waiting.len()).filter(takes).min_by_key(|&place| self.waiting[place].sectors)?
        };
        Some(self.waiting.remove(place))
    }

    fn completed(&mut self, _done: Done, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}
