//! The future, in a total order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::SimTime;

/// Future events, ordered by instant and then by the order in which they were scheduled.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    next_seq: u64,
    now: SimTime,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    at: SimTime,
    seq: u64,
    event: E,
}

impl<E> Entry<E> {
    /// One number to compare: the instant above, the sequence number below.
    fn key(&self) -> u128 {
        (u128::from(self.at.as_ps()) << 64) | u128::from(self.seq)
    }
}

/// Reversed, because the standard heap puts the greatest first and we want the earliest.
impl<E> Ord for Entry<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E: Copy> EventQueue<E> {
    /// An empty future, with time at zero.
    pub fn new() -> Self {
        Self { heap: BinaryHeap::with_capacity(1024), next_seq: 0, now: SimTime::ZERO }
    }

    /// The instant of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Schedules `event` for `at`. Two events of one instant leave in the order they came.
    ///
    /// # Panics
    /// When `at` is in the past: that is a bug in the caller.
    #[inline]
    #[track_caller]
    pub fn schedule(&mut self, at: SimTime, event: E) {
        assert!(at >= self.now, "an event was scheduled for the past");
        let seq = self.next_seq;
        self.next_seq += 1;
        self.heap.push(Entry { at, seq, event });
    }

    /// Takes the earliest event and moves time to its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let entry = self.heap.pop()?;
        self.now = entry.at;
        Some((entry.at, entry.event))
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[should_panic(expected = "the past")]
    fn the_past_is_closed() {
        let mut queue = EventQueue::new();
        queue.schedule(SimTime::from_ps(5), ());
        queue.pop();
        queue.schedule(SimTime::from_ps(4), ());
    }

    proptest! {
        #[test]
        fn events_leave_by_instant_then_by_order_of_scheduling(instants in prop::collection::vec(0_u64..20, 1..200)) {
            let mut queue = EventQueue::new();
            for (index, at) in instants.iter().enumerate() {
                queue.schedule(SimTime::from_ps(*at), index);
            }
            let mut expected: Vec<(u64, usize)> = instants.iter().copied().zip(0..).collect();
            expected.sort_unstable();
            let left: Vec<(u64, usize)> =
                std::iter::from_fn(|| queue.pop()).map(|(at, index)| (at.as_ps(), index)).collect();
            prop_assert_eq!(left, expected);
        }
    }
}
