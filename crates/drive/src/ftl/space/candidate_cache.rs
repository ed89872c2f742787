//! Cache of the best candidates for garbage collection in each group of blocks, so that a search need not
//! visit all blocks of a plane.
//!
//! # How
//!
//! For each group of 16 blocks the cache stores two candidates among its full blocks with an invalid page and
//! no program in flight: the one with the fewest valid pages, and the oldest. A change of a block invalidates
//! its group. Between two collections, the host overwrites pages in some tens of blocks of a plane, so that
//! most groups of a large plane stay valid.

use std::cell::Cell;
use std::ops::Range;

use bytemuck::{Zeroable, zeroed_vec};

/// Number of blocks in a group. Larger groups slow down a search after blocks have changed, smaller groups
/// slow down a search without changes. Sixteen is near the optimum for planes of some thousand blocks.
const GROUP: usize = 16;

/// Properties of a block that determine its rank as a candidate for garbage collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub(super) struct BlockRank {
    /// Number of the block in the drive.
    pub block: u32,
    /// Number of valid pages in the block.
    pub valid: u32,
    /// Number of blocks of the drive that became full before this block did.
    pub closed: u64,
}

/// Best candidates for garbage collection among some blocks, by two criteria.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BestCandidates {
    /// Candidate with the fewest valid pages; the oldest one on a tie.
    pub emptiest: Option<BlockRank>,
    /// Candidate that became full first.
    pub oldest: Option<BlockRank>,
}

impl BestCandidates {
    /// Returns the best candidates for garbage collection among `blocks`.
    fn of(blocks: impl Iterator<Item = BlockRank>) -> Self {
        blocks.fold(Self::default(), |best, rank| best.and(Self { emptiest: Some(rank), oldest: Some(rank) }))
    }

    fn and(self, other: Self) -> Self {
        Self {
            emptiest: first(self.emptiest, other.emptiest, |rank| (rank.valid, rank.closed)),
            oldest: first(self.oldest, other.oldest, |rank| rank.closed),
        }
    }
}

/// Returns the better of two candidates, the one with the smaller key; `one` on a tie.
fn first<Key: Ord>(
    one: Option<BlockRank>,
    other: Option<BlockRank>,
    key: impl Fn(BlockRank) -> Key,
) -> Option<BlockRank> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if key(other) < key(one) { other } else { one }),
        _ => one.or(other),
    }
}

/// Cached best candidates for garbage collection in a group of blocks.
#[derive(Clone, Copy, Debug, Zeroable)]
struct GroupCandidates {
    has_any: bool,
    emptiest: BlockRank,
    oldest: BlockRank,
}

impl GroupCandidates {
    fn of(best: BestCandidates) -> Self {
        let (emptiest, oldest) = (best.emptiest, best.oldest);
        let none = BlockRank::zeroed();
        Self {
            has_any: emptiest.is_some(),
            emptiest: emptiest.unwrap_or(none),
            oldest: oldest.unwrap_or(none),
        }
    }

    fn best(self) -> BestCandidates {
        let some = |rank| self.has_any.then_some(rank);
        BestCandidates { emptiest: some(self.emptiest), oldest: some(self.oldest) }
    }
}

/// Cached best candidates for garbage collection in all groups of blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockGroups {
    /// Bitmap of the groups whose cached candidates are up to date. Each program clears one bit. The bitmap
    /// of a large drive takes two kilobytes.
    current: Vec<Cell<u64>>,
    kept: Vec<Cell<GroupCandidates>>,
}

/// Returns the index of the word with the bit of a group, and the mask of the bit.
#[inline]
const fn bit_of(group: usize) -> (usize, u64) {
    (group / u64::BITS as usize, 1 << (group % u64::BITS as usize))
}

impl BlockGroups {
    /// Creates an empty cache for `blocks` blocks.
    pub fn new(blocks: usize) -> Self {
        let groups = blocks.div_ceil(GROUP);
        Self { current: zeroed_vec(groups.div_ceil(u64::BITS as usize)), kept: zeroed_vec(groups) }
    }

    /// Marks the cached candidates of the group of `block` as outdated.
    #[inline]
    pub fn forget(&mut self, block: usize) {
        let (word, bit) = bit_of(block / GROUP);
        *self.current[word].get_mut() &= !bit;
    }

    /// Marks all cached candidates as outdated.
    pub fn forget_all(&mut self) {
        self.current.fill(Cell::new(0));
    }

    /// Returns the best candidates for garbage collection among `blocks`. `ranks` returns an iterator over
    /// the candidates in a range of blocks.
    pub fn best<Ranks: Iterator<Item = BlockRank>>(
        &self,
        blocks: Range<usize>,
        ranks: impl Fn(Range<usize>) -> Ranks,
    ) -> BestCandidates {
        let whole = blocks.start.next_multiple_of(GROUP)..blocks.end / GROUP * GROUP;
        if whole.is_empty() {
            return BestCandidates::of(ranks(blocks));
        }
        let ends = ranks(blocks.start..whole.start).chain(ranks(whole.end..blocks.end));
        let groups = whole.start / GROUP..whole.end / GROUP;
        groups.fold(BestCandidates::of(ends), |best, group| best.and(self.group(group, &ranks)))
    }

    fn group<Ranks: Iterator<Item = BlockRank>>(
        &self,
        group: usize,
        ranks: impl Fn(Range<usize>) -> Ranks,
    ) -> BestCandidates {
        let ((word, bit), kept) = (bit_of(group), &self.kept[group]);
        let current = self.current[word].get();
        if current & bit != 0 {
            return kept.get().best();
        }
        let best = BestCandidates::of(ranks(group * GROUP..(group + 1) * GROUP));
        kept.set(GroupCandidates::of(best));
        self.current[word].set(current | bit);
        best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// State of a block: true if it is a candidate, its number of valid pages, and its position in the order
    /// in which blocks became full.
    type State = (bool, u32, u64);

    fn ranks(states: &[State], range: Range<usize>) -> impl Iterator<Item = BlockRank> {
        let blocks = (range.start as u32..).zip(&states[range]);
        let gaining = blocks.filter(|(_, state)| state.0);
        gaining.map(|(block, &(_, valid, closed))| BlockRank { block, valid, closed })
    }

    proptest! {
        #[test]
        fn cached_candidates_agree_with_a_search_of_all_blocks(
            changes in prop::collection::vec((0_usize..100, any::<bool>(), 0_u32..4), 1..200),
            (start, len) in (0_usize..60, 0_usize..40),
        ) {
            let mut states = vec![(false, 0, 0); 100];
            let mut groups = BlockGroups::new(states.len());
            for (closed, (block, may_be_collected, valid)) in (0..).zip(changes) {
                states[block] = (may_be_collected, valid, closed);
                groups.forget(block);
                let (range, all) = (start..start + len, ranks(&states, start..start + len).collect::<Vec<_>>());
                let found = groups.best(range, |range| ranks(&states, range));
                prop_assert_eq!(found.emptiest, all.iter().copied().min_by_key(|rank| (rank.valid, rank.closed)));
                prop_assert_eq!(found.oldest, all.iter().copied().min_by_key(|rank| rank.closed));
            }
        }
    }
}
