//! Static wear levelling: data that rests is moved off blocks that have hardly worn.
//!
//! # What it models
//! Blocks whose data is never overwritten are never collected, and the others wear instead of them.
//! When the erase counts of a plane have drifted apart, the least worn of its full blocks is emptied
//! and erased, so that it takes part again.
//!
//! # How
//! After each erase that ended a garbage collection, the largest erase count of the plane is compared
//! with that of its least worn full block (the oldest of equals). If they differ by the threshold or
//! more, that block is collected like a victim: its valid pages go to a block of their own, the most worn
//! free one, and no other data does. So resting data lies on blocks that have worn, and what collection
//! moves, which is overwritten sooner, does not share its block. A block is moved only while that brings the
//! plane's erase counts closer together: if no free block has fewer erases, because such a block is
//! about to wear by itself, and if a block that is opened for its data has worn more. Its moves are
//! counted apart. One such move follows one garbage collection at most, so
//! levelling can never keep a plane from freeing blocks, and it takes no room: a block's pages are
//! moved, a block is erased, and a free block is there whenever a collection has ended.
//!
//! # What is left out
//! Data is taken to rest because its block was erased seldom, not because it was not written for long. MQSim
//! compares block numbers instead of erase counts, ignores the switch and the threshold, and moves at
//! most one block in each plane, into collection's; `ftl.wear_measure = "block_numbers"` does the same, for comparison.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Static_Wearleveling_Enabled`, `Static_Wearleveling_Threshold`;
//! Chang, Hsieh, Kuo, "Endurance enhancement of flash-memory storage systems: an efficient static wear
//! leveling design", DAC 2007.
//!
//! # Parameters
//! `ftl.dynamic_wear_levelling`, `ftl.static_wear_levelling`, `ftl.static_wear_levelling_threshold`, `ftl.wear_measure`

use crate::geometry::{BlockId, Geometry, PlaneId};

use super::settings::WearMeasure;
use crate::ftl::space::Blocks;

/// Static wear levelling of a drive.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct WearLevelling {
    geometry: Geometry,
    /// How far erase counts may drift apart; none without levelling.
    threshold: Option<u32>,
    measure: WearMeasure,
}

impl WearLevelling {
    /// That of a drive.
    pub(super) const fn new(geometry: &Geometry, threshold: Option<u32>, measure: WearMeasure) -> Self {
        Self { geometry: *geometry, threshold, measure }
    }

    /// The coldest block of `plane`, if its blocks have worn too unevenly.
    pub(in crate::ftl) fn due_block(&self, blocks: &Blocks, plane: PlaneId) -> Option<BlockId> {
        let threshold = self.threshold?;
        if self.measure == WearMeasure::BlockNumbers {
            return self.first_block(blocks, plane, threshold);
        }
        let most = blocks.planes[plane].most_erases;
        if most < threshold {
            return None;
        }
        let coldest = self.least_worn(blocks, plane)?;
        let erases = blocks.table[coldest].erases;
        let is_due = most - erases >= threshold && narrows_the_spread(blocks, plane, erases);
        is_due.then_some(coldest)
    }

    /// The full block of a plane with the fewest erases, no program in flight; of equals, the oldest.
    pub(super) fn least_worn(&self, blocks: &Blocks, plane: PlaneId) -> Option<BlockId> {
        let coldest = blocks.settled(plane).min_by_key(|(_, block)| (block.erases, block.closed));
        coldest.map(|(index, _)| self.geometry.block(plane, index))
    }

    /// MQSim's rule: the first block of the plane, if it was never erased and the first of the most worn ones lies this far
    /// behind it. A later block never has its turn: the second of a plane is always open for the map.
    fn first_block(&self, blocks: &Blocks, plane: PlaneId, threshold: u32) -> Option<BlockId> {
        let own = blocks.table.of_plane(plane);
        let most = blocks.planes[plane].most_erases;
        let first_most = (0..).zip(own).find(|(_, block)| block.erases == most)?.0;
        let first = own.first()?;
        let is_full = first.written == self.geometry.pages_per_block && first.pending_programs == 0;
        let is_due = most > 0 && first_most >= threshold && is_full && first.erases == 0;
        is_due.then(|| self.geometry.block(plane, 0))
    }
}

