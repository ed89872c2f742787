//! Sequences of events of rising instants, each first in, first out.
//!
//! # How
//! The first events of a lane stand in a ring of places. The rings of all lanes are one array, in turns: place 0 is the first of lane 0, place
//! 1 that of lane 1, and so on. There are as many places as a byte can say, so that every byte is the number of a place, and a place's next one
//! in its ring is a fixed number ahead, around the end too. Behind the last event of a ring stands the key of none, so that whether there is
//! a next one is not asked, which no processor could foresee. What finds its lane's ring full waits behind it in a queue that grows, and
//! moves up as places become free.

use std::collections::VecDeque;

use crate::key::{Key, PLACES};

/// Lanes there are: one for every place that a key can say, so that it is not asked whether there is one.
const LANES: usize = PLACES;
/// Places of all rings. Rings of more than 32 would displace more of the processor's nearest cache, since all places are come by in turn.
const ALL: usize = 1 << u8::BITS;

/// The place behind another one of a ring.
#[inline]
const fn behind(place: u8) -> u8 {
    place.wrapping_add(LANES as u8)
}

/// Lanes of events.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<E> {
    /// By lane: the place of its first event.
    first: [u8; LANES],
    /// By lane: the place behind its last one, which stays empty.
    end: [u8; LANES],
    keys: [Key; ALL],
    events: [Option<E>; ALL],
    /// By lane: what waits behind its ring, which is full then.
    waiting: [VecDeque<(Key, E)>; LANES],
    /// How many wait there, of all lanes.
    all_waiting: usize,
}

impl<E: Copy> Lanes<E> {
    /// Lanes without events.
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

    /// An event joins a lane.
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

    /// Takes the first event of a lane that has one. With it the key of the next one, or of none.
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

    /// A place of a ring has become free: what waits longest behind it, if anything does, takes it.
    fn move_up(&mut self, lane: usize) {
        if let Some((key, event)) = self.waiting[lane].pop_front() {
            self.all_waiting -= 1;
            self.push(lane, key, event);
        }
    }

    /// Events in all lanes.
    pub(crate) fn len(&self) -> usize {
        let places = self.end.iter().zip(&self.first).map(|(end, first)| end.wrapping_sub(*first));
        places.map(|places| usize::from(places) / LANES).sum::<usize>() + self.all_waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimTime;

    #[test]
    fn a_lane_of_any_length_is_first_in_first_out_and_others_do_not_matter() {
        let key = |count| Key::new(SimTime::from_ps(count), 2);
        let mut lanes = Lanes::new();
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
