//! Look-ups in the page map, with the reads and writes of a map that is stored on flash.
//!
//! # What it models
//! With `ftl.mapping = "ideal"`, all entries are in memory. With `"cached"`, [`DemandPaging`] holds a part of
//! the entries. The others are read from translation pages on flash, and dirty entries are written back.
//!
//! # How
//! A transaction whose look-up misses waits in the list of its translation page. After the page has been
//! read, the waiting transactions continue in the order of the list. All tasks of one transaction are
//! executed before the next transaction continues.

mod cached_table;
mod demand_paging;
mod host_buffer;

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{List, Purpose, Transaction};
use venice_requests::SECTOR_BYTES;

use super::settings::{FtlSettings, Mapping};
use super::shared::Shared;
use super::space::OpenBlockCounts;
use super::tasks::Task;
use super::translation::AddressSpace;

pub use cached_table::CachedTable;
use demand_paging::TranslationRead;
pub use demand_paging::{DemandPaging, StoredTable};
use host_buffer::HostBuffer;
pub use host_buffer::HostBufferSettings;

/// Look-ups of transactions in the page map, and write-backs of translation pages.
#[derive(Clone, Debug)]
pub(super) struct Mapper {
    /// Demand paging; `None` if the whole mapping table is in memory.
    pub(super) paging: Option<DemandPaging>,
    /// Host memory buffer, if the drive has one.
    host_buffer: Option<Box<HostBuffer>>,
    /// Numbers of open blocks in a plane, which determine the write stream of each translation page.
    streams: OpenBlockCounts,
    /// True if translation pages are moved to a new physical page without being programmed. MQSim does this
    /// if pages are allocated when writes arrive.
    moves_without_program: bool,
    /// Transactions that can continue, since their translation page has been read. They have not been
    /// continued yet.
    woken: List,
}

impl Mapper {
    /// Creates the state of the mapping for an erased drive.
    pub(super) fn new(settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let paging = match settings.mapping {
            Mapping::Ideal => None,
            Mapping::Cached(cached) => Some(DemandPaging::new(cached, addresses)),
        };
        let is_read_only = paging.as_ref().is_some_and(|paging| !paging.writes_back());
        let host_pages = addresses.logical_pages();
        let host_buffer = settings.host_buffer.map(|buffer| Box::new(HostBuffer::new(buffer, host_pages)));
        Self {
            paging,
            host_buffer,
            streams: settings.streams(),
            moves_without_program: settings.page_allocation.is_early() && is_read_only,
            woken: List::default(),
        }
    }

    /// Looks up a logical page for a transaction. Returns true if its entry is in memory. Otherwise the
    /// transaction waits for the translation page.
    #[inline]
    pub(super) fn look_up(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        purpose: Purpose,
        lpn: Lpn,
    ) -> bool {
        shared.stats.looked_up(purpose);
        match &mut self.paging {
            None => true,
            Some(paging) => {
                shared.stats.look_ups[paging.range_of(lpn)].lookups += 1;
                paging.look_up(lpn) || self.miss(shared, id, purpose, lpn)
            }
        }
    }

    fn miss(&mut self, shared: &mut Shared, id: TransactionId, purpose: Purpose, lpn: Lpn) -> bool {
        let Some(paging) = &mut self.paging else { return true };
        shared.stats.missed(purpose);
        shared.stats.look_ups[paging.range_of(lpn)].misses += 1;
        let missed = paging.miss(lpn);
        let Some(read) = missed.read else {
            self.enter(shared, lpn, false);
            return true;
        };
        let evicted = paging.reserve_and_wait(&mut shared.transactions, id, lpn, missed);
        if let Some(page) = evicted {
            self.write_back_evicted(shared, page);
        }
        if read == TranslationRead::Wanted {
            let page = missed.page;
            let is_buffered = self.host_buffer.as_mut().map(|buffer| buffer.holds_or_inserts(lpn));
            if let Some(is_hit) = is_buffered {
                shared.stats.host_buffer_looked_up(is_hit);
            }
            shared.tasks.push(match is_buffered {
                Some(true) => Task::FetchMap(page),
                _ => Task::ReadMap { page, bytes: SECTOR_BYTES, writes_back: false },
            });
        }
        false
    }

