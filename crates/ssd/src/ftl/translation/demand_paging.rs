//! Demand-paged mapping: entries of the map that are not in the cached table are read from flash.
//!
//! # What it models
//! A controller whose memory holds part of the page map. A look-up that misses reads the translation
//! page that has the entry; entries that changed are written back when they make room.
//!
//! # How
//! The map is cut into translation pages, each for pages of one address range; where they are is always known. They are logical pages
//! behind the host's: the page map, collection and the audit treat them as any other, but the host's
//! writes do not mix with them in a block as long as there are free ones. A translation page that was
//! not written in this run is read where static allocation puts it.
//!
//! A miss reads one sector of the translation page, before reads of the host; whoever misses on the
//! same page meanwhile waits for the same read. The entry then goes to the table, and the least
//! recently used one makes room. If that one is dirty, all dirty entries of its translation page are
//! written back with it: the whole page is read, changed, and programmed elsewhere. From the end of
//! that read to the end of that program the page is in the controller's memory and misses on it cost
//! nothing. A write of the host makes its entry dirty when its program starts, without a read.
//!
//! # What is left out
//! What collection moves is entered into the table if the entry is
//! there, and costs nothing otherwise; real controllers write such changes back in batches, too.
//!
//! Address ranges share one table, or have equal parts of it, or a table of the full size each, as in MQSim, whose
//! `SHARED` makes a table for each flow and whose `EQUAL_PARTITIONING` divides one.
//!
//! # Source
//! Gupta, Kim, Urgaonkar, "DFTL: a flash translation layer employing demand-based selective caching of
//! page-level address mappings", ASPLOS 2009; Tavakkol et al., "MQSim", FAST 2018,
//! `Address_Mapping_Unit_Page_Level`. `read_only` does as MQSim does: a write-back reads the sectors of which the
//! table has entries that flash knows, if any, and never programs; from then on the page stays in memory. Entries
//! that go to flash with another's eviction count as used, and a translation page that is not full is in memory from
//! the start. If pages are given out at arrival, all others have a place from the start, and a write-back gives
//! them a new one.
//!
//! # Parameters
//! `ftl.mapping`, `ftl.mapping_table_bytes`, `ftl.mapping_table_sharing`, `ftl.mapping_table_entry_bytes`,
//! `ftl.mapping_page_entry_bytes`, `ftl.mapping_writeback`

use std::ops::Range;

use serde::{Deserialize, Serialize};
use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::{Lpn, PlaneId, SECTOR_BYTES, TransactionId};

use super::cached_table::CachedTable;
use crate::ftl::Ftl;
use crate::ftl::settings::{CachedMapping, MappingWriteBack, TableSharing};
use crate::ftl::space::Stream;
use crate::ftl::translation::AddressSpace;
use crate::work::{List, Purpose, Transaction};

/// How far a translation page's write-back has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WriteBack {
    /// None in progress.
    #[default]
    None,
    /// The old contents are being read.
    Reading,
    /// The new contents wait for their program.
    Queued,
    /// They are being programmed; `again` if entries changed since.
    Programming { again: bool },
    /// Contents stay in memory for ever; only without real write-backs.
    Kept,
}

/// A translation page.
#[derive(Clone, Copy, Debug, Default)]
struct TranslationPage {
    /// A read was asked for, and none has come since.
    being_read: bool,
    write_back: WriteBack,
    /// Who waits for it to be read.
    waiting: List,
}

/// A table of entries for a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredTable {
    /// Logical pages and whether flash does not know their entry, the one that was used longest ago first.
    entries: Vec<(u32, bool)>,
    /// By translation page: whether its contents stay in memory.
    kept: Vec<bool>,
}

/// What a look-up that misses finds.
enum Miss {
    InMemory,
    BeingRead,
    OnFlash,
}

/// Look-ups of one address range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookUps {
    /// All of them.
    pub lookups: u64,
    /// Those whose entry was not in the table.
    pub misses: u64,
}

