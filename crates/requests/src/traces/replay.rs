//! Replay of recorded requests at the times in a file, for the flows of a run.
//!
//! # What it models
//! Either a list of recorded requests, from which each flow reads its own requests, or a trace that is
//! replayed several times in succession.
//!
//! # How
//! Arrival times are those in the file. Unlike in [`open`](super::open()), they are not shifted to start at
//! zero, so flows keep their relative offsets. A list has the comma-separated columns of [`LIST_COLUMNS`];
//! enqueue and completion times are results of the recording and are ignored. A trace has the five columns of
//! `mqsim-ascii`. Each further round starts at the time of the last request of the previous round.
//!
//! # What is left out
//! The list is not shared between flows. Each flow reads the whole list, so memory is constant, but the time
//! grows with the number of flows.
//!
//! # Source
//! Repeated rounds follow MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `IO_Flow_Trace_Based.cpp`.

use std::path::{Path, PathBuf};

use venice_kernel::SimTime;

use super::error::TraceError;
use super::fields::{comma_field, device, extent_of_sectors, whole};
use super::formats::mqsim_ascii::MqsimAscii;
use super::lines::Lines;
use super::rows::{RowLocation, place_of};
use super::{LineFault, ParsedLine, Record, TraceFormat, TraceOptions, pull};
use crate::request::{HostRequest, Op, ReadCounters, RequestSource, SourceCounters, SourceError};

/// Columns of a request list. Flows are numbered from 0, the op is `R` or `W`, times are integer nanoseconds,
/// and sectors have 512 bytes.
pub const LIST_COLUMNS: &str = "flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors";
/// Columns of a replayed trace file.
const TRACE_COLUMNS: &str = "time device lba size op";

const PS_PER_NS: u64 = 1_000;

/// Validated list of recorded requests.
#[derive(Clone, Debug)]
pub struct RequestList {
    path: PathBuf,
    requests: Vec<u64>,
    /// For each flow, the number of flows whose first request is earlier in the list.
    first: Vec<u16>,
}

impl RequestList {
    /// Reads and validates a request list for `flows` flows, which may be compressed.
    ///
    /// # Errors
    /// [`TraceError`] for a file that is missing, unreadable, empty or damaged, or for an unknown flow.
    pub fn open(path: &Path, flows: usize) -> Result<Self, TraceError> {
        let mut rows = RecordedRows::open(path, parse_list, LIST_COLUMNS)?;
        let mut requests = vec![0; flows];
        let mut first = vec![u16::MAX; flows];
        let mut named = 0;
        while let Some(record) = rows.next()? {
            let Some(count) = requests.get_mut(usize::from(record.queue)) else {
                return Err(rows.bad(LineFault {
                    field: "flow",
                    expected: "the number of a flow of the scenario, from 0",
                }));
            };
            if *count == 0 {
                first[usize::from(record.queue)] = named;
                named += 1;
            }
            *count += 1;
        }
        if requests.iter().all(|&count| count == 0) {
            return Err(TraceError::Empty { path: path.to_owned() });
        }
        Ok(Self { path: path.to_owned(), requests, first })
    }

    /// Returns the number of flows whose first request is earlier in the list than that of `flow`.
    pub fn place_of_first(&self, flow: u16) -> u16 {
        self.first.get(usize::from(flow)).copied().unwrap_or(u16::MAX)
    }

    /// Returns a source of the requests of one flow, possibly none.
    ///
    /// # Errors
    /// Errors of [`RequestList::open`].
    pub fn requests_of(&self, flow: u16) -> Result<Replay, TraceError> {
        let rows = RecordedRows::open(&self.path, parse_list, LIST_COLUMNS)?;
        let total = self.requests.get(usize::from(flow)).copied();
        let mut replay = Replay { only: Some(flow), total, ..Replay::new(rows) };
        if self.requests.len() > 1 {
            replay.label = format!("{}, flow {flow}", replay.label);
        }
        Ok(replay)
    }
}

/// Returns a source of the requests of a five-column trace, repeated `rounds` times.
///
/// # Errors
/// [`TraceError`] for a file that is missing or unreadable.
pub fn replay_trace(path: &Path, rounds: u32) -> Result<Replay, TraceError> {
    let rows = RecordedRows::open(path, parse_trace, TRACE_COLUMNS)?;
    Ok(Replay { further_rounds: rounds.saturating_sub(1), ..Replay::new(rows) })
}

