//! Allocation, moves and mapping of pages: steps that change blocks, page map and counters together.

use venice_kernel::mem::EntryPosition;
use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};
use venice_nand::transactions::{PageState, Purpose};

use crate::ftl::allocation::Allocation;
use crate::ftl::space::{NextWritePosition, WriteStream};

use super::{Shared, Task};

impl Shared {
    /// Returns the plane for a host write, or `None` if all planes are full.
    #[inline]
    pub(in crate::ftl) fn plane_of_write(&mut self, id: TransactionId, lpn: Lpn) -> Option<PlaneId> {
        self.space.plane_of_write(&self.translation, self.transactions.get(id), lpn)
    }

    /// Assigns a host write to a plane, and counts its page as a page of the plane.
    pub(in crate::ftl) fn send_write(&mut self, id: TransactionId, lpn: Lpn, plane: PlaneId) {
        self.transactions.get_mut(id).plane = plane;
        self.space.count_write(&self.translation.addresses, lpn, plane);
    }

    /// Returns the plane for a page that is written in zero simulated time, or `None` if all planes are full.
    pub(in crate::ftl) fn plane_to_write(&mut self, lpn: Lpn, allocation: Allocation) -> Option<PlaneId> {
        if allocation.is_striped() {
            return Some(self.space.blocks.next_plane(WriteStream::Host(0)));
        }
        match self.translation.plane_of(lpn) {
            Some(plane) => Some(plane),
            None if allocation.is_static() => Some(self.translation.addresses.place(lpn).0),
            None => self.space.chosen_plane(&self.translation, lpn),
        }
    }

    /// Removes a write from a lost plane, and counts it as redirected.
    pub(in crate::ftl) fn leave_lost_plane(&mut self, id: TransactionId) {
        let write = self.transactions.get(id);
        let (plane, lpn) = (write.plane, write.lpn.expect("a write has a logical page"));
        self.space.leave_lost_plane(&self.translation.addresses, lpn, plane);
        self.stats.losses.writes_sent_elsewhere += 1;
    }

    /// Returns the physical page of a host write or of a write-back of the map when its program starts. The
    /// page is allocated unless this was done before.
    #[inline]
    pub(in crate::ftl) fn page_of_write(&mut self, id: TransactionId) -> Ppn {
        let write = self.transactions.get(id);
        let lpn = write.lpn.expect("a write has a logical page");
        match (write.ppn(), write.purpose) {
            (Some(given), _) => given,
            (None, Purpose::MappingWrite) => self.give_map_page(id, lpn),
            (None, _) => {
                let spot = self.translation.map.spot(lpn);
                self.give_host_page(id, spot, lpn, None)
            }
        }
    }

    /// Allocates the physical page of a host write and updates the page map. `room` is the position of the
    /// free page to be used, or `None` if no position has been looked up yet.
    pub(in crate::ftl) fn give_host_page(
        &mut self,
        id: TransactionId,
        spot: EntryPosition,
        lpn: Lpn,
        room: Option<NextWritePosition>,
    ) -> Ppn {
        let ppn = self.space.give_page(self.transactions.get_mut(id), room);
        self.map_write(id, spot, lpn, ppn);
        ppn
    }

    /// Assigns a location in a page to the write of a mapping unit, and updates the page map.
    pub(in crate::ftl) fn give_slot(&mut self, id: TransactionId, slot: Ppn) {
        let write = self.transactions.get_mut(id);
        write.page = PageState::Given { ppn: slot, turn: 0, waits_for_read: false };
        let lpn = write.lpn.expect("a write has a logical page");
        if write.purpose == Purpose::MappingWrite {
            self.stats.mapping_page_given(lpn, slot);
            return self.remap(lpn, slot);
        }
        let spot = self.translation.map.spot(lpn);
        self.map_write(id, spot, lpn, slot);
    }

    /// Maps the logical page of a host write to its physical page.
    #[inline]
    fn map_write(&mut self, id: TransactionId, spot: EntryPosition, lpn: Lpn, ppn: Ppn) {
        let write = self.transactions.get(id);
        if let Purpose::HostWrite(origin) = write.purpose {
            self.stats.host_page_given(origin, id, lpn, ppn);
        }
        let old = self.translation.rewrite(spot, lpn, ppn, write.sectors);
        if let (Some(kept), Some(old)) = (&mut self.old_versions, old) {
            self.space.blocks.table.pin(self.geometry.block_of(old));
            kept.insert(ppn, old);
        }
        self.page_moved(lpn, old, ppn);
        self.entry_changed(lpn);
    }

    /// Allocates the physical page of a write-back of the map.
    pub(in crate::ftl) fn give_map_page(&mut self, id: TransactionId, page: Lpn) -> Ppn {
        let ppn = self.space.give_page(self.transactions.get_mut(id), None);
        self.stats.mapping_page_given(page, ppn);
        self.remap(page, ppn);
        ppn
    }

