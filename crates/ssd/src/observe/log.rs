//! The request log: a line for each request, and what requests owe their time to.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{STAGES, Stage};
use crate::host::Request;
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::{Behind, CHORES, Completion, HOST_COMMANDS, Probe, Violation};

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
    /// Of its wait for a chip, the part behind the drive's own work.
    pub behind: Behind,
}

impl RequestRow {
    /// From issue by the host to completion.
    pub fn latency(&self) -> SimSpan {
        self.completed.since(self.arrival)
    }

    /// What it owes its latency to: the stages, but the wait for the chip split by whom it waited for.
    pub fn owed(&self) -> impl Iterator<Item = (&'static str, SimSpan)> {
        let chip_wait = self.stages[Stage::ChipWait as usize];
        let host = (HOST_COMMANDS, chip_wait.saturating_sub(self.behind.total()));
        let stages = STAGES.iter().zip(self.stages).filter(|((stage, _), _)| *stage != Stage::ChipWait);
        let chores = CHORES.iter().zip(self.behind.spans);
        stages
            .map(|(&(_, name), span)| (name, span))
            .chain([host])
            .chain(chores.map(|(&(_, name), span)| (name, span)))
    }

    /// What it owes most of its latency to; of equals, the one that is named first.
    pub fn owes_most_to(&self) -> &'static str {
        let most = self.owed().fold(("", SimSpan::ZERO), |most, one| if one.1 > most.1 { one } else { most });
        if most.0.is_empty() { STAGES[0].1 } else { most.0 }
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

    #[cold]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let Completion { request, is_measured, .. } = *completion;
        let behind = completion.behind.copied().unwrap_or_default();
        self.check(&behind, request.clock.spans[Stage::ChipWait as usize]);
        if is_measured && !request.has_failed {
            self.count(request.host.op, &behind);
        }
        self.rows.push(row(request, behind, now));
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