/// Request source that replays a trace file, or the requests of one flow in a list.
pub struct Replay {
    rows: RecordedRows,
    label: String,
    only: Option<u16>,
    total: Option<u64>,
    further_rounds: u32,
    /// Start of the current round, in nanoseconds.
    offset_ns: u64,
    /// Arrival of the previous request, in nanoseconds.
    latest_ns: u64,
    out_of_order: u64,
    spent: bool,
}

impl Replay {
    fn new(rows: RecordedRows) -> Self {
        let name = rows.lines.path().file_name();
        let label = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self {
            rows,
            label,
            only: None,
            total: None,
            further_rounds: 0,
            offset_ns: 0,
            latest_ns: 0,
            out_of_order: 0,
            spent: false,
        }
    }

    /// Returns the number of requests. Reads all of them to count them.
    ///
    /// # Errors
    ///
    /// Errors of reading the requests.
    pub fn count(mut self) -> Result<u64, TraceError> {
        let mut count = 0;
        while self.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn next(&mut self) -> Result<Option<HostRequest>, TraceError> {
        loop {
            match self.rows.next()? {
                Some(record) if self.only.is_none_or(|flow| flow == record.queue) => {
                    return self.request(&record).map(Some);
                }
                Some(_) => {}
                None if self.further_rounds == 0 => return Ok(None),
                None => self.begin_round()?,
            }
        }
    }

    fn begin_round(&mut self) -> Result<(), TraceError> {
        self.further_rounds -= 1;
        self.offset_ns = self.latest_ns;
        self.rows = self.rows.reopened()?;
        Ok(())
    }

    fn request(&mut self, record: &Record) -> Result<HostRequest, TraceError> {
        let arrival_ns = self.offset_ns.checked_add(record.ticks).ok_or_else(|| self.rows.beyond_clock())?;
        self.out_of_order += u64::from(arrival_ns < self.latest_ns);
        self.latest_ns = self.latest_ns.max(arrival_ns);
        let arrival_ps = self.latest_ns.checked_mul(PS_PER_NS).ok_or_else(|| self.rows.beyond_clock())?;
        let Record { op, start_sector, sectors, queue, pattern_set, .. } = *record;
        Ok(HostRequest {
            arrival: SimTime::from_ps(arrival_ps),
            start_sector,
            sectors,
            queue,
            op,
            pattern_set,
        })
    }
}

impl RequestSource for Replay {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let mut spent = self.spent;
        let given = pull::fill(&mut spent, into, at_most, || self.next());
        self.spent = spent;
        given
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        false
    }

    fn total(&self) -> Option<u64> {
        self.total
    }

    fn counters(&self) -> SourceCounters {
        let read = ReadCounters {
            out_of_order: self.out_of_order,
            moved_up: self.out_of_order,
            ..ReadCounters::default()
        };
        SourceCounters { read, ..SourceCounters::default() }
    }
}

type Parse = fn(&[u8]) -> Result<Option<Record>, LineFault>;

/// Reader of the rows of a request list or trace.
struct RecordedRows {
    lines: Lines,
    parse: Parse,
    columns: &'static str,
}

impl RecordedRows {
    fn open(path: &Path, parse: Parse, columns: &'static str) -> Result<Self, TraceError> {
        Ok(Self { lines: Lines::open(path)?, parse, columns })
    }

    fn reopened(&self) -> Result<Self, TraceError> {
        Self::open(self.lines.path(), self.parse, self.columns)
    }

