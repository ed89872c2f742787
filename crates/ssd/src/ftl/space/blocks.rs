//! Free pages, valid pages and the blocks they are in.
//!
//! # How
//! Each plane has an open block for each stream of the host's writes, one that collection fills, one for data that
//! rests and that wear levelling moves, or collection by `gc_destination = "cold_apart"`, and, with demand-paged mapping, one that write-backs of the map fill; pages of a
//! block are given out in order. The block for resting data is the most worn free one.
//! A plane keeps one free block that only collection may open, so that collection can always move a
//! victim's pages.
//!
//! When no block is free for them, the streams of the host and the map share whatever block of theirs is
//! open. When no other room is left, they wait until collection, repeated if need be, has made a block
//! free for them, so that what was just written and what has rested do not share blocks. A plane with
//! fewer than three blocks to spare (the kept one, the host's and collection's) has no room for that: there, and
//! in every plane with `WriteFrontiers::Shared`, they fill the part of collection's open block that the
//! collection in progress does not need. With that rule a plane never comes to a halt as long as
//! its logical pages are fewer than its pages without one block: then some full block always has an
//! invalid page, its valid pages always fit into the kept block, and its erasure always frees one.
//! For the same reason all streams have room, or none.

use bytemuck::{Zeroable, zeroed_vec};
use serde::{Deserialize, Serialize};
use venice_kernel::SimTime;

use crate::geometry::{BlockId, Geometry, PlaneId, Ppn};

use super::free_blocks::FreeBlocks;
use crate::ftl::gc::Candidate;
use crate::ftl::gc_destination::Frontier;
use crate::ftl::settings::{GcTrigger, WearMeasure, WriteFrontiers};

/// Free blocks of a plane that only collection may open.
pub const KEPT_FOR_COLLECTION: u32 = 1;

/// Blocks beyond its valid pages with which a plane has room for a write frontier of the host and one of
/// collection: the kept one and those that the two fill. With fewer, what the frontiers take from collection
/// amplifies more than keeping hot and cold data apart saves, whatever is written.
const SPARE_FOR_TWO_FRONTIERS: u32 = 3;

/// What is known of a block; all is zero of one that was never used.
#[derive(Clone, Copy, Debug, Default, Zeroable, Serialize, Deserialize)]
pub struct Block {
    /// Pages that hold the current version of a logical page.
    pub valid: u32,
    /// Pages given out since the last erase; also the offset of the next.
    pub written: u32,
    /// Reads that were accepted and are not finished.
    pub pending_reads: u32,
    /// Programs whose page was given out and that are not finished.
    pub pending_programs: u32,
    /// Programs whose page was given out since the last erase.
    pub ordered_programs: u32,
    /// How many of them have started.
    pub started_programs: u32,
    /// Times it was erased.
    pub erases: u32,
    /// When it became full, as a count of blocks that became full before.
    pub closed: u64,
}

/// Why a block is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
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
    /// Why.
    pub cause: Cause,
    /// What its moves fill that stay in the plane.
    pub frontier: Frontier,
    /// Moves that have no new page yet; room must be kept for them.
    pub unplaced: u32,
    /// Moves that are not finished.
    pub unfinished: u32,
    /// Whether the erase was ordered.
    pub erasing: bool,
}

/// When planes are short of free blocks, as far as giving out pages is concerned.
#[derive(Clone, Copy, Debug)]
pub struct CollectionRule {
    /// What makes a plane collect.
    pub trigger: GcTrigger,
    /// With fewer free blocks it is short.
    pub start_free_blocks: u32,
    /// With fewer free blocks the host waits for collection.
    pub stop_free_blocks: u32,
    /// Whether the host waits for a block of its own.
    pub write_frontiers: WriteFrontiers,
    /// Whether data that levelling moves has one.
    pub wear_measure: WearMeasure,
}

/// What is known of a plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plane {
    /// By stream: the block that the host's writes fill.
    host_blocks: Box<[Option<BlockId>]>,
    /// By stream of the map.
    mapping_blocks: Box<[Option<BlockId>]>,
    collection_block: Option<BlockId>,
    /// What data fills that rests.
    resting_block: Option<BlockId>,
    free: FreeBlocks,
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

