//! Queue of scheduled events, in a total order.
//!
//! # Data structure
//! Events with the same fixed delay are due in the order in which they were scheduled. Most events therefore
//! belong to a few sequences of increasing times. Each sequence has a FIFO lane ([`EventLanes`]), and the
//! earliest event is the minimum of the lanes' first events. An event joins the first lane whose last event
//! is not later than the new one. An event that fits no lane goes to [`SortedQueue`].
//!
//! # Proof: events at the same instant leave in order of insertion
//! The last instant of a lane never decreases. When an event at instant *t* joined lane *k*, the last instant
//! of each lane before *k* was after *t*. No later event at *t* can therefore join those lanes. Of two events
//! at *t* in different lanes, the one in the lower lane is therefore the older one. When an event at *t*
//! entered `SortedQueue`, the last instants of all lanes were after *t*, so it is younger than each event at
//! *t* in a lane. The order of lanes is thus the order of insertion, and only events in `SortedQueue` need
//! sequence numbers.

use crate::key::{BEYOND, Key, PLACES};
use crate::lanes::EventLanes;
use crate::sorted_queue::SortedQueue;
use crate::{SimSpan, SimTime};

/// Number of lanes. Reads cause five sequences of events: messages, completions, array operations, commands
/// and data, of which two usually share a lane. Each removal compares the first events of all lanes, which
/// takes more time than the few events that find no lane.
const LANES: usize = 4;
/// Queue number of the [`SortedQueue`], after the numbers of the lanes.
const SORTED: usize = LANES;
const _: () = assert!(SORTED < Key::NONE.place(), "the last place stands for none");

/// Returns the key of the first event of [`SortedQueue`], due at `at`. Times from [`BEYOND`] on are clamped,
/// which is correct since they are later than all events of lanes.
fn of_sorted(at: SimTime) -> Key {
    Key::new(at.min(SimTime::from_ps(BEYOND - 1)), SORTED)
}

/// Scheduled events, ordered by instant and then by insertion.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// Key of the first event of each lane and of [`SortedQueue`]; unused elements are [`Key::NONE`].
    firsts: [Key; PLACES],
    /// Time of the last event that was appended to each lane.
    lasts: [SimTime; LANES],
    lanes: EventLanes<E>,
    sorted: SortedQueue<E>,
    now: SimTime,
}

impl<E: Copy> EventQueue<E> {
    /// Returns an empty queue at time zero.
    pub fn new() -> Self {
        Self {
            firsts: [Key::NONE; PLACES],
            lasts: [SimTime::ZERO; LANES],
            lanes: EventLanes::new(),
            sorted: SortedQueue::new(),
            now: SimTime::ZERO,
        }
    }

    /// Returns the instant of the event that was removed last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Schedules `event` for `at`, after all events already scheduled for that instant.
    ///
    /// # Panics
    /// Panics if `at` is in the past or is [`SimTime::MAX`], which stands for "never".
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

    /// Returns the key of the earliest event.
    #[inline]
    fn earliest(&self) -> Key {
        // Minima compile to conditional moves; branches would be unpredictable here.
        let lesser = |one: usize, other: usize| self.firsts[one].min(self.firsts[other]);
        lesser(0, 1).min(lesser(2, 3)).min(self.firsts[SORTED])
    }

    /// Returns the instant of the earliest event; `None` if the queue is empty.
    pub fn next_at(&self) -> Option<SimTime> {
        match self.earliest() {
            key if key.place() < LANES => Some(key.at()),
            _ => self.sorted.first().map(|entry| entry.at),
        }
    }

    /// Removes and returns the earliest event, and advances the current time to its instant.
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

    /// Removes and returns the earliest event of [`SortedQueue`], if any.
    fn pop_sorted(&mut self) -> Option<E> {
        let entry = self.sorted.pop()?;
        self.firsts[SORTED] = self.sorted.first().map_or(Key::NONE, |next| of_sorted(next.at));
        self.now = entry.at;
        Some(entry.event)
    }

