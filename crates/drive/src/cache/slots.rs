//! Table of the cached pages, and their order of use (LRU).

use slab::Slab;
use venice_nand::geometry::{Lpn, PageIndex};

use super::flush::FlushNumber;

/// Index of a cached page in the table of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotId(u32);

/// State of the data in a cached page: clean (flash has it), dirty (flash does not), or being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotState {
    /// Flash has the same data.
    Clean,
    /// Flash does not have the data, and no write is in progress.
    Dirty,
    /// The data is being written to flash.
    BeingWritten,
}

/// Owner of a cached page: its partition, its write lane and its host queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotOwner {
    /// Partition whose space the page occupies.
    pub(super) partition: u32,
    /// Write lane whose DRAM accesses read the page when it is evicted.
    pub(super) lane: u32,
    /// Host queue whose request brought the page into the cache.
    pub(super) queue: u16,
}

/// Cached page.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheSlot {
    /// Logical page that is cached.
    pub(super) lpn: Lpn,
    /// Partition whose space the page occupies.
    pub(super) partition: u32,
    /// Host queue whose request brought the page into the cache.
    pub(super) queue: u16,
    /// Write lane whose DRAM accesses read the page when it is evicted. The lane of a page never changes, so
    /// that its evictions stay in order.
    pub(super) lane: u32,
    /// Bit mask of the cached sectors.
    pub(super) sectors: u64,
    /// State of the page's data: clean, dirty or being written to flash.
    pub(super) state: SlotState,
    /// Number of destages of the page that are in progress.
    pub(super) destages: u32,
    /// Earliest flush that waits for the page's dirty data.
    pub(super) flush: Option<FlushNumber>,
    /// True if the page occupies space of its partition. An evicted page is kept without space until flash
    /// has its data.
    pub(super) resident: bool,
    older: Option<SlotId>,
    newer: Option<SlotId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Recency {
    oldest: Option<SlotId>,
    newest: Option<SlotId>,
    len: u32,
    /// Number of dirty pages of the partition.
    dirty: u32,
    /// Number of pages of the partition whose data flash does not have: dirty or being written.
    volatile: u32,
}

impl Recency {
    /// Counts a page whose data is in the state `state`.
    fn count(&mut self, state: SlotState) {
        self.dirty += u32::from(state == SlotState::Dirty);
        self.volatile += u32::from(state != SlotState::Clean);
    }

    /// Removes a page whose data is in the state `state` from the counts.
    fn uncount(&mut self, state: SlotState) {
        self.dirty -= u32::from(state == SlotState::Dirty);
        self.volatile -= u32::from(state != SlotState::Clean);
    }
}

/// Table of all cached pages, with an LRU list for each partition.
#[derive(Clone, Debug)]
pub(super) struct CacheSlots {
    /// Index of the slot of each cached logical page.
    by_page: PageIndex,
    pages: Slab<CacheSlot>,
    partitions: Vec<Recency>,
}

impl CacheSlots {
    /// Creates an empty table for a cache of `partitions` partitions.
    pub(super) fn new(partitions: u32) -> Self {
        Self {
            by_page: PageIndex::new(),
            pages: Slab::new(),
            partitions: vec![Recency::default(); partitions as usize],
        }
    }

    /// Sets the state of the data in a cached page.
    #[inline]
    pub(super) fn set_state(&mut self, id: SlotId, state: SlotState) {
        let slot = &mut self.pages[id.0 as usize];
        let partition = &mut self.partitions[slot.partition as usize];
        partition.count(state);
        partition.uncount(slot.state);
        slot.state = state;
    }

    /// Returns the dirty pages of a cache partition, the least recently used first.
    pub(super) fn dirty(&self, partition: u32) -> Vec<SlotId> {
        let Recency { newest, dirty, .. } = self.partitions[partition as usize];
        let by_age = std::iter::successors(newest, |&id| self.get(id).older);
        let is_dirty = |id: &SlotId| self.get(*id).state == SlotState::Dirty;
        let mut found: Vec<SlotId> = by_age.filter(is_dirty).take(dirty as usize).collect();
        found.reverse();
        found
    }

    /// Returns the pages with data that flash does not have, each with a bit mask of its sectors.
    pub(super) fn volatile(&self) -> impl Iterator<Item = (u32, u64)> {
        let slots = self.pages.iter().map(|(_, slot)| slot);
        slots.filter(|slot| slot.state != SlotState::Clean).map(|slot| (slot.lpn.0, slot.sectors))
    }

    /// Returns the number of pages with data that flash does not have.
    pub(super) fn volatile_pages(&self) -> u64 {
        self.partitions.iter().map(|partition| u64::from(partition.volatile)).sum()
    }

    /// Returns the dirty pages, each with a bit mask of its sectors, and marks them clean.
    pub(super) fn take_dirty(&mut self) -> Vec<(Lpn, u64)> {
        for partition in &mut self.partitions {
            partition.volatile -= std::mem::take(&mut partition.dirty);
        }
        let dirty = self.pages.iter_mut().map(|(_, slot)| slot).filter(|slot| slot.state == SlotState::Dirty);
        dirty
            .map(|slot| (std::mem::replace(&mut slot.state, SlotState::Clean), (slot.lpn, slot.sectors)).1)
            .collect()
    }

    /// Returns the slot of a logical page, if the page is cached.
    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> Option<SlotId> {
        self.by_page.get(lpn).map(SlotId)
    }

