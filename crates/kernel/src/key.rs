//! Sort key of an event: its time and its queue number, packed into one integer.

use crate::SimTime;

/// Number of bits of a [`Key`] that hold the queue number.
const PLACE_BITS: u32 = 3;
/// Number of queues that a key can distinguish.
pub(crate) const PLACES: usize = 1 << PLACE_BITS;
/// First time that does not fit into a key, in picoseconds: 26 days.
pub(crate) const BEYOND: u64 = 1 << (u64::BITS - PLACE_BITS);

/// Time of an event in the high bits and the number of its queue in the low bits. Keys order events by time
/// and then by queue number, so the earliest event is the minimum of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u64);

impl Key {
    /// Key of an empty queue: greater than the key of every event.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// Returns the key of an event at `at`, before [`BEYOND`], in the queue `place`.
    #[inline]
    pub(crate) const fn new(at: SimTime, place: usize) -> Self {
        Self(at.as_ps() << PLACE_BITS | place as u64)
    }

    /// Returns the queue number.
    #[inline]
    pub(crate) const fn place(self) -> usize {
        self.0 as usize % PLACES
    }

    /// Returns the time in the key.
    #[inline]
    pub(crate) const fn at(self) -> SimTime {
        SimTime::from_ps(self.0 >> PLACE_BITS)
    }
}
