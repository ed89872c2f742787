//! Adapter that limits the number of requests of a source. A trim with several ranges counts once.

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Source of the first requests of another source.
pub struct LimitedSource<S> {
    inner: S,
    limit: u64,
    left: u64,
}

impl<S: RequestSource> LimitedSource<S> {
    /// Returns a source of the first `requests` requests of `inner`.
    pub fn new(inner: S, requests: u64) -> Self {
        Self { inner, limit: requests, left: requests }
    }
}

impl<S: RequestSource> RequestSource for LimitedSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let allowed = usize::try_from(self.left).map_or(at_most, |left| left.min(at_most));
        let before = into.len();
        let given = self.inner.fill(into, allowed)?;
        let ranges = into[before..].iter().filter(|request| request.op == Op::TrimRange).count();
        self.left -= (given - ranges) as u64;
        Ok(given)
    }

    passes_on!(label, is_synthetic, format_choice, counters, device_name, write_law);

    fn total(&self) -> Option<u64> {
        self.inner.total().map(|total| total.min(self.limit))
    }
}