    /// Creates the read of a translation page, which can proceed at once.
    pub(super) fn read_page(
        &mut self,
        shared: &mut Shared,
        page: Lpn,
        bytes: u32,
        writes_back: bool,
        now: SimTime,
    ) -> TransactionId {
        if let Some(paging) = &mut self.paging {
            paging.read_begins(page);
        }
        shared.insert_read(Transaction {
            lpn: Some(page),
            bytes,
            ..Transaction::new(Purpose::MappingRead { writes_back }, PlaneId(0), StageClock::start(now))
        })
    }

    /// Starts the read of an entry of a translation page from the host's memory.
    pub(super) fn fetch_page(&mut self, page: Lpn, now: SimTime) {
        if let (Some(paging), Some(buffer)) = (&mut self.paging, &mut self.host_buffer) {
            paging.read_begins(page);
            buffer.begin_read(page, now);
        }
    }

    /// Returns the instant at which [`Self::next_fetched`] must be called next, or `None` if this instant has
    /// already been returned.
    #[inline]
    pub(super) fn set_timer(&mut self) -> Option<SimTime> {
        self.host_buffer.as_mut()?.set_timer()
    }

    /// Removes and returns the translation page whose read from the host's memory has ended first.
    pub(super) fn next_fetched(&mut self, now: SimTime) -> Option<Lpn> {
        self.host_buffer.as_mut()?.next_ended(now)
    }

    /// Inserts an entry into the cached mapping table. `dirty` is true if the entry on flash is outdated.
    pub(super) fn enter(&mut self, shared: &mut Shared, lpn: Lpn, dirty: bool) {
        let Some(paging) = &mut self.paging else { return };
        if let Some(evicted) = paging.enter(lpn, dirty) {
            self.write_back_evicted(shared, evicted);
        }
    }

    /// Starts the write-back of the translation page that contains an evicted dirty entry.
    fn write_back_evicted(&mut self, shared: &mut Shared, evicted: Lpn) {
        shared.stats.write_back_wanted();
        let Some(paging) = &mut self.paging else { return };
        let page_bytes = shared.geometry.page_bytes;
        if let Some(bytes) = paging.begin_write_back(evicted, page_bytes) {
            let page = paging.translation_page(evicted);
            shared.tasks.push(Task::ReadMap { page, bytes, writes_back: true });
            if self.moves_without_program {
                shared.tasks.push(Task::MoveMap(page));
            }
        }
    }

    /// Allocates a physical page to every full translation page before the run. Used if translation pages are
    /// not programmed.
    pub(super) fn place_full_pages(&self, shared: &mut Shared) {
        let Some(paging) = self.paging.as_ref().filter(|_| self.moves_without_program) else { return };
        for page in 0..paging.full_pages() {
            shared.tasks.push(Task::MoveMap(Lpn(shared.translation.host_pages() + page)));
        }
    }

    /// Allocates a new physical page to a translation page without simulating its program. Does nothing if no
    /// page is free.
    pub(super) fn move_without_program(&self, shared: &mut Shared, page: Lpn) {
        let (plane, _) = shared.translation.addresses.place(page);
        let stream = self.streams.of_map(shared.translation.range_of(page));
        let Some(ppn) = shared.space.blocks.allocate_written(plane, stream) else { return };
        shared.stats.unwritten_page_mapped(page, ppn);
        shared.remap(page, ppn);
        shared.check_free_blocks(plane);
    }

    /// Processes the end of the read of a translation page. [`Self::next_woken`] returns the transactions that
    /// waited for the page. If the page was read for a write-back, its program is queued.
    pub(super) fn page_read(&mut self, shared: &mut Shared, page: Lpn, writes_back: bool, now: SimTime) {
        let Some(paging) = &mut self.paging else { return };
        let programs = paging.writes_back();
        debug_assert!(self.woken.first().is_none(), "the transactions of the last page have gone on");
        self.woken = paging.read_ended(page);
        if writes_back && programs {
            self.write_back(shared, page, now);
        }
    }

    /// Removes and returns the next transaction that waited for the translation page that was read last, and
    /// can proceed now. `conflicted` is true if this read had to wait for a path.
    pub(super) fn next_woken(
        &mut self,
        shared: &mut Shared,
        conflicted: bool,
        now: SimTime,
    ) -> Option<TransactionId> {
        let id = self.woken.pop(&mut shared.transactions)?;
        let transaction = shared.transactions.get_mut(id);
        transaction.clock.charge(Stage::Mapping, now);
        transaction.conflicted |= conflicted;
        let lpn = transaction.lpn.expect("only transactions of a logical page look it up");
        self.enter(shared, lpn, false);
        Some(id)
    }

