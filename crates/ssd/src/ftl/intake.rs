//! From a host request to transactions.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::{Lpn, PlaneId, Priority, RequestId, SECTOR_BYTES, TransactionId};

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

    /// The pages that the sectors from `start` up to, but not including, `end` touch, as [`page_pieces`] gives them.
    #[inline]
    pub fn page_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        let cut = if self.settings.page_cuts.is_empty() { 0 } else { self.cut_at(start) };
        page_pieces(self.sectors_per_page, cut, start, end)
    }

    fn cut_at(&self, sector: u64) -> u32 {
        self.cut_of(Lpn((sector / u64::from(self.sectors_per_page)) as u32))
    }

    fn cut_of(&self, lpn: Lpn) -> u32 {
        let range = self.space.range_of(lpn);
        self.settings.page_cuts.get(range).copied().unwrap_or(0)
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
            lane: self.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            bytes: sectors.count_ones() * SECTOR_BYTES,
            ..Transaction::new(purpose, PlaneId(0), clock)
        };
        let id = self.transactions.insert(read);
        if let Some(audit) = &mut self.audit {
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
            self.blocks.block_mut(self.geometry.block_of(ppn)).pending_reads += 1;
        }
        self.queues.join(&mut self.transactions, id, now);
    }

    /// Whether a read gives its page a place if it has none.
    #[inline]
    fn is_mapped_by(&self, read: TransactionId) -> bool {
        self.settings.unwritten_data == UnwrittenData::MappedOnRead
            && matches!(self.transactions.get(read).purpose, Purpose::HostRead(_) | Purpose::OperandRead(_))
    }

    /// Takes in a write of the host's queue `queue` of some sectors of one page.
    pub fn write_page(
        &mut self,
        (origin, queue, priority): (Origin, u16, Priority),
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        let (plane, _) = self.space.place(lpn);
        let priority = match origin {
            Origin::Cache(_) => self.follow_up_class(priority),
            Origin::Request(_) => priority,
        };
        let write = Transaction {
            priority,
            lane: self.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            stream: self.stream_of_queue(queue),
            ..Transaction::new(Purpose::HostWrite(origin), plane, StageClock::start(now))
        };
        let id = self.transactions.insert(write);
        if self.locks.acquire(&mut self.map, lpn, id) {
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

    /// Extends a write to all sectors that its page has, which its program then holds, and sends what the settings say.
    /// Says which of them have to be read.
    #[inline]
    pub(super) fn cover(&mut self, id: TransactionId, lpn: Lpn) -> u64 {
        let present = self.present_sectors(lpn);
        let new = self.taken_sectors(id, lpn);
        let (transfer, most) = (self.settings.update_transfer, self.sectors_per_page);
        let write = self.transactions.get_mut(id);
        let (touched, merged) = (write.sectors, new | present);
        let sent = if transfer == UpdateTransfer::Merged { merged } else { touched };
        (write.sectors, write.bytes) = (merged, sent.count_ones().min(most) * SECTOR_BYTES);
        present & !new
    }

    /// Which sectors of its page a read or a write of the host is taken to touch.
    #[inline]
    pub(super) fn taken_sectors(&self, id: TransactionId, lpn: Lpn) -> u64 {
        let transaction = self.transactions.get(id);
        match (self.settings.sector_sets, transaction.purpose) {
            (SectorSets::Exact, _) | (_, Purpose::HostWrite(Origin::Cache(_))) => transaction.sectors,
            _ => shifted(self.sectors_per_page, self.cut_of(lpn), transaction.sectors),
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
        self.counters.update_reads += 1;
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
                self.queues.wake(self.geometry.die_of(plane));
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
        let committed = &mut self.blocks.plane_mut(plane).committed_pages;
        *committed = committed.checked_add_signed(by).expect("a plane holds what was counted");
        self.commitments.change(|| self.space.range_of(lpn), plane, by);
        self.count_substitute(lpn, plane, by);
    }

    /// A plane holds a page less of this one's address range than before: a write of it that found all planes full may go
    /// there.
    pub(super) fn place_waiting_write(&mut self, lpn: Lpn, now: SimTime) {
        if self.without_plane.is_empty() {
            return;
        }
        let range = self.space.range_of(lpn);
        let is_of_range = |&id: &TransactionId| {
            let waiting = self.transactions.get(id).lpn;
            waiting.is_some_and(|lpn| self.space.range_of(lpn) == range)
        };
        let place = self.without_plane.iter().position(is_of_range);
        if let Some(id) = place.and_then(|place| self.without_plane.remove(place)) {
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
        let (plane, stream) = (self.transactions.get(id).plane, self.stream_of(self.transactions.get(id)));
        self.queues.join(&mut self.transactions, id, now);
        if self.blocks.plane(plane).pending_programs == 0 && self.blocks.next_offset(plane, stream).is_none()
        {
            self.collect_if_short(plane, now);
        }
    }

    /// All sectors of a page.
    pub(super) fn whole_page(&self) -> u64 {
        sector_mask(0, self.sectors_per_page)
    }

    /// All bits that sets of sectors have.
    pub(super) fn sector_bits(&self) -> u64 {
        match self.settings.sector_sets {
            SectorSets::Exact => self.whole_page(),
            SectorSets::Shifted => u64::MAX,
        }
    }

    pub(super) fn present_sectors(&self, lpn: Lpn) -> u64 {
        if !self.settings.unwritten_data.is_absent() {
            return self.whole_page();
        }
        match self.map.written_sectors(lpn, self.sector_bits()) {
            // A page that was filled before the run, not by requests.
            u64::MAX => self.whole_page(),
            present => present,
        }
    }

    /// The plane whose die has the fewest writes of the host to do, looked for in allocation order
    /// from where the last search ended; in a log the first in that order. A plane that holds as much as it may is passed over; if
    /// all do, a page that is already somewhere is overwritten there, and a new page has to wait.
    pub(super) fn chosen_plane(&mut self, lpn: Lpn) -> Option<PlaneId> {
        let range = self.space.range_of(lpn);
        let takes_first = matches!(self.settings.allocation, Allocation::InTurn(_));
        let count = self.space.planes(range).len() as u32;
        let mut best: Option<(u32, u32)> = None;
        for step in 0..count {
            let position = (self.next_position[range] + step) % count;
            let plane = self.space.planes(range)[position as usize];
            if self.is_closed(range, plane) {
                continue;
            }
            let busy = self.writes_at_die[self.geometry.die_of(plane).index()];
            if best.is_none_or(|(fewest, _)| busy < fewest) {
                best = Some((busy, position));
            }
            if busy == 0 || takes_first {
                break;
            }
        }
        let Some((_, position)) = best else {
            let there = self.map.physical(lpn).map(|ppn| self.plane_of(ppn));
            return there.filter(|&plane| !self.is_lost(plane));
        };
        self.next_position[range] = (position + 1) % count;
        Some(self.space.planes(range)[position as usize])
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
        match self.commitments.of(range, plane) {
            Some(pages) => pages >= self.space.quota(&self.geometry, plane),
            None => self.blocks.plane(plane).committed_pages >= most_logical_pages_per_plane(&self.geometry),
        }
    }
}

/// The pages that the sectors from `start` up to, but not including, `end` touch, each with the
/// sectors of it that are meant. Cut `cut` sectors before the end of each page, a piece is of the page that its first sector
/// lies in, and what of it would lie beyond the page's end lies at its beginning.
#[inline]
fn page_pieces(per_page: u32, cut: u32, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
    let mut page = start / u64::from(per_page);
    let mut offset = (start - page * u64::from(per_page)) as u32;
    let mut within = if offset + cut < per_page { offset + cut } else { offset + cut - per_page };
    let mut left = end - start;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let length = left.min(u64::from(per_page - within)) as u32;
        let piece = (Lpn(page as u32), wrapped_mask(per_page, offset, length));
        left -= u64::from(length);
        (offset, within) = (offset + length, 0);
        if offset >= per_page {
            (offset, page) = (offset - per_page, page + 1);
        }
        Some(piece)
    })
}

/// So many sectors of a page from one on, those beyond its end at its beginning.
#[inline]
fn wrapped_mask(per_page: u32, offset: u32, length: u32) -> u64 {
    let end = offset + length;
    if end <= per_page {
        return sector_mask(offset, end);
    }
    sector_mask(offset, per_page) | sector_mask(0, end - per_page)
}

/// A set of sectors, cut as above, as MQSim has it: those beyond the page's end are bits beyond it, and all 64 are none, since a
/// number of 64 bits shifted by as many is the same number.
#[cold]
fn shifted(per_page: u32, cut: u32, sectors: u64) -> u64 {
    let whole = sector_mask(0, per_page);
    if sectors == whole {
        // A piece as long as a page begins where one of the device does.
        let offset = if cut == 0 { 0 } else { per_page - cut };
        return if per_page == u64::BITS { 0 } else { whole << offset };
    }
    let is_wrapped = sectors & 1 == 1 && (sectors >> (per_page - 1)) & 1 == 1;
    if !is_wrapped {
        return sectors;
    }
    let at_the_beginning = sector_mask(0, sectors.trailing_ones());
    (sectors & !at_the_beginning) | at_the_beginning.checked_shl(per_page).unwrap_or(0)
}

/// One bit for each sector from `from` up to, but not including, `to`; at most 64.
#[inline]
pub(super) fn sector_mask(from: u32, to: u32) -> u64 {
    let below = |n: u32| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(cut: u32, start: u64, sectors: u64) -> Vec<(u32, u64)> {
        page_pieces(16, cut, start, start + sectors).map(|(lpn, mask)| (lpn.0, mask)).collect()
    }

    #[test]
    fn requests_are_cut_where_pages_end() {
        assert_eq!(pieces(0, 20, 8), [(1, 0x0ff0)]);
        assert_eq!(pieces(0, 8, 40), [(0, 0xff00), (1, 0xffff), (2, 0xffff)]);
    }

    #[test]
    fn requests_cut_before_pages_end_keep_the_pages_of_their_first_sectors() {
        // A flow that begins at the fourth sector of a page: its twelfth begins a page of the device.
        assert_eq!(pieces(4, 12, 16), [(0, 0xffff)], "a whole page of the device");
        assert_eq!(pieces(4, 0, 16), [(0, 0x0fff), (0, 0xf000)], "a whole page of the flow");
        assert_eq!(pieces(4, 4, 24), [(0, 0x0ff0), (0, 0xffff)], "the first two pieces lie on one page");
    }

    #[test]
    fn shifted_sets_go_beyond_a_page_and_lose_what_64_bits_cannot_hold() {
        assert_eq!(shifted(16, 0, 0xffff), 0xffff);
        assert_eq!(shifted(16, 4, 0xffff), 0xffff << 12, "a whole page of the device");
        assert_eq!(shifted(16, 4, 0xf003), 0x3_f000, "two sectors beyond the end");
        assert_eq!(shifted(16, 4, 0x0ff0), 0x0ff0);
        assert_eq!(shifted(64, 20, u64::MAX), 0, "all of 64 are none");
        assert_eq!(shifted(64, 20, (0xff << 56) | 0xf), 0xff << 56, "what lies beyond 64 bits is lost");
    }

    #[test]
    fn a_mask_covers_exactly_its_sectors() {
        assert_eq!(sector_mask(0, 8), 0xff);
        assert_eq!(sector_mask(3, 5), 0b11000);
        assert_eq!(sector_mask(0, 64), u64::MAX);
        assert_eq!(sector_mask(63, 64), 1 << 63);
    }
}
