//! The course of a garbage collection: choose, read, write, erase.
//!
//! # The invariant
//! In a plane where a write waits for room, a collection is in progress, or a program whose end asks for one. So whatever
//! can take room away is followed by asking ([`Ftl::collect_if_short`]): the end of a program or an erase, a page of the plane that is
//! overwritten elsewhere, and, since a run may begin with a plane as full as may be, a write that finds no room and no program.
//! Asked so, a policy must name a block if any gains a page, and with what a plane has to spare one does (`blocks`).

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{BlockId, DieId, PlaneId, Ppn, SECTOR_BYTES, TransactionId};

use super::space::{Cause, Collection, KEPT_FOR_COLLECTION, Stream};
use super::{Ftl, GcTrigger};
use crate::controller::queues::Legality;
use crate::work::{PageState, Purpose, Transaction};

impl Ftl {
    /// Starts collecting a block of `plane` if the plane runs short of free ones.
    pub(super) fn collect_if_short(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(victim) = self.victim(plane) {
            self.collect(plane, victim, Cause::Space, now);
        }
    }

    /// The block to collect now in `plane`, if it runs short of free ones.
    pub(super) fn victim(&mut self, plane: PlaneId) -> Option<BlockId> {
        if self.space.is_lost(plane) {
            return None;
        }
        if self.settings.gc_trigger == GcTrigger::FullBlock {
            return self.owed_victim(plane);
        }
        let state = self.space.blocks.plane(plane);
        let missing = self.settings.gc_start_free_blocks.saturating_sub(self.space.blocks.free(plane));
        if missing == 0 || state.collection.is_some() || state.invalid_pages == 0 {
            return None;
        }
        let must = self.space.blocks.next_offset(plane, Stream::Mapping(0)).is_none();
        if !must && !self.is_early_enough(plane, missing) {
            return None;
        }
        self.choose(plane, must)
    }

    /// The block to collect for one that became full, or because the host has no room left.
    fn owed_victim(&mut self, plane: PlaneId) -> Option<BlockId> {
        let state = self.space.blocks.plane(plane);
        if state.collection.is_some() || state.invalid_pages == 0 {
            return None;
        }
        let must = self.space.blocks.next_offset(plane, Stream::Host(0)).is_none();
        let state = self.space.blocks.plane_mut(plane);
        if !must && state.owed_collections == 0 {
            return None;
        }
        state.owed_collections = state.owed_collections.saturating_sub(1);
        self.choose(plane, must)
    }

    fn choose(&mut self, plane: PlaneId, must: bool) -> Option<BlockId> {
        self.collector.choose(&self.space.blocks, plane, must, &self.geometry)
    }

    /// Whether to collect although the host still has room: as long as it has free blocks, and if
    /// all invalid pages together would make up what is missing. Otherwise collection waits until
    /// the host's room is used up, and finds more invalid pages then.
    fn is_early_enough(&self, plane: PlaneId, missing: u32) -> bool {
        let within_reach = self.space.blocks.plane(plane).invalid_pages / self.geometry.pages_per_block;
        self.space.blocks.free(plane) > KEPT_FOR_COLLECTION && within_reach >= missing
    }

    /// Starts moving the valid pages of a full block and erasing it; one block of a plane at a time.
    pub(super) fn collect(&mut self, plane: PlaneId, victim: BlockId, cause: Cause, now: SimTime) {
        self.books.collection_begins(cause);
        let moves = self.space.blocks.block(victim).valid;
        let frontier = self.frontier_of(victim);
        let collection =
            Collection { victim, cause, frontier, unplaced: moves, unfinished: moves, erasing: false };
        self.space.blocks.plane_mut(plane).collection = Some(collection);
        self.queues.measured.plan_erase(plane, now);
        for offset in 0..self.geometry.pages_per_block {
            let ppn = self.geometry.ppn(victim, offset);
            if self.translation.map.logical(ppn).is_some() {
                self.order_move(plane, ppn, now);
            }
        }
        self.erase_if_empty(plane, now);
    }

    fn order_move(&mut self, plane: PlaneId, ppn: Ppn, now: SimTime) {
        let lpn = self.translation.map.logical(ppn);
        // A copyback is a write that reads its page by itself, and moves no byte.
        let (purpose, bytes) = if self.settings.gc_copyback {
            (Purpose::GcWrite, 0)
        } else {
            (Purpose::GcRead, self.translation.sectors.per_page() * SECTOR_BYTES)
        };
        let page = Transaction {
            lpn,
            page: PageState::From(ppn),
            bytes,
            ..Transaction::new(purpose, plane, StageClock::start(now))
        };
        let id = self.transactions.insert(page);
        if let Some(lpn) = lpn {
            self.books.read_accepted(id, lpn, &page);
        }
        self.queues.join(&mut self.transactions, id, now);
    }

    /// The valid page was read: it is written elsewhere, unless the host overwrote it meanwhile.
    pub(super) fn write_moved_page(&mut self, read: &Transaction, now: SimTime) {
        let plane = self.choose_destination(read);
        let write = Transaction { purpose: Purpose::GcWrite, plane, ..*read };
        let id = self.transactions.insert(write);
        if let (true, Some(lpn), PageState::From(from)) =
            (self.settings.page_allocation.is_early(), read.lpn, read.page)
        {
            if self.is_needless(self.transactions.get(id)) {
                self.transactions.remove(id);
                return self.move_ended(read.plane, true, now);
            }
            self.give_move_page(id, lpn, from, now);
        }
        self.move_sets_out(plane);
        self.queues.join(&mut self.transactions, id, now);
    }

