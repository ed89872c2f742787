//! Static wear levelling: moves cold data from the least worn blocks.
//!
//! # What it models
//! Blocks whose data is never overwritten are never collected, so the other blocks of the plane wear
//! faster. When the erase counts of a plane differ too much, the data of its least worn full block is
//! moved. The block is then erased and used again.
//!
//! # How
//! After each garbage collection (GC), the largest erase count of the plane is compared with that of its
//! least worn full block (the oldest one on a tie). If they differ by the threshold or more, this block is
//! collected like a victim. Its valid pages go to a separate block, for which the most worn free block is
//! opened. Cold data is thus stored in worn blocks, apart from pages moved by GC, which are overwritten
//! sooner.
//!
//! A block is moved only if this brings the plane's erase counts closer together. There are two conditions.
//! No free block has fewer erases, since such a block will be used next anyway. The block that is opened for
//! the data has more erases.
//!
//! At most one block is moved after each GC, so wear levelling cannot keep a plane from freeing blocks. It
//! needs no additional space, since a free block exists whenever a GC has ended. Its moves are counted
//! separately.
//!
//! # What is left out
//! The time of the last write: data counts as cold because its block has been erased rarely. MQSim compares
//! block numbers instead of erase counts, ignores the switch and the threshold, and moves at most one block
//! in each plane, into the GC block. `ftl.wear_measure = "block_numbers"` reproduces this for comparison.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), `Static_Wearleveling_Enabled`, `Static_Wearleveling_Threshold`; Chang,
//! Hsieh, Kuo, "Endurance enhancement of flash-memory storage systems: an efficient static wear leveling
//! design", DAC 2007.
//!
//! # Parameters
//! `ftl.dynamic_wear_levelling`, `ftl.static_wear_levelling`, `ftl.static_wear_levelling_threshold`,
//! `ftl.wear_measure`

use venice_nand::geometry::{BlockId, Geometry, PlaneId};

use super::settings::WearMeasure;
use crate::ftl::space::Blocks;

/// Static wear levelling of a drive.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct WearLevelling {
    geometry: Geometry,
    /// Minimum difference between erase counts at which a block is moved; `None` without static wear
    /// levelling.
    threshold: Option<u32>,
    measure: WearMeasure,
}

impl WearLevelling {
    /// Creates the static wear levelling of a drive.
    pub(super) const fn new(geometry: &Geometry, threshold: Option<u32>, measure: WearMeasure) -> Self {
        Self { geometry: *geometry, threshold, measure }
    }

    /// Returns the least worn full block of `plane` if its data has to be moved because the plane's blocks
    /// are worn too unevenly.
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

    /// Returns the full block of a plane that has the fewest erases and no program in flight. On a tie,
    /// returns the oldest block.
    pub(super) fn least_worn(&self, blocks: &Blocks, plane: PlaneId) -> Option<BlockId> {
        let all = blocks.settled(plane).filter(|(index, _)| !blocks.is_slc_line(*index));
        let coldest = all.min_by_key(|(_, block)| (block.erases, block.closed));
        coldest.map(|(index, _)| self.geometry.block(plane, index))
    }

