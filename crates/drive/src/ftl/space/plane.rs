//! State of a plane, and the next write position of each of its streams.
//!
//! # How
//! Without a free block, the streams of the host and the map share any open block of theirs. Without a free
//! page in these, they wait until GC, repeated if necessary, has erased a block for them, so that new and
//! cold data do not share blocks. A plane with fewer than three spare blocks (the reserved one, the host's
//! and that of GC) has too few for that: there, and in every plane with `WriteFrontiers::Shared`, they fill
//! the part of the open GC block that the GC in progress does not need. With that rule GC on a plane never
//! deadlocks as long as the plane's logical pages are fewer than its pages without one block: then some full
//! block always has an invalid page, its valid pages always fit into the reserved block, and its erase always
//! frees one. For the same reason either all streams have free pages, or none.
//!
//! Streams that fill lines share no block (`lines`).

use serde::{Deserialize, Serialize};
use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, MappingUnits};

use super::block_table::{Block, BlockTable};
use super::free_blocks::FreeBlocks;
use super::frontiers::{Frontiers, OpenBlockCounts, WriteStream};
use crate::ftl::collector::settings::{GcTrigger, WearMeasure, WriteFrontiers};
use crate::ftl::gc_destination::Frontier;
use crate::ftl::settings::FtlSettings;

/// Reserved free blocks of a plane, which only GC may open.
pub const KEPT_FOR_COLLECTION: u32 = 1;

/// Number of blocks, beyond its valid pages, that a plane needs for separate write frontiers of the host and
/// of garbage collection: the reserved block and the two open ones. With fewer blocks, the space that the
/// frontiers occupy costs more write amplification than the separation of hot and cold data saves, under any
/// workload.
const SPARE_FOR_TWO_FRONTIERS: u32 = 3;

/// Reason for the GC of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionCause {
    /// The block's plane is short of free blocks.
    Space,
    /// Wear levelling: the block is less worn than others.
    Wear,
}

/// The GC of one block, in progress.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// Block that is being collected.
    pub victim: BlockId,
    /// Reason for this garbage collection.
    pub cause: CollectionCause,
    /// Open block that the moves fill if they stay in the plane.
    pub frontier: Frontier,
    /// Number of moves that have no new page yet; a free page is reserved for each.
    pub unplaced: u32,
    /// Number of moves that have not ended.
    pub unfinished: u32,
    /// Number of moves that were queued and have not ended.
    pub in_flight: u32,
    /// Offset in the victim of the first page whose move was not queued.
    pub next_offset: u32,
    /// True if the erase was ordered.
    pub erasing: bool,
}

impl Collection {
    /// Cancels the move of a page that was invalidated, if the move is not queued yet.
    #[inline]
    pub(super) fn forget_page(&mut self, block: BlockId, offset: u32) {
        if block == self.victim && offset >= self.next_offset {
            self.unfinished -= 1;
            self.unplaced -= 1;
        }
    }
}

/// Rules of garbage collection that affect page allocation in a plane.
#[derive(Clone, Copy, Debug)]
pub struct CollectionRule {
    /// Trigger of garbage collection.
    pub trigger: GcTrigger,
    /// GC threshold: with fewer free blocks, a plane is short.
    pub start_free_blocks: u32,
    /// Write stop threshold: with fewer free blocks, host writes wait for the GC in progress.
    pub stop_free_blocks: u32,
    /// Sharing of blocks between the host and garbage collection.
    pub write_frontiers: WriteFrontiers,
    /// Measure of wear; decides if data moved by wear levelling has a separate block.
    pub wear_measure: WearMeasure,
    /// Mapping units, whose pages are programmed whole.
    pub units: MappingUnits,
    /// True if streams share no block, since blocks form lines.
    pub by_line: bool,
}

impl CollectionRule {
    /// Rule of planes that are never short of free blocks.
    #[cfg(test)]
    pub(super) const NEVER_SHORT: Self = Self {
        trigger: GcTrigger::Shortage,
        start_free_blocks: 0,
        stop_free_blocks: 0,
        write_frontiers: WriteFrontiers::Separate,
        wear_measure: WearMeasure::Erases,
        units: MappingUnits::PAGES,
        by_line: false,
    };

