//! Writes: lock of the logical page, choice of the plane, and allocation of the physical page.
//!
//! # What it models
//! A controller allocates the physical page of a write when the die starts the program, or when the write is
//! added to the die's queue. In the second case, the programs of a block start in page order or in any order.
//!
//! # How
//! With `at_start`, the page is allocated when its program starts. Pages are thus always programmed in order,
//! and the page offsets of a multi-plane command are known when the command is formed.
//!
//! With `at_arrival`, the page is allocated, the old page invalidated and the map changed as soon as the
//! logical page has been looked up. A write that does not cover all of the old page then waits in its queue
//! until the other sectors have been read. Later look-ups find the new page. A read of a page whose program
//! has not ended takes as long as any other read of flash, although its data comes from the controller's
//! memory, which contains the data until the program has ended.
//!
//! Each block counts its allocated and its started programs, so that programs start in page order.
//! `at_arrival_any_order` ignores this order, as MQSim does: a later page may be programmed before an earlier
//! one, if this permits a multi-plane command or if the earlier one waits for a read. Real flash does not
//! permit this.
//!
//! A write that finds no free page in its plane waits until a block has been erased. A write-back of the map
//! gets its page when the old contents have been read.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: `Address_Mapping_Unit_Page_Level` allocates pages at translation.
//!
//! # Parameters
//! `ftl.page_allocation`, `ftl.write_streams`, `ftl.program_min_planes`

mod locks;
mod open_pages;
mod page_allocation;
mod page_groups;
mod trims;

use std::collections::VecDeque;
use std::mem;

use venice_kernel::SimTime;
use venice_nand::geometry::{Geometry, Lpn, PlaneId, Ppn, Priority, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{List, Origin, PageState, Purpose, Transaction};

use super::settings::{FollowUpClass, FtlSettings, PageAllocation};
use super::shared::Shared;
use super::tasks::Task;

use locks::WriteLocks;
use open_pages::OpenPages;
use page_groups::PageGroups;

pub(super) use trims::PageTrim;
pub use trims::{PartialUnits, TrimParameters};

/// Write of some sectors of a page, by the host or the data cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageWrite {
    pub(super) origin: Origin,
    pub(super) queue: u16,
    pub(super) priority: Priority,
    pub(super) lpn: Lpn,
    /// Bit mask of the written sectors.
    pub(super) sectors: u64,
}

/// Writes whose programs have not started.
#[derive(Clone, Debug)]
pub(super) struct Writes {
    geometry: Geometry,
    page_allocation: PageAllocation,
    follow_up_class: FollowUpClass,
    locks: WriteLocks,
    open_pages: OpenPages,
    page_groups: PageGroups,
    /// Time of the latest flush or write with forced unit access. Writes that were accepted up to this time
    /// do not wait for further mapping units or for other planes.
    forced_until: Option<SimTime>,
    /// Writes that wait for a free page, indexed by plane. Each list is in order of arrival.
    for_room: Vec<List>,
    /// Writes for which all planes of their address range are full, the one that has waited longest first.
    without_plane: VecDeque<TransactionId>,
}

