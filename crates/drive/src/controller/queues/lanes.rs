//! Numbering of the queues of a die. There is one queue for each class of transactions. Host reads and host
//! writes may have several, called lanes, for example one for each priority class.

use std::ops::BitOr;

use venice_nand::transactions::{Transaction, TransactionClass, TransactionKind};

/// Maximum number of lanes (queues of one class of transactions) for host reads, and for host writes.
pub const LANES: usize = 4;

/// Number of transaction classes.
pub const CLASSES: usize = 10;

/// Number of queues of a die: one for each class, and one for each additional lane of host reads and host
/// writes.
pub const QUEUES: usize = CLASSES + 2 * (LANES - 1);

/// Index of the queue for the second lane of host writes. The additional lanes of host reads precede it.
const HOST_WRITES: usize = CLASSES + LANES - 1;

/// Class of the transactions in each queue of a die. The array is padded to a power of two so that a look-up
/// needs no bounds check.
const CLASS_OF: [TransactionClass; QUEUES.next_power_of_two()] = [
    TransactionClass::MappingRead,
    TransactionClass::HostRead,
    TransactionClass::MappingWrite,
    TransactionClass::HostWrite,
    TransactionClass::GcRead,
    TransactionClass::GcWrite,
    TransactionClass::GcErase,
    TransactionClass::Operand,
    TransactionClass::Search,
    TransactionClass::Scrub,
    TransactionClass::HostRead,
    TransactionClass::HostRead,
    TransactionClass::HostRead,
    TransactionClass::HostWrite,
    TransactionClass::HostWrite,
    TransactionClass::HostWrite,
];

/// Set of lanes (queues of one class), one bit each. A set passed to a policy contains the lanes with
/// startable transactions, and is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSet(pub u8);

impl LaneSet {
    /// Returns true if `lane` is in the set.
    #[inline]
    pub const fn has(self, lane: u8) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// Iterates over the lanes of the set in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let without_first = |set: &u8| Some(set & (set - 1)).filter(|&left| left != 0);
        let sets = std::iter::successors(Some(self.0).filter(|&set| set != 0), without_first);
        sets.map(|set| set.trailing_zeros() as u8)
    }
}

/// Queue of a die, identified by its class of transactions and its lane in this class. The value is the index
/// among the die's queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DieLane(u8);

impl DieLane {
    /// Returns the queue of the lane `number` of a class. Only host reads and host writes have lanes other
    /// than 0.
    #[inline]
    pub const fn new(class: TransactionClass, number: u8) -> Self {
        Self(match (class, number) {
            (TransactionClass::HostRead, 1..) => CLASSES as u8 - 1 + number,
            (TransactionClass::HostWrite, 1..) => HOST_WRITES as u8 - 1 + number,
            (class, _) => class as u8,
        })
    }

    /// Returns the queue of the first lane of a class.
    #[inline]
    pub const fn first_of(class: TransactionClass) -> Self {
        Self(class as u8)
    }

    /// Iterates over the queues of all lanes of a class.
    #[inline]
    pub fn all_of(class: TransactionClass, has_one_lane: bool) -> impl Iterator<Item = Self> {
        let several = class.kind().is_some() && !has_one_lane;
        let numbers = 0..if several { LANES as u8 } else { 1 };
        numbers.map(move |number| Self::new(class, number))
    }

    /// Returns the queue in which a transaction waits.
    #[inline]
    pub const fn of(transaction: &Transaction) -> Self {
        Self::new(transaction.purpose.class(), transaction.lane)
    }

    /// Returns the class of the queue's transactions.
    #[inline]
    pub const fn class(self) -> TransactionClass {
        CLASS_OF[self.place() % CLASS_OF.len()]
    }

    /// Returns the number of the queue's lane within its class.
    #[inline]
    pub const fn number(self) -> u8 {
        match self.place() {
            ..CLASSES => 0,
            CLASSES..HOST_WRITES => self.0 - (CLASSES as u8 - 1),
            _ => self.0 - (HOST_WRITES as u8 - 1),
        }
    }

    /// Returns the index of the queue among the queues of a die.
    #[inline]
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// Set of queues of a die, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSet(u16);

impl QueueSet {
    /// Empty set of queues.
    pub const NONE: Self = Self(0);

