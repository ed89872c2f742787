//! One machine: an Aho-Corasick automaton over the four values of a pair of bits.

use std::fmt;

use super::patterns::{LONGEST_PATTERN, MOST_PATTERNS, PatternSet};

/// Values of a pair of bits.
const SYMBOLS: usize = 4;
/// Bytes of a table entry: next states and partial match vector.
const ENTRY_BYTES: usize = SYMBOLS + 1;
/// Entries of a table.
const ENTRIES: usize = 256;
/// Bytes of a table: 1,280.
pub const TABLE_BYTES: usize = ENTRIES * ENTRY_BYTES;
/// Most states of a machine: the root, its four children at most, and a node for each further symbol of each pattern.
pub const MOST_STATES: usize = 1 + SYMBOLS + MOST_PATTERNS * (LONGEST_PATTERN - 1);

/// Which beginnings of patterns the symbols seen end with: bit 32 p + l − 1 for the first l symbols of pattern p, l
/// below its length.
pub type PartialMatches = [u64; MOST_PATTERNS * LONGEST_PATTERN / 64];

/// A table as the chip's memory holds it: for each state five bytes, the next state for each value of the pair, then the
/// patterns that may end in the state.
#[derive(Clone, PartialEq, Eq)]
pub struct TableImage([u8; TABLE_BYTES]);

impl TableImage {
    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; TABLE_BYTES] {
        &self.0
    }

    /// The state after a symbol, the low two bits of `symbol`, and the patterns that may end there.
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

/// A machine while it is built.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    next: Vec<[u8; SYMBOLS]>,
    may_end: Vec<u8>,
    /// By state.
    pub partial: Vec<PartialMatches>,
}

impl Machine {
    /// The machine of the pair of bits 2 `pair` and 2 `pair` + 1.
    pub fn new(patterns: &PatternSet, pair: usize) -> Self {
        let mut machine = Self::default();
        machine.add_state();
        for (index, pattern) in patterns.iter().enumerate() {
            machine.add_pattern(index, pattern.iter().map(|byte| usize::from(byte >> (2 * pair) & 3)));
        }
        machine.add_failures();
        machine
    }

    fn add_state(&mut self) -> u8 {
        debug_assert!(self.next.len() < MOST_STATES, "no set of patterns has more");
        self.next.push([0; SYMBOLS]);
        self.may_end.push(0);
        self.partial.push([0; 4]);
        (self.next.len() - 1) as u8
    }

    /// Adds the pattern's path. State 0 is the root, which nothing leads to as long as this is a tree.
    fn add_pattern(&mut self, index: usize, symbols: impl ExactSizeIterator<Item = usize>) {
        let length = symbols.len();
        let mut state = 0;
        for (depth, symbol) in symbols.enumerate() {
            if self.next[state][symbol] == 0 {
                self.next[state][symbol] = self.add_state();
            }
            state = usize::from(self.next[state][symbol]);
            if depth + 1 < length {
                let bit = LONGEST_PATTERN * index + depth;
                self.partial[state][bit / 64] |= 1 << (bit % 64);
            }
        }
        self.may_end[state] |= 1 << index;
    }

    /// Makes the tree an automaton: breadth first, what a state has no child for goes where its longest proper
    /// suffix goes, and what ends with that suffix ends with the state.
    fn add_failures(&mut self) {
        let mut failure = vec![0; self.next.len()];
        let mut queue: Vec<usize> =
            self.next[0].iter().filter(|&&child| child != 0).map(|&child| child.into()).collect();
        let mut done = 0;
        while let Some(&state) = queue.get(done) {
            done += 1;
            let suffix: usize = failure[state];
            self.may_end[state] |= self.may_end[suffix];
            for word in 0..self.partial[state].len() {
                self.partial[state][word] |= self.partial[suffix][word];
            }
            for symbol in 0..SYMBOLS {
                let child = usize::from(self.next[state][symbol]);
                if child == 0 {
                    self.next[state][symbol] = self.next[suffix][symbol];
                } else {
                    failure[child] = usize::from(self.next[suffix][symbol]);
                    queue.push(child);
                }
            }
        }
    }

    /// The table; entries of states that there are not are zero.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_set_has_253_states_in_every_machine() {
        // First bytes that differ in every pair by turns, then bytes that no other pattern has at the same place.
        let pattern = |index: u8| {
            let first = index % 4 * 0b0101_0101;
            let second = index / 4 * 0b0101_0101;
            let mut bytes = vec![first, second];
            bytes.resize(32, 0xff ^ first);
            bytes
        };
        let set = PatternSet::new((0..8).map(pattern)).unwrap();
        for pair in 0..4 {
            assert_eq!(Machine::new(&set, pair).next.len(), MOST_STATES);
        }
        assert_eq!(MOST_STATES, 253);
    }

    #[test]
    fn a_table_of_one_pattern_is_as_worked_out_by_hand() {
        // Symbols 1, 1, 2: root, "1", "11", "112".
        let set = PatternSet::new([[0b01, 0b01, 0b10]]).unwrap();
        let image = Machine::new(&set, 0).image();
        let expected = [[0, 1, 0, 0, 0], [0, 2, 0, 0, 0], [0, 2, 3, 0, 0], [0, 1, 0, 0, 1]];
        assert_eq!(image.as_bytes()[..20], expected.concat());
        assert!(image.as_bytes()[20..].iter().all(|&byte| byte == 0));
        assert_eq!(image.step(2, 0b1110), (3, 1));
    }

    #[test]
    fn no_pattern_makes_a_machine_that_stays_at_its_root() {
        let machine = Machine::new(&PatternSet::default(), 3);
        assert_eq!(machine.next, [[0; 4]]);
        assert_eq!(machine.image().as_bytes(), &[0; TABLE_BYTES]);
    }
}