    fn write_back(&mut self, shared: &mut Shared, page: Lpn, now: SimTime) {
        if let Some(paging) = &mut self.paging {
            paging.program_ordered(page);
        }
        let plane = shared.translation.addresses.place(page).0;
        let id = shared.transactions.insert(Transaction {
            lpn: Some(page),
            bytes: shared.geometry.page_bytes,
            ..Transaction::new(Purpose::MappingWrite, plane, StageClock::start(now))
        });
        shared.tasks.push(Task::PlaceMapWrite(id));
    }

    /// Records that the program of a translation page has started. Entries that change later need another
    /// program.
    pub(super) fn program_started(&mut self, page: Lpn) {
        if let Some(paging) = &mut self.paging {
            paging.program_started(page);
        }
    }

    /// Processes the end of the program of a translation page. If entries have changed since it started,
    /// another program is queued.
    pub(super) fn program_ended(&mut self, shared: &mut Shared, done: &Transaction, page: Lpn, now: SimTime) {
        if let Some(ppn) = done.ppn() {
            shared.space.blocks.program_ended(done.plane, ppn);
            shared.stats.program_ended(Some(page), ppn);
        }
        self.written_back(shared, page, now);
        shared.check_free_blocks(done.plane);
    }

    /// Processes the end of a program that wrote several translation pages into one physical page.
    pub(super) fn pages_programmed(
        &mut self,
        shared: &mut Shared,
        units: List,
        done: &Transaction,
        ppn: Ppn,
        now: SimTime,
    ) {
        shared.space.blocks.program_ended(done.plane, ppn);
        shared.stats.page_program_ended(shared.units.slots_of_program(ppn));
        let mut next = units.first();
        while let Some(unit) = next {
            next = shared.transactions.after(unit);
            let written = shared.transactions.remove(unit);
            if let (Some(page), Some(slot)) = (written.lpn, written.ppn()) {
                shared.stats.program_ended(Some(page), slot);
                self.written_back(shared, page, now);
            }
        }
        shared.check_free_blocks(done.plane);
    }

    /// Ends the write-back of a translation page. If entries have changed since its program started, another
    /// program is queued.
    fn written_back(&mut self, shared: &mut Shared, page: Lpn, now: SimTime) {
        if let Some(paging) = &mut self.paging
            && paging.program_ended(page)
        {
            self.write_back(shared, page, now);
        }
    }

    /// Marks the entry of a page as dirty, after garbage collection has moved the page.
    pub(super) fn page_moved(&mut self, lpn: Lpn) {
        if let Some(paging) = &mut self.paging {
            paging.moved(lpn);
        }
    }

    /// Returns the number of table entries available to each of `ranges` address ranges, or `None` if the
    /// whole mapping table is in memory.
    pub(super) fn entries_of_one_range(&self, ranges: u32) -> Option<u32> {
        self.paging.as_ref().map(|paging| paging.entries_for_one_of(ranges))
    }

