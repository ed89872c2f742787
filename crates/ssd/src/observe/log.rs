//! The request log: a line for each request.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::Stage;
use crate::host::Request;
use venice_requests::Op;

use super::row::RequestRow;
use super::rows::RequestRows;
use super::{Behind, CHORES, Completion, Probe, Violation};

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

/// Rows for all requests, those of the warm-up included.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    /// Since they were last taken.
    pub rows: RequestRows,
    /// Of measured reads, writes and gathers: for how long they waited behind each of the drive's chores, in picoseconds.
    pub behind_ps: [[u128; CHORES.len()]; 3],
    /// A request that would have waited longer behind the drive's work than at all.
    pub violation: Option<Violation>,
}

impl RequestLog {
    fn check(&mut self, behind: SimSpan, waited: SimSpan) {
        if behind > waited {
            let (behind_ps, waited_ps) = (behind.as_ps(), waited.as_ps());
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
        let behind = completion.behind.copied().unwrap_or_default();
        let total = behind.total();
        if !total.is_zero() {
            self.check(total, request.clock.spans[Stage::ChipWait as usize]);
            if completion.is_measured && !request.has_failed {
                self.count(request.host.op, &behind);
            }
        }
        self.rows.push(&row(request, behind, now));
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "so that a row is made where it stays")]
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
