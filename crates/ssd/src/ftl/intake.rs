//! From a host request to transactions.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::{DieId, Lpn, PlaneId, Priority, RequestId, SECTOR_BYTES, TransactionId};

use super::{
    Allocation, FollowUpClass, Ftl, SectorSets, UnwrittenData, UpdateTransfer, most_logical_pages_per_plane,
};
use crate::work::{Origin, Purpose, Transaction};

/// A request of the host, and the class of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiator {
    /// The request.
    pub id: RequestId,
    /// The class.
    pub priority: Priority,
}

impl Ftl {
    /// Takes in a read of the host's queue `queue` of `sectors` sectors from `start` on: one transaction
    /// for each page it touches. Says how many.
    pub fn accept_read(
        &mut self,
        (request, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        self.for_pages(start, sectors, |ftl, lpn, mask| {
            ftl.read_page((request, queue), lpn, mask, now);
        })
    }

    /// Takes in a read of some sectors of one page.
    pub fn read_page(&mut self, (request, queue): (Initiator, u16), lpn: Lpn, sectors: u64, now: SimTime) {
        let clock = StageClock::start(now);
        let id = self.insert_read((Purpose::HostRead(request.id), request.priority), lpn, sectors, clock);
        self.transactions.get_mut(id).stream = self.stream_of_queue(queue);
        if self.look_up(id, lpn, now) {
            self.place_read(id, lpn, now);
        }
    }

    /// Takes in a write, likewise.
    pub fn accept_write(
        &mut self,
        (request, queue): (Initiator, u16),
        (start, sectors): (u64, u32),
        now: SimTime,
    ) -> u32 {
        self.for_pages(start, sectors, |ftl, lpn, mask| {
            ftl.write_page((Origin::Request(request.id), queue, request.priority), lpn, mask, now);
        })
    }

    /// The stream of a host queue's writes.
    #[inline]
    pub(super) fn stream_of_queue(&self, queue: u16) -> u16 {
        if self.settings.write_streams == 1 { 0 } else { queue % self.settings.write_streams }
    }

    /// Visits every logical page of a range of sectors, with the sectors of it that are meant.
    pub(super) fn for_pages(
        &mut self,
        start: u64,
        sectors: u32,
        mut visit: impl FnMut(&mut Self, Lpn, u64),
    ) -> u32 {
        let mut pages = 0;
        for (lpn, mask) in self.page_pieces(start, start + u64::from(sectors)) {
            visit(self, lpn, mask);
            pages += 1;
        }
        pages
    }

    pub(super) fn insert_read(
        &mut self,
        (purpose, priority): (Purpose, Priority),
        lpn: Lpn,
        sectors: u64,
        clock: StageClock,
    ) -> TransactionId {
        let read = Transaction {
            priority,
            lane: self.scheduling.lane(priority),
            lpn: Some(lpn),
            sectors,
            bytes: sectors.count_ones() * SECTOR_BYTES,
            ..Transaction::new(purpose, PlaneId(0), clock)
        };
        let id = self.transactions.insert(read);
        if let Some(audit) = &mut self.books.audit {
            // The rest of a page that a write does not cover may be on its way behind that write.
            let is_wanted = matches!(purpose, Purpose::HostRead(_) | Purpose::OperandRead(_));
            let wanted = if is_wanted { sectors } else { 0 };
            audit.read_accepted(id, lpn, wanted);
        }
        id
    }

    /// A read whose page was looked up waits for its die.
    pub(super) fn place_read(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let (mut ppn, mut mapped) = self.locate(lpn);
        if !mapped && self.is_mapped_by(id) {
            self.map_unwritten(id, lpn, now);
            (ppn, mapped) = self.locate(lpn);
        }
        let plane = self.plane_of(ppn);
        let read = self.transactions.get_mut(id);
        (read.ppn, read.plane, read.pins_block) = (Some(ppn), plane, mapped);
        if let Purpose::OperandRead(gather) = read.purpose {
            self.operand_found(id, gather);
        }
        if mapped {
            self.translation.addresses.blocks.block_mut(self.geometry.block_of(ppn)).pending_reads += 1;
        }
        self.wait_for_die(id, now);
    }

    /// Takes in a write of the host's queue `queue` of some sectors of one page.
    pub fn write_page(
        &mut self,
        (origin, queue, priority): (Origin, u16, Priority),
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        let (plane, _) = self.translation.addresses.place(lpn);
        let priority = match origin {
            Origin::Cache(_) => self.follow_up_class(priority),
            Origin::Request(_) => priority,
        };
        let write = Transaction {
            priority,
            lane: self.scheduling.lane(priority),
            lpn: Some(lpn),
            sectors,
            stream: self.stream_of_queue(queue),
            ..Transaction::new(Purpose::HostWrite(origin), plane, StageClock::start(now))
        };
        let id = self.transactions.insert(write);
        if self.translation.locks.acquire(&mut self.translation.map, lpn, id) {
            self.look_up_write(id, lpn, now);
        }
    }

    /// The write that waited for its logical page's lock has got it.
    pub(super) fn resume_write(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        self.transactions.get_mut(id).clock.charge(Stage::Queue, now);
        self.look_up_write(id, lpn, now);
    }

    fn look_up_write(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        if self.look_up(id, lpn, now) {
            self.start_write(id, lpn, now);
        }
    }

    /// A write that holds its page's lock and knows where the page is: gets its page, or reads first
    /// what it does not cover.
    pub(super) fn start_write(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        if self.settings.page_allocation.is_early() {
            return self.place_host_writes(id, lpn, now);
        }
        let missing = self.cover(id, lpn);
        if missing == 0 {
            self.enqueue_write(id, lpn, now);
        } else {
            self.read_missing(id, lpn, missing, now);
        }
    }

    /// The class of what a request of this class makes necessary.
    #[inline]
    fn follow_up_class(&self, own: Priority) -> Priority {
        match self.settings.follow_up_class {
            FollowUpClass::Own => own,
            FollowUpClass::High => Priority::High,
        }
    }

    /// Reads what a write does not cover from where its page is now.
    pub(super) fn read_missing(&mut self, id: TransactionId, lpn: Lpn, missing: u64, now: SimTime) {
        let Transaction { clock, priority, .. } = *self.transactions.get(id);
        let priority = self.follow_up_class(priority);
        self.books.counters.update_reads += 1;
        let read = self.insert_read((Purpose::UpdateRead(id), priority), lpn, missing, clock);
        self.place_read(read, lpn, now);
    }

    /// What a write does not cover was read.
    pub(super) fn update_read_ended(&mut self, id: TransactionId, read: &Transaction, now: SimTime) {
        let write = self.transactions.get_mut(id);
        write.clock = read.clock;
        write.conflicted |= read.conflicted;
        match write.lpn {
            Some(lpn) if !write.placed => self.enqueue_write(id, lpn, now),
            _ => {
                write.waits_for_read = false;
                let plane = write.plane;
                self.kick(self.geometry.die_of(plane));
            }
        }
    }

    /// A write with all its data at hand waits for its die, which gives it its page.
    pub(super) fn enqueue_write(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let Some(plane) = self.plane_of_write(id, lpn) else {
            return self.finds_no_plane(id);
        };
        self.transactions.get_mut(id).plane = plane;
        self.count_write(lpn, plane);
        self.wait_for_page(id, now);
    }

    /// A page of the host more, or less, on a plane.
    #[inline]
    pub(super) fn commit(&mut self, lpn: Lpn, plane: PlaneId, by: i32) {
        let committed = &mut self.translation.addresses.blocks.plane_mut(plane).committed_pages;
        *committed = committed.checked_add_signed(by).expect("a plane holds what was counted");
        self.translation.addresses.commitments.change(|| self.translation.addresses.range_of(lpn), plane, by);
        self.count_substitute(lpn, plane, by);
    }

    /// A plane holds a page less of this one's address range than before: a write of it that found all planes full may go
    /// there.
    pub(super) fn place_waiting_write(&mut self, lpn: Lpn, now: SimTime) {
        if self.translation.addresses.without_plane.is_empty() {
            return;
        }
        let range = self.translation.addresses.range_of(lpn);
        let is_of_range = |&id: &TransactionId| {
            let waiting = self.transactions.get(id).lpn;
            waiting.is_some_and(|lpn| self.translation.addresses.range_of(lpn) == range)
        };
        let place = self.translation.addresses.without_plane.iter().position(is_of_range);
        if let Some(id) = place.and_then(|place| self.translation.addresses.without_plane.remove(place)) {
            let write = self.transactions.get_mut(id);
            write.clock.charge(Stage::ChipWait, now);
            if let Some(lpn) = write.lpn {
                self.enqueue_write(id, lpn, now);
            }
        }
    }

    /// A write waits for its die, which gives it its page. One that finds no room and no program whose end asks for a
    /// collection asks for it itself: a run may begin with a plane in which only collection can make room.
    pub(super) fn wait_for_page(&mut self, id: TransactionId, now: SimTime) {
        let (plane, stream) = (self.transactions.get(id).plane, self.stream_of(id));
        self.wait_for_die(id, now);
        if self.translation.addresses.blocks.plane(plane).pending_programs == 0 && self.translation.addresses.blocks.next_offset(plane, stream).is_none()
        {
            self.collect_if_short(plane, now);
        }
    }

    pub(super) fn kick(&mut self, die: DieId) {
        self.ready_dies.push(die);
    }

    /// The plane whose die has the fewest writes of the host to do, looked for in allocation order
    /// from where the last search ended; in a log the first in that order. A plane that holds as much as it may is passed over; if
    /// all do, a page that is already somewhere is overwritten there, and a new page has to wait.
    pub(super) fn chosen_plane(&mut self, lpn: Lpn) -> Option<PlaneId> {
        let range = self.translation.addresses.range_of(lpn);
        let takes_first = matches!(self.settings.allocation, Allocation::InTurn(_));
        let count = self.translation.addresses.planes(range).len() as u32;
        let mut best: Option<(u32, u32)> = None;
        for step in 0..count {
            let position = (self.translation.addresses.next_position[range] + step) % count;
            let plane = self.translation.addresses.planes(range)[position as usize];
            if self.is_closed(range, plane) {
                continue;
            }
            let busy = self.translation.addresses.writes_at_die[self.geometry.die_of(plane).index()];
            if best.is_none_or(|(fewest, _)| busy < fewest) {
                best = Some((busy, position));
            }
            if busy == 0 || takes_first {
                break;
            }
        }
        let Some((_, position)) = best else {
            let there = self.translation.map.physical(lpn).map(|ppn| self.plane_of(ppn));
            return there.filter(|&plane| !self.is_lost(plane));
        };
        self.translation.addresses.next_position[range] = (position + 1) % count;
        Some(self.translation.addresses.planes(range)[position as usize])
    }

    /// Whether a plane takes no write that is free to go to any.
    #[inline]
    fn is_closed(&self, range: usize, plane: PlaneId) -> bool {
        match self.settings.allocation {
            Allocation::Static(_) => self.is_full_of_substitutes(plane),
            Allocation::Dynamic(_) | Allocation::InTurn(_) => {
                self.is_taken_up(range, plane) || self.is_lost(plane)
            }
        }
    }

    /// Whether a plane holds as much of an address range as it may.
    #[inline]
    pub(super) fn is_taken_up(&self, range: usize, plane: PlaneId) -> bool {
        match self.translation.addresses.commitments.of(range, plane) {
            Some(pages) => pages >= self.translation.addresses.quota(&self.geometry, plane),
            None => self.translation.addresses.blocks.plane(plane).committed_pages >= most_logical_pages_per_plane(&self.geometry),
        }
    }
}
