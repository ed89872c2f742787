//! Resampling of a trace by random blocks.

use venice_kernel::RandomStream;

use crate::request::{HostRequest, RequestSource, SourceError};

use super::BlockLength;
use super::period::{TraceExtent, instant};

const PS_PER_US: f64 = 1e6;

/// Source of requests from randomly drawn blocks of a trace.
pub(super) struct BlockResampler {
    label: String,
    trace: CyclicTrace,
    stream: RandomStream,
    block: ResampledBlock,
    given: u64,
    /// Arrival time of the first returned request, which is subtracted from all arrival times.
    base_ps: Option<u64>,
}

/// Trace that is repeated cyclically: its last request is followed by its first one.
struct CyclicTrace {
    requests: Vec<HostRequest>,
    period_ps: u64,
}

/// Progress within the current block.
enum ResampledBlock {
    Requests {
        length: u64,
        /// Number of requests of the block that have not been returned.
        left: u64,
        /// Index of the next request in the trace.
        next: usize,
        /// Arrival of the previous request, in picoseconds.
        now_ps: u64,
    },
    Time {
        length_ps: u64,
        /// Start of the current block in the resampled requests, in picoseconds; `from_ps` is its start in
        /// the trace.
        begin_ps: u64,
        from_ps: u64,
        /// Index of the next request; `looked_at` is the number of requests examined so far.
        next: usize,
        looked_at: usize,
    },
}

impl BlockResampler {
    /// Creates a source of random blocks. Reads the trace `whole` to its end.
    pub(super) fn new(
        whole: &mut impl RequestSource,
        length: Option<BlockLength>,
        mut stream: RandomStream,
    ) -> Result<Self, SourceError> {
        let mut requests = Vec::new();
        let extent = TraceExtent::of(whole, |batch| requests.extend_from_slice(batch))?;
        let trace = CyclicTrace { requests, period_ps: extent.period_ps() };
        let count = trace.requests.len() as u64;
        let length = length.unwrap_or(BlockLength::Requests(count.isqrt().max(1)));
        let block = match length {
            _ if count == 0 => ResampledBlock::Requests { length: 1, left: 0, next: 0, now_ps: 0 },
            BlockLength::Requests(length) if (1..=count).contains(&length) => {
                ResampledBlock::Requests { length, left: 0, next: 0, now_ps: 0 }
            }
            BlockLength::Time(span) if (1..=trace.period_ps).contains(&span.as_ps()) => {
                trace.timed_block(span.as_ps(), 0, &mut stream)
            }
            _ => return Err(too_long(whole.label(), length, &trace)),
        };
        Ok(Self { label: whole.label().to_owned(), trace, stream, block, given: 0, base_ps: None })
    }

    pub(super) fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        while into.len() - before < at_most {
            let Some((number, ps)) = self.next() else { break };
            self.given += 1;
            let ps = instant(ps, &self.label, self.given)?.as_ps();
            let base_ps = *self.base_ps.get_or_insert(ps);
            let arrival = instant(Some(ps - base_ps), &self.label, self.given)?;
            into.push(HostRequest { arrival, ..self.trace.requests[number] });
        }
        Ok(into.len() - before)
    }

    /// Returns the index of the next request in the trace and its arrival; the arrival is `None` beyond the
    /// simulated time range.
    fn next(&mut self) -> Option<(usize, Option<u64>)> {
        let count = self.trace.requests.len();
        match &mut self.block {
            ResampledBlock::Requests { .. } if self.given == count as u64 => None,
            ResampledBlock::Requests { length, left, next, now_ps } => {
                if *left == 0 {
                    (*left, *next) = (*length, self.stream.below(count as u64) as usize);
                }
                let number = *next;
                (*left, *next) = (*left - 1, (number + 1) % count);
                let now = now_ps.checked_add(self.trace.gap_before(number));
                *now_ps = now.unwrap_or(u64::MAX);
                Some((number, now))
            }
            ResampledBlock::Time { .. } => self.next_in_time().map(|(number, ps)| (number, Some(ps))),
        }
    }

    fn next_in_time(&mut self) -> Option<(usize, u64)> {
        let Self { trace, stream, block, .. } = self;
        while let ResampledBlock::Time { length_ps, begin_ps, from_ps, next, looked_at } = block {
            let offset_ps = trace.distance(*from_ps, *next);
            if *looked_at < trace.requests.len() && offset_ps < *length_ps {
                let number = *next;
                (*next, *looked_at) = ((number + 1) % trace.requests.len(), *looked_at + 1);
                let ps = begin_ps.checked_add(offset_ps).filter(|&ps| ps < trace.period_ps)?;
                return Some((number, ps));
            }
            let begin_ps = begin_ps.checked_add(*length_ps).filter(|&begin| begin < trace.period_ps)?;
            *block = trace.timed_block(*length_ps, begin_ps, stream);
        }
        None
    }
}

impl CyclicTrace {
    /// Returns a block of a given duration. The block starts at `begin_ps` in the resampled requests and at a
    /// random time in the trace.
    fn timed_block(&self, length_ps: u64, begin_ps: u64, stream: &mut RandomStream) -> ResampledBlock {
        let from_ps = stream.below(self.period_ps);
        let next = self.requests.partition_point(|request| request.arrival.as_ps() < from_ps);
        ResampledBlock::Time { length_ps, begin_ps, from_ps, next: next % self.requests.len(), looked_at: 0 }
    }

    /// Returns the time from `from_ps` in the cyclic trace to the next occurrence of request `number`.
    fn distance(&self, from_ps: u64, number: usize) -> u64 {
        let at_ps = self.requests[number].arrival.as_ps();
        at_ps.checked_sub(from_ps).unwrap_or_else(|| self.period_ps - from_ps + at_ps)
    }

    /// Returns the time between request `number` and the request before it in the cyclic trace.
    fn gap_before(&self, number: usize) -> u64 {
        match number {
            0 => self.requests.last().map_or(0, |last| self.period_ps - last.arrival.as_ps()),
            _ => self.requests[number].arrival.as_ps() - self.requests[number - 1].arrival.as_ps(),
        }
    }
}

fn too_long(label: &str, length: BlockLength, trace: &CyclicTrace) -> SourceError {
    let (length, whole) = match length {
        BlockLength::Requests(requests) => {
            (format!("{requests} requests"), format!("{} requests", trace.requests.len()))
        }
        BlockLength::Time(span) => {
            let us = |ps: u64| format!("{} µs", ps as f64 / PS_PER_US);
            (us(span.as_ps()), us(trace.period_ps))
        }
    };
    SourceError::BlockLength { label: label.to_owned(), length, whole }
}
