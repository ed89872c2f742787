//! One event to come, and its place among the others.

use crate::SimTime;

/// An event to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<E> {
    pub(crate) at: SimTime,
    /// How many events were sorted before it.
    pub(crate) ticket: u64,
    pub(crate) event: E,
}

impl<E> Entry<E> {
    /// One number to compare: the instant above, the order below.
    #[inline]
    pub(crate) fn key(&self) -> u128 {
        (u128::from(self.at.as_ps()) << u64::BITS) | u128::from(self.ticket)
    }
}