impl Writes {
    /// Creates the state of the component at the start of a run, without writes.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        Self {
            geometry: *geometry,
            page_allocation: settings.page_allocation,
            follow_up_class: settings.follow_up_class,
            locks: WriteLocks::default(),
            open_pages: OpenPages::new(geometry, settings),
            page_groups: PageGroups::new(geometry, settings),
            forced_until: None,
            for_room: vec![List::default(); geometry.planes() as usize],
            without_plane: VecDeque::new(),
        }
    }

    /// Accepts a write. Returns its transaction if it has the lock of its logical page; otherwise the write
    /// waits for the lock.
    #[inline]
    pub(super) fn accept(
        &mut self,
        shared: &mut Shared,
        page: &PageWrite,
        now: SimTime,
    ) -> Option<TransactionId> {
        let &PageWrite { origin, queue, priority, lpn, sectors } = page;
        let (plane, _) = shared.translation.addresses.place(lpn);
        let priority = match origin {
            Origin::Cache(_) => self.follow_up_class.of(priority),
            Origin::Request(_) | Origin::ReadAhead(_) => priority,
        };
        let id = shared.transactions.insert(Transaction {
            priority,
            lane: shared.queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            bytes: shared.translation.sectors.bytes_of(sectors),
            stream: shared.space.stream_of_queue(queue),
            ..Transaction::new(Purpose::HostWrite(origin), plane, StageClock::start(now))
        });
        shared.stats.write_accepted(origin, id, sectors);
        self.locks.acquire(&mut shared.translation.map, lpn, id).then_some(id)
    }

    /// Starts a write that has the lock of its page and whose map entry is in memory. With page allocation at
    /// arrival, its physical page is allocated. Otherwise the sectors that the write does not cover are read
    /// first.
    pub(super) fn start(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, now: SimTime) {
        if self.page_allocation.is_early() {
            return self.place(shared, id, lpn, now);
        }
        let spot = shared.translation.map.spot(lpn);
        let missing = shared.translation.cover(shared.transactions.get_mut(id), spot, lpn);
        if missing == 0 {
            self.enqueue(shared, id, lpn, now);
        } else {
            shared.tasks.push(Task::ReadMissing { write: id, sectors: missing });
        }
    }

    /// Adds a write whose data is complete to a page that is being filled. The page is queued for its die
    /// when two conditions are met: the page is full, and enough planes of the die have a full page. The page
    /// is queued earlier if it has waited for the maximum time. The physical page is allocated when the
    /// program starts.
    fn enqueue(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, now: SimTime) {
        let Some(plane) = self.open_pages.plane_of(shared, id, lpn) else {
            return self.wait_for_plane(shared, id);
        };
        shared.send_write(id, lpn, plane);
        let is_forced = self.is_forced(shared.transactions.get(id));
        let page = self.open_pages.add(shared, id, is_forced, now);
        if !self.page_groups.are_used() {
            return page.into_iter().for_each(|page| shared.enqueue_without_page(page, now));
        }
        if let Some(page) = page {
            self.page_groups.add(page, shared.transactions.get(page), now);
        }
        if is_forced {
            self.page_groups.queue_all();
        }
        self.queue_ready_pages(shared, now);
    }

    /// Returns true if a flush or forced unit access waits for the write `write`. The time at which the write
    /// was accepted decides, since the write may have waited for a read or for an earlier write of its
    /// mapping unit.
    #[inline]
    fn is_forced(&self, write: &Transaction) -> bool {
        self.forced_until.is_some_and(|until| write.clock.started() <= until)
    }

    /// Queues the pages of groups that have enough planes, or whose maximum waiting time has passed.
    fn queue_ready_pages(&mut self, shared: &mut Shared, now: SimTime) {
        while let Some(page) = self.page_groups.next_ready() {
            shared.page_is_due(page, now);
            shared.enqueue_without_page(page, now);
        }
    }

    /// Returns the instant at which the next waiting page must be queued, or `None` if an event has already
    /// been scheduled for it. The caller schedules the event.
    #[inline]
    pub(super) fn set_page_timer(&mut self) -> Option<SimTime> {
        self.open_pages.set_timer(self.page_groups.next_deadline())
    }

    /// Queues pages whose maximum waiting time for further units or for other planes has passed. Called at
    /// the event that is scheduled for the first of these pages.
    pub(super) fn queue_due_pages(&mut self, shared: &mut Shared, now: SimTime) {
        self.page_groups.queue_due(now);
        self.queue_ready_pages(shared, now);
        while let Some(page) = self.open_pages.next_due(shared, now) {
            shared.enqueue_without_page(page, now);
        }
    }

    /// Queues all pages that wait for further mapping units or for other planes. Writes that were accepted
    /// before and join a page later do not wait either.
    pub(super) fn queue_open_pages(&mut self, shared: &mut Shared, now: SimTime) {
        self.forced_until = Some(now);
        self.page_groups.queue_all();
        self.queue_ready_pages(shared, now);
        while let Some(page) = self.open_pages.next_unqueued(shared, now) {
            shared.enqueue_without_page(page, now);
        }
    }

    /// Allocates a physical page for the mapping units of a page transaction whose program starts, and a slot
    /// of the page for each of them. Returns the first slot.
    pub(super) fn start_page(&mut self, shared: &mut Shared, page: TransactionId) -> Ppn {
        self.open_pages.close(shared, page);
        let mut slots = shared.give_slots(page);
        shared.for_each_member(page, |shared, unit| shared.give_slot(unit, slots.take()));
        shared.leave_rest_empty(slots);
        shared.transactions.get(page).ppn().expect("a page was allocated")
    }

    /// Processes the end of a program of several mapping units.
    pub(super) fn page_programmed(&mut self, shared: &mut Shared, units: List, done: &Transaction, ppn: Ppn) {
        shared.space.blocks.program_ended(done.plane, ppn);
        shared.stats.page_program_ended(shared.units.slots_of_program(ppn));
        let die = self.geometry.die_of(done.plane);
        let mut next = units.first();
        while let Some(unit) = next {
            next = shared.transactions.after(unit);
            let lpn = shared.page_ended(unit, done);
            if let Some(slot) = shared.transactions.get(unit).ppn() {
                shared.stats.program_ended(Some(lpn), slot);
            }
            shared.space.writes.leave(die);
            shared.without_die.push_back(unit);
            self.unlock(shared, lpn);
        }
        shared.check_free_blocks(done.plane);
    }

    /// Ends the transaction of a page on a lost plane before its program. Returns the transactions of its
    /// mapping units.
    pub(super) fn disband(&mut self, shared: &mut Shared, page: TransactionId) -> Vec<TransactionId> {
        if shared.transactions.get(page).lpn.is_some() {
            return vec![page];
        }
        self.open_pages.close(shared, page);
        let units = shared.members.take(page).iter(&shared.transactions).collect();
        shared.transactions.forget(page);
        units
    }

    /// Removes the pages of a lost plane that wait for further mapping units or for other planes, and returns
    /// their mapping units.
    pub(super) fn take_open_units(&mut self, shared: &mut Shared, plane: PlaneId) -> Vec<TransactionId> {
        let mut units = Vec::new();
        while let Some(page) = self.page_groups.take(&shared.transactions, plane) {
            units.extend(self.disband(shared, page));
        }
        while let Some(page) = self.open_pages.take_unqueued(plane) {
            units.extend(self.disband(shared, page));
        }
        units
    }

    /// Makes a write wait until a plane has space for its page. After a loss of chips the write fails, since
    /// the wait might never end.
    fn wait_for_plane(&mut self, shared: &mut Shared, id: TransactionId) {
        if shared.space.losses().is_some() {
            shared.tasks.push(Task::FailWrite(id));
        } else {
            self.without_plane.push_back(id);
        }
    }

    /// Assigns a plane to the first waiting write in the address range of `lpn`, after a page of this range
    /// has been removed from a plane.
    pub(super) fn quota_freed(&mut self, shared: &mut Shared, lpn: Lpn, now: SimTime) {
        if self.without_plane.is_empty() {
            return;
        }
        let addresses = &shared.translation.addresses;
        let range = addresses.range_of(lpn);
        let is_of_range = |&id: &TransactionId| {
            let waiting = shared.transactions.get(id).lpn;
            waiting.is_some_and(|lpn| addresses.range_of(lpn) == range)
        };
        let position = self.without_plane.iter().position(is_of_range);
        if let Some(id) = position.and_then(|position| self.without_plane.remove(position)) {
            let write = shared.transactions.get_mut(id);
            write.clock.charge(Stage::ChipWait, now);
            if let Some(lpn) = write.lpn {
                self.enqueue(shared, id, lpn, now);
            }
        }
    }

    /// Continues a write after the sectors that it does not cover have been read.
    pub(super) fn missing_read(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        read: &Transaction,
        now: SimTime,
    ) {
        let write = shared.transactions.get_mut(id);
        write.clock = read.clock;
        write.conflicted |= read.conflicted;
        if let PageState::Given { waits_for_read, .. } = &mut write.page {
            *waits_for_read = false;
            let die = self.geometry.die_of(write.plane);
            shared.queues.wake(die);
        } else if let Some(lpn) = write.lpn {
            self.enqueue(shared, id, lpn, now);
        }
    }

    /// Processes the end of the program of a host page. Releases the lock of the page if the write still has
    /// it.
    pub(super) fn program_ended(
        &mut self,
        shared: &mut Shared,
        lpn: Lpn,
        ppn: Option<Ppn>,
        plane: PlaneId,
        now: SimTime,
    ) {
        if let Some(ppn) = ppn {
            shared.space.blocks.program_ended(plane, ppn);
            shared.stats.program_ended(Some(lpn), ppn);
        }
        shared.space.writes.leave(self.geometry.die_of(plane));
        if self.page_allocation.is_early() {
            self.place_without_plane(shared, 0, now);
        } else {
            self.unlock(shared, lpn);
        }
        shared.check_free_blocks(plane);
    }

    /// Releases the lock of a page. If writes wait for the lock, the write that has waited longest continues.
    #[inline]
    pub(super) fn unlock(&mut self, shared: &mut Shared, lpn: Lpn) {
        let map = &mut shared.translation.map;
        let spot = map.spot(lpn);
        if let Some(next) = self.locks.release(map, spot, lpn) {
            shared.tasks.push(Task::WakeWrite(next));
        }
    }

    /// Queues a write-back of a translation page for its die. Its physical page is allocated now or when the
    /// program starts, as configured by `ftl.page_allocation`.
    pub(super) fn place_map_write(&mut self, shared: &mut Shared, id: TransactionId, now: SimTime) {
        if shared.space.blocks.lines().is_some() {
            shared.transactions.get_mut(id).plane = self.open_pages.line_plane_of_map(shared);
        }
        let write = shared.transactions.get(id);
        let (plane, page) = (write.plane, write.lpn.expect("a translation page has a number"));
        if !self.page_allocation.is_early() {
            if let Some(page) = self.open_pages.add(shared, id, false, now) {
                shared.enqueue_without_page(page, now);
            }
        } else if self.room_or_wait(shared, id, plane).is_some() {
            shared.give_map_page(id, page);
            shared.enqueue(id, now);
        }
    }

    /// Continues the writes that wait for a free page in `plane`.
    pub(super) fn room_freed(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        shared.space.blocks.planes[plane].writable_since = now;
        self.place_waiting(shared, plane, now);
    }

    /// Redirects a write to another plane, after the loss of its plane or of the plane in which it waited for
    /// a free page.
    pub(super) fn place_again(&mut self, shared: &mut Shared, id: TransactionId, now: SimTime) {
        let write = shared.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        let lpn = write.lpn.expect("a write has a logical page");
        if self.page_allocation.is_early() {
            self.place(shared, id, lpn, now);
        } else {
            self.enqueue(shared, id, lpn, now);
        }
    }

    /// Removes and returns the first write that waits for a free page in `plane`.
    pub(super) fn next_waiting_in(&mut self, shared: &mut Shared, plane: PlaneId) -> Option<TransactionId> {
        self.for_room[plane.index()].pop(&mut shared.transactions)
    }

    /// Removes and returns all writes that wait for a plane.
    pub(super) fn take_without_plane(&mut self) -> VecDeque<TransactionId> {
        mem::take(&mut self.without_plane)
    }

    /// Returns the number of writes that wait for the lock of their page.
    pub(super) fn waiting_for_locks(&self) -> usize {
        self.locks.waiting()
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{DieId, RequestId};

    use super::*;
    use crate::ftl::allocation::{Allocation, HierarchyLevel};
    use crate::ftl::shared::bench::Bench;
    use crate::ftl::space::{NextWritePosition, WriteStream};
    use crate::ftl::tasks::WritePlacement;

    const P0: PlaneId = PlaneId(0);
    const WHOLE: u64 = 0xff;

    fn writes(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> (Bench, Writes) {
        let bench = Bench::new(chips, set);
        let writes = Writes::new(&bench.shared.geometry, &bench.settings);
        (bench, writes)
    }

    fn early(settings: &mut FtlSettings) {
        settings.page_allocation = PageAllocation::AtArrival;
    }

    fn accept(bench: &mut Bench, writes: &mut Writes, lpn: u32, sectors: u64) -> Option<TransactionId> {
        let (origin, priority) = (Origin::Request(RequestId(lpn)), Priority::High);
        writes.accept(
            &mut bench.shared,
            &PageWrite { origin, queue: 0, priority, lpn: Lpn(lpn), sectors },
            bench.now,
        )
    }

    /// Accepts and starts a write of a whole page.
    fn write(bench: &mut Bench, writes: &mut Writes, lpn: u32) -> TransactionId {
        let id = accept(bench, writes, lpn, WHOLE).expect("no other write of the page is in progress");
        writes.start(&mut bench.shared, id, Lpn(lpn), bench.now);
        id
    }

    fn page_of(bench: &Bench, id: TransactionId) -> PageState {
        bench.shared.transactions.get(id).page
    }

    /// Writes to a plane, and ends the programs, until the host has no free page there.
    fn use_up(bench: &mut Bench) {
        let blocks = &mut bench.shared.space.blocks;
        while blocks.next_offset(P0, WriteStream::Host(0)).is_some() {
            blocks.allocate_written(P0, WriteStream::Host(0)).unwrap();
        }
    }

    #[test]
    fn writes_of_one_page_follow_each_other() {
        let (mut bench, mut writes) = writes(1, |_| {});
        let first = write(&mut bench, &mut writes, 5);
        assert_eq!(accept(&mut bench, &mut writes, 5, WHOLE), None);
        assert_eq!(writes.waiting_for_locks(), 1);
        assert!(accept(&mut bench, &mut writes, 6, WHOLE).is_some());
        assert_eq!((bench.queued(0), bench.tasks()), (vec![first], Vec::new()));
        assert_eq!(page_of(&bench, first), PageState::Unknown, "its die gives it its page");
        bench.take(0);
        let ppn = bench.shared.page_of_write(first);
        assert_eq!(bench.shared.translation.map.physical(Lpn(5)), Some(ppn));
        assert_eq!(bench.shared.page_of_write(first), ppn, "it keeps its page");
        bench.shared.stats.program_starts(
            Purpose::HostWrite(Origin::Request(RequestId(5))),
            ppn.0..ppn.0 + 1,
            1,
            1,
            false,
        );
        assert_eq!(bench.shared.space.writes.of(DieId(0)), 1);
        writes.program_ended(&mut bench.shared, Lpn(5), Some(ppn), P0, bench.now);
        assert_eq!(bench.shared.space.writes.of(DieId(0)), 0);
        assert_eq!(bench.shared.space.blocks.planes[P0].pending_programs, 0);
        let tasks = bench.tasks();
        assert!(
            matches!(tasks[..], [Task::WakeWrite(next), Task::Collect(P0)] if next != first),
            "{tasks:?}"
        );
        assert_eq!(writes.waiting_for_locks(), 0);
    }

    #[test]
    fn partial_write_reads_the_rest_of_its_page_first() {
        let (mut bench, mut writes) = writes(1, |_| {});
        let id = accept(&mut bench, &mut writes, 5, 0x0f).unwrap();
        assert_eq!(bench.shared.transactions.get(id).bytes, 4 * 512);
        writes.start(&mut bench.shared, id, Lpn(5), bench.now);
        assert_eq!(bench.tasks(), [Task::ReadMissing { write: id, sectors: 0xf0 }]);
        assert_eq!((bench.queued(0).len(), bench.shared.transactions.get(id).sectors), (0, WHOLE));
        bench.wait_us(3);
        let mut read = *bench.shared.transactions.get(id);
        read.clock.charge(Stage::Array, bench.now);
        read.conflicted = true;
        writes.missing_read(&mut bench.shared, id, &read, bench.now);
        assert_eq!(bench.queued(0), [id]);
        let write = bench.shared.transactions.get(id);
        assert_eq!((write.clock.spans, write.conflicted), (read.clock.spans, true));
    }

    #[test]
    fn early_write_has_its_page_before_its_program() {
        let (mut bench, mut writes) = writes(1, early);
        let id = write(&mut bench, &mut writes, 5);
        let given = PageState::Given { ppn: Ppn(0), turn: 0, waits_for_read: false };
        assert_eq!((page_of(&bench, id), bench.queued(0), bench.tasks()), (given, vec![id], Vec::new()));
        assert_eq!(bench.shared.translation.map.physical(Lpn(5)), Some(Ppn(0)));
        assert!(accept(&mut bench, &mut writes, 5, WHOLE).is_some(), "the lock is free");
    }

    #[test]
    fn early_partial_write_waits_in_its_queue_for_the_rest() {
        let (mut bench, mut writes) = writes(1, early);
        let id = accept(&mut bench, &mut writes, 5, 0x0f).unwrap();
        writes.start(&mut bench.shared, id, Lpn(5), bench.now);
        let placement = WritePlacement {
            write: id,
            room: NextWritePosition::NewBlock,
            waits_for_read: true,
            may_collect: true,
        };
        let tasks = [Task::ReadMissing { write: id, sectors: 0xf0 }, Task::PlaceWrite(placement)];
        assert_eq!((bench.tasks(), bench.queued(0)), (tasks.to_vec(), Vec::new()));
        assert_eq!(page_of(&bench, id), PageState::Unknown);
        writes.place_after_read(&mut bench.shared, &placement, bench.now);
        assert_eq!(bench.queued(0), [id]);
        assert_eq!(page_of(&bench, id), PageState::Given { ppn: Ppn(0), turn: 0, waits_for_read: true });
        while bench.shared.queues.next_ready_die().is_some() {}
        let read = *bench.shared.transactions.get(id);
        writes.missing_read(&mut bench.shared, id, &read, bench.now);
        assert_eq!(page_of(&bench, id), PageState::Given { ppn: Ppn(0), turn: 0, waits_for_read: false });
        assert_eq!(bench.shared.queues.next_ready_die(), Some(DieId(0)), "its die may start it");
    }

    #[test]
    fn early_overwrite_requests_a_collection_and_wakes_the_next_write() {
        let (mut bench, mut writes) = writes(1, early);
        bench.fill(0, 5, 1);
        let first = accept(&mut bench, &mut writes, 5, WHOLE).unwrap();
        assert_eq!(accept(&mut bench, &mut writes, 5, WHOLE), None);
        writes.start(&mut bench.shared, first, Lpn(5), bench.now);
        let tasks = bench.tasks();
        assert!(matches!(tasks[..], [Task::Collect(P0), Task::WakeWrite(_)]), "{tasks:?}");
    }

    #[test]
    fn early_writes_without_room_wait_for_it_in_order() {
        let (mut bench, mut writes) = writes(1, early);
        use_up(&mut bench);
        let waiting = [5, 6].map(|lpn| write(&mut bench, &mut writes, lpn));
        assert_eq!((bench.queued(0), bench.tasks()), (Vec::new(), Vec::new()));
        bench.wait_us(7);
        writes.room_freed(&mut bench.shared, P0, bench.now);
        assert_eq!(bench.queued(0), [], "there is none yet");
        assert_eq!(bench.shared.space.blocks.planes[P0].writable_since, bench.now);
        let ppn = bench.shared.geometry.ppn(venice_nand::geometry::BlockId(0), 0);
        for offset in 0..4 {
            bench.shared.space.blocks.invalidate(Ppn(ppn.0 + offset));
        }
        bench.shared.space.blocks.erase(venice_nand::geometry::BlockId(0));
        writes.room_freed(&mut bench.shared, P0, bench.now);
        assert_eq!((bench.queued(0), bench.tasks()), (waiting.to_vec(), Vec::new()));
        let waited = bench.shared.transactions.get(waiting[0]).clock.spans[Stage::ChipWait as usize];
        assert_eq!(waited, bench.now.since(SimTime::ZERO));
    }

    #[test]
    fn late_write_without_room_requests_a_collection_if_no_program_is_pending() {
        for (pending, asks) in [(0, true), (1, false)] {
            let (mut bench, mut writes) = writes(1, |_| {});
            use_up(&mut bench);
            bench.shared.space.blocks.invalidate(Ppn(0));
            bench.shared.space.blocks.planes[P0].pending_programs = pending;
            let id = write(&mut bench, &mut writes, 5);
            assert_eq!(bench.queued(0), [id]);
            assert_eq!(bench.tasks(), if asks { vec![Task::Collect(P0)] } else { Vec::new() });
        }
    }

    /// Sets dynamic allocation, for tests with planes at their limit of pages.
    fn full_planes(settings: &mut FtlSettings) {
        settings.allocation = Allocation::Dynamic([
            HierarchyLevel::Channel,
            HierarchyLevel::Way,
            HierarchyLevel::Die,
            HierarchyLevel::Plane,
        ]);
    }

    fn set_committed(bench: &mut Bench, pages: u32) {
        bench.shared.space.blocks.planes[P0].committed_pages = pages;
    }

    #[test]
    fn write_without_a_plane_goes_on_when_a_page_leaves_one() {
        let (mut bench, mut writes) = writes(1, full_planes);
        set_committed(&mut bench, 27);
        let id = write(&mut bench, &mut writes, 5);
        assert_eq!((bench.queued(0), bench.tasks()), (Vec::new(), Vec::new()));
        bench.wait_us(2);
        set_committed(&mut bench, 26);
        writes.quota_freed(&mut bench.shared, Lpn(3), bench.now);
        assert_eq!(bench.queued(0), [id]);
        assert_eq!(bench.shared.space.blocks.planes[P0].committed_pages, 27);
        writes.quota_freed(&mut bench.shared, Lpn(3), bench.now);
        assert_eq!(bench.queued(0), [id], "nothing waits any more");
    }

    #[test]
    fn early_write_without_a_plane_goes_on_when_a_program_ends() {
        let (mut bench, mut writes) = writes(1, |settings| {
            full_planes(settings);
            early(settings);
        });
        set_committed(&mut bench, 27);
        let id = write(&mut bench, &mut writes, 5);
        bench.shared.space.writes.join(DieId(0));
        writes.program_ended(&mut bench.shared, Lpn(1), None, P0, bench.now);
        assert_eq!(bench.queued(0), [], "the plane is still full");
        set_committed(&mut bench, 26);
        bench.shared.space.writes.join(DieId(0));
        writes.program_ended(&mut bench.shared, Lpn(1), None, P0, bench.now);
        assert_eq!(bench.queued(0), [id]);
        assert_eq!(writes.take_without_plane().len(), 0);
    }

    #[test]
    fn map_write_has_its_page_when_others_have() {
        for (page_allocation, is_given) in
            [(PageAllocation::AtStart, false), (PageAllocation::AtArrival, true)]
        {
            let (mut bench, mut writes) = writes(1, |settings| settings.page_allocation = page_allocation);
            let page = Transaction {
                lpn: Some(Lpn(3)),
                ..Transaction::new(Purpose::MappingWrite, P0, StageClock::start(bench.now))
            };
            let id = bench.shared.transactions.insert(page);
            writes.place_map_write(&mut bench.shared, id, bench.now);
            assert_eq!((bench.queued(0), bench.tasks()), (vec![id], Vec::new()));
            assert_eq!(bench.shared.transactions.get(id).is_placed(), is_given);
            assert_eq!(bench.shared.page_of_write(id), Ppn(0));
        }
    }

    #[test]
    fn lost_plane_gives_its_waiting_writes_back() {
        let (mut bench, mut writes) = writes(1, early);
        use_up(&mut bench);
        let id = write(&mut bench, &mut writes, 5);
        assert_eq!(writes.next_waiting_in(&mut bench.shared, P0), Some(id));
        assert_eq!(writes.next_waiting_in(&mut bench.shared, P0), None);
        bench.shared.space.lose(vec![true], &bench.shared.translation);
        writes.place_again(&mut bench.shared, id, bench.now);
        assert_eq!(bench.tasks(), [Task::FailWrite(id)]);
    }

    #[test]
    fn destaged_page_has_the_class_of_follow_up_work() {
        for (class, expected) in [(FollowUpClass::Own, Priority::Low), (FollowUpClass::High, Priority::High)]
        {
            let (mut bench, mut writes) = writes(1, |settings| settings.follow_up_class = class);
            let page = PageWrite {
                origin: Origin::Cache(venice_nand::geometry::DestageId(0)),
                queue: 0,
                priority: Priority::Low,
                lpn: Lpn(1),
                sectors: WHOLE,
            };
            let id = writes.accept(&mut bench.shared, &page, bench.now).unwrap();
            assert_eq!(bench.shared.transactions.get(id).priority, expected);
        }
    }
}
