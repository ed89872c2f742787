//! From a host request to transactions.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::{Lpn, PlaneId, Priority, RequestId, SECTOR_BYTES, TransactionId};

use super::{FollowUpClass, Ftl};
use crate::work::{Origin, PageState, Purpose, Transaction};

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
        self.transactions.get_mut(id).stream = self.space.stream_of_queue(queue);
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

    /// Visits every logical page of a range of sectors, with the sectors of it that are meant.
    pub(super) fn for_pages(
        &mut self,
        start: u64,
        sectors: u32,
        mut visit: impl FnMut(&mut Self, Lpn, u64),
    ) -> u32 {
        let mut pages = 0;
        for (lpn, mask) in self.translation.page_pieces(start, start + u64::from(sectors)) {
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
            lane: self.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            bytes: sectors.count_ones() * SECTOR_BYTES,
            ..Transaction::new(purpose, PlaneId(0), clock)
        };
        let id = self.transactions.insert(read);
        self.books.read_accepted(id, lpn, &read);
        id
    }

    /// A read whose page was looked up waits for its die.
    pub(super) fn place_read(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let (mut ppn, mut mapped) = self.translation.locate(lpn);
        if !mapped && self.translation.is_mapped_by(self.transactions.get(id)) {
            self.map_unwritten(id, lpn, now);
            (ppn, mapped) = self.translation.locate(lpn);
        }
        let plane = self.geometry.plane_of_page(ppn);
        let read = self.transactions.get_mut(id);
        (read.page, read.plane) = (PageState::At { ppn, is_pinned: mapped }, plane);
        if let Purpose::OperandRead(gather) = read.purpose {
            self.operand_found(id, gather);
        }
        if mapped {
            self.space.blocks.block_mut(self.geometry.block_of(ppn)).pending_reads += 1;
        }
        self.queues.join(&mut self.transactions, id, now);
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
            lane: self.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            stream: self.space.stream_of_queue(queue),
            ..Transaction::new(Purpose::HostWrite(origin), plane, StageClock::start(now))
        };
        let id = self.transactions.insert(write);
        if self.translation.lock(lpn, id) {
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
        let missing = self.translation.cover(self.transactions.get_mut(id), lpn);
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
        let read = self.insert_read((Purpose::UpdateRead(id), priority), lpn, missing, clock);
        self.place_read(read, lpn, now);
    }

    /// What a write does not cover was read.
    pub(super) fn update_read_ended(&mut self, id: TransactionId, read: &Transaction, now: SimTime) {
        let write = self.transactions.get_mut(id);
        write.clock = read.clock;
        write.conflicted |= read.conflicted;
        if let PageState::Given { waits_for_read, .. } = &mut write.page {
            *waits_for_read = false;
            let plane = write.plane;
            self.queues.wake(self.geometry.die_of(plane));
        } else if let Some(lpn) = write.lpn {
            self.enqueue_write(id, lpn, now);
        }
    }

    /// A write with all its data at hand waits for its die, which gives it its page.
    pub(super) fn enqueue_write(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) {
        let Some(plane) = self.space.plane_of_write(&self.translation, self.transactions.get(id), lpn) else {
            return self.space.find_no_plane(id);
        };
        self.transactions.get_mut(id).plane = plane;
        self.space.count_write(&self.translation.addresses, lpn, plane);
        self.wait_for_page(id, now);
    }

    /// A plane holds a page less of this one's address range than before: a write of it that found all planes full may go
    /// there.
    pub(super) fn place_waiting_write(&mut self, lpn: Lpn, now: SimTime) {
        if self.space.without_plane().is_empty() {
            return;
        }
        let range = self.translation.addresses.range_of(lpn);
        let is_of_range = |&id: &TransactionId| {
            let waiting = self.transactions.get(id).lpn;
            waiting.is_some_and(|lpn| self.translation.addresses.range_of(lpn) == range)
        };
        let waiting = self.space.without_plane();
        let place = waiting.iter().position(is_of_range);
        if let Some(id) = place.and_then(|place| waiting.remove(place)) {
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
        let write = self.transactions.get(id);
        let (plane, stream) = (write.plane, self.space.stream_of(write));
        self.queues.join(&mut self.transactions, id, now);
        if self.space.blocks.plane(plane).pending_programs == 0
            && self.space.blocks.next_offset(plane, stream).is_none()
        {
            self.collect_if_short(plane, now);
        }
    }
}
