//! Demand-paged mapping: entries of the map that are not in the cached table are read from flash.
//!
//! # What it models
//! A controller whose memory holds only a part of the page map. A look-up that misses reads the translation
//! page that contains the entry. Dirty entries are written back when they are evicted.
//!
//! # How
//! The map is divided into translation pages, each for logical pages of one address range. The locations of
//! translation pages are always in memory. Translation pages have logical page numbers after those of the
//! host. The page map, garbage collection (GC) and the audit treat them like other pages, but host writes do
//! not share a block with them as long as there are free blocks. A translation page that was not written in
//! this run is read from the location that static allocation determines.
//!
//! A miss reads one sector of the translation page, with precedence over host reads. Further misses on the
//! same page wait for the same read. The entry is then inserted into the table, and the least recently used
//! one is evicted. If the evicted entry is dirty, all dirty entries of its translation page are written back:
//! the whole page is read, changed, and programmed elsewhere. From the end of this read to the end of the
//! program, the page is in the controller's memory, and misses on it need no read. A host write makes its
//! entry dirty when its program starts; this needs no read.
//!
//! # What is left out
//! The cost of map updates of pages moved by GC. The entry of such a page becomes dirty if it is in the
//! table; otherwise the update costs nothing. Real controllers write these changes back in batches.
//!
//! # Sharing
//! Address ranges share one table, have equal parts of one table, or have a table of the full size each.
//! MQSim has only the last two: its `EQUAL_PARTITIONING` divides one table, and its `SHARED` creates a table
//! for each flow.
//!
//! # Source
//! Gupta, Kim, Urgaonkar, "DFTL: a flash translation layer employing demand-based selective caching of
//! page-level address mappings", ASPLOS 2009; Tavakkol et al., "MQSim", FAST 2018,
//! `Address_Mapping_Unit_Page_Level`. With `ftl.mapping_writeback = "read_only"`, write-backs work as in
//! MQSim:
//!
//! - A write-back reads the sectors for which the table has clean entries, if any, and programs nothing. From
//!   then on the page stays in memory.
//! - Entries that are written back together with an evicted one count as used.
//! - A translation page that is not full is in memory from the start.
//! - If physical pages are allocated when writes arrive, all full translation pages have a location from the
//!   start, and a write-back gives them a new one.
//!
//! # Parameters
//! `ftl.mapping`, `ftl.mapping_table_bytes`, `ftl.mapping_table_sharing`, `ftl.mapping_table_entry_bytes`,
//! `ftl.mapping_page_entry_bytes`, `ftl.mapping_writeback`

use std::hint::black_box;
use std::ops::Range;

use venice_nand::geometry::{Lpn, TransactionId, quotient};
use venice_nand::transactions::{List, Purpose, Transactions};
use venice_requests::SECTOR_BYTES;

use serde::{Deserialize, Serialize};

use super::cached_table::{CachedTable, ReservedEntry};
use crate::ftl::settings::{CachedMapping, MappingWriteBack, TableSharing};
use crate::ftl::translation::AddressSpace;

/// Progress of the write-back of a translation page (a flash page with map entries).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WriteBack {
    /// No write-back of the page is in progress.
    #[default]
    None,
    /// The old contents of the page are being read.
    Reading,
    /// The new contents of the page wait to be programmed.
    Queued,
    /// The new contents of the page are being programmed. `again` is true if entries have changed since the
    /// program started.
    Programming { again: bool },
    /// The contents of the page stay in memory for the rest of the run. Used only if write-backs are not
    /// programmed.
    Kept,
}

/// State of a translation page (a flash page with map entries).
#[derive(Clone, Copy, Debug, Default)]
struct TranslationPage {
    /// True if a read of the page is queued or in progress.
    being_read: bool,
    write_back: WriteBack,
    /// Transactions that wait for the read of the page, in the order in which they will continue.
    waiting: List,
}

/// Contents of the cached mapping table in a state file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredTable {
    /// Logical pages of the entries, the least recently used first. The flag is true if the entry is dirty.
    entries: Vec<(u32, bool)>,
    /// For each translation page, true if its contents stay in memory.
    kept: Vec<bool>,
}

/// Progress of the read of a translation page for which a missed look-up waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslationRead {
    /// The read of the translation page has not been queued yet.
    Wanted,
    /// The read of the translation page is queued or in progress.
    UnderWay,
}