    /// Returns the queues of all lanes of a class.
    #[inline]
    pub const fn of(class: TransactionClass) -> Self {
        let (first, further) = (1 << class as u16, (1 << (LANES - 1)) - 1);
        match class {
            TransactionClass::HostRead => Self(first | further << CLASSES),
            TransactionClass::HostWrite => Self(first | further << HOST_WRITES),
            _ => Self(first),
        }
    }

    /// Returns the union of two sets of queues.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the queues of this set that are not in the set `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns true if the set contains no queue.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the two sets have a queue in common.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if the queue `lane` is in the set.
    #[inline]
    pub const fn has(self, lane: DieLane) -> bool {
        self.0 >> lane.place() & 1 != 0
    }

    /// Returns the lanes of host reads or host writes whose queues are in the set.
    #[inline]
    pub const fn lanes(self, kind: TransactionKind) -> LaneSet {
        let class = kind.class();
        let further = self.0 >> DieLane::new(class, 1).place();
        LaneSet(((self.0 >> class as u16 & 1) | (further << 1 & ((1 << LANES) - 1))) as u8)
    }

    /// Returns true if the set contains exactly one queue.
    #[inline]
    pub const fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Returns the queue of the set, if the set contains exactly one.
    #[inline]
    pub fn only(self) -> Option<DieLane> {
        if self.is_one() { Some(DieLane(self.0.trailing_zeros() as u8)) } else { None }
    }

    /// Adds the queue with the index `place` to the set.
    #[inline]
    pub const fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    /// Removes the queue with the index `place` from the set.
    #[inline]
    pub const fn remove(&mut self, place: usize) {
        self.0 &= !(1 << place);
    }
}

impl BitOr for QueueSet {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_lane_of_every_class_has_a_queue_of_its_own() {
        let numbers = 0..LANES as u8;
        let lanes_of = |class| numbers.clone().map(move |number| DieLane::new(class, number));
        let host = [TransactionClass::HostRead, TransactionClass::HostWrite];
        let others = [
            TransactionClass::MappingRead,
            TransactionClass::MappingWrite,
            TransactionClass::GcRead,
            TransactionClass::GcWrite,
            TransactionClass::GcErase,
            TransactionClass::Operand,
            TransactionClass::Search,
            TransactionClass::Scrub,
        ];
        let lanes = host.into_iter().flat_map(lanes_of).chain(others.map(DieLane::first_of));
        let places: Vec<_> = lanes.clone().map(DieLane::place).collect();
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len());
        assert!(places.iter().all(|&place| place < QUEUES) && places.len() == QUEUES);
        for lane in lanes.clone() {
            for class in host.into_iter().chain(others) {
                assert_eq!(QueueSet::of(class).has(lane), lane.class() == class, "{lane:?}, {class:?}");
            }
            let mut only = QueueSet::NONE;
            only.add(lane.place());
            assert_eq!(only.only(), Some(lane));
            for kind in [TransactionKind::Read, TransactionKind::Write] {
                let number = only.lanes(kind).iter().next();
                assert_eq!(number, (lane.class() == kind.class()).then_some(lane.number()), "{lane:?}");
            }
        }
        for kind in [TransactionKind::Read, TransactionKind::Write] {
            assert!(QueueSet::of(kind.class()).lanes(kind).iter().eq(numbers.clone()));
        }
    }

    #[test]
    fn only_a_set_of_one_queue_has_a_single_member() {
        let mut set = QueueSet::NONE;
        assert!(set.is_empty() && set.only().is_none());
        set.add(DieLane::first_of(TransactionClass::GcErase).place());
        assert_eq!(set.only(), Some(DieLane::first_of(TransactionClass::GcErase)));
        set.add(DieLane::first_of(TransactionClass::GcRead).place());
        assert_eq!(set.only(), None);
        assert!(
            set.meets(QueueSet::of(TransactionClass::GcRead))
                && !set.meets(QueueSet::of(TransactionClass::HostRead))
        );
        set.remove(DieLane::first_of(TransactionClass::GcErase).place());
        assert_eq!(set, QueueSet::of(TransactionClass::GcRead));
    }
}
