//! Pattern matcher of a chip: bit-split Aho-Corasick automata.
//!
//! # What it models
//!
//! Up to 8 patterns of 1 … 32 arbitrary bytes. Each byte is split into four pairs of bits, and each pair
//! drives a separate state machine. A machine knows only its pair of bits of each pattern byte. For every
//! input byte it outputs a *partial match vector*: 8 bits for the patterns that may end at this byte. The
//! bitwise AND of the four vectors is exact: a pattern ends at this byte if and only if its bit pairs end
//! here in all four machines. The throughput is one byte per cycle.
//!
//! A machine has at most 1 + 4 + 8 · 31 = 253 states: the root, at most four successors of the root, and one
//! state for each further byte of each pattern. A state thus fits into one byte, and 8 patterns always fit.
//! The table has 256 entries of four next states and the vector, 1,280 bytes ([`TableImage`]).
//!
//! *State.* The chip keeps the state from one sub-page to the next. Each page starts with
//! [`MatchState::START`].
//!
//! *Page borders.* At the end of a page, the chip reports its state, which has four bytes.
//! [`Matcher::continues`] returns true if a pattern may continue in the next page. The controller then needs
//! only the first 31 bytes of that page ([`Matcher::across`]).
//!
//! # How
//!
//! [`Matcher`] executes the tables of the chip. [`FastMatcher`] computes the same results with a byte-wide
//! automaton, which is fast enough for whole drives; a test compares the two.
//!
//! *Case-insensitive patterns* ([`PatternSet::folding_case`]). The two cases of an ASCII letter differ in one
//! bit. Only the machine of bits 4 and 5 must therefore accept two values, and the AND of the vectors stays
//! exact. That machine may need more states than there are pattern positions. A set of patterns that needs
//! more than 256 states is an error.
//!
//! # What is left out
//!
//! Wildcards, patterns of more than 32 bytes.
//!
//! # Source
//!
//! Tan and Sherwood, "A High Throughput String Matching Architecture for Intrusion Detection and Prevention",
//! ISCA 2005; Aho and Corasick, "Efficient String Matching", CACM 1975. Four 2-bit machines follow Tan and
//! Sherwood.

mod fast_matcher;
mod machine;
mod patterns;

pub use fast_matcher::FastMatcher;
pub use machine::{MAX_STATES, TABLE_BYTES, TableImage};
pub use patterns::{LONGEST_PATTERN, MAX_PATTERNS, PatternError, PatternSet};

use machine::{Machine, PartialMatches};

/// Number of automata, one for each pair of bits.
pub const MACHINES: usize = 4;

/// Occurrence of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// Offset of the first byte of the occurrence.
    pub start: usize,
    /// Offset after the last byte of the occurrence.
    pub end: usize,
    /// Index of the pattern in its [`PatternSet`].
    pub pattern: usize,
}

/// States of the four machines, which the chip keeps from one byte to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MatchState(pub [u8; MACHINES]);

impl MatchState {
    /// State of the machines before the first byte of a page.
    pub const START: Self = Self([0; MACHINES]);
}

/// Tables of the four machines, which the controller builds and the chip stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    images: [TableImage; MACHINES],
    /// For each state of each machine, the set of the pattern prefixes that are suffixes of the input. The
    /// controller stores these sets.
    partial: [Vec<PartialMatches>; MACHINES],
    lengths: Vec<usize>,
}

impl Matcher {
    /// Builds the tables of `patterns`. An empty set matches nothing.
    ///
    /// # Errors
    /// [`PatternError::TooManyStates`], only for case-insensitive patterns.
    pub fn new(patterns: &PatternSet) -> Result<Self, PatternError> {
        let machine = |pair| Machine::new(patterns, pair);
        let machines = [machine(0)?, machine(1)?, machine(2)?, machine(3)?];
        Ok(Self {
            images: std::array::from_fn(|pair| machines[pair].image()),
            partial: machines.map(|machine| machine.partial),
            lengths: patterns.iter().map(<[u8]>::len).collect(),
        })
    }

    /// Returns the tables in the format of the chip, lowest pair of bits first.
    pub const fn images(&self) -> &[TableImage; MACHINES] {
        &self.images
    }

    /// Returns the length of a pattern in bytes.
    ///
    /// # Panics
    /// Panics if there is no such pattern.
    pub fn length(&self, pattern: usize) -> usize {
        self.lengths[pattern]
    }

    /// Returns the number of states in use, by machine; at most [`MAX_STATES`] for case-sensitive patterns.
    pub fn states(&self) -> [usize; MACHINES] {
        self.partial.each_ref().map(Vec::len)
    }

    /// Processes one byte. Bit p of the result is set if pattern p ends with this byte.
    #[inline]
    pub fn step(&self, state: &mut MatchState, byte: u8) -> u8 {
        let mut ending = u8::MAX;
        for (pair, (image, state)) in self.images.iter().zip(&mut state.0).enumerate() {
            let (next, may_end) = image.step(*state, byte >> (2 * pair));
            *state = next;
            ending &= may_end;
        }
        ending
    }

    /// Processes bytes. Calls `report` at each position where at least one pattern ends, with the offset
    /// after the last byte and a mask of these patterns.
    pub fn scan(&self, state: &mut MatchState, bytes: &[u8], mut report: impl FnMut(usize, u8)) {
        for (offset, &byte) in bytes.iter().enumerate() {
            let ending = self.step(state, byte);
            if ending != 0 {
                report(offset + 1, ending);
            }
        }
    }

    /// Returns true if the page contains a complete pattern.
    pub fn contains(&self, page: &[u8]) -> bool {
        let mut state = MatchState::START;
        page.iter().any(|&byte| self.step(&mut state, byte) != 0)
    }

    /// Returns all matches within the page, including overlapping ones, ordered by the offset of their last
    /// byte and then by pattern.
    pub fn find(&self, page: &[u8]) -> Vec<Match> {
        let mut found = Vec::new();
        self.scan(&mut MatchState::default(), page, |end, ending| {
            found.extend(self.ending(ending).map(|pattern| {
                let start = end - self.length(pattern);
                Match { start, end, pattern }
            }));
        });
        found
    }

    /// Returns true if a pattern may continue in the next page, that is, if the bytes so far end with a
    /// proper prefix of a pattern.
    pub fn continues(&self, state: MatchState) -> bool {
        let mut common = [u64::MAX; 4];
        for (partial, state) in self.partial.iter().zip(state.0) {
            for (common, partial) in common.iter_mut().zip(&partial[usize::from(state)]) {
                *common &= partial;
            }
        }
        common != [0; 4]
    }

    /// Reports the matches that begin before a page boundary and end after it.
    ///
    /// `state` is the state at the end of the previous page. `head` is the start of the next page, of which
    /// at most 31 bytes are used. `report` receives the length of the part in the next page and the pattern.
    pub fn across(&self, mut state: MatchState, head: &[u8], mut report: impl FnMut(usize, usize)) {
        let head = &head[..head.len().min(LONGEST_PATTERN - 1)];
        let mut found = Vec::new();
        self.scan(&mut state, head, |end, ending| found.push((end, ending)));
        for (end, ending) in found {
            self.ending(ending)
                .filter(|&pattern| self.length(pattern) > end)
                .for_each(|pattern| report(end, pattern));
        }
    }

    /// Returns the indices of the patterns in a match vector.
    fn ending(&self, vector: u8) -> impl Iterator<Item = usize> {
        (0..self.lengths.len()).filter(move |pattern| vector >> pattern & 1 == 1)
    }
}
