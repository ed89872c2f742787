//! State of a plane, and the next write position of each of its streams.
//!
//! # A plane without a free block
//! If no block but the reserved one is free, the streams of host writes and of map write-backs share their
//! open blocks. If these have no free page, the writes wait, in the queue of their die or in
//! `writes/page_allocation.rs`, until garbage collection (GC) has erased a block. They do not share the open
//! block of GC, which keeps new and cold data apart. `collector/victims.rs` starts the GC; the task
//! `RoomFreed` continues the writes.
//!
//! This needs at least three spare blocks: the reserved one, and the open ones of the host and of GC. In a
//! plane with fewer spare blocks, and in every plane with `WriteFrontiers::Shared`, host writes fill the
//! pages of the open GC block that the GC in progress does not need.
//!
//! With this rule, GC in a plane cannot deadlock as long as the plane has fewer logical pages than pages in
//! all blocks but one. Some full block then always has an invalid page, its valid pages fit into the reserved
//! block, and its erase frees a block. For the same reason, either all streams have free pages or none has.
//!
//! Streams that fill lines (superblocks) do not share blocks (`lines`).

use serde::{Deserialize, Serialize};
use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, MappingUnits};

use super::block_table::{Block, BlockTable};
use super::free_blocks::FreeBlocks;
use super::frontiers::{Frontiers, OpenBlockCounts, WriteStream};
use crate::ftl::collector::settings::{GcTrigger, WearMeasure, WriteFrontiers};
use crate::ftl::gc_destination::Frontier;
use crate::ftl::settings::FtlSettings;

/// Number of free blocks reserved in each plane, which only garbage collection may open.
pub const KEPT_FOR_COLLECTION: u32 = 1;

/// Number of spare blocks with which a plane has separate open blocks of the host and of garbage collection:
/// the reserved block and the two open blocks. Spare blocks are the blocks beyond the number that the plane's
/// valid pages fill. With fewer spare blocks, separation is not worthwhile: the space of two open blocks
/// costs more write amplification than the separation of hot and cold data saves.
const SPARE_FOR_TWO_FRONTIERS: u32 = 3;

/// Reason for the garbage collection of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionCause {
    /// The block's plane has too few free blocks.
    Space,
    /// The drive is idle, and the block's plane has fewer free blocks than the target of idle time.
    Idle,
    /// Wear levelling: the block is less worn than others of its plane.
    Wear,
    /// Read reclaim: the block has been read too many times.
    Reclaim,
    /// Refresh: the data of the block is too old or has too many bit errors.
    Refresh,
    /// Folding: the block is part of a line of the pSLC cache.
    Fold,
}

impl CollectionCause {
    /// Returns true if the block is collected because of its wear or of bit errors in its data, and not to
    /// gain space.
    pub const fn is_for_reliability(self) -> bool {
        matches!(self, Self::Wear | Self::Reclaim | Self::Refresh)
    }

    /// Returns true if the data of the block must be moved to preserve it (read reclaim, refresh), although
    /// the block may have no invalid page. Such a move gains no space for waiting host writes, so host writes
    /// precede the move.
    pub const fn is_of_due_data(self) -> bool {
        matches!(self, Self::Reclaim | Self::Refresh)
    }
}

/// Garbage collection of a block that is in progress.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// Block that is being collected.
    pub victim: BlockId,
    /// Reason for the garbage collection of the block.
    pub cause: CollectionCause,
    /// Open block (write frontier, ordinary or cold) for moved pages that stay in the plane.
    pub frontier: Frontier,
    /// Number of pages of the victim that still need a new page. A free page is reserved for each of them.
    pub unplaced: u32,
    /// Number of pages of the victim whose move has not ended, whether or not it has begun.
    pub unfinished: u32,
    /// Number of moves that have been queued and have not ended.
    pub in_flight: u32,
    /// Offset in the victim of the first page whose move has not been queued.
    pub next_offset: u32,
    /// True if the erase of the victim has been queued.
    pub erasing: bool,
    /// True if no further pages are moved and the block is not erased, because the idle time in which its
    /// garbage collection began has ended.
    pub is_stopped: bool,
}

impl Collection {
    /// Stops the garbage collection: moves that have not been queued are cancelled, and the block is not
    /// erased.
    pub fn stop(&mut self, pages_per_block: u32) {
        let cancelled = self.unfinished - self.in_flight;
        self.unfinished -= cancelled;
        self.unplaced -= cancelled;
        self.next_offset = pages_per_block;
        self.is_stopped = true;
    }

