//! What allocation and collection do when each step is done at once, without time, commands or requests.
//!
//! # How
//! Room, victims and wear are decided by the code that decides them in a run. A page goes on the next one of its stream's
//! open block; collection runs until it has nothing to do.

use std::hint::black_box;
use std::mem;

use arrayvec::ArrayVec;

use crate::ftl::Ftl;
use crate::ftl::collection::Collector;
use crate::ftl::foresight::FORESEEN;
use crate::ftl::space::{Cause, Space, Stream};
use crate::ftl::translation::{PageMap, PlaneTables};
use crate::geometry::{BlockId, Geometry, Lpn, PlaneId, Ppn};

/// Which logical page is where.
pub(in crate::ftl) trait Map {
    /// Which logical page is valid at a physical page.
    fn logical(&self, ppn: Ppn) -> Option<Lpn>;

    /// Moves a logical page to a new physical page and says where it was.
    fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn>;

    /// Moves mapped logical pages to physical pages that follow each other.
    fn remap_row(&mut self, lpns: &[Lpn], first: Ppn);
}

impl Map for PageMap {
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

impl Map for PlaneTables {
    #[inline]
    fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        self.to_logical[ppn.index()].checked_sub(1).map(Lpn)
    }

    #[inline]
    fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        let old = mem::replace(&mut self.to_physical[lpn.index()], to.0 + 1).checked_sub(1).map(Ppn);
        self.to_logical[to.index()] = lpn.0 + 1;
        if let Some(old) = old {
            self.to_logical[old.index()] = 0;
        }
        old
    }

    /// Their entries lie anywhere, so all are fetched before the first is changed: they arrive side by side.
    fn remap_row(&mut self, lpns: &[Lpn], first: Ppn) {
        black_box(lpns.iter().fold(0, |all, lpn| all ^ self.to_physical[lpn.index()]));
        for (&lpn, to) in lpns.iter().zip((first.0..).map(Ppn)) {
            self.remap(lpn, to);
        }
    }
}

/// The parts of a layer that take part, and a map: the layer's own or another.
pub(in crate::ftl) struct AtOnce<'a, M> {
    geometry: &'a Geometry,
    /// Collection yields to the host.
    yields: bool,
    collector: &'a mut Collector,
    space: &'a mut Space,
    map: &'a mut M,
}

impl<'a> AtOnce<'a, PageMap> {
    /// A layer, with its own map.
    pub(in crate::ftl) fn of(ftl: &'a mut Ftl) -> Self {
        AtOnce {
            geometry: &ftl.geometry,
            yields: ftl.settings.gc_yields_to_host,
            collector: &mut ftl.collector,
            space: &mut ftl.space,
            map: &mut ftl.translation.map,
        }
    }
}

impl<'a, M: Map> AtOnce<'a, M> {
    /// A layer, with this map in place of its own.
    pub(super) fn with(ftl: &'a mut Ftl, map: &'a mut M) -> Self {
        let AtOnce { geometry, yields, collector, space, .. } = AtOnce::of(ftl);
        AtOnce { geometry, yields, collector, space, map }
    }
}

impl<M: Map> AtOnce<'_, M> {
    /// Programs a page, with the collections that make room for it before and those that follow from it.
    pub(in crate::ftl) fn program(&mut self, plane: PlaneId, lpn: Lpn, stream: Stream) {
        while self.space.blocks.next_offset(plane, stream).is_none() {
            let victim = self.collector.victim(self.space, plane).expect("a plane never comes to a halt");
            self.collect(plane, victim);
        }
        self.place(plane, lpn, stream);
        while self.collects_now(plane) {
            let Some(victim) = self.collector.victim(self.space, plane) else { return };
            self.collect(plane, victim);
        }
    }

    /// Collection that yields goes on when the host has used up what it may.
    fn collects_now(&self, plane: PlaneId) -> bool {
        !self.yields || self.collector.is_pressed(self.space, plane)
    }

    /// Puts a logical page on the next physical page of a stream, as if programmed.
    pub(super) fn place(&mut self, plane: PlaneId, lpn: Lpn, stream: Stream) {
        let ppn = self.space.blocks.allocate_written(plane, stream).expect("room was made");
        if let Some(old) = self.map.remap(lpn, ppn) {
            self.space.blocks.invalidate(old);
        }
    }

    /// Moves what a block holds, erases it, and lets wear levelling have its turn.
    fn collect(&mut self, plane: PlaneId, victim: BlockId) {
        self.empty(plane, victim, Cause::Space);
        if let Some(cold) = self.collector.wear.due_block(&self.space.blocks, plane) {
            self.empty(plane, cold, Cause::Wear);
        }
    }

    fn empty(&mut self, plane: PlaneId, victim: BlockId, cause: Cause) {
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

    /// Puts logical pages that a block holds on the next physical pages of the collection in progress.
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
