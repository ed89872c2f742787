//! Adapter that keeps the requests of a source that meet given conditions.
//!
//! # What it models
//!
//! The adapter selects part of a trace for analysis: reads or writes, a time window, some devices, sizes or
//! addresses.
//!
//! # How
//!
//! A request is kept, unchanged, if it meets all conditions. Ranges include their start and exclude their
//! end. The address condition applies to a request's first sector.
//!
//! # What is left out
//!
//! Arrival times are not shifted: after a time window, the first request does not arrive at zero.
//!
//! # Source
//!
//! None.
//!
//! # Parameters
//!
//! [`RequestFilter`].

use std::ops::Range;

use venice_kernel::SimTime;

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Conditions on requests. The default keeps all requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Operation to keep; `None` keeps all operations.
    pub op: Option<Op>,
    /// Range of arrival times to keep.
    pub arrival: Option<Range<SimTime>>,
    /// Numbers of the devices to keep; an empty list keeps all.
    pub queues: Vec<u16>,
    /// Range of lengths to keep, in sectors.
    pub sectors: Option<Range<u64>>,
    /// Range of first sectors to keep.
    pub start_sector: Option<Range<u64>>,
}

impl RequestFilter {
    /// Returns true if a request meets all conditions.
    #[inline]
    pub fn holds(&self, request: &HostRequest) -> bool {
        self.op.is_none_or(|op| op == request.op)
            && self.arrival.as_ref().is_none_or(|window| window.contains(&request.arrival))
            && (self.queues.is_empty() || self.queues.contains(&request.queue))
            && self.sectors.as_ref().is_none_or(|lengths| lengths.contains(&request.sectors.into()))
            && self.start_sector.as_ref().is_none_or(|range| range.contains(&request.start_sector))
    }

    /// Returns true if neither this request nor any later one can meet the conditions.
    fn is_over(&self, request: &HostRequest) -> bool {
        self.arrival.as_ref().is_some_and(|window| request.arrival >= window.end)
    }
}

/// Source of the requests of another source that meet given conditions.
pub struct FilteredSource<S> {
    inner: S,
    keep: RequestFilter,
    batch: Vec<HostRequest>,
    over: bool,
}

impl<S: RequestSource> FilteredSource<S> {
    /// Returns a source of the requests of `inner` that meet the conditions of `keep`.
    pub fn new(inner: S, keep: RequestFilter) -> Self {
        Self { inner, keep, batch: Vec::new(), over: false }
    }
}

impl<S: RequestSource> RequestSource for FilteredSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        // Repeat until a request is kept, since an empty batch means the end of the source.
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
