//! Conversion of rows to requests, for all formats.

use std::path::Path;

use venice_kernel::{SimSpan, SimTime};

use super::devices::{DeviceLayout, Selection};
use super::error::TraceError;
use super::options::TraceOptions;
use super::pull;
use super::rows::{RowLocation, RowReader};
use super::window::SortingBuffer;
use super::{LineFault, ParsedLine, Record};
use crate::request::{
    FormatChoice, HostRequest, Op, ReadCounters, RequestSource, SourceCounters, SourceError,
};

/// Request source of a trace file.
pub(super) struct TraceReader<R> {
    rows: R,
    label: String,
    format_choice: FormatChoice,
    span: Span,
    window: SortingBuffer,
    clock: TraceClock,
    devices: Selection,
    /// Request that follows the flush which was returned last.
    after_flush: Option<Record>,
    counters: ReadCounters,
    /// Maximum number of bad rows to skip.
    max_bad_rows: u64,
    /// Error that ended the file. It is reported after all requests before it have been returned.
    failure: Option<TraceError>,
    at_end: bool,
    spent: bool,
}

impl<R: RowReader> TraceReader<R> {
    /// Creates a reader of rows whose times are in units of `tick`.
    pub(super) fn new(
        rows: R,
        path: &Path,
        tick: SimSpan,
        options: &TraceOptions,
        format_choice: FormatChoice,
    ) -> Self {
        Self {
            rows,
            label: label_of(path, options),
            format_choice,
            span: Span::new(tick),
            window: SortingBuffer::new(),
            clock: TraceClock::new(tick),
            devices: Selection::new(options.devices.clone()),
            after_flush: None,
            counters: ReadCounters::default(),
            max_bad_rows: options.skip_bad,
            failure: None,
            at_end: false,
            spent: false,
        }
    }

    /// Returns the next request; `None` at the end.
    #[inline]
    fn next(&mut self) -> Result<Option<HostRequest>, TraceError> {
        loop {
            if let Some(record) = self.window.pop() {
                return Ok(Some(self.clock.request(&record)));
            }
            if self.at_end {
                return self.end();
            }
            self.fill_window();
        }
    }

    /// Handles the end of the file. Returns an error if the file ended early or contained no request.
    fn end(&mut self) -> Result<Option<HostRequest>, TraceError> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if self.clock.first.is_none() => Err(self.nothing()),
            None => Ok(None),
        }
    }

    /// Returns the error for a file without requests.
    #[cold]
    fn nothing(&self) -> TraceError {
        let mut seen = self.devices.seen().map(|device| self.rows.device_name(device)).peekable();
        match self.devices.missing() {
            Some(name) if seen.peek().is_some() => {
                let path = self.rows.place().path;
                TraceError::NoSuchDevice { path, name: name.to_owned(), devices: seen.collect() }
            }
            _ => self.rows.nothing(),
        }
    }

    fn fill_window(&mut self) {
        while !self.window.is_full() && !self.at_end {
            match self.read() {
                Ok(Some(record)) => self.window.push(record),
                end => {
                    self.at_end = true;
                    self.failure = end.err();
                }
            }
        }
        self.window.settle(self.at_end);
    }

    /// Returns the next request in the order of the file.
    #[inline]
    fn read(&mut self) -> Result<Option<Record>, TraceError> {
        if let Some(record) = self.after_flush.take() {
            return Ok(Some(record));
        }
        while let Some(row) = self.rows.next()? {
            match row {
                Ok(ParsedLine::Request(record) | ParsedLine::AfterFlush(record))
                    if record.sectors > 0 || record.op == Op::Flush =>
                {
                    let name = || self.rows.device_name(record.queue);
                    let Some(queue) = self.devices.queue(record.queue, name) else { continue };
                    if self.span.admits(record.ticks) {
                        let is_behind_flush = matches!(row, Ok(ParsedLine::AfterFlush(_)));
                        return Ok(Some(self.counted(Record { queue, ..record }, is_behind_flush)));
                    }
                    self.bad_row(beyond_clock)?;
                }
                Ok(other) => self.count(&other),
                Err(fault) => self.bad_row(|place, reader| bad_row(fault, place, reader))?,
            }
        }
        Ok(None)
    }

    /// Counts a request. Returns the request or, if it has a preceding flush, the flush.
    #[inline]
    fn counted(&mut self, record: Record, is_behind_flush: bool) -> Record {
        self.counters.trims += u64::from(record.op == Op::Trim);
        self.counters.flushes += u64::from(record.op == Op::Flush || is_behind_flush);
        if !is_behind_flush {
            return record;
        }
        self.after_flush = Some(record);
        Record { op: Op::Flush, start_sector: 0, sectors: 0, ..record }
    }

    /// Adds a row that is not a request to the counters.
    fn count(&mut self, row: &ParsedLine) {
        match row {
            ParsedLine::Request(_) | ParsedLine::AfterFlush(_) => self.counters.zero_size += 1,
            ParsedLine::OtherOp | ParsedLine::Trim | ParsedLine::Flush => self.count_other(row),
            ParsedLine::GarbledTime => self.counters.garbled_times += 1,
            ParsedLine::Nothing => {}
        }
    }

    fn count_other(&mut self, row: &ParsedLine) {
        self.counters.other_ops += 1;
        let is_trim = u64::from(*row == ParsedLine::Trim);
        self.counters.trims += is_trim;
        self.counters.trims_skipped += is_trim;
        self.counters.flushes += u64::from(*row == ParsedLine::Flush);
    }

    /// Skips a bad row if the limit permits it. Otherwise returns the row's error.
    #[cold]
    fn bad_row(&mut self, error: impl FnOnce(RowLocation, &Self) -> TraceError) -> Result<(), TraceError> {
        if self.counters.skipped_bad == self.max_bad_rows {
            return Err(error(self.rows.place(), self));
        }
        self.counters.skipped_bad += 1;
        Ok(())
    }
}