/// How many blocks a plane has open for new data.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    /// For the host's writes, at least one.
    pub host: u16,
    /// For the map's pages, at least one.
    pub map: u16,
}

/// Who asks for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// A write of the host, with the number of its stream.
    Host(u16),
    /// A write-back of the map, with the number of its stream.
    Mapping(u16),
    /// A move of collection.
    Collection,
    /// A move of data that rests: of wear levelling, or of a collection whose victim has rested.
    Resting,
    /// A move of another plane's collection.
    Guest,
}

/// The room that a stream would write into next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Open(BlockId),
    NewBlock,
}

impl Plane {
    fn new(free: FreeBlocks, streams: Streams) -> Self {
        Self {
            host_blocks: vec![None; usize::from(streams.host)].into(),
            mapping_blocks: vec![None; usize::from(streams.map)].into(),
            collection_block: None,
            resting_block: None,
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
}

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
    states: Vec<Block>,
    planes: Vec<Plane>,
    closed_so_far: u64,
    rule: CollectionRule,
}

impl Blocks {
    /// All blocks erased; for so many streams of the host's writes, with or without dynamic wear
    /// levelling.
    pub fn new(geometry: Geometry, streams: Streams, dynamic_wear_levelling: bool) -> Self {
        let free = FreeBlocks::new(geometry.blocks_per_plane, dynamic_wear_levelling);
        let plane = Plane::new(free, streams);
        Self {
            geometry,
            // Memory that nobody touches: most blocks of a large drive stay as they are.
            states: zeroed_vec(geometry.blocks() as usize),
            planes: vec![plane; geometry.planes() as usize],
            closed_so_far: 0,
            rule: CollectionRule {
                trigger: GcTrigger::Shortage,
                start_free_blocks: 0,
                stop_free_blocks: 0,
                write_frontiers: WriteFrontiers::Separate,
                wear_measure: WearMeasure::Erases,
            },
        }
    }

    /// Says when planes are short of free blocks. Before that they never are.
    pub fn collect_from(&mut self, rule: CollectionRule) {
        self.rule = rule;
    }

    /// A block.
    #[inline]
    pub fn block(&self, block: BlockId) -> &Block {
        &self.states[block.index()]
    }

    /// A block, for change.
    #[inline]
    pub fn block_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.states[block.index()]
    }

    /// A plane.
    #[inline]
    pub fn plane(&self, plane: PlaneId) -> &Plane {
        &self.planes[plane.index()]
    }

    /// A plane, for change.
    #[inline]
    pub fn plane_mut(&mut self, plane: PlaneId) -> &mut Plane {
        &mut self.planes[plane.index()]
    }

    /// What a file keeps.
    pub fn store(&self) -> StoredBlocks {
        let Self { states, planes, closed_so_far, .. } = self;
        StoredBlocks { states: states.clone(), planes: planes.clone(), closed_so_far: *closed_so_far }
    }

    /// Goes back to what a file kept. Says whether it is as large.
    pub fn restore(&mut self, stored: StoredBlocks) -> bool {
        let streams = |planes: &[Plane]| {
            planes.first().map(|plane| (plane.host_blocks.len(), plane.mapping_blocks.len()))
        };
        let fits = stored.states.len() == self.states.len()
            && stored.planes.len() == self.planes.len()
            && streams(&stored.planes) == streams(&self.planes);
        if fits {
            StoredBlocks { states: self.states, planes: self.planes, closed_so_far: self.closed_so_far } =
                stored;
        }
        fits
    }

    /// The blocks of a plane, by number.
    pub fn of_plane(&self, plane: PlaneId) -> &[Block] {
        let first = self.geometry.block(plane, 0).index();
        &self.states[first..first + self.geometry.blocks_per_plane as usize]
    }

    /// Blocks of the drive that have become full so far.
    pub fn closed_so_far(&self) -> u64 {
        self.closed_so_far
    }

