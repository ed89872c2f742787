//! Allocation and invalidation of pages in blocks.
//!
//! # How
//! Each plane has these open blocks: one for each stream of host writes; one for pages moved by garbage
//! collection (GC); one for cold data, which is moved by wear levelling or by GC with `gc_destination =
//! "cold_apart"`; and, with demand-paged mapping, one for write-backs of the map. The pages of a block are
//! allocated in order. For cold data, the most worn free block is opened. A plane reserves one free block
//! that only GC may open, so that GC can always move a victim's pages.
//!
//! The module `plane` describes how a stream without a free block continues.

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{BlockId, Geometry, PlaneId, Ppn};
use venice_nand::transactions::Transaction;

use super::block_table::{Block, BlockTable};
use super::free_blocks::FreeBlocks;
use super::frontiers::{OpenBlockCounts, WriteStream};
use super::grown_bad_blocks::GrownBadBlocks;
use super::lines::Lines;
use super::plane::{CollectionCause, CollectionRule, KEPT_FOR_COLLECTION, NextWritePosition, Plane};
use super::plane_table::PlaneTable;
use crate::ftl::collector::settings::GcTrigger;
use crate::ftl::slc_cache::SlcCache;

/// State of blocks and planes in a state file. No operation is in flight.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredBlocks {
    states: Vec<Block>,
    planes: Vec<Plane>,
    closed_so_far: u64,
    lines: Option<Lines>,
}

/// State of all blocks and planes of a drive.
#[derive(Clone, Debug)]
pub struct Blocks {
    pub(super) geometry: Geometry,
    /// State of every block.
    pub table: BlockTable,
    /// State of every plane.
    pub planes: PlaneTable,
    /// Rules of garbage collection that affect page allocation in all planes.
    pub(super) rule: CollectionRule,
    /// Number of blocks freed minus number of blocks opened in all planes, since the state was created.
    pub gained: i64,
    /// Lines (superblocks); `None` if planes open and collect their blocks independently.
    pub(super) lines: Option<Box<Lines>>,
    /// Number of free lines (superblocks) below which a line is collected or folded.
    pub(super) collection_threshold: u32,
    /// pSLC cache, if the drive has one.
    pub(super) slc: Option<Box<SlcCache>>,
    /// Failures of erases; `None` if erases always succeed.
    pub(super) grown: Option<Box<GrownBadBlocks>>,
}

impl Blocks {
    /// Creates the state of erased planes. `streams` determines the number of open blocks.
    pub fn new(
        geometry: Geometry,
        streams: OpenBlockCounts,
        dynamic_wear_levelling: bool,
        rule: CollectionRule,
    ) -> Self {
        let free = FreeBlocks::new(geometry.blocks_per_plane, dynamic_wear_levelling)
            .without_first(rule.static_slc_blocks);
        Self {
            geometry,
            table: BlockTable::new(geometry, rule.units),
            planes: PlaneTable::new(&geometry, &Plane::new(free, streams)),
            rule,
            gained: 0,
            lines: None,
            collection_threshold: rule.start_free_blocks,
            slc: None,
            grown: None,
        }
    }

    /// Adds lines (superblocks) to the state of an erased drive. `order` is the order of planes in which the
    /// pages of a line are filled; `parity` are the planes that contain only parity.
    #[must_use]
    pub fn with_lines(self, order: Vec<PlaneId>, parity: Vec<PlaneId>) -> Self {
        let (host, map) = self.planes[order[0]].open.streams();
        let streams = OpenBlockCounts { host: host as u16, map: map as u16 };
        Self { lines: Some(Box::new(Lines::new(order, parity, streams))), ..self }
    }

    /// Limits each plane of an erased drive to its first blocks. `usable` is the number of blocks by plane.
    #[must_use]
    pub fn with_usable_blocks(mut self, usable: &[u32]) -> Self {
        for (plane, &blocks) in (0..).map(PlaneId).zip(usable) {
            let free = &mut self.planes[plane].free;
            *free = free.clone().limited_to(blocks);
        }
        self
    }