/// Look-up of an entry that is not in the cached mapping table.
#[derive(Clone, Copy, Debug)]
pub struct MissedLookUp {
    /// Translation page that contains the entry, numbered as a logical page.
    pub page: Lpn,
    /// State of the read of the translation page; `None` if the page is in memory.
    pub read: Option<TranslationRead>,
}

/// Range of logical pages with their own translation pages, and the number of the first translation page.
#[derive(Clone, Debug)]
struct MapRange {
    pages: Range<u32>,
    first_translation_page: u32,
}

/// Demand-paged mapping: the cached tables, and the state of each translation page.
#[derive(Clone, Debug)]
pub struct DemandPaging {
    settings: CachedMapping,
    host_pages: u32,
    ranges: Vec<MapRange>,
    /// Cached tables: a shared one, or one for each address range.
    tables: Vec<CachedTable>,
    pages: Vec<TranslationPage>,
}

impl DemandPaging {
    /// Creates empty tables for the address ranges of `space`.
    pub fn new(settings: CachedMapping, space: &AddressSpace) -> Self {
        let ranges = space.ranges().zip(space.map_ranges());
        let ranges = ranges.map(|(pages, map)| MapRange { pages, first_translation_page: map.start });
        let mut paging = Self {
            ranges: ranges.collect(),
            tables: tables(&settings, space),
            pages: vec![TranslationPage::default(); space.map_pages() as usize],
            settings,
            host_pages: space.logical_pages(),
        };
        if settings.write_back == MappingWriteBack::ReadOnly {
            // The last translation page of a range is in memory from the start if it is not full.
            for page in 0..paging.pages.len() {
                if paging.described(page).len() < paging.settings.entries_per_page as usize {
                    paging.pages[page].write_back = WriteBack::Kept;
                }
            }
        }
        paging
    }

    /// Returns the contents for a state file. No transaction may be in flight.
    pub fn store(&self) -> StoredTable {
        let is_kept = |page: &TranslationPage| page.write_back == WriteBack::Kept;
        StoredTable {
            entries: self
                .tables
                .iter()
                .flat_map(CachedTable::by_age)
                .map(|(lpn, dirty)| (lpn.0, dirty))
                .collect(),
            kept: self.pages.iter().map(is_kept).collect(),
        }
    }

    /// Fills an empty table from a state file. Returns false if the table in the file has another size.
    pub fn restore(&mut self, stored: &StoredTable) -> bool {
        let fits = stored.kept.len() == self.pages.len()
            && stored.entries.len() <= self.entries() as usize * self.tables.len()
            && stored.entries.iter().all(|&(lpn, _)| lpn < self.host_pages);
        if fits {
            for &(lpn, dirty) in &stored.entries {
                self.enter(Lpn(lpn), dirty);
            }
            for (page, _) in self.pages.iter_mut().zip(&stored.kept).filter(|(_, kept)| **kept) {
                page.write_back = WriteBack::Kept;
            }
        }
        fits
    }

    /// Returns the configured number of entries. With [`TableSharing::Whole`], each address range has a table
    /// with this number of entries. Otherwise, all tables together have it.
    pub fn entries(&self) -> u32 {
        self.settings.table_entries
    }

    /// Returns the number of table entries available to each flow, if `flows` flows use the drive.
    pub fn entries_for_one_of(&self, flows: u32) -> u32 {
        match self.settings.sharing {
            TableSharing::Whole => self.settings.table_entries,
            TableSharing::Shared | TableSharing::Equal => self.settings.table_entries / flows,
        }
    }

    /// Returns the address range of a host page.
    #[inline]
    pub fn range_of(&self, lpn: Lpn) -> usize {
        if self.ranges.len() == 1 {
            return 0;
        }
        self.ranges.partition_point(|range| range.pages.start <= lpn.0) - 1
    }

    #[inline]
    fn table_of(&mut self, lpn: Lpn) -> &mut CachedTable {
        let table = if self.tables.len() == 1 { 0 } else { self.range_of(lpn) };
        &mut self.tables[table]
    }

    fn page_of(&self, lpn: Lpn) -> usize {
        let range = &self.ranges[self.range_of(lpn)];
        let page = quotient(lpn.0 - range.pages.start, self.settings.entries_per_page);
        (range.first_translation_page + page) as usize
    }

