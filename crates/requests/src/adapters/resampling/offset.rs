//! Resampling of a trace with a random start time.

use std::mem;

use venice_kernel::{RandomStream, SimTime};

use crate::request::{HostRequest, RequestSource, SourceError};

use super::Reopen;
use super::period::TraceExtent;
use crate::request::BoxedSource;

/// Resampler that starts at a random time of the trace: it returns the requests from this time to the end,
/// then the requests before this time.
pub(super) struct OffsetResampler {
    reopen: Reopen,
    period_ps: u64,
    from_ps: u64,
    part: OffsetPart,
    /// Arrival time of the first returned request in the trace, which is subtracted from all arrival times.
    base_ps: Option<u64>,
}

enum OffsetPart {
    Tail(BoxedSource),
    Head(BoxedSource),
    Over,
}

impl OffsetResampler {
    /// Creates a resampler with a random start time. Reads `whole` to its end.
    pub(super) fn new(
        whole: &mut impl RequestSource,
        reopen: Reopen,
        mut stream: RandomStream,
    ) -> Result<Self, SourceError> {
        let period_ps = TraceExtent::of(whole, |_| {})?.period_ps();
        let from_ps = stream.below(period_ps);
        let part = OffsetPart::Tail(reopen()?);
        Ok(Self { reopen, period_ps, from_ps, part, base_ps: None })
    }

    pub(super) fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        while into.len() == before && at_most > 0 && !matches!(self.part, OffsetPart::Over) {
            self.fill_part(into, at_most)?;
        }
        Ok(into.len() - before)
    }

    /// Reads a batch and appends the requests that belong to the current part of the trace. The batch may
    /// contain no such request.
    fn fill_part(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<(), SourceError> {
        let (before, from_ps) = (into.len(), self.from_ps);
        let (source, is_tail) = match &mut self.part {
            OffsetPart::Tail(source) => (source, true),
            OffsetPart::Head(source) => (source, false),
            OffsetPart::Over => return Ok(()),
        };
        let given = source.fill(into, at_most)?;
        let mut place = 0;
        into.retain(|request| {
            place += 1;
            place <= before || (request.arrival.as_ps() >= from_ps) == is_tail
        });
        let is_over = given == 0 || !is_tail && into.len() - before < given;
        self.shift(&mut into[before..], is_tail);
        if is_over {
            self.end_part()?;
        }
        Ok(())
    }

    fn shift(&mut self, requests: &mut [HostRequest], is_tail: bool) {
        let round_ps = if is_tail { 0 } else { self.period_ps };
        for request in requests {
            let ps = u128::from(request.arrival.as_ps()) + u128::from(round_ps);
            let base_ps = *self.base_ps.get_or_insert(ps as u64);
            request.arrival = SimTime::from_ps((ps - u128::from(base_ps)) as u64);
        }
    }

    fn end_part(&mut self) -> Result<(), SourceError> {
        self.part = match mem::replace(&mut self.part, OffsetPart::Over) {
            OffsetPart::Tail(_) if self.from_ps > 0 => OffsetPart::Head((self.reopen)()?),
            _ => OffsetPart::Over,
        };
        Ok(())
    }
}
