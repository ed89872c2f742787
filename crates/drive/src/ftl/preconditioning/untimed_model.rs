//! Allocation and garbage collection in zero time, without commands or requests.
//!
//! # How
//!
//! Allocation, victim selection and wear levelling use the same code as a run. A page is written to the next
//! page of its stream's open block. [`Background`] determines how many pages garbage collection moves per
//! page written.

use std::hint::black_box;

use arrayvec::ArrayVec;
use venice_nand::geometry::{BlockId, Geometry, Lpn, PlaneId, Ppn};

use super::background::Background;
use crate::ftl::collector::Collector;
use crate::ftl::prefetch::FORESEEN;
use crate::ftl::shared::Shared;
use crate::ftl::space::{Collection, CollectionCause, KEPT_FOR_COLLECTION, Space, WriteStream};
use crate::ftl::translation::{PageMap, PlaneRecording};

/// Map between logical and physical pages, as the untimed model uses it.
pub(in crate::ftl) trait PageLocations {
    /// Returns the logical page whose valid data is in a physical page.
    fn logical(&self, ppn: Ppn) -> Option<Lpn>;

    /// Maps a logical page to a new physical page. Returns the old physical page.
    fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn>;

    /// Maps logical pages, all of which are already mapped, to consecutive physical pages.
    fn remap_row(&mut self, lpns: &[Lpn], first: Ppn);
}

impl PageLocations for PageMap {
    fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        Self::logical(self, ppn)
    }

    fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        Self::remap(self, lpn, to)
    }

    fn remap_row(&mut self, lpns: &[Lpn], first: Ppn) {
        Self::remap_row(self, lpns, first);
    }
}

impl PageLocations for PlaneRecording {
    #[inline]
    fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        self.tables().logical(ppn)
    }

    #[inline]
    fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        Self::remap(self, lpn, to)
    }

    /// Maps the pages after all of their map entries have been loaded, so that the cache misses of the
    /// entries overlap.
    fn remap_row(&mut self, lpns: &[Lpn], first: Ppn) {
        let tables = self.tables();
        black_box(lpns.iter().fold(0, |all, lpn| all ^ tables.to_physical[lpn.index()]));
        for (&lpn, to) in lpns.iter().zip((first.0..).map(Ppn)) {
            Self::remap(self, lpn, to);
        }
    }
}

/// Untimed model of allocation and garbage collection: the blocks and the collector of a drive, with the
/// drive's page map or a map that replaces it.
pub(in crate::ftl) struct PlaneLocations<'a, M> {
    geometry: &'a Geometry,
    collector: &'a mut Collector,
    space: &'a mut Space,
    map: &'a mut M,
}

impl<'a> PlaneLocations<'a, PageMap> {
    /// Creates the untimed model of a drive from its collector, blocks and page map.
    pub(in crate::ftl) const fn of(collector: &'a mut Collector, shared: &'a mut Shared) -> Self {
        let Shared { geometry, space, translation, .. } = shared;
        PlaneLocations { geometry, collector, space, map: &mut translation.map }
    }
}

impl<'a, M: PageLocations> PlaneLocations<'a, M> {
    /// Creates the untimed model from a collector, blocks and a page map.
    pub(super) const fn new(
        geometry: &'a Geometry,
        collector: &'a mut Collector,
        space: &'a mut Space,
        map: &'a mut M,
    ) -> Self {
        Self { geometry, collector, space, map }
    }
}