    #[inline]
    pub(super) fn get(&self, id: SlotId) -> &CacheSlot {
        &self.pages[id.0 as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: SlotId) -> &mut CacheSlot {
        &mut self.pages[id.0 as usize]
    }

    /// Returns the number of pages that occupy space in a partition.
    pub(super) fn resident(&self, partition: u32) -> u32 {
        self.partitions[partition as usize].len
    }

    /// Returns the least recently used page of a partition.
    pub(super) fn oldest(&self, partition: u32) -> Option<SlotId> {
        self.partitions[partition as usize].oldest
    }

    /// Inserts a page as the most recently used one.
    pub(super) fn insert(&mut self, lpn: Lpn, owner: SlotOwner, sectors: u64, state: SlotState) -> SlotId {
        let SlotOwner { partition, lane, queue } = owner;
        let (older, newer) = (None, None);
        let slot = CacheSlot {
            lpn,
            partition,
            queue,
            lane,
            sectors,
            state,
            destages: 0,
            flush: None,
            resident: false,
            older,
            newer,
        };
        let id = SlotId(self.pages.insert(slot) as u32);
        self.by_page.insert(lpn, id.0);
        self.partitions[partition as usize].count(state);
        self.settle(id);
        id
    }

    /// Removes an evicted page (one that occupies no space) from the table.
    pub(super) fn remove(&mut self, id: SlotId) {
        let slot = self.pages.remove(id.0 as usize);
        debug_assert!(!slot.resident, "{slot:?} is still in its partition's order");
        self.partitions[slot.partition as usize].uncount(slot.state);
        self.by_page.remove(slot.lpn);
    }

    /// Marks a page as the most recently used one.
    #[inline]
    pub(super) fn touch(&mut self, id: SlotId) {
        if self.get(id).resident {
            self.unsettle(id);
            self.settle(id);
        }
    }

    /// Allocates space in the cache partition of a page to the page, and makes the page the most recently
    /// used one.
    pub(super) fn settle(&mut self, id: SlotId) {
        let recency = &mut self.partitions[self.pages[id.0 as usize].partition as usize];
        recency.len += 1;
        let older = recency.newest.replace(id);
        match older {
            Some(older) => self.get_mut(older).newer = Some(id),
            None => recency.oldest = Some(id),
        }
        let slot = self.get_mut(id);
        (slot.older, slot.newer, slot.resident) = (older, None, true);
    }

    /// Releases the space of a page. The page can still be read until its slot is removed.
    pub(super) fn unsettle(&mut self, id: SlotId) {
        let slot = self.get_mut(id);
        slot.resident = false;
        let CacheSlot { older, newer, partition, .. } = *slot;
        match older {
            Some(older) => self.get_mut(older).newer = newer,
            None => self.partitions[partition as usize].oldest = newer,
        }
        match newer {
            Some(newer) => self.get_mut(newer).older = older,
            None => self.partitions[partition as usize].newest = older,
        }
        self.partitions[partition as usize].len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(partition: u32) -> SlotOwner {
        SlotOwner { partition, lane: 0, queue: 0 }
    }

    fn order(slots: &mut CacheSlots, partition: u32) -> Vec<u32> {
        let mut pages = Vec::new();
        while let Some(id) = slots.oldest(partition) {
            pages.push(slots.get(id).lpn.0);
            slots.unsettle(id);
            slots.remove(id);
        }
        pages
    }

    #[test]
    fn pages_leave_in_the_order_of_their_last_use() {
        let mut slots = CacheSlots::new(1);
        let ids: Vec<_> = (0..5).map(|n| slots.insert(Lpn(n), of(0), 1, SlotState::Clean)).collect();
        for used in [2, 0, 4] {
            slots.touch(ids[used]);
        }
        assert_eq!(order(&mut slots, 0), [1, 3, 2, 0, 4]);
        assert_eq!((slots.resident(0), slots.find(Lpn(3))), (0, None));
    }

    #[test]
    fn volatile_pages_are_dirty_or_being_written() {
        let mut slots = CacheSlots::new(2);
        let ids: Vec<_> = (0..4).map(|n| slots.insert(Lpn(n), of(n % 2), 1, SlotState::Dirty)).collect();
        slots.insert(Lpn(9), of(0), 1, SlotState::Clean);
        slots.set_state(ids[0], SlotState::BeingWritten);
        assert_eq!(slots.volatile_pages(), 4);
        slots.set_state(ids[1], SlotState::Clean);
        assert_eq!((slots.volatile_pages(), slots.volatile().count()), (3, 3));
        slots.take_dirty();
        assert_eq!((slots.volatile_pages(), slots.volatile().count()), (1, 1));
        slots.unsettle(ids[0]);
        slots.remove(ids[0]);
        assert_eq!(slots.volatile_pages(), 0);
    }

    #[test]
    fn partitions_keep_their_own_order_and_an_evicted_page_is_still_found() {
        let mut slots = CacheSlots::new(2);
        let ids: Vec<_> = (0..4).map(|n| slots.insert(Lpn(n), of(n % 2), 1, SlotState::Dirty)).collect();
        slots.unsettle(ids[1]);
        slots.touch(ids[1]);
        assert_eq!((slots.resident(0), slots.resident(1)), (2, 1));
        assert_eq!(slots.find(Lpn(1)), Some(ids[1]));
        slots.settle(ids[1]);
        assert_eq!(order(&mut slots, 1), [3, 1]);
        assert_eq!(order(&mut slots, 0), [0, 2]);
    }
}