    /// Makes an erased plane one that had its blocks in this state; `closed_so_far` of them had become full, here or in
    /// whichever plane is furthest.
    pub fn install(&mut self, plane: PlaneId, like: &Plane, blocks: &[Block], closed_so_far: u64) {
        let (first, planes) = (self.geometry.block(plane, 0), u64::from(self.geometry.planes()));
        let place = |block: Option<BlockId>| block.map(|block| BlockId(first.0 + block.0));
        let committed_pages = self.plane(plane).committed_pages;
        *self.plane_mut(plane) = Plane {
            host_blocks: like.host_blocks.iter().map(|&block| place(block)).collect(),
            mapping_blocks: like.mapping_blocks.iter().map(|&block| place(block)).collect(),
            collection_block: place(like.collection_block),
            resting_block: place(like.resting_block),
            committed_pages,
            ..like.clone()
        };
        // Each plane was the only one, and ages count blocks of the whole drive.
        self.closed_so_far = self.closed_so_far.max(closed_so_far * planes);
        for (state, block) in self.states[first.index()..].iter_mut().zip(blocks) {
            *state = Block { closed: block.closed * planes, ..*block };
        }
    }

    /// Opens the next block for a stream before it writes, unless that is the block kept for collection.
    pub fn open_early(&mut self, plane: PlaneId, stream: Stream) {
        if self.free(plane) > KEPT_FOR_COLLECTION {
            self.open(plane, stream);
        }
    }

    /// Takes a free block out of use.
    pub fn keep_from_use(&mut self, plane: PlaneId) {
        self.plane_mut(plane).free.take();
    }

    /// Blocks of a plane that were taken out of use.
    pub fn out_of_use(&self, plane: PlaneId) -> u32 {
        let Plane { host_blocks, mapping_blocks, collection_block, resting_block, .. } = self.plane(plane);
        let open =
            host_blocks.iter().chain(mapping_blocks).chain([collection_block, resting_block]).flatten();
        let open = open.filter(|&&block| self.block(block).written == 0).count();
        let unwritten = self.of_plane(plane).iter().filter(|block| block.written == 0).count();
        (unwritten - open) as u32 - self.free(plane)
    }

    /// Makes what is left of the host's open block, or a new block if there is none, pages that are not valid any more.
    /// The block that is kept for collection stays free.
    pub fn fill_up(&mut self, plane: PlaneId) {
        if self.plane(plane).host_blocks[0].is_none() {
            self.open_early(plane, Stream::Host(0));
        }
        let Some(block) = self.plane(plane).host_blocks[0] else { return };
        let pages = self.geometry.pages_per_block;
        let state = &mut self.states[block.index()];
        let left = pages - std::mem::replace(&mut state.written, pages);
        self.plane_mut(plane).invalid_pages += left;
        self.close(plane, block);
    }

    /// Blocks of a plane that are erased and not open.
    #[inline]
    pub fn free(&self, plane: PlaneId) -> u32 {
        self.plane(plane).free.len()
    }

    /// The offset within its block of the page that a stream would get next, if there is one and it need not wait for
    /// collection.
    #[inline]
    pub fn next_offset(&self, plane: PlaneId, stream: Stream) -> Option<u32> {
        if matches!(stream, Stream::Host(_)) && self.is_stopped(plane) {
            return None;
        }
        match self.room(plane, stream)? {
            Room::Open(block) => Some(self.block(block).written),
            Room::NewBlock => Some(0),
        }
    }

    /// Whether all programs have started whose pages stand before the next page of a stream.
    pub fn is_next_program_due(&self, plane: PlaneId, stream: Stream) -> bool {
        match self.room(plane, stream) {
            Some(Room::Open(block)) => {
                let block = self.block(block);
                block.ordered_programs == block.started_programs
            }
            _ => true,
        }
    }

    /// Gives out the next page of a stream for a program, valid from now on; none if there is no room.
    #[inline]
    pub fn allocate(&mut self, plane: PlaneId, stream: Stream) -> Option<Ppn> {
        // Room was looked for before, and data that has lost its validity since may have made the host wait for a better one.
        let room = self.room(plane, stream).or_else(|| self.room_to_borrow(plane, stream))?;
        let ppn = self.give_out(plane, stream, room)?;
        let state = &mut self.states[self.geometry.block_of(ppn).index()];
        state.pending_programs += 1;
        state.ordered_programs += 1;
        self.plane_mut(plane).pending_programs += 1;
        Some(ppn)
    }

