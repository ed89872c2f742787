//! When a write gets its page.
//!
//! # What it models
//! Three times at which a controller may choose the physical page of a write: when the die starts the
//! program, or when the write joins its die's queue, with programs of a block in page order or in any.
//!
//! # How
//! With `at_start` the page is chosen at the last instant: pages are programmed in order by construction,
//! and the planes of a multi-plane command are aligned when it is formed. With `at_arrival` the page is
//! chosen, the old one given up and the map changed as soon as the logical page has been looked up; a
//! write that does not cover all of the old page then waits in its queue for the rest to be read. Whoever
//! looks the page up later finds the new place. A read of a page whose program has not ended goes to
//! flash like any other, and takes its data from the controller's memory, where they are as long.
//!
//! Each block counts the programs whose pages were given out and those that have started, so that a
//! program knows when it is its turn. `at_arrival_any_order` does not ask: a later page of a block may
//! then be programmed before an earlier one, when that makes a multi-plane command or when the earlier
//! one waits for a read. Real flash does not take that; MQSim does it.
//!
//! A write that finds no page in its plane waits until one is erased. Moves of collection get their page
//! when the old one has been read, write-backs of the map when their old contents have.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: `Address_Mapping_Unit_Page_Level` gives out pages at translation.
//!
//! # Parameters
//! `ftl.page_allocation`, `ftl.write_streams`, `ftl.unwritten_data`, `ftl.unwritten_place`

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{Lpn, PlaneId, Ppn, TransactionId};

use super::Ftl;
use super::space::Stream;
use crate::work::{PageState, Purpose};

impl Ftl {
    /// Gives a write of the host its page before its program starts, then those that waited for the
    /// same logical page, as far as there is room.
    pub(super) fn place_host_writes(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let mut next = Some(id);
        while let Some(id) = next {
            let Some(plane) = self.space.plane_of_write(&self.translation, self.transactions.get(id), lpn)
            else {
                return self.space.find_no_plane(id);
            };
            next = self.place_host_write(id, lpn, plane, now).then(|| self.next_of_page(lpn, now)).flatten();
        }
    }

    /// Places a write in this plane, or lets it wait for room there.
    fn place_host_write(&mut self, id: TransactionId, lpn: Lpn, plane: PlaneId, now: SimTime) -> bool {
        self.transactions.get_mut(id).plane = plane;
        self.space.count_write(&self.translation.addresses, lpn, plane);
        if self.must_wait_for_room(id, plane, now) {
            return false;
        }
        self.place_with_room(id, lpn, now);
        self.collect_if_short(plane, now);
        true
    }

    fn place_with_room(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        self.order_update_read(id, lpn, now);
        self.give_host_page(id, lpn, now);
        self.queues.join(&mut self.transactions, id, now);
    }

    /// A write of this logical page has got its place: the next one, if its entry of the map is known.
    fn next_of_page(&mut self, lpn: Lpn, now: SimTime) -> Option<TransactionId> {
        let next = self.translation.unlock(lpn)?;
        self.transactions.get_mut(next).clock.charge(Stage::Queue, now);
        self.look_up(next, lpn, now).then_some(next)
    }

    fn must_wait_for_room(&mut self, id: TransactionId, plane: PlaneId, now: SimTime) -> bool {
        let full = self.space.is_full_for(self.transactions.get(id));
        let for_room = &mut self.space.for_room[plane.index()];
        if full || for_room.first().is_some() {
            for_room.push(&mut self.transactions, id);
            self.collect_if_short(plane, now);
            return true;
        }
        false
    }

    /// Pages of this plane can be given out that could not before.
    pub(super) fn place_writes_in(&mut self, plane: PlaneId, now: SimTime) {
        while let Some(first) = self.space.for_room[plane.index()].first()
            && !self.space.is_full_for(self.transactions.get(first))
        {
            let Some(id) = self.space.for_room[plane.index()].pop(&mut self.transactions) else { return };
            self.transactions.get_mut(id).clock.charge(Stage::ChipWait, now);
            let write = self.transactions.get(id);
            let lpn = write.lpn.expect("a write has a logical page");
            if write.purpose == Purpose::MappingWrite {
                self.place_mapping_write(id, lpn, now);
            } else {
                self.place_with_room(id, lpn, now);
                self.place_next_of_page(lpn, now);
            }
        }
    }

    fn place_next_of_page(&mut self, lpn: Lpn, now: SimTime) {
        if let Some(next) = self.next_of_page(lpn, now) {
            self.place_host_writes(next, lpn, now);
        }
    }

