//! Round robin among the chips of an arbitration domain.
//!
//! # How
//! In a domain within one row, the search for the next chip starts after the chip that was served last.
//!
//! In a domain of several rows, the fabric refuses most offers, and plain round robin would favour the first
//! column. A chip that has been served therefore waits until all other chips with a command have been served
//! or refused. A free bus or controller serves a whole row, so the search within each row starts at a column
//! that advances with each service. If it started at column 0, low columns would be served twice as often as
//! high ones.

use std::ops::Range;

use venice_nand::geometry::{ChipId, remainder};

use super::chip_set::{ChipSet, ChipWord, first_member};

/// Chips of an arbitration domain, and the position from which the search for the next chip to be served
/// starts.
#[derive(Clone, Debug)]
pub(super) struct DomainRing {
    /// Chips of the arbitration domain.
    pub(super) chips: Range<u32>,
    /// Chip from which the search for the next chip to be served starts.
    pub(super) mark: u32,
    /// Word of a [`ChipSet`] that contains all chips of the domain, or `None` if they span several words.
    word: Option<ChipWord>,
}

impl DomainRing {
    /// Creates the ring of the chips `chips`. The search for the next chip starts at the first one.
    pub(super) fn new(chips: Range<u32>) -> Self {
        Self { mark: chips.start, word: ChipWord::of(&chips), chips }
    }

    /// Returns true if `set` contains a chip of the domain.
    #[inline]
    pub(super) fn has_any(&self, set: &ChipSet) -> bool {
        match self.word {
            Some(word) => set.word(word.number as usize) & word.mask != 0,
            None => first_member(self.chips.clone(), |word| set.word(word)).is_some(),
        }
    }

    /// Removes all chips of the domain from `set`.
    #[inline]
    pub(super) fn clear(&self, set: &mut ChipSet) {
        match self.word {
            Some(word) => set.clear(word),
            None => set.clear_range(self.chips.clone()),
        }
    }
}

/// Round-robin rules and state that all arbitration domains share.
#[derive(Clone, Debug)]
pub(super) struct RoundRobinRules {
    /// Number of chips in a row.
    cols: u32,
    /// True if arbitration domains contain chips of several rows.
    rows_are_joined: bool,
    /// Distance, in chip numbers, from a served chip to the start of the next search. In a domain of one row,
    /// the search starts at the next chip. In a domain of several rows, it starts one row and one column
    /// further: the path of the served chip's row is probably busy, and each column should be first equally
    /// often.
    stride: u32,
    /// Chips that have been served while others still wait for service. Always empty if each arbitration
    /// domain is within one row.
    served: ChipSet,
}

impl RoundRobinRules {
    /// Creates the round-robin rules of a drive with `chips` chips, in rows of `cols`.
    pub(super) fn new(chips: u32, cols: u32, rows_are_joined: bool) -> Self {
        let stride = if rows_are_joined { cols + 1 } else { 1 };
        Self { cols, rows_are_joined, stride, served: ChipSet::new(chips) }
    }

    /// Returns true if arbitration domains contain chips of several rows.
    #[inline]
    pub(super) const fn join_rows(&self) -> bool {
        self.rows_are_joined
    }

    /// Returns the next chip in round-robin order that is in `eager` and not in `refused`.
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

    /// Returns the next chip in round-robin order, for a domain whose chips span several words of a bit set.
    fn next_of_many(&self, ring: &DomainRing, eager: &ChipSet, refused: &ChipSet) -> Option<ChipId> {
        if self.rows_are_joined {
            return self.next_by_row(ring, |word| eager.word(word) & !refused.word(word));
        }
        let DomainRing { chips, mark, .. } = ring;
        let parts = [*mark..chips.end, chips.start..*mark];
        parts.into_iter().find_map(|part| eager.first_without(refused, part).map(ChipId))
    }

    /// Returns the next chip in round-robin order that is in `members`, for a domain whose chips are in one
    /// word of a bit set. `members` must not be empty.
    #[inline]
    fn next_of_word(&self, members: u64, word: ChipWord, chips: &Range<u32>, mark: u32) -> ChipId {
        let base = word.number * 64;
        if self.rows_are_joined {
            let unserved = members & !self.served.word(word.number as usize);
            let members = if unserved == 0 { members } else { unserved };
            let first = chips.start - base;
            return ChipId(chips.start + self.first_by_row(members >> first, mark - chips.start));
        }
        // Compiles to a conditional move instead of a branch in the common case.
        let from_the_mark = members & (u64::MAX << (mark - base));
        let in_turn = if from_the_mark == 0 { members } else { from_the_mark };
        ChipId(base + in_turn.trailing_zeros())
    }

    /// Returns the next member in a domain of several rows. The search begins at the row of `mark`, and
    /// within each row at the column of `mark`.
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

    /// Returns the next chip in a domain of several rows. Chips not yet served in this round are preferred.
    fn next_by_row(&self, ring: &DomainRing, may: impl Fn(usize) -> u64) -> Option<ChipId> {
        let unserved = |word: usize| may(word) & !self.served.word(word);
        self.first_of_rows(ring, unserved).or_else(|| self.first_of_rows(ring, may))
    }

    /// Returns the first member in row order. The order begins with the row of `ring.mark`, and within each
    /// row with the column of `ring.mark`.
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

    /// Moves the round-robin position past a chip that was served. The caller has already removed the chip
    /// from `eager`.
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