    /// The program of a page that was given out for it has ended.
    #[inline]
    pub fn program_ended(&mut self, ppn: Ppn) {
        let block = self.geometry.block_of(ppn);
        self.states[block.index()].pending_programs -= 1;
        self.planes[self.geometry.plane_of(block).index()].pending_programs -= 1;
    }

    /// Gives out the next page of a stream as if it had been programmed already.
    #[inline]
    pub fn allocate_written(&mut self, plane: PlaneId, stream: Stream) -> Option<Ppn> {
        let room = self.room(plane, stream)?;
        self.give_out(plane, stream, room)
    }

    #[inline]
    fn give_out(&mut self, plane: PlaneId, stream: Stream, room: Room) -> Option<Ppn> {
        let block = match room {
            Room::Open(block) => block,
            Room::NewBlock => self.open(plane, stream)?,
        };
        let state = &mut self.states[block.index()];
        let ppn = self.geometry.ppn(block, state.written);
        state.written += 1;
        state.valid += 1;
        if state.written == self.geometry.pages_per_block {
            self.close(plane, block);
        }
        Some(ppn)
    }

    /// One page of a block stops being the current version.
    #[inline]
    pub fn invalidate(&mut self, ppn: Ppn) {
        let block = self.geometry.block_of(ppn);
        self.states[block.index()].valid -= 1;
        self.planes[self.geometry.plane_of(block).index()].invalid_pages += 1;
    }

    /// Erases a block: all its pages are free again.
    ///
    /// # Panics
    /// When something in it is still needed: that is a bug of ours.
    pub fn erase(&mut self, block: BlockId) {
        let state = &mut self.states[block.index()];
        assert!(
            state.valid == 0 && state.pending_reads == 0 && state.pending_programs == 0,
            "a block in use was erased: {state:?}"
        );
        let (erases, written) = (state.erases + 1, state.written);
        *state = Block { erases, ..Block::default() };
        let plane = &mut self.planes[self.geometry.plane_of(block).index()];
        plane.most_erases = plane.most_erases.max(erases);
        plane.invalid_pages -= written;
        plane.free.put(block.0 % self.geometry.blocks_per_plane, erases);
    }

    /// Blocks of a plane that may be collected: full, no program in flight, an invalid page.
    #[inline]
    pub fn candidates(&self, plane: PlaneId) -> impl Iterator<Item = Candidate> {
        let (pages, closed_so_far) = (self.geometry.pages_per_block, self.closed_so_far);
        self.settled(plane).filter(move |(_, block)| block.valid < pages).map(move |(index, block)| {
            let age = closed_so_far - block.closed;
            Candidate { index, valid: block.valid, age, erases: block.erases }
        })
    }

    /// The full block of a plane with the fewest erases, no program in flight; of equals, the oldest.
    pub fn least_worn(&self, plane: PlaneId) -> Option<BlockId> {
        let coldest = self.settled(plane).min_by_key(|(_, block)| (block.erases, block.closed));
        coldest.map(|(index, _)| self.geometry.block(plane, index))
    }

    /// The fewest and the most erases of a plane's blocks.
    pub fn erases_of(&self, plane: PlaneId) -> (u32, u32) {
        let counts = self.of_plane(plane).iter().map(|block| block.erases);
        counts.fold((u32::MAX, 0), |(least, most), count| (least.min(count), most.max(count)))
    }

    /// Whether a block of a plane is open for data that rests.
    pub fn has_resting_block(&self, plane: PlaneId) -> bool {
        self.plane(plane).resting_block.is_some()
    }

    /// The fewest and the most erases of a plane's free blocks, if it has any.
    pub fn erases_of_free(&self, plane: PlaneId) -> Option<(u32, u32)> {
        let blocks = self.of_plane(plane);
        self.plane(plane).free.least_and_most_worn(|index| blocks[index as usize].erases)
    }

