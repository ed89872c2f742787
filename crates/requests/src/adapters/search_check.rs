//! Adapter that ends a source at the first search that the drive cannot execute.

use std::sync::Arc;

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Searches that a drive can execute.
#[derive(Clone, Debug)]
pub enum SearchSupport {
    /// Searches are supported, for this number of pattern sets.
    PatternSets(usize),
    /// No searches: a write cache may hold data that is not on flash yet.
    WriteCache,
    /// No searches: the chips cannot have the unit that searches need. The text is the message of the configuration error.
    Chips(Arc<str>),
}

/// Source of the requests of another source, which ends with an error at the first search that the drive cannot execute.
pub struct SearchCheck<S> {
    inner: S,
    support: SearchSupport,
    /// Number of requests that were returned.
    given: u64,
    is_spent: bool,
}

impl<S: RequestSource> SearchCheck<S> {
    /// Returns a source of the requests of `inner` for a drive that supports searches as `support` states.
    pub fn new(inner: S, support: SearchSupport) -> Self {
        Self { inner, support, given: 0, is_spent: false }
    }

    #[inline]
    fn is_refused(&self, request: &HostRequest) -> bool {
        request.op == Op::Search
            && !matches!(self.support, SearchSupport::PatternSets(sets) if usize::from(request.pattern_set) < sets)
    }

    /// Returns the error of a search that the drive cannot execute and that follows the returned requests.
    fn error(&self, pattern_set: u8) -> SourceError {
        let (label, number) = (self.inner.label().to_owned(), self.given + 1);
        match &self.support {
            SearchSupport::PatternSets(sets) => {
                SourceError::UnknownPatternSet { label, number, pattern_set, last: sets - 1 }
            }
            SearchSupport::WriteCache => SourceError::SearchBesideWriteCache { label, number },
            SearchSupport::Chips(message) => SourceError::ChipsCannotSearch { message: message.to_string() },
        }
    }
}

impl<S: RequestSource> RequestSource for SearchCheck<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        if self.is_spent {
            return Ok(0);
        }
        let before = into.len();
        // Requests before an error are valid.
        let filled = self.inner.fill(into, at_most);
        if let Some(first) = into[before..].iter().position(|request| self.is_refused(request)) {
            let pattern_set = into[before + first].pattern_set;
            into.truncate(before + first);
            self.given += first as u64;
            self.is_spent = true;
            return Err(self.error(pattern_set));
        }
        self.given += (into.len() - before) as u64;
        filled
    }

    passes_on!(label, is_synthetic, total, format_choice, counters, device_name, write_law);
}
