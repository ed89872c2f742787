//! When an event comes, and where it stands, in one number.

use crate::SimTime;

/// Bits of a [`Key`] that say its place.
const PLACE_BITS: u32 = 3;
/// Places that they can say.
pub(crate) const PLACES: usize = 1 << PLACE_BITS;
/// The first instant, in picoseconds, for which a key has no room: 26 days.
pub(crate) const BEYOND: u64 = 1 << (u64::BITS - PLACE_BITS);

/// The instant of an event, and its place below it: of two equal instants the one of the place before is less, so that the next event of all
/// is found by comparing numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u64);

impl Key {
    /// That of a place where nothing waits: the last one, behind all instants.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// That of an event at a place, before [`BEYOND`].
    #[inline]
    pub(crate) const fn new(at: SimTime, place: usize) -> Self {
        Self(at.as_ps() << PLACE_BITS | place as u64)
    }

    /// Its place.
    #[inline]
    pub(crate) const fn place(self) -> usize {
        self.0 as usize % PLACES
    }

    /// The instant of an event.
    #[inline]
    pub(crate) const fn at(self) -> SimTime {
        SimTime::from_ps(self.0 >> PLACE_BITS)
    }
}
