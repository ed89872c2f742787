//! Table of blocks: their allocated and valid pages, erase counts, and operations in flight.
//!
//! The states of planes and the choice of open blocks are in other modules.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use bytemuck::{Zeroable, zeroed_vec};
use serde::{Deserialize, Serialize};
use venice_nand::geometry::{BlockId, Geometry, MappingUnits, PlaneId, Ppn};

use super::candidate_cache::{BestCandidates, BlockGroups, BlockRank};

/// State of a block; all zero if the block has never been used.
#[derive(Clone, Copy, Debug, Default, Zeroable, Serialize, Deserialize)]
pub struct Block {
    /// Number of pages that contain the current version of a logical page.
    pub valid: u32,
    /// Number of pages allocated since the last erase. This is also the offset of the next page to be
    /// allocated.
    pub written: u32,
    /// Number of accepted reads that have not ended.
    pub pending_reads: u32,
    /// Number of programs whose page has been allocated and that have not ended.
    pub pending_programs: u32,
    /// Number of programs in the program order of the block since its last erase. A program is added to the
    /// order when its page is allocated.
    pub ordered_programs: u32,
    /// Number of programs that have started since the last erase.
    pub started_programs: u32,
    /// Number of times the block has been erased.
    pub erases: u32,
    /// Number of blocks of the drive that became full (were closed) before this block, which orders full
    /// blocks by age.
    pub closed: u64,
}

/// State of all blocks of a drive.
#[derive(Clone, Debug)]
pub struct BlockTable {
    geometry: Geometry,
    units: MappingUnits,
    /// State of each block. The blocks of a plane are contiguous.
    states: Vec<Block>,
    groups: BlockGroups,
    closed_so_far: u64,
}

impl BlockTable {
    /// Creates the table of an erased drive.
    pub(super) fn new(geometry: Geometry, units: MappingUnits) -> Self {
        // Zeroed memory pages that are never touched take no space. Most blocks of a large drive never
        // change.
        let blocks = geometry.blocks() as usize;
        Self {
            geometry,
            units,
            states: zeroed_vec(blocks),
            groups: BlockGroups::new(blocks),
            closed_so_far: 0,
        }
    }

    /// Returns the state of a block, for changes that do not affect its rank as a victim of garbage
    /// collection.
    #[inline]
    fn state(&mut self, block: BlockId) -> &mut Block {
        &mut self.states[block.0 as usize]
    }

    /// Returns the blocks of a plane in the order of their indices.
    #[inline]
    pub fn of_plane(&self, plane: PlaneId) -> &[Block] {
        let first = self.geometry.block(plane, 0).0 as usize;
        &self.states[first..first + self.geometry.blocks_per_plane as usize]
    }

    /// Iterates over the settled blocks (full, without a program in flight) among the first `used` blocks of
    /// a plane, with their indices.
    #[inline]
    pub fn settled(&self, plane: PlaneId, used: u32) -> impl Iterator<Item = (u32, &Block)> {
        let first = self.geometry.block(plane, 0).0 as usize;
        let blocks = (0..).zip(&self.states[first..first + used as usize]);
        blocks.filter(|(_, block)| self.is_settled(block))
    }

    /// Returns the maximum number of valid mapping units that a block may contain if its garbage collection
    /// is to gain a page.
    #[inline]
    pub fn most_valid_of_victim(&self) -> u32 {
        self.geometry.pages_per_block - self.units.per_program()
    }

    /// Returns the best candidates for garbage collection in a plane. A candidate is a full block without a
    /// program in flight, whose collection gains a page.
    pub(super) fn best_candidates(&self, plane: PlaneId, used: u32) -> BestCandidates {
        let first = self.geometry.block(plane, 0).0 as usize;
        let most = self.most_valid_of_victim();
        self.groups.best(first..first + used as usize, |range| {
            let blocks = (range.start as u32..).zip(&self.states[range]);
            let gaining = blocks.filter(move |(_, block)| self.is_settled(block) && block.valid <= most);
            gaining.map(|(number, block)| BlockRank {
                block: number,
                valid: block.valid,
                closed: block.closed,
            })
        })
    }

    /// Returns a block if it is settled: full, without a program in flight.
    #[inline]
    pub fn settled_at(&self, block: BlockId) -> Option<&Block> {
        Some(&self[block]).filter(|block| self.is_settled(block))
    }

    #[inline]
    const fn is_settled(&self, block: &Block) -> bool {
        block.written == self.geometry.pages_per_block && block.pending_programs == 0
    }

    /// Returns the number of pages of an open block that have not been allocated yet.
    #[inline]
    pub fn left_in(&self, block: BlockId) -> u32 {
        self.geometry.pages_per_block - self[block].written
    }

