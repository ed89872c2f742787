//! Scheduled event with its sort key.

use crate::SimTime;

/// Event with the instant for which it is scheduled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScheduledEvent<E> {
    pub(crate) at: SimTime,
    /// Sequence number in order of insertion.
    pub(crate) ticket: u64,
    pub(crate) event: E,
}

impl<E> ScheduledEvent<E> {
    /// Returns the sort key: the instant in the upper 64 bits, the sequence number in the lower 64.
    #[inline]
    pub(crate) fn key(&self) -> u128 {
        (u128::from(self.at.as_ps()) << u64::BITS) | u128::from(self.ticket)
    }
}