    /// Cancels the move of a page that has become invalid, if the move has not been queued.
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
    /// Start threshold: a plane with fewer free blocks needs garbage collection.
    pub start_free_blocks: u32,
    /// Write stop threshold: in a plane with fewer free blocks, host writes wait for the garbage collection
    /// in progress.
    pub stop_free_blocks: u32,
    /// Separation of host writes and pages moved by garbage collection into different blocks.
    pub write_frontiers: WriteFrontiers,
    /// Measure of wear. With [`WearMeasure::Erases`], wear levelling moves data to a separate block.
    pub wear_measure: WearMeasure,
    /// Size of the mapping units. A page is always programmed as a whole.
    pub units: MappingUnits,
    /// True if blocks form lines (superblocks). Streams then do not share blocks.
    pub by_line: bool,
    /// Number of free blocks that host writes must leave free. The pSLC cache changes it during the run.
    pub kept_from_host: u32,
    /// Number of free blocks that write-backs of the map must leave free.
    pub kept_from_map: u32,
    /// Number of blocks of a plane, beginning with the first one, that only the static pSLC cache uses.
    pub static_slc_blocks: u32,
}

impl CollectionRule {
    /// Rules for planes that always have enough free blocks, so that garbage collection never starts.
    #[cfg(test)]
    pub(super) const NEVER_SHORT: Self = Self {
        trigger: GcTrigger::Shortage,
        start_free_blocks: 0,
        stop_free_blocks: 0,
        write_frontiers: WriteFrontiers::Separate,
        wear_measure: WearMeasure::Erases,
        units: MappingUnits::PAGES,
        by_line: false,
        kept_from_host: KEPT_FOR_COLLECTION,
        kept_from_map: KEPT_FOR_COLLECTION,
        static_slc_blocks: 0,
    };

    /// Returns the rules of garbage collection for these settings.
    pub fn of(settings: &FtlSettings) -> Self {
        Self {
            trigger: settings.gc_trigger,
            start_free_blocks: settings.gc_start_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            // A page that is moved from another plane may take free pages while a host write waits for a free
            // page.
            write_frontiers: if settings.moves_leave() {
                WriteFrontiers::Shared
            } else {
                settings.write_frontiers
            },
            wear_measure: settings.wear_measure,
            units: settings.units,
            by_line: settings.allocation.is_striped(),
            kept_from_host: KEPT_FOR_COLLECTION,
            kept_from_map: KEPT_FOR_COLLECTION,
            static_slc_blocks: settings.slc.map_or(0, |slc| slc.static_lines),
        }
    }

    /// Returns the stream to which a garbage collection moves pages.
    fn stream_of(&self, collection: Collection) -> WriteStream {
        match (collection.cause, self.wear_measure) {
            (CollectionCause::Wear, WearMeasure::Erases) => WriteStream::Resting,
            _ if collection.frontier == Frontier::Resting => WriteStream::Resting,
            _ => WriteStream::Collection,
        }
    }
}

/// State of a plane, except its blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plane {
    pub(super) open: Frontiers,
    pub(super) free: FreeBlocks,
    /// Largest erase count among the plane's blocks.
    pub most_erases: u32,
    /// Number of programmed pages in the plane that are invalid.
    pub invalid_pages: u32,
    /// Garbage collection in progress in the plane.
    #[serde(skip)]
    pub collection: Option<Collection>,
    /// Number of programs whose page has been allocated and that have not ended.
    #[serde(skip)]
    pub pending_programs: u32,
    /// Number of garbage collections that must still be started with `gc_trigger = "full_block"`: one for
    /// each block that has become full.
    pub owed_collections: u32,
    /// Time since which the plane has had a free page for the host, regardless of the die's state.
    #[serde(skip)]
    pub writable_since: SimTime,
    /// Number of pages committed to the plane: valid host pages, queued host writes, and all translation
    /// pages of the plane.
    pub committed_pages: u32,
}

/// Position of the next page that a stream writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextWritePosition {
    /// Next page of an open block.
    Open(BlockId),
    /// First page of a free block.
    NewBlock,
}

impl Plane {
    /// Creates the state of an erased plane with the free blocks `free`. `streams` determines the number of
    /// open blocks.
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

