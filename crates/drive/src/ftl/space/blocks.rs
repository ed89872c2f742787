//! Free pages, valid pages and the blocks they are in.
//!
//! # How
//! Each plane has an open block for each stream of the host's writes, one that collection fills, one for data that
//! rests and that wear levelling moves, or collection by `gc_destination = "cold_apart"`, and, with demand-paged mapping, one that write-backs of the map fill; pages of a
//! block are given out in order. The block for resting data is the most worn free one.
//! A plane keeps one free block that only collection may open, so that collection can always move a
//! victim's pages.
//!
//! What streams do when no block is free for them, says `plane`.

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{BlockId, Geometry, PlaneId, Ppn};

use super::block_table::{Block, BlockTable};
use super::free_blocks::FreeBlocks;
use super::frontiers::{OpenBlockCounts, WriteStream};
use super::plane::{CollectionRule, KEPT_FOR_COLLECTION, NextWritePosition, Plane};
use super::plane_table::PlaneTable;
use crate::ftl::collector::settings::GcTrigger;

/// Blocks and planes at an instant when nothing is in flight, for a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredBlocks {
    states: Vec<Block>,
    planes: Vec<Plane>,
    closed_so_far: u64,
}

/// Every block and plane of the drive.
#[derive(Clone, Debug)]
pub struct Blocks {
    geometry: Geometry,
    /// State of each block.
    pub table: BlockTable,
    /// State of each plane.
    pub planes: PlaneTable,
    /// Rule by which planes collect.
    rule: CollectionRule,
    /// Free blocks gained by erasing less those lost by opening, of all planes, since the drive was built.
    pub gained: i64,
}

impl Blocks {
    /// All blocks erased; for so many streams of the host's writes, with or without dynamic wear
    /// levelling.
    pub fn new(
        geometry: Geometry,
        streams: OpenBlockCounts,
        dynamic_wear_levelling: bool,
        rule: CollectionRule,
    ) -> Self {
        let free = FreeBlocks::new(geometry.blocks_per_plane, dynamic_wear_levelling);
        Self {
            geometry,
            table: BlockTable::new(geometry),
            planes: PlaneTable::new(&geometry, &Plane::new(free, streams)),
            rule,
            gained: 0,
        }
    }

    /// Returns the state for a file.
    pub fn store(&self) -> StoredBlocks {
        let (states, closed_so_far) = self.table.store();
        StoredBlocks { states, planes: self.planes.store(), closed_so_far }
    }

    /// Goes back to what a file kept. Says whether it is as large.
    pub fn restore(&mut self, stored: StoredBlocks) -> bool {
        let fits = self.table.is_as_large_as(&stored.states) && self.planes.are_like(&stored.planes);
        if fits {
            self.table.restore(&stored.states, stored.closed_so_far);
            self.planes.restore(stored.planes);
        }
        fits
    }

    /// Makes an erased plane one that had its blocks in this state; `closed_so_far` of them had become full, here or in
    /// whichever plane is furthest.
    pub fn install(&mut self, plane: PlaneId, like: &Plane, blocks: &[Block], closed_so_far: u64) {
        let open = like.open.moved_to(self.geometry.block(plane, 0));
        let committed_pages = self.planes[plane].committed_pages;
        self.planes[plane] = Plane { open, committed_pages, ..like.clone() };
        self.table.install(plane, blocks, closed_so_far);
    }

    /// Opens the next block for a stream before it writes, unless that is the block kept for collection.
    pub fn open_early(&mut self, plane: PlaneId, stream: WriteStream) {
        if self.planes[plane].free_blocks() > KEPT_FOR_COLLECTION {
            self.open(plane, stream);
        }
    }

    /// Blocks of a plane that were taken out of use.
    pub fn out_of_use(&self, plane: PlaneId) -> u32 {
        self.planes[plane].out_of_use(&self.table, self.table.of_plane(plane))
    }

    /// Makes what is left of the host's open block, or a new block if there is none, pages that are not valid any more.
    /// The block that is kept for collection stays free.
    pub fn fill_up(&mut self, plane: PlaneId) {
        let host = WriteStream::Host(0);
        if self.planes[plane].open.of(host).is_none() {
            self.open_early(plane, host);
        }
        let Some(block) = self.planes[plane].open.of(host) else { return };
        let left = self.table.left_in(block);
        self.table[block].written += left;
        self.planes[plane].invalid_pages += left;
        self.close(plane, block);
    }

