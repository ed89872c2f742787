//! Request log, with one row per request.

use venice_host::Request;
use venice_kernel::SimTime;

use super::row::RequestRow;
use super::{CausedWait, Completion, Probe};

/// Contents of the request log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRows {
    /// No request log.
    #[default]
    None,
    /// Rows without the causes of waits. Recording the causes would double the cost of the log.
    WithoutCauses,
    /// Rows with the causes of waits.
    WithCauses,
}

/// Log of all requests, including warm-up requests.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    /// Rows that have not been removed by the reader yet.
    pub rows: Vec<RequestRow>,
}

impl Probe for RequestLog {
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let behind = completion.behind.copied().unwrap_or_default();
        self.rows.push(row(completion.request, behind, now));
    }
}

fn row(request: &Request, behind: CausedWait, completed: SimTime) -> RequestRow {
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
