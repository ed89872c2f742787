//! Page map: logical pages to physical pages and back, and the written sectors of each page.

use std::hint::black_box;
use std::sync::Arc;

use bytemuck::Zeroable;
use serde::{Deserialize, Serialize};
use venice_kernel::mem::{EntryPosition, PackedTable, SparseTable};
use venice_nand::geometry::{Lpn, Ppn};

use super::FirstMap;

/// Map entry of a logical page. The entry contains all map data of the page, since an access to the map of a
/// large drive misses the CPU cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Serialize, Deserialize)]
struct MapEntry {
    /// Number of the physical page plus one; zero means that the page is not mapped.
    physical: u32,
    /// Bit mask of those sectors among the first 16 that a mapped page does not contain; 0 if all were
    /// written.
    missing: u16,
    /// Flags of the page: a combination of [`BLANK`], [`LOCKED`] and [`DEALLOCATED`].
    marks: u16,
}

/// Flag of a page that was mapped by a read and has never been written.
const BLANK: u16 = 1;
/// Flag of a page with a write in progress.
const LOCKED: u16 = 2;
/// Flag of an unmapped page that the host has deallocated and not written since.
const DEALLOCATED: u16 = 4;

/// Location of a logical page: mapped to a physical page, unmapped or deallocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageLocation {
    /// Physical page in the map.
    Mapped(Ppn),
    /// The page has never been written or mapped in this run.
    Unmapped,
    /// The host has deallocated the page and not written it since.
    Deallocated,
}

/// Page map: logical pages to physical pages and back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageMap {
    /// Source of the entries that have not been changed in this run; `None` if the map was empty at the
    /// start.
    first: Option<Arc<FirstMap>>,
    pages: PackedTable<MapEntry>,
    /// Number of the logical page plus one, indexed by physical page.
    to_logical: SparseTable<u32>,
    /// Bit mask of the missing sectors after the first 16, for each page.
    missing_beyond: SectorMasks,
}

impl PageMap {
    /// Creates an empty map of `logical` logical and `physical` physical pages.
    pub fn new(logical: u32, physical: u32, sectors_per_page: u32) -> Self {
        Self {
            first: None,
            pages: PackedTable::new(logical as usize),
            to_logical: SparseTable::new(physical as usize),
            missing_beyond: SectorMasks::new(logical, sectors_per_page.saturating_sub(WORD_BITS)),
        }
    }

    /// Returns true if this map has as many pages as `other`, mapped or not.
    pub fn is_as_large_as(&self, other: &Self) -> bool {
        let sizes = |map: &Self| {
            (
                map.pages.len(),
                map.to_logical.len(),
                map.missing_beyond.words.len(),
                map.missing_beyond.words_per_page,
            )
        };
        sizes(self) == sizes(other)
            && self.first.as_ref().is_none_or(|first| first.fits(self.pages.len(), self.to_logical.len()))
    }

    /// Sets the source of the initial entries. The map must be empty.
    pub fn start_from(&mut self, first: Arc<FirstMap>) {
        self.first = Some(first);
    }

    /// Returns the number of logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Returns the number of logical pages that are mapped. Only changed entries are scanned if the map was
    /// empty at the start.
    pub fn mapped_pages(&self) -> u64 {
        if self.first.is_none() {
            return self.pages.written().filter(|entry| entry.physical != 0).count() as u64;
        }
        (0..self.logical_pages()).filter(|&lpn| self.physical(Lpn(lpn)).is_some()).count() as u64
    }

