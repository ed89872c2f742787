//! Read reclaim: moves the data of blocks that have been read many times.
//!
//! # What it models
//! Every read of a page disturbs the other pages of its block, whose raw bit error rate rises. After a number
//! of reads since its last erase, a block is collected like a victim, although its data is valid: the data is
//! programmed again elsewhere, and the block is erased.
//!
//! # How
//! Reads of the host, of partial writes, of the map and of searches count, once for each mapping unit, and so do
//! reads of scrub. A block that has reached the number of reads is added to [`DueBlocks`](super::due_blocks::DueBlocks).
//!
//! # What is left out
//! Reads before the run, and those of read retries.
//!
//! # Source
//! Ha, Jeong, Kim, "A read-disturb management technique for high-density NAND flash memory", `APSys` 2013.
//!
//! # Parameters
//! `ftl.read_reclaim_reads`

use venice_kernel::SimTime;
use venice_kernel::mem::SparseTable;
use venice_nand::geometry::{BlockId, Geometry};

use super::Collector;
use crate::ftl::shared::Shared;
use crate::ftl::space::CollectionCause;

/// Number of reads of each block since its last erase, with the limit at which its data is moved.
#[derive(Clone, Debug)]
pub(super) struct ReadReclaim {
    /// Number of reads of a block after which its data must be moved.
    most_reads: u32,
    /// Number of reads of each block since its last erase.
    reads: SparseTable<u32>,
}

impl ReadReclaim {
    /// Creates the state at the start of a run; `None` if the drive has no read reclaim.
    pub(super) fn new(geometry: &Geometry, most_reads: u32) -> Option<Self> {
        (most_reads > 0).then(|| Self { most_reads, reads: SparseTable::new(geometry.blocks() as usize) })
    }

    /// Counts a read of a mapping unit in a block. Returns true if the block has now reached the number of
    /// reads at which its data must be moved.
    fn note_read(&mut self, block: BlockId) -> bool {
        let reads = self.reads.entry(block.0 as usize);
        *reads += 1;
        *reads == self.most_reads
    }

    /// Records the erase of a block.
    pub(super) fn erased(&mut self, block: BlockId) {
        *self.reads.entry(block.0 as usize) = 0;
    }
}

impl Collector {
    /// Returns true if the drive has read reclaim or refresh, so that the data of blocks may have to be
    /// moved.
    #[inline]
    pub(in crate::ftl) const fn has_due_blocks(&self) -> bool {
        self.due.is_some()
    }

    /// Counts a read of a block, and starts the garbage collection of the plane's next block that is due for
    /// read reclaim or refresh.
    #[cold]
    pub(in crate::ftl) fn note_read(&mut self, shared: &mut Shared, block: BlockId, now: SimTime) {
        let plane = self.geometry.plane_of(block);
        if let (Some(reclaim), Some(due)) = (&mut self.reclaim, &mut self.due)
            && reclaim.note_read(block)
        {
            due.add(plane, block, CollectionCause::Reclaim);
        }
        self.collect_due(shared, plane, now);
    }
}