    /// Returns the stream of the moves of a plane's collection.
    #[inline]
    pub fn stream_of_moves(&self, plane: PlaneId) -> WriteStream {
        self.planes[plane].stream_of_moves(&self.rule)
    }

    /// The offset within its block of the page that a stream would get next, if there is one and it need not wait for
    /// collection.
    #[inline]
    pub fn next_offset(&self, plane: PlaneId, stream: WriteStream) -> Option<u32> {
        match self.room_now(plane, stream)? {
            NextWritePosition::Open(block) => Some(self.table[block].written),
            NextWritePosition::NewBlock => Some(0),
        }
    }

    /// The room of a stream that need not wait for collection, if it has any.
    #[inline]
    pub fn room_now(&self, plane: PlaneId, stream: WriteStream) -> Option<NextWritePosition> {
        let state = &self.planes[plane];
        if matches!(stream, WriteStream::Host(_)) && state.is_stopped(&self.rule) {
            return None;
        }
        state.room(&self.table, &self.rule, stream)
    }

    /// Returns true if all programs have started whose pages stand before the next page of a stream.
    pub fn is_next_program_due(&self, plane: PlaneId, stream: WriteStream) -> bool {
        match room(self, plane, stream) {
            Some(NextWritePosition::Open(block)) => {
                let block = &self.table[block];
                block.ordered_programs == block.started_programs
            }
            _ => true,
        }
    }

    /// Gives out the next page of a stream for a program, valid from now on, and says how many programs of its block were given theirs
    /// before; none if there is no room.
    #[inline]
    pub fn allocate(&mut self, plane: PlaneId, stream: WriteStream) -> Option<(Ppn, u32)> {
        // Room was looked for before, and data that has lost its validity since may have made the host wait for a better one.
        let borrow = || self.planes[plane].room_to_borrow(&self.table, &self.rule, stream);
        let room = room(self, plane, stream).or_else(borrow)?;
        self.allocate_in(plane, stream, room)
    }

    /// Gives out the page of the room that was found for a program, if that is still there.
    #[inline]
    pub fn allocate_in(
        &mut self,
        plane: PlaneId,
        stream: WriteStream,
        room: NextWritePosition,
    ) -> Option<(Ppn, u32)> {
        let given = give_out(self, plane, stream, room, 1, |block| {
            let turn = block.ordered_programs;
            block.pending_programs += 1;
            block.ordered_programs += 1;
            turn
        });
        let (ppn, _, turn) = given?;
        self.planes[plane].pending_programs += 1;
        Some((ppn, turn))
    }

    /// The program of a page that was given out for it on this plane has ended.
    #[inline]
    pub fn program_ended(&mut self, plane: PlaneId, ppn: Ppn) {
        let block = self.geometry.block_of(ppn);
        debug_assert_eq!(self.geometry.plane_of(block), plane);
        self.table[block].pending_programs -= 1;
        self.planes[plane].pending_programs -= 1;
    }

    /// Gives out the next page of a stream as if it had been programmed already.
    pub fn allocate_written(&mut self, plane: PlaneId, stream: WriteStream) -> Option<Ppn> {
        let room = room(self, plane, stream)?;
        give_out(self, plane, stream, room, 1, |_| ()).map(|(ppn, _, ())| ppn)
    }

    /// Gives out up to `most` consecutive pages as programmed. Returns the first, and how many there are in its block.
    pub fn allocate_row_written(
        &mut self,
        plane: PlaneId,
        stream: WriteStream,
        most: u32,
    ) -> Option<(Ppn, u32)> {
        let room = room(self, plane, stream)?;
        give_out(self, plane, stream, room, most, |_| ()).map(|(first, count, ())| (first, count))
    }

    /// One page of a block stops being the current version. Says on which plane.
    #[inline]
    pub fn invalidate(&mut self, ppn: Ppn) -> PlaneId {
        let block = self.geometry.block_of(ppn);
        let plane = self.invalidate_pages(block, 1);
        if let Some(collection) = &mut self.planes[plane].collection {
            let offset = ppn.0 - self.geometry.ppn(block, 0).0;
            collection.forget_page(block, offset);
        }
        plane
    }

