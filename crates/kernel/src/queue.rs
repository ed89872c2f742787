//! The future, in a total order.
//!
//! # How
//! What takes a fixed time ends in the order in which it began: most events belong to one of a few sequences of rising
//! instants. Each such sequence is a lane, of which only the first event is [`Sorted`] among the others'; those behind it wait
//! first in, first out, for that one to happen. An event joins the first lane whose last one is not later than it; what fits
//! none is sorted by itself.

use std::collections::VecDeque;

use crate::SimTime;
use crate::entry::{Entry, LANE_BITS, NO_LANE};
use crate::sorted::Sorted;

/// How many lanes there are. A drive that reads pages has five sequences: messages, completions, arrays, commands, data.
const LANES: usize = 6;
const _: () = assert!(LANES <= NO_LANE, "lanes have numbers of so many bits");

/// Future events, ordered by instant and then by the order in which they were scheduled.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    sorted: Sorted<E>,
    lanes: [Lane<E>; LANES],
    /// How many events were scheduled so far.
    scheduled: u64,
    now: SimTime,
}

/// Events in the order in which they were scheduled, which is that of their instants.
#[derive(Clone, Debug)]
struct Lane<E> {
    /// The instant of the last that joined.
    last: SimTime,
    /// Whether its first is among the sorted ones.
    is_led: bool,
    /// Those behind it.
    behind: VecDeque<Entry<E>>,
}

impl<E: Copy> EventQueue<E> {
    /// An empty future, with time at zero.
    pub fn new() -> Self {
        let lane = |_| Lane { last: SimTime::ZERO, is_led: false, behind: VecDeque::new() };
        Self { sorted: Sorted::new(), lanes: std::array::from_fn(lane), scheduled: 0, now: SimTime::ZERO }
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
        let ticket = self.scheduled << LANE_BITS;
        self.scheduled += 1;
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            if lane.last <= at {
                let entry = Entry { at, ticket: ticket | number as u64, event };
                lane.last = at;
                if lane.is_led {
                    return lane.behind.push_back(entry);
                }
                lane.is_led = true;
                return self.sorted.insert(entry);
            }
        }
        self.sorted.insert(Entry { at, ticket: ticket | NO_LANE as u64, event });
    }

    /// The instant of the earliest event; none if nothing waits.
    pub fn next_at(&self) -> Option<SimTime> {
        self.sorted.first().map(|entry| entry.at)
    }

    /// Takes the earliest event and moves time to its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let entry = self.sorted.pop()?;
        if let Some(lane) = self.lanes.get_mut(entry.lane()) {
            match lane.behind.pop_front() {
                Some(next) => self.sorted.insert(next),
                None => lane.is_led = false,
            }
        }
        self.now = entry.at;
        Some((entry.at, entry.event))
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.sorted.len() + self.lanes.iter().map(|lane| lane.behind.len()).sum::<usize>()
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
                    prop_assert_eq!(queue.next_at().map(SimTime::as_ps), expected.first().map(|&(at, _)| at));
                    prop_assert_eq!(queue.pop().map(|(at, event)| (at.as_ps(), event)), expected.pop_first());
                }
            }
        }
    }
}
