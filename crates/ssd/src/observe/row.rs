//! A line of the request log, and what its request owes its time to.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{STAGES, Stage};
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::{Behind, CHORES, HOST_COMMANDS};

/// What a request can owe its latency to: stages, then of the wait for a chip other commands of the host and the drive's chores.
pub const REASONS: [&str; STAGES.len() + 1 + CHORES.len()] = {
    let mut names = [HOST_COMMANDS; STAGES.len() + 1 + CHORES.len()];
    let mut place = 0;
    while place < STAGES.len() {
        names[place] = STAGES[place].1;
        place += 1;
    }
    let mut chore = 0;
    while chore < CHORES.len() {
        names[place + 1 + chore] = CHORES[chore].1;
        chore += 1;
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
    /// Of its wait for a chip, the part behind the drive's own work; nothing if that is not looked at.
    pub behind: Behind,
}

impl RequestRow {
    /// From issue by the host to completion.
    pub fn latency(&self) -> SimSpan {
        self.completed.since(self.arrival)
    }

    /// What it owes its latency to, in the order of [`REASONS`]; the wait for the chip is split by whom it waited for.
    pub fn owed(&self) -> impl Iterator<Item = (&'static str, SimSpan)> {
        REASONS.into_iter().zip(self.owed_spans())
    }

    fn owed_spans(&self) -> [SimSpan; REASONS.len()] {
        let mut spans = [SimSpan::ZERO; REASONS.len()];
        spans[..STAGES.len()].copy_from_slice(&self.stages);
        let chip_wait = std::mem::take(&mut spans[Stage::ChipWait as usize]);
        spans[STAGES.len()] = chip_wait.saturating_sub(self.behind.total());
        spans[STAGES.len() + 1..].copy_from_slice(&self.behind.spans);
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