    /// Returns the range of logical pages whose entries are in the translation page `page`.
    fn described(&self, page: usize) -> Range<u32> {
        let range = match self.ranges.len() {
            1 => 0,
            _ => self.ranges.partition_point(|range| range.first_translation_page as usize <= page) - 1,
        };
        let MapRange { pages, first_translation_page } = &self.ranges[range];
        let entries = self.settings.entries_per_page;
        let first = pages.start + (page as u32 - first_translation_page) * entries;
        first..(first + entries).min(pages.end)
    }

    fn state(&mut self, translation_page: Lpn) -> &mut TranslationPage {
        &mut self.pages[(translation_page.0 - self.host_pages) as usize]
    }

    /// Returns the translation pages that contain the entries of the host pages `lpns`. Also prefetches the
    /// states of the translation pages into the CPU cache, to speed up the simulation.
    pub fn prefetch<'a>(&'a self, lpns: &'a [Lpn]) -> impl Iterator<Item = Lpn> + 'a {
        lpns.iter().map(|&lpn| {
            let page = self.page_of(lpn);
            black_box(self.pages[page].being_read);
            Lpn(self.host_pages + page as u32)
        })
    }

    /// Looks up an entry. Returns true if the table contains it.
    #[inline]
    pub fn look_up(&mut self, lpn: Lpn) -> bool {
        self.table_of(lpn).touch(lpn)
    }

    /// Returns the translation page of an entry that is not in the table, and the progress of the read of
    /// this page.
    pub fn miss(&mut self, lpn: Lpn) -> MissedLookUp {
        let page = self.page_of(lpn);
        let read = match self.pages[page] {
            TranslationPage { being_read: true, .. }
            | TranslationPage { write_back: WriteBack::Reading, .. } => Some(TranslationRead::UnderWay),
            TranslationPage { write_back: WriteBack::None, .. } => Some(TranslationRead::Wanted),
            _ => None,
        };
        MissedLookUp { page: Lpn(self.host_pages + page as u32), read }
    }

    /// Reserves an entry for a transaction, and makes the transaction wait for the translation page. Returns
    /// the dirty entry that was evicted for it, if any.
    pub fn reserve_and_wait(
        &mut self,
        all: &mut Transactions,
        id: TransactionId,
        lpn: Lpn,
        missed: MissedLookUp,
    ) -> Option<Lpn> {
        let page = missed.page.0 - self.host_pages;
        let ReservedEntry { was_awaited, evicted } = self.table_of(lpn).reserve(lpn, page);
        let joins = was_awaited && !self.writes_back();
        let state = self.state(missed.page);
        let before = if joins { last_to_precede(&state.waiting, all, id) } else { state.waiting.last() };
        state.waiting.insert(all, before, id);
        evicted
    }

    /// Records that a read of a translation page has been queued.
    pub fn read_begins(&mut self, page: Lpn) {
        self.state(page).being_read = true;
    }

    /// Processes the end of the read of a translation page. Returns the transactions that waited for it.
    pub fn read_ended(&mut self, page: Lpn) -> List {
        let state = self.state(page);
        state.being_read = false;
        std::mem::take(&mut state.waiting)
    }

    /// Inserts an entry into the cached mapping table. Returns the logical page of the dirty entry that was
    /// evicted, if any.
    pub fn enter(&mut self, lpn: Lpn, dirty: bool) -> Option<Lpn> {
        let page = self.page_of(lpn) as u32;
        self.table_of(lpn).insert(lpn, page, dirty)
    }

    /// Marks the entry of a page as dirty, after garbage collection has moved the page. Translation pages,
    /// which have no entry, are ignored.
    pub fn moved(&mut self, lpn: Lpn) {
        if lpn.0 < self.host_pages {
            self.table_of(lpn).change(lpn, true);
        }
    }

    /// Returns true if a write-back programs the translation page, false if it only reads the page.
    pub fn writes_back(&self) -> bool {
        self.settings.write_back == MappingWriteBack::Flash
    }

    /// Returns the number of translation pages in which every entry is used.
    pub const fn full_pages(&self) -> u32 {
        self.host_pages / self.settings.entries_per_page
    }

    /// Records that the program of a translation page has been queued.
    pub fn program_ordered(&mut self, page: Lpn) {
        self.state(page).write_back = WriteBack::Queued;
    }

