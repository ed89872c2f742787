//! Garbage collection (GC) of a line (superblock). A line consists of the blocks with the same index in all
//! planes.
//!
//! # How
//! The blocks of the line are collected concurrently, each like a single block. Moved mapping units fill the
//! pages of a separate line, striped over all planes, regardless of their old plane. The blocks become free
//! when the last one has been erased. Then the next victim is chosen.

use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, PlaneId};
use venice_nand::transactions::Transaction;

use crate::ftl::shared::Shared;
use crate::ftl::space::CollectionCause;
use crate::ftl::tasks::Task;

use super::Collector;

impl Collector {
    /// Starts the GC of all blocks in the full line (superblock) that contains `block`.
    pub(super) fn collect_line(
        &mut self,
        shared: &mut Shared,
        victim: BlockId,
        cause: CollectionCause,
        now: SimTime,
    ) {
        let index = victim.0 % self.geometry.blocks_per_plane;
        let is_fold = shared.space.blocks.is_slc(victim);
        let cause = if is_fold { CollectionCause::Fold } else { cause };
        if is_fold && shared.space.blocks.fold_begins(index) {
            self.hard_free_blocks = u32::MAX;
        }
        let planes = (0..self.geometry.planes()).map(PlaneId);
        for plane in planes.clone() {
            self.begin_at(shared, plane, self.geometry.block(plane, index), cause, now);
        }
        for plane in planes {
            self.order_moves(shared, plane, now);
        }
    }

    /// Returns true if the moves of all valid pages in the collected line (superblock) have been queued.
    pub(super) fn is_line_ordered(&self, shared: &Shared) -> bool {
        let planes = &shared.space.blocks.planes;
        (0..self.geometry.planes()).all(|plane| {
            let collection = planes[PlaneId(plane)].collection;
            collection.is_none_or(|collection| collection.next_offset == self.geometry.pages_per_block)
        })
    }

    /// Queues the erases of the collected line (superblock) when all its moves and reads have ended. Until then,
    /// its parity is needed to rebuild data.
    pub(super) fn erase_line_if_empty(&self, shared: &mut Shared, now: SimTime) {
        let planes = || (0..self.geometry.planes()).map(PlaneId);
        let blocks = &shared.space.blocks;
        let is_over = |plane| {
            blocks.planes[plane].collection.is_none_or(|collection| {
                collection.unfinished == 0 && blocks.table[collection.victim].pending_reads == 0
            })
        };
        if planes().all(is_over) {
            for plane in planes() {
                self.erase_block_if_empty(shared, plane, now);
            }
        }
    }

    /// Makes the plane of a cancelled move available again, so that the next page of moved mapping units is
    /// written there. The cancelled move has no physical page yet. Does nothing on a drive without lines
    /// (superblocks).
    pub(super) fn move_dropped(&self, shared: &mut Shared, dropped: &Transaction) {
        if self.by_line {
            shared.space.blocks.return_plane_of_moves(dropped.plane);
        }
    }

    /// Continues writes that wait for a free page in `plane`, after a block has been erased. If the erase
    /// completes a free line (superblock), writes in all planes are continued.
    pub(super) fn leave_room_tasks(&self, shared: &mut Shared, plane: PlaneId) {
        let is_line_free = self.by_line && !shared.space.blocks.is_line_collected();
        let planes = if is_line_free { 0..self.geometry.planes() } else { plane.0..plane.0 + 1 };
        for plane in planes.map(PlaneId) {
            shared.tasks.push(Task::RoomFreed(plane));
        }
    }
}
