//! FIFO queues (lanes) of scheduled events; the instants of a lane never decrease.
//!
//! # Data structure
//! The first events of a lane are in a ring buffer. The ring buffers of all lanes are interleaved in one
//! array of 256 slots: slot `i` belongs to lane `i % LANES`. A `u8` is therefore always a valid slot number,
//! and the next slot of a ring is a wrapping addition. The slot after the last event of a ring holds
//! [`Key::NONE`], so `pop` needs no branch on "is there a next event", which would be unpredictable. Events
//! that find their ring full wait in an overflow queue and enter the ring as slots become free.

use std::collections::VecDeque;

use crate::SimTime;
use crate::key::{Key, PLACES};

/// Number of lanes: one for each queue number of a key, so that indexing needs no bounds check.
const LANES: usize = PLACES;
/// Number of slots in all rings together. The slots of a ring are used in turn, so larger rings would occupy
/// more of the L1 cache.
const ALL: usize = 1 << u8::BITS;

/// Returns the slot after `place` in its ring.
#[inline]
const fn behind(place: u8) -> u8 {
    place.wrapping_add(LANES as u8)
}

/// FIFO queues (lanes) of scheduled events.
#[derive(Clone, Debug)]
pub(crate) struct EventLanes<E> {
    /// Slot of the first event of each lane.
    first: [u8; LANES],
    /// Slot after the last event of each lane, which is always empty.
    end: [u8; LANES],
    keys: [Key; ALL],
    events: [Option<E>; ALL],
    /// Events of each lane that wait for a slot, while the ring of the lane is full.
    waiting: [VecDeque<(Key, E)>; LANES],
    /// Number of waiting events in all lanes.
    all_waiting: usize,
}

impl<E: Copy> EventLanes<E> {
    /// Returns empty lanes.
    pub(crate) fn new() -> Self {
        let ends = std::array::from_fn(|lane| lane as u8);
        Self {
            first: ends,
            end: ends,
            keys: [Key::NONE; ALL],
            events: [None; ALL],
            waiting: std::array::from_fn(|_| VecDeque::new()),
            all_waiting: 0,
        }
    }

    /// Appends an event to `lane`.
    pub(crate) fn push(&mut self, lane: usize, key: Key, event: E) {
        let lane = lane % LANES;
        let place = self.end[lane];
        let end = behind(place);
        if end == self.first[lane] {
            return self.wait(lane, key, event);
        }
        self.keys[usize::from(place)] = key;
        self.events[usize::from(place)] = Some(event);
        self.keys[usize::from(end)] = Key::NONE;
        self.end[lane] = end;
    }

    fn wait(&mut self, lane: usize, key: Key, event: E) {
        self.all_waiting += 1;
        self.waiting[lane].push_back((key, event));
    }

    /// Removes the first event of a non-empty lane. Returns the event and the key of its successor, or
    /// [`Key::NONE`].
    pub(crate) fn pop(&mut self, lane: usize) -> (Option<E>, Key) {
        let lane = lane % LANES;
        let place = self.first[lane];
        debug_assert!(place != self.end[lane], "nothing is in lane {lane}");
        let event = self.events[usize::from(place)];
        let next = behind(place);
        self.first[lane] = next;
        if self.all_waiting > 0 {
            self.move_up(lane);
        }
        (event, self.keys[usize::from(next)])
    }

    /// Moves the first waiting event of `lane`, if there is one, into a free slot.
    fn move_up(&mut self, lane: usize) {
        if let Some((key, event)) = self.waiting[lane].pop_front() {
            self.all_waiting -= 1;
            self.push(lane, key, event);
        }
    }

    /// Iterates over the events of all lanes, lane by lane.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SimTime, E)> {
        (0..LANES).flat_map(move |lane| {
            let next = |&place: &u8| Some(behind(place));
            let places = std::iter::successors(Some(self.first[lane]), next);
            let ring = places.take_while(move |&place| place != self.end[lane]).filter_map(|place| {
                self.events[usize::from(place)].map(|event| (self.keys[usize::from(place)], event))
            });
            ring.chain(self.waiting[lane].iter().copied()).map(|(key, event)| (key.at(), event))
        })
    }

    /// Returns the number of events in all lanes.
    pub(crate) fn len(&self) -> usize {
        let places = self.end.iter().zip(&self.first).map(|(end, first)| end.wrapping_sub(*first));
        places.map(|places| usize::from(places) / LANES).sum::<usize>() + self.all_waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_of_any_length_is_first_in_first_out_and_others_do_not_matter() {
        let key = |count| Key::new(SimTime::from_ps(count), 2);
        let mut lanes = EventLanes::new();
        let (mut pushed, mut popped) = (0, 0);
        for (more, fewer) in [(3, 1), (2, 4), (100, 60), (10, 49), (0, 1), (33, 33), (70, 20), (5, 55)] {
            for _ in 0..more {
                lanes.push(2, key(pushed), 2 * pushed);
                lanes.push(7, key(0), 0);
                pushed += 1;
            }
            for _ in 0..fewer {
                let expected = Some(2 * popped);
                popped += 1;
                let next = if popped == pushed { Key::NONE } else { key(popped) };
                assert_eq!(lanes.pop(2), (expected, next));
            }
        }
        assert_eq!(lanes.len() as u64, pushed - popped + pushed, "those of the other lane too");
    }
}