    /// So many pages of a block stop being the current version. Says on which plane.
    #[inline]
    pub fn invalidate_pages(&mut self, block: BlockId, count: u32) -> PlaneId {
        let plane = self.geometry.plane_of(block);
        self.table[block].valid -= count;
        self.planes[plane].invalid_pages += count;
        plane
    }

    /// Erases a block: all its pages are free again.
    pub fn erase(&mut self, block: BlockId) {
        let before = self.table.erase(block);
        let erases = before.erases + 1;
        let plane = &mut self.planes[self.geometry.plane_of(block)];
        plane.most_erases = plane.most_erases.max(erases);
        plane.invalid_pages -= before.written;
        plane.free.put(block.0 % self.geometry.blocks_per_plane, erases);
        self.gained += 1;
    }

    /// The blocks of a plane that are full and have no program in flight, with their numbers in it.
    #[inline]
    pub fn settled(&self, plane: PlaneId) -> impl Iterator<Item = (u32, &Block)> {
        self.table.settled(plane, self.planes[plane].free.ever_opened())
    }

    /// Returns, of the settled blocks with an invalid page, the number of the one with the fewest valid pages (of equals, the oldest), and that
    /// of the oldest.
    pub fn leaders(&self, plane: PlaneId) -> [Option<u32>; 2] {
        let leaders = self.table.leaders(plane, self.planes[plane].free.ever_opened());
        let first = self.geometry.block(plane, 0).0;
        [leaders.emptiest, leaders.oldest].map(|rank| Some(rank?.block - first))
    }

    /// The block of this number in a plane, if it is full and has no program in flight.
    #[inline]
    pub fn settled_at(&self, plane: PlaneId, index: u32) -> Option<&Block> {
        self.table.settled_at(self.geometry.block(plane, index))
    }

    fn open(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        let first = self.geometry.block(plane, 0);
        let (state, table) = (&mut self.planes[plane], &self.table);
        let index = match stream {
            WriteStream::Resting => state.free.take_most_worn(|index| table[BlockId(first.0 + index)].erases),
            _ => state.free.take(),
        };
        let block = self.geometry.block(plane, index?);
        state.open.open(stream, block);
        self.gained -= 1;
        Some(block)
    }

    fn close(&mut self, plane: PlaneId, block: BlockId) {
        self.table.close(block);
        let stream = self.planes[plane].open.close(block);
        if self.rule.trigger == GcTrigger::FullBlock {
            self.ask_for_collection(plane, stream);
        }
    }

    /// A stream's block is full: its next one is opened at once, as MQSim does, and if that leaves the plane short of free
    /// blocks, one is to be collected.
    fn ask_for_collection(&mut self, plane: PlaneId, stream: WriteStream) {
        self.open_early(plane, stream);
        if self.planes[plane].free_blocks() < self.rule.start_free_blocks {
            self.planes[plane].owed_collections += 1;
        }
    }
}

#[inline]
fn room(blocks: &Blocks, plane: PlaneId, stream: WriteStream) -> Option<NextWritePosition> {
    blocks.planes[plane].room(&blocks.table, &blocks.rule, stream)
}

