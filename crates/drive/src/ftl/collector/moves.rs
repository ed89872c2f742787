//! Steps of the garbage collection (GC) of a block: its valid pages are read and programmed elsewhere, then
//! the block is erased.
//!
//! # How
//! [`order_moves`](Collector::order_moves) queues reads of valid pages, up to the maximum number of moves in
//! flight. When a page has been read, [`page_read`](Collector::page_read) queues its write. The new page is
//! allocated at this time or when the program starts. The end of a move queues the next one
//! ([`programmed`](Collector::programmed)), and the end of the last move queues the erase. After
//! [`erased`](Collector::erased), the plane has one more free block. With copyback, read and write are one
//! command. A page that the host overwrites before its new page is allocated is not moved.

use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, DieId, Lpn, PlaneId, Ppn, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{PageState, Purpose, Transaction};
use venice_requests::SECTOR_BYTES;

use crate::ftl::shared::Shared;
use crate::ftl::space::{CollectionCause, WriteStream};
use crate::ftl::tasks::Task;

use super::Collector;

impl Collector {
    /// Starts the GC of a block in `plane` if the plane has too few free blocks.
    #[inline]
    pub(in crate::ftl) fn collect_if_short(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        if shared.space.blocks.may_collect(plane)
            && let Some((victim, cause)) = self.victims.next(&mut shared.space, plane)
        {
            self.collect(shared, plane, victim, cause, now);
        }
    }

    /// Starts the GC of a full block: its valid pages are moved, then it is erased. No other GC may be in
    /// progress in its plane.
    pub(in crate::ftl) fn collect(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        victim: BlockId,
        cause: CollectionCause,
        now: SimTime,
    ) {
        if self.by_line {
            return self.collect_line(shared, victim, cause, now);
        }
        self.begin_at(shared, plane, victim, cause, now);
        self.order_moves(shared, plane, now);
    }

    /// Records and counts the start of the GC of a block.
    pub(super) fn begin_at(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        victim: BlockId,
        cause: CollectionCause,
        now: SimTime,
    ) {
        shared.stats.collection_begins(cause);
        self.begin(&mut shared.space, plane, victim, cause);
        shared.queues.measured.plan_erase(plane, now);
    }

    /// Queues further moves for the GC in progress, up to the maximum number of moves in flight. After the
    /// last move, queues the erase of the victim.
    pub(in crate::ftl) fn order_moves(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        while let Some(ppn) = self.next_page(shared, plane) {
            let read = self.read_of_page(shared, plane, ppn, now);
            shared.enqueue(read, now);
        }
        self.send_last_page(shared, plane, now);
        self.erase_if_empty(shared, plane, now);
    }

    /// Returns the next page of the victim to be moved, unless the maximum number of moves is in flight.
    fn next_page(&self, shared: &mut Shared, plane: PlaneId) -> Option<Ppn> {
        let collection = shared.space.blocks.planes[plane].collection.as_mut()?;
        while collection.in_flight < self.most_in_flight
            && collection.next_offset < self.geometry.pages_per_block
        {
            let ppn = self.geometry.ppn(collection.victim, collection.next_offset);
            collection.next_offset += 1;
            if shared.translation.map.logical(ppn).is_some() {
                collection.in_flight += 1;
                return Some(ppn);
            }
        }
        None
    }

    /// Creates the transaction that moves a page.
    pub(super) fn new_move(
        &self,
        shared: &mut Shared,
        plane: PlaneId,
        ppn: Ppn,
        now: SimTime,
    ) -> TransactionId {
        // A copyback is a write that reads its page within the chip, without a data transfer.
        let (purpose, bytes) = if self.copyback {
            (Purpose::GcWrite, 0)
        } else {
            (Purpose::GcRead, shared.translation.sectors_per_page() * SECTOR_BYTES)
        };
        shared.insert_read(Transaction {
            lpn: shared.translation.map.logical(ppn),
            page: PageState::From(ppn),
            bytes,
            ..Transaction::new(purpose, plane, StageClock::start(now))
        })
    }

    /// Queues the write of a page that was read for a move, unless the host has overwritten the page during
    /// the read.
    pub(in crate::ftl) fn page_read(&mut self, shared: &mut Shared, read: &Transaction, now: SimTime) {
        let plane = self.plane_of_move(shared, read);
        if self.pages_are_early && shared.is_outdated(read) {
            return shared.move_ended(read.plane, true);
        }
        let id = shared.transactions.insert(Transaction { purpose: Purpose::GcWrite, plane, ..*read });
        if self.pages_are_early {
            self.give_page(shared, id);
        }
        self.destinations.join(plane);
        shared.enqueue(id, now);
    }

