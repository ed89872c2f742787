//! Cached mapping table: the map entries in the controller's memory, in LRU order.

use std::ops::Range;

use venice_nand::geometry::{Lpn, PageIndex};

/// Mapping entry in the table. It is linked into the LRU ring and into the list of entries of its translation
/// page.
#[derive(Clone, Copy, Debug)]
struct CachedEntry {
    lpn: Lpn,
    /// Index of the entry's translation page, counted from the first translation page of the table.
    page: u32,
    newer: u32,
    older: u32,
    before: u32,
    behind: u32,
    dirty: bool,
    /// True if the entry is reserved while its translation page is being read from flash.
    awaited: bool,
}

/// Slot of the sentinel, which closes the LRU ring and ends the lists. Its neighbours in the ring are the
/// least and the most recently used entry.
const END: u32 = 0;

/// Result of reserving an entry of the cached mapping table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedEntry {
    /// True if the entry was already reserved before the call.
    pub was_awaited: bool,
    /// Logical page of the dirty entry that was evicted to make room for the new one; `None` if no dirty
    /// entry was evicted.
    pub evicted: Option<Lpn>,
}

/// LRU table of at most `capacity` mapping entries, each for one logical page.
#[derive(Clone, Debug)]
pub struct CachedTable {
    /// Slot of the entry of each logical page.
    places: PageIndex,
    /// Entries, indexed by slot. The slot [`END`] is the sentinel.
    entries: Vec<CachedEntry>,
    capacity: usize,
    /// Number of the table's first translation page.
    first_page: u32,
    /// First entry in the list of each translation page, as a slot of the table. The index 0 stands for the
    /// translation page `first_page`.
    heads: Vec<u32>,
    /// Entries that are being marked as clean. The vector is kept to reuse its memory.
    cleaned: Vec<u32>,
}

impl CachedTable {
    /// Creates an empty table for the entries of `translation_pages`.
    pub fn new(translation_pages: &Range<u32>, capacity: u32) -> Self {
        let none = CachedEntry {
            lpn: Lpn(u32::MAX),
            page: 0,
            newer: END,
            older: END,
            before: END,
            behind: END,
            dirty: false,
            awaited: false,
        };
        Self {
            places: PageIndex::new(),
            entries: vec![none],
            capacity: capacity.max(1) as usize,
            first_page: translation_pages.start,
            heads: vec![END; translation_pages.len()],
            cleaned: Vec::new(),
        }
    }

