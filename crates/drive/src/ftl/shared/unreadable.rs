//! Slots whose data could not be corrected. They stay unreadable, also when garbage collection moves them, until
//! the logical page is written again.

use std::collections::BTreeSet;
use std::ops::Range;

use venice_nand::geometry::Ppn;

/// Slots with data that could not be corrected; empty in a drive without read errors.
#[derive(Clone, Debug, Default)]
pub(in crate::ftl) struct UnreadableSlots(BTreeSet<Ppn>);

impl UnreadableSlots {
    /// True if there is no such slot.
    pub(in crate::ftl) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the slots.
    pub(in crate::ftl) fn iter(&self) -> impl Iterator<Item = Ppn> {
        self.0.iter().copied()
    }

    /// Adds a slot.
    pub(in crate::ftl) fn insert(&mut self, slot: Ppn) {
        self.0.insert(slot);
    }

    /// True if the data of a slot could not be corrected.
    pub(in crate::ftl) fn contains(&self, slot: Ppn) -> bool {
        self.0.contains(&slot)
    }

    /// Records the move of a slot's data to another slot.
    #[inline]
    pub(in crate::ftl) fn moved(&mut self, from: Ppn, to: Ppn) {
        if !self.0.is_empty() {
            self.move_slot(from, to);
        }
    }

    /// Adds the new slot; the old one keeps its data until it is erased, for reads that are under way.
    #[cold]
    fn move_slot(&mut self, from: Ppn, to: Ppn) {
        if self.0.contains(&from) {
            self.0.insert(to);
        }
    }

    /// Removes the slots of an erased block.
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