    /// Planes may hold fewer pages than before: writes that found all of them full may go on.
    pub(super) fn place_writes_without_plane(&mut self, now: SimTime) {
        let mut first = 0;
        while let Some(&id) = self.space.without_plane().get(first) {
            let lpn = self.transactions.get(id).lpn.expect("a write has a logical page");
            let Some(plane) = self.space.plane_of_write(&self.translation, self.transactions.get(id), lpn)
            else {
                // Behind a write of one address range may be one of another.
                if self.translation.addresses.len() == 1 {
                    return;
                }
                first += 1;
                continue;
            };
            self.space.without_plane().remove(first);
            self.transactions.get_mut(id).clock.charge(Stage::ChipWait, now);
            if self.place_host_write(id, lpn, plane, now) {
                self.place_next_of_page(lpn, now);
            }
        }
    }

    /// A placed write reads what it does not cover of the page that it replaces.
    fn order_update_read(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let missing = self.translation.cover(self.transactions.get_mut(id), lpn);
        if missing != 0 {
            if let PageState::Given { waits_for_read, .. } = &mut self.transactions.get_mut(id).page {
                *waits_for_read = true;
            }
            self.read_missing(id, lpn, missing, now);
        }
    }

    /// Gives a write of the host its page.
    pub(super) fn give_host_page(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) -> Ppn {
        let write = self.transactions.get_mut(id);
        let ppn = self.space.give_page(write);
        if let Purpose::HostWrite(origin) = write.purpose {
            self.books.host_page_given(origin, lpn, ppn);
        }
        let old = self.translation.rewrite(lpn, ppn, write.sectors);
        self.moved(lpn, old, ppn, now);
        self.mapping_changed(lpn, now);
        ppn
    }

    /// Gives a move of collection its page; `from` is where it was.
    pub(super) fn give_move_page(&mut self, id: TransactionId, lpn: Lpn, from: Ppn, now: SimTime) -> Ppn {
        let plane = self.geometry.plane_of_page(from);
        let to = self.space.give_page(self.transactions.get_mut(id));
        let destination = self.geometry.plane_of_page(to);
        let is_of_host = !self.translation.is_translation_page(lpn);
        let cause = self.space.blocks.plane_mut(plane).collection.as_mut().map(|collection| {
            collection.unplaced -= 1;
            collection.cause
        });
        self.books.move_page_given(cause, from, to, is_of_host && destination != plane);
        // `remap` takes the page out of its old plane's count.
        if is_of_host {
            self.space.commit(&self.translation.addresses, lpn, destination, 1);
        }
        self.remap(lpn, to, now);
        self.mapping_moved(lpn);
        if destination != plane {
            // Room that was kept for the move is the host's to use.
            self.room_appeared(plane, now);
        }
        to
    }

    /// Gives a write-back of the map its page.
    pub(super) fn give_mapping_page(&mut self, id: TransactionId, page: Lpn, now: SimTime) -> Ppn {
        let ppn = self.space.give_page(self.transactions.get_mut(id));
        self.books.mapping_page_given(page, ppn);
        self.remap(page, ppn, now);
        ppn
    }

    /// A write-back of the map joins its die's queue.
    pub(super) fn enqueue_mapping_write(&mut self, id: TransactionId, page: Lpn, now: SimTime) {
        let plane = self.transactions.get(id).plane;
        if !self.settings.page_allocation.is_early() {
            self.wait_for_page(id, now);
        } else if !self.must_wait_for_room(id, plane, now) {
            self.place_mapping_write(id, page, now);
        }
    }

    fn place_mapping_write(&mut self, id: TransactionId, page: Lpn, now: SimTime) {
        self.give_mapping_page(id, page, now);
        self.queues.join(&mut self.transactions, id, now);
    }

    /// A read of a page that was never written gives it a place, if there is room: the sectors that it
    /// reads count as programmed there.
    pub(super) fn map_unwritten(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let read = self.transactions.get(id);
        let plane = self.translation.place_of_unwritten(lpn);
        let sectors = self.translation.taken_sectors(read, lpn);
        let stream = Stream::Host(read.stream);
        if self.space.is_taken_up(
            &self.translation.addresses,
            self.translation.addresses.range_of(lpn),
            plane,
        ) {
            return;
        }
        let Some(ppn) = self.space.blocks.allocate_written(plane, stream) else { return };
        self.space.commit(&self.translation.addresses, lpn, plane, 1);
        self.books.unwritten_page_mapped(lpn, ppn);
        let old = self.translation.map.remap_blank(lpn, ppn, sectors, self.translation.sectors.bits());
        self.moved(lpn, old, ppn, now);
        self.mapping_changed(lpn, now);
        self.collect_if_short(plane, now);
    }
}