    /// Maps a page that was never written to a free physical page, if the drive maps pages on their first
    /// read and the plane has a free page. Returns the physical page and its plane. The sectors that are read
    /// count as programmed there.
    pub(in crate::ftl) fn map_unwritten(&mut self, id: TransactionId, lpn: Lpn) -> Option<(Ppn, PlaneId)> {
        let Self { translation, space, transactions, .. } = self;
        let read = transactions.get(id);
        if !translation.is_mapped_by(read) {
            return None;
        }
        let plane = translation.place_of_unwritten(lpn);
        let sectors = translation.taken_sectors(read, lpn);
        let addresses = &translation.addresses;
        if space.is_taken_up(addresses, addresses.range_of(lpn), plane) {
            return None;
        }
        let ppn = space.blocks.allocate_written(plane, WriteStream::Host(read.stream))?;
        space.commit(addresses, lpn, plane, 1);
        self.stats.unwritten_page_mapped(lpn, ppn);
        let old = self.translation.map.remap_blank(lpn, ppn, sectors, self.translation.sectors.bits());
        self.page_moved(lpn, old, ppn);
        self.entry_changed(lpn);
        self.check_free_blocks(plane);
        Some((ppn, plane))
    }

    /// Deallocates a host page. Its physical page becomes invalid and is subtracted from the page count of
    /// its plane. `last` is a bit mask of the trimmed sectors if earlier trims had zeroed the others.
    fn deallocate(&mut self, lpn: Lpn, last: Option<u64>) {
        let old = self.translation.deallocate(lpn);
        self.stats.deallocated(lpn, last, old.is_some());
        if let Some(old) = old {
            let plane = self.space.blocks.invalidate(old);
            self.space.foreign_pages.count_left(&self.translation.addresses, lpn, old);
            self.page_uncommitted(lpn, plane);
            self.check_free_blocks(plane);
        }
        self.entry_changed(lpn);
    }

    /// Deallocates some sectors of a host page. If no other sector holds data, the whole page is deallocated.
    pub(in crate::ftl) fn trim(&mut self, lpn: Lpn, sectors: u64) {
        if sectors == self.translation.sectors.whole_page() {
            return self.deallocate(lpn, None);
        }
        self.stats.unit_zeroed();
        if self.translation.zero_sectors(lpn, sectors) {
            self.stats.sectors_zeroed(lpn, sectors);
            self.entry_changed(lpn);
        } else {
            self.deallocate(lpn, Some(sectors));
        }
    }

    /// Returns true if a host read needs no die, since all of its sectors are zeroed. If only some
    /// sectors are zeroed, the other sectors are read.
    #[inline]
    pub(in crate::ftl) fn returns_zeroes(&mut self, id: TransactionId, lpn: Lpn) -> bool {
        self.translation.sectors.zeroes_parts() && self.leave_out_zeroes(id, lpn)
    }

    #[cold]
    fn leave_out_zeroes(&mut self, id: TransactionId, lpn: Lpn) -> bool {
        let read = self.transactions.get_mut(id);
        let zeroed = self.translation.zeroed_sectors(lpn) & read.sectors;
        if zeroed == 0 || !matches!(read.purpose, Purpose::HostRead(_)) {
            return false;
        }
        if zeroed == read.sectors {
            self.stats.zeroed_sectors_read(id, lpn);
            self.without_die.push_back(id);
            return true;
        }
        read.bytes = self.translation.sectors.bytes_of(read.sectors & !zeroed);
        self.stats.read_returns_zeroes(id, zeroed);
        false
    }

    /// Subtracts a host page from the page count of `plane`. If writes may be waiting for a plane with fewer
    /// pages, queues a task that searches a plane for them again.
    fn page_uncommitted(&mut self, lpn: Lpn, plane: PlaneId) {
        self.space.commit(&self.translation.addresses, lpn, plane, -1);
        if self.space.quotas_bind_waiting_writes() {
            self.tasks.push(Task::QuotaFreed(lpn));
        }
    }

    /// Ends the move of a page from `plane`. `dropped` is true if no new page was allocated.
    pub(in crate::ftl) fn move_ended(&mut self, plane: PlaneId, dropped: bool) {
        if let Some(collection) = &mut self.space.blocks.planes[plane].collection {
            collection.unfinished -= 1;
            collection.in_flight -= 1;
            collection.unplaced -= u32::from(dropped);
        }
        if dropped {
            // The page that was reserved for the move is available to the host again.
            self.tasks.push(Task::RoomFreed(plane));
            self.tasks.push(Task::OrderMoves(plane));
        }
    }

    /// Maps a logical page to the physical page `to`.
    pub(in crate::ftl) fn remap(&mut self, lpn: Lpn, to: Ppn) {
        let old = self.translation.map.remap(lpn, to);
        self.page_moved(lpn, old, to);
    }

    /// Updates the page counts for a logical page that has moved from `old` to `to`, and queues tasks for its
    /// old plane.
    #[inline]
    pub(in crate::ftl) fn page_moved(&mut self, lpn: Lpn, old: Option<Ppn>, to: Ppn) {
        match old {
            Some(old) => self.page_left(lpn, old, to),
            None if self.space.losses().is_some() => {
                self.space.foreign_pages.count_new(&self.translation.addresses, lpn, to);
            }
            None => {}
        }
    }

    fn page_left(&mut self, lpn: Lpn, old: Ppn, to: Ppn) {
        let plane = self.space.blocks.invalidate(old);
        // The space for translation pages is reserved permanently.
        if !self.translation.is_translation_page(lpn) {
            self.space.foreign_pages.count_move(&self.translation.addresses, lpn, old, to);
            self.page_uncommitted(lpn, plane);
        }
        if plane != self.geometry.plane_of_page(to) {
            // The plane may now have a block whose collection gains a page.
            self.check_free_blocks(plane);
        }
    }
}