fn bad_row<R>(fault: LineFault, place: RowLocation, reader: &TraceReader<R>) -> TraceError {
    let RowLocation { path, number, unit, text } = place;
    let LineFault { field, expected } = fault;
    let format = reader.format_choice.format.unwrap_or_default();
    let skipped = reader.counters.skipped_bad;
    TraceError::BadLine { path, number, unit, text, field, expected, format, skipped }
}

fn beyond_clock<R>(place: RowLocation, _: &TraceReader<R>) -> TraceError {
    let RowLocation { path, number, unit, text } = place;
    TraceError::TimeBeyondClock { path, number, unit, text }
}

impl<R: RowReader> RequestSource for TraceReader<R> {
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

    fn format_choice(&self) -> FormatChoice {
        self.format_choice.clone()
    }

    fn counters(&self) -> SourceCounters {
        let read = ReadCounters {
            out_of_order: self.window.out_of_order(),
            moved_up: self.clock.moved_up,
            ..self.counters
        };
        SourceCounters { read, devices: self.devices.used(), folded: 0 }
    }

    fn device_name(&self, queue: u16) -> String {
        self.devices.single().map_or_else(|| self.rows.device_name(queue), str::to_owned)
    }
}

fn label_of(path: &Path, options: &TraceOptions) -> String {
    let name =
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
    match &options.devices {
        Some(DeviceLayout::Single(device)) => format!("{name}, device {device}"),
        _ => name,
    }
}

/// Range of the time stamps so far, limited to the length of the simulated time range.
struct Span {
    earliest: u64,
    latest: u64,
    most: u64,
}

impl Span {
    fn new(tick: SimSpan) -> Self {
        Self { earliest: u64::MAX, latest: 0, most: u64::MAX / tick.as_ps() }
    }

    /// Extends the range to include a time stamp. If the range would become too long, returns false and
    /// leaves it unchanged.
    #[inline]
    fn admits(&mut self, ticks: u64) -> bool {
        let (earliest, latest) = (self.earliest.min(ticks), self.latest.max(ticks));
        let admitted = latest - earliest <= self.most;
        if admitted {
            (self.earliest, self.latest) = (earliest, latest);
        }
        admitted
    }
}

/// Conversion of time stamps to arrival times, which are relative to the first one and never decrease.
struct TraceClock {
    tick_ps: u64,
    first: Option<u64>,
    latest: u64,
    moved_up: u64,
}

impl TraceClock {
    fn new(tick: SimSpan) -> Self {
        Self { tick_ps: tick.as_ps(), first: None, latest: 0, moved_up: 0 }
    }

    #[inline]
    fn request(&mut self, record: &Record) -> HostRequest {
        let Record { op, start_sector, sectors, queue, pattern_set, ticks } = *record;
        HostRequest { arrival: self.arrival(ticks), start_sector, sectors, queue, op, pattern_set }
    }

    /// Returns the arrival time for a time stamp, which must be in the range of [`Span`].
    #[inline]
    fn arrival(&mut self, ticks: u64) -> SimTime {
        let first = *self.first.get_or_insert(ticks);
        if ticks < self.latest {
            self.moved_up += 1;
        } else {
            self.latest = ticks;
        }
        SimTime::from_ps((self.latest - first) * self.tick_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_count_from_the_first_as_integers() {
        let mut clock = TraceClock::new(SimSpan::from_ns(100));
        let arrivals = [128_166_386_783_630_075, 128_166_386_783_630_076, 128_166_386_783_630_309];
        let arrivals = arrivals.map(|ticks| clock.arrival(ticks).as_ps());
        assert_eq!(arrivals, [0, 100_000, 23_400_000]);
    }

    #[test]
    fn time_that_still_runs_backwards_stands_still_and_is_counted() {
        let mut clock = TraceClock::new(SimSpan::from_ps(1));
        let arrivals = [10, 15, 12, 3, 15, 16].map(|ticks| clock.arrival(ticks).as_ps());
        assert_eq!(arrivals, [0, 5, 5, 5, 5, 6]);
        assert_eq!(clock.moved_up, 2);
    }

    #[test]
    fn the_clock_ends_after_213_days_in_either_direction() {
        let mut span = Span::new(SimSpan::from_ps(1_000));
        let most = u64::MAX / 1_000;
        assert!(span.admits(5) && span.admits(5 + most));
        assert!(!span.admits(6 + most) && !span.admits(4));
        assert!(span.admits(5), "what was refused does not count");
    }
}
