//! How long requests wait for the host's scheduler, and are served after it.

use venice_kernel::{SimTime, TimeSeries};

use crate::geometry::ChipId;
use venice_requests::Op;

use super::{Completion, Latencies, Probe};

/// Requests of one direction, before and after the host's scheduler handed them over.
#[derive(Clone, Debug, Default)]
pub struct ScheduledLatencies {
    /// From issue to hand-over.
    pub waiting: Latencies,
    /// From hand-over to completion.
    pub processing: Latencies,
}

/// What is recorded where the host has a scheduler.
#[derive(Clone, Debug)]
pub struct ScheduledRecord {
    /// Reads.
    pub read: ScheduledLatencies,
    /// Writes.
    pub write: ScheduledLatencies,
    /// Chips with a die at work, over time.
    pub chips: TimeSeries,
    /// Intervals of that, at most.
    points: u32,
}

impl ScheduledRecord {
    /// Nothing recorded, from this instant on, with so many intervals at most.
    pub fn new(start: SimTime, points: u32) -> Self {
        let (read, write) = Default::default();
        Self { read, write, chips: TimeSeries::new(start, points), points }
    }
}

impl Probe for ScheduledRecord {
    fn on_measuring(&mut self, _requests: u64, now: SimTime) {
        *self = Self::new(now, self.points);
    }

    #[cold]
    fn on_chip_rest(&mut self, _chip: ChipId, since: SimTime, now: SimTime) {
        self.chips.add(since, now, 1);
    }

    #[cold]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let request = completion.request;
        if !completion.is_measured || request.has_failed {
            return;
        }
        let of = match request.host.op {
            Op::Read | Op::Gather => &mut self.read,
            Op::Write => &mut self.write,
        };
        of.waiting.record(request.handed_over.since(request.host.arrival));
        of.processing.record(now.since(request.handed_over));
    }
}
