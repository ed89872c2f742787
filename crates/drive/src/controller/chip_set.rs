//! Bit sets of chips.

use std::ops::Range;

use venice_nand::geometry::ChipId;

/// Chips that are represented by one 64-bit word of a [`ChipSet`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ChipWord {
    /// Index of the word in the set.
    pub(super) number: u32,
    /// Mask of the chips within the word.
    pub(super) mask: u64,
}

impl ChipWord {
    /// Returns the word that contains a range of chips, or `None` if the range spans several words.
    pub(super) fn of(chips: &Range<u32>) -> Option<Self> {
        let (number, first, count) = (chips.start / 64, chips.start % 64, chips.end - chips.start);
        let are_in_one = count > 0 && first + count <= 64;
        are_in_one.then(|| Self { number, mask: (u64::MAX >> (64 - count)) << first })
    }
}

/// Set of chips, one bit each.
#[derive(Clone, Debug)]
pub(super) struct ChipSet(Vec<u64>);

impl ChipSet {
    /// Creates an empty set for `chips` chips.
    pub(super) fn new(chips: u32) -> Self {
        Self(vec![0; (chips as usize).div_ceil(64)])
    }

    #[inline]
    pub(super) fn insert(&mut self, chip: ChipId) {
        self.0[chip.index() / 64] |= 1 << (chip.0 % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, chip: ChipId) {
        self.0[chip.index() / 64] &= !(1 << (chip.0 % 64));
    }

    #[inline]
    pub(super) fn contains(&self, chip: ChipId) -> bool {
        self.0[chip.index() / 64] & (1 << (chip.0 % 64)) != 0
    }

    /// Removes all chips of `other` from this set, and clears `other`.
    pub(super) fn take_out(&mut self, other: &mut Self) {
        for (mine, others) in self.0.iter_mut().zip(&mut other.0) {
            *mine &= !std::mem::take(others);
        }
    }

    /// Adds all chips of `other` to this set.
    pub(super) fn insert_all(&mut self, other: &Self) {
        for (mine, others) in self.0.iter_mut().zip(&other.0) {
            *mine |= others;
        }
    }

    /// Adds all chips of `other` that are not in `excluded` to this set.
    pub(super) fn insert_without(&mut self, other: &Self, excluded: &Self) {
        for ((mine, others), excluded) in self.0.iter_mut().zip(&other.0).zip(&excluded.0) {
            *mine |= others & !excluded;
        }
    }

    /// Removes the chips of a word from the set.
    #[inline]
    pub(super) fn clear(&mut self, ChipWord { number, mask }: ChipWord) {
        self.0[number as usize] &= !mask;
    }

    /// Removes all chips in a range from the set.
    pub(super) fn clear_range(&mut self, chips: Range<u32>) {
        for_words(chips, |word, mask| {
            self.0[word] &= !mask;
            None::<()>
        });
    }

    /// Returns the chips of a word that are in this set and not in `other`, as bits.
    #[inline]
    pub(super) fn without(&self, other: &Self, ChipWord { number, mask }: ChipWord) -> u64 {
        self.0[number as usize] & !other.0[number as usize] & mask
    }

    /// Returns the bits of the word with the index `number` of the set.
    #[inline]
    pub(super) fn word(&self, number: usize) -> u64 {
        self.0[number]
    }

    /// Returns the lowest chip in the range `within` that is in this set and not in `other`.
    pub(super) fn first_without(&self, other: &Self, within: Range<u32>) -> Option<u32> {
        first_member(within, |word| self.0[word] & !other.0[word])
    }
}

/// Returns the lowest set bit in the range `within`; `members` returns a word by its index.
#[inline]
pub(super) fn first_member(within: Range<u32>, members: impl Fn(usize) -> u64) -> Option<u32> {
    for_words(within, |word, mask| {
        let members = members(word) & mask;
        (members != 0).then(|| word as u32 * 64 + members.trailing_zeros())
    })
}

/// Calls `visit` for each word that contains bits of a range, with a mask of these bits, until it returns a
/// value.
#[inline]
fn for_words<T>(bits: Range<u32>, mut visit: impl FnMut(usize, u64) -> Option<T>) -> Option<T> {
    let mut start = bits.start;
    while start < bits.end {
        let word = start / 64;
        let end = bits.end.min((word + 1) * 64);
        let mask = (u64::MAX >> (64 - (end - start))) << (start % 64);
        if let Some(answer) = visit(word as usize, mask) {
            return Some(answer);
        }
        start = end;
    }
    None
}
