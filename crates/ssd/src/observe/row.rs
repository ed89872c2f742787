//! A line of the request log, and what its request owes its time to.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::STAGES;
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::{Behind, CAUSES};

/// Names of what a request can owe its latency to: stages, then the causes of waits for chips and for room in the cache.
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

/// One line of the request log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Number in order of issue, from zero.
    pub number: u64,
    /// Host queue.
    pub queue: u16,
    /// Read, write or gather.
    pub op: Op,
    /// First sector.
    pub start_sector: u64,
    /// Sectors.
    pub sectors: u32,
    /// Issued by the host.
    pub arrival: SimTime,
    /// Handed over by the host's scheduler; without one, issued.
    pub handed_over: SimTime,
    /// What waited or was served on its units when it was issued, if the host has a scheduler.
    pub met: Met,
    /// The number of its batch, from 1, among those of its kind; 0 where there are no batches.
    pub batch: u64,
    /// Entered the drive's queue; without rings, fetched by the drive.
    pub fetched: SimTime,
    /// Completed.
    pub completed: SimTime,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether it ended with an error.
    pub has_failed: bool,
    /// Time by stage.
    pub stages: [SimSpan; STAGES.len()],
    /// Its wait for a chip, or for room in the cache, by cause; nothing if causes are not looked for.
    pub behind: Behind,
}

impl RequestRow {
    /// From issue by the host to completion.
    pub fn latency(&self) -> SimSpan {
        self.completed.since(self.arrival)
    }

    /// Returns the parts of its latency in the order of [`REASONS`]: of the stage whose causes are known, the causes, and what is left.
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

    /// What it owes most of its latency to, as a place among [`REASONS`]; of equals, the first.
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

    /// The name of that.
    pub fn owes_most_to(&self) -> &'static str {
        REASONS[self.reason()]
    }
}