    /// Returns the rule that the settings define.
    pub fn of(settings: &FtlSettings) -> Self {
        Self {
            trigger: settings.gc_trigger,
            start_free_blocks: settings.gc_start_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            // A page from another plane takes free pages that a waiting host was promised.
            write_frontiers: if settings.moves_leave() {
                WriteFrontiers::Shared
            } else {
                settings.write_frontiers
            },
            wear_measure: settings.wear_measure,
            units: settings.units,
            by_line: settings.allocation.is_striped(),
        }
    }

    /// Returns the stream of the moves of a GC.
    fn stream_of(&self, collection: Collection) -> WriteStream {
        match (collection.cause, self.wear_measure) {
            (CollectionCause::Wear, WearMeasure::Erases) => WriteStream::Resting,
            _ if collection.frontier == Frontier::Resting => WriteStream::Resting,
            _ => WriteStream::Collection,
        }
    }
}

/// State of a plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plane {
    pub(super) open: Frontiers,
    pub(super) free: FreeBlocks,
    /// Highest erase count among the plane's blocks.
    pub most_erases: u32,
    /// Number of pages written since their block's last erase that are no longer valid.
    pub invalid_pages: u32,
    /// GC in progress.
    #[serde(skip)]
    pub collection: Option<Collection>,
    /// Number of programs whose page was allocated and that have not ended.
    #[serde(skip)]
    pub pending_programs: u32,
    /// Number of garbage collections that full blocks have requested and that have not begun.
    pub owed_collections: u32,
    /// Time from which the host could write to the plane, regardless of the die's state.
    #[serde(skip)]
    pub writable_since: SimTime,
    /// Number of valid pages and of host writes that are queued.
    pub committed_pages: u32,
}

/// Position of the next page of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextWritePosition {
    /// The next page of an open block.
    Open(BlockId),
    /// The first page of a free block.
    NewBlock,
}

impl Plane {
    /// Returns an erased plane.
    pub fn new(free: FreeBlocks, streams: OpenBlockCounts) -> Self {
        Self {
            open: Frontiers::new(streams),
            free,
            most_erases: 0,
            invalid_pages: 0,
            collection: None,
            pending_programs: 0,
            owed_collections: 0,
            writable_since: SimTime::ZERO,
            committed_pages: 0,
        }
    }

    /// Returns the number of erased blocks that are not open.
    #[inline]
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Takes a free block out of use.
    pub fn keep_from_use(&mut self) {
        self.free.take();
    }

    /// True if a block is open for cold data.
    pub fn has_resting_block(&self) -> bool {
        self.open.of(WriteStream::Resting).is_some()
    }

    /// Returns the fewest and the most erases of the free blocks, if there are any; `blocks` are the plane's
    /// blocks.
    pub fn erases_of_free(&self, blocks: &[Block]) -> Option<(u32, u32)> {
        self.free.least_and_most_worn(|index| blocks[index as usize].erases)
    }

    /// Returns the number of unusable blocks: erased blocks that are neither free nor open.
    pub fn out_of_use(&self, blocks: &BlockTable, own: &[Block]) -> u32 {
        let open = self.open.all().filter(|&block| blocks[block].written == 0).count();
        let unwritten = own.iter().filter(|block| block.written == 0).count();
        (unwritten - open) as u32 - self.free_blocks()
    }

    /// True if host writes wait for the GC in progress.
    #[inline]
    pub fn is_stopped(&self, rule: &CollectionRule) -> bool {
        self.collection.is_some() && self.free_blocks() < rule.stop_free_blocks
    }

    /// Aborts the garbage collection in progress, if there is one, and requests a new one.
    pub fn break_off_collection(&mut self) {
        if self.collection.take().is_some() {
            self.owed_collections += 1;
        }
    }

    /// True if the plane has invalid pages and no GC in progress.
    #[inline]
    pub const fn may_collect(&self) -> bool {
        self.collection.is_none() && self.invalid_pages > 0
    }

