//! Lines (superblocks): blocks of equal index, one of each plane, that are opened, collected and erased
//! together.
//!
//! # What it models
//! A stream of writes has one open line, whose pages it fills in turn over all planes. The line is the unit
//! of garbage collection: its blocks become free together when the last of them has been erased.
//!
//! # How
//! The free blocks of all planes have the same indices. The first plane that needs the next line of a stream
//! opens the line in all planes. In a plane that has not filled its block of the stream's previous line, the
//! new block waits. Planes may thus be some pages apart, since their dies are not equally busy, and every
//! page of a line is used.
//!
//! Streams do not share lines. A drive therefore needs spare lines for all its open ones
//! ([`most_logical_pages_per_plane`](super::super::most_logical_pages_per_plane)).
//!
//! # Source
//! Kim et al., "`NVMeVirt`", FAST 2023, `conv_ftl.c`: a line is one block of each plane, filled page by page
//! over all planes.
//!
//! # Parameters
//! `ftl.placement`

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{BlockId, PlaneId};

use super::frontiers::{OpenBlockCounts, WriteStream};
use super::plane::CollectionCause;

/// Open lines (superblocks) of a drive, and the progress of garbage collection in the line that is being
/// collected.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// Planes in the order in which the pages of a line (superblock) are filled.
    order: Vec<PlaneId>,
    /// Planes whose blocks contain only parity.
    parity: Vec<PlaneId>,
    host_streams: usize,
    map_streams: usize,
    /// Position in `order` of the plane for the next page, indexed by stream.
    next: Vec<u32>,
    /// Planes of cancelled page writes, indexed by stream. The next pages of the stream go to these planes.
    returned: Vec<Vec<PlaneId>>,
    /// Blocks of opened lines (superblocks) that wait until the stream's previous block in the plane is full,
    /// indexed by plane and stream.
    waiting: Vec<VecDeque<BlockId>>,
    /// Stream to which the mapping units of the collected line (superblock) are moved; `None` if no line is
    /// being collected.
    #[serde(skip)]
    moves: Option<WriteStream>,
    /// Number of blocks of the collected line (superblock) whose garbage collection has ended.
    #[serde(skip)]
    ended: usize,
}

impl Lines {
    /// Creates the state of an erased drive, whose lines (superblocks) are filled in this `order` of planes.
    pub(super) fn new(order: Vec<PlaneId>, parity: Vec<PlaneId>, streams: OpenBlockCounts) -> Self {
        let (host_streams, map_streams) = (usize::from(streams.host), usize::from(streams.map));
        // The additional streams are those of moved units and of cold data.
        let streams = host_streams + map_streams + 2;
        Self {
            next: vec![0; streams],
            returned: vec![Vec::new(); streams],
            waiting: vec![VecDeque::new(); (order.len() + parity.len()) * streams],
            order,
            parity,
            host_streams,
            map_streams,
            moves: None,
            ended: 0,
        }
    }

    fn number(&self, stream: WriteStream) -> usize {
        match stream {
            WriteStream::Host(number) => usize::from(number),
            WriteStream::Mapping(number) => self.host_streams + usize::from(number),
            WriteStream::Collection | WriteStream::Guest => self.host_streams + self.map_streams,
            WriteStream::Resting => self.host_streams + self.map_streams + 1,
        }
    }

    fn place(&self, plane: PlaneId, stream: WriteStream) -> usize {
        plane.index() * self.next.len() + self.number(stream)
    }

    /// Returns all planes, including the planes that contain only parity.
    pub fn all_planes(&self) -> impl Iterator<Item = PlaneId> {
        self.order.iter().chain(&self.parity).copied()
    }

    /// Returns the planes that contain only parity.
    pub fn parity_planes(&self) -> &[PlaneId] {
        &self.parity
    }

    /// Returns the planes with data in the order in which the pages of a line (superblock) are filled.
    pub fn planes(&self) -> &[PlaneId] {
        &self.order
    }

    /// Returns the plane for the next page of a stream, on a drive whose pages are striped over lines
    /// (superblocks).
    pub fn next_plane(&mut self, stream: WriteStream) -> PlaneId {
        let number = self.number(stream);
        if let Some(plane) = self.returned[number].pop() {
            return plane;
        }
        let position = self.next[number];
        self.next[number] = (position + 1) % self.order.len() as u32;
        self.order[position as usize]
    }

    /// Records the plane of a cancelled page write, so that the stream's next page goes there.
    pub(super) fn return_plane(&mut self, stream: WriteStream, plane: PlaneId) {
        let number = self.number(stream);
        self.returned[number].push(plane);
    }

    /// Makes the block of an opened line (superblock) wait until the stream's previous block in `plane` is
    /// full.
    pub(super) fn wait(&mut self, plane: PlaneId, stream: WriteStream, block: BlockId) {
        let place = self.place(plane, stream);
        self.waiting[place].push_back(block);
    }

    /// Removes and returns the next waiting block of a stream in a plane, if the stream's next line
    /// (superblock) has been opened.
    pub(super) fn next_waiting(&mut self, plane: PlaneId, stream: WriteStream) -> Option<BlockId> {
        let place = self.place(plane, stream);
        self.waiting[place].pop_front()
    }

