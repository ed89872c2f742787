//! Row of the request log, which describes a completed request.

use venice_host::scheduler::ConflictKinds;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::latency::STAGES;

use venice_requests::Op;

use super::{CAUSES, CausedWait};

/// Names of the parts of a latency: first the stages, then the causes of waits for chips and for cache space.
pub const REASONS: [&str; STAGES.len() + CAUSES.len()] = {
    let mut names = [""; STAGES.len() + CAUSES.len()];
    let mut place = 0;
    while place < STAGES.len() {
        names[place] = STAGES[place].1;
        place += 1;
    }
    while place < names.len() {
        names[place] = CAUSES[place - STAGES.len()].1;
        place += 1;
    }
    names
};

/// Record of a completed request, for the request log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Number of the request in the order of issue, from 0.
    pub number: u64,
    /// Number of the host queue.
    pub queue: u16,
    /// Operation of the request, such as read or write.
    pub op: Op,
    /// First sector of the request.
    pub start_sector: u64,
    /// Number of sectors of the request.
    pub sectors: u32,
    /// Number of the pattern set of a search; 0 for all other operations.
    pub pattern_set: u8,
    /// Time of issue by the host.
    pub arrival: SimTime,
    /// Time of dispatch by the host scheduler, or time of issue without a scheduler.
    pub handed_over: SimTime,
    /// Kinds of conflicts with requests that were outstanding at the time of issue and used the same parallel
    /// units. Recorded only if the host has a scheduler.
    pub met: ConflictKinds,
    /// Number of the scheduler's batch that contains the request, counted from 1 for each kind of batch; 0
    /// without batches.
    pub batch: u64,
    /// Time of arrival in the drive's queue. Without queue rings, time at which the drive fetched the
    /// command.
    pub fetched: SimTime,
    /// Time of completion in the host.
    pub completed: SimTime,
    /// True if a transfer of the request had to wait for a path.
    pub conflicted: bool,
    /// True if the request completed with an error.
    pub has_failed: bool,
    /// Time of each latency stage.
    pub stages: [SimSpan; STAGES.len()],
    /// Waits for chips and cache space by cause; zero if they are not recorded.
    pub behind: CausedWait,
}

impl RequestRow {
    /// Returns the time from issue to completion.
    pub fn latency(&self) -> SimSpan {
        self.completed.since(self.arrival)
    }

    /// Returns the parts of the latency in the order of [`REASONS`]. A stage with recorded causes is divided
    /// into these causes and a remainder.
    pub fn owed(&self) -> impl Iterator<Item = (&'static str, SimSpan)> {
        REASONS.into_iter().zip(self.owed_spans())
    }

    fn owed_spans(&self) -> [SimSpan; REASONS.len()] {
        let mut spans = [SimSpan::ZERO; REASONS.len()];
        spans[..STAGES.len()].copy_from_slice(&self.stages);
        let explained = &mut spans[self.behind.stage(&self.stages) as usize];
        *explained = explained.saturating_sub(self.behind.total());
        spans[STAGES.len()..].copy_from_slice(&self.behind.spans);
        spans
    }

    /// Returns the index in [`REASONS`] of the largest part of the latency. On a tie, returns the first of
    /// the largest parts.
    pub fn reason(&self) -> usize {
        let spans = self.owed_spans();
        let mut most = 0;
        for (place, span) in spans.iter().enumerate() {
            if *span > spans[most] {
                most = place;
            }
        }
        most
    }

    /// Returns the name of the largest part of the latency.
    pub fn owes_most_to(&self) -> &'static str {
        REASONS[self.reason()]
    }
}