    /// Returns the number of blocks per plane.
    #[inline]
    pub const fn blocks_per_plane(&self) -> u32 {
        self.geometry.blocks_per_plane
    }

    /// Returns the number of pages per block.
    #[inline]
    pub const fn pages_per_block(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Allocates up to `most` consecutive pages of a block and marks them as valid. Returns the first page,
    /// the number of pages and the block.
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

    /// Sets the offset of the first slot that an empty block uses. The slots before are skipped.
    pub(super) fn skip_to(&mut self, block: BlockId, offset: u32) {
        debug_assert_eq!(self[block].written, 0, "an opened block is empty");
        self[block].written = offset;
    }

    /// Erases a block, but leaves its erase count unchanged. Returns its state before the erase.
    pub(super) fn erase_uncounted(&mut self, block: BlockId) -> Block {
        let before = self.erase(block);
        self[block].erases = before.erases;
        before
    }

    /// Records the start of a program in this block. This does not change the rank of the block as a victim.
    #[inline]
    pub fn program_starts(&mut self, block: BlockId) {
        self.state(block).started_programs += 1;
    }

    /// Records an accepted read of this block. The block cannot be erased before the read has ended
    /// ([`Self::unpin`]).
    #[inline]
    pub fn pin(&mut self, block: BlockId) {
        self.state(block).pending_reads += 1;
    }

    /// Records the end of a read of this block.
    #[inline]
    pub fn unpin(&mut self, block: BlockId) {
        self.state(block).pending_reads -= 1;
    }

    /// Records that a block has become full, and gives the block its position in the order of full blocks.
    #[inline]
    pub(super) fn close(&mut self, block: BlockId) {
        self[block].closed = self.closed_so_far;
        self.closed_so_far += 1;
    }

    /// Returns the number of blocks of the drive that have become full since `block` became full, counting
    /// `block` itself.
    #[inline]
    pub fn age(&self, block: &Block) -> u64 {
        self.closed_so_far - block.closed
    }

    /// Erases a block, so that all its pages are free. Returns its state before the erase.
    ///
    /// # Panics
    ///
    /// Panics if the block has a valid page, or a read or program in flight. This is a defect of the
    /// simulator.
    pub(super) fn erase(&mut self, block: BlockId) -> Block {
        let state = &mut self[block];
        assert!(
            state.valid == 0 && state.pending_reads == 0 && state.pending_programs == 0,
            "a block in use was erased: {state:?}"
        );
        std::mem::replace(state, Block { erases: state.erases + 1, ..Block::default() })
    }

    /// Returns the smallest and the largest erase count among the first `usable` blocks of a plane. Only the
    /// first `used` blocks are visited, since the other blocks have never been opened.
    pub(super) fn erases_of(&self, plane: PlaneId, used: u32, usable: u32) -> (u32, u32) {
        let blocks = self.of_plane(plane);
        let counts = blocks[..used as usize].iter().map(|block| block.erases);
        let least = if used == usable { u32::MAX } else { 0 };
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

    /// Returns the number of blocks of the drive that have become full so far.
    pub const fn closed_so_far(&self) -> u64 {
        self.closed_so_far
    }

    /// Copies the blocks of a drive with a single plane to a plane of this drive. `closed_so_far` is the
    /// number of blocks that had become full on the other drive. Ages of blocks are scaled, since they count
    /// blocks of the whole drive.
    pub(super) fn install(&mut self, plane: PlaneId, blocks: &[Block], closed_so_far: u64) {
        let (first, planes) = (self.geometry.block(plane, 0).0 as usize, u64::from(self.geometry.planes()));
        self.closed_so_far = self.closed_so_far.max(closed_so_far * planes);
        self.groups.forget_all();
        for (state, block) in self.states[first..].iter_mut().zip(blocks) {
            *state = Block { closed: block.closed * planes, ..*block };
        }
    }

    /// Returns the blocks, and the number of blocks that have become full, for a state file.
    pub(super) fn store(&self) -> (Vec<Block>, u64) {
        let blocks = self.planes().flat_map(|plane| self.of_plane(plane)).copied().collect();
        (blocks, self.closed_so_far)
    }

    /// Returns true if `stored` has as many blocks as the table.
    pub(super) fn is_as_large_as(&self, stored: &[Block]) -> bool {
        stored.len() == self.geometry.blocks() as usize
    }

    /// Restores the blocks from a state file.
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

    /// Creates a table of planes with `blocks_per_plane` blocks.
    fn table(blocks_per_plane: u32) -> BlockTable {
        let geometry = SmallDrive::new(8, 8).geometry;
        BlockTable::new(Geometry { blocks_per_plane, ..geometry }, MappingUnits::PAGES)
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