    /// Returns the state of blocks and planes for a state file.
    pub fn store(&self) -> StoredBlocks {
        let (states, closed_so_far) = self.table.store();
        let lines = self.lines.as_deref().cloned();
        StoredBlocks { states, planes: self.planes.store(), closed_so_far, lines }
    }

    /// Restores the state from a state file. Returns false if the file was saved for a drive of another size.
    pub fn restore(&mut self, stored: StoredBlocks) -> bool {
        let lines_fit = match (&self.lines, &stored.lines) {
            (Some(own), Some(lines)) => own.is_like(lines),
            (None, None) => true,
            _ => false,
        };
        let fits =
            lines_fit && self.table.is_as_large_as(&stored.states) && self.planes.are_like(&stored.planes);
        if fits {
            self.lines = stored.lines.map(Box::new);
            self.table.restore(&stored.states, stored.closed_so_far);
            self.planes.restore(stored.planes);
        }
        fits
    }

    /// Copies the state of the plane `like` and its `blocks` to an erased plane. `closed_so_far` is the
    /// number of blocks that had become full on the drive of `like`. If planes are copied from several
    /// drives, it is the largest such number.
    pub fn install(&mut self, plane: PlaneId, like: &Plane, blocks: &[Block], closed_so_far: u64) {
        let open = like.open.moved_to(self.geometry.block(plane, 0));
        let committed_pages = self.planes[plane].committed_pages;
        self.planes[plane] = Plane { open, committed_pages, ..like.clone() };
        self.table.install(plane, blocks, closed_so_far);
    }

    /// Marks all data in a plane as invalid, since the plane contains only parity.
    pub fn discard_data(&mut self, plane: PlaneId) {
        for index in 0..self.geometry.blocks_per_plane {
            let block = self.geometry.block(plane, index);
            let valid = self.table[block].valid;
            self.invalidate_pages(block, valid);
        }
    }

    /// Opens the next block of a stream before its next write, unless only the reserved block is free.
    pub fn open_early(&mut self, plane: PlaneId, stream: WriteStream) {
        if self.planes[plane].free_blocks() > KEPT_FOR_COLLECTION {
            self.open(plane, stream);
        }
    }

    /// Returns the blocks that have failed during the run, if erases can fail.
    pub fn grown_bad_blocks(&self) -> Option<&GrownBadBlocks> {
        self.grown.as_deref()
    }

    /// Returns the number of blocks of a plane that are out of use (marked as unusable), without factory bad
    /// blocks.
    pub fn out_of_use(&self, plane: PlaneId) -> u32 {
        self.planes[plane].out_of_use(&self.table, self.table.of_plane(plane))
    }

    /// Marks the free pages of the open block for host writes as invalid. If no block is open, opens a new
    /// block before. The reserved block stays free.
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

    /// Returns the stream for pages that garbage collection moves within a plane.
    #[inline]
    pub fn stream_of_moves(&self, plane: PlaneId) -> WriteStream {
        match &self.lines {
            Some(lines) => lines.stream_of_moves(),
            None => self.planes[plane].stream_of_moves(&self.rule),
        }
    }

    /// Returns the stream to which a move of garbage collection writes.
    #[inline]
    pub fn stream_of_move(&self, write: &Transaction) -> WriteStream {
        if write.is_guest() && self.lines.is_none() {
            WriteStream::Guest
        } else {
            self.stream_of_moves(write.plane)
        }
    }

    /// Returns the lines (superblocks), or `None` if planes open and collect their blocks independently.
    pub fn lines(&self) -> Option<&Lines> {
        self.lines.as_deref()
    }

    /// Returns the plane for the next page of a stream that fills lines (superblocks).
    pub fn next_plane(&mut self, stream: WriteStream) -> PlaneId {
        self.lines.as_mut().expect("the drive has lines").next_plane(stream)
    }

    /// Returns the plane for the next page of moved mapping units, on a drive with lines (superblocks).
    pub fn next_plane_of_moves(&mut self) -> PlaneId {
        let lines = self.lines.as_mut().expect("the drive has lines");
        lines.next_plane(lines.stream_of_moves())
    }