impl<M: PageLocations> PlaneLocations<'_, M> {
    /// Programs a page. If necessary, garbage collection first frees a page for it. Afterwards, garbage
    /// collection makes the moves that this write permits.
    pub(in crate::ftl) fn program(
        &mut self,
        plane: PlaneId,
        lpn: Lpn,
        stream: WriteStream,
        background: &mut Background,
    ) {
        if self.geometry.planes() > 1 && self.space.blocks.lines().is_some() {
            return self.program_in_line(plane, lpn, stream);
        }
        while self.space.blocks.next_offset(plane, stream).is_none() {
            let begun = self.has_victim(plane);
            assert!(begun, "a plane never comes to a halt");
            while self.is_collecting(plane) {
                background.count(self.step(plane, FORESEEN));
            }
        }
        self.place(plane, lpn, stream);
        background.earn(self.collector.is_pressed(self.space, plane));
        self.go_on(plane, background);
    }

    /// Programs a page of a drive with lines (superblocks) and several planes. If necessary, garbage
    /// collection first frees a line.
    fn program_in_line(&mut self, plane: PlaneId, lpn: Lpn, stream: WriteStream) {
        while self.space.blocks.next_offset(plane, stream).is_none() {
            let (victim, _) =
                self.collector.victims.next(self.space, plane).expect("a drive never comes to a halt");
            self.empty_line(victim.0 - self.geometry.block(plane, 0).0);
        }
        self.place(plane, lpn, stream);
    }

    /// Moves all valid pages of a line (superblock), and erases its blocks.
    fn empty_line(&mut self, index: u32) {
        self.space.blocks.line_collection_begins(CollectionCause::Space);
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            let victim = self.geometry.block(plane, index);
            for offset in 0..self.geometry.pages_per_block {
                if let Some(lpn) = self.map.logical(self.geometry.ppn(victim, offset)) {
                    let to = self.space.blocks.next_plane_of_moves();
                    self.place(to, lpn, WriteStream::Collection);
                }
            }
            self.space.blocks.erase(victim);
        }
    }

    /// Completes a garbage collection that has begun to fill the reserved block. If the collection were
    /// aborted, no free page would remain to collect another victim.
    pub(super) fn give_back_kept_block(&mut self, plane: PlaneId) {
        while self.is_collecting(plane) && self.space.blocks.planes[plane].free_blocks() < KEPT_FOR_COLLECTION
        {
            self.step(plane, FORESEEN);
        }
    }

    /// Makes the moves of garbage collection that previous page writes permit. Below the hard threshold, also
    /// makes the moves that must precede the next write.
    fn go_on(&mut self, plane: PlaneId, background: &mut Background) {
        loop {
            let goes_first = background.goes_first() && self.collector.is_pressed(self.space, plane);
            if !goes_first && !background.has_earned_a_step() {
                return;
            }
            if !self.has_victim(plane) {
                return background.rest();
            }
            let most = if goes_first { FORESEEN } else { background.step(FORESEEN) };
            let moved = self.step(plane, most);
            background.count(moved);
            if !goes_first {
                background.spend(moved);
            }
        }
    }

    fn is_collecting(&self, plane: PlaneId) -> bool {
        self.space.blocks.planes[plane].collection.is_some()
    }

    /// Returns true if garbage collection is in progress in a plane. If not, starts it in a plane with too
    /// few free blocks.
    fn has_victim(&mut self, plane: PlaneId) -> bool {
        if self.is_collecting(plane) {
            return true;
        }
        let Some((victim, cause)) = self.collector.victims.next(self.space, plane) else { return false };
        self.collector.begin(self.space, plane, victim, cause);
        true
    }

    /// Moves up to `most` pages of a plane's victim, and erases the victim when it has no valid page left.
    /// Returns the number of moved pages.
    fn step(&mut self, plane: PlaneId, most: usize) -> usize {
        let Some(Collection { victim, next_offset, .. }) = self.space.blocks.planes[plane].collection else {
            return 0;
        };
        let (valid, next_offset) = self.next_valid(victim, next_offset, most);
        self.move_pages(plane, victim, &valid);
        let left = self.space.blocks.table[victim].valid;
        if left == 0 {
            self.end(plane, victim);
        } else if let Some(collection) = &mut self.space.blocks.planes[plane].collection {
            (collection.unplaced, collection.unfinished, collection.next_offset) = (left, left, next_offset);
        }
        valid.len()
    }

    /// Returns up to `most` logical pages whose data is valid in a block, starting at the offset `from`. Also
    /// returns the offset after the last of these pages.
    fn next_valid(&self, block: BlockId, from: u32, most: usize) -> (ArrayVec<Lpn, FORESEEN>, u32) {
        let (mut valid, mut next) = (ArrayVec::new(), from);
        while valid.len() < most.min(FORESEEN) && next < self.geometry.pages_per_block {
            valid.extend(self.map.logical(self.geometry.ppn(block, next)));
            next += 1;
        }
        (valid, next)
    }

    /// Erases a victim without valid pages, and applies wear levelling.
    fn end(&mut self, plane: PlaneId, victim: BlockId) {
        self.space.blocks.planes[plane].collection = None;
        self.space.blocks.erase(victim);
        if let Some(cold) = self.collector.wear.due_block(&self.space.blocks, plane) {
            self.empty(plane, cold, CollectionCause::Wear);
        }
    }

    /// Maps a logical page to the next physical page of a stream, as if it had been programmed.
    pub(super) fn place(&mut self, plane: PlaneId, lpn: Lpn, stream: WriteStream) {
        let ppn = self.space.blocks.allocate_written(plane, stream).expect("room was made");
        if let Some(old) = self.map.remap(lpn, ppn) {
            self.space.blocks.invalidate(old);
        }
    }

    fn empty(&mut self, plane: PlaneId, victim: BlockId, cause: CollectionCause) {
        self.collector.begin(self.space, plane, victim, cause);
        let pages = self.geometry.pages_per_block;
        for first in (0..pages).step_by(FORESEEN) {
            let ppns =
                (first..pages.min(first + FORESEEN as u32)).map(|offset| self.geometry.ppn(victim, offset));
            let valid: ArrayVec<Lpn, FORESEEN> = ppns.filter_map(|ppn| self.map.logical(ppn)).collect();
            self.move_pages(plane, victim, &valid);
        }
        self.space.blocks.planes[plane].collection = None;
        self.space.blocks.erase(victim);
    }

    /// Maps logical pages of the block `from` to the next physical pages of the stream for moved pages.
    fn move_pages(&mut self, plane: PlaneId, from: BlockId, mut pages: &[Lpn]) {
        let stream = self.space.blocks.stream_of_moves(plane);
        while !pages.is_empty() {
            let (first, count) = self
                .space
                .blocks
                .allocate_row_written(plane, stream, pages.len() as u32)
                .expect("room was made");
            let (now, later) = pages.split_at(count as usize);
            self.map.remap_row(now, first);
            self.space.blocks.invalidate_pages(from, count);
            pages = later;
        }
    }
}
