//! Request log, with one row per request. A trim with several ranges has a row for each range.

use venice_host::Request;
use venice_kernel::SimTime;
use venice_requests::{Op, SectorRange};

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
    /// Rows that the reader of the log has not removed yet.
    pub rows: Vec<RequestRow>,
}

impl Probe for RequestLog {
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let behind = completion.behind.copied().unwrap_or_default();
        let last = row(completion.request, behind, now);
        if let Some(range) = completion.further_ranges.last() {
            self.rows.extend(rows_before_last(&last, completion.further_ranges));
            self.rows.push(with_range(&last, Op::Trim, *range));
        } else {
            self.rows.push(last);
        }
    }
}

/// Returns the request-log rows of all ranges of a trim except its last range. `first` is the row of the
/// first range.
fn rows_before_last(first: &RequestRow, further: &[SectorRange]) -> impl Iterator<Item = RequestRow> {
    let range = SectorRange { start_sector: first.start_sector, sectors: first.sectors };
    let before = further.split_last().map_or(&[][..], |(_, before)| before);
    std::iter::once(range).chain(before.iter().copied()).map(|range| with_range(first, Op::TrimRange, range))
}

fn with_range(row: &RequestRow, op: Op, range: SectorRange) -> RequestRow {
    RequestRow { op, start_sector: range.start_sector, sectors: range.sectors, ..*row }
}

fn row(request: &Request, behind: CausedWait, completed: SimTime) -> RequestRow {
    RequestRow {
        number: request.number,
        queue: request.host.queue,
        op: request.host.op,
        start_sector: request.host.start_sector,
        sectors: request.host.sectors,
        pattern_set: request.host.pattern_set,
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
