//! Adapter that ends a source at its first search, for a drive that cannot execute searches.

use std::sync::Arc;

use crate::request::{HostRequest, Op, RequestSource, SourceError};

/// Reason why a drive cannot execute searches.
#[derive(Clone, Debug)]
pub enum SearchRefusal {
    /// A write cache may hold data that is not on flash yet.
    WriteCache,
    /// The chips cannot have the unit that searches need. The text is the message of the configuration error.
    Chips(Arc<str>),
}

/// Source of the requests of another source, which ends with an error at the first search.
pub struct SearchCheck<S> {
    inner: S,
    refusal: SearchRefusal,
    /// Number of requests that were returned.
    given: u64,
    is_spent: bool,
}

impl<S: RequestSource> SearchCheck<S> {
    /// Returns a source of the requests of `inner`. The error at its first search is that of `refusal`.
    pub fn new(inner: S, refusal: SearchRefusal) -> Self {
        Self { inner, refusal, given: 0, is_spent: false }
    }

    fn error(&self) -> SourceError {
        let label = self.inner.label().to_owned();
        match &self.refusal {
            SearchRefusal::WriteCache => {
                SourceError::SearchBesideWriteCache { label, number: self.given + 1 }
            }
            SearchRefusal::Chips(message) => SourceError::ChipsCannotSearch { message: message.to_string() },
        }
    }
}

impl<S: RequestSource> RequestSource for SearchCheck<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        if self.is_spent {
            return Ok(0);
        }
        let before = into.len();
        let filled = self.inner.fill(into, at_most);
        if let Some(first) = into[before..].iter().position(|request| request.op == Op::Search) {
            into.truncate(before + first);
            self.given += first as u64;
            self.is_spent = true;
            return Err(self.error());
        }
        self.given += (into.len() - before) as u64;
        filled
    }

    passes_on!(label, is_synthetic, total, format_choice, counters, device_name, write_law);
}
