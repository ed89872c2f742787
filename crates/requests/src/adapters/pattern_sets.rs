//! Adapter that refuses searches for pattern sets that the drive does not have.
//!
//! # How
//!
//! The requests of the source remain unchanged. The source ends with an error before the first search for an unknown set.
//!
//! # Parameters
//!
//! Number of pattern sets of the drive.

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Source of the requests of another source, whose searches have pattern sets of the drive.
pub struct KnownPatternSets<S> {
    inner: S,
    /// Number of pattern sets of the drive.
    count: usize,
    /// Number of requests returned so far.
    given: u64,
}

impl<S: RequestSource> KnownPatternSets<S> {
    /// Returns a source of the requests of `inner` for a drive with `count` pattern sets.
    pub fn new(inner: S, count: usize) -> Self {
        Self { inner, count, given: 0 }
    }

    #[inline]
    fn is_unknown(&self, request: &HostRequest) -> bool {
        usize::from(request.pattern_set) >= self.count && request.op == Op::Search
    }
}

impl<S: RequestSource> RequestSource for KnownPatternSets<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most);
        // Requests before an error are valid.
        let known = into[before..].iter().position(|request| self.is_unknown(request));
        self.given += known.unwrap_or(into.len() - before) as u64;
        let Some(known) = known else { return given };
        let pattern_set = into[before + known].pattern_set;
        into.truncate(before + known);
        let (label, number) = (self.inner.label().to_owned(), self.given + 1);
        Err(SourceError::UnknownPatternSet { label, number, pattern_set, last: self.count - 1 })
    }

    passes_on!(label, is_synthetic, total, format_choice, device_name, write_law, counters);
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;

    /// Test source with a list of requests.
    struct ListSource(Vec<HostRequest>);

    impl RequestSource for ListSource {
        fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
            let count = self.0.len().min(at_most);
            into.extend(self.0.drain(..count));
            Ok(count)
        }

        fn label(&self) -> &'static str {
            "list"
        }

        fn is_synthetic(&self) -> bool {
            true
        }
    }

    fn request(op: Op, pattern_set: u8) -> HostRequest {
        HostRequest { arrival: SimTime::ZERO, start_sector: 0, sectors: 8, queue: 0, op, pattern_set }
    }

    #[test]
    fn search_for_an_unknown_set_is_refused_after_the_requests_before_it() {
        let requests = vec![request(Op::Search, 1), request(Op::Read, 2), request(Op::Search, 2)];
        let mut batch = Vec::new();
        let mut known = KnownPatternSets::new(ListSource(requests.clone()), 3);
        assert_eq!(known.fill(&mut batch, 9).unwrap(), 3);
        batch.clear();
        let mut lacking = KnownPatternSets::new(ListSource(requests), 2);
        let wrong = lacking.fill(&mut batch, 9).unwrap_err().to_string();
        assert!(
            wrong.starts_with("request 3 searches for pattern set 2, but the last set of the drive is 1"),
            "{wrong}"
        );
        assert_eq!(batch.len(), 2);
    }
}
