//! Which physical page holds which logical page, both ways, and which of its sectors.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geometry::{Lpn, Ppn, SparseTable};

use super::FirstMap;

/// The page map: logical to physical and back.
///
/// Entries hold a number plus one, so that an untouched entry reads as "none".
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageMap {
    /// What entries are that were never changed; without it, none.
    first: Option<Arc<FirstMap>>,
    to_physical: SparseTable<u32>,
    to_logical: SparseTable<u32>,
    /// Pages that were mapped without ever being written, one bit each, if somebody asks.
    blank: Option<SparseTable<u64>>,
    /// Sectors that a mapped page lacks; a page that was written whole lacks none and costs nothing.
    missing_sectors: SectorMasks,
}

impl PageMap {
    /// An empty map of `logical` logical and `physical` physical pages of so many sectors.
    pub fn new(logical: u32, physical: u32, sectors_per_page: u32) -> Self {
        Self {
            first: None,
            to_physical: SparseTable::new(logical as usize),
            to_logical: SparseTable::new(physical as usize),
            blank: None,
            missing_sectors: SectorMasks::new(logical, sectors_per_page),
        }
    }

    /// Whether this map has the pages of another, none or some of them mapped.
    pub fn is_as_large_as(&self, other: &Self) -> bool {
        let sizes = |map: &Self| {
            (
                map.to_physical.len(),
                map.to_logical.len(),
                map.missing_sectors.words.len(),
                map.missing_sectors.words_per_page,
            )
        };
        sizes(self) == sizes(other)
            && self
                .first
                .as_ref()
                .is_none_or(|first| first.fits(self.to_physical.len(), self.to_logical.len()))
    }

    /// Lets an empty map start from another.
    pub fn start_from(&mut self, first: Arc<FirstMap>) {
        self.first = Some(first);
    }

    /// Logical pages there are.
    pub fn logical_pages(&self) -> u32 {
        self.to_physical.len() as u32
    }

    /// Where a logical page is.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<Ppn> {
        self.physical_entry(lpn).checked_sub(1).map(Ppn)
    }

    /// Which logical page is valid at a physical page.
    #[inline]
    pub fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        self.logical_entry(ppn).checked_sub(1).map(Lpn)
    }

    #[inline]
    fn physical_entry(&self, lpn: Lpn) -> u32 {
        match (self.to_physical.written(lpn.index()), &self.first) {
            (Some(entry), _) => entry,
            (None, Some(first)) => first.physical(lpn),
            (None, None) => 0,
        }
    }

    #[inline]
    fn logical_entry(&self, ppn: Ppn) -> u32 {
        match (self.to_logical.written(ppn.index()), &self.first) {
            (Some(entry), _) => entry,
            (None, Some(first)) => first.logical(ppn),
            (None, None) => 0,
        }
    }

    #[inline]
    fn physical_mut(&mut self, lpn: Lpn) -> &mut u32 {
        match &self.first {
            Some(first) => self.to_physical.entry_from(lpn.index(), |n| first.physical(Lpn(n as u32))),
            None => self.to_physical.entry(lpn.index()),
        }
    }

    #[inline]
    fn logical_mut(&mut self, ppn: Ppn) -> &mut u32 {
        match &self.first {
            Some(first) => self.to_logical.entry_from(ppn.index(), |n| first.logical(Ppn(n as u32))),
            None => self.to_logical.entry(ppn.index()),
        }
    }

    /// Moves a logical page to a new physical page and says where it was.
    #[inline]
    pub fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        let entry = self.physical_mut(lpn);
        let old = entry.checked_sub(1).map(Ppn);
        *entry = to.0 + 1;
        *self.logical_mut(to) = lpn.0 + 1;
        if let (true, Some(blank)) = (self.is_blank(lpn), &mut self.blank) {
            *blank.entry(lpn.index() / u64::BITS as usize) &= !(1 << (lpn.0 % u64::BITS));
        }
        if let Some(old) = old {
            *self.logical_mut(old) = 0;
        }
        old
    }

    /// From now on it is known which pages were mapped without being written.
    pub fn remember_blank(&mut self) {
        self.blank = Some(SparseTable::new(self.to_physical.len().div_ceil(u64::BITS as usize)));
    }

    /// A page that was just mapped was never written.
    #[inline]
    pub fn set_blank(&mut self, lpn: Lpn) {
        if let Some(blank) = &mut self.blank {
            *blank.entry(lpn.index() / u64::BITS as usize) |= 1 << (lpn.0 % u64::BITS);
        }
    }

    /// Whether a mapped page was never written, as far as it is remembered.
    #[inline]
    pub fn is_blank(&self, lpn: Lpn) -> bool {
        let word = |blank: &SparseTable<u64>| blank.get(lpn.index() / u64::BITS as usize);
        self.blank.as_ref().is_some_and(|blank| word(blank) & 1 << (lpn.0 % u64::BITS) != 0)
    }

    /// The sectors of a logical page that were ever written, one bit each, out of those of a `whole`
    /// page.
    #[inline]
    pub fn written_sectors(&self, lpn: Lpn, whole: u64) -> u64 {
        match self.physical(lpn) {
            Some(_) => whole & !self.missing_sectors.get(lpn),
            None => 0,
        }
    }

    /// Records that these sectors of a logical page are written, and no others of the `whole` page.
    #[inline]
    pub fn set_written_sectors(&mut self, lpn: Lpn, sectors: u64, whole: u64) {
        let missing = whole & !sectors;
        if self.missing_sectors.get(lpn) != missing {
            self.missing_sectors.set(lpn, missing);
        }
    }
}

/// Bits of one word of a mask: few, so that a page of few sectors costs little.
const WORD_BITS: u32 = u16::BITS;

/// A mask of sectors for each logical page, in as many words as a page's sectors need.
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
    fn masks_of_up_to_64_sectors_are_kept_apart() {
        for sectors in [1, 8, 16, 17, 32, 64] {
            let mut masks = SectorMasks::new(4, sectors);
            let mask = u64::MAX >> (64 - sectors) & 0xfedc_ba98_7654_3211;
            masks.set(Lpn(2), mask);
            assert_eq!((masks.get(Lpn(1)), masks.get(Lpn(2)), masks.get(Lpn(3))), (0, mask, 0));
        }
    }

    #[test]
    fn an_unmapped_page_has_no_sector_and_a_mapped_one_those_that_were_set() {
        let mut map = PageMap::new(10, 20, 8);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0);
        map.remap(Lpn(3), Ppn(0));
        map.set_written_sectors(Lpn(3), 0x0f, 0xff);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0x0f);
        map.set_written_sectors(Lpn(3), 0xff, 0xff);
        assert_eq!(map.written_sectors(Lpn(3), 0xff), 0xff);
    }
}