    /// Returns the instant of the earliest event for which `is_counted` returns true. Takes time in proportion
    /// to the length of the queue.
    #[cold]
    pub fn next_of(&self, is_counted: impl Fn(&E) -> bool) -> Option<SimTime> {
        let all = self.lanes.iter().chain(self.sorted.iter());
        all.filter(|(_, event)| is_counted(event)).map(|(at, _)| at).min()
    }

    /// Removes the events for which `is_removed` returns true. Takes time in proportion to the length of the queue.
    #[cold]
    pub fn remove(&mut self, is_removed: impl Fn(&E) -> bool) {
        for (at, event) in self.take_all().into_iter().filter(|(_, event)| !is_removed(event)) {
            self.schedule(at, event);
        }
    }

    /// Postpones the events for which `is_postponed` returns true by `span`. Events at the same instant keep their
    /// order, except that postponed events come after the other events of their new instant. Takes time in
    /// proportion to the length of the queue.
    #[cold]
    pub fn postpone(&mut self, is_postponed: impl Fn(&E) -> bool, span: SimSpan) {
        let (postponed, others): (Vec<_>, Vec<_>) =
            self.take_all().into_iter().partition(|(_, event)| is_postponed(event));
        for (at, event) in others {
            self.schedule(at, event);
        }
        for (at, event) in postponed {
            self.schedule(at + span, event);
        }
    }

    /// Removes and returns all events in order. The current time stays the same.
    fn take_all(&mut self) -> Vec<(SimTime, E)> {
        let now = self.now;
        let events = std::iter::from_fn(|| self.pop()).collect();
        *self = Self { now, ..Self::new() };
        events
    }

    /// Returns the number of scheduled events.
    pub fn len(&self) -> usize {
        self.sorted.len() + self.lanes.len()
    }

    /// Returns true if no event is scheduled.
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
    fn removal_keeps_time_and_order_of_the_other_events() {
        let mut queue = EventQueue::new();
        queue.schedule(SimTime::from_ps(1), 0);
        queue.pop();
        for (at, event) in [(9, 1), (5, 2), (9, 3), (5, 4), (7, 5)] {
            queue.schedule(SimTime::from_ps(at), event);
        }
        queue.remove(|event| event % 2 == 0 || *event == 5);
        assert_eq!(queue.now(), SimTime::from_ps(1));
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [(SimTime::from_ps(9), 1), (SimTime::from_ps(9), 3)]);
    }

    #[test]
    fn postponed_events_keep_their_order_and_follow_the_others_of_their_instant() {
        let mut queue = EventQueue::new();
        for (at, event) in [(9, 1), (5, 2), (9, 3), (5, 4), (7, 5)] {
            queue.schedule(SimTime::from_ps(at), event);
        }
        assert_eq!(queue.next_of(|event| event % 2 == 1), Some(SimTime::from_ps(7)));
        assert_eq!(queue.next_of(|event| *event > 5), None);
        queue.postpone(|event| *event == 2 || *event == 4, SimSpan::from_ps(4));
        let all: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(at, event)| (at.as_ps(), event)).collect();
        assert_eq!(all, [(7, 5), (9, 1), (9, 3), (9, 2), (9, 4)]);
    }

    #[test]
    #[should_panic(expected = "the past")]
    fn the_past_is_closed() {
        let mut queue = EventQueue::new();
        queue.schedule(SimTime::from_ps(5), ());
        queue.pop();
        queue.schedule(SimTime::from_ps(4), ());
    }

    #[test]
    fn events_beyond_the_range_of_keys_stay_in_order() {
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
                let first_odd = expected.iter().find(|(_, event)| event % 2 == 1);
                prop_assert_eq!(
                    queue.next_of(|event| event % 2 == 1).map(SimTime::as_ps),
                    first_odd.map(|&(at, _)| at)
                );
                for _ in 0..taken {
                    prop_assert_eq!(queue.next_at().map(SimTime::as_ps), expected.first().map(|&(at, _)| at));
                    prop_assert_eq!(queue.pop().map(|(at, event)| (at.as_ps(), event)), expected.pop_first());
                }
            }
        }
    }
}