    /// Makes the plane of a cancelled move available again, so that the next page of moved mapping units is
    /// written there. Used on drives with lines (superblocks).
    pub fn return_plane_of_moves(&mut self, plane: PlaneId) {
        let lines = self.lines.as_mut().expect("the drive has lines");
        lines.return_plane(lines.stream_of_moves(), plane);
    }

    /// Returns true while a line (superblock) is being collected, until all its blocks have been erased.
    pub fn is_line_collected(&self) -> bool {
        self.lines.as_ref().is_some_and(|lines| lines.is_collecting())
    }

    /// Records the start of a line's garbage collection, if the drive has lines (superblocks).
    pub fn line_collection_begins(&mut self, cause: CollectionCause) {
        if let Some(lines) = &mut self.lines {
            lines.collection_begins(cause);
        }
    }

    /// Ends the garbage collection of a block that was stopped. The block is not erased.
    pub fn stopped_collection_ends(&mut self, plane: PlaneId) {
        self.planes[plane].collection = None;
        if let Some(lines) = &mut self.lines {
            lines.block_ended();
        }
    }

    /// Returns true if a plane has a free page for host writes or for write-backs of the map.
    #[inline]
    pub fn takes_new_data(&self, plane: PlaneId) -> bool {
        // Without lines (superblocks), either all streams find a free page or none does.
        self.next_offset(plane, WriteStream::Mapping(0)).is_some()
            || (self.lines.is_some() && self.planes[plane].open.first_shared().is_some())
    }

    /// Returns true if garbage collection may start in a plane. With lines (superblocks), the block of this
    /// plane is collected together with the blocks of the other planes.
    #[inline]
    pub fn may_collect(&self, plane: PlaneId) -> bool {
        self.planes[plane].may_collect() || (self.lines.is_some() && !self.is_line_collected())
    }

    /// Returns the offset within its block of the next page of a stream, or `None` if no page is free or the
    /// stream must wait for garbage collection.
    #[inline]
    pub fn next_offset(&self, plane: PlaneId, stream: WriteStream) -> Option<u32> {
        match self.room_now(plane, stream)? {
            NextWritePosition::Open(block) => Some(self.table[block].written),
            NextWritePosition::NewBlock => Some(self.first_offset(stream)),
        }
    }

    /// Returns the position of the next write of a stream, or `None` if no page is free or the stream must
    /// wait for garbage collection.
    #[inline]
    pub fn room_now(&self, plane: PlaneId, stream: WriteStream) -> Option<NextWritePosition> {
        let state = &self.planes[plane];
        if matches!(stream, WriteStream::Host(_)) && state.is_stopped(&self.rule) {
            return None;
        }
        state.room(&self.table, &self.rule, stream)
    }

    /// Returns true if the programs of all earlier pages in the stream's open block have started.
    pub fn is_next_program_due(&self, plane: PlaneId, stream: WriteStream) -> bool {
        match room(self, plane, stream) {
            Some(NextWritePosition::Open(block)) => {
                let block = &self.table[block];
                block.ordered_programs == block.started_programs
            }
            _ => true,
        }
    }

    /// Allocates the next page of a stream, with all its mapping units valid, or returns `None` if there is
    /// no free page. Returns the location of the first mapping unit, and the position of the page's program
    /// in the program order of its block, counted from zero.
    #[inline]
    pub fn allocate(&mut self, plane: PlaneId, stream: WriteStream) -> Option<(Ppn, u32)> {
        // A free page was found before. Since then, pages may have become invalid, so that the host would now
        // wait for garbage collection instead.
        let borrow = || self.planes[plane].room_to_borrow(&self.table, &self.rule, stream);
        let room = room(self, plane, stream).or_else(borrow)?;
        self.allocate_in(plane, stream, room)
    }

    /// Allocates the page at the position `room`, which was found before, if the page is still free. Returns
    /// the same values as [`Self::allocate`].
    #[inline]
    pub fn allocate_in(
        &mut self,
        plane: PlaneId,
        stream: WriteStream,
        room: NextWritePosition,
    ) -> Option<(Ppn, u32)> {
        let given = give_out(self, plane, stream, room, self.rule.units.per_program(), |block| {
            let turn = block.ordered_programs;
            block.pending_programs += 1;
            block.ordered_programs += 1;
            turn
        });
        let (ppn, _, turn) = given?;
        self.planes[plane].pending_programs += 1;
        Some((ppn, turn))
    }

