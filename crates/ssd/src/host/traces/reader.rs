//! Turns the lines of a file into requests: the same for every format.

use std::marker::PhantomData;
use std::path::Path;

use venice_kernel::SimTime;

use super::error::{TraceError, shortened};
use super::lines::Lines;
use super::{Fault, Record, TraceFormat};
use crate::host::request::{HostRequest, RequestSource, SourceCounters, SourceError};

/// The requests of one trace file.
pub(super) struct TraceReader<F> {
    lines: Lines,
    format: &'static str,
    label: String,
    clock: TraceClock,
    spent: bool,
    parser: PhantomData<fn() -> F>,
}

impl<F: TraceFormat> TraceReader<F> {
    /// A reader of these lines in the format of this name.
    pub(super) fn new(lines: Lines, format: &'static str) -> Self {
        let label = label_of(lines.path());
        let clock = TraceClock::new(F::TICK.as_ps());
        Self { lines, format, label, clock, spent: false, parser: PhantomData }
    }

    /// The next request; `None` at the end.
    #[inline]
    fn next(&mut self) -> Result<Option<HostRequest>, TraceError> {
        while self.lines.advance()? {
            let parsed = F::parse(self.lines.current()).map_err(|fault| self.bad_line(fault))?;
            if let Some(record) = parsed {
                let arrival = self.clock.arrival(record.ticks).ok_or_else(|| self.beyond_clock())?;
                return Ok(Some(request(record, arrival)));
            }
        }
        self.end()
    }

    /// The end of the file: fine, unless nothing came before it.
    fn end(&self) -> Result<Option<HostRequest>, TraceError> {
        if self.clock.first.is_none() {
            return Err(TraceError::Empty { path: self.lines.path().to_owned() });
        }
        Ok(None)
    }

    #[cold]
    fn bad_line(&self, fault: Fault) -> TraceError {
        TraceError::BadLine {
            path: self.lines.path().to_owned(),
            line: self.lines.number(),
            text: shortened(self.lines.current()),
            field: fault.field,
            expected: fault.expected,
            format: self.format,
        }
    }

    #[cold]
    fn beyond_clock(&self) -> TraceError {
        let (path, line) = (self.lines.path().to_owned(), self.lines.number());
        TraceError::TimeBeyondClock { path, line, text: shortened(self.lines.current()) }
    }
}

impl<F: TraceFormat> RequestSource for TraceReader<F> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let mut given = 0;
        while given < at_most && !self.spent {
            match self.next() {
                Ok(Some(request)) => into.push(request),
                end => {
                    self.spent = true;
                    end?;
                    break;
                }
            }
            given += 1;
        }
        Ok(given)
    }

    fn label(&self) -> &str {
        &self.label
    }

    fn is_synthetic(&self) -> bool {
        false
    }

    fn counters(&self) -> SourceCounters {
        SourceCounters { out_of_order: self.clock.out_of_order, folded: 0 }
    }
}

#[inline]
fn request(record: Record, arrival: SimTime) -> HostRequest {
    let Record { op, start_sector, sectors, queue, .. } = record;
    HostRequest { arrival, start_sector, sectors, queue, op }
}

fn label_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// From time stamps to arrivals: counted from the first, never backwards.
struct TraceClock {
    tick_ps: u64,
    first: Option<u64>,
    latest: u64,
    out_of_order: u64,
}

impl TraceClock {
    fn new(tick_ps: u64) -> Self {
        Self { tick_ps, first: None, latest: 0, out_of_order: 0 }
    }

    /// When a request of this time stamp arrives; `None` beyond the simulator's clock.
    #[inline]
    fn arrival(&mut self, ticks: u64) -> Option<SimTime> {
        let first = *self.first.get_or_insert(ticks);
        if ticks < self.latest {
            self.out_of_order += 1;
        } else {
            self.latest = ticks;
        }
        (self.latest - first).checked_mul(self.tick_ps).map(SimTime::from_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_count_from_the_first_as_integers() {
        let mut clock = TraceClock::new(100_000);
        let arrivals = [128_166_386_783_630_075, 128_166_386_783_630_076, 128_166_386_783_630_309];
        let arrivals = arrivals.map(|ticks| clock.arrival(ticks).unwrap().as_ps());
        assert_eq!(arrivals, [0, 100_000, 23_400_000]);
    }

    #[test]
    fn time_that_runs_backwards_stands_still_and_is_counted() {
        let mut clock = TraceClock::new(1);
        let arrivals = [10, 15, 12, 3, 15, 16].map(|ticks| clock.arrival(ticks).unwrap().as_ps());
        assert_eq!(arrivals, [0, 5, 5, 5, 5, 6]);
        assert_eq!(clock.out_of_order, 2);
    }

    #[test]
    fn the_clock_ends_after_213_days() {
        let mut clock = TraceClock::new(1_000);
        assert!(clock.arrival(5).is_some());
        assert!(clock.arrival(5 + u64::MAX / 1_000).is_some());
        assert!(clock.arrival(6 + u64::MAX / 1_000).is_none());
    }
}
