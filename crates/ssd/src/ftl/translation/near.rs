//! Where entries of a sparse table are at all, so that a visit of a long range takes time for what is there.

use std::ops::Range;

use crate::geometry::SparseTable;

/// Entries that one bit stands for: those of a chunk of the table.
const ENTRIES: usize = SparseTable::<u32>::CHUNK_LEN;
/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// One bit for each chunk of a table that has an entry.
#[derive(Clone, Debug)]
pub(super) struct Near(Vec<u64>);

impl Near {
    /// Of a table of so many entries, none of which is there.
    pub fn new(entries: usize) -> Self {
        Self(vec![0; entries.div_ceil(ENTRIES * BITS)])
    }

    /// An entry is there.
    #[inline]
    pub fn set(&mut self, index: usize) {
        let chunk = index / ENTRIES;
        self.0[chunk / BITS] |= 1 << (chunk % BITS);
    }

    /// An entry has gone, and those of its chunk had before.
    #[inline]
    pub fn unset(&mut self, index: usize) {
        let chunk = index / ENTRIES;
        self.0[chunk / BITS] &= !(1 << (chunk % BITS));
    }

    /// Visits the entries of a range of the table that are not zero, in order.
    #[inline]
    pub fn visit(&self, table: &SparseTable<u32>, range: Range<usize>, mut visit: impl FnMut(usize, u32)) {
        let chunks = range.start / ENTRIES..range.end.div_ceil(ENTRIES);
        for word in chunks.start / BITS..chunks.end.div_ceil(BITS) {
            let mut left = self.0[word];
            while left != 0 {
                let chunk = word * BITS + left.trailing_zeros() as usize;
                left &= left - 1;
                if chunks.contains(&chunk) {
                    let first = chunk * ENTRIES;
                    let within = range.start.max(first)..range.end.min(first + ENTRIES);
                    table.for_each_in(within, &mut visit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_visit_finds_what_was_written_and_not_cleared_within_its_range(
            changes in prop::collection::vec((0_usize..5_000, any::<bool>()), 0..200),
            start in 0_usize..5_000,
            len in 0_usize..5_000,
        ) {
            let (mut table, mut near) = (SparseTable::<u32>::new(5_000), Near::new(5_000));
            for (index, is_there) in changes {
                if is_there {
                    *table.entry(index) = index as u32 + 1;
                    near.set(index);
                } else if table.clear(index) {
                    near.unset(index);
                }
            }
            let range = start..(start + len).min(5_000).max(start);
            let (mut found, mut all) = (Vec::new(), Vec::new());
            near.visit(&table, range.clone(), |index, entry| found.push((index, entry)));
            table.for_each_in(range, |index, entry| all.push((index, entry)));
            prop_assert_eq!(found, all);
        }
    }
}
