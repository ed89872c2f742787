//! Garbage collection of a line: the blocks of one index in all planes.
//!
//! # How
//! The GCs of the line's blocks begin together and run side by side, each as that of a block. Moved units go to
//! the line of moves, striped over all planes whatever their old plane, and fill its pages together. The blocks
//! become free when the last one is erased, and then the next victim is chosen.

use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, PlaneId};
use venice_nand::transactions::Transaction;

use crate::ftl::shared::Shared;
use crate::ftl::space::CollectionCause;
use crate::ftl::tasks::Task;

use super::Collector;

impl Collector {
    /// Starts the GC of the line of a full block in all planes.
    pub(super) fn collect_line(
        &mut self,
        shared: &mut Shared,
        victim: BlockId,
        cause: CollectionCause,
        now: SimTime,
    ) {
        let index = victim.0 % self.geometry.blocks_per_plane;
        let planes = (0..self.geometry.planes()).map(PlaneId);
        for plane in planes.clone() {
            self.begin_at(shared, plane, self.geometry.block(plane, index), cause, now);
        }
        for plane in planes {
            self.order_moves(shared, plane, now);
        }
    }

    /// True if no plane has pages of the line that is collected whose moves are not ordered.
    pub(super) fn is_line_ordered(&self, shared: &Shared) -> bool {
        let planes = &shared.space.blocks.planes;
        (0..self.geometry.planes()).all(|plane| {
            let collection = planes[PlaneId(plane)].collection;
            collection.is_none_or(|collection| collection.next_offset == self.geometry.pages_per_block)
        })
    }

    /// Lets the next page of moves go to the plane of a move that was dropped before it had got a page.
    pub(super) fn move_dropped(&self, shared: &mut Shared, dropped: &Transaction) {
        if self.by_line {
            shared.space.blocks.return_plane_of_moves(dropped.plane);
        }
    }

    /// Leaves tasks for the writes that may have waited for an erased block of `plane`: a line becomes free in all
    /// planes.
    pub(super) fn leave_room_tasks(&self, shared: &mut Shared, plane: PlaneId) {
        let is_line_free = self.by_line && !shared.space.blocks.is_line_collected();
        let planes = if is_line_free { 0..self.geometry.planes() } else { plane.0..plane.0 + 1 };
        for plane in planes.map(PlaneId) {
            shared.tasks.push(Task::RoomFreed(plane));
        }
    }
}
