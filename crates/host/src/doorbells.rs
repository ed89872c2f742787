//! Completion queue doorbells on their way to the drive.
//!
//! # How
//!
//! Doorbells arrive in the order in which they were sent. Their arrival times are stored in a ring buffer
//! whose length is a power of two. To save time, arrived doorbells are counted only if the completion queue
//! seems full, or if this buffer is full.

use venice_kernel::SimTime;

/// Initial capacity of the ring buffer.
const ROOM: usize = 16;

/// Ring buffer of doorbells that have been sent and not yet counted.
#[derive(Clone, Debug)]
pub(super) struct Doorbells {
    /// Arrival instant of each doorbell, indexed by the doorbell's number modulo the capacity.
    instants: Vec<SimTime>,
    sent: u32,
    counted: u32,
}

impl Doorbells {
    /// Creates an empty ring buffer.
    pub(super) fn new() -> Self {
        Self { instants: vec![SimTime::ZERO; ROOM], sent: 0, counted: 0 }
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        number as usize & (self.instants.len() - 1)
    }

    fn len(&self) -> usize {
        self.sent.wrapping_sub(self.counted) as usize
    }

    /// True if the ring buffer holds no doorbell.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.sent == self.counted
    }

    /// True if the ring buffer has no free element.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() == self.instants.len()
    }

    /// Doubles the capacity of the ring buffer.
    pub(super) fn grow(&mut self) {
        let mut longer = Self { instants: vec![SimTime::ZERO; 2 * self.instants.len()], ..*self };
        for number in 0..self.len() as u32 {
            let number = self.counted.wrapping_add(number);
            let place = longer.place(number);
            longer.instants[place] = self.instants[self.place(number)];
        }
        *self = longer;
    }

    /// Adds a doorbell that arrives at `at`; the ring must not be full.
    #[inline]
    pub(super) fn send(&mut self, at: SimTime) {
        let place = self.place(self.sent);
        self.instants[place] = at;
        self.sent = self.sent.wrapping_add(1);
    }

    /// Returns the arrival time of the first doorbell that is not yet counted.
    #[inline]
    pub(super) fn first(&self) -> Option<SimTime> {
        (!self.is_empty()).then(|| self.instants[self.place(self.counted)])
    }

    /// Removes the doorbells that have arrived by `now` from the ring buffer. Returns their number.
    pub(super) fn count(&mut self, now: SimTime) -> u32 {
        let before = self.counted;
        while self.first().is_some_and(|at| at <= now) {
            self.counted = self.counted.wrapping_add(1);
        }
        self.counted.wrapping_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_counted_once_when_they_have_arrived_however_many_are_on_their_way() {
        let at = SimTime::from_ps;
        let mut doorbells = Doorbells { sent: u32::MAX - 20, counted: u32::MAX - 20, ..Doorbells::new() };
        for ps in 0..100 {
            while doorbells.is_full() {
                doorbells.grow();
            }
            doorbells.send(at(ps));
        }
        assert_eq!((doorbells.count(at(39)), doorbells.first()), (40, Some(at(40))));
        assert_eq!(doorbells.count(at(39)), 0);
        assert_eq!((doorbells.count(at(1_000)), doorbells.first()), (60, None));
        assert!(doorbells.is_empty());
    }
}
