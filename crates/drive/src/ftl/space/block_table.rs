//! What is known of every block: how many pages it was given out, how many are valid, how often it was erased.
//!
//! Planes, and which of their blocks are open, are none of its business.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use bytemuck::{Zeroable, zeroed_vec};
use serde::{Deserialize, Serialize};
use venice_nand::geometry::{BlockId, Geometry, PlaneId, Ppn};

use super::leaders::{BlockGroups, BlockRank, Leaders};

/// State of a block; all zero if it was never used.
#[derive(Clone, Copy, Debug, Default, Zeroable, Serialize, Deserialize)]
pub struct Block {
    /// Pages that hold the current version of a logical page.
    pub valid: u32,
    /// Pages given out since the last erase; also the offset of the next.
    pub written: u32,
    /// Reads that were accepted and are not finished.
    pub pending_reads: u32,
    /// Programs whose page was given out and that are not finished.
    pub pending_programs: u32,
    /// Programs whose page was given out since the last erase.
    pub ordered_programs: u32,
    /// Programs that have started, of those whose page was given out.
    pub started_programs: u32,
    /// Times it was erased.
    pub erases: u32,
    /// When it became full, as a count of blocks that became full before.
    pub closed: u64,
}

/// All blocks.
#[derive(Clone, Debug)]
pub struct BlockTable {
    geometry: Geometry,
    /// Those of a plane lie side by side.
    states: Vec<Block>,
    groups: BlockGroups,
    closed_so_far: u64,
}

impl BlockTable {
    /// All erased.
    pub(super) fn new(geometry: Geometry) -> Self {
        // Memory that nobody touches: most blocks of a large drive stay as they are.
        let blocks = geometry.blocks() as usize;
        Self { geometry, states: zeroed_vec(blocks), groups: BlockGroups::new(blocks), closed_so_far: 0 }
    }

    /// The state of a block, where nothing changes that ranks it for collection.
    #[inline]
    fn state(&mut self, block: BlockId) -> &mut Block {
        &mut self.states[block.0 as usize]
    }

    /// The blocks of a plane, by number.
    #[inline]
    pub fn of_plane(&self, plane: PlaneId) -> &[Block] {
        let first = self.geometry.block(plane, 0).0 as usize;
        &self.states[first..first + self.geometry.blocks_per_plane as usize]
    }

    /// Those of the first `used` blocks of a plane that are full and have no program in flight, with their numbers in it.
    #[inline]
    pub fn settled(&self, plane: PlaneId, used: u32) -> impl Iterator<Item = (u32, &Block)> {
        let first = self.geometry.block(plane, 0).0 as usize;
        let blocks = (0..).zip(&self.states[first..first + used as usize]);
        blocks.filter(|(_, block)| self.is_settled(block))
    }

    /// Returns the first ones to be collected of the settled blocks with an invalid page.
    pub(super) fn leaders(&self, plane: PlaneId, used: u32) -> Leaders {
        let first = self.geometry.block(plane, 0).0 as usize;
        let pages = self.geometry.pages_per_block;
        self.groups.leaders(first..first + used as usize, |range| {
            let blocks = (range.start as u32..).zip(&self.states[range]);
            let gaining = blocks.filter(move |(_, block)| self.is_settled(block) && block.valid < pages);
            gaining.map(|(number, block)| BlockRank {
                block: number,
                valid: block.valid,
                closed: block.closed,
            })
        })
    }

    /// A block, if it is full and has no program in flight.
    #[inline]
    pub fn settled_at(&self, block: BlockId) -> Option<&Block> {
        Some(&self[block]).filter(|block| self.is_settled(block))
    }

    #[inline]
    const fn is_settled(&self, block: &Block) -> bool {
        block.written == self.geometry.pages_per_block && block.pending_programs == 0
    }

    /// Pages that are left in an open block.
    #[inline]
    pub fn left_in(&self, block: BlockId) -> u32 {
        self.geometry.pages_per_block - self[block].written
    }

