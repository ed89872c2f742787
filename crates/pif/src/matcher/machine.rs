//! Bit-split machine: an Aho-Corasick automaton over the four values of a pair of bits.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use super::patterns::{LONGEST_PATTERN, MAX_PATTERNS, PatternError, PatternSet};

/// Number of values of a pair of bits.
const SYMBOLS: usize = 4;
/// Bytes of a table entry: the next state for each symbol, and the partial match vector.
const ENTRY_BYTES: usize = SYMBOLS + 1;
/// Number of table entries, one for each possible state.
const ENTRIES: usize = 256;
/// Bytes of a table: 1,280.
pub const TABLE_BYTES: usize = ENTRIES * ENTRY_BYTES;
/// Maximum number of states for case-sensitive patterns: the root, at most four children of the root, and a
/// node for each further symbol of each pattern.
pub const MAX_STATES: usize = 1 + SYMBOLS + MAX_PATTERNS * (LONGEST_PATTERN - 1);

/// Set of the pattern prefixes that are suffixes of the input so far. Bit 32 p + l − 1 represents the first l
/// symbols of pattern p, where l is less than the pattern's length.
pub type PartialMatches = [u64; WORDS];
/// Number of 64-bit words with one bit for each position of each pattern.
const WORDS: usize = MAX_PATTERNS * LONGEST_PATTERN / 64;
/// Bit mask of the first positions of the two patterns that share a 64-bit word.
const FIRST_PLACES: u64 = 1 | 1 << LONGEST_PATTERN;

/// Table in the format of the chip's memory. Each state has five bytes: the next state for each value of the
/// pair of bits, and the partial match vector.
#[derive(Clone, PartialEq, Eq)]
pub struct TableImage([u8; TABLE_BYTES]);

impl TableImage {
    /// Returns the bytes of the table.
    pub const fn as_bytes(&self) -> &[u8; TABLE_BYTES] {
        &self.0
    }

    /// Returns the next state for the low two bits of `symbol`, and the partial match vector of that state.
    #[inline]
    pub fn step(&self, state: u8, symbol: u8) -> (u8, u8) {
        let next = self.0[ENTRY_BYTES * usize::from(state) + usize::from(symbol % SYMBOLS as u8)];
        (next, self.0[ENTRY_BYTES * usize::from(next) + SYMBOLS])
    }
}

impl fmt::Debug for TableImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableImage({TABLE_BYTES} bytes)")
    }
}

/// Bit-split automaton under construction.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    next: Vec<[u8; SYMBOLS]>,
    may_end: Vec<u8>,
    /// For each state, the set of the pattern prefixes that are suffixes of the input.
    pub partial: Vec<PartialMatches>,
}

/// For each symbol, the pattern positions at which it matches. Bit 32 p + l stands for position l of pattern
/// p.
type SymbolPositions = [PartialMatches; SYMBOLS];

impl Machine {
    /// Builds the automaton for the bits 2 × `pair` and 2 × `pair` + 1 of each byte.
    ///
    /// A state is the set of the pattern prefixes that are suffixes of the input. The states are enumerated
    /// from the root by subset construction. If every position matches only one symbol, the result is the
    /// automaton of Aho and Corasick.
    ///
    /// # Errors
    ///
    /// [`PatternError::TooManyStates`], only for case-insensitive patterns.
    pub fn new(patterns: &PatternSet, pair: usize) -> Result<Self, PatternError> {
        let places = places(patterns, pair);
        let last = ends(patterns);
        let mut machine = Self::default();
        let mut seen = BTreeMap::from([([0; WORDS], 0_u8)]);
        let mut states = vec![[0; WORDS]];
        let mut done = 0;
        while let Some(&state) = states.get(done) {
            let mut next = [0; SYMBOLS];
            for (next, places) in next.iter_mut().zip(&places) {
                let reached = step(&state, places, &last);
                let index = states.len();
                *next = match seen.entry(reached) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(_) if index == ENTRIES => return Err(PatternError::TooManyStates),
                    Entry::Vacant(new) => {
                        states.push(reached);
                        *new.insert(index as u8)
                    }
                };
            }
            machine.add(&state, &last, next);
            done += 1;
        }
        Ok(machine)
    }

    fn add(&mut self, state: &PartialMatches, last: &PartialMatches, next: [u8; SYMBOLS]) {
        self.next.push(next);
        self.may_end.push(whole(state, last));
        self.partial.push(std::array::from_fn(|word| state[word] & !last[word]));
    }

    /// Returns the table; entries of unused states are zero.
    pub fn image(&self) -> TableImage {
        let mut image = [0; TABLE_BYTES];
        for ((entry, next), may_end) in
            image.as_chunks_mut::<ENTRY_BYTES>().0.iter_mut().zip(&self.next).zip(&self.may_end)
        {
            entry[..SYMBOLS].copy_from_slice(next);
            entry[SYMBOLS] = *may_end;
        }
        TableImage(image)
    }
}

