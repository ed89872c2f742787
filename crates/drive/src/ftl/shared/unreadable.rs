//! Slots (locations of mapping units) whose data could not be corrected. The data stays unreadable until its
//! logical page is written again, even if garbage collection moves it.

use std::collections::BTreeSet;
use std::ops::Range;

use venice_nand::geometry::Ppn;

/// Set of slots (locations of mapping units) whose data could not be corrected; empty in a drive without read
/// errors.
#[derive(Clone, Debug, Default)]
pub(in crate::ftl) struct UnreadableSlots(BTreeSet<Ppn>);

impl UnreadableSlots {
    /// Returns true if the drive has no unreadable data.
    pub(in crate::ftl) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the locations of mapping units with unreadable data.
    pub(in crate::ftl) fn iter(&self) -> impl Iterator<Item = Ppn> {
        self.0.iter().copied()
    }

    /// Marks the data in a slot (location of a mapping unit) as unreadable.
    pub(in crate::ftl) fn insert(&mut self, slot: Ppn) {
        self.0.insert(slot);
    }

    /// Returns true if the data in a slot (location of a mapping unit) could not be corrected.
    pub(in crate::ftl) fn contains(&self, slot: Ppn) -> bool {
        self.0.contains(&slot)
    }

    /// Records the move of a mapping unit's data from one location to another. Unreadable data stays
    /// unreadable.
    #[inline]
    pub(in crate::ftl) fn moved(&mut self, from: Ppn, to: Ppn) {
        if !self.0.is_empty() {
            self.move_slot(from, to);
        }
    }

    /// Marks the new location of a mapping unit as unreadable. The old location stays marked until it is
    /// erased, since reads of it may be in progress.
    #[cold]
    fn move_slot(&mut self, from: Ppn, to: Ppn) {
        if self.0.contains(&from) {
            self.0.insert(to);
        }
    }

    /// Removes the locations in an erased block from the set of unreadable ones.
    pub(in crate::ftl) fn erased(&mut self, slots: Range<u32>) {
        self.0.retain(|slot| !slots.contains(&slot.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_unreadable_when_it_is_moved_and_until_its_block_is_erased() {
        let mut slots = UnreadableSlots::default();
        slots.insert(Ppn(3));
        slots.moved(Ppn(3), Ppn(9));
        slots.moved(Ppn(4), Ppn(10));
        assert_eq!([3, 9, 10].map(|slot| slots.contains(Ppn(slot))), [true, true, false]);
        slots.erased(0..9);
        assert!(slots.iter().eq([Ppn(9)]));
        slots.erased(8..16);
        assert!(slots.is_empty());
    }
}