    /// Returns the physical page of a logical page.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<Ppn> {
        self.entry(lpn).physical.checked_sub(1).map(Ppn)
    }

    /// Returns the location of a logical page.
    #[inline]
    pub fn location(&self, lpn: Lpn) -> PageLocation {
        match self.entry(lpn) {
            MapEntry { physical: 0, marks, .. } if marks & DEALLOCATED != 0 => PageLocation::Deallocated,
            MapEntry { physical: 0, .. } => PageLocation::Unmapped,
            MapEntry { physical, .. } => PageLocation::Mapped(Ppn(physical - 1)),
        }
    }

    /// Prefetches the entries of logical pages into the CPU cache.
    #[inline]
    pub fn foresee(&self, lpns: impl Iterator<Item = Lpn> + Clone) {
        self.pages.foresee(lpns.map(Lpn::index));
    }

    /// Prefetches the entries of physical pages into the CPU cache.
    #[inline]
    pub fn foresee_physical(&self, ppns: impl Iterator<Item = Ppn>) {
        self.to_logical.foresee(ppns.map(Ppn::index));
    }

    /// Returns the logical page whose valid data is in a physical page.
    #[inline]
    pub fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        let entry = match (self.to_logical.written(ppn.index()), &self.first) {
            (Some(entry), _) => entry,
            (None, Some(first)) => first.logical(ppn),
            (None, None) => 0,
        };
        entry.checked_sub(1).map(Lpn)
    }

    #[inline]
    fn entry(&self, lpn: Lpn) -> MapEntry {
        match (self.pages.get(lpn.index()), &self.first) {
            (Some(entry), _) => entry,
            (None, Some(first)) => first_entry(first, lpn),
            (None, None) => MapEntry::default(),
        }
    }

    /// Returns the position (spot) of the map entry of `lpn`, for several updates of the entry. The position
    /// is valid until the position of another page is requested.
    #[inline]
    pub fn spot(&mut self, lpn: Lpn) -> EntryPosition {
        let first = &self.first;
        self.pages.spot(lpn.index(), || {
            first.as_ref().map_or_else(MapEntry::default, |first| first_entry(first, lpn))
        })
    }

    #[inline]
    fn logical_mut(&mut self, ppn: Ppn) -> &mut u32 {
        match &self.first {
            Some(first) => self.to_logical.entry_from(ppn.index(), |n| first.logical(Ppn(n as u32))),
            None => self.to_logical.entry(ppn.index()),
        }
    }

    /// Maps a logical page to the physical page `to`. Returns the old physical page.
    #[inline]
    pub fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        let spot = self.spot(lpn);
        self.remap_at(spot, lpn, to)
    }

    /// Maps a logical page, whose map entry is at `spot`, to the physical page `to`. Returns the old physical
    /// page.
    #[inline]
    pub fn remap_at(&mut self, spot: EntryPosition, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        self.replace(spot, lpn, to, |_| ())
    }

    /// Maps logical pages, which are already mapped, to consecutive physical pages. Loads all map entries
    /// first, so that their cache misses overlap.
    pub fn remap_row(&mut self, lpns: &[Lpn], first: Ppn) {
        self.foresee(lpns.iter().copied());
        let entries = lpns.iter().filter_map(|lpn| self.pages.get(lpn.index()));
        black_box(entries.fold(0, |sum: u32, entry| sum.wrapping_add(entry.physical)));
        for (&lpn, to) in lpns.iter().zip((first.0..).map(Ppn)) {
            self.remap(lpn, to);
        }
    }

    /// Maps a logical page, whose map entry is at `spot`, to the physical page `to`. Records that `sectors`
    /// of the sectors in `whole` have been written. Returns the old physical page.
    #[inline]
    pub fn remap_written(
        &mut self,
        spot: EntryPosition,
        lpn: Lpn,
        to: Ppn,
        sectors: u64,
        whole: u64,
    ) -> Option<Ppn> {
        let missing = whole & !sectors;
        self.missing_beyond.change(lpn, missing >> WORD_BITS);
        self.replace(spot, lpn, to, |entry| entry.missing = missing as u16)
    }

    /// Records that only `sectors` of the sectors in `whole` have been written. The page keeps its location.
    pub fn keep_sectors(&mut self, lpn: Lpn, sectors: u64, whole: u64) {
        let missing = whole & !sectors;
        self.missing_beyond.change(lpn, missing >> WORD_BITS);
        entry_mut(self, lpn).missing = missing as u16;
    }

    /// Maps a page that was never written to the physical page `to`. Records that the page contains `sectors`
    /// of the sectors in `whole`. Returns the old physical page.
    #[inline]
    pub fn remap_blank(&mut self, lpn: Lpn, to: Ppn, sectors: u64, whole: u64) -> Option<Ppn> {
        let missing = whole & !sectors;
        self.missing_beyond.change(lpn, missing >> WORD_BITS);
        let spot = self.spot(lpn);
        self.replace(spot, lpn, to, |entry| {
            entry.missing = missing as u16;
            entry.marks |= BLANK;
        })
    }

    #[inline]
    fn replace(
        &mut self,
        spot: EntryPosition,
        lpn: Lpn,
        to: Ppn,
        change: impl FnOnce(&mut MapEntry),
    ) -> Option<Ppn> {
        let entry = self.pages.at_mut(spot);
        let old = entry.physical.checked_sub(1).map(Ppn);
        entry.physical = to.0 + 1;
        entry.marks &= !(BLANK | DEALLOCATED);
        change(entry);
        *self.logical_mut(to) = lpn.0 + 1;
        if let Some(old) = old {
            *self.logical_mut(old) = 0;
        }
        old
    }

    /// Unmaps a logical page and marks it as deallocated. Returns its old physical page.
    pub fn unmap(&mut self, lpn: Lpn) -> Option<Ppn> {
        let entry = entry_mut(self, lpn);
        let old = entry.physical.checked_sub(1).map(Ppn);
        entry.physical = 0;
        entry.marks = (entry.marks & LOCKED) | DEALLOCATED;
        if let Some(old) = old {
            *self.logical_mut(old) = 0;
        }
        old
    }

    /// Returns true if the host has deallocated a logical page and not written it since.
    pub fn is_deallocated(&self, lpn: Lpn) -> bool {
        self.entry(lpn).marks & DEALLOCATED != 0
    }

    /// Returns true if a write of a logical page is in progress.
    pub fn is_locked(&self, lpn: Lpn) -> bool {
        self.entry(lpn).marks & LOCKED != 0
    }

    /// Returns true if a mapped page has never been written.
    #[inline]
    pub fn is_blank(&self, lpn: Lpn) -> bool {
        self.entry(lpn).marks & BLANK != 0
    }

    /// Marks a logical page as having a write in progress. Returns true if it was not marked before.
    #[inline]
    pub fn lock(&mut self, lpn: Lpn) -> bool {
        let marks = &mut entry_mut(self, lpn).marks;
        let was_free = *marks & LOCKED == 0;
        *marks |= LOCKED;
        was_free
    }

    /// Clears the mark of a write in progress from the logical page whose map entry is at `spot`.
    #[inline]
    pub fn unlock(&mut self, spot: EntryPosition) {
        self.pages.at_mut(spot).marks &= !LOCKED;
    }

    /// Returns a bit mask of the sectors of a logical page that have ever been written, among the sectors in
    /// `whole`.
    #[inline]
    pub fn written_sectors(&self, lpn: Lpn, whole: u64) -> u64 {
        written_of(self, self.entry(lpn), lpn, whole)
    }

    /// Returns a bit mask of the sectors of a logical page that have ever been written, among the sectors in
    /// `whole`. The map entry of the page is at `spot`.
    #[inline]
    pub fn written_sectors_at(&self, spot: EntryPosition, lpn: Lpn, whole: u64) -> u64 {
        written_of(self, self.pages.at(spot), lpn, whole)
    }

    /// Returns a bit mask of the sectors that are recorded as missing in a logical page, mapped or not.
    pub fn missing_sectors(&self, lpn: Lpn) -> u64 {
        u64::from(self.entry(lpn).missing) | self.missing_beyond.get(lpn) << WORD_BITS
    }

    /// Records the missing sectors of a logical page, mapped or not.
    pub fn set_missing_sectors(&mut self, lpn: Lpn, missing: u64) {
        entry_mut(self, lpn).missing = missing as u16;
        self.missing_beyond.change(lpn, missing >> WORD_BITS);
    }

    /// Records that `sectors` of a logical page have been written, and no other sectors in `whole`.
    #[inline]
    pub fn set_written_sectors(&mut self, lpn: Lpn, sectors: u64, whole: u64) {
        let missing = whole & !sectors;
        entry_mut(self, lpn).missing = missing as u16;
        self.missing_beyond.change(lpn, missing >> WORD_BITS);
    }
}

