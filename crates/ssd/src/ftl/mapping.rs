//! Which physical page holds which logical page, both ways, and which of its sectors.

use crate::geometry::{Lpn, Ppn, SparseTable};

/// The page map: logical to physical and back.
///
/// Entries hold a number plus one, so that an untouched entry reads as "none".
#[derive(Clone, Debug)]
pub struct PageMap {
    to_physical: SparseTable<u32>,
    to_logical: SparseTable<u32>,
    written_sectors: SparseTable<u64>,
}

impl PageMap {
    /// An empty map of `logical` logical and `physical` physical pages.
    pub fn new(logical: u32, physical: u32) -> Self {
        Self {
            to_physical: SparseTable::new(logical as usize),
            to_logical: SparseTable::new(physical as usize),
            written_sectors: SparseTable::new(logical as usize),
        }
    }

    /// Logical pages there are.
    pub fn logical_pages(&self) -> u32 {
        self.to_physical.len() as u32
    }

    /// Where a logical page is.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<Ppn> {
        self.to_physical.get(lpn.index()).checked_sub(1).map(Ppn)
    }

    /// Which logical page is valid at a physical page.
    #[inline]
    pub fn logical(&self, ppn: Ppn) -> Option<Lpn> {
        self.to_logical.get(ppn.index()).checked_sub(1).map(Lpn)
    }

    /// Moves a logical page to a new physical page and says where it was.
    #[inline]
    pub fn remap(&mut self, lpn: Lpn, to: Ppn) -> Option<Ppn> {
        let entry = self.to_physical.entry(lpn.index());
        let old = entry.checked_sub(1).map(Ppn);
        *entry = to.0 + 1;
        *self.to_logical.entry(to.index()) = lpn.0 + 1;
        if let Some(old) = old {
            *self.to_logical.entry(old.index()) = 0;
        }
        old
    }

    /// The sectors of a logical page that were ever written, one bit each.
    #[inline]
    pub fn written_sectors(&self, lpn: Lpn) -> u64 {
        self.written_sectors.get(lpn.index())
    }

    /// Records that these sectors of a logical page are written.
    #[inline]
    pub fn add_written_sectors(&mut self, lpn: Lpn, sectors: u64) {
        *self.written_sectors.entry(lpn.index()) |= sectors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_written_again_leaves_its_old_place_invalid() {
        let mut map = PageMap::new(10, 20);
        assert_eq!(map.physical(Lpn(3)), None);
        assert_eq!(map.remap(Lpn(3), Ppn(0)), None);
        assert_eq!(map.remap(Lpn(3), Ppn(19)), Some(Ppn(0)));
        assert_eq!((map.physical(Lpn(3)), map.logical(Ppn(19))), (Some(Ppn(19)), Some(Lpn(3))));
        assert_eq!(map.logical(Ppn(0)), None);
    }
}