    /// The blocks of a plane that are full and have no program in flight, with their numbers in it.
    #[inline]
    fn settled(&self, plane: PlaneId) -> impl Iterator<Item = (u32, &Block)> {
        let used = self.plane(plane).free.ever_opened();
        let first = self.geometry.block(plane, 0).index();
        let pages = self.geometry.pages_per_block;
        let blocks = (0..).zip(&self.states[first..first + used as usize]);
        blocks.filter(move |(_, block)| block.written == pages && block.pending_programs == 0)
    }

    #[inline]
    fn room(&self, plane: PlaneId, stream: Stream) -> Option<Room> {
        if stream == Stream::Guest {
            return self.guest_room(plane);
        }
        let state = self.plane(plane);
        let (own, kept) = match stream {
            Stream::Host(number) => (state.host_blocks[usize::from(number)], KEPT_FOR_COLLECTION),
            Stream::Mapping(number) => (state.mapping_blocks[usize::from(number)], KEPT_FOR_COLLECTION),
            Stream::Collection | Stream::Guest => (state.collection_block, 0),
            Stream::Resting => (state.resting_block, 0),
        };
        let new = || (self.free(plane) > kept).then_some(Room::NewBlock);
        own.map(Room::Open).or_else(new).or_else(|| self.shared_room(plane, stream))
    }

    /// Room for a write of the host or the map that its own block and new ones do not have: in
    /// another stream's open block, or in collection's.
    #[cold]
    fn shared_room(&self, plane: PlaneId, stream: Stream) -> Option<Room> {
        if matches!(stream, Stream::Collection | Stream::Resting) {
            return None;
        }
        let state = self.plane(plane);
        let mut open = state.mapping_blocks.iter().chain(&state.host_blocks);
        let other = open.find_map(|&block| block).map(Room::Open);
        let waits = self.has_room_for_two_frontiers(state);
        other.or_else(|| if waits { None } else { self.room_to_borrow(plane, stream) })
    }

    /// What is left of the blocks that collection and levelling fill, for the host and the map.
    #[cold]
    fn room_to_borrow(&self, plane: PlaneId, stream: Stream) -> Option<Room> {
        if !matches!(stream, Stream::Host(_) | Stream::Mapping(_)) {
            return None;
        }
        let state = self.plane(plane);
        let spare = self.room_collection_can_spare(state);
        spare.or_else(|| self.spare_room(state, state.resting_block, Stream::Resting))
    }

    /// Whether the host waits for a block of its own rather than fill collection's. What a plane has to spare, its free
    /// pages and its invalid ones together, is the same before, during and after a collection; invalid pages of blocks that
    /// collection fills are left out, since none of them is freed before its block is full. So whoever waits does not wait in vain.
    fn has_room_for_two_frontiers(&self, plane: &Plane) -> bool {
        if self.rule.write_frontiers == WriteFrontiers::Shared {
            return false;
        }
        let pages = self.geometry.pages_per_block;
        let left = plane.collection_block.map_or(0, |block| pages - self.block(block).written);
        let open = [plane.collection_block, plane.resting_block].into_iter().flatten();
        let useless: u32 = open.map(|block| self.block(block).written - self.block(block).valid).sum();
        let to_spare = plane.free.len() * pages + left + plane.invalid_pages - useless;
        to_spare >= SPARE_FOR_TWO_FRONTIERS * pages
    }

    /// Room for a page of another plane: what the plane's own collection can spare, or a block that is not the kept one.
    fn guest_room(&self, plane: PlaneId) -> Option<Room> {
        let state = self.plane(plane);
        match state.collection_block {
            Some(_) => self.room_collection_can_spare(state),
            None => (state.free.len() > KEPT_FOR_COLLECTION).then_some(Room::NewBlock),
        }
    }

    /// Whether the host waits for a collection that is on its way.
    #[inline]
    fn is_stopped(&self, plane: PlaneId) -> bool {
        self.plane(plane).collection.is_some() && self.free(plane) < self.rule.stop_free_blocks
    }

    fn room_collection_can_spare(&self, plane: &Plane) -> Option<Room> {
        self.spare_room(plane, plane.collection_block, Stream::Collection)
    }