    /// Records that the program of a translation page has started. Entries that change later need another
    /// program.
    pub fn program_started(&mut self, page: Lpn) {
        self.state(page).write_back = WriteBack::Programming { again: false };
    }

    /// Processes the end of the program of a translation page. Returns true if another program is needed.
    pub fn program_ended(&mut self, page: Lpn) -> bool {
        let before = std::mem::take(&mut self.state(page).write_back);
        before == WriteBack::Programming { again: true }
    }

    /// Returns the translation page that contains the entry of a logical page.
    pub fn translation_page(&self, lpn: Lpn) -> Lpn {
        Lpn(self.host_pages + self.page_of(lpn) as u32)
    }

    /// Starts the write-back of the [translation page](Self::translation_page) that contains an evicted dirty
    /// entry. Returns the number of bytes to be read, or `None` if no read is needed.
    pub fn begin_write_back(&mut self, evicted: Lpn, page_bytes: u32) -> Option<u32> {
        let page = self.page_of(evicted);
        let real = self.writes_back();
        let known_sectors = self.clean(page);
        let state = &mut self.pages[page].write_back;
        let (next, read) = match *state {
            _ if !real => (WriteBack::Kept, true),
            WriteBack::None => (WriteBack::Reading, true),
            WriteBack::Programming { .. } => (WriteBack::Programming { again: true }, false),
            before => (before, false),
        };
        *state = next;
        let bytes = if real { page_bytes } else { known_sectors * SECTOR_BYTES };
        read.then_some(bytes)
    }

    /// Marks all entries of a translation page as clean. For a write-back as in MQSim, returns the number of
    /// sectors of the page that must be read, because the table has clean entries of them. For other
    /// write-backs, returns 0.
    fn clean(&mut self, page: usize) -> u32 {
        let (first, entry_bytes) = (self.described(page).start, self.settings.page_entry_bytes);
        let (mut sectors, mut last) = (0, None);
        let real = self.writes_back();
        let (table, page) = (self.table_of(Lpn(first)), page as u32);
        if real {
            table.clean(page);
            return sectors;
        }
        table.clean_and_use(page, |lpn| {
            let sector = Some((lpn.0 - first) * entry_bytes / SECTOR_BYTES);
            sectors += u32::from(sector != last);
            last = sector;
        });
        sectors
    }
}

fn tables(settings: &CachedMapping, space: &AddressSpace) -> Vec<CachedTable> {
    let entries = match settings.sharing {
        TableSharing::Shared => {
            return vec![CachedTable::new(&(0..space.map_pages()), settings.table_entries)];
        }
        TableSharing::Equal => settings.table_entries / space.len() as u32,
        TableSharing::Whole => settings.table_entries,
    };
    space.map_ranges().map(|pages| CachedTable::new(&pages, entries)).collect()
}