#[inline]
fn entry_mut(map: &mut PageMap, lpn: Lpn) -> &mut MapEntry {
    let spot = map.spot(lpn);
    map.pages.at_mut(spot)
}

/// Returns a bit mask of the sectors of a page that have ever been written, from its map entry.
#[inline]
fn written_of(map: &PageMap, MapEntry { physical, missing, .. }: MapEntry, lpn: Lpn, whole: u64) -> u64 {
    if physical == 0 { 0 } else { whole & !(u64::from(missing) | map.missing_beyond.get(lpn) << WORD_BITS) }
}

/// Returns the map entry of a logical page at the start of the run.
fn first_entry(first: &FirstMap, lpn: Lpn) -> MapEntry {
    MapEntry { physical: first.physical(lpn), ..MapEntry::default() }
}

/// Number of bits in a word of a mask. It is small, so that pages with few sectors need little memory.
const WORD_BITS: u32 = u16::BITS;

/// Bit mask of sectors for each logical page, in as many words as a page needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SectorMasks {
    words: SparseTable<u16>,
    words_per_page: usize,
}

impl SectorMasks {
    fn new(pages: u32, sectors_per_page: u32) -> Self {
        let words_per_page = sectors_per_page.div_ceil(WORD_BITS) as usize;
        Self { words: SparseTable::new(pages as usize * words_per_page), words_per_page }
    }