    /// The next page of an open block of collection or levelling, if the moves in progress have room without it.
    fn spare_room(&self, plane: &Plane, open: Option<BlockId>, stream: Stream) -> Option<Room> {
        let block = open?;
        let pages = self.geometry.pages_per_block;
        let room = pages - self.block(block).written + plane.free.len() * pages;
        let moves = plane.collection.filter(|collection| self.stream_of(*collection) == stream);
        let needed = moves.map_or(0, |collection| collection.unplaced);
        (room > needed).then_some(Room::Open(block))
    }

    /// What the moves of a collection fill.
    fn stream_of(&self, collection: Collection) -> Stream {
        match (collection.cause, self.rule.wear_measure) {
            (Cause::Wear, WearMeasure::Erases) => Stream::Resting,
            _ if collection.frontier == Frontier::Resting => Stream::Resting,
            _ => Stream::Collection,
        }
    }

    /// What the moves of a plane's collection fill.
    #[inline]
    pub fn stream_of_moves(&self, plane: PlaneId) -> Stream {
        let collection = self.plane(plane).collection;
        collection.map_or(Stream::Collection, |collection| self.stream_of(collection))
    }

    fn open(&mut self, plane: PlaneId, stream: Stream) -> Option<BlockId> {
        let (state, first) = (&mut self.planes[plane.index()], self.geometry.block(plane, 0).index());
        let index = match stream {
            Stream::Resting => state.free.take_most_worn(|index| self.states[first + index as usize].erases),
            _ => state.free.take(),
        };
        let block = self.geometry.block(plane, index?);
        match stream {
            Stream::Host(number) => state.host_blocks[usize::from(number)] = Some(block),
            Stream::Mapping(number) => state.mapping_blocks[usize::from(number)] = Some(block),
            Stream::Collection | Stream::Guest => state.collection_block = Some(block),
            Stream::Resting => state.resting_block = Some(block),
        }
        Some(block)
    }

    fn close(&mut self, plane: PlaneId, block: BlockId) {
        self.states[block.index()].closed = self.closed_so_far;
        self.closed_so_far += 1;
        let state = &mut self.planes[plane.index()];
        let stream = if let Some(number) = state.host_blocks.iter().position(|open| *open == Some(block)) {
            state.host_blocks[number] = None;
            Stream::Host(number as u16)
        } else if let Some(number) = state.mapping_blocks.iter().position(|open| *open == Some(block)) {
            state.mapping_blocks[number] = None;
            Stream::Mapping(number as u16)
        } else if state.resting_block == Some(block) {
            state.resting_block = None;
            Stream::Resting
        } else {
            state.collection_block = None;
            Stream::Collection
        };
        if self.rule.trigger == GcTrigger::FullBlock {
            self.ask_for_collection(plane, stream);
        }
    }