/// Whether moving the data of a block of so many erases brings the counts of its plane closer together.
fn narrows_the_spread(blocks: &Blocks, plane: PlaneId, erases: u32) -> bool {
    let state = &blocks.planes[plane];
    let Some((least, most)) = state.erases_of_free(blocks.table.of_plane(plane)) else { return false };
    least >= erases && (most > erases || state.has_resting_block())
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::ftl::Ftl;
    use crate::ftl::collecting::collect;
    use crate::ftl::moving::collection_ended;
    use crate::ftl::space::{Cause, Stream};
    use crate::registry::FabricKind;
    use crate::testkit::drive::small_drive;

    const PLANE: PlaneId = PlaneId(0);
    const NOW: SimTime = SimTime::ZERO;

    /// A plane of eight blocks of one page, three of them full of valid data, the others erased nine times.
    fn three_full_blocks() -> Ftl {
        let mut drive = small_drive(FabricKind::Bus, 1, 1);
        drive.geometry.planes_per_die = 1;
        drive.geometry.blocks_per_plane = 8;
        drive.geometry.pages_per_block = 1;
        drive.ftl.static_wear_levelling = Some(5);
        drive.ftl.gc_start_free_blocks = 2;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, drive.flash, false);
        for block in (0..8).map(BlockId) {
            let (ppn, _) = ftl.space.blocks.allocate(PLANE, Stream::Collection).unwrap();
            ftl.space.blocks.table[block].pending_programs = 0;
            if block.0 >= 3 {
                ftl.space.blocks.invalidate(ppn);
                ftl.space.blocks.table[block].erases = 8;
                ftl.space.blocks.erase(block);
            }
        }
        ftl
    }

    fn due_block(ftl: &Ftl) -> Option<BlockId> {
        ftl.collector.wear.due_block(&ftl.space.blocks, PLANE)
    }

    fn victim(ftl: &Ftl) -> Option<(BlockId, Cause)> {
        ftl.space.blocks.planes[PLANE].collection.map(|collection| (collection.victim, collection.cause))
    }

    /// Lets the collection of the block in progress end, its pages having moved.
    fn end_collection(ftl: &mut Ftl, block: BlockId) {
        ftl.space.blocks.invalidate(ftl.geometry.ppn(block, 0));
        collection_ended(ftl, PLANE, block, NOW);
    }

    #[test]
    fn the_coldest_block_is_moved_from_the_threshold_on() {
        let mut ftl = three_full_blocks();
        for (block, erases) in [(0, 3), (1, 2), (2, 2)] {
            ftl.space.blocks.table[BlockId(block)].erases = erases;
        }
        ftl.space.blocks.planes[PLANE].most_erases = 6;
        assert_eq!(due_block(&ftl), None);
        ftl.space.blocks.planes[PLANE].most_erases = 7;
        assert_eq!(due_block(&ftl), Some(BlockId(1)));
    }

    #[test]
    fn a_block_stays_while_another_has_worn_less_or_none_that_could_take_its_data_has_worn_more() {
        let mut ftl = three_full_blocks();
        ftl.space.blocks.table[BlockId(3)].erases = 0;
        for block in (0..3).map(BlockId) {
            ftl.space.blocks.table[block].erases = 1;
        }
        assert_eq!(due_block(&ftl), None, "block 3 is free, and its turn will come");
        ftl.space.blocks.table[BlockId(3)].erases = 9;
        assert_eq!(due_block(&ftl), Some(BlockId(0)));
        for block in (3..8).map(BlockId) {
            ftl.space.blocks.table[block].erases = 1;
        }
        assert_eq!(due_block(&ftl), None, "it would only change places");
    }

    #[test]
    fn data_that_rests_fills_the_most_worn_free_block_and_shares_it_with_nobody() {
        let mut ftl = three_full_blocks();
        ftl.space.blocks.table[BlockId(6)].erases = 11;
        let cold = due_block(&ftl).unwrap();
        collect(&mut ftl, PLANE, cold, Cause::Wear, NOW);
        assert_eq!(ftl.space.blocks.stream_of_moves(PLANE), Stream::Resting);
        let (ppn, _) = ftl.space.blocks.allocate(PLANE, Stream::Resting).unwrap();
        assert_eq!(ftl.geometry.block_of(ppn), BlockId(6));
    }

    #[test]
    fn one_move_for_wear_follows_one_collection_for_space_at_most() {
        let mut ftl = three_full_blocks();
        ftl.space.blocks.planes[PLANE].most_erases = 9;
        collect(&mut ftl, PLANE, BlockId(2), Cause::Space, NOW);
        end_collection(&mut ftl, BlockId(2));
        assert_eq!(victim(&ftl), Some((BlockId(0), Cause::Wear)));
        end_collection(&mut ftl, BlockId(0));
        assert_eq!(victim(&ftl), None, "block 1 is as cold, but the host comes first");
    }
}