/// An address range as the map sees it.
#[derive(Clone, Debug)]
struct MapRange {
    pages: Range<u32>,
    first_translation_page: u32,
}

/// The state of demand paging.
#[derive(Clone, Debug)]
pub struct DemandPaging {
    settings: CachedMapping,
    host_pages: u32,
    ranges: Vec<MapRange>,
    /// One, or one for each address range.
    tables: Vec<CachedTable>,
    pages: Vec<TranslationPage>,
    look_ups: Vec<LookUps>,
}

impl DemandPaging {
    /// Empty tables over the map of these addresses.
    pub fn new(settings: CachedMapping, space: &AddressSpace) -> Self {
        let ranges = space.ranges().zip(space.map_ranges());
        let ranges = ranges.map(|(pages, map)| MapRange { pages, first_translation_page: map.start });
        let mut paging = Self {
            ranges: ranges.collect(),
            tables: tables(&settings, space),
            pages: vec![TranslationPage::default(); space.map_pages() as usize],
            look_ups: vec![LookUps::default(); space.len()],
            settings,
            host_pages: space.logical_pages(),
        };
        if settings.write_back == MappingWriteBack::ReadOnly {
            paging.keep_unfilled_pages();
        }
        paging
    }

    /// The last translation page of a range is in memory from the start, if it is not full.
    fn keep_unfilled_pages(&mut self) {
        for page in 0..self.pages.len() {
            if self.described(page).len() < self.settings.entries_per_page as usize {
                self.pages[page].write_back = WriteBack::Kept;
            }
        }
    }

    /// What a file keeps, when nothing is in flight.
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

    /// Goes back to what a file kept, from an empty table. Says whether it is as large.
    pub fn restore(&mut self, stored: &StoredTable) -> bool {
        let fits = stored.kept.len() == self.pages.len()
            && stored.entries.len() <= self.entries() as usize * self.tables.len()
            && stored.entries.iter().all(|&(lpn, _)| lpn < self.host_pages);
        if fits {
            for &(lpn, dirty) in &stored.entries {
                self.table_of(Lpn(lpn)).insert(Lpn(lpn), dirty);
            }
            for (page, _) in self.pages.iter_mut().zip(&stored.kept).filter(|(_, kept)| **kept) {
                page.write_back = WriteBack::Kept;
            }
        }
        fits
    }

    /// Entries that all tables together have room for, at most.
    pub fn entries(&self) -> u32 {
        self.settings.table_entries
    }

    /// Entries that each of so many flows has room for.
    pub fn entries_for_one_of(&self, flows: u32) -> u32 {
        match self.settings.sharing {
            TableSharing::Whole => self.settings.table_entries,
            TableSharing::Shared | TableSharing::Equal => self.settings.table_entries / flows,
        }
    }

    /// Puts an entry that flash knows into the table.
    pub fn warm(&mut self, lpn: Lpn) {
        self.table_of(lpn).insert(lpn, false);
    }

    /// By address range.
    pub fn look_ups(&self) -> &[LookUps] {
        &self.look_ups
    }

