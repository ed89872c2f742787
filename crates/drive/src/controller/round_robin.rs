//! Round robin among the chips of a domain.
//!
//! # How
//! Turns proceed from the chip after the last one served. Where a domain joins several rows, most chips are
//! refused most of the time, and plain round robin would favour the first column. There a served chip waits
//! until the other chips with a command have been served, including refused ones, unless no other chip can be
//! served. Since a free bus or controller suits a whole row, the search within each row starts at the column
//! in turn; if it started at column 0, low columns would be served twice as often as high ones.

use std::ops::Range;

use venice_nand::geometry::{ChipId, remainder};

use super::chip_set::{ChipSet, ChipWord, first_member};

/// Chips of a domain that take turns, and the start of the next turn.
#[derive(Clone, Debug)]
pub(super) struct DomainRing {
    /// Chips of the domain.
    pub(super) chips: Range<u32>,
    /// Chip at which the next turn starts.
    pub(super) mark: u32,
    /// Index of the word that contains all chips of the domain in a bit set, if there is one.
    word: Option<ChipWord>,
}

impl DomainRing {
    /// Creates the state of turns for the chips of a domain.
    pub(super) fn new(chips: Range<u32>) -> Self {
        Self { mark: chips.start, word: ChipWord::of(&chips), chips }
    }

    /// True if one of the chips is in `set`.
    #[inline]
    pub(super) fn has_any(&self, set: &ChipSet) -> bool {
        match self.word {
            Some(word) => set.word(word.number as usize) & word.mask != 0,
            None => first_member(self.chips.clone(), |word| set.word(word)).is_some(),
        }
    }

    /// Removes the chips from `set`.
    #[inline]
    pub(super) fn clear(&self, set: &mut ChipSet) {
        match self.word {
            Some(word) => set.clear(word),
            None => set.clear_range(self.chips.clone()),
        }
    }
}

/// Rules for taking turns, common to all domains.
#[derive(Clone, Debug)]
pub(super) struct RoundRobinRules {
    /// Chips per row.
    cols: u32,
    /// True if the domains join chips of several rows.
    rows_are_joined: bool,
    /// Distance from a served chip to the start of the next turn. The next turn starts at the next chip of
    /// its row or, in domains of several rows, at the neighbouring position in the next row, since the path
    /// of the chip's own row is likely to be busy and every column must be first equally often.
    stride: u32,
    /// Chips that were served while others still wait for their turn; empty if simple turns are fair.
    served: ChipSet,
}

impl RoundRobinRules {
    /// Creates the rules for rows of `cols` chips.
    pub(super) fn new(chips: u32, cols: u32, rows_are_joined: bool) -> Self {
        let stride = if rows_are_joined { cols + 1 } else { 1 };
        Self { cols, rows_are_joined, stride, served: ChipSet::new(chips) }
    }

    /// True if the domains join chips of several rows.
    #[inline]
    pub(super) const fn join_rows(&self) -> bool {
        self.rows_are_joined
    }

    /// Returns the next chip in turn that is in `eager` and not in `refused`.
    pub(super) fn next(&self, ring: &DomainRing, eager: &ChipSet, refused: &ChipSet) -> Option<ChipId> {
        let DomainRing { chips, mark, word } = ring;
        if let Some(word) = *word {
            let members = eager.without(refused, word);
            if members == 0 {
                return None;
            }
            return Some(self.next_of_word(members, word, chips, *mark));
        }
        self.next_of_many(ring, eager, refused)
    }

    /// Returns the next chip in turn, for a domain that spans several words.
    fn next_of_many(&self, ring: &DomainRing, eager: &ChipSet, refused: &ChipSet) -> Option<ChipId> {
        if self.rows_are_joined {
            return self.next_by_row(ring, |word| eager.word(word) & !refused.word(word));
        }
        let DomainRing { chips, mark, .. } = ring;
        let parts = [*mark..chips.end, chips.start..*mark];
        parts.into_iter().find_map(|part| eager.first_without(refused, part).map(ChipId))
    }

    /// Returns the next chip in turn among `members`, for a domain within one word. The set `members` must
    /// not be empty.
    #[inline]
    fn next_of_word(&self, members: u64, word: ChipWord, chips: &Range<u32>, mark: u32) -> ChipId {
        let base = word.number * 64;
        if self.rows_are_joined {
            let unserved = members & !self.served.word(word.number as usize);
            let members = if unserved == 0 { members } else { unserved };
            let first = chips.start - base;
            return ChipId(chips.start + self.first_by_row(members >> first, mark - chips.start));
        }
        // Branch-free in the common case.
        let from_the_mark = members & (u64::MAX << (mark - base));
        let in_turn = if from_the_mark == 0 { members } else { from_the_mark };
        ChipId(base + in_turn.trailing_zeros())
    }

    /// Returns the next position in turn among the positions of several rows: in the first non-empty row from
    /// that of the mark on, the first column from that of the mark on.
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

    /// Returns the next chip in turn for a domain of any size, if possible one that has not been served.
    fn next_by_row(&self, ring: &DomainRing, may: impl Fn(usize) -> u64) -> Option<ChipId> {
        let unserved = |word: usize| may(word) & !self.served.word(word);
        self.first_of_rows(ring, unserved).or_else(|| self.first_of_rows(ring, may))
    }

    /// Returns the first member by rows, starting with the row of the mark; in each row, first the columns
    /// from that of the mark on, then those before it.
    #[inline]
    fn first_of_rows(&self, ring: &DomainRing, members: impl Fn(usize) -> u64) -> Option<ChipId> {
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

    /// Records that a chip was served, which has been removed from `eager`, and advances the turn.
    #[inline]
    pub(super) fn served(&mut self, ring: &mut DomainRing, chip: ChipId, eager: &ChipSet) {
        let DomainRing { chips, mark, .. } = ring;
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