    /// Adds a program to the program order of the block of a page that was allocated before. Returns the number of
    /// earlier programs of the block.
    pub fn program_ordered(&mut self, plane: PlaneId, ppn: Ppn) -> u32 {
        self.planes[plane].pending_programs += 1;
        let block = &mut self.table[self.geometry.block_of(ppn)];
        block.pending_programs += 1;
        block.ordered_programs += 1;
        block.ordered_programs - 1
    }

    /// Records the end of the program of a page.
    #[inline]
    pub fn program_ended(&mut self, plane: PlaneId, ppn: Ppn) {
        let block = self.geometry.block_of(ppn);
        debug_assert_eq!(self.geometry.plane_of(block), plane);
        self.table[block].pending_programs -= 1;
        self.planes[plane].pending_programs -= 1;
    }

    /// Allocates the next page of a stream as if its program had already ended.
    pub fn allocate_written(&mut self, plane: PlaneId, stream: WriteStream) -> Option<Ppn> {
        let room = room(self, plane, stream)?;
        give_out(self, plane, stream, room, 1, |_| ()).map(|(ppn, _, ())| ppn)
    }

    /// Allocates up to `most` consecutive pages of a block as if their programs had already ended. Returns
    /// the first page and the number of pages.
    pub fn allocate_row_written(
        &mut self,
        plane: PlaneId,
        stream: WriteStream,
        most: u32,
    ) -> Option<(Ppn, u32)> {
        let room = room(self, plane, stream)?;
        give_out(self, plane, stream, room, most, |_| ()).map(|(first, count, ())| (first, count))
    }

    /// Marks a page as invalid. Returns its plane.
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

    /// Marks `count` pages of a block as invalid. Returns their plane.
    #[inline]
    pub fn invalidate_pages(&mut self, block: BlockId, count: u32) -> PlaneId {
        let plane = self.geometry.plane_of(block);
        self.table[block].valid -= count;
        self.planes[plane].invalid_pages += count;
        plane
    }

    /// Leaves the rest of a partly filled page in each open block of a plane empty, since the next program
    /// begins with a new page.
    pub fn finish_pages(&mut self, plane: PlaneId) {
        if !self.rule.units.share_programs() {
            return;
        }
        let open: Vec<BlockId> = self.planes[plane].open.all().collect();
        for block in open {
            let written = self.table[block].written;
            let end = self.rule.units.round_up(written);
            if end == written {
                continue;
            }
            self.table[block].written = end;
            self.planes[plane].invalid_pages += end - written;
            if end == self.geometry.pages_per_block {
                self.close(plane, block);
            }
        }
    }

    /// Erases a block, so that all its pages are free. If the erase fails, a block of the reserve replaces
    /// the block.
    pub fn erase(&mut self, block: BlockId) {
        let id = self.geometry.plane_of(block);
        let is_replaced = self.grown.as_mut().is_some_and(|grown| grown.replaces(id));
        if self.is_slc(block) {
            return self.erase_in_slc_mode(block);
        }
        let before = self.table.erase(block);
        let erases = before.erases + 1;
        let plane = &mut self.planes[id];
        plane.most_erases = plane.most_erases.max(erases);
        plane.invalid_pages -= before.written;
        let index = block.0 % self.geometry.blocks_per_plane;
        let Some(lines) = &mut self.lines else {
            if is_replaced {
                self.table[block].erases = 0;
            }
            plane.free.put(index, if is_replaced { 0 } else { erases });
            self.gained += 1;
            return;
        };
        if lines.block_ended() {
            for plane in lines.all_planes() {
                self.planes[plane].free.put(index, erases);
            }
            self.gained += i64::from(self.geometry.planes());
            self.plan_host_line();
        }
    }

    /// Iterates over the settled blocks of a plane (full, without a program in flight), with their indices.
    #[inline]
    pub fn settled(&self, plane: PlaneId) -> impl Iterator<Item = (u32, &Block)> {
        self.table.settled(plane, self.planes[plane].free.ever_opened())
    }

