//! The pages in the cache, and in which order they would leave it.

use slab::Slab;

use crate::geometry::{Lpn, PageIndex};

/// A page's place in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotId(u32);

/// What has to become of a page's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Flash has it too.
    Clean,
    /// Flash does not have it.
    Dirty,
    /// It is on its way to flash.
    BeingWritten,
}

/// The part of the cache that a page belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotOwner {
    /// The partition that it occupies.
    pub(super) partition: u32,
    /// The lane of its evictions.
    pub(super) lane: u32,
    /// The host queue that brought it.
    pub(super) queue: u16,
}

/// A page in the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Which page.
    pub(super) lpn: Lpn,
    /// Whose part of the cache it occupies.
    pub(super) partition: u32,
    /// The host's queue that brought it here.
    pub(super) queue: u16,
    /// Whose turn at the memory its evictions take: always the same, so that none overtakes another.
    pub(super) lane: u32,
    /// The sectors of it that are here, one bit each.
    pub(super) sectors: u64,
    /// What has to become of them.
    pub(super) state: State,
    /// Its writes to flash that have not ended.
    pub(super) destages: u32,
    /// Whether it takes up room. One that does not was evicted, and is kept until flash has it.
    pub(super) resident: bool,
    older: Option<SlotId>,
    newer: Option<SlotId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Recency {
    oldest: Option<SlotId>,
    newest: Option<SlotId>,
    len: u32,
}

/// All pages in the cache.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// By logical page: its slot.
    by_page: PageIndex,
    pages: Slab<Slot>,
    partitions: Vec<Recency>,
}

impl Slots {
    /// An empty cache of so many partitions.
    pub(super) fn new(partitions: u32) -> Self {
        Self {
            by_page: PageIndex::new(),
            pages: Slab::new(),
            partitions: vec![Recency::default(); partitions as usize],
        }
    }

    /// The dirty pages and their sectors; they are clean from now on.
    pub(super) fn take_dirty(&mut self) -> Vec<(Lpn, u64)> {
        let dirty = self.pages.iter_mut().map(|(_, slot)| slot).filter(|slot| slot.state == State::Dirty);
        dirty
            .map(|slot| (std::mem::replace(&mut slot.state, State::Clean), (slot.lpn, slot.sectors)).1)
            .collect()
    }

    /// Where a page is.
    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> Option<SlotId> {
        self.by_page.get(lpn).map(SlotId)
    }

    #[inline]
    pub(super) fn get(&self, id: SlotId) -> &Slot {
        &self.pages[id.0 as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: SlotId) -> &mut Slot {
        &mut self.pages[id.0 as usize]
    }

    /// Pages that take up room in a partition.
    pub(super) fn resident(&self, partition: u32) -> u32 {
        self.partitions[partition as usize].len
    }

    /// The page that was used longest ago.
    pub(super) fn oldest(&self, partition: u32) -> Option<SlotId> {
        self.partitions[partition as usize].oldest
    }

    /// Takes in a page as the one used last.
    pub(super) fn insert(&mut self, lpn: Lpn, owner: SlotOwner, sectors: u64, state: State) -> SlotId {
        let SlotOwner { partition, lane, queue } = owner;
        let (older, newer) = (None, None);
        let slot =
            Slot { lpn, partition, queue, lane, sectors, state, destages: 0, resident: false, older, newer };
        let id = SlotId(self.pages.insert(slot) as u32);
        self.by_page.insert(lpn, id.0);
        self.settle(id);
        id
    }

    /// Forgets a page that takes up no room.
    pub(super) fn remove(&mut self, id: SlotId) {
        let slot = self.pages.remove(id.0 as usize);
        debug_assert!(!slot.resident, "{slot:?} is still in its partition's order");
        self.by_page.remove(slot.lpn);
    }

    /// A page is used.
    #[inline]
    pub(super) fn touch(&mut self, id: SlotId) {
        if self.get(id).resident {
            self.unsettle(id);
            self.settle(id);
        }
    }

    /// A page takes up room from now on, as the one used last.
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

    /// A page takes up no room any more.
    pub(super) fn unsettle(&mut self, id: SlotId) {
        let slot = self.get_mut(id);
        slot.resident = false;
        let Slot { older, newer, partition, .. } = *slot;
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

    fn order(slots: &mut Slots, partition: u32) -> Vec<u32> {
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
        let mut slots = Slots::new(1);
        let ids: Vec<_> = (0..5).map(|n| slots.insert(Lpn(n), of(0), 1, State::Clean)).collect();
        for used in [2, 0, 4] {
            slots.touch(ids[used]);
        }
        assert_eq!(order(&mut slots, 0), [1, 3, 2, 0, 4]);
        assert_eq!((slots.resident(0), slots.find(Lpn(3))), (0, None));
    }

    #[test]
    fn partitions_keep_their_own_order_and_an_evicted_page_is_still_found() {
        let mut slots = Slots::new(2);
        let ids: Vec<_> = (0..4).map(|n| slots.insert(Lpn(n), of(n % 2), 1, State::Dirty)).collect();
        slots.unsettle(ids[1]);
        slots.touch(ids[1]);
        assert_eq!((slots.resident(0), slots.resident(1)), (2, 1));
        assert_eq!(slots.find(Lpn(1)), Some(ids[1]));
        slots.settle(ids[1]);
        assert_eq!(order(&mut slots, 1), [3, 1]);
        assert_eq!(order(&mut slots, 0), [0, 2]);
    }
}