    /// A stream's block is full: its next one is opened at once, as MQSim does, and if that leaves the plane short of free
    /// blocks, one is to be collected.
    fn ask_for_collection(&mut self, plane: PlaneId, stream: Stream) {
        self.open_early(plane, stream);
        if self.free(plane) < self.rule.start_free_blocks {
            self.plane_mut(plane).owed_collections += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Array;

    const PLANE: PlaneId = PlaneId(0);

    fn four_blocks_of_two_pages() -> Blocks {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 2,
            page_bytes: 4096,
        };
        Blocks::new(geometry, Streams { host: 1, map: 1 }, false)
    }

    fn fill(blocks: &mut Blocks, pages: u32, stream: Stream) -> Vec<Option<u32>> {
        (0..pages).map(|_| blocks.allocate(PLANE, stream).map(|ppn| ppn.0)).collect()
    }

    #[test]
    fn pages_of_a_block_are_given_out_in_order_and_the_last_free_block_is_kept() {
        let mut blocks = four_blocks_of_two_pages();
        let given = fill(&mut blocks, 7, Stream::Host(0));
        assert_eq!(given, [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None]);
        assert_eq!(blocks.free(PLANE), KEPT_FOR_COLLECTION);
        assert_eq!(fill(&mut blocks, 1, Stream::Collection), [Some(6)]);
    }

    #[test]
    fn streams_fill_blocks_of_their_own_and_share_what_is_open_when_none_is_free() {
        let Blocks { geometry, .. } = four_blocks_of_two_pages();
        let mut blocks = Blocks::new(geometry, Streams { host: 3, map: 1 }, false);
        let mut next = |stream| fill(&mut blocks, 1, Stream::Host(stream))[0];
        assert_eq!([next(0), next(1), next(0), next(2)], [Some(0), Some(2), Some(1), Some(4)]);
        // Three blocks are taken, the fourth is kept: what is left are the second pages of two.
        assert_eq!([next(0), next(0), next(1)], [Some(3), Some(5), None]);
    }

    #[test]
    fn streams_of_the_map_have_blocks_of_their_own() {
        let Blocks { geometry, .. } = four_blocks_of_two_pages();
        let mut blocks = Blocks::new(geometry, Streams { host: 1, map: 2 }, false);
        let mut next = |stream| fill(&mut blocks, 1, stream)[0];
        let streams = [Stream::Mapping(0), Stream::Mapping(1), Stream::Mapping(0), Stream::Mapping(1)];
        assert_eq!(streams.map(&mut next), [Some(0), Some(2), Some(1), Some(3)]);
        assert_eq!(next(Stream::Host(0)), Some(4));
    }

    #[test]
    fn the_next_program_is_due_when_those_in_front_of_it_have_started() {
        let mut blocks = four_blocks_of_two_pages();
        assert!(blocks.is_next_program_due(PLANE, Stream::Host(0)), "the block is new");
        fill(&mut blocks, 1, Stream::Host(0));
        assert!(!blocks.is_next_program_due(PLANE, Stream::Host(0)));
        blocks.block_mut(BlockId(0)).started_programs = 1;
        assert!(blocks.is_next_program_due(PLANE, Stream::Host(0)));
    }

    #[test]
    fn the_host_may_use_room_that_the_collection_in_progress_does_not_need() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 6, Stream::Host(0));
        let collection = Collection {
            victim: BlockId(0),
            cause: Cause::Space,
            frontier: Frontier::Collection,
            unplaced: 2,
            unfinished: 2,
            erasing: false,
        };
        blocks.plane_mut(PLANE).collection = Some(collection);
        fill(&mut blocks, 1, Stream::Collection);
        assert_eq!(blocks.next_offset(PLANE, Stream::Host(0)), None, "both pages are needed");
        blocks.plane_mut(PLANE).collection = Some(Collection { unplaced: 0, ..collection });
        assert_eq!(blocks.next_offset(PLANE, Stream::Host(0)), Some(1));
        assert_eq!(fill(&mut blocks, 2, Stream::Host(0)), [Some(7), None]);
    }

    #[test]
    fn only_full_settled_blocks_with_an_invalid_page_are_candidates() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 3, Stream::Host(0));
        blocks.invalidate(Ppn(0));
        assert_eq!(blocks.candidates(PLANE).count(), 0, "its programs are in flight");
        blocks.block_mut(BlockId(0)).pending_programs = 0;
        let candidates: Vec<_> = blocks.candidates(PLANE).collect();
        assert_eq!(candidates, [Candidate { index: 0, valid: 1, age: 1, erases: 0 }]);
    }

    #[test]
    fn the_least_worn_block_is_a_full_one_and_the_oldest_of_equals() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 6, Stream::Host(0));
        assert_eq!(blocks.least_worn(PLANE), None, "their programs are in flight");
        for block in (0..3).map(BlockId) {
            blocks.block_mut(block).pending_programs = 0;
        }
        assert_eq!(blocks.least_worn(PLANE), Some(BlockId(0)));
        blocks.block_mut(BlockId(0)).erases = 1;
        assert_eq!(blocks.least_worn(PLANE), Some(BlockId(1)));
    }

    #[test]
    #[should_panic(expected = "a block in use was erased")]
    fn a_block_with_valid_pages_is_never_erased() {
        let mut blocks = four_blocks_of_two_pages();
        fill(&mut blocks, 1, Stream::Host(0));
        blocks.erase(BlockId(0));
    }
}