/// Up to `most` pages that follow each other: the first, how many there are, and what is `noted` of their block.
#[inline]
fn give_out<Noted>(
    blocks: &mut Blocks,
    plane: PlaneId,
    stream: WriteStream,
    room: NextWritePosition,
    most: u32,
    note: impl FnOnce(&mut Block) -> Noted,
) -> Option<(Ppn, u32, Noted)> {
    let block = match room {
        NextWritePosition::Open(block) => block,
        NextWritePosition::NewBlock => blocks.open(plane, stream)?,
    };
    let (first, count, state) = blocks.table.give_out(block, most);
    let (noted, is_full) = (note(state), state.written == blocks.geometry.pages_per_block);
    if is_full {
        blocks.close(plane, block);
    }
    Some((first, count, noted))
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::*;
    use crate::ftl::gc_destination::Frontier;
    use crate::ftl::settings::{WearMeasure, WriteFrontiers};
    use crate::ftl::space::{Collection, CollectionCause};

    const PLANE: PlaneId = PlaneId(0);

    /// Planes that are never short of blocks.
    fn of_streams(geometry: Geometry, streams: OpenBlockCounts) -> Blocks {
        let rule = CollectionRule {
            trigger: GcTrigger::Shortage,
            start_free_blocks: 0,
            stop_free_blocks: 0,
            write_frontiers: WriteFrontiers::Separate,
            wear_measure: WearMeasure::Erases,
        };
        Blocks::new(geometry, streams, false, rule)
    }

    fn four_blocks_of_two_pages() -> Blocks {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 2,
            page_bytes: 4096,
        };
        of_streams(geometry, OpenBlockCounts { host: 1, map: 1 })
    }

    fn fill(blocks: &mut Blocks, pages: u32, stream: WriteStream) -> Vec<Option<u32>> {
        (0..pages).map(|_| blocks.allocate(PLANE, stream).map(|(ppn, _)| ppn.0)).collect()
    }

    #[test]
    fn pages_of_a_block_are_given_out_in_order_and_the_last_free_block_is_kept() {
        let mut blocks = four_blocks_of_two_pages();
        let given = fill(&mut blocks, 7, WriteStream::Host(0));
        assert_eq!(given, [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None]);
        assert_eq!(blocks.planes[PLANE].free_blocks(), KEPT_FOR_COLLECTION);
        assert_eq!(fill(&mut blocks, 1, WriteStream::Collection), [Some(6)]);
    }

    #[test]
    fn streams_fill_blocks_of_their_own_and_share_what_is_open_when_none_is_free() {
        let Blocks { geometry, .. } = four_blocks_of_two_pages();
        let mut blocks = of_streams(geometry, OpenBlockCounts { host: 3, map: 1 });
        let mut next = |stream| fill(&mut blocks, 1, WriteStream::Host(stream))[0];
        assert_eq!([next(0), next(1), next(0), next(2)], [Some(0), Some(2), Some(1), Some(4)]);
        // Three blocks are taken, the fourth is kept: what is left are the second pages of two.
        assert_eq!([next(0), next(0), next(1)], [Some(3), Some(5), None]);
    }

    #[test]
    fn streams_of_the_map_have_blocks_of_their_own() {
        let Blocks { geometry, .. } = four_blocks_of_two_pages();
        let mut blocks = of_streams(geometry, OpenBlockCounts { host: 1, map: 2 });
        let mut next = |stream| fill(&mut blocks, 1, stream)[0];
        let streams = [
            WriteStream::Mapping(0),
            WriteStream::Mapping(1),
            WriteStream::Mapping(0),
            WriteStream::Mapping(1),
        ];
        assert_eq!(streams.map(&mut next), [Some(0), Some(2), Some(1), Some(3)]);
        assert_eq!(next(WriteStream::Host(0)), Some(4));
    }

    #[test]
    fn the_next_program_is_due_when_those_in_front_of_it_have_started() {
        let mut blocks = four_blocks_of_two_pages();
        assert!(blocks.is_next_program_due(PLANE, WriteStream::Host(0)), "the block is new");
        fill(&mut blocks, 1, WriteStream::Host(0));
        assert!(!blocks.is_next_program_due(PLANE, WriteStream::Host(0)));
        blocks.table[BlockId(0)].started_programs = 1;
        assert!(blocks.is_next_program_due(PLANE, WriteStream::Host(0)));
    }

    #[test]
    fn the_host_may_use_room_that_the_collection_in_progress_does_not_need() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 6, WriteStream::Host(0));
        let collection = Collection {
            victim: BlockId(0),
            cause: CollectionCause::Space,
            frontier: Frontier::Collection,
            unplaced: 2,
            unfinished: 2,
            in_flight: 2,
            next_offset: 2,
            erasing: false,
        };
        blocks.planes[PLANE].collection = Some(collection);
        fill(&mut blocks, 1, WriteStream::Collection);
        assert_eq!(blocks.next_offset(PLANE, WriteStream::Host(0)), None, "both pages are needed");
        blocks.planes[PLANE].collection = Some(Collection { unplaced: 0, ..collection });
        assert_eq!(blocks.next_offset(PLANE, WriteStream::Host(0)), Some(1));
        assert_eq!(fill(&mut blocks, 2, WriteStream::Host(0)), [Some(7), None]);
    }

    #[test]
    #[should_panic(expected = "a block in use was erased")]
    fn a_block_with_valid_pages_is_never_erased() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 1, WriteStream::Host(0));
        blocks.erase(BlockId(0));
    }
}