    fn next(&mut self) -> Result<Option<Record>, TraceError> {
        while self.lines.advance()? {
            if let Some(record) = (self.parse)(self.lines.current()).map_err(|fault| self.bad(fault))? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    #[cold]
    fn bad(&self, fault: LineFault) -> TraceError {
        let RowLocation { path, number, text, .. } = place_of(&self.lines);
        TraceError::BadRow {
            path,
            line: number,
            text,
            field: fault.field,
            expected: fault.expected,
            columns: self.columns,
        }
    }

    #[cold]
    fn beyond_clock(&self) -> TraceError {
        let RowLocation { path, number, unit, text } = place_of(&self.lines);
        TraceError::TimeBeyondClock { path, number, unit, text }
    }
}

/// Parses a line of a replayed trace.
fn parse_trace(line: &[u8]) -> Result<Option<Record>, LineFault> {
    match MqsimAscii::new(&TraceOptions::default()).parse(line)? {
        ParsedLine::Request(record) => with_data(record).map(Some),
        _ => Ok(None),
    }
}

/// Returns an error for a request without data, which request lists and replayed traces must not contain.
fn with_data(record: Record) -> Result<Record, LineFault> {
    match record.sectors {
        0 => Err(LineFault { field: "size", expected: "at least 1 sector" }),
        _ => Ok(record),
    }
}

/// Parses a line of a request list. The first line may be a header.
fn parse_list(line: &[u8]) -> Result<Option<Record>, LineFault> {
    if line.starts_with(b"flow,") {
        return Ok(None);
    }
    let mut rest = line;
    let queue = device(comma_field(&mut rest), "flow")?;
    let op = match comma_field(&mut rest) {
        b"R" => Op::Read,
        b"W" => Op::Write,
        _ => return Err(LineFault { field: "op", expected: "R or W" }),
    };
    let ticks = whole(comma_field(&mut rest));
    let ticks = ticks.ok_or(LineFault { field: "arrival_ns", expected: "a whole number of nanoseconds" })?;
    let _recorded = (comma_field(&mut rest), comma_field(&mut rest));
    let (start_sector, sectors) = extent_of_sectors(comma_field(&mut rest), comma_field(&mut rest))?;
    if !rest.is_empty() {
        return Err(LineFault { field: "line", expected: "seven columns" });
    }
    with_data(Record { ticks, op, start_sector, sectors, queue, pattern_set: 0 }).map(Some)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    fn file(folder: &TempDir, text: &str) -> PathBuf {
        let path = folder.path().join("list.csv");
        fs::write(&path, text).unwrap();
        path
    }

    fn drained(mut replay: Replay) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        while replay.fill(&mut all, 2).unwrap() > 0 {}
        all.iter().map(|request| (request.arrival.as_ps() / 1000, request.start_sector)).collect()
    }

    const LIST: &str = "\
flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors
1,R,5,5,90,100,8
0,W,7,9,95,200,16
1,W,9,9,99,300,8
";

    #[test]
    fn each_flow_has_its_own_requests_at_the_times_of_the_list() {
        let folder = TempDir::new().unwrap();
        let list = RequestList::open(&file(&folder, LIST), 3).unwrap();
        assert_eq!(drained(list.requests_of(1).unwrap()), [(5, 100), (9, 300)]);
        assert_eq!(drained(list.requests_of(0).unwrap()), [(7, 200)]);
        assert_eq!(drained(list.requests_of(2).unwrap()), []);
        assert_eq!(list.requests_of(1).unwrap().total(), Some(2));
        assert_eq!([0, 1, 2].map(|flow| list.place_of_first(flow)), [1, 0, u16::MAX]);
    }

    #[test]
    fn a_further_round_begins_when_the_last_request_of_the_former_came() {
        let folder = TempDir::new().unwrap();
        let trace = file(&folder, "10 0 1 8 1\n30 0 2 8 0\n");
        let expected = [(10, 1), (30, 2), (40, 1), (60, 2), (70, 1), (90, 2)];
        assert_eq!(drained(replay_trace(&trace, 3).unwrap()), expected);
        assert_eq!(replay_trace(&trace, 2).unwrap().count().unwrap(), 4);
    }

    #[test]
    fn a_bad_row_is_shown_with_the_columns_there_should_be() {
        let folder = TempDir::new().unwrap();
        let message = |rows: &str| {
            let path = file(&folder, rows);
            let error = RequestList::open(&path, 1).unwrap_err().to_string();
            error.replace(&folder.path().display().to_string(), "DIR")
        };
        assert_eq!(
            message("0,R,1,1,2,8,8\n0,X,1,1,2,8,8\n"),
            "invalid `op`\n  --> DIR/list.csv:2\n   = expected: R or W\n   = line: `0,X,1,1,2,8,8`\n   = columns: flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors"
        );
        assert!(message("1,R,1,1,2,8,8\n").contains("expected: the number of a flow of the scenario"));
        assert!(message("0,R,-1,1,2,8,8\n").contains("invalid `arrival_ns`"));
        assert!(message("0,R,1,1,2,8,8,9\n").contains("expected: seven columns"));
        assert!(message("flow,op\n").contains("has no requests"));
    }
}
