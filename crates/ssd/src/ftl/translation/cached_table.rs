//! The cached mapping table: which entries of the map the controller holds, least recently used last.

use std::ops::Range;

use crate::geometry::{Lpn, SparseTable};

/// An entry, in a list from the most to the least recently used.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    dirty: bool,
    /// It keeps its place for what is on its way from flash.
    awaited: bool,
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
    /// Entries that are being cleaned; kept for its memory.
    changed: Vec<u32>,
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
            changed: Vec::new(),
        }
    }

    /// Uses the entry of a logical page, if it is there. Says whether it is.
    #[inline]
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        match self.place(lpn) {
            Some(place) if !self.entries[place as usize].awaited => {
                self.unlink(place);
                self.link_newest(place);
                true
            }
            _ => false,
        }
    }

    /// Whether a place is kept for an entry that will come from flash.
    pub fn awaits(&self, lpn: Lpn) -> bool {
        self.place(lpn).is_some_and(|place| self.entries[place as usize].awaited)
    }

    /// Keeps a place for an entry that will come from flash, as the one used last. What makes room for
    /// it is returned as by `insert`.
    pub fn reserve(&mut self, lpn: Lpn) -> Option<Lpn> {
        match self.place(lpn) {
            Some(_) => None,
            None => self.push(Entry { lpn, dirty: false, awaited: true, newer: None, older: None }),
        }
    }

    /// Puts an entry in, or uses the one that is there. An entry that has to make room for it and
    /// that flash does not know yet is returned.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool) -> Option<Lpn> {
        if let Some(place) = self.place(lpn) {
            self.entries[place as usize].awaited = false;
            self.touch(lpn);
            self.change(lpn, dirty);
            return None;
        }
        self.push(Entry { lpn, dirty, awaited: false, newer: None, older: None })
    }

    fn push(&mut self, entry: Entry) -> Option<Lpn> {
        let index = self.index(entry.lpn);
        let (place, evicted) = match self.oldest {
            Some(oldest) if self.entries.len() == self.capacity => {
                (oldest, Some(self.replace(oldest, entry)))
            }
            _ => {
                self.entries.push(entry);
                (self.entries.len() as u32 - 1, None)
            }
        };
        *self.place_of.entry(index) = place + 1;
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
        self.place_of.for_each_in(self.indices(&lpns), |_, place| {
            self.entries[place as usize - 1].dirty = false;
        });
    }

    /// All entries of these logical pages but the newest, for which room was just made, are on their way to flash, and
    /// those that changed count as used before it, in the order of their pages. The others, which flash knows, are
    /// given to `visit`.
    pub fn clean_and_use(&mut self, lpns: Range<u32>, mut visit: impl FnMut(Lpn)) {
        let newest = self.newest;
        let mut changed = std::mem::take(&mut self.changed);
        let first = self.first;
        self.place_of.for_each_in(self.indices(&lpns), |index, place| {
            let entry = &mut self.entries[place as usize - 1];
            if newest == Some(place - 1) || entry.awaited {
                return;
            }
            if std::mem::replace(&mut entry.dirty, false) {
                changed.push(place - 1);
            } else {
                visit(Lpn(first + index as u32));
            }
        });
        for place in changed.drain(..).chain(newest) {
            self.unlink(place);
            self.link_newest(place);
        }
        self.changed = changed;
    }

    /// The entries and whether flash does not know them, the one that was used longest ago first.
    pub fn by_age(&self) -> impl Iterator<Item = (Lpn, bool)> {
        let next = |place: &u32| self.entries[*place as usize].newer;
        let places = std::iter::successors(self.oldest, next);
        places.map(|place| (self.entries[place as usize].lpn, self.entries[place as usize].dirty))
    }

    #[inline]
    fn place(&self, lpn: Lpn) -> Option<u32> {
        self.place_of.get(self.index(lpn)).checked_sub(1)
    }

    fn indices(&self, lpns: &Range<u32>) -> Range<usize> {
        (lpns.start - self.first) as usize..(lpns.end - self.first) as usize
    }

    #[inline]
    fn index(&self, lpn: Lpn) -> usize {
        (lpn.0 - self.first) as usize
    }

    fn replace(&mut self, place: u32, entry: Entry) -> Entry {
        self.unlink(place);
        let old = std::mem::replace(&mut self.entries[place as usize], entry);
        self.place_of.clear(self.index(old.lpn));
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
    fn a_reserved_entry_takes_a_place_but_is_not_there_until_it_comes() {
        let mut table = CachedTable::new(&(0..10), 2);
        table.insert(Lpn(1), true);
        assert_eq!(table.reserve(Lpn(2)), None);
        assert_eq!(table.reserve(Lpn(2)), None, "it has its place");
        assert!(!table.touch(Lpn(2)));
        assert_eq!(table.reserve(Lpn(3)), Some(Lpn(1)));
        assert_eq!(table.insert(Lpn(2), false), None);
        assert!(table.touch(Lpn(2)) && !table.touch(Lpn(3)) && !table.touch(Lpn(1)));
    }

    #[test]
    fn cleaning_may_count_as_a_use_of_dirty_entries_but_for_which_room_was_made_stays_newest() {
        let mut table = CachedTable::new(&(0..10), 4);
        for (lpn, dirty) in [(1, true), (2, false), (3, true)] {
            table.insert(Lpn(lpn), dirty);
        }
        table.reserve(Lpn(4));
        let mut known = Vec::new();
        table.clean_and_use(0..5, |lpn| known.push(lpn.0));
        assert_eq!(known, [2]);
        let order: Vec<_> = table.by_age().map(|(lpn, dirty)| (lpn.0, dirty)).collect();
        assert_eq!(order, [(2, false), (1, false), (3, false), (4, false)]);
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

    #[test]
    fn what_is_cleaned_may_count_as_used_and_what_was_clean_is_told() {
        let mut table = CachedTable::new(&(0..100), 5);
        for (lpn, dirty) in [(2, true), (5, false), (1, true), (40, true), (6, true)] {
            table.insert(Lpn(lpn), dirty);
        }
        let mut clean = Vec::new();
        table.clean_and_use(0..10, |lpn| clean.push(lpn));
        assert_eq!(clean, [Lpn(5)], "6 is the newest, and not looked at");
        assert_eq!(table.insert(Lpn(60), false), None, "5 leaves");
        assert_eq!(table.insert(Lpn(61), false), Some(Lpn(40)), "40 was not cleaned");
        assert_eq!(table.insert(Lpn(62), false), None);
        assert!(table.touch(Lpn(2)), "1 came before 2");
        assert!(!table.touch(Lpn(1)));
        assert_eq!(table.insert(Lpn(63), false), Some(Lpn(6)), "nor was the newest");
    }
}
