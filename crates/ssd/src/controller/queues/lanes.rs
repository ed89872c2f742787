//! The queues that every die has: one for each class of work, and one for each further lane of the host's.

use std::ops::BitOr;

use crate::work::{Class, Kind, Transaction};

/// Most lanes of a class.
pub const LANES: usize = 4;

/// How many classes there are.
pub const CLASSES: usize = 8;

/// Queues of a die: one for each class, and one for each further lane of the host's reads and writes.
pub const QUEUES: usize = CLASSES + 2 * (LANES - 1);

/// The place of the first of the further lanes of the host's writes, behind those of its reads.
const HOST_WRITES: usize = CLASSES + LANES - 1;

/// The class of each queue; behind the last stands what fills the table up to a power of two, so that it is looked up without a question.
const CLASS_OF: [Class; QUEUES.next_power_of_two()] = [
    Class::MappingRead,
    Class::HostRead,
    Class::MappingWrite,
    Class::HostWrite,
    Class::GcRead,
    Class::GcWrite,
    Class::GcErase,
    Class::Operand,
    Class::HostRead,
    Class::HostRead,
    Class::HostRead,
    Class::HostWrite,
    Class::HostWrite,
    Class::HostWrite,
    Class::Operand,
    Class::Operand,
];

/// Lanes of a class, one bit each: where a policy is asked, those that have work that can be done now, of which there is one at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSet(pub u8);

impl LaneSet {
    /// Whether a lane is among them.
    #[inline]
    pub const fn has(self, lane: u8) -> bool {
        self.0 >> lane & 1 != 0
    }

    /// Those that are among them, the first of the class first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let without_first = |set: &u8| Some(set & (set - 1)).filter(|&left| left != 0);
        let sets = std::iter::successors(Some(self.0).filter(|&set| set != 0), without_first);
        sets.map(|set| set.trailing_zeros() as u8)
    }
}

/// One queue of a die: that of a class, or a lane of it. Its number is its place among the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u8);

impl Lane {
    /// A lane of a class; most classes have but the first.
    #[inline]
    pub const fn new(class: Class, number: u8) -> Self {
        Self(match (class, number) {
            (Class::HostRead, 1..) => CLASSES as u8 - 1 + number,
            (Class::HostWrite, 1..) => HOST_WRITES as u8 - 1 + number,
            (class, _) => class as u8,
        })
    }

    /// The only lane of a class, or its first.
    #[inline]
    pub const fn first_of(class: Class) -> Self {
        Self(class as u8)
    }

    /// The lanes in which work of a class may wait.
    #[inline]
    pub fn all_of(class: Class, has_one_lane: bool) -> impl Iterator<Item = Self> {
        let several = class.kind().is_some() && !has_one_lane;
        let numbers = 0..if several { LANES as u8 } else { 1 };
        numbers.map(move |number| Self::new(class, number))
    }

    /// The lane that a transaction belongs in.
    #[inline]
    pub const fn of(transaction: &Transaction) -> Self {
        Self::new(transaction.purpose.class(), transaction.lane)
    }

    /// The class of what waits in it.
    #[inline]
    pub const fn class(self) -> Class {
        CLASS_OF[self.place() % CLASS_OF.len()]
    }

    /// Which of the class's lanes it is.
    #[inline]
    pub const fn number(self) -> u8 {
        match self.place() {
            ..CLASSES => 0,
            CLASSES..HOST_WRITES => self.0 - (CLASSES as u8 - 1),
            _ => self.0 - (HOST_WRITES as u8 - 1),
        }
    }

    /// Its place among the queues of a die.
    #[inline]
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// Some queues of a die, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSet(u16);

impl QueueSet {
    /// None.
    pub const NONE: Self = Self(0);

    /// All lanes of a class.
    #[inline]
    pub const fn of(class: Class) -> Self {
        let (first, further) = (1 << class as u16, (1 << (LANES - 1)) - 1);
        match class {
            Class::HostRead => Self(first | further << CLASSES),
            Class::HostWrite => Self(first | further << HOST_WRITES),
            _ => Self(first),
        }
    }

    /// Those of both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any is among these, too.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether this one is among them.
    #[inline]
    pub const fn has(self, lane: Lane) -> bool {
        self.0 >> lane.place() & 1 != 0
    }

    /// The lanes of the host's reads, or writes, that are among them.
    #[inline]
    pub const fn lanes(self, kind: Kind) -> LaneSet {
        let class = kind.class();
        let further = self.0 >> Lane::new(class, 1).place();
        LaneSet(((self.0 >> class as u16 & 1) | (further << 1 & ((1 << LANES) - 1))) as u8)
    }

    /// Whether it is exactly one.
    #[inline]
    pub const fn is_one(self) -> bool {
        self.0.is_power_of_two()
    }

    /// The one that it is, if it is exactly one.
    #[inline]
    pub fn only(self) -> Option<Lane> {
        if self.is_one() { Some(Lane(self.0.trailing_zeros() as u8)) } else { None }
    }

    /// The queue at this place is among them from now on.
    #[inline]
    pub const fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    /// It is among them no longer.
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
        let lanes_of = |class| numbers.clone().map(move |number| Lane::new(class, number));
        let host = [Class::HostRead, Class::HostWrite];
        let others = [
            Class::MappingRead,
            Class::MappingWrite,
            Class::GcRead,
            Class::GcWrite,
            Class::GcErase,
            Class::Operand,
        ];
        let lanes = host.into_iter().flat_map(lanes_of).chain(others.map(Lane::first_of));
        let places: Vec<_> = lanes.clone().map(Lane::place).collect();
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len());
        assert!(places.iter().all(|&place| place < QUEUES) && places.len() == QUEUES);
        for lane in lanes.clone() {
            for class in host.into_iter().chain(others) {
                assert_eq!(QueueSet::of(class).has(lane), lane.class() == class, "{lane:?}, {class:?}");
            }
            let mut only = QueueSet::NONE;
            only.add(lane.place());
            assert_eq!(only.only(), Some(lane));
            for kind in [Kind::Read, Kind::Write] {
                let number = only.lanes(kind).iter().next();
                assert_eq!(number, (lane.class() == kind.class()).then_some(lane.number()), "{lane:?}");
            }
        }
        for kind in [Kind::Read, Kind::Write] {
            assert!(QueueSet::of(kind.class()).lanes(kind).iter().eq(numbers.clone()));
        }
    }

    #[test]
    fn a_set_of_one_queue_tells_which_and_others_do_not() {
        let mut set = QueueSet::NONE;
        assert!(set.is_empty() && set.only().is_none());
        set.add(Lane::first_of(Class::GcErase).place());
        assert_eq!(set.only(), Some(Lane::first_of(Class::GcErase)));
        set.add(Lane::first_of(Class::GcRead).place());
        assert_eq!(set.only(), None);
        assert!(set.meets(QueueSet::of(Class::GcRead)) && !set.meets(QueueSet::of(Class::HostRead)));
        set.remove(Lane::first_of(Class::GcErase).place());
        assert_eq!(set, QueueSet::of(Class::GcRead));
    }
}
