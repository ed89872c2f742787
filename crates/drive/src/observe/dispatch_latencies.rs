//! Latencies before and after the dispatch of requests by the host scheduler.

use venice_kernel::{SimTime, TimeSeries};
use venice_nand::geometry::ChipId;

use venice_requests::Op;

use super::{Completion, Latencies, Probe};

/// Latencies of reads or of writes, before and after their dispatch by the host scheduler.
#[derive(Clone, Debug, Default)]
pub struct DispatchLatencies {
    /// Time from the issue of a request to its dispatch.
    pub waiting: Latencies,
    /// Time from the dispatch of a request to its completion.
    pub processing: Latencies,
}

/// Measurements of a run whose host has a scheduler.
#[derive(Clone, Debug)]
pub struct DispatchRecord {
    /// Latencies of reads.
    pub read: DispatchLatencies,
    /// Latencies of writes.
    pub write: DispatchLatencies,
    /// Number of active chips over time.
    pub chips: TimeSeries,
    /// Maximum number of intervals in `chips`.
    points: u32,
}

impl DispatchRecord {
    /// Creates an empty record that begins at `start`, with at most `points` intervals.
    pub fn new(start: SimTime, points: u32) -> Self {
        let (read, write) = Default::default();
        Self { read, write, chips: TimeSeries::new(start, points), points }
    }
}

impl Probe for DispatchRecord {
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
            Op::Read | Op::Gather | Op::Search => &mut self.read,
            _ => &mut self.write,
        };
        of.waiting.record(request.handed_over.since(request.host.arrival));
        of.processing.record(now.since(request.handed_over));
    }
}