    /// A move leaves its queue undone: its page was overwritten by the host since it was ordered, or it goes back to its victim's plane.
    pub(super) fn take_back_move(&mut self, die: DieId, id: TransactionId, now: SimTime) {
        if !self.is_needless(self.transactions.get(id)) {
            return self.send_home(die, id, now);
        }
        self.queues.leave(&mut self.transactions, die, id, now);
        let dropped = self.transactions.remove(id);
        self.move_dropped(&dropped, now);
    }

    fn move_dropped(&mut self, dropped: &Transaction, now: SimTime) {
        if dropped.purpose == Purpose::GcWrite {
            self.move_leaves_die(dropped.plane);
        }
        self.move_ended(dropped.collected, true, now);
    }

    /// A move of a page of this plane is over: done, or dropped before it got a page.
    pub(super) fn move_ended(&mut self, plane: PlaneId, dropped: bool, now: SimTime) {
        if let Some(collection) = &mut self.space.blocks.plane_mut(plane).collection {
            collection.unfinished -= 1;
            collection.unplaced -= u32::from(dropped);
        }
        if dropped {
            // Room that was kept for the move is the host's to use.
            self.room_appeared(plane, now);
        }
        self.erase_if_empty(plane, now);
    }

    /// Orders the victim's erase when all moves are over and nobody reads the block any more.
    pub(super) fn erase_if_empty(&mut self, plane: PlaneId, now: SimTime) {
        let Some(collection) = self.space.blocks.plane(plane).collection else { return };
        let block = self.space.blocks.block(collection.victim);
        if collection.unfinished > 0 || collection.erasing || block.pending_reads > 0 {
            return;
        }
        self.space.blocks.plane_mut(plane).collection = Some(Collection { erasing: true, ..collection });
        let erase = Transaction {
            page: PageState::At { ppn: self.geometry.ppn(collection.victim, 0), is_pinned: false },
            ..Transaction::new(Purpose::GcErase, plane, StageClock::start(now))
        };
        let id = self.transactions.insert(erase);
        self.queues.join_erase(&mut self.transactions, id);
    }

    /// The victim is erased: its plane has a free block more.
    pub(super) fn collection_ended(&mut self, plane: PlaneId, victim: BlockId, now: SimTime) {
        self.space.blocks.erase(victim);
        self.books.erased(victim);
        let ended = self.space.blocks.plane_mut(plane).collection.take();
        if self.space.blocks.free(plane) < self.settings.gc_stop_free_blocks {
            // The host waits: one more, though no block has become full.
            self.space.blocks.plane_mut(plane).owed_collections += 1;
        }
        let for_space = ended.is_some_and(|collection| collection.cause == Cause::Space);
        if !(for_space && !self.space.is_lost(plane) && self.level_wear(plane, now)) {
            self.collect_if_short(plane, now);
        }
        // Writes that get a page now may start the next collection themselves.
        self.room_appeared(plane, now);
    }

    /// Starts moving the coldest block of `plane` if its blocks have worn too unevenly. No collection
    /// may be in progress. Says whether one is now.
    pub(super) fn level_wear(&mut self, plane: PlaneId, now: SimTime) -> bool {
        let cold = self.collector.wear.due_block(&self.space.blocks, plane);
        if let Some(block) = cold {
            self.collect(plane, block, Cause::Wear, now);
        }
        cold.is_some()
    }

    /// Writes that waited for room in `plane` may go on.
    pub(super) fn room_appeared(&mut self, plane: PlaneId, now: SimTime) {
        self.space.blocks.plane_mut(plane).writable_since = now;
        self.place_writes_in(plane, now);
        self.queues.wake(self.geometry.die_of(plane));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::{PageAllocation, VictimPolicy, WriteFrontiers};
    use crate::geometry::{Lpn, Priority, RequestId};
    use crate::registry::FabricKind;
    use crate::testkit::drive::small_drive;
    use crate::work::Origin;

    const PLANE: PlaneId = PlaneId(0);

    /// A plane at the start of a run: eight blocks of two pages, seven full and none open; of six, one page is invalid.
    fn full_plane(page_allocation: PageAllocation, write_frontiers: WriteFrontiers) -> Ftl {
        let mut drive = small_drive(FabricKind::Bus, 1, 1);
        drive.geometry.planes_per_die = 1;
        drive.geometry.blocks_per_plane = 8;
        drive.geometry.pages_per_block = 2;
        (drive.ftl.page_allocation, drive.ftl.write_frontiers) = (page_allocation, write_frontiers);
        // Unless it must name a block, it seldom does.
        drive.ftl.victim = VictimPolicy::Random;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, drive.flash, false);
        for page in 0..14 {
            let ppn = ftl.space.blocks.allocate_written(PLANE, Stream::Host(0)).unwrap();
            if page < 12 && page % 2 == 0 {
                ftl.space.blocks.invalidate(ppn);
            }
        }
        ftl
    }

    #[test]
    fn a_write_that_finds_no_room_has_its_plane_collect_though_nothing_was_programmed_yet() {
        for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
            for write_frontiers in [WriteFrontiers::Separate, WriteFrontiers::Shared] {
                let mut ftl = full_plane(page_allocation, write_frontiers);
                assert_eq!(ftl.space.blocks.next_offset(PLANE, Stream::Host(0)), None);
                let write = (Origin::Request(RequestId(0)), 0, Priority::High);
                let all_sectors = ftl.translation.sectors.whole_page();
                ftl.write_page(write, Lpn(0), all_sectors, SimTime::ZERO);
                let collects = ftl.space.blocks.plane(PLANE).collection.is_some();
                assert!(collects, "{page_allocation:?}, {write_frontiers:?}");
            }
        }
    }
}
