//! The request log: a line for each request, and what requests owe their time to.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{STAGES, Stage};
use crate::host::Request;
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::{Behind, CHORES, Completion, HOST_COMMANDS, Probe, Violation};

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

/// What the request log is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRows {
    /// Nothing.
    #[default]
    None,
    /// A row for every request; what it waited behind is not looked at, which would cost as much as the rest of the log.
    WithoutCauses,
    /// The same, with what it waited behind.
    WithCauses,
}

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

/// Rows for all requests, those of the warm-up included.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    /// Since they were last taken.
    pub rows: Vec<RequestRow>,
    /// Of measured reads, writes and gathers: for how long they waited behind each of the drive's chores, in picoseconds.
    pub behind_ps: [[u128; CHORES.len()]; 3],
    /// A request that would have waited longer behind the drive's work than at all.
    pub violation: Option<Violation>,
}

impl RequestLog {
    fn check(&mut self, behind: &Behind, waited: SimSpan) {
        if behind.total() > waited {
            let (behind_ps, waited_ps) = (behind.total().as_ps(), waited.as_ps());
            self.violation.get_or_insert(Violation::TooMuchBlame { behind_ps, waited_ps });
        }
    }

    fn count(&mut self, op: Op, behind: &Behind) {
        for (sum, span) in self.behind_ps[op as usize].iter_mut().zip(behind.spans) {
            *sum += u128::from(span.as_ps());
        }
    }
}

impl Probe for RequestLog {
    fn on_measuring(&mut self, _requests: u64, _now: SimTime) {
        self.behind_ps = Default::default();
    }

    #[inline(never)]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let request = completion.request;
        if let Some(behind) = completion.behind {
            self.check(behind, request.clock.spans[Stage::ChipWait as usize]);
            if completion.is_measured && !request.has_failed {
                self.count(request.host.op, behind);
            }
        }
        self.rows.push(row(request, completion.behind.copied().unwrap_or_default(), now));
    }
}

fn row(request: &Request, behind: Behind, completed: SimTime) -> RequestRow {
    RequestRow {
        number: request.number,
        queue: request.host.queue,
        op: request.host.op,
        start_sector: request.host.start_sector,
        sectors: request.host.sectors,
        arrival: request.host.arrival,
        handed_over: request.handed_over,
        met: request.met,
        batch: request.batch,
        fetched: request.enqueued,
        completed,
        conflicted: request.conflicted,
        has_failed: request.has_failed,
        stages: request.clock.spans,
        behind,
    }
}
