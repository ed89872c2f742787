//! Read reclaim: moves the data of blocks that have been read many times.
//!
//! # What it models
//! Every read of a page disturbs the other pages of its block, whose raw bit error rate rises. After a number
//! of reads since its last erase, a block is collected like a victim, although its data is valid: the data is
//! programmed again elsewhere, and the block is erased.
//!
//! # How
//! Reads of the host, of partial writes, of the map and of searches count, once for each mapping unit. A block
//! that has reached the number of reads is collected at the next end of such a read at which its plane collects
//! no other block and has a free block, or after the garbage collection in progress. A block that is still open
//! waits until it is full. With lines (superblocks), the whole line is collected.
//!
//! At most one block is reclaimed after each garbage collection for space, so that read reclaim cannot keep a
//! plane from freeing blocks. It needs no additional space, since moves fit into a free block.
//!
//! # What is left out
//! Reads before the run, and those of read retries. Blocks in SLC mode, which folding empties.
//!
//! # Source
//! Ha, Jeong, Kim, "A read-disturb management technique for high-density NAND flash memory", `APSys` 2013.
//!
//! # Parameters
//! `ftl.read_reclaim_reads`

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_kernel::mem::SparseTable;
use venice_nand::geometry::{BlockId, Geometry, PlaneId};

use super::{Collector, is_victim};
use crate::ftl::shared::Shared;
use crate::ftl::space::{Blocks, CollectionCause, Space};

/// Numbers of reads of all blocks, and the blocks that are due.
#[derive(Clone, Debug)]
pub(super) struct ReadReclaim {
    blocks_per_plane: u32,
    /// Number of reads after which a block is due.
    most_reads: u32,
    /// Number of reads of each block since its last erase.
    reads: SparseTable<u32>,
    /// Blocks that are due, by plane.
    due: Vec<VecDeque<BlockId>>,
}

impl ReadReclaim {
    /// Creates the state at the start of a run; `None` if blocks are never due.
    pub(super) fn new(geometry: &Geometry, most_reads: u32) -> Option<Self> {
        (most_reads > 0).then(|| Self {
            blocks_per_plane: geometry.blocks_per_plane,
            most_reads,
            reads: SparseTable::new(geometry.blocks() as usize),
            due: vec![VecDeque::new(); geometry.planes() as usize],
        })
    }

    /// Counts a read of a mapping unit. Returns true if blocks of the plane are due.
    fn note_read(&mut self, block: BlockId, plane: PlaneId) -> bool {
        let reads = self.reads.entry(block.0 as usize);
        *reads += 1;
        let due = &mut self.due[plane.index()];
        if *reads == self.most_reads {
            due.push_back(block);
        }
        !due.is_empty()
    }

    /// Records the erase of a block.
    pub(super) fn erased(&mut self, block: BlockId, plane: PlaneId) {
        *self.reads.entry(block.0 as usize) = 0;
        self.due[plane.index()].retain(|&due| due != block);
    }

    /// Returns the block of a plane that is due first among those that can be collected.
    pub(super) fn next(&self, blocks: &Blocks, plane: PlaneId) -> Option<BlockId> {
        let can_be_collected = |block: BlockId| {
            let is_full = blocks.settled_at(plane, block.0 % self.blocks_per_plane).is_some();
            is_full && !blocks.is_slc(block) && is_victim(blocks, block)
        };
        self.due[plane.index()].iter().copied().find(|&block| can_be_collected(block))
    }
}

impl Collector {
    /// Returns true if blocks are collected after a number of reads.
    #[inline]
    pub(in crate::ftl) const fn reclaims(&self) -> bool {
        self.reclaim.is_some()
    }

    /// Counts a read of a block, and starts the garbage collection of a block of the plane that is due.
    #[cold]
    pub(in crate::ftl) fn note_read(&mut self, shared: &mut Shared, block: BlockId, now: SimTime) {
        let plane = self.geometry.plane_of(block);
        let Some(reclaim) = &mut self.reclaim else { return };
        if !reclaim.note_read(block, plane) || !can_start(&shared.space, plane) {
            return;
        }
        if let Some(due) = reclaim.next(shared.space.blocks(), plane) {
            self.collect(shared, plane, due, CollectionCause::Reclaim, now);
        }
    }
}

/// Returns true if a plane collects no block and can hold the moved data of a full one.
fn can_start(space: &Space, plane: PlaneId) -> bool {
    let (blocks, state) = (space.blocks(), &space.blocks().planes[plane]);
    state.collection.is_none()
        && state.free_blocks() > 0
        && !blocks.is_line_collected()
        && !space.is_at_rest
        && !space.is_lost(plane)
}