    /// Returns the indices of two full blocks of a plane that have an invalid page and no program in flight:
    /// the one with the fewest valid pages (the oldest on a tie), and the oldest.
    pub fn best_candidates(&self, plane: PlaneId) -> [Option<u32>; 2] {
        let best = self.table.best_candidates(plane, self.planes[plane].free.ever_opened());
        let first = self.geometry.block(plane, 0).0;
        [best.emptiest, best.oldest].map(|rank| Some(rank?.block - first))
    }

    /// Returns the block `index` of a plane if it is settled: full, without a program in flight.
    #[inline]
    pub fn settled_at(&self, plane: PlaneId, index: u32) -> Option<&Block> {
        self.table.settled_at(self.geometry.block(plane, index))
    }

    fn open(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        if self.lines.is_some() {
            return self.open_line(plane, stream);
        }
        let block = self.take(plane, stream)?;
        self.planes[plane].open.open(stream, block);
        Some(block)
    }

    /// Removes and returns the next block for a stream from the free blocks of a plane.
    pub(super) fn take(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        let first = self.geometry.block(plane, 0);
        let (state, table) = (&mut self.planes[plane], &self.table);
        let index = match stream {
            WriteStream::Resting => state.free.take_most_worn(|index| table[BlockId(first.0 + index)].erases),
            _ => state.free.take(),
        };
        let block = self.geometry.block(plane, index?);
        self.gained -= 1;
        Some(block)
    }

    /// Opens the next line (superblock) of a stream in all planes. Returns the line's block in `plane`. The
    /// stream must not have an open block in that plane.
    #[cold]
    fn open_line(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        let first = self.first_offset(stream);
        for other in (0..self.geometry.planes()).map(PlaneId) {
            let block = self.take_of_line(other, stream)?;
            self.table.skip_to(block, first);
            self.open_or_wait(other, stream, block);
        }
        let block = self.planes[plane].open.of(stream)?;
        self.line_opened(stream, block);
        Some(block)
    }

    /// Opens a block of a stream's next line, if the stream has no open block in this plane. Otherwise the
    /// block waits until that one is full.
    fn open_or_wait(&mut self, plane: PlaneId, stream: WriteStream, block: BlockId) {
        let open = &mut self.planes[plane].open;
        match (&mut self.lines, open.of(stream)) {
            (Some(lines), Some(_)) => lines.wait(plane, stream, block),
            _ => open.open(stream, block),
        }
    }

    fn close(&mut self, plane: PlaneId, block: BlockId) {
        self.table.close(block);
        let stream = self.planes[plane].open.close(block);
        let next = self.lines.as_mut().and_then(|lines| lines.next_waiting(plane, stream));
        if let Some(next) = next {
            self.planes[plane].open.open(stream, next);
        }
        if self.rule.trigger == GcTrigger::FullBlock {
            self.ask_for_collection(plane, stream);
        }
    }

    /// Opens the next block of a stream as soon as a block is full, as in MQSim. Requests the garbage
    /// collection of one block if the plane then has too few free blocks.
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

/// Allocates up to `most` consecutive pages of a block. Returns the first page, the number of pages, and the
/// result of `note`, which is called with the block's new state.
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
    use crate::ftl::space::{Collection, CollectionCause};

    const PLANE: PlaneId = PlaneId(0);

    /// Creates blocks of planes that always have enough free blocks.
    fn of_streams(geometry: Geometry, streams: OpenBlockCounts) -> Blocks {
        Blocks::new(geometry, streams, false, CollectionRule::NEVER_SHORT)
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
    fn streams_fill_separate_blocks_and_share_open_ones_if_none_is_free() {
        let Blocks { geometry, .. } = four_blocks_of_two_pages();
        let mut blocks = of_streams(geometry, OpenBlockCounts { host: 3, map: 1 });
        let mut next = |stream| fill(&mut blocks, 1, WriteStream::Host(stream))[0];
        assert_eq!([next(0), next(1), next(0), next(2)], [Some(0), Some(2), Some(1), Some(4)]);
        // Three blocks are open and the fourth is reserved. Only the second pages of two blocks are free.
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
            is_stopped: false,
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
