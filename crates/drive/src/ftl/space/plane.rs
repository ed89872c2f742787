//! What is known of a plane, and where its next page is for each stream.
//!
//! # How
//! When no block is free for them, the streams of the host and the map share whatever block of theirs is
//! open. When no other room is left, they wait until collection, repeated if need be, has made a block
//! free for them, so that what was just written and what has rested do not share blocks. A plane with
//! fewer than three blocks to spare (the kept one, the host's and collection's) has no room for that: there, and
//! in every plane with `WriteFrontiers::Shared`, they fill the part of collection's open block that the
//! collection in progress does not need. With that rule a plane never comes to a halt as long as
//! its logical pages are fewer than its pages without one block: then some full block always has an
//! invalid page, its valid pages always fit into the kept block, and its erasure always frees one.
//! For the same reason all streams have room, or none.

use serde::{Deserialize, Serialize};
use venice_kernel::SimTime;
use venice_nand::geometry::BlockId;

use super::block_table::{Block, BlockTable};
use super::free_blocks::FreeBlocks;
use super::frontiers::{Frontiers, OpenBlockCounts, WriteStream};
use crate::ftl::collector::settings::{GcTrigger, WearMeasure, WriteFrontiers};
use crate::ftl::gc_destination::Frontier;
use crate::ftl::settings::FtlSettings;

/// Free blocks of a plane that only collection may open.
pub const KEPT_FOR_COLLECTION: u32 = 1;

/// Blocks beyond its valid pages with which a plane has room for a write frontier of the host and one of
/// collection: the kept one and those that the two fill. With fewer, what the frontiers take from collection
/// amplifies more than keeping hot and cold data apart saves, whatever is written.
const SPARE_FOR_TWO_FRONTIERS: u32 = 3;

/// Why a block is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionCause {
    /// Its plane is short of free blocks.
    Space,
    /// It has worn less than others.
    Wear,
}

/// The collection of one block, in progress.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// The block.
    pub victim: BlockId,
    /// Reason for it.
    pub cause: CollectionCause,
    /// Block that its moves fill if they stay in the plane.
    pub frontier: Frontier,
    /// Moves that have no new page yet; room must be kept for them.
    pub unplaced: u32,
    /// Moves that are not finished.
    pub unfinished: u32,
    /// Moves that were ordered and are not finished.
    pub in_flight: u32,
    /// The offset in the victim of the first page whose move was not ordered.
    pub next_offset: u32,
    /// True if the erase was ordered.
    pub erasing: bool,
}

impl Collection {
    /// A page of a block is not valid any more: if its move was not ordered, it need not be.
    #[inline]
    pub(super) fn forget_page(&mut self, block: BlockId, offset: u32) {
        if block == self.victim && offset >= self.next_offset {
            self.unfinished -= 1;
            self.unplaced -= 1;
        }
    }
}

/// When planes are short of free blocks, as far as giving out pages is concerned.
#[derive(Clone, Copy, Debug)]
pub struct CollectionRule {
    /// Trigger of garbage collection.
    pub trigger: GcTrigger,
    /// With fewer free blocks it is short.
    pub start_free_blocks: u32,
    /// With fewer free blocks the host waits for collection.
    pub stop_free_blocks: u32,
    /// Sharing of blocks between the host and garbage collection.
    pub write_frontiers: WriteFrontiers,
    /// Measure of wear, by which data that levelling moves has a block of its own or not.
    pub wear_measure: WearMeasure,
}

impl CollectionRule {
    /// Returns the rule of these settings.
    pub fn of(settings: &FtlSettings) -> Self {
        Self {
            trigger: settings.gc_trigger,
            start_free_blocks: settings.gc_start_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            // A page that comes from another plane takes room that a waiting host was promised.
            write_frontiers: if settings.moves_leave() {
                WriteFrontiers::Shared
            } else {
                settings.write_frontiers
            },
            wear_measure: settings.wear_measure,
        }
    }

    /// Returns the stream of the moves of a collection.
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
    /// Most erases of a block.
    pub most_erases: u32,
    /// Pages written since their block's last erase that are not valid any more.
    pub invalid_pages: u32,
    /// The collection in progress.
    #[serde(skip)]
    pub collection: Option<Collection>,
    /// Programs whose page was given out and that are not finished.
    #[serde(skip)]
    pub pending_programs: u32,
    /// Collections that full blocks have asked for and that have not begun.
    pub owed_collections: u32,
    /// Since when the host can write here, apart from the die being occupied.
    #[serde(skip)]
    pub writable_since: SimTime,
    /// Valid pages plus writes of the host on their way.
    pub committed_pages: u32,
}