    /// Returns the plane to which a page that has been read is moved.
    fn plane_of_move(&mut self, shared: &mut Shared, read: &Transaction) -> PlaneId {
        if self.by_line {
            return shared.space.blocks.next_plane_of_moves();
        }
        let chosen = self.destinations.choose(&shared.space, &shared.translation, read, |_, _| true);
        chosen.unwrap_or(read.collected)
    }

    /// Allocates the new page of a move when its program starts, unless it has been allocated before. Returns
    /// the new page.
    pub(in crate::ftl) fn start_program(&self, shared: &mut Shared, id: TransactionId) -> Ppn {
        match shared.transactions.get(id).page {
            PageState::Given { ppn, .. } => ppn,
            _ => self.give_page(shared, id),
        }
    }

    /// Allocates the new page of a move and updates the map. If the new page is in another plane, the page
    /// that was reserved for the move in the victim's plane becomes available to the host.
    fn give_page(&self, shared: &mut Shared, id: TransactionId) -> Ppn {
        let &Transaction { lpn, page, .. } = shared.transactions.get(id);
        let (Some(lpn), PageState::From(from)) = (lpn, page) else { unreachable!("a move has an old page") };
        let to = shared.space.give_page(shared.transactions.get_mut(id), None);
        self.map_move(shared, lpn, from, to);
        to
    }

    /// Maps a moved mapping unit to its new physical location.
    pub(super) fn map_move(&self, shared: &mut Shared, lpn: Lpn, from: Ppn, to: Ppn) {
        let [plane, destination] = [from, to].map(|ppn| self.geometry.plane_of_page(ppn));
        let is_of_host = !shared.translation.is_translation_page(lpn);
        let cause = shared.space.blocks.planes[plane].collection.as_mut().map(|collection| {
            collection.unplaced -= 1;
            collection.cause
        });
        shared.stats.move_page_given(cause, from, to, is_of_host && destination != plane);
        // `remap` already subtracts the page from the count of its old plane.
        if is_of_host {
            shared.space.commit(&shared.translation.addresses, lpn, destination, 1);
        }
        shared.unreadable.moved(from, to);
        shared.remap(lpn, to);
        if shared.translation.is_paged {
            shared.tasks.push(Task::PageMoved(lpn));
        }
        if destination != plane {
            shared.tasks.push(Task::RoomFreed(plane));
        }
    }

    /// Removes a move from its queue. If the host has overwritten the moved page in the meantime, the move is
    /// cancelled; otherwise it is redirected to the victim's plane.
    pub(in crate::ftl) fn take_back(
        &mut self,
        shared: &mut Shared,
        die: DieId,
        id: TransactionId,
        now: SimTime,
    ) {
        let is_outdated = shared.is_outdated(shared.transactions.get(id));
        shared.queues.leave(&mut shared.transactions, die, id, now);
        if !is_outdated {
            return self.send_home(shared, id, now);
        }
        let dropped = shared.transactions.remove(id);
        if dropped.purpose == Purpose::GcWrite {
            self.destinations.end(dropped.plane);
            self.move_dropped(shared, &dropped);
        }
        shared.move_ended(dropped.collected, true);
    }

    fn send_home(&mut self, shared: &mut Shared, id: TransactionId, now: SimTime) {
        let moved = shared.transactions.get_mut(id);
        let (left, home) = (moved.plane, moved.collected);
        moved.plane = home;
        self.destinations.end(left);
        self.destinations.join(home);
        shared.enqueue(id, now);
    }

    /// Returns true if a page may be allocated to a write now. A move to another plane must wait while that
    /// plane accepts no pages of other planes.
    pub(in crate::ftl) fn may_take_page(&self, shared: &Shared, write: &Transaction) -> bool {
        let Shared { space, translation, .. } = shared;
        space.may_take_page(write.plane, space.stream_of(write))
            && self.destinations.may_program(space, &translation.addresses, write)
    }

