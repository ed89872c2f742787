//! One event to come, and its place among the others.

use crate::SimTime;

/// Bits of an event's ticket that tell its lane.
pub(crate) const LANE_BITS: u32 = 3;
/// What an event that fits none says for its lane.
pub(crate) const NO_LANE: usize = (1 << LANE_BITS) - 1;

/// An event to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<E> {
    pub(crate) at: SimTime,
    /// How many events were scheduled before it, and below that its lane.
    pub(crate) ticket: u64,
    pub(crate) event: E,
}

impl<E> Entry<E> {
    /// One number to compare: the instant above, the order below.
    #[inline]
    pub(crate) fn key(&self) -> u128 {
        (u128::from(self.at.as_ps()) << u64::BITS) | u128::from(self.ticket)
    }

    #[inline]
    pub(crate) const fn lane(&self) -> usize {
        self.ticket as usize & NO_LANE
    }
}