    /// Returns the stream of the moves of the GC in progress.
    #[inline]
    pub fn stream_of_moves(&self, rule: &CollectionRule) -> WriteStream {
        self.collection.map_or(WriteStream::Collection, |collection| rule.stream_of(collection))
    }

    /// Returns the next write position of a stream, if there is a free page.
    #[inline]
    pub fn room(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        if stream == WriteStream::Guest {
            return self.guest_room(blocks, rule);
        }
        let kept = match stream {
            WriteStream::Host(_) | WriteStream::Mapping(_) => KEPT_FOR_COLLECTION,
            WriteStream::Collection | WriteStream::Guest | WriteStream::Resting => 0,
        };
        let new = || (self.free_blocks() > kept).then_some(NextWritePosition::NewBlock);
        let own = self.open.of(stream).map(NextWritePosition::Open);
        own.or_else(new).or_else(|| self.shared_room(blocks, rule, stream))
    }

    /// Returns the write position of the host or the mapping table in a block of another stream: in another
    /// stream's open block, or in the block of garbage collection.
    #[cold]
    fn shared_room(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        if rule.by_line || matches!(stream, WriteStream::Collection | WriteStream::Resting) {
            return None;
        }
        let other = self.open.first_shared().map(NextWritePosition::Open);
        let waits = self.has_room_for_two_frontiers(blocks, rule);
        other.or_else(|| if waits { None } else { self.room_to_borrow(blocks, rule, stream) })
    }

    /// Returns the write position that the host and the mapping table may use in the blocks that garbage
    /// collection and wear levelling fill.
    #[cold]
    pub fn room_to_borrow(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        if rule.by_line || !matches!(stream, WriteStream::Host(_) | WriteStream::Mapping(_)) {
            return None;
        }
        let spare = self.spare_room(blocks, rule, WriteStream::Collection);
        spare.or_else(|| self.spare_room(blocks, rule, WriteStream::Resting))
    }

    /// True if the plane has spare blocks for separate frontiers, so that the host waits for a free block
    /// instead of filling the block of garbage collection. The number of spare pages, free and invalid ones
    /// together, is the same before, during and after a garbage collection, so the wait always ends. Invalid
    /// pages of blocks that garbage collection fills are not counted, since none of them is freed before its
    /// block is full.
    fn has_room_for_two_frontiers(&self, blocks: &BlockTable, rule: &CollectionRule) -> bool {
        if rule.write_frontiers == WriteFrontiers::Shared {
            return false;
        }
        let pages = blocks.pages_per_block();
        let left = self.open.of(WriteStream::Collection).map_or(0, |block| blocks.left_in(block));
        let open = [WriteStream::Collection, WriteStream::Resting]
            .into_iter()
            .filter_map(|stream| self.open.of(stream));
        let useless: u32 = open.map(|block| blocks[block].written - blocks[block].valid).sum();
        let to_spare = self.free_blocks() * pages + left + self.invalid_pages - useless;
        // Blocks need not be worth collecting while they lack less than a page's units.
        let stranded = blocks.blocks_per_plane() * (rule.units.per_program() - 1);
        to_spare >= SPARE_FOR_TWO_FRONTIERS * pages + stranded
    }

    /// Returns the write position for a page of another plane: a spare page of the plane's block for garbage
    /// collection, or a page of any block except the reserved one.
    fn guest_room(&self, blocks: &BlockTable, rule: &CollectionRule) -> Option<NextWritePosition> {
        match self.open.of(WriteStream::Collection) {
            Some(_) => self.spare_room(blocks, rule, WriteStream::Collection),
            None => (self.free_blocks() > KEPT_FOR_COLLECTION).then_some(NextWritePosition::NewBlock),
        }
    }

    /// Returns the next page of an open block of garbage collection or wear levelling, if the moves in
    /// progress have enough free pages without it.
    fn spare_room(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        let block = self.open.of(stream)?;
        let room = blocks.left_in(block) + self.free_blocks() * blocks.pages_per_block();
        let moves = self.collection.filter(|collection| rule.stream_of(*collection) == stream);
        let needed = moves.map_or(0, |collection| rule.units.round_up(collection.unplaced));
        (room > needed).then_some(NextWritePosition::Open(block))
    }
}
