//! The cached mapping table: which entries of the map the controller holds, least recently used last.

use std::ops::Range;

use crate::geometry::{Lpn, SparseTable};

/// An entry, in a list from the most to the least recently used.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    dirty: bool,
    newer: Option<u32>,
    older: Option<u32>,
}

/// A table of at most `capacity` entries, one logical page each.
#[derive(Clone, Debug)]
pub struct CachedTable {
    /// The first logical page.
    first: u32,
    /// By logical page, from the first on: its entry's place plus one; zero is none.
    place_of: SparseTable<u32>,
    entries: Vec<Entry>,
    capacity: usize,
    newest: Option<u32>,
    oldest: Option<u32>,
}

impl CachedTable {
    /// An empty table for these logical pages.
    pub fn new(logical_pages: &Range<u32>, capacity: u32) -> Self {
        Self {
            first: logical_pages.start,
            place_of: SparseTable::new(logical_pages.len()),
            entries: Vec::new(),
            capacity: capacity.max(1) as usize,
            newest: None,
            oldest: None,
        }
    }

    /// Uses the entry of a logical page, if it is there. Says whether it is.
    #[inline]
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let Some(place) = self.place(lpn) else { return false };
        self.unlink(place);
        self.link_newest(place);
        true
    }

    /// Puts an entry in, or uses the one that is there. An entry that has to make room for it and
    /// that flash does not know yet is returned.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool) -> Option<Lpn> {
        if self.touch(lpn) {
            self.change(lpn, dirty);
            return None;
        }
        let entry = Entry { lpn, dirty, newer: None, older: None };
        let (place, evicted) = match self.oldest {
            Some(oldest) if self.entries.len() == self.capacity => {
                (oldest, Some(self.replace(oldest, entry)))
            }
            _ => {
                self.entries.push(entry);
                (self.entries.len() as u32 - 1, None)
            }
        };
        *self.place_of.entry(self.index(lpn)) = place + 1;
        self.link_newest(place);
        evicted.filter(|entry| entry.dirty).map(|entry| entry.lpn)
    }

    /// Marks an entry as unknown to flash, if it is there and `dirty` is said.
    #[inline]
    pub fn change(&mut self, lpn: Lpn, dirty: bool) {
        if let Some(place) = self.place(lpn) {
            self.entries[place as usize].dirty |= dirty;
        }
    }

    /// All entries of these logical pages are on their way to flash.
    pub fn clean(&mut self, lpns: Range<u32>) {
        for lpn in lpns {
            if let Some(place) = self.place(Lpn(lpn)) {
                self.entries[place as usize].dirty = false;
            }
        }
    }

    #[inline]
    fn place(&self, lpn: Lpn) -> Option<u32> {
        self.place_of.get(self.index(lpn)).checked_sub(1)
    }

    #[inline]
    fn index(&self, lpn: Lpn) -> usize {
        (lpn.0 - self.first) as usize
    }

    fn replace(&mut self, place: u32, entry: Entry) -> Entry {
        self.unlink(place);
        let old = std::mem::replace(&mut self.entries[place as usize], entry);
        *self.place_of.entry(self.index(old.lpn)) = 0;
        old
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let Entry { newer, older, .. } = self.entries[place as usize];
        match newer {
            Some(newer) => self.entries[newer as usize].older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => self.entries[older as usize].newer = newer,
            None => self.oldest = newer,
        }
    }

    #[inline]
    fn link_newest(&mut self, place: u32) {
        let older = self.newest.replace(place);
        match older {
            Some(older) => self.entries[older as usize].newer = Some(place),
            None => self.oldest = Some(place),
        }
        let entry = &mut self.entries[place as usize];
        (entry.newer, entry.older) = (None, older);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_entry_makes_room_and_is_named_if_dirty() {
        let mut table = CachedTable::new(&(0..10), 2);
        assert_eq!(table.insert(Lpn(1), true), None);
        assert_eq!(table.insert(Lpn(2), false), None);
        assert!(table.touch(Lpn(1)));
        assert_eq!(table.insert(Lpn(3), false), None, "2 was the oldest, and clean");
        assert!(!table.touch(Lpn(2)));
        assert_eq!(table.insert(Lpn(4), false), Some(Lpn(1)));
        assert!(table.touch(Lpn(3)) && table.touch(Lpn(4)) && !table.touch(Lpn(1)));
    }

    #[test]
    fn an_entry_that_was_cleaned_is_not_named_until_it_changes_again() {
        let mut table = CachedTable::new(&(0..10), 1);
        table.insert(Lpn(1), true);
        table.clean(0..5);
        assert_eq!(table.insert(Lpn(2), false), None);
        table.change(Lpn(2), true);
        table.insert(Lpn(2), false);
        assert_eq!(table.insert(Lpn(3), false), Some(Lpn(2)));
    }
}