    /// Inserts the entries of the logical pages `pages` into the cached mapping table before the run.
    pub(super) fn warm(&mut self, pages: &[Lpn]) {
        let Some(paging) = &mut self.paging else { return };
        for &lpn in pages {
            paging.enter(lpn, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{Ppn, RequestId};
    use venice_nand::transactions::{Origin, PageState};

    use super::*;
    use crate::ftl::settings::{CachedMapping, MappingWriteBack, PageAllocation, TableSharing};
    use crate::ftl::shared::bench::Bench;

    /// Creates a mapper whose cached table has two entries. A translation page has four entries.
    fn paged(write_back: MappingWriteBack, page_allocation: PageAllocation) -> (Bench, Mapper) {
        let bench = Bench::new(1, |settings| {
            settings.page_allocation = page_allocation;
            settings.mapping = Mapping::Cached(CachedMapping {
                table_entries: 2,
                entries_per_page: 4,
                page_entry_bytes: 8,
                write_back,
                sharing: TableSharing::Shared,
            });
        });
        let mapper = Mapper::new(&bench.settings, &bench.shared.translation.addresses);
        (bench, mapper)
    }

    fn flash() -> (Bench, Mapper) {
        paged(MappingWriteBack::Flash, PageAllocation::AtStart)
    }

    const READ: Purpose = Purpose::HostRead(Origin::Request(RequestId(0)));

    fn read_of(bench: &mut Bench, lpn: u32) -> TransactionId {
        let clock = StageClock::start(bench.now);
        bench
            .shared
            .transactions
            .insert(Transaction { lpn: Some(Lpn(lpn)), ..Transaction::new(READ, PlaneId(0), clock) })
    }

    fn translation_page(bench: &Bench, number: u32) -> Lpn {
        Lpn(bench.shared.translation.host_pages() + number)
    }

    fn read_map(page: Lpn, bytes: u32, writes_back: bool) -> Task {
        Task::ReadMap { page, bytes, writes_back }
    }

    #[test]
    fn ideal_map_answers_at_once() {
        let mut bench = Bench::new(1, |_| {});
        let mut mapper = Mapper::new(&bench.settings, &bench.shared.translation.addresses);
        let read = read_of(&mut bench, 3);
        assert!(mapper.look_up(&mut bench.shared, read, READ, Lpn(3)));
        assert_eq!(bench.tasks(), []);
        let counters = *bench.shared.stats.counters();
        assert_eq!((counters.map_lookups, counters.map_read_lookups, counters.map_misses), (1, 1, 0));
        assert!(bench.shared.stats.look_ups.is_empty());
    }

    #[test]
    fn misses_of_one_translation_page_share_a_read_and_go_on_in_order() {
        let (mut bench, mut mapper) = flash();
        let page = translation_page(&bench, 0);
        let waiting = [0, 3].map(|lpn| read_of(&mut bench, lpn));
        assert!(!mapper.look_up(&mut bench.shared, waiting[0], READ, Lpn(0)));
        assert_eq!(bench.tasks(), [read_map(page, SECTOR_BYTES, false)]);
        let ordered = mapper.read_page(&mut bench.shared, page, SECTOR_BYTES, false, bench.now);
        assert!(!mapper.look_up(&mut bench.shared, waiting[1], READ, Lpn(3)));
        assert_eq!(bench.tasks(), [], "the page is being read");
        let look_ups = bench.shared.stats.look_ups[0];
        assert_eq!((look_ups.lookups, look_ups.misses), (2, 2));

        let read = *bench.shared.transactions.get(ordered);
        assert_eq!((read.lpn, read.bytes), (Some(page), SECTOR_BYTES));
        assert_eq!(read.purpose, Purpose::MappingRead { writes_back: false });

        bench.wait_us(3);
        mapper.page_read(&mut bench.shared, page, false, bench.now);
        for id in waiting {
            assert_eq!(mapper.next_woken(&mut bench.shared, true, bench.now), Some(id));
            let woken = bench.shared.transactions.get(id);
            assert!(woken.conflicted);
            assert_eq!(woken.clock.spans[Stage::Mapping as usize], bench.now.since(SimTime::ZERO));
        }
        assert_eq!(mapper.next_woken(&mut bench.shared, true, bench.now), None, "nothing waits any more");
        assert_eq!(bench.tasks(), []);
        let again = read_of(&mut bench, 3);
        assert!(mapper.look_up(&mut bench.shared, again, READ, Lpn(3)), "its entry is in the table");
    }

    #[test]
    fn clean_entry_leaves_without_a_write_back_and_a_dirty_one_with() {
        let (mut bench, mut mapper) = flash();
        let page_bytes = bench.shared.geometry.page_bytes;
        for lpn in [0, 4, 8] {
            mapper.enter(&mut bench.shared, Lpn(lpn), false);
        }
        assert_eq!(bench.tasks(), []);
        mapper.enter(&mut bench.shared, Lpn(12), true);
        mapper.enter(&mut bench.shared, Lpn(13), false);
        assert_eq!(bench.tasks(), []);
        mapper.enter(&mut bench.shared, Lpn(4), false);
        let page = translation_page(&bench, 3);
        assert_eq!(bench.tasks(), [read_map(page, page_bytes, true)]);
        assert_eq!(bench.shared.stats.counters().mapping_write_backs, 1);
    }

    #[test]
    fn write_back_programs_the_page_again_if_entries_have_changed() {
        let (mut bench, mut mapper) = flash();
        let page = translation_page(&bench, 0);
        for (lpn, dirty) in [(0, true), (4, false), (8, false)] {
            mapper.enter(&mut bench.shared, Lpn(lpn), dirty);
        }
        bench.tasks();
        mapper.page_read(&mut bench.shared, page, true, bench.now);
        let tasks = bench.tasks();
        let [Task::PlaceMapWrite(id)] = tasks[..] else { panic!("{tasks:?}") };
        let write = *bench.shared.transactions.get(id);
        assert_eq!((write.purpose, write.lpn, write.bytes), (Purpose::MappingWrite, Some(page), 4096));

        mapper.program_started(page);
        for (lpn, dirty) in [(1, true), (4, false), (8, false)] {
            mapper.enter(&mut bench.shared, Lpn(lpn), dirty);
        }
        assert_eq!(bench.tasks(), [], "the evicted entry waits for the program");
        let (ppn, turn) = bench
            .shared
            .space
            .blocks
            .allocate(write.plane, crate::ftl::space::WriteStream::Mapping(0))
            .unwrap();
        bench.shared.stats.mapping_page_given(page, ppn);
        bench.shared.stats.program_starts(Purpose::MappingWrite, ppn.0..ppn.0 + 1, 1, 1, false);
        let done = Transaction { page: PageState::Given { ppn, turn, waits_for_read: false }, ..write };
        mapper.program_ended(&mut bench.shared, &done, page, bench.now);
        let tasks = bench.tasks();
        assert!(matches!(tasks[..], [Task::PlaceMapWrite(_), Task::Collect(PlaneId(0))]), "{tasks:?}");
        assert_eq!(bench.shared.space.blocks.planes[write.plane].pending_programs, 0);
        mapper.program_started(page);
        mapper.program_ended(
            &mut bench.shared,
            &Transaction { page: PageState::Unknown, ..write },
            page,
            bench.now,
        );
        assert_eq!(bench.tasks(), []);
    }

    #[test]
    fn read_only_write_back_reads_known_sectors_and_moves_the_page() {
        let (mut bench, mut mapper) = paged(MappingWriteBack::ReadOnly, PageAllocation::AtArrival);
        let page = translation_page(&bench, 0);
        mapper.enter(&mut bench.shared, Lpn(0), true);
        mapper.enter(&mut bench.shared, Lpn(1), false);
        mapper.enter(&mut bench.shared, Lpn(4), false);
        assert_eq!(bench.tasks(), [read_map(page, SECTOR_BYTES, true), Task::MoveMap(page)]);
        mapper.move_without_program(&mut bench.shared, page);
        assert_eq!(bench.shared.translation.map.physical(page), Some(Ppn(0)));
        assert_eq!(bench.shared.space.blocks.planes[PlaneId(0)].pending_programs, 0);
        mapper.move_without_program(&mut bench.shared, page);
        assert_eq!(bench.shared.translation.map.physical(page), Some(Ppn(1)));
        assert_eq!(bench.tasks(), [Task::Collect(PlaneId(0))], "its old page is invalid");
        mapper.page_read(&mut bench.shared, page, true, bench.now);
        assert_eq!(bench.tasks(), [], "it is not programmed");
    }

    #[test]
    fn full_translation_pages_are_placed_before_the_run_where_they_move_without_a_program() {
        for (write_back, allocation, placed) in [
            (MappingWriteBack::ReadOnly, PageAllocation::AtArrival, true),
            (MappingWriteBack::ReadOnly, PageAllocation::AtStart, false),
            (MappingWriteBack::Flash, PageAllocation::AtArrival, false),
        ] {
            let (mut bench, mapper) = paged(write_back, allocation);
            mapper.place_full_pages(&mut bench.shared);
            let pages = if placed { bench.shared.translation.host_pages() / 4 } else { 0 };
            let all: Vec<_> = (0..pages).map(|page| Task::MoveMap(translation_page(&bench, page))).collect();
            assert_eq!(bench.tasks(), all);
        }
    }

    #[test]
    fn page_moved_makes_a_present_entry_dirty() {
        let (mut bench, mut mapper) = flash();
        mapper.enter(&mut bench.shared, Lpn(0), false);
        mapper.page_moved(Lpn(0));
        mapper.page_moved(Lpn(9));
        for lpn in [4, 8] {
            mapper.enter(&mut bench.shared, Lpn(lpn), false);
        }
        let bytes = bench.shared.geometry.page_bytes;
        let page = translation_page(&bench, 0);
        assert_eq!(bench.tasks(), [read_map(page, bytes, true)]);
    }

    #[test]
    fn warm_entries_are_in_the_table() {
        let (mut bench, mut mapper) = flash();
        assert_eq!(mapper.entries_of_one_range(2), Some(1));
        mapper.warm(&[Lpn(5), Lpn(6)]);
        let read = read_of(&mut bench, 5);
        assert!(mapper.look_up(&mut bench.shared, read, READ, Lpn(5)));
        assert_eq!(bench.shared.stats.look_ups[0].misses, 0);
    }
}
