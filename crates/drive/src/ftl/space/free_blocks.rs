//! Free blocks of a plane, and dynamic wear levelling: the choice of the next block to be opened.
//!
//! # What it models
//! With dynamic wear levelling, the free block with the fewest erases is opened next; without it, the block
//! that was erased first. While a plane has no free block, its writes wait ([`writes`](crate::ftl::writes))
//! until garbage collection has freed one ([`collector`](crate::ftl::collector)). The rule for a plane
//! without a free block is in `plane`.
//!
//! # How
//! Blocks that were never used come first, in the order of their index. They are counted and not stored, so
//! that a new drive needs no memory for them. The other blocks are in a heap, sorted by number of erases,
//! then by the order in which they were erased. Without wear levelling, the number of erases is stored as
//! zero. Opening or returning a block takes logarithmic time, and occurs once for each block of pages
//! written.
//!
//! # What is left out
//! Separation of hot and cold data, which are written to the same blocks.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Dynamic_Wearleveling_Enabled`: free blocks by erase count, then by
//! order of arrival.
//!
//! # Parameters
//! `ftl.dynamic_wear_levelling`

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize, Serializer};

/// Free block that has been used before. Its derived order is the order in which blocks are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct ErasedBlock {
    /// Number of times the block has been erased; 0 without dynamic wear levelling.
    erases: u32,
    /// Number of erases in the plane before the last erase of this block, by which blocks are ordered.
    order: u64,
    /// Index of the block in its plane.
    index: u32,
}

/// Free blocks of a plane: erased and not open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FreeBlocks {
    first_unused: u32,
    blocks: u32,
    #[serde(serialize_with = "in_order")]
    erased: BinaryHeap<Reverse<ErasedBlock>>,
    erased_so_far: u64,
    by_wear: bool,
}

/// Serializes a heap in sorted order, so that a state file does not depend on the internal order of the heap.
fn in_order<S: Serializer>(
    heap: &BinaryHeap<Reverse<ErasedBlock>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    heap.clone().into_sorted_vec().serialize(serializer)
}

impl FreeBlocks {
    /// Creates the free blocks of a plane of `blocks` blocks that were never used. `by_wear` enables dynamic
    /// wear levelling.
    pub fn new(blocks: u32, by_wear: bool) -> Self {
        Self { first_unused: 0, blocks, erased: BinaryHeap::new(), erased_so_far: 0, by_wear }
    }

    /// Excludes the first `blocks` blocks, which are never free.
    #[must_use]
    pub fn without_first(self, blocks: u32) -> Self {
        Self { first_unused: blocks, ..self }
    }

    /// Keeps the first `blocks` blocks and excludes all others, which are then never free.
    #[must_use]
    pub fn limited_to(self, blocks: u32) -> Self {
        Self { blocks, ..self }
    }

    /// Returns the number of blocks that can be free. They have the lowest indices.
    pub const fn usable(&self) -> u32 {
        self.blocks
    }

    /// Returns the number of free blocks.
    #[inline]
    pub fn len(&self) -> u32 {
        self.blocks - self.first_unused + self.erased.len() as u32
    }

    /// Returns the number of blocks of the plane that have ever been opened. They have the lowest indices.
    #[inline]
    pub fn ever_opened(&self) -> u32 {
        self.first_unused
    }

    /// Removes and returns the next block to be opened.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        if self.first_unused < self.blocks {
            self.first_unused += 1;
            return Some(self.first_unused - 1);
        }
        self.erased.pop().map(|Reverse(block)| block.index)
    }

    /// Returns the index and the erase count of the most worn free block; on a tie, the one erased last.
    /// Blocks that were never used come last.
    pub fn most_worn(&self, erases: impl Fn(u32) -> u32) -> Option<(u32, u32)> {
        let worn = self.erased.iter().map(|Reverse(block)| (erases(block.index), block.order, block.index));
        let unused = || (self.first_unused < self.blocks).then_some((self.first_unused, 0));
        worn.max().map(|(erases, _, index)| (index, erases)).or_else(unused)
    }

    /// Returns the smallest and the largest erase count among the free blocks, if there are any.
    pub fn least_and_most_worn(&self, erases: impl Fn(u32) -> u32) -> Option<(u32, u32)> {
        let unused = (self.first_unused < self.blocks).then_some(0);
        let erased = self.erased.iter().map(|Reverse(block)| erases(block.index));
        erased.chain(unused).fold(None, |range, count| {
            let (least, most) = range.unwrap_or((count, count));
            Some((count.min(least), count.max(most)))
        })
    }

    /// Removes and returns the most worn free block, as defined by [`Self::most_worn`]. Takes time
    /// proportional to the number of free blocks.
    pub fn take_most_worn(&mut self, erases: impl Fn(u32) -> u32) -> Option<u32> {
        let (index, _) = self.most_worn(erases)?;
        if index == self.first_unused {
            return self.take();
        }
        self.erased.retain(|Reverse(block)| block.index != index);
        Some(index)
    }

    /// Adds a block that has been erased to the free blocks. `erases` is its number of erases, including this
    /// one.
    #[inline]
    pub fn put(&mut self, index: u32, erases: u32) {
        let erases = if self.by_wear { erases } else { 0 };
        self.erased.push(Reverse(ErasedBlock { erases, order: self.erased_so_far, index }));
        self.erased_so_far += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the blocks that a plane of four blocks opens, after all blocks were used and some were erased.
    fn opened(by_wear: bool, erased: &[(u32, u32)]) -> Vec<u32> {
        let mut free = FreeBlocks::new(4, by_wear);
        while free.take().is_some() {}
        assert_eq!(free.len(), 0);
        for &(index, erases) in erased {
            free.put(index, erases);
        }
        std::iter::from_fn(|| free.take()).collect()
    }

    #[test]
    fn blocks_never_used_are_opened_first_by_number() {
        let mut free = FreeBlocks::new(3, true);
        assert_eq!((free.take(), free.len(), free.ever_opened()), (Some(0), 2, 1));
        free.put(0, 1);
        assert_eq!([free.take(), free.take(), free.take(), free.take()], [Some(1), Some(2), Some(0), None]);
    }

    #[test]
    fn the_most_worn_block_can_be_taken_whatever_the_order_and_an_unused_one_if_there_are_no_others() {
        let wear = |index| [7, 2, 9, 7][index as usize];
        for by_wear in [false, true] {
            let mut free = FreeBlocks::new(4, by_wear);
            assert_eq!(free.take_most_worn(wear), Some(0));
            while free.take().is_some() {}
            for index in [3, 1, 0] {
                free.put(index, wear(index));
            }
            assert_eq!(free.most_worn(wear), Some((0, 7)), "the last erased of equals");
            let taken: Vec<_> = std::iter::from_fn(|| free.take_most_worn(wear)).collect();
            assert_eq!((taken, free.len()), (vec![0, 3, 1], 0));
        }
    }

    #[test]
    fn with_levelling_the_least_worn_block_is_opened_and_the_first_erased_of_equals() {
        assert_eq!(opened(true, &[(3, 7), (1, 2), (0, 7), (2, 2)]), [1, 2, 3, 0]);
    }

    #[test]
    fn without_levelling_blocks_are_opened_in_the_order_of_their_erasure() {
        assert_eq!(opened(false, &[(3, 7), (1, 2), (0, 7), (2, 2)]), [3, 1, 0, 2]);
    }
}
