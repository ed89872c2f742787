//! Whose turn it is among the chips of a domain.
//!
//! # How
//! In turn, starting behind the chip that was served last. Where chips of several rows share a domain, most of them are refused most
//! of the time, and whoever comes first behind the last one would be the first column again and again: there a chip that was served waits
//! until the others with a command have been, refused ones included, unless nobody else can be served. And since a bus or a controller
//! that becomes free suits a whole row, the search within each row begins at the column whose turn it is: begun at column 0, low columns
//! would be served twice as often as high ones.

use std::ops::Range;

use crate::geometry::{ChipId, remainder};

use super::chip_set::{ChipSet, Word, first_member};

/// Chips of a domain, and the one at which its next turn starts.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    /// The chips.
    pub(super) chips: Range<u32>,
    /// The chip at which the next turn starts: one of them.
    pub(super) mark: u32,
    /// Where the chips are in a set of chips, if one word has them all.
    word: Option<Word>,
}

impl Ring {
    /// The turns of these chips, which have not begun.
    pub(super) fn new(chips: Range<u32>) -> Self {
        Self { mark: chips.start, word: Word::of(&chips), chips }
    }

    /// Whether any of the chips is in a set.
    #[inline]
    pub(super) fn has_any(&self, set: &ChipSet) -> bool {
        match self.word {
            Some(word) => set.word(word.number as usize) & word.mask != 0,
            None => first_member(self.chips.clone(), |word| set.word(word)).is_some(),
        }
    }

    /// A set loses the chips.
    #[inline]
    pub(super) fn clear(&self, set: &mut ChipSet) {
        match self.word {
            Some(word) => set.clear(word),
            None => set.clear_range(self.chips.clone()),
        }
    }
}

/// How turns go in every domain.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// Chips of a row.
    cols: u32,
    /// Whether the domains have more than a row of chips.
    rows_are_joined: bool,
    /// From a chip to the one whose turn is next: the next of its row, or where rows are joined the next one's neighbour in the
    /// next row, since its own row's path is likely to be in use and every column shall be the first to be asked as often.
    stride: u32,
    /// Chips whose command was served while others still waited for their turn; empty where turns alone are fair.
    served: ChipSet,
}

impl Turns {
    /// For chips in rows of so many, several of which may be in one domain.
    pub(super) fn new(chips: u32, cols: u32, rows_are_joined: bool) -> Self {
        let stride = if rows_are_joined { cols + 1 } else { 1 };
        Self { cols, rows_are_joined, stride, served: ChipSet::new(chips) }
    }

    /// Whether the domains have more than a row of chips.
    #[inline]
    pub(super) const fn join_rows(&self) -> bool {
        self.rows_are_joined
    }

    /// The chip whose turn it is: the first from the ring's mark on, around to it, that is `eager` and was not `refused`.
    pub(super) fn next(&self, ring: &Ring, eager: &ChipSet, refused: &ChipSet) -> Option<ChipId> {
        let Ring { chips, mark, word } = ring;
        if let Some(word) = *word {
            let members = eager.without(refused, word);
            if members == 0 {
                return None;
            }
            return Some(self.next_of_word(members, word, chips, *mark));
        }
        self.next_of_many(ring, eager, refused)
    }

    /// The same in a domain of more chips than a word has bits.
    fn next_of_many(&self, ring: &Ring, eager: &ChipSet, refused: &ChipSet) -> Option<ChipId> {
        if self.rows_are_joined {
            return self.next_by_row(ring, |word| eager.word(word) & !refused.word(word));
        }
        let Ring { chips, mark, .. } = ring;
        let parts = [*mark..chips.end, chips.start..*mark];
        parts.into_iter().find_map(|part| eager.first_without(refused, part).map(ChipId))
    }

    /// The same of some chips of a domain that is in one word, given by their bits there: there is one at least.
    #[inline]
    fn next_of_word(&self, members: u64, word: Word, chips: &Range<u32>, mark: u32) -> ChipId {
        let base = word.number * 64;
        if self.rows_are_joined {
            let unserved = members & !self.served.word(word.number as usize);
            let members = if unserved == 0 { members } else { unserved };
            let first = chips.start - base;
            return ChipId(chips.start + self.first_by_row(members >> first, mark - chips.start));
        }
        // In the usual case without a branch that depends on whose turn it is.
        let from_the_mark = members & (u64::MAX << (mark - base));
        let in_turn = if from_the_mark == 0 { members } else { from_the_mark };
        ChipId(base + in_turn.trailing_zeros())
    }

    /// Of some places of a domain of several rows, that whose turn is next: the first row from that of the mark on that has any,
    /// and of its columns the first from that of the mark on.
    #[inline]
    fn first_by_row(&self, members: u64, mark: u32) -> u32 {
        let column = remainder(mark, self.cols);
        let from_the_mark = members & (u64::MAX << (mark - column));
        let first = if from_the_mark == 0 { members } else { from_the_mark };
        let row = first.trailing_zeros();
        let row = row - remainder(row, self.cols);
        let in_row = members >> row & (u64::MAX >> (64 - self.cols));
        let behind = in_row & (u64::MAX << column);
        row + if behind == 0 { in_row } else { behind }.trailing_zeros()
    }

    /// The same in a domain of any size, of who was not served before others, or if there is nobody of all.
    fn next_by_row(&self, ring: &Ring, may: impl Fn(usize) -> u64) -> Option<ChipId> {
        let unserved = |word: usize| may(word) & !self.served.word(word);
        self.first_of_rows(ring, unserved).or_else(|| self.first_of_rows(ring, may))
    }

    /// Of the members of a set, given by its words: of each row, from that of the mark on, the columns from that of the mark on,
    /// and then those before it.
    #[inline]
    fn first_of_rows(&self, ring: &Ring, members: impl Fn(usize) -> u64) -> Option<ChipId> {
        first_member(ring.chips.clone(), &members)?;
        let (first, end, cols) = (ring.chips.start, ring.chips.end, self.cols);
        let column = (ring.mark - first) % cols;
        let row = ring.mark - column;
        let mut starts = (row..end).step_by(cols as usize).chain((first..row).step_by(cols as usize));
        starts.find_map(|start| {
            first_member(start..start + cols, &members)?;
            let [behind, before] = [start + column..start + cols, start..start + column];
            first_member(behind, &members).or_else(|| first_member(before, &members)).map(ChipId)
        })
    }

    /// A chip was served, which is `eager` no more: the next turn is the next one's.
    #[inline]
    pub(super) fn served(&mut self, ring: &mut Ring, chip: ChipId, eager: &ChipSet) {
        let Ring { chips, mark, .. } = ring;
        let next = chip.0 + self.stride;
        *mark = if next >= chips.end { next - (chips.end - chips.start) } else { next };
        if self.rows_are_joined {
            self.served.insert(chip);
            if eager.first_without(&self.served, chips.clone()).is_none() {
                self.served.clear_range(chips.clone());
            }
        }
    }
}
