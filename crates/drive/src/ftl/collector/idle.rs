//! Garbage collection (GC) in idle time, which stops when the host issues a request.
//!
//! # How
//! The trigger in `victims` starts the GC of a block with the cause
//! [`Idle`](CollectionCause::Idle). [`Collector::stop_idle`] cancels the moves that have not been queued. When
//! the queued ones have ended, the GC ends without an erase, and the block may become a victim again. If a block
//! of a line (superblock) has been erased, the GC of the line is completed, as is the GC of a plane whose free
//! blocks fall below the start threshold.

use venice_kernel::SimTime;
use venice_nand::geometry::PlaneId;

use crate::ftl::shared::Shared;
use crate::ftl::space::{Blocks, CollectionCause};

use super::Collector;

impl Collector {
    /// Stops the GC that began in idle time, since the idle time has ended.
    pub(in crate::ftl) fn stop_idle(&mut self, shared: &mut Shared, now: SimTime) {
        let planes = || (0..self.geometry.planes()).map(PlaneId);
        let can_stop = |plane| can_stop(&shared.space.blocks, plane);
        let stopped: Vec<PlaneId> = match self.by_line {
            true if !planes().all(can_stop) => Vec::new(),
            true => planes().collect(),
            false => planes().filter(|&plane| can_stop(plane)).collect(),
        };
        for &plane in &stopped {
            if let Some(collection) = &mut shared.space.blocks.planes[plane].collection {
                collection.stop(self.geometry.pages_per_block);
            }
        }
        for plane in stopped {
            self.order_moves(shared, plane, now);
        }
    }

    /// Ends the GC of a block that was stopped and whose last queued move has ended.
    pub(super) fn end_stopped(&self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        shared.space.blocks.stopped_collection_ends(plane);
        shared.queues.measured.cancel_erase(plane, now);
        shared.space.notices.note(plane);
        shared.check_free_blocks(plane);
        self.leave_room_tasks(shared, plane);
    }
}

/// Returns true if the GC of a plane began in idle time, has moves that are not queued, and is not needed for
/// space.
fn can_stop(blocks: &Blocks, plane: PlaneId) -> bool {
    let state = &blocks.planes[plane];
    state.collection.is_some_and(|collection| {
        collection.cause == CollectionCause::Idle && !collection.erasing && !collection.is_stopped
    }) && !blocks.is_short(plane)
}
