//! Blocks whose data must be moved to preserve it (read reclaim, refresh), even if they have no invalid page.
//!
//! # How
//! A due block is collected like a victim: when its plane collects no other block and has a free block, or
//! after the garbage collection in progress. A block that is still open waits until it is full. With lines
//! (superblocks), the whole line is collected.
//!
//! At most one due block is collected after each garbage collection for space, so that due blocks cannot keep
//! a plane from freeing blocks. Their moves need no additional space, since they fit into a free block.
//! Refresh starts only in planes with more free blocks than the hard threshold, below which garbage
//! collection precedes the host. Even endless refresh, of data that becomes due again while it is moved, thus
//! leaves time for host commands.
//!
//! # What is left out
//! Blocks in SLC mode, which folding empties.

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, Geometry, PlaneId};

use super::{Collector, is_victim};
use crate::ftl::shared::Shared;
use crate::ftl::space::{Blocks, CollectionCause, Space};

/// Queue of blocks for each plane whose data must be moved for read reclaim or refresh.
#[derive(Clone, Debug)]
pub(super) struct DueBlocks {
    blocks_per_plane: u32,
    /// Due blocks of each plane (whose data must be moved), with the cause of the move.
    due: Vec<VecDeque<(BlockId, CollectionCause)>>,
    /// True while the host has requests. Refresh ends when the requests end. Otherwise it could continue
    /// forever, since moved data may have as many bit errors as before.
    pub(super) can_refresh: bool,
}

impl DueBlocks {
    /// Creates the state at the start of a run, in which no block is due.
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            blocks_per_plane: geometry.blocks_per_plane,
            due: vec![VecDeque::new(); geometry.planes() as usize],
            can_refresh: false,
        }
    }

    /// Adds a block to the due blocks of its plane, unless it is among them already.
    pub(super) fn add(&mut self, plane: PlaneId, block: BlockId, cause: CollectionCause) {
        if cause == CollectionCause::Refresh && !self.can_refresh {
            return;
        }
        let due = &mut self.due[plane.index()];
        if !due.iter().any(|&(other, _)| other == block) {
            due.push_back((block, cause));
        }
    }

    /// Records the erase of a block, which is then no longer due.
    pub(super) fn erased(&mut self, block: BlockId, plane: PlaneId) {
        self.due[plane.index()].retain(|&(due, _)| due != block);
    }

    /// Removes all blocks that are due for refresh. No further blocks become due for refresh.
    pub(super) fn end_refresh(&mut self) {
        self.can_refresh = false;
        self.due.iter_mut().for_each(|due| due.retain(|&(_, cause)| cause != CollectionCause::Refresh));
    }

    /// Returns true if the plane has blocks whose data must be moved.
    fn has_due(&self, plane: PlaneId) -> bool {
        !self.due[plane.index()].is_empty()
    }

    /// Returns the first due block of a plane that can be collected, with the cause of its move. `refreshes`
    /// is true if the plane has enough free blocks for refresh.
    fn next(&self, blocks: &Blocks, plane: PlaneId, refreshes: bool) -> Option<(BlockId, CollectionCause)> {
        let can_be_collected = |block: BlockId, cause| {
            let is_full = blocks.settled_at(plane, block.0 % self.blocks_per_plane).is_some();
            let is_permitted = refreshes || cause != CollectionCause::Refresh;
            is_permitted && is_full && !blocks.is_slc(block) && is_victim(blocks, block)
        };
        self.due[plane.index()].iter().copied().find(|&(block, cause)| can_be_collected(block, cause))
    }
}

impl Collector {
    /// Returns the next due block of a plane that can be collected, with the cause of its move.
    pub(super) fn next_due(&self, space: &Space, plane: PlaneId) -> Option<(BlockId, CollectionCause)> {
        let due = self.due.as_ref().filter(|due| due.has_due(plane) && !space.is_lost(plane))?;
        let refreshes = space.blocks().planes[plane].free_blocks() > self.stated_hard_free_blocks;
        due.next(space.blocks(), plane, refreshes)
    }

    /// Starts the garbage collection of the plane's next due block, if there is one.
    pub(super) fn collect_due(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        if can_start(&shared.space, plane)
            && let Some((block, cause)) = self.next_due(&shared.space, plane)
        {
            self.collect(shared, plane, block, cause, now);
        }
    }
}

/// Returns true if a plane collects no block and has enough free space for the data of a full block.
fn can_start(space: &Space, plane: PlaneId) -> bool {
    let (blocks, state) = (space.blocks(), &space.blocks().planes[plane]);
    state.collection.is_none() && state.free_blocks() > 0 && !blocks.is_line_collected() && !space.is_at_rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shared::bench::Bench;

    const PLANE: PlaneId = PlaneId(0);

    #[test]
    fn full_blocks_are_due_once_in_order_of_addition() {
        let mut bench = Bench::new(1, |_| {});
        bench.fill(0, 0, 9);
        let mut due = DueBlocks { can_refresh: true, ..DueBlocks::new(&bench.shared.geometry) };
        let causes =
            [(2, CollectionCause::Refresh), (1, CollectionCause::Refresh), (0, CollectionCause::Reclaim)];
        for (block, cause) in causes {
            due.add(PLANE, BlockId(block), cause);
        }
        due.add(PLANE, BlockId(1), CollectionCause::Reclaim);
        let next = |due: &DueBlocks| due.next(bench.shared.space.blocks(), PLANE, true);
        assert_eq!(next(&due), Some((BlockId(1), CollectionCause::Refresh)), "block 2 is open");
        due.erased(BlockId(1), PLANE);
        assert_eq!(next(&due), Some((BlockId(0), CollectionCause::Reclaim)));
        due.add(PLANE, BlockId(1), CollectionCause::Refresh);
        assert_eq!(
            due.next(bench.shared.space.blocks(), PLANE, false),
            Some((BlockId(0), CollectionCause::Reclaim))
        );
        due.end_refresh();
        due.add(PLANE, BlockId(1), CollectionCause::Refresh);
        assert_eq!(due.due[0], [(BlockId(0), CollectionCause::Reclaim)]);
    }
}