    /// Returns the plane to which a page in the page register of a die may be copied directly. The policy
    /// chooses among the planes for which `can` returns true and whose dies have no queued transactions.
    pub(in crate::ftl) fn copy_destination(
        &mut self,
        shared: &Shared,
        read: TransactionId,
        can: impl Fn(DieId) -> bool,
    ) -> Option<PlaneId> {
        let read = shared.transactions.get(read);
        if !self.destinations.leave() || shared.is_outdated(read) {
            return None;
        }
        let Shared { space, translation, queues, .. } = shared;
        let has_room = |plane| space.may_take_page(plane, WriteStream::Guest);
        self.destinations.choose(space, translation, read, |plane, die| {
            !queues.waits_for(die) && can(die) && has_room(plane)
        })
    }

    /// Starts the copy of a page from a die's page register to `plane` on another chip. Returns the
    /// transaction of the write.
    pub(in crate::ftl) fn start_copy(
        &mut self,
        shared: &mut Shared,
        read: TransactionId,
        plane: PlaneId,
    ) -> TransactionId {
        let write = Transaction { purpose: Purpose::GcWrite, plane, ..*shared.transactions.get(read) };
        shared.stats.copied_between_chips();
        self.destinations.join(plane);
        shared.transactions.insert(write)
    }

    /// Processes the end of the program of a moved page, which ends the move.
    pub(in crate::ftl) fn programmed(
        &mut self,
        shared: &mut Shared,
        done: &Transaction,
        ppn: Ppn,
        now: SimTime,
    ) {
        shared.stats.program_ended(None, ppn);
        shared.space.blocks.program_ended(done.plane, ppn);
        self.destinations.end(done.plane);
        shared.move_ended(done.collected, false);
        self.order_moves(shared, done.collected, now);
        if done.plane != done.collected {
            shared.check_free_blocks(done.plane);
        }
    }

    /// Queues the erase of the victim once all moves have ended and no read of the victim is in flight. A victim
    /// whose garbage collection was stopped is not erased.
    pub(in crate::ftl) fn erase_if_empty(&self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        if shared.parity.is_some() {
            return self.erase_line_if_empty(shared, now);
        }
        self.erase_block_if_empty(shared, plane, now);
    }

    /// Queues the erase of one block as [`Self::erase_if_empty`] does.
    pub(super) fn erase_block_if_empty(&self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        let Shared { space, .. } = shared;
        let Some(collection) = &mut space.blocks.planes[plane].collection else { return };
        let (victim, is_over) = (collection.victim, collection.unfinished == 0 && !collection.erasing);
        if is_over && collection.is_stopped {
            return self.end_stopped(shared, plane, now);
        }
        if !is_over || space.blocks.table[victim].pending_reads > 0 {
            return;
        }
        if let Some(collection) = &mut space.blocks.planes[plane].collection {
            collection.erasing = true;
        }
        let id = shared.transactions.insert(Transaction {
            page: PageState::At { ppn: self.geometry.ppn(victim, 0), is_pinned: false },
            ..Transaction::new(Purpose::GcErase, plane, StageClock::start(now))
        });
        shared.queues.join_erase(&mut shared.transactions, id);
    }

