//! Mapping units whose data could not be corrected. The data stays unreadable until its logical page is written
//! again, even if garbage collection moves it. Data from before the run that is not in the map has no slot (location
//! of a mapping unit) of its own, and is identified by its logical page.

use std::collections::BTreeSet;
use std::ops::Range;

use venice_nand::geometry::{Lpn, Ppn};

/// Mapping units whose data could not be corrected; empty in a drive without read errors.
#[derive(Clone, Debug, Default)]
pub(in crate::ftl) struct UnreadableData {
    /// Slots with unreadable data.
    slots: BTreeSet<Ppn>,
    /// Logical pages whose data from before the run is unreadable. They may have been written since.
    unwritten: BTreeSet<Lpn>,
}

impl UnreadableData {
    /// Returns true if the drive has no unreadable data.
    pub(in crate::ftl) fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.unwritten.is_empty()
    }

    /// Iterates over the slots (locations of mapping units) with unreadable data.
    pub(in crate::ftl) fn slots(&self) -> impl Iterator<Item = Ppn> {
        self.slots.iter().copied()
    }

    /// Iterates over the logical pages whose data from before the run is unreadable.
    pub(in crate::ftl) fn unwritten(&self) -> impl Iterator<Item = Lpn> {
        self.unwritten.iter().copied()
    }

    /// Marks the data of a logical page that is not in the map as unreadable. This is data from before the
    /// run.
    pub(in crate::ftl) fn insert_unwritten(&mut self, lpn: Lpn) {
        self.unwritten.insert(lpn);
    }

    /// Returns true if the data that a logical page had before the run could not be corrected.
    pub(in crate::ftl) fn contains_unwritten(&self, lpn: Lpn) -> bool {
        self.unwritten.contains(&lpn)
    }

    /// Marks the data in a slot (location of a mapping unit) as unreadable.
    pub(in crate::ftl) fn insert(&mut self, slot: Ppn) {
        self.slots.insert(slot);
    }

    /// Returns true if the data in a slot (location of a mapping unit) could not be corrected.
    pub(in crate::ftl) fn contains(&self, slot: Ppn) -> bool {
        self.slots.contains(&slot)
    }

    /// Records the move of a mapping unit's data from one location to another. Unreadable data stays
    /// unreadable.
    #[inline]
    pub(in crate::ftl) fn moved(&mut self, from: Ppn, to: Ppn) {
        if !self.slots.is_empty() {
            self.move_slot(from, to);
        }
    }

    /// Marks the new location of a mapping unit as unreadable. The old location stays marked until it is
    /// erased, since reads of it may be in progress.
    #[cold]
    fn move_slot(&mut self, from: Ppn, to: Ppn) {
        if self.slots.contains(&from) {
            self.slots.insert(to);
        }
    }

    /// Removes the slots (locations of mapping units) in an erased block from the set of unreadable slots.
    pub(in crate::ftl) fn erased(&mut self, slots: Range<u32>) {
        self.slots.retain(|slot| !slots.contains(&slot.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_unreadable_when_it_is_moved_and_until_its_block_is_erased() {
        let mut data = UnreadableData::default();
        data.insert(Ppn(3));
        data.moved(Ppn(3), Ppn(9));
        data.moved(Ppn(4), Ppn(10));
        assert_eq!([3, 9, 10].map(|slot| data.contains(Ppn(slot))), [true, true, false]);
        data.erased(0..9);
        assert!(data.slots().eq([Ppn(9)]));
        data.erased(8..16);
        assert!(data.is_empty());
    }
}
