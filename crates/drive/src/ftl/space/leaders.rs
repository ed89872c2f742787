//! Which blocks collection may want first, kept for groups of blocks so that not all of a plane are looked at.
//!
//! # How
//! Of each group that nothing was changed in since it was last looked at, its leaders are known: of its settled blocks with an
//! invalid page the one with the fewest valid pages, and the oldest. Between two collections a plane's host overwrites
//! pages of some tens of blocks, so most groups of a large plane are known.

use std::cell::Cell;
use std::ops::Range;

use bytemuck::{Zeroable, zeroed_vec};

/// Blocks of a group: more of them are looked at where one has changed, and fewer groups where none has. Sixteen are
/// near the least of both for planes of some thousand blocks.
const GROUP: usize = 16;

/// A block that may be collected, as far as its rank depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub(super) struct BlockRank {
    /// Its number in the drive.
    pub block: u32,
    /// Its valid pages.
    pub valid: u32,
    /// When it became full, as a count of blocks.
    pub closed: u64,
}

/// The first of some blocks in two orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leaders {
    /// The one with the fewest valid pages; of equals, the oldest.
    pub emptiest: Option<BlockRank>,
    /// The one that became full first.
    pub oldest: Option<BlockRank>,
}

impl Leaders {
    /// Those of blocks.
    fn of(blocks: impl Iterator<Item = BlockRank>) -> Self {
        blocks.fold(Self::default(), |leaders, rank| {
            leaders.and(Self { emptiest: Some(rank), oldest: Some(rank) })
        })
    }

    fn and(self, other: Self) -> Self {
        let emptier = |rank: BlockRank| (rank.valid, rank.closed);
        Self {
            emptiest: self.emptiest.into_iter().chain(other.emptiest).min_by_key(|&rank| emptier(rank)),
            oldest: self.oldest.into_iter().chain(other.oldest).min_by_key(|rank| rank.closed),
        }
    }
}

/// Leaders of a group, as they were kept.
#[derive(Clone, Copy, Debug, Zeroable)]
struct GroupLeaders {
    has_any: bool,
    emptiest: BlockRank,
    oldest: BlockRank,
}

impl GroupLeaders {
    fn of(leaders: Leaders) -> Self {
        let (emptiest, oldest) = (leaders.emptiest, leaders.oldest);
        let none = BlockRank::zeroed();
        Self {
            has_any: emptiest.is_some(),
            emptiest: emptiest.unwrap_or(none),
            oldest: oldest.unwrap_or(none),
        }
    }

    fn leaders(self) -> Leaders {
        let some = |rank| self.has_any.then_some(rank);
        Leaders { emptiest: some(self.emptiest), oldest: some(self.oldest) }
    }
}

/// The groups of all blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockGroups {
    /// Of which groups nothing has changed since they were looked at, a bit each: every program says so of one, and the bits of a
    /// large drive are two kilobytes.
    current: Vec<Cell<u64>>,
    kept: Vec<Cell<GroupLeaders>>,
}

/// The word and the bit of a group.
#[inline]
const fn bit_of(group: usize) -> (usize, u64) {
    (group / u64::BITS as usize, 1 << (group % u64::BITS as usize))
}

impl BlockGroups {
    /// Nothing is known of so many blocks.
    pub fn new(blocks: usize) -> Self {
        let groups = blocks.div_ceil(GROUP);
        Self { current: zeroed_vec(groups.div_ceil(u64::BITS as usize)), kept: zeroed_vec(groups) }
    }

    /// A block changes.
    #[inline]
    pub fn forget(&mut self, block: usize) {
        let (word, bit) = bit_of(block / GROUP);
        *self.current[word].get_mut() &= !bit;
    }

    /// Any block may have changed.
    pub fn forget_all(&mut self) {
        self.current.fill(Cell::new(0));
    }

    /// The leaders of these blocks, of which `ranks` says those that may be collected of a range.
    pub fn leaders<Ranks: Iterator<Item = BlockRank>>(
        &self,
        blocks: Range<usize>,
        ranks: impl Fn(Range<usize>) -> Ranks,
    ) -> Leaders {
        let whole = blocks.start.next_multiple_of(GROUP)..blocks.end / GROUP * GROUP;
        if whole.is_empty() {
            return Leaders::of(ranks(blocks));
        }
        let ends = ranks(blocks.start..whole.start).chain(ranks(whole.end..blocks.end));
        let groups = whole.start / GROUP..whole.end / GROUP;
        groups.fold(Leaders::of(ends), |leaders, group| leaders.and(self.group(group, &ranks)))
    }

    fn group<Ranks: Iterator<Item = BlockRank>>(
        &self,
        group: usize,
        ranks: impl Fn(Range<usize>) -> Ranks,
    ) -> Leaders {
        let ((word, bit), kept) = (bit_of(group), &self.kept[group]);
        let current = self.current[word].get();
        if current & bit != 0 {
            return kept.get().leaders();
        }
        let leaders = Leaders::of(ranks(group * GROUP..(group + 1) * GROUP));
        kept.set(GroupLeaders::of(leaders));
        self.current[word].set(current | bit);
        leaders
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a block is like: whether it may be collected, its valid pages and when it became full.
    type State = (bool, u32, u64);

    fn ranks(states: &[State], range: Range<usize>) -> impl Iterator<Item = BlockRank> {
        let blocks = (range.start as u32..).zip(&states[range]);
        let gaining = blocks.filter(|(_, state)| state.0);
        gaining.map(|(block, &(_, valid, closed))| BlockRank { block, valid, closed })
    }

    proptest! {
        #[test]
        fn kept_leaders_are_those_of_a_look_at_all_blocks(
            changes in prop::collection::vec((0_usize..100, any::<bool>(), 0_u32..4), 1..200),
            (start, len) in (0_usize..60, 0_usize..40),
        ) {
            let mut states = vec![(false, 0, 0); 100];
            let mut groups = BlockGroups::new(states.len());
            for (closed, (block, may_be_collected, valid)) in (0..).zip(changes) {
                states[block] = (may_be_collected, valid, closed);
                groups.forget(block);
                let (asked, all) = (start..start + len, ranks(&states, start..start + len).collect::<Vec<_>>());
                let found = groups.leaders(asked, |range| ranks(&states, range));
                prop_assert_eq!(found.emptiest, all.iter().copied().min_by_key(|rank| (rank.valid, rank.closed)));
                prop_assert_eq!(found.oldest, all.iter().copied().min_by_key(|rank| rank.closed));
            }
        }
    }
}