/// The room that a stream would write into next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextWritePosition {
    /// The next page of an open block.
    Open(BlockId),
    /// The first page of a free one.
    NewBlock,
}

impl Plane {
    /// An erased one.
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

    /// Blocks that are erased and not open.
    #[inline]
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Takes a free block out of use.
    pub fn keep_from_use(&mut self) {
        self.free.take();
    }

    /// Returns true if a block is open for resting data.
    pub fn has_resting_block(&self) -> bool {
        self.open.of(WriteStream::Resting).is_some()
    }

    /// The fewest and the most erases of the free blocks, if there are any; the plane's blocks are these.
    pub fn erases_of_free(&self, blocks: &[Block]) -> Option<(u32, u32)> {
        self.free.least_and_most_worn(|index| blocks[index as usize].erases)
    }

    /// Blocks that were taken out of use: they are erased, and neither free nor open.
    pub fn out_of_use(&self, blocks: &BlockTable, own: &[Block]) -> u32 {
        let open = self.open.all().filter(|&block| blocks[block].written == 0).count();
        let unwritten = own.iter().filter(|block| block.written == 0).count();
        (unwritten - open) as u32 - self.free_blocks()
    }

    /// Returns true if the host waits for a collection in progress.
    #[inline]
    pub fn is_stopped(&self, rule: &CollectionRule) -> bool {
        self.collection.is_some() && self.free_blocks() < rule.stop_free_blocks
    }

    /// Breaks off the collection in progress, if there is one. What had asked for it asks again.
    pub fn break_off_collection(&mut self) {
        if self.collection.take().is_some() {
            self.owed_collections += 1;
        }
    }

    /// Returns true if the plane has invalid pages and no collection in progress.
    #[inline]
    pub const fn may_collect(&self) -> bool {
        self.collection.is_none() && self.invalid_pages > 0
    }

    /// Returns the stream of the moves of the collection in progress.
    #[inline]
    pub fn stream_of_moves(&self, rule: &CollectionRule) -> WriteStream {
        self.collection.map_or(WriteStream::Collection, |collection| rule.stream_of(collection))
    }

    /// Returns the room that a stream would write into next, if it has any.
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

    /// Room for a write of the host or the map that its own block and new ones do not have: in
    /// another stream's open block, or in collection's.
    #[cold]
    fn shared_room(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        if matches!(stream, WriteStream::Collection | WriteStream::Resting) {
            return None;
        }
        let other = self.open.first_shared().map(NextWritePosition::Open);
        let waits = self.has_room_for_two_frontiers(blocks, rule);
        other.or_else(|| if waits { None } else { self.room_to_borrow(blocks, rule, stream) })
    }

    /// Returns the room that the host and the map may take of the blocks that collection and levelling fill.
    #[cold]
    pub fn room_to_borrow(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        if !matches!(stream, WriteStream::Host(_) | WriteStream::Mapping(_)) {
            return None;
        }
        let spare = self.spare_room(blocks, rule, WriteStream::Collection);
        spare.or_else(|| self.spare_room(blocks, rule, WriteStream::Resting))
    }

    /// Returns true if the host waits for a block of its own rather than fill collection's. The spare pages of a plane, its free
    /// pages and its invalid ones together, is the same before, during and after a collection; invalid pages of blocks that
    /// collection fills are left out, since none of them is freed before its block is full. So whoever waits does not wait in vain.
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
        to_spare >= SPARE_FOR_TWO_FRONTIERS * pages
    }

    /// Room for a page of another plane: what the plane's own collection can spare, or a block that is not the kept one.
    fn guest_room(&self, blocks: &BlockTable, rule: &CollectionRule) -> Option<NextWritePosition> {
        match self.open.of(WriteStream::Collection) {
            Some(_) => self.spare_room(blocks, rule, WriteStream::Collection),
            None => (self.free_blocks() > KEPT_FOR_COLLECTION).then_some(NextWritePosition::NewBlock),
        }
    }

    /// The next page of an open block of collection or levelling, if the moves in progress have room without it.
    fn spare_room(
        &self,
        blocks: &BlockTable,
        rule: &CollectionRule,
        stream: WriteStream,
    ) -> Option<NextWritePosition> {
        let block = self.open.of(stream)?;
        let room = blocks.left_in(block) + self.free_blocks() * blocks.pages_per_block();
        let moves = self.collection.filter(|collection| rule.stream_of(*collection) == stream);
        let needed = moves.map_or(0, |collection| collection.unplaced);
        (room > needed).then_some(NextWritePosition::Open(block))
    }
}
