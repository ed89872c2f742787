//! The future, in a total order.
//!
//! # How
//! The next events stand in a short sorted list, those after them in a heap. A drive that is asked for a few requests at
//! a time has few events ahead: finding a place among them, and shifting a few, is faster than a heap whose
//! every comparison is a branch that nobody can foresee. With many events ahead, each passes through the heap once.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::SimTime;

/// How many events are kept sorted. Measured on drives with 1 to 4,096 events ahead.
const NEAR: usize = 32;

/// Future events, ordered by instant and then by the order in which they were scheduled.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// The next events, the earliest last; those of one instant in their order.
    near: Vec<Near<E>>,
    /// Those after all of them.
    far: BinaryHeap<Reverse<Far<E>>>,
    /// What is scheduled for this instant or later belongs to `far`.
    horizon: Option<SimTime>,
    /// The order of events of one instant in `far`: less for what leaves the list, which is before all that is there, and more
    /// for what is scheduled, which is after it.
    orders: Range<u64>,
    now: SimTime,
}

#[derive(Clone, Copy, Debug)]
struct Near<E> {
    at: SimTime,
    event: E,
}

#[derive(Clone, Copy, Debug)]
struct Far<E> {
    at: SimTime,
    order: u64,
    event: E,
}

impl<E> Far<E> {
    /// One number to compare: the instant above, the order below.
    fn key(&self) -> u128 {
        (u128::from(self.at.as_ps()) << 64) | u128::from(self.order)
    }
}

impl<E> Ord for Far<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E> PartialOrd for Far<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Far<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Far<E> {}

impl<E: Copy> EventQueue<E> {
    /// An empty future, with time at zero.
    pub fn new() -> Self {
        Self {
            near: Vec::with_capacity(NEAR + 1),
            far: BinaryHeap::new(),
            horizon: None,
            orders: u64::MAX / 2..u64::MAX / 2,
            now: SimTime::ZERO,
        }
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
        if self.horizon.is_some_and(|horizon| at >= horizon) {
            return self.schedule_far(at, event);
        }
        // The new event leaves after all that were scheduled for its instant before. Most events are near: few move.
        let entry = Near { at, event };
        self.near.push(entry);
        let near = self.near.as_mut_slice();
        let mut place = near.len() - 1;
        for earlier in (0..near.len() - 1).rev() {
            if near[earlier].at > at {
                break;
            }
            near[earlier + 1] = near[earlier];
            place = earlier;
        }
        near[place] = entry;
        if near.len() > NEAR {
            self.send_away();
        }
    }

    fn schedule_far(&mut self, at: SimTime, event: E) {
        self.far.push(Reverse(Far { at, order: self.orders.end, event }));
        self.orders.end += 1;
    }

    /// Takes the earliest event and moves time to its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        if self.near.is_empty() {
            self.fetch();
        }
        let entry = self.near.pop()?;
        self.now = entry.at;
        Some((entry.at, entry.event))
    }

    /// The later half of the list leaves it.
    #[inline(never)]
    fn send_away(&mut self) {
        let Self { near, far, orders, .. } = self;
        // The latest comes first, and each goes before the one that went before it.
        far.extend(near.drain(..NEAR / 2).map(|Near { at, event }| {
            orders.start -= 1;
            Reverse(Far { at, order: orders.start, event })
        }));
        self.horizon = self.far.peek().map(|first| first.0.at);
    }

    /// The list is empty: half of it is filled again.
    #[inline(never)]
    fn fetch(&mut self) {
        let far = &mut self.far;
        let next = std::iter::from_fn(|| far.pop().map(|Reverse(Far { at, event, .. })| Near { at, event }));
        self.near.extend(next.take(NEAR / 2));
        self.near.reverse();
        self.horizon = self.far.peek().map(|first| first.0.at);
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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

        #[test]
        fn events_that_are_scheduled_meanwhile_take_their_place(
            rounds in prop::collection::vec((prop::collection::vec(0_u64..50, 0..20), 0_usize..20), 1..50),
        ) {
            let mut queue = EventQueue::new();
            let (mut expected, mut count) = (std::collections::BTreeSet::new(), 0_u64);
            for (delays, taken) in rounds {
                for delay in delays {
                    let at = queue.now().as_ps() + delay;
                    queue.schedule(SimTime::from_ps(at), count);
                    expected.insert((at, count));
                    count += 1;
                }
                prop_assert_eq!(queue.len(), expected.len());
                for _ in 0..taken {
                    prop_assert_eq!(queue.pop().map(|(at, event)| (at.as_ps(), event)), expected.pop_first());
                }
            }
        }
    }
}
