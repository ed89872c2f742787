//! The request log: a line for each request.

use venice_kernel::SimTime;

use crate::host::Request;

use super::row::RequestRow;
use super::{Behind, Completion, Probe};

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
    pub rows: Vec<RequestRow>,
}

impl Probe for RequestLog {
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let behind = completion.behind.copied().unwrap_or_default();
        self.rows.push(row(completion.request, behind, now));
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
