//! The cached mapping table: which entries of the map the controller holds, least recently used last.

use std::ops::Range;

use crate::geometry::{Lpn, SparseTable};

use super::near::Near;

/// An entry, in a ring from the most to the least recently used.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    newer: u32,
    older: u32,
    dirty: bool,
    /// It keeps its place for what is on its way from flash.
    awaited: bool,
}

/// The place of what closes the ring: the newest is older than it, the oldest newer.
const END: u32 = 0;

/// A place that is kept for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// It was kept before.
    pub was_awaited: bool,
    /// What made room for it, if flash does not know that.
    pub evicted: Option<Lpn>,
}

/// A table of at most `capacity` entries, one logical page each.
#[derive(Clone, Debug)]
pub struct CachedTable {
    /// The first logical page.
    first: u32,
    /// By logical page, from the first on: its entry's place; zero is none.
    place_of: SparseTable<u32>,
    /// Where entries are at all.
    near: Near,
    /// By place; at [`END`] is none.
    entries: Vec<Entry>,
    capacity: usize,
    /// Entries that are being cleaned; kept for its memory.
    changed: Vec<u32>,
}

impl CachedTable {
    /// An empty table for these logical pages.
    pub fn new(logical_pages: &Range<u32>, capacity: u32) -> Self {
        let end = Entry { lpn: Lpn(u32::MAX), newer: END, older: END, dirty: false, awaited: false };
        Self {
            first: logical_pages.start,
            place_of: SparseTable::new(logical_pages.len()),
            near: Near::new(logical_pages.len()),
            entries: vec![end],
            capacity: capacity.max(1) as usize,
            changed: Vec::new(),
        }
    }

    /// Uses the entry of a logical page, if it is there. Says whether it is.
    #[inline]
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let place = self.place(lpn);
        let is_there = place != END && !self.entries[place as usize].awaited;
        if is_there {
            self.make_newest(place);
        }
        is_there
    }

    /// Keeps a place for an entry that will come from flash, as the one used last, unless it has one.
    pub fn reserve(&mut self, lpn: Lpn) -> Reserved {
        let place = self.place(lpn);
        if place != END {
            return Reserved { was_awaited: self.entries[place as usize].awaited, evicted: None };
        }
        Reserved { was_awaited: false, evicted: self.push(lpn, false, true) }
    }

    /// Puts an entry in, or uses the one that is there. An entry that has to make room for it and
    /// that flash does not know yet is returned.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, dirty: bool) -> Option<Lpn> {
        let place = self.place(lpn);
        if place == END {
            return self.push(lpn, dirty, false);
        }
        let entry = &mut self.entries[place as usize];
        (entry.awaited, entry.dirty) = (false, entry.dirty | dirty);
        self.make_newest(place);
        None
    }

    fn push(&mut self, lpn: Lpn, dirty: bool, awaited: bool) -> Option<Lpn> {
        let (place, evicted) = if self.entries.len() > self.capacity {
            self.evict()
        } else {
            self.entries.push(self.entries[END as usize]);
            (self.entries.len() as u32 - 1, None)
        };
        let index = self.index(lpn);
        *self.place_of.entry(index) = place;
        self.near.set(index);
        let entry = &mut self.entries[place as usize];
        (entry.lpn, entry.dirty, entry.awaited) = (lpn, dirty, awaited);
        self.link_newest(place);
        evicted
    }

    /// The oldest entry leaves its place: which that is, and what it was if flash does not know it.
    fn evict(&mut self) -> (u32, Option<Lpn>) {
        let place = self.entries[END as usize].newer;
        self.unlink(place);
        let Entry { lpn, dirty, .. } = self.entries[place as usize];
        let index = self.index(lpn);
        if self.place_of.clear(index) {
            self.near.unset(index);
        }
        (place, dirty.then_some(lpn))
    }

    /// Marks an entry as unknown to flash, if it is there and `dirty` is said.
    #[inline]
    pub fn change(&mut self, lpn: Lpn, dirty: bool) {
        let place = self.place(lpn);
        if place != END {
            self.entries[place as usize].dirty |= dirty;
        }
    }

    /// All entries of these logical pages are on their way to flash.
    pub fn clean(&mut self, lpns: Range<u32>) {
        let Self { place_of, near, entries, .. } = self;
        near.visit(place_of, Self::indices(self.first, &lpns), |_, place| {
            entries[place as usize].dirty = false;
        });
    }

    /// All entries of these logical pages but the newest, for which room was just made, are on their way to flash, and
    /// those that changed count as used before it, in the order of their pages. The others, which flash knows, are
    /// given to `visit`.
    pub fn clean_and_use(&mut self, lpns: Range<u32>, mut visit: impl FnMut(Lpn)) {
        let newest = self.entries[END as usize].older;
        let mut changed = std::mem::take(&mut self.changed);
        let Self { first, place_of, near, entries, .. } = self;
        near.visit(place_of, Self::indices(*first, &lpns), |index, place| {
            let entry = &mut entries[place as usize];
            if newest == place || entry.awaited {
                return;
            }
            if std::mem::replace(&mut entry.dirty, false) {
                changed.push(place);
            } else {
                visit(Lpn(*first + index as u32));
            }
        });
        if !changed.is_empty() {
            for place in changed.drain(..).chain([newest]) {
                self.make_newest(place);
            }
        }
        self.changed = changed;
    }

    /// The entries and whether flash does not know them, the one that was used longest ago first.
    pub fn by_age(&self) -> impl Iterator<Item = (Lpn, bool)> {
        let newer = |place: u32| Some(self.entries[place as usize].newer).filter(|&place| place != END);
        let places = std::iter::successors(newer(END), move |&place| newer(place));
        places.map(|place| (self.entries[place as usize].lpn, self.entries[place as usize].dirty))
    }

    /// Where the entry of a logical page is; at the end if nowhere.
    #[inline]
    fn place(&self, lpn: Lpn) -> u32 {
        self.place_of.get(self.index(lpn))
    }

    fn indices(first: u32, lpns: &Range<u32>) -> Range<usize> {
        (lpns.start - first) as usize..(lpns.end - first) as usize
    }

    #[inline]
    const fn index(&self, lpn: Lpn) -> usize {
        (lpn.0 - self.first) as usize
    }

    #[inline]
    fn make_newest(&mut self, place: u32) {
        if self.entries[END as usize].older != place {
            self.unlink(place);
            self.link_newest(place);
        }
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let Entry { newer, older, .. } = self.entries[place as usize];
        self.entries[newer as usize].older = older;
        self.entries[older as usize].newer = newer;
    }

    #[inline]
    fn link_newest(&mut self, place: u32) {
        let older = std::mem::replace(&mut self.entries[END as usize].older, place);
        self.entries[older as usize].newer = place;
        let entry = &mut self.entries[place as usize];
        (entry.newer, entry.older) = (END, older);
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
        assert_eq!(table.reserve(Lpn(2)), Reserved { was_awaited: false, evicted: None });
        let again = Reserved { was_awaited: true, evicted: None };
        assert_eq!(table.reserve(Lpn(2)), again, "it has its place");
        assert!(!table.touch(Lpn(2)));
        assert_eq!(table.reserve(Lpn(3)), Reserved { was_awaited: false, evicted: Some(Lpn(1)) });
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