/// Returns the transaction after which `id` is inserted into the list `waiting`, or `None` if `id` becomes
/// the first one. A read follows the last read of its logical page, and a write follows the last transaction
/// of its logical page. If there is no such transaction, `id` precedes the first transaction of its logical
/// page. If the list contains no transaction of the page, `id` is inserted at the end.
fn last_to_precede(waiting: &List, all: &Transactions, id: TransactionId) -> Option<TransactionId> {
    let is_read = |id| matches!(all.get(id).purpose, Purpose::HostRead(_) | Purpose::OperandRead(_));
    let (lpn, is_write) = (all.get(id).lpn, !is_read(id));
    let mut precedes = None;
    let mut before = None;
    let mut found = false;
    for other in waiting.iter(all) {
        let is_of_page = all.get(other).lpn == lpn;
        if is_of_page && !found {
            (found, precedes) = (true, before);
        }
        if is_of_page && (is_write || is_read(other)) {
            precedes = Some(other);
        }
        before = Some(other);
    }
    if found { precedes } else { waiting.last() }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;
    use venice_nand::geometry::{PlaneId, RequestId};
    use venice_nand::latency::StageClock;
    use venice_nand::transactions::{Origin, Transaction};

    use super::*;
    use crate::ftl::Mapping;
    use crate::ftl::translation::Resources;
    use crate::testkit::settings::SmallDrive;

    /// First host page of the second address range.
    const SECOND: u32 = 384;

    /// Creates two empty mapping tables of two entries each, one table for each of two equal address ranges. A
    /// translation page has four entries.
    fn two_ranges() -> DemandPaging {
        with(MappingWriteBack::Flash)
    }

    fn with(write_back: MappingWriteBack) -> DemandPaging {
        let mut drive = SmallDrive::new(2, 2);
        let settings = CachedMapping {
            table_entries: 4,
            entries_per_page: 4,
            page_entry_bytes: 8,
            write_back,
            sharing: TableSharing::Equal,
        };
        drive.ftl.mapping = Mapping::Cached(settings);
        drive.ftl.partitions =
            [0, 1].map(|row| Resources { channels: vec![row], ..Resources::default() }).to_vec();
        DemandPaging::new(settings, &AddressSpace::new(&drive.geometry, &drive.ftl))
    }

    #[test]
    fn entries_of_one_range_never_evict_those_of_another() {
        let mut paging = two_ranges();
        for lpn in [0, 4, SECOND, SECOND + 4] {
            assert_eq!(paging.enter(Lpn(lpn), true), None);
        }
        assert_eq!(paging.enter(Lpn(8), true), Some(Lpn(0)));
        assert_eq!(paging.enter(Lpn(SECOND + 8), true), Some(Lpn(SECOND)));
    }

    #[test]
    fn prefetch_names_the_translation_page_of_each_entry() {
        let paging = two_ranges();
        let lpns = [0, 3, 4, SECOND, SECOND + 7].map(Lpn);
        let pages: Vec<_> = paging.prefetch(&lpns).map(|page| page.0 - 2 * SECOND).collect();
        assert_eq!(pages, [0, 0, 1, SECOND / 4, SECOND / 4 + 1]);
    }

    #[test]
    fn stored_table_is_restored_if_it_fits_in_every_respect() {
        let mut original = two_ranges();
        original.enter(Lpn(5), true);
        original.enter(Lpn(SECOND + 1), false);
        let stored = original.store();
        let mut restored = two_ranges();
        assert!(restored.restore(&stored));
        assert_eq!([5, SECOND + 1, 6].map(|lpn| restored.look_up(Lpn(lpn))), [true, true, false]);
        let other = |change: fn(&mut StoredTable)| {
            let mut stored = stored.clone();
            change(&mut stored);
            let mut paging = two_ranges();
            let fits = paging.restore(&stored);
            assert!(!paging.look_up(Lpn(5)), "nothing is restored in part");
            fits
        };
        let page_is_missing = |stored: &mut StoredTable| _ = stored.kept.pop();
        assert!(!other(page_is_missing));
        assert!(!other(|stored| stored.entries.push((2 * SECOND, false))), "there is no such page");
        assert!(!other(|stored| stored.entries.extend([(1, false); 7])), "there are too many");
    }

    #[test]
    fn entry_that_a_miss_reserves_is_written_back_with_its_translation_page() {
        let mut paging = two_ranges();
        let mut all = Transactions::default();
        let purpose = Purpose::HostRead(Origin::Request(RequestId(0)));
        let id = all.insert(Transaction {
            lpn: Some(Lpn(20)),
            ..Transaction::new(purpose, PlaneId(0), StageClock::start(SimTime::ZERO))
        });
        paging.enter(Lpn(21), true);
        let missed = paging.miss(Lpn(20));
        assert_eq!(missed.page, Lpn(2 * SECOND + 5));
        assert_eq!(paging.reserve_and_wait(&mut all, id, Lpn(20), missed), None);
        paging.enter(Lpn(20), true);
        assert_eq!(paging.enter(Lpn(40), false), Some(Lpn(21)));
        assert_eq!(paging.begin_write_back(Lpn(21), 4096), Some(4096));
        assert_eq!(paging.translation_page(Lpn(21)), missed.page);
        assert_eq!(paging.enter(Lpn(41), false), None, "entry 20 was written back too");
    }

    #[test]
    fn read_only_write_back_reads_only_sectors_with_entries_in_the_table() {
        for (other, bytes) in [(1, SECTOR_BYTES), (4, 0)] {
            let mut paging = with(MappingWriteBack::ReadOnly);
            for (lpn, evicted) in [(0, None), (other, None), (8, Some(Lpn(0)))] {
                assert_eq!(paging.enter(Lpn(lpn), lpn == 0), evicted);
            }
            assert_eq!(paging.begin_write_back(Lpn(0), 4096), Some(bytes));
            assert_eq!(paging.translation_page(Lpn(0)), Lpn(2 * SECOND));
        }
    }
}
