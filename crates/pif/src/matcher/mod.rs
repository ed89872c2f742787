//! The pattern matcher of a chip: bit-split Aho-Corasick automata.
//!
//! # What it models
//!
//! Up to 8 patterns of 1 … 32 arbitrary bytes. Each byte is cut into four pairs of bits; each pair drives a machine of its own,
//! which knows the patterns by that pair only and says, for every byte, which patterns may end here as far as it can
//! tell: 8 bits. What all four say is true: a pattern ends here if and only if each of its bit pairs did, at the same
//! place. One byte a cycle.
//!
//! A machine has at most 1 + 4 + 8 · 31 = 253 states: the root, at most four that one pair of bits leads to, and one for
//! each further byte of each pattern. So a state is one byte, and 8 patterns always fit. Its table is 256 entries of four
//! next states and the 8 bits, 1,280 bytes ([`TableImage`]).
//!
//! *State* goes from sub-page to sub-page; at the start of a page it is [`MatchState::START`].
//!
//! *Page borders.* The chip tells its state at the end of a page, four bytes. [`Matcher::continues`] says whether
//! a pattern may go on in the next page; if so, the first 31 bytes of it are all that is needed ([`Matcher::across`]).
//!
//! # How
//!
//! [`Matcher`] steps through the tables that the chip holds. [`FastMatcher`] finds the same by a byte-wide automaton, for the contents of
//! whole drives; a test holds them together.
//!
//! *Either case.* A letter of ASCII in both cases is a set of two bytes that differ in one bit, hence a product of sets of pairs: only the
//! machine of bits 4 and 5 has two ways on. What the four say together is exact still ([`PatternSet::folding_case`]). Where letters and other
//! bytes share pairs, that machine may need more states than patterns have places; beyond 256 the set is refused.
//!
//! # What is left out
//!
//! Wildcards, patterns of more than 32 bytes.
//!
//! # Source
//!
//! Tan and Sherwood, "A High Throughput String Matching Architecture for Intrusion Detection and Prevention", ISCA 2005; Aho
//! and Corasick, "Efficient String Matching", CACM 1975. Four 2-bit machines are the paper's choice.

mod fast;
mod machine;
mod patterns;

pub use fast::FastMatcher;
pub use machine::{MOST_STATES, TABLE_BYTES, TableImage};
pub use patterns::{LONGEST_PATTERN, MOST_PATTERNS, PatternError, PatternSet};

use machine::{Machine, PartialMatches};

/// Machines, one for each pair of bits.
pub const MACHINES: usize = 4;

/// A pattern that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
    /// Which pattern, in the order in which they were set.
    pub pattern: usize,
}

/// The states of the four machines: what the chip keeps between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MatchState(pub [u8; MACHINES]);

impl MatchState {
    /// Nothing was seen yet.
    pub const START: Self = Self([0; MACHINES]);
}

/// The four machines, by the tables that the controller builds and the chip holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    images: [TableImage; MACHINES],
    /// Kept by the controller: the beginnings of patterns that each state stands for.
    partial: [Vec<PartialMatches>; MACHINES],
    lengths: Vec<usize>,
}

impl Matcher {
    /// The tables of these patterns. No pattern matches nothing.
    ///
    /// # Errors
    /// [`PatternError::TooManyStates`], of patterns of either case only.
    pub fn new(patterns: &PatternSet) -> Result<Self, PatternError> {
        let machine = |pair| Machine::new(patterns, pair);
        let machines = [machine(0)?, machine(1)?, machine(2)?, machine(3)?];
        Ok(Self {
            images: std::array::from_fn(|pair| machines[pair].image()),
            partial: machines.map(|machine| machine.partial),
            lengths: patterns.iter().map(<[u8]>::len).collect(),
        })
    }

    /// What is written into the chip's tables, lowest pair of bits first.
    pub const fn images(&self) -> &[TableImage; MACHINES] {
        &self.images
    }

    /// Bytes of a pattern.
    ///
    /// # Panics
    /// When there is no such pattern.
    pub fn length(&self, pattern: usize) -> usize {
        self.lengths[pattern]
    }

    /// States in use, by machine; at most [`MOST_STATES`].
    pub fn states(&self) -> [usize; MACHINES] {
        self.partial.each_ref().map(Vec::len)
    }

    /// Takes one byte; bit p of the answer says that pattern p ends here.
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

    /// Takes bytes, and reports the offset after each match's last byte with the patterns that end there, one per bit.
    pub fn scan(&self, state: &mut MatchState, bytes: &[u8], mut report: impl FnMut(usize, u8)) {
        for (offset, &byte) in bytes.iter().enumerate() {
            let ending = self.step(state, byte);
            if ending != 0 {
                report(offset + 1, ending);
            }
        }
    }

    /// Whether a whole pattern lies within the page.
    pub fn contains(&self, page: &[u8]) -> bool {
        let mut state = MatchState::START;
        page.iter().any(|&byte| self.step(&mut state, byte) != 0)
    }

    /// All matches within the page, overlapping ones too, by the offset of their last byte and then by pattern.
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

    /// Whether a pattern has begun that may go on in the next page: exactly if the bytes seen end with a part of it.
    pub fn continues(&self, state: MatchState) -> bool {
        let mut common = [u64::MAX; 4];
        for (partial, state) in self.partial.iter().zip(state.0) {
            for (common, partial) in common.iter_mut().zip(&partial[usize::from(state)]) {
                *common &= partial;
            }
        }
        common != [0; 4]
    }

    /// The matches that begin before the border and end after it.
    ///
    /// `state` is the one at the end of the page before, `head` the beginning of the next page, of which the
    /// first 31 bytes are looked at. Reported are the length of the part in the next page and the pattern.
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

    /// The patterns of a vector.
    fn ending(&self, vector: u8) -> impl Iterator<Item = usize> {
        (0..self.lengths.len()).filter(move |pattern| vector >> pattern & 1 == 1)
    }
}