    #[inline]
    fn range_of(&self, lpn: Lpn) -> usize {
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

    /// The number that a translation page has as a logical page.
    fn lpn_of(&self, page: usize) -> Lpn {
        Lpn(self.host_pages + page as u32)
    }

    fn page_of(&self, lpn: Lpn) -> usize {
        let range = &self.ranges[self.range_of(lpn)];
        let page = (lpn.0 - range.pages.start) / self.settings.entries_per_page;
        (range.first_translation_page + page) as usize
    }

    /// The logical pages that a translation page describes.
    fn described(&self, page: usize) -> Range<u32> {
        let range = self.ranges.partition_point(|range| range.first_translation_page as usize <= page) - 1;
        let MapRange { pages, first_translation_page } = &self.ranges[range];
        let entries = self.settings.entries_per_page;
        let first = pages.start + (page as u32 - first_translation_page) * entries;
        first..(first + entries).min(pages.end)
    }

    fn state(&mut self, translation_page: Lpn) -> &mut TranslationPage {
        &mut self.pages[(translation_page.0 - self.host_pages) as usize]
    }

    fn miss(&self, page: usize) -> Miss {
        match self.pages[page] {
            TranslationPage { being_read: true, .. }
            | TranslationPage { write_back: WriteBack::Reading, .. } => Miss::BeingRead,
            TranslationPage { write_back: WriteBack::None, .. } => Miss::OnFlash,
            _ => Miss::InMemory,
        }
    }

    /// Notes that a write-back of a translation page is wanted. Says how many bytes of its old contents must be
    /// read for it, if they must.
    fn begin_write_back(&mut self, page: usize, page_bytes: u32) -> Option<u32> {
        let real = self.settings.write_back == MappingWriteBack::Flash;
        let known_sectors = self.clean(page);
        let state = &mut self.pages[page].write_back;
        let (next, read) = match *state {
            _ if !real => (WriteBack::Kept, true),
            WriteBack::None => (WriteBack::Reading, true),
            WriteBack::Programming { .. } => (WriteBack::Programming { again: true }, false),
            before => (before, false),
        };
        *state = next;
        read.then_some(if real { page_bytes } else { known_sectors * SECTOR_BYTES })
    }

    /// All entries of a translation page are on their way to flash. Says how many of its sectors the table has
    /// entries of that flash knows.
    fn clean(&mut self, page: usize) -> u32 {
        let described = self.described(page);
        let (first, entry_bytes) = (described.start, self.settings.page_entry_bytes);
        let (mut sectors, mut last) = (0, None);
        let real = self.settings.write_back == MappingWriteBack::Flash;
        let table = self.table_of(Lpn(first));
        if real {
            table.clean(described);
            return sectors;
        }
        table.clean_and_use(described, |lpn| {
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
            return vec![CachedTable::new(&(0..space.logical_pages()), settings.table_entries)];
        }
        TableSharing::Equal => settings.table_entries / space.len() as u32,
        TableSharing::Whole => settings.table_entries,
    };
    space.ranges().map(|range| CachedTable::new(&range, entries)).collect()
}

impl Ftl {
    /// Looks up a logical page for a transaction that waits nowhere yet. Says whether the answer is
    /// there at once; otherwise the transaction goes on by itself when it is.
    #[inline]
    pub(in crate::ftl) fn look_up(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
        self.books.looked_up(self.transactions.get(id).purpose);
        self.translation.paging.is_none() || self.look_up_in_table(id, lpn, now)
    }

    #[inline]
    fn is_host_read(&self, id: TransactionId) -> bool {
        matches!(self.transactions.get(id).purpose, Purpose::HostRead(_) | Purpose::OperandRead(_))
    }

    fn look_up_in_table(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
        let Some(paging) = &mut self.translation.paging else { return true };
        let range = paging.range_of(lpn);
        paging.look_ups[range].lookups += 1;
        paging.table_of(lpn).touch(lpn) || self.look_up_on_flash(id, lpn, now)
    }

    fn look_up_on_flash(&mut self, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
        self.books.missed(self.transactions.get(id).purpose);
        let Some(paging) = &mut self.translation.paging else { return true };
        let range = paging.range_of(lpn);
        paging.look_ups[range].misses += 1;
        let page = paging.page_of(lpn);
        let miss = paging.miss(page);
        if let Miss::InMemory = miss {
            self.enter(lpn, false, now);
            return true;
        }
        let translation_page = paging.lpn_of(page);
        let joins =
            paging.settings.write_back == MappingWriteBack::ReadOnly && paging.table_of(lpn).awaits(lpn);
        self.reserve_entry(lpn, now);
        let before = self.last_to_precede(page, id, joins);
        self.wait_behind(page, id, before);
        if let Miss::OnFlash = miss {
            self.read_translation_page(translation_page, SECTOR_BYTES, false, now);
        }
        false
    }

    /// Behind whom a transaction waits for a translation page: behind all, or, if it joins others of its logical page,
    /// behind those of them that go before it: reads before writes. None if it is first.
    fn last_to_precede(&self, page: usize, id: TransactionId, joins: bool) -> Option<TransactionId> {
        let state = &self.translation.paging.as_ref()?.pages[page];
        if !joins {
            return state.waiting.last();
        }
        let (lpn, is_write) = (self.transactions.get(id).lpn, !self.is_host_read(id));
        let mut precedes = None;
        let mut before = None;
        let mut next = state.waiting.first();
        let mut found = false;
        while let Some(waiting) = next {
            let is_of_page = self.transactions.get(waiting).lpn == lpn;
            if is_of_page && !found {
                (found, precedes) = (true, before);
            }
            if is_of_page && (is_write || self.is_host_read(waiting)) {
                precedes = Some(waiting);
            }
            (before, next) = (next, self.transactions.after(waiting));
        }
        if found { precedes } else { state.waiting.last() }
    }

    fn wait_behind(&mut self, page: usize, id: TransactionId, before: Option<TransactionId>) {
        let Some(paging) = &mut self.translation.paging else { return };
        paging.pages[page].waiting.insert(&mut self.transactions, before, id);
    }

    fn read_translation_page(&mut self, page: Lpn, bytes: u32, writes_back: bool, now: SimTime) {
        let Some(paging) = &mut self.translation.paging else { return };
        paging.state(page).being_read = true;
        let read = Transaction {
            lpn: Some(page),
            bytes,
            ..Transaction::new(Purpose::MappingRead { writes_back }, PlaneId(0), StageClock::start(now))
        };
        let id = self.transactions.insert(read);
        self.books.read_accepted(id, page, &read);
        self.place_read(id, page, now);
    }

    /// A translation page was read: whoever waits for it goes on.
    pub(in crate::ftl) fn translation_page_read(&mut self, done: &Transaction, page: Lpn, now: SimTime) {
        let Some(paging) = &mut self.translation.paging else { return };
        let real = paging.settings.write_back == MappingWriteBack::Flash;
        let state = paging.state(page);
        state.being_read = false;
        let mut waiting = std::mem::take(&mut state.waiting);
        if let (Purpose::MappingRead { writes_back: true }, true) = (done.purpose, real) {
            self.write_back(page, now);
        }
        while let Some(id) = waiting.pop(&mut self.transactions) {
            let transaction = self.transactions.get_mut(id);
            transaction.clock.charge(Stage::Mapping, now);
            transaction.conflicted |= done.conflicted;
            let (purpose, lpn) = (transaction.purpose, transaction.lpn);
            let lpn = lpn.expect("only transactions of a logical page look it up");
            self.enter(lpn, false, now);
            match purpose {
                Purpose::HostRead(_) | Purpose::OperandRead(_) => self.place_read(id, lpn, now),
                _ => self.start_write(id, lpn, now),
            }
        }
    }

    /// The host's page has got a new place: its entry is newer than flash.
    pub(in crate::ftl) fn mapping_changed(&mut self, lpn: Lpn, now: SimTime) {
        if self.translation.paging.is_some() {
            self.enter(lpn, true, now);
        }
    }

    /// Collection has moved a page of the host or a translation page.
    pub(in crate::ftl) fn mapping_moved(&mut self, lpn: Lpn) {
        if let Some(paging) = &mut self.translation.paging
            && lpn.0 < paging.host_pages
        {
            paging.table_of(lpn).change(lpn, true);
        }
    }

    fn enter(&mut self, lpn: Lpn, dirty: bool, now: SimTime) {
        let Some(paging) = &mut self.translation.paging else { return };
        if let Some(evicted) = paging.table_of(lpn).insert(lpn, dirty) {
            self.evicted(evicted, now);
        }
    }

    fn reserve_entry(&mut self, lpn: Lpn, now: SimTime) {
        let Some(paging) = &mut self.translation.paging else { return };
        if let Some(evicted) = paging.table_of(lpn).reserve(lpn) {
            self.evicted(evicted, now);
        }
    }

    /// An entry that flash does not know has lost its place in the table.
    fn evicted(&mut self, evicted: Lpn, now: SimTime) {
        self.books.write_back_wanted();
        let Some(paging) = &mut self.translation.paging else { return };
        let page = paging.page_of(evicted);
        if let Some(bytes) = paging.begin_write_back(page, self.geometry.page_bytes) {
            let lpn = paging.lpn_of(page);
            self.read_translation_page(lpn, bytes, true, now);
            if self.moves_without_program() {
                self.move_without_program(lpn, now);
            }
        }
    }

    /// Whether translation pages get places without being programmed: as MQSim, which has given out the
    /// page when it would write it. A page that is given out when its program starts never is.
    fn moves_without_program(&self) -> bool {
        let is_read_only = |paging: &DemandPaging| paging.settings.write_back == MappingWriteBack::ReadOnly;
        self.settings.page_allocation.is_early() && self.translation.paging.as_ref().is_some_and(is_read_only)
    }

    /// Gives every full translation page its first place, where they get one without a program.
    pub(in crate::ftl) fn store_map_at_start(&mut self) {
        let Some(paging) = &self.translation.paging else { return };
        if self.moves_without_program() {
            let full = paging.host_pages / paging.settings.entries_per_page;
            for page in 0..full {
                self.move_without_program(Lpn(self.translation.host_pages() + page), SimTime::ZERO);
            }
        }
    }

    /// A translation page gets its next place as if it had been programmed there, if there is room.
    pub(in crate::ftl) fn move_without_program(&mut self, page: Lpn, now: SimTime) {
        let (plane, _) = self.translation.addresses.place(page);
        let Some(ppn) = self.space.blocks.allocate_written(plane, self.map_stream(page)) else { return };
        self.books.unwritten_page_mapped(page, ppn);
        self.remap(page, ppn, now);
        self.collect_if_short(plane, now);
    }

    /// Whose blocks a translation page's next place is in.
    pub(in crate::ftl) fn map_stream(&self, page: Lpn) -> Stream {
        Stream::Mapping(self.translation.addresses.range_of(page) as u16 % self.settings.streams().map)
    }

    fn write_back(&mut self, page: Lpn, now: SimTime) {
        if let Some(paging) = &mut self.translation.paging {
            paging.state(page).write_back = WriteBack::Queued;
        }
        let write = Transaction {
            lpn: Some(page),
            bytes: self.geometry.page_bytes,
            ..Transaction::new(
                Purpose::MappingWrite,
                self.translation.addresses.place(page).0,
                StageClock::start(now),
            )
        };
        let id = self.transactions.insert(write);
        self.enqueue_mapping_write(id, page, now);
    }

    /// The program of a translation page starts: entries that change from now on come too late for it.
    pub(in crate::ftl) fn mapping_program_started(&mut self, page: Lpn) {
        if let Some(paging) = &mut self.translation.paging {
            paging.state(page).write_back = WriteBack::Programming { again: false };
        }
    }

    /// The program of a translation page has ended.
    pub(in crate::ftl) fn mapping_program_ended(&mut self, done: &Transaction, page: Lpn, now: SimTime) {
        if let Some(ppn) = done.ppn() {
            self.space.blocks.program_ended(ppn);
            self.books.program_ended(Some(page), ppn);
        }
        if let Some(paging) = &mut self.translation.paging {
            let state = paging.state(page);
            let again = state.write_back == WriteBack::Programming { again: true };
            state.write_back = WriteBack::None;
            if again {
                self.write_back(page, now);
            }
        }
        self.collect_if_short(done.plane, now);
    }
}
