//! Some of the requests of a source.
//!
//! # What it models
//!
//! A look at a part of a trace: reads or writes, a window of time, some devices, sizes or addresses.
//!
//! # How
//!
//! A request stays when every condition holds; it is not changed. Windows and ranges hold their first value and not
//! their end. A request lies in an address range when it begins there.
//!
//! # What is left out
//!
//! Arrivals stay as they are: after a window, the first is not at zero.
//!
//! # Source
//!
//! Elementary.
//!
//! # Parameters
//!
//! [`Keep`].

use std::ops::Range;

use venice_kernel::SimTime;

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Which requests stay; nothing said is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Only reads, or only writes.
    pub op: Option<Op>,
    /// Those that arrive in this window.
    pub arrival: Option<Range<SimTime>>,
    /// Those of these devices; none named is all.
    pub queues: Vec<u16>,
    /// Those as long as this, in sectors.
    pub sectors: Option<Range<u64>>,
    /// Those that begin in this range of sectors.
    pub start_sector: Option<Range<u64>>,
}

impl Keep {
    /// Whether a request stays.
    #[inline]
    pub fn holds(&self, request: &HostRequest) -> bool {
        self.op.is_none_or(|op| op == request.op)
            && self.arrival.as_ref().is_none_or(|window| window.contains(&request.arrival))
            && (self.queues.is_empty() || self.queues.contains(&request.queue))
            && self.sectors.as_ref().is_none_or(|lengths| lengths.contains(&request.sectors.into()))
            && self.start_sector.as_ref().is_none_or(|range| range.contains(&request.start_sector))
    }

    /// Whether no later request can stay.
    fn is_over(&self, request: &HostRequest) -> bool {
        self.arrival.as_ref().is_some_and(|window| request.arrival >= window.end)
    }
}

/// Gives those requests of another source that stay.
pub struct Filtered<S> {
    inner: S,
    keep: Keep,
    batch: Vec<HostRequest>,
    over: bool,
}

impl<S: RequestSource> Filtered<S> {
    /// Those requests of `inner` that `keep` says.
    pub fn new(inner: S, keep: Keep) -> Self {
        Self { inner, keep, batch: Vec::new(), over: false }
    }
}

impl<S: RequestSource> RequestSource for Filtered<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        // Until one stays: giving none means the end.
        while into.len() == before && !self.over {
            self.batch.clear();
            let filled = self.inner.fill(&mut self.batch, at_most);
            into.extend(self.batch.iter().filter(|request| self.keep.holds(request)));
            self.over = self.batch.last().is_none_or(|last| self.keep.is_over(last));
            filled?;
        }
        Ok(into.len() - before)
    }

    passes_on!(label, is_synthetic, format_choice, counters, device_name);
}
