//! Faster equivalent of [`super::Matcher`] that processes whole bytes.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, MatchKind};

use super::{Match, PatternSet};

/// Byte-wide automata of the `aho-corasick` crate, with the same results as [`super::Matcher`].
#[derive(Clone, Debug)]
pub struct FastMatcher {
    /// Automaton that stops at the first match. Where possible, it first looks for rare bytes of the
    /// patterns.
    any: AhoCorasick,
    /// Automaton that reports overlapping matches.
    all: AhoCorasick,
}

impl FastMatcher {
    /// Builds the automata of `patterns`.
    ///
    /// # Panics
    /// Panics if an automaton exceeds its size limit. The 256 bytes of a full pattern set are far below these
    /// limits.
    pub fn new(patterns: &PatternSet) -> Self {
        let build = |kind| -> Result<AhoCorasick, BuildError> {
            AhoCorasick::builder()
                .kind(Some(AhoCorasickKind::DFA))
                .ascii_case_insensitive(patterns.folds_case())
                .match_kind(kind)
                .build(patterns.iter())
        };
        let built = |kind| build(kind).expect("8 patterns of 32 bytes are few");
        Self { any: built(MatchKind::LeftmostFirst), all: built(MatchKind::Standard) }
    }

    /// Returns true if the page contains a complete pattern.
    pub fn contains(&self, page: &[u8]) -> bool {
        self.any.is_match(page)
    }

    /// Reports all matches within the page, including overlapping ones, in the order of their last bytes.
    pub fn scan(&self, page: &[u8], mut report: impl FnMut(Match)) {
        for found in self.all.find_overlapping_iter(page) {
            report(Match { start: found.start(), end: found.end(), pattern: found.pattern().as_usize() });
        }
    }

    /// Returns all matches within the page, in the order of [`super::Matcher::find`].
    pub fn find(&self, page: &[u8]) -> Vec<Match> {
        let mut found = Vec::new();
        self.scan(page, |one| found.push(one));
        found.sort_unstable_by_key(|one| (one.end, one.pattern));
        found
    }
}