    /// Returns the block that MQSim's rule moves, if any. Only the first block of a plane can be moved, and
    /// only if it has never been erased. The index of the plane's most worn block (the first one on a tie)
    /// must be at least `threshold`.
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

/// Returns true if the erase counts of a plane come closer together when the data of a block with this erase
/// count is moved.
fn narrows_the_spread(blocks: &Blocks, plane: PlaneId, erases: u32) -> bool {
    let state = &blocks.planes[plane];
    let Some((least, most)) = state.erases_of_free(blocks.table.of_plane(plane)) else { return false };
    least >= erases && (most > erases || state.has_resting_block())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::collector::Collector;
    use crate::ftl::shared::bench::Bench;
    use crate::ftl::space::{CollectionCause, WriteStream};

    const PLANE: PlaneId = PlaneId(0);

    /// Creates a plane of eight blocks with one page each, and its collector. Three blocks are full of valid
    /// data, and the others have been erased nine times.
    fn three_full_blocks() -> (Bench, Collector) {
        let mut bench = Bench::of(|geometry, settings| {
            (geometry.blocks_per_plane, geometry.pages_per_block) = (8, 1);
            settings.static_wear_levelling = Some(5);
            settings.gc_start_free_blocks = 2;
        });
        let blocks = &mut bench.shared.space.blocks;
        for block in (0..8).map(BlockId) {
            let (ppn, _) = blocks.allocate(PLANE, WriteStream::Collection).unwrap();
            blocks.table[block].pending_programs = 0;
            if block.0 >= 3 {
                blocks.invalidate(ppn);
                blocks.table[block].erases = 8;
                blocks.erase(block);
            }
        }
        let collector = Collector::new(&bench.shared.geometry, &bench.settings);
        (bench, collector)
    }

    fn due_block(bench: &Bench, collector: &Collector) -> Option<BlockId> {
        collector.wear.due_block(&bench.shared.space.blocks, PLANE)
    }

    fn victim(bench: &Bench) -> Option<(BlockId, CollectionCause)> {
        let collection = bench.shared.space.blocks.planes[PLANE].collection;
        collection.map(|collection| (collection.victim, collection.cause))
    }

    /// Ends the garbage collection of `block`, whose pages have already been moved.
    fn end_collection(bench: &mut Bench, collector: &mut Collector, block: BlockId) {
        let ppn = bench.shared.geometry.ppn(block, 0);
        bench.shared.space.blocks.invalidate(ppn);
        collector.erased(&mut bench.shared, PLANE, block, bench.now);
    }

    #[test]
    fn least_worn_block_is_a_full_one_and_the_oldest_of_equals() {
        let (mut bench, collector) = three_full_blocks();
        let blocks = &mut bench.shared.space.blocks;
        assert_eq!(collector.wear.least_worn(blocks, PLANE), Some(BlockId(0)));
        blocks.table[BlockId(0)].erases = 1;
        assert_eq!(collector.wear.least_worn(blocks, PLANE), Some(BlockId(1)));
        for block in (0..3).map(BlockId) {
            blocks.table[block].pending_programs = 1;
        }
        assert_eq!(collector.wear.least_worn(blocks, PLANE), None, "their programs are in flight");
    }

    #[test]
    fn coldest_block_is_moved_from_the_threshold_on() {
        let (mut bench, collector) = three_full_blocks();
        for (block, erases) in [(0, 3), (1, 2), (2, 2)] {
            bench.shared.space.blocks.table[BlockId(block)].erases = erases;
        }
        bench.shared.space.blocks.planes[PLANE].most_erases = 6;
        assert_eq!(due_block(&bench, &collector), None);
        bench.shared.space.blocks.planes[PLANE].most_erases = 7;
        assert_eq!(due_block(&bench, &collector), Some(BlockId(1)));
    }

    #[test]
    fn block_stays_while_another_has_worn_less_or_none_that_could_take_its_data_has_worn_more() {
        let (mut bench, collector) = three_full_blocks();
        bench.shared.space.blocks.table[BlockId(3)].erases = 0;
        for block in (0..3).map(BlockId) {
            bench.shared.space.blocks.table[block].erases = 1;
        }
        assert_eq!(due_block(&bench, &collector), None, "block 3 is free, and its turn will come");
        bench.shared.space.blocks.table[BlockId(3)].erases = 9;
        assert_eq!(due_block(&bench, &collector), Some(BlockId(0)));
        for block in (3..8).map(BlockId) {
            bench.shared.space.blocks.table[block].erases = 1;
        }
        assert_eq!(due_block(&bench, &collector), None, "it would only change places");
    }

    #[test]
    fn resting_data_fills_the_most_worn_free_block_alone() {
        let (mut bench, mut collector) = three_full_blocks();
        bench.shared.space.blocks.table[BlockId(6)].erases = 11;
        let cold = due_block(&bench, &collector).unwrap();
        collector.collect(&mut bench.shared, PLANE, cold, CollectionCause::Wear, bench.now);
        let blocks = &mut bench.shared.space.blocks;
        assert_eq!(blocks.stream_of_moves(PLANE), WriteStream::Resting);
        let (ppn, _) = blocks.allocate(PLANE, WriteStream::Resting).unwrap();
        assert_eq!(bench.shared.geometry.block_of(ppn), BlockId(6));
    }

    #[test]
    fn one_move_for_wear_follows_one_collection_for_space_at_most() {
        let (mut bench, mut collector) = three_full_blocks();
        bench.shared.space.blocks.planes[PLANE].most_erases = 9;
        collector.collect(&mut bench.shared, PLANE, BlockId(2), CollectionCause::Space, bench.now);
        end_collection(&mut bench, &mut collector, BlockId(2));
        assert_eq!(victim(&bench), Some((BlockId(0), CollectionCause::Wear)));
        end_collection(&mut bench, &mut collector, BlockId(0));
        assert_eq!(victim(&bench), None, "block 1 is as cold, but the host comes first");
    }
}
