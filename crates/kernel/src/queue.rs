//! The future, in a total order.
//!
//! # How
//! What takes a fixed time ends in the order in which it began: most events belong to one of a few sequences of rising
//! instants. Each such sequence is a lane, first in, first out, and the next event of all is the least of their first ones. An event
//! joins the first lane whose last one is not later than it; what fits none is [`Sorted`].
//!
//! # Why events of one instant leave in the order in which they came
//! The last instant of a lane only rises. An event that has joined a lane found a later instant in each lane before it, so of its
//! own instant none can join those any more: of two events of one instant the one in the lane before was there before, and
//! what fitted none came behind all. So the order of lanes is the order of events, and only those that fit none have numbers.

use crate::SimTime;
use crate::key::{BEYOND, Key, PLACES};
use crate::lanes::Lanes;
use crate::sorted::Sorted;

/// How many lanes there are. A drive that reads pages has five sequences: messages, completions, arrays, commands, data.
const LANES: usize = 6;
/// The place, behind the lanes, of events that fit none.
const SORTED: usize = LANES;
const _: () = assert!(SORTED < Key::NONE.place(), "the last place stands for none");

/// The key of the first event that fits no lane: behind all that lanes have, if it is beyond them.
fn of_sorted(at: SimTime) -> Key {
    Key::new(at.min(SimTime::from_ps(BEYOND - 1)), SORTED)
}

/// Future events, ordered by instant and then by the order in which they were scheduled.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// That of the first event of each lane, and of those that fit none. The places behind stay empty.
    firsts: [Key; PLACES],
    /// The instant of the last event that joined each lane.
    lasts: [SimTime; LANES],
    lanes: Lanes<E>,
    sorted: Sorted<E>,
    now: SimTime,
}

impl<E: Copy> EventQueue<E> {
    /// An empty future, with time at zero.
    pub fn new() -> Self {
        Self {
            firsts: [Key::NONE; PLACES],
            lasts: [SimTime::ZERO; LANES],
            lanes: Lanes::new(),
            sorted: Sorted::new(),
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
    /// When `at` is in the past, or is [`SimTime::MAX`], which is never: that is a bug in the caller.
    #[track_caller]
    pub fn schedule(&mut self, at: SimTime, event: E) {
        assert!(at >= self.now, "an event was scheduled for the past");
        if at.as_ps() < BEYOND
            && let Some(lane) = self.lasts.iter().position(|&last| last <= at)
        {
            self.lasts[lane] = at;
            let key = Key::new(at, lane);
            self.firsts[lane] = self.firsts[lane].min(key);
            return self.lanes.push(lane, key, event);
        }
        self.schedule_sorted(at, event);
    }

    #[track_caller]
    fn schedule_sorted(&mut self, at: SimTime, event: E) {
        assert!(at < SimTime::MAX, "an event was scheduled for never");
        self.sorted.insert(at, event);
        self.firsts[SORTED] = self.firsts[SORTED].min(of_sorted(at));
    }

    /// The key of the earliest event.
    #[inline]
    fn earliest(&self) -> Key {
        // By selections instead of branches, of which it cannot be foreseen which way they go.
        let lesser = |one: usize, other: usize| self.firsts[one].min(self.firsts[other]);
        lesser(0, 1).min(lesser(2, 3)).min(lesser(4, 5).min(self.firsts[SORTED]))
    }

    /// The instant of the earliest event; none if nothing waits.
    pub fn next_at(&self) -> Option<SimTime> {
        match self.earliest() {
            key if key.place() < LANES => Some(key.at()),
            _ => self.sorted.first().map(|entry| entry.at),
        }
    }

    /// Takes the earliest event and moves time to its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let key = self.earliest();
        let place = key.place();
        if place >= LANES {
            return self.pop_sorted().map(|event| (self.now, event));
        }
        let (event, next) = self.lanes.pop(place);
        (self.firsts[place], self.now) = (next, key.at());
        Some((key.at(), event?))
    }

    /// The same where no lane has it, if there is any.
    fn pop_sorted(&mut self) -> Option<E> {
        let entry = self.sorted.pop()?;
        self.firsts[SORTED] = self.sorted.first().map_or(Key::NONE, |next| of_sorted(next.at));
        self.now = entry.at;
        Some(entry.event)
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.sorted.len() + self.lanes.len()
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

    #[test]
    fn what_is_later_than_keys_can_say_leaves_in_order_too() {
        let mut queue = EventQueue::new();
        let instants = [u64::MAX - 1, BEYOND, BEYOND - 1, 5, BEYOND + 1, BEYOND, BEYOND - 1];
        for (index, at) in instants.into_iter().enumerate() {
            queue.schedule(SimTime::from_ps(at), index);
        }
        let next = |queue: &mut EventQueue<usize>| {
            let at = queue.next_at();
            let (taken_at, index) = queue.pop()?;
            assert_eq!((at, queue.now()), (Some(taken_at), taken_at));
            Some((taken_at.as_ps(), index))
        };
        let left: Vec<_> = std::iter::from_fn(|| next(&mut queue)).collect();
        let mut expected: Vec<_> = instants.into_iter().zip(0..).collect();
        expected.sort_unstable();
        assert_eq!((left, queue.next_at()), (expected, None));
    }

    #[test]
    #[should_panic(expected = "never")]
    fn nothing_is_scheduled_for_never() {
        EventQueue::new().schedule(SimTime::MAX, ());
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