    /// Marks the entry of a logical page as the most recently used one. Returns true if the table contains
    /// the entry.
    #[inline]
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let place = self.places.get(lpn).filter(|&place| !self.entries[place as usize].awaited);
        if let Some(place) = place {
            self.make_newest(place);
        }
        place.is_some()
    }

    /// Reserves an entry whose contents are being read from flash, and marks it as the most recently used
    /// one. An entry that is already in the table is not changed. `page` is the entry's translation page.
    pub fn reserve(&mut self, lpn: Lpn, page: u32) -> ReservedEntry {
        if let Some(place) = self.places.get(lpn) {
            return ReservedEntry { was_awaited: self.entries[place as usize].awaited, evicted: None };
        }
        ReservedEntry { was_awaited: false, evicted: self.push(lpn, page, false, true) }
    }

    /// Inserts an entry, or marks the existing one as the most recently used. `page` is the entry's
    /// translation page. Returns the dirty entry that was evicted for it, if any.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, page: u32, dirty: bool) -> Option<Lpn> {
        let Some(place) = self.places.get(lpn) else { return self.push(lpn, page, dirty, false) };
        let entry = &mut self.entries[place as usize];
        (entry.awaited, entry.dirty) = (false, entry.dirty | dirty);
        self.make_newest(place);
        None
    }

    fn push(&mut self, lpn: Lpn, page: u32, dirty: bool, awaited: bool) -> Option<Lpn> {
        let (place, evicted) = if self.entries.len() > self.capacity {
            self.evict()
        } else {
            self.entries.push(self.entries[END as usize]);
            (self.entries.len() as u32 - 1, None)
        };
        self.places.insert(lpn, place);
        let entry = &mut self.entries[place as usize];
        (entry.lpn, entry.page, entry.dirty, entry.awaited) = (lpn, page - self.first_page, dirty, awaited);
        self.link_newest(place);
        self.join_page(place);
        evicted
    }

    /// Evicts the least recently used entry. Returns its slot, and its logical page if the entry is dirty.
    fn evict(&mut self) -> (u32, Option<Lpn>) {
        let place = self.entries[END as usize].newer;
        self.unlink(place);
        self.leave_page(place);
        let CachedEntry { lpn, dirty, .. } = self.entries[place as usize];
        self.places.remove(lpn);
        (place, dirty.then_some(lpn))
    }

    /// Marks an entry as dirty, if `dirty` is true and the entry is in the table.
    #[inline]
    pub fn change(&mut self, lpn: Lpn, dirty: bool) {
        if let Some(place) = self.places.get(lpn) {
            self.entries[place as usize].dirty |= dirty;
        }
    }

    /// Marks all entries of a translation page as clean.
    pub fn clean(&mut self, page: u32) {
        let mut place = self.heads[(page - self.first_page) as usize];
        while place != END {
            let entry = &mut self.entries[place as usize];
            entry.dirty = false;
            place = entry.behind;
        }
    }

    /// Marks the entries of a translation page as clean, as in MQSim. Two kinds of entries are excluded:
    /// reserved ones, and the most recently used entry of the table. The insertion of that entry caused the
    /// eviction that requires the write-back.
    ///
    /// Entries that were dirty become the most recently used ones after the excluded one, in the order of
    /// their logical pages. Calls `visit` with the entries that were already clean, in the same order.
    pub fn clean_and_use(&mut self, page: u32, mut visit: impl FnMut(Lpn)) {
        let newest = self.entries[END as usize].older;
        let mut cleaned = std::mem::take(&mut self.cleaned);
        let is_cleaned = |&place: &u32| place != newest && !self.entries[place as usize].awaited;
        cleaned.extend(self.of_page(page).filter(is_cleaned));
        cleaned.sort_unstable_by_key(|&place| self.entries[place as usize].lpn);
        cleaned.retain(|&place| {
            let entry = &mut self.entries[place as usize];
            let has_changed = std::mem::replace(&mut entry.dirty, false);
            if !has_changed {
                visit(entry.lpn);
            }
            has_changed
        });
        if !cleaned.is_empty() {
            for place in cleaned.drain(..).chain([newest]) {
                self.make_newest(place);
            }
        }
        self.cleaned = cleaned;
    }

    /// Iterates over the entries, the least recently used first. The flag is true if the entry is dirty.
    pub fn by_age(&self) -> impl Iterator<Item = (Lpn, bool)> {
        let newer = |place: u32| Some(self.entries[place as usize].newer).filter(|&place| place != END);
        let places = std::iter::successors(newer(END), move |&place| newer(place));
        places.map(|place| (self.entries[place as usize].lpn, self.entries[place as usize].dirty))
    }

    /// Iterates over the slots of all entries of a translation page.
    fn of_page(&self, page: u32) -> impl Iterator<Item = u32> {
        let some = |place: u32| Some(place).filter(|&place| place != END);
        let head = some(self.heads[(page - self.first_page) as usize]);
        std::iter::successors(head, move |&place| some(self.entries[place as usize].behind))
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
        let CachedEntry { newer, older, .. } = self.entries[place as usize];
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

    #[inline]
    fn join_page(&mut self, place: u32) {
        let head = &mut self.heads[self.entries[place as usize].page as usize];
        let behind = std::mem::replace(head, place);
        self.entries[behind as usize].before = place;
        let entry = &mut self.entries[place as usize];
        (entry.before, entry.behind) = (END, behind);
    }

    #[inline]
    fn leave_page(&mut self, place: u32) {
        let CachedEntry { page, before, behind, .. } = self.entries[place as usize];
        if before == END {
            self.heads[page as usize] = behind;
        }
        self.entries[before as usize].behind = behind;
        self.entries[behind as usize].before = before;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Number of logical pages in a translation page.
    const PER_PAGE: u32 = 10;

    fn table(capacity: u32) -> CachedTable {
        CachedTable::new(&(0..10), capacity)
    }

    fn insert(table: &mut CachedTable, lpn: u32, dirty: bool) -> Option<Lpn> {
        table.insert(Lpn(lpn), lpn / PER_PAGE, dirty)
    }

    #[test]
    fn the_least_recently_used_entry_makes_room_and_is_named_if_dirty() {
        let mut table = table(2);
        assert_eq!(insert(&mut table, 1, true), None);
        assert_eq!(insert(&mut table, 2, false), None);
        assert!(table.touch(Lpn(1)));
        assert_eq!(insert(&mut table, 3, false), None, "2 was the oldest, and clean");
        assert!(!table.touch(Lpn(2)));
        assert_eq!(insert(&mut table, 4, false), Some(Lpn(1)));
        assert!(table.touch(Lpn(3)) && table.touch(Lpn(4)) && !table.touch(Lpn(1)));
    }

    #[test]
    fn a_reserved_entry_takes_a_place_but_is_not_there_until_it_comes() {
        let mut table = table(2);
        insert(&mut table, 1, true);
        assert_eq!(table.reserve(Lpn(2), 2 / PER_PAGE), ReservedEntry { was_awaited: false, evicted: None });
        let again = ReservedEntry { was_awaited: true, evicted: None };
        assert_eq!(table.reserve(Lpn(2), 2 / PER_PAGE), again, "it has its place");
        assert!(!table.touch(Lpn(2)));
        assert_eq!(
            table.reserve(Lpn(3), 3 / PER_PAGE),
            ReservedEntry { was_awaited: false, evicted: Some(Lpn(1)) }
        );
        assert_eq!(insert(&mut table, 2, false), None);
        assert!(table.touch(Lpn(2)) && !table.touch(Lpn(3)) && !table.touch(Lpn(1)));
    }

    #[test]
    fn cleaning_may_count_as_a_use_of_dirty_entries_but_for_which_room_was_made_stays_newest() {
        let mut table = table(4);
        for (lpn, dirty) in [(1, true), (2, false), (3, true)] {
            insert(&mut table, lpn, dirty);
        }
        table.reserve(Lpn(4), 4 / PER_PAGE);
        let mut known = Vec::new();
        table.clean_and_use(0, |lpn| known.push(lpn.0));
        assert_eq!(known, [2]);
        let order: Vec<_> = table.by_age().map(|(lpn, dirty)| (lpn.0, dirty)).collect();
        assert_eq!(order, [(2, false), (1, false), (3, false), (4, false)]);
    }

    #[test]
    fn an_entry_that_was_cleaned_is_not_named_until_it_changes_again() {
        let mut table = table(1);
        insert(&mut table, 1, true);
        table.clean(0);
        assert_eq!(insert(&mut table, 2, false), None);
        table.change(Lpn(2), true);
        insert(&mut table, 2, false);
        assert_eq!(insert(&mut table, 3, false), Some(Lpn(2)));
    }

    #[test]
    fn cleaned_entries_may_count_as_used_and_clean_ones_are_reported() {
        let mut table = table(5);
        for (lpn, dirty) in [(2, true), (5, false), (1, true), (40, true), (6, true)] {
            insert(&mut table, lpn, dirty);
        }
        let mut clean = Vec::new();
        table.clean_and_use(0, |lpn| clean.push(lpn));
        assert_eq!(clean, [Lpn(5)], "6 is the newest, and not looked at");
        assert_eq!(insert(&mut table, 60, false), None, "5 leaves");
        assert_eq!(insert(&mut table, 61, false), Some(Lpn(40)), "40 was not cleaned");
        assert_eq!(insert(&mut table, 62, false), None);
        assert!(table.touch(Lpn(2)), "1 came before 2");
        assert!(!table.touch(Lpn(1)));
        assert_eq!(insert(&mut table, 63, false), Some(Lpn(6)), "nor was the newest");
    }

    /// Reference model of the table: a list of entries, the least recently used first.
    struct ReferenceTable(Vec<(u32, bool)>);

    impl ReferenceTable {
        fn insert(&mut self, lpn: u32, dirty: bool, capacity: usize) -> Option<Lpn> {
            let place = self.0.iter().position(|entry| entry.0 == lpn);
            let evicted = (place.is_none() && self.0.len() == capacity).then(|| self.0.remove(0));
            let before = place.map(|place| self.0.remove(place));
            self.0.push((lpn, dirty | before.is_some_and(|entry| entry.1)));
            evicted.filter(|entry| entry.1).map(|entry| Lpn(entry.0))
        }

        /// Marks the entries of a translation page as clean. Returns the entries that were clean before.
        fn clean_and_use(&mut self, page: u32) -> Vec<Lpn> {
            let Some(newest) = self.0.pop() else { return Vec::new() };
            let (mut of_page, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.0)
                .into_iter()
                .partition(|entry| entry.0 / PER_PAGE == page && entry.1);
            of_page.sort_unstable();
            let mut clean: Vec<_> =
                others.iter().map(|entry| entry.0).filter(|lpn| lpn / PER_PAGE == page).collect();
            clean.sort_unstable();
            self.0 = others.into_iter().chain(of_page.into_iter().map(|entry| (entry.0, false))).collect();
            self.0.push(newest);
            clean.into_iter().map(Lpn).collect()
        }
    }

    proptest! {
        #[test]
        fn entries_leave_and_are_cleaned_as_those_of_a_list_are(
            steps in prop::collection::vec((0_u32..100, any::<bool>(), any::<bool>()), 0..300),
            capacity in 1_usize..40,
        ) {
            let (mut table, mut listed) = (table(capacity as u32), ReferenceTable(Vec::new()));
            for (lpn, dirty, cleans) in steps {
                prop_assert_eq!(insert(&mut table, lpn, dirty), listed.insert(lpn, dirty, capacity));
                if cleans {
                    let mut clean = Vec::new();
                    table.clean_and_use(lpn / PER_PAGE, |lpn| clean.push(lpn));
                    prop_assert_eq!(clean, listed.clean_and_use(lpn / PER_PAGE));
                }
                let by_age: Vec<_> = table.by_age().map(|(lpn, dirty)| (lpn.0, dirty)).collect();
                prop_assert_eq!(&by_age, &listed.0);
            }
        }
    }
}