    /// Returns the number of free blocks, which are erased and not open.
    #[inline]
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Marks a free block as unusable, so that it is never opened.
    pub fn keep_from_use(&mut self) {
        self.free.take();
    }

    /// Returns true if a block is open for cold data.
    pub fn has_resting_block(&self) -> bool {
        self.open.of(WriteStream::Resting).is_some()
    }

    /// Returns the smallest and the largest erase count among the free blocks, if there are any. `blocks` are
    /// the blocks of the plane.
    pub fn erases_of_free(&self, blocks: &[Block]) -> Option<(u32, u32)> {
        self.free.least_and_most_worn(|index| blocks[index as usize].erases)
    }

    /// Returns the number of blocks out of use (marked as unusable). These are the erased blocks that are
    /// neither open nor available to be opened, without factory bad blocks.
    pub fn out_of_use(&self, blocks: &BlockTable, own: &[Block]) -> u32 {
        let open = self.open.all().filter(|&block| blocks[block].written == 0).count();
        let usable = &own[..self.free.usable() as usize];
        let unwritten = usable.iter().filter(|block| block.written == 0).count();
        (unwritten - open) as u32 - self.free_blocks()
    }

    /// Returns true if host writes wait for the garbage collection in progress, since the plane has too few
    /// free blocks.
    #[inline]
    pub fn is_stopped(&self, rule: &CollectionRule) -> bool {
        self.collection.is_some_and(|it| !it.cause.is_of_due_data())
            && self.free_blocks() < rule.stop_free_blocks
    }

    /// Aborts the garbage collection in progress, if there is one, and requests another one in its place.
    pub fn break_off_collection(&mut self) {
        if self.collection.take().is_some() {
            self.owed_collections += 1;
        }
    }

    /// Returns true if the plane has invalid pages and no garbage collection in progress.
    #[inline]
    pub const fn may_collect(&self) -> bool {
        self.collection.is_none() && self.invalid_pages > 0
    }

    /// Returns the stream to which the garbage collection in progress moves pages.
    #[inline]
    pub fn stream_of_moves(&self, rule: &CollectionRule) -> WriteStream {
        self.collection.map_or(WriteStream::Collection, |collection| rule.stream_of(collection))
    }

    /// Returns the position of the next write of a stream, if there is a free page.
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
            WriteStream::Host(_) => rule.kept_from_host,
            WriteStream::Mapping(_) => rule.kept_from_map,
            WriteStream::Collection | WriteStream::Guest | WriteStream::Resting => 0,
        };
        let new = || (self.free_blocks() > kept).then_some(NextWritePosition::NewBlock);
        let own = self.open.of(stream).map(NextWritePosition::Open);
        own.or_else(new).or_else(|| self.shared_room(blocks, rule, stream))
    }

    /// Returns a position for a host write or a write-back of the map in a block of another stream: another
    /// open block for new data, or the open block of garbage collection.
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

    /// Returns a position for a host write or a write-back of the map, in an open block of garbage collection
    /// or wear levelling.
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

    /// Returns true if the plane has enough spare blocks for separate open blocks of the host and of garbage
    /// collection (GC). The host then waits for a free block instead of filling the open block of GC.
    ///
    /// The wait always ends, since a GC does not change the number of spare pages (free and invalid ones
    /// together). Invalid pages in the open blocks of GC are not counted, since they cannot be freed before
    /// the block is full.
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
        // A block need not be collected if its invalid units are fewer than fit into a page.
        let stranded = blocks.blocks_per_plane() * (rule.units.per_program() - 1);
        to_spare >= SPARE_FOR_TWO_FRONTIERS * pages + stranded
    }

    /// Returns a position for a page moved from another plane: a page of the open block of garbage collection
    /// that the plane itself does not need, or a page of any free block except the reserved one.
    fn guest_room(&self, blocks: &BlockTable, rule: &CollectionRule) -> Option<NextWritePosition> {
        match self.open.of(WriteStream::Collection) {
            Some(_) => self.spare_room(blocks, rule, WriteStream::Collection),
            None => (self.free_blocks() > KEPT_FOR_COLLECTION).then_some(NextWritePosition::NewBlock),
        }
    }

    /// Returns the next page of an open block of garbage collection or wear levelling, if the moves in
    /// progress do not need it.
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