    #[inline]
    fn get(&self, lpn: Lpn) -> u64 {
        if self.words.is_untouched() {
            return 0;
        }
        let first = lpn.index() * self.words_per_page;
        (0..self.words_per_page)
            .fold(0, |mask, word| mask | u64::from(self.words.get(first + word)) << (word as u32 * WORD_BITS))
    }

    /// Sets the mask of a page. If the mask does not change, its memory is not touched.
    #[inline]
    fn change(&mut self, lpn: Lpn, mask: u64) {
        if self.get(lpn) != mask {
            self.set(lpn, mask);
        }
    }

    #[inline]
    fn set(&mut self, lpn: Lpn, mask: u64) {
        let first = lpn.index() * self.words_per_page;
        for word in 0..self.words_per_page {
            *self.words.entry(first + word) = (mask >> (word as u32 * WORD_BITS)) as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_written_again_leaves_its_old_place_invalid() {
        let mut map = PageMap::new(10, 20, 8);
        assert_eq!(map.physical(Lpn(3)), None);
        assert_eq!(map.remap(Lpn(3), Ppn(0)), None);
        assert_eq!(map.remap(Lpn(3), Ppn(19)), Some(Ppn(0)));
        assert_eq!((map.physical(Lpn(3)), map.logical(Ppn(19))), (Some(Ppn(19)), Some(Lpn(3))));
        assert_eq!(map.logical(Ppn(0)), None);
    }

    #[test]
    fn a_page_is_counted_as_mapped_once_and_never_for_being_locked_or_near_one() {
        let mut map = PageMap::new(1000, 2000, 8);
        assert_eq!(map.mapped_pages(), 0);
        assert!(map.lock(Lpn(2)));
        for (lpn, ppn) in [(3, 0), (3, 19), (999, 7)] {
            map.remap(Lpn(lpn), Ppn(ppn));
        }
        assert_eq!(map.mapped_pages(), 2);
    }

    #[test]
    fn masks_of_up_to_64_sectors_are_kept_apart() {
        for sectors in [1, 8, 16, 17, 32, 48, 64] {
            let mut map = PageMap::new(4, 4, sectors);
            let whole = u64::MAX >> (64 - sectors);
            let written = whole & 0xfedc_ba98_7654_3211;
            for page in 1..4 {
                map.remap(Lpn(page), Ppn(page));
            }
            map.set_written_sectors(Lpn(2), written, whole);
            let found = [1, 2, 3].map(|page| map.written_sectors(Lpn(page), whole));
            assert_eq!(found, [whole, written, whole]);
        }
    }

    #[test]
    fn a_lock_is_held_by_one_and_leaves_the_rest_of_an_entry_alone() {
        let mut map = PageMap::new(10, 20, 8);
        map.remap_blank(Lpn(3), Ppn(7), 0xff, 0xff);
        assert!(map.lock(Lpn(3)) && !map.lock(Lpn(3)) && map.lock(Lpn(4)));
        let spot = map.spot(Lpn(3));
        map.unlock(spot);
        assert!(map.is_blank(Lpn(3)) && map.lock(Lpn(3)));
        map.remap(Lpn(3), Ppn(8));
        assert!(!map.is_blank(Lpn(3)) && !map.lock(Lpn(3)));
    }

    #[test]
    fn unmapped_page_is_deallocated_until_it_is_mapped_again() {
        let mut map = PageMap::new(10, 20, 8);
        map.remap(Lpn(3), Ppn(7));
        assert!(map.lock(Lpn(3)));
        assert_eq!(map.unmap(Lpn(3)), Some(Ppn(7)));
        assert_eq!((map.physical(Lpn(3)), map.logical(Ppn(7)), map.mapped_pages()), (None, None, 0));
        assert!(map.is_deallocated(Lpn(3)) && map.is_locked(Lpn(3)) && !map.is_deallocated(Lpn(4)));
        assert_eq!(map.unmap(Lpn(3)), None);
        assert_eq!(map.remap(Lpn(3), Ppn(8)), None);
        assert!(!map.is_deallocated(Lpn(3)));
    }

    #[test]
    fn an_unmapped_page_has_no_sector_and_a_mapped_one_those_that_were_set() {
        let mut map = PageMap::new(10, 20, 8);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0);
        let spot = map.spot(Lpn(3));
        map.remap_written(spot, Lpn(3), Ppn(0), 0x0f, 0xff);
        assert_eq!(
            (map.written_sectors(Lpn(3), 0xff), map.written_sectors_at(spot, Lpn(3), 0xff)),
            (0x0f, 0x0f)
        );
        map.remap_blank(Lpn(3), Ppn(1), 0xf0, 0xff);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0xf0);
        map.set_written_sectors(Lpn(3), 0xff, 0xff);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0xff);
    }
}