/// Returns the pattern positions at which each symbol matches.
fn places(patterns: &PatternSet, pair: usize) -> SymbolPositions {
    let mut places = [[0; WORDS]; SYMBOLS];
    for (index, pattern) in patterns.iter().enumerate() {
        for (place, &byte) in pattern.iter().enumerate() {
            let bit = LONGEST_PATTERN * index + place;
            for byte in patterns.stands_for(byte) {
                places[usize::from(byte >> (2 * pair) & 3)][bit / 64] |= 1 << (bit % 64);
            }
        }
    }
    places
}

/// Returns the bits of the last positions of all patterns.
fn ends(patterns: &PatternSet) -> PartialMatches {
    let mut last = [0; WORDS];
    for (index, pattern) in patterns.iter().enumerate() {
        let bit = LONGEST_PATTERN * index + pattern.len() - 1;
        last[bit / 64] |= 1 << (bit % 64);
    }
    last
}

/// Returns the state after a symbol. It contains all prefixes that the symbol extends, and the first position
/// of each pattern that begins with the symbol. Complete patterns are not extended.
fn step(state: &PartialMatches, places: &PartialMatches, last: &PartialMatches) -> PartialMatches {
    std::array::from_fn(|word| ((state[word] & !last[word]) << 1 | FIRST_PLACES) & places[word])
}

/// Returns the patterns that are complete in a state, one bit per pattern.
fn whole(state: &PartialMatches, last: &PartialMatches) -> u8 {
    let has = |pattern: usize| {
        let places = LONGEST_PATTERN * pattern % 64;
        (state[pattern / 2] & last[pattern / 2]) >> places & u64::from(u32::MAX) != 0
    };
    (0..MAX_PATTERNS).fold(0, |ends, pattern| ends | u8::from(has(pattern)) << pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_set_has_253_states_in_every_machine() {
        // The first bytes alternate over the values of all pairs. Later bytes are unique to each pattern at
        // their position.
        let pattern = |index: u8| {
            let first = index % 4 * 0b0101_0101;
            let second = index / 4 * 0b0101_0101;
            let mut bytes = vec![first, second];
            bytes.resize(32, 0xff ^ first);
            bytes
        };
        let set = PatternSet::new((0..8).map(pattern)).unwrap();
        for pair in 0..4 {
            assert_eq!(Machine::new(&set, pair).unwrap().next.len(), MAX_STATES);
        }
        assert_eq!(MAX_STATES, 253);
    }

    #[test]
    fn a_table_of_one_pattern_is_as_worked_out_by_hand() {
        // Symbols 1, 1, 2: root, "1", "11", "112".
        let set = PatternSet::new([[0b01, 0b01, 0b10]]).unwrap();
        let image = Machine::new(&set, 0).unwrap().image();
        let expected = [[0, 1, 0, 0, 0], [0, 2, 0, 0, 0], [0, 2, 3, 0, 0], [0, 1, 0, 0, 1]];
        assert_eq!(image.as_bytes()[..20], expected.concat());
        assert!(image.as_bytes()[20..].iter().all(|&byte| byte == 0));
        assert_eq!(image.step(2, 0b1110), (3, 1));
    }

    #[test]
    fn letters_of_either_case_branch_in_the_third_machine_alone() {
        let set = |folds| PatternSet::new(["Error", "x-1"]).unwrap().folding_case(folds);
        for pair in [0, 1, 3] {
            let [one, either] = [false, true].map(|folds| Machine::new(&set(folds), pair).unwrap());
            assert_eq!(one.image(), either.image());
        }
        let [one, either] = [false, true].map(|folds| Machine::new(&set(folds), 2).unwrap());
        assert_ne!(one.image(), either.image());
    }

    #[test]
    fn no_pattern_makes_a_machine_that_stays_at_its_root() {
        let machine = Machine::new(&PatternSet::default(), 3).unwrap();
        assert_eq!(machine.next, [[0; 4]]);
        assert_eq!(machine.image().as_bytes(), &[0; TABLE_BYTES]);
    }
}