    /// Ends the GC whose victim has been erased, and starts the next one if needed.
    pub(in crate::ftl) fn erased(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        victim: BlockId,
        now: SimTime,
    ) {
        shared.stats.erased(victim);
        if let Some((next, cause)) = self.end(&mut shared.space, plane, victim) {
            self.collect(shared, plane, next, cause, now);
        }
        // A write that can now be allocated a page may itself start the next GC.
        self.leave_room_tasks(shared, plane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::collector::GcTrigger;
    use crate::ftl::gc_destination::GcDestination;
    use crate::ftl::settings::{FtlSettings, PageAllocation};
    use crate::ftl::shared::bench::Bench;
    use crate::ftl::space::Collection;

    const P0: PlaneId = PlaneId(0);
    const P1: PlaneId = PlaneId(1);
    const VICTIM: BlockId = BlockId(0);

    /// Creates chips, each with one plane, and their collector. The first plane has two full blocks, the
    /// first of which contains logical pages 2 and 3.
    fn half_empty_block(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> (Bench, Collector) {
        let mut bench = Bench::new(chips, set);
        let home = |number| Lpn(number * chips).0;
        for number in [0, 1, 2, 3, 4, 5, 6, 7, 0, 1] {
            bench.fill(0, home(number), 1);
        }
        bench.shared.begin_audit();
        let collector = Collector::new(&bench.shared.geometry, &bench.settings);
        (bench, collector)
    }

    fn collect(bench: &mut Bench, collector: &mut Collector) {
        collector.collect(&mut bench.shared, P0, VICTIM, CollectionCause::Space, bench.now);
    }

    /// Starts and ends the first queued program of a die. Returns its transaction and its page.
    fn program(bench: &mut Bench, collector: &Collector, die: u32) -> (Transaction, Ppn) {
        let id = bench.take(die);
        let ppn = collector.start_program(&mut bench.shared, id);
        bench.shared.stats.program_starts(Purpose::GcWrite, ppn.0..ppn.0 + 1, 1, 1, collector.is_copyback());
        bench.shared.space.blocks.table.program_starts(bench.shared.geometry.block_of(ppn));
        (bench.shared.transactions.remove(id), ppn)
    }

    fn collection(bench: &Bench) -> Collection {
        bench.shared.space.blocks.planes[P0].collection.expect("a collection is in progress")
    }

    #[test]
    fn valid_pages_are_read_and_written_and_then_the_victim_is_erased() {
        let (mut bench, mut collector) = half_empty_block(1, |_| {});
        collect(&mut bench, &mut collector);
        assert_eq!(bench.work(0), [(Purpose::GcRead, Some(Lpn(2))), (Purpose::GcRead, Some(Lpn(3)))]);
        assert_eq!(bench.shared.transactions.get(bench.queued(0)[0]).bytes, 4096);
        for _ in 0..2 {
            let read = bench.end(0);
            collector.page_read(&mut bench.shared, &read, bench.now);
        }
        assert_eq!(bench.work(0), [(Purpose::GcWrite, Some(Lpn(2))), (Purpose::GcWrite, Some(Lpn(3)))]);
        for (lpn, unplaced) in [(2, 1), (3, 0)] {
            let (done, ppn) = program(&mut bench, &collector, 0);
            assert_eq!(bench.shared.translation.map.physical(Lpn(lpn)), Some(ppn));
            assert_eq!(bench.shared.geometry.block_of(ppn), BlockId(3), "moves have a block of their own");
            assert_eq!((collection(&bench).unplaced, collection(&bench).in_flight), (unplaced, unplaced + 1));
            collector.programmed(&mut bench.shared, &done, ppn, bench.now);
        }
        assert_eq!(bench.work(0), [(Purpose::GcErase, None)]);
        assert!(collection(&bench).erasing);
        assert_eq!(bench.tasks(), []);
        bench.end(0);
        bench.shared.stats.erase_begins(VICTIM);
        collector.erased(&mut bench.shared, P0, VICTIM, bench.now);
        assert_eq!(bench.tasks(), [Task::RoomFreed(P0)]);
        let plane = &bench.shared.space.blocks.planes[P0];
        assert_eq!((plane.collection.is_none(), plane.free_blocks()), (true, 5));
        let counters = bench.shared.stats.counters();
        assert_eq!((counters.gc_executions, counters.gc_moves, counters.erases), (1, 2, 1));
        assert_eq!(bench.shared.stats.audit_mut().and_then(|audit| audit.violation().cloned()), None);
    }

    #[test]
    fn no_more_moves_are_ordered_than_may_be_in_flight() {
        let (mut bench, mut collector) = half_empty_block(1, |settings| settings.gc_moves_in_flight = 1);
        collect(&mut bench, &mut collector);
        assert_eq!(bench.work(0), [(Purpose::GcRead, Some(Lpn(2)))]);
        collector.order_moves(&mut bench.shared, P0, bench.now);
        assert_eq!(bench.work(0).len(), 1);
        let read = bench.end(0);
        collector.page_read(&mut bench.shared, &read, bench.now);
        let (done, ppn) = program(&mut bench, &collector, 0);
        collector.programmed(&mut bench.shared, &done, ppn, bench.now);
        assert_eq!(bench.work(0), [(Purpose::GcRead, Some(Lpn(3)))]);
    }

    #[test]
    fn move_of_an_overwritten_page_is_taken_back() {
        let (mut bench, mut collector) = half_empty_block(1, |_| {});
        collect(&mut bench, &mut collector);
        bench.fill(0, 2, 1);
        let first = bench.queued(0)[0];
        collector.take_back(&mut bench.shared, DieId(0), first, bench.now);
        assert_eq!(bench.work(0), [(Purpose::GcRead, Some(Lpn(3)))]);
        assert_eq!(bench.tasks(), [Task::RoomFreed(P0), Task::OrderMoves(P0)]);
        let Collection { unplaced, unfinished, in_flight, .. } = collection(&bench);
        assert_eq!((unplaced, unfinished, in_flight), (1, 1, 1));
    }

    #[test]
    fn victim_is_erased_after_the_last_read_of_it() {
        let (mut bench, mut collector) = half_empty_block(1, |_| {});
        bench.fill(0, 2, 2);
        bench.shared.space.blocks.table.pin(VICTIM);
        collect(&mut bench, &mut collector);
        assert_eq!(bench.work(0), [], "a read holds the block");
        bench.shared.space.blocks.table.unpin(VICTIM);
        collector.erase_if_empty(&mut bench.shared, P0, bench.now);
        assert_eq!(bench.work(0), [(Purpose::GcErase, None)]);
        collector.erase_if_empty(&mut bench.shared, P0, bench.now);
        assert_eq!(bench.work(0).len(), 1, "it is erased once");
    }

    #[test]
    fn copyback_moves_a_page_by_one_command_without_transfer() {
        let (mut bench, mut collector) = half_empty_block(1, |settings| settings.gc_copyback = true);
        collect(&mut bench, &mut collector);
        assert_eq!(bench.work(0), [(Purpose::GcWrite, Some(Lpn(2))), (Purpose::GcWrite, Some(Lpn(3)))]);
        assert_eq!(bench.shared.transactions.get(bench.queued(0)[0]).bytes, 0);
        program(&mut bench, &collector, 0);
        assert_eq!(bench.shared.stats.counters().copybacks, 1);
    }

    #[test]
    fn plane_collects_with_fewer_free_blocks_than_the_threshold() {
        for (threshold, collects) in [(5, false), (6, true)] {
            let (mut bench, mut collector) =
                half_empty_block(1, |settings| settings.gc_start_free_blocks = threshold);
            // Creates enough invalid pages to free a block, so that GC starts before the host runs out of
            // free pages.
            bench.fill(0, 4, 2);
            collector.collect_if_short(&mut bench.shared, P0, bench.now);
            assert_eq!(bench.shared.space.blocks.planes[P0].collection.is_some(), collects, "{threshold}");
            assert_eq!(bench.shared.stats.counters().gc_executions, u64::from(collects));
        }
    }

    #[test]
    fn page_that_leaves_its_plane_frees_the_room_kept_for_it() {
        let (mut bench, mut collector) =
            half_empty_block(2, |settings| settings.gc_destination = GcDestination::LeastBusyPlane);
        collect(&mut bench, &mut collector);
        let before = bench.shared.space.blocks.planes[P0].committed_pages;
        let read = bench.end(0);
        collector.page_read(&mut bench.shared, &read, bench.now);
        assert_eq!(bench.work(1), [(Purpose::GcWrite, Some(Lpn(4)))]);
        let (done, ppn) = program(&mut bench, &collector, 1);
        assert_eq!(bench.shared.geometry.plane_of_page(ppn), P1);
        assert_eq!(bench.tasks(), [Task::RoomFreed(P0)]);
        let committed = [P0, P1].map(|plane| bench.shared.space.blocks.planes[plane].committed_pages);
        assert_eq!(committed, [before - 1, 1]);
        assert_eq!(bench.shared.stats.counters().moves_elsewhere, 1);
        bench.fill(1, 1, 1);
        bench.fill(1, 1, 1);
        collector.programmed(&mut bench.shared, &done, ppn, bench.now);
        let tasks = bench.tasks();
        assert_eq!((collection(&bench).unfinished, tasks), (1, vec![Task::Collect(P1)]), "P1 has less room");
    }

    #[test]
    fn move_without_room_goes_home() {
        let (mut bench, mut collector) =
            half_empty_block(2, |settings| settings.gc_destination = GcDestination::LeastBusyPlane);
        collect(&mut bench, &mut collector);
        let read = bench.end(0);
        collector.page_read(&mut bench.shared, &read, bench.now);
        let sent = bench.queued(1)[0];
        collector.take_back(&mut bench.shared, DieId(1), sent, bench.now);
        assert_eq!((bench.work(1), bench.shared.transactions.get(sent).plane), (Vec::new(), P0));
        assert_eq!(bench.work(0), [(Purpose::GcRead, Some(Lpn(6))), (Purpose::GcWrite, Some(Lpn(4)))]);
        assert_eq!((collection(&bench).unfinished, bench.tasks()), (2, Vec::new()));
    }

    #[test]
    fn page_is_copied_to_an_idle_die_that_can_take_it() {
        let (mut bench, mut collector) =
            half_empty_block(2, |settings| settings.gc_destination = GcDestination::LeastBusyPlane);
        collect(&mut bench, &mut collector);
        let read = bench.take(0);
        assert_eq!(collector.copy_destination(&bench.shared, read, |_| false), None);
        assert_eq!(collector.copy_destination(&bench.shared, read, |die| die == DieId(1)), Some(P1));
        let write = collector.start_copy(&mut bench.shared, read, P1);
        let copy = bench.shared.transactions.get(write);
        assert_eq!(
            (copy.purpose, copy.plane, copy.collected, copy.lpn),
            (Purpose::GcWrite, P1, P0, Some(Lpn(4)))
        );
        assert_eq!(bench.shared.stats.counters().copies_between_chips, 1);
        bench.fill(0, 4, 1);
        assert_eq!(collector.copy_destination(&bench.shared, read, |_| true), None, "it was overwritten");
    }

    #[test]
    fn early_move_has_its_page_when_the_old_one_was_read() {
        let (mut bench, mut collector) =
            half_empty_block(1, |settings| settings.page_allocation = PageAllocation::AtArrival);
        collect(&mut bench, &mut collector);
        let read = bench.end(0);
        collector.page_read(&mut bench.shared, &read, bench.now);
        let write = bench.queued(0)[1];
        let given = bench.shared.transactions.get(write).ppn();
        assert_eq!(bench.shared.translation.map.physical(Lpn(2)), given);
        assert_eq!(collector.start_program(&mut bench.shared, write), given.unwrap());
        bench.fill(0, 3, 1);
        let read = bench.end(0);
        collector.page_read(&mut bench.shared, &read, bench.now);
        assert_eq!(bench.tasks(), [Task::RoomFreed(P0), Task::OrderMoves(P0)], "the host has overwritten it");
    }

    #[test]
    fn move_taken_back_no_longer_counts_as_work_of_its_destination() {
        let mut bench = Bench::new(3, |settings| settings.gc_destination = GcDestination::LeastBusyPlane);
        for lpn in [0, 3, 6, 9, 12, 15, 18, 21, 0] {
            bench.fill(0, lpn, 1);
        }
        let mut collector = Collector::new(&bench.shared.geometry, &bench.settings);
        collect(&mut bench, &mut collector);
        let move_next = |bench: &mut Bench, collector: &mut Collector| {
            let read = bench.end(0);
            collector.page_read(&mut bench.shared, &read, bench.now);
        };
        move_next(&mut bench, &mut collector);
        move_next(&mut bench, &mut collector);
        let write_of = |lpn| vec![(Purpose::GcWrite, Some(Lpn(lpn)))];
        assert_eq!([1, 2].map(|die| bench.work(die)), [write_of(3), write_of(6)]);
        bench.fill(0, 6, 1);
        let outdated = bench.queued(2)[0];
        collector.take_back(&mut bench.shared, DieId(2), outdated, bench.now);
        assert_eq!(bench.tasks(), [Task::RoomFreed(P0), Task::OrderMoves(P0)]);
        move_next(&mut bench, &mut collector);
        let moved = [1, 2].map(|die| bench.work(die));
        assert_eq!(moved, [write_of(3), write_of(9)], "the die without work is next");
    }

    #[test]
    fn page_stays_in_its_plane_if_the_other_plane_has_no_free_page() {
        let (mut bench, mut collector) =
            half_empty_block(2, |settings| settings.gc_destination = GcDestination::LeastBusyPlane);
        for lpn in (0..28).map(|write| write % 14 * 2 + 1) {
            bench.fill(1, lpn, 1);
        }
        collect(&mut bench, &mut collector);
        let read = bench.end(0);
        let guest = Transaction { purpose: Purpose::GcWrite, plane: P1, ..read };
        assert!(!collector.may_take_page(&bench.shared, &guest));
        collector.page_read(&mut bench.shared, &read, bench.now);
        assert_eq!(bench.work(1), []);
        let stays = bench.queued(0)[1];
        assert!(collector.may_take_page(&bench.shared, bench.shared.transactions.get(stays)));
    }

    #[test]
    fn plane_collects_once_for_each_block_that_became_full() {
        for owed in [0, 1] {
            let (mut bench, mut collector) =
                half_empty_block(1, |settings| settings.gc_trigger = GcTrigger::FullBlock);
            bench.shared.space.blocks.planes[P0].owed_collections = owed;
            collector.collect_if_short(&mut bench.shared, P0, bench.now);
            let plane = &bench.shared.space.blocks.planes[P0];
            assert_eq!((plane.collection.is_some(), plane.owed_collections), (owed == 1, 0));
        }
    }
}