    /// Returns true while a line (superblock) is being collected, until the garbage collection of all its blocks has
    /// ended.
    pub fn is_collecting(&self) -> bool {
        self.moves.is_some()
    }

    /// Returns the stream to which the mapping units of the collected line (superblock) are moved.
    pub(super) fn stream_of_moves(&self) -> WriteStream {
        self.moves.unwrap_or(WriteStream::Collection)
    }

    /// Records the start of a line's (superblock's) garbage collection. Wear levelling moves mapping units to
    /// a separate stream.
    pub(super) fn collection_begins(&mut self, cause: CollectionCause) {
        self.moves = Some(match cause {
            CollectionCause::Space
            | CollectionCause::Idle
            | CollectionCause::Reclaim
            | CollectionCause::Refresh
            | CollectionCause::Fold => WriteStream::Collection,
            CollectionCause::Wear => WriteStream::Resting,
        });
    }

    /// Counts a block of the collected line (superblock) that has been erased, or whose garbage collection was
    /// stopped. Returns true if it was the last one.
    pub(super) fn block_ended(&mut self) -> bool {
        self.ended += 1;
        let is_last = self.ended == self.order.len() + self.parity.len();
        if is_last {
            (self.ended, self.moves) = (0, None);
        }
        is_last
    }

    /// Returns true if a stored state has the same planes and streams.
    pub(super) fn is_like(&self, stored: &Self) -> bool {
        self.order == stored.order && self.parity == stored.parity && self.next.len() == stored.next.len()
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{Array, Geometry};

    use super::*;
    use crate::ftl::space::Blocks;
    use crate::ftl::space::plane::CollectionRule;

    const HOST: WriteStream = WriteStream::Host(0);

    /// Creates two planes of four blocks of two pages. Pages of a line (superblock) are filled in descending
    /// order of the planes.
    fn two_planes() -> (Blocks, Vec<PlaneId>) {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 4,
            pages_per_block: 2,
            page_bytes: 4096,
        };
        let rule = CollectionRule { by_line: true, ..CollectionRule::NEVER_SHORT };
        let order = vec![PlaneId(1), PlaneId(0)];
        let streams = OpenBlockCounts { host: 2, map: 1 };
        (Blocks::new(geometry, streams, false, rule).with_lines(order.clone(), Vec::new()), order)
    }

    fn write(blocks: &mut Blocks, stream: WriteStream, pages: u32) -> Vec<u32> {
        (0..pages)
            .map(|_| {
                let plane = blocks.next_plane(stream);
                blocks.allocate_written(plane, stream).expect("a line is free").0
            })
            .collect()
    }

    #[test]
    fn pages_of_a_line_are_striped_over_planes_and_each_stream_has_its_own_line() {
        let (mut blocks, _) = two_planes();
        assert_eq!(write(&mut blocks, HOST, 3), [8, 0, 9]);
        assert_eq!(write(&mut blocks, WriteStream::Host(1), 2), [10, 2]);
        assert_eq!(write(&mut blocks, WriteStream::Collection, 2), [12, 4]);
        assert_eq!(write(&mut blocks, HOST, 1), [1], "the first line's last page");
        let free = [0, 1].map(|plane| blocks.planes[PlaneId(plane)].free_blocks());
        assert_eq!(free, [1, 1]);
    }

    #[test]
    fn plane_that_is_behind_fills_every_page_of_its_line_before_the_next() {
        let (mut blocks, _) = two_planes();
        // Plane 0 opens the second line before plane 1 has written a page of the first line.
        let ahead: Vec<u32> = (0..3).map(|_| blocks.allocate_written(PlaneId(0), HOST).unwrap().0).collect();
        let behind: Vec<u32> = (0..3).map(|_| blocks.allocate_written(PlaneId(1), HOST).unwrap().0).collect();
        assert_eq!((ahead, behind), (vec![0, 1, 2], vec![8, 9, 10]));
        assert_eq!(blocks.planes[PlaneId(1)].free_blocks(), 2);
    }

    #[test]
    fn line_is_free_when_its_last_block_is_erased() {
        let (mut blocks, _) = two_planes();
        for ppn in write(&mut blocks, HOST, 4) {
            blocks.invalidate(venice_nand::geometry::Ppn(ppn));
        }
        let free = |blocks: &Blocks| [0, 1].map(|plane| blocks.planes[PlaneId(plane)].free_blocks());
        blocks.line_collection_begins(CollectionCause::Space);
        blocks.erase(BlockId(0));
        assert_eq!((free(&blocks), blocks.is_line_collected()), ([3, 3], true));
        blocks.erase(BlockId(4));
        assert_eq!((free(&blocks), blocks.is_line_collected()), ([4, 4], false));
    }

    #[test]
    fn host_never_opens_the_last_free_line_but_collection_does() {
        let (mut blocks, order) = two_planes();
        write(&mut blocks, HOST, 12);
        for plane in order {
            assert_eq!(blocks.next_offset(plane, HOST), None);
            assert_eq!(blocks.next_offset(plane, WriteStream::Collection), Some(0));
        }
    }
}
