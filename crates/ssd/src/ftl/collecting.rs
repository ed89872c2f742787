//! A plane may be short of free blocks: what is ordered then.

use venice_kernel::SimTime;

use crate::geometry::{BlockId, PlaneId, Ppn};

use super::Ftl;
use super::collection::{Collector, Floor};
use super::space::Cause;

impl Ftl {
    /// The part that collects, and what it orders work with.
    #[inline]
    fn collecting(&mut self) -> (&mut Collector, Floor<'_>) {
        let Self { collector, space, translation, transactions, queues, books, .. } = self;
        (collector, Floor { space, translation, transactions, queues, books })
    }
}

/// Starts collecting a block of `plane` if the plane runs short of free ones.
#[inline]
pub(super) fn collect_if_short(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    // Most planes have nothing to collect, or are at it.
    if ftl.space.blocks.planes[plane].may_collect() {
        collect_victim(ftl, plane, now);
    }
}

fn collect_victim(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    if let Some(victim) = ftl.collector.victim(&mut ftl.space, plane) {
        collect(ftl, plane, victim, Cause::Space, now);
    }
}

/// Starts moving the valid pages of a full block and erasing it; no collection of its plane may be in progress.
pub(super) fn collect(ftl: &mut Ftl, plane: PlaneId, victim: BlockId, cause: Cause, now: SimTime) {
    let (collector, mut floor) = ftl.collecting();
    collector.collect(&mut floor, plane, victim, cause, now);
}

/// Goes on with the collection of every plane that is short of free blocks: where a drive was prepared in its steady state, some are.
pub fn resume_collection(ftl: &mut Ftl, now: SimTime) {
    if ftl.space.steady_moves_per_write.is_some() {
        for plane in (0..ftl.geometry.planes()).map(PlaneId) {
            collect_if_short(ftl, plane, now);
        }
    }
}

/// Begins no collection any more that no write waits for, if collection yields to the host, which has no more requests.
pub fn rest(ftl: &mut Ftl) {
    ftl.space.is_at_rest = ftl.settings.gc_yields_to_host;
}

/// Orders further moves of the collection of a plane, and its victim's erase after the last.
pub(super) fn go_on(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    let (collector, mut floor) = ftl.collecting();
    collector.go_on(&mut floor, plane, now);
}

/// Orders the erase of a plane's victim when all moves are over and nobody reads the block any more.
pub(super) fn erase_if_empty(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    let (collector, mut floor) = ftl.collecting();
    collector.erase_if_empty(&mut floor, plane, now);
}

/// A transaction is done, which may have kept the block of a page from being erased.
#[inline]
pub(super) fn unpin(ftl: &mut Ftl, pinned: Option<Ppn>, plane: PlaneId, now: SimTime) {
    if let Some(ppn) = pinned {
        ftl.space.blocks.table.unpin(ftl.geometry.block_of(ppn));
        if ftl.space.blocks.planes[plane].collection.is_some() {
            erase_if_empty(ftl, plane, now);
        }
    }
}