    /// Pages of a block.
    #[inline]
    pub const fn pages_per_block(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Gives out the next pages of a block, up to `most`, valid from now on. Says the first and how many, with the block.
    #[inline]
    pub(super) fn give_out(&mut self, block: BlockId, most: u32) -> (Ppn, u32, &mut Block) {
        let geometry = self.geometry;
        let state = &mut self[block];
        let count = (geometry.pages_per_block - state.written).min(most);
        let first = geometry.ppn(block, state.written);
        state.written += count;
        state.valid += count;
        (first, count, state)
    }

    /// A program of a page of this block starts. Nothing that ranks it for collection changes.
    #[inline]
    pub fn program_starts(&mut self, block: BlockId) {
        self.state(block).started_programs += 1;
    }

    /// A read of this block was accepted: it is not erased before [`Self::unpin`].
    #[inline]
    pub fn pin(&mut self, block: BlockId) {
        self.state(block).pending_reads += 1;
    }

    /// A read of this block is finished.
    #[inline]
    pub fn unpin(&mut self, block: BlockId) {
        self.state(block).pending_reads -= 1;
    }

    /// A block has become full.
    #[inline]
    pub(super) fn close(&mut self, block: BlockId) {
        self[block].closed = self.closed_so_far;
        self.closed_so_far += 1;
    }

    /// Returns the number of blocks that became full after this one, which did.
    #[inline]
    pub fn age(&self, block: &Block) -> u64 {
        self.closed_so_far - block.closed
    }

    /// Erases a block: all its pages are free again. Says what it was like.
    ///
    /// # Panics
    /// When something in it is still needed: that is a bug of ours.
    pub(super) fn erase(&mut self, block: BlockId) -> Block {
        let state = &mut self[block];
        assert!(
            state.valid == 0 && state.pending_reads == 0 && state.pending_programs == 0,
            "a block in use was erased: {state:?}"
        );
        std::mem::replace(state, Block { erases: state.erases + 1, ..Block::default() })
    }

    /// The fewest and the most erases of a plane's blocks, of which the first `used` were ever opened: the others, where nobody has
    /// written, are not looked at.
    pub(super) fn erases_of(&self, plane: PlaneId, used: u32) -> (u32, u32) {
        let blocks = self.of_plane(plane);
        let counts = blocks[..used as usize].iter().map(|block| block.erases);
        let least = if used as usize == blocks.len() { u32::MAX } else { 0 };
        counts.fold((least, 0), |(least, most), count| (least.min(count), most.max(count)))
    }

    /// Returns the number of blocks by erase count.
    pub fn blocks_by_erases(&self) -> BTreeMap<u32, u64> {
        let mut blocks = BTreeMap::new();
        for block in self.planes().flat_map(|plane| self.of_plane(plane)) {
            *blocks.entry(block.erases).or_default() += 1;
        }
        blocks
    }

    pub(super) fn planes(&self) -> impl Iterator<Item = PlaneId> + use<> {
        (0..self.geometry.planes()).map(PlaneId)
    }

    /// Blocks of the drive that have become full so far.
    pub const fn closed_so_far(&self) -> u64 {
        self.closed_so_far
    }

    /// Makes the blocks of a plane like these, of a plane that was the only one of its drive when `closed_so_far` blocks had become
    /// full there. Ages count blocks of the whole drive.
    pub(super) fn install(&mut self, plane: PlaneId, blocks: &[Block], closed_so_far: u64) {
        let (first, planes) = (self.geometry.block(plane, 0).0 as usize, u64::from(self.geometry.planes()));
        self.closed_so_far = self.closed_so_far.max(closed_so_far * planes);
        self.groups.forget_all();
        for (state, block) in self.states[first..].iter_mut().zip(blocks) {
            *state = Block { closed: block.closed * planes, ..*block };
        }
    }

    /// Returns the blocks, and how many became full, for a file.
    pub(super) fn store(&self) -> (Vec<Block>, u64) {
        let blocks = self.planes().flat_map(|plane| self.of_plane(plane)).copied().collect();
        (blocks, self.closed_so_far)
    }

    /// Returns true if these are as many blocks.
    pub(super) fn is_as_large_as(&self, stored: &[Block]) -> bool {
        stored.len() == self.geometry.blocks() as usize
    }

    /// Goes back to what a file kept.
    pub(super) fn restore(&mut self, blocks: &[Block], closed_so_far: u64) {
        for (block, state) in (0..).map(BlockId).zip(blocks) {
            *self.state(block) = *state;
        }
        self.closed_so_far = closed_so_far;
        self.groups.forget_all();
    }
}

impl Index<BlockId> for BlockTable {
    type Output = Block;

    #[inline]
    fn index(&self, block: BlockId) -> &Block {
        &self.states[block.0 as usize]
    }
}

impl IndexMut<BlockId> for BlockTable {
    #[inline]
    fn index_mut(&mut self, block: BlockId) -> &mut Block {
        let place = block.0 as usize;
        self.groups.forget(place);
        &mut self.states[place]
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::testkit::settings::SmallDrive;

    /// A table of planes of so many blocks.
    fn table(blocks_per_plane: u32) -> BlockTable {
        let geometry = SmallDrive::new(8, 8).geometry;
        BlockTable::new(Geometry { blocks_per_plane, ..geometry })
    }

    #[test]
    fn a_restored_table_is_the_one_that_was_stored() {
        let mut first = table(64);
        for (n, number) in (1..).zip([0, 63, 64, 1000]) {
            first[BlockId(number)].valid = n;
        }
        let mut second = table(64);
        let (blocks, closed) = first.store();
        second.restore(&blocks, closed);
        assert_eq!(blocks.len(), first.geometry.blocks() as usize);
        assert!((0..first.geometry.blocks()).all(|n| first[BlockId(n)].valid == second[BlockId(n)].valid));
    }
}
