//! Priority queue of events.
//!
//! # Data structure
//! The next events are in a short sorted list, all later events in a binary heap. Insertion into a short list
//! is faster than into a heap, whose comparisons are unpredictable branches.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::SimTime;
use crate::scheduled_event::ScheduledEvent;

/// Maximum length of the sorted list, chosen by measurements with 1 to 4,096 scheduled events.
const NEAR: usize = 32;

/// Events in order of their keys.
#[derive(Clone, Debug)]
pub(crate) struct SortedQueue<E> {
    /// Next events in descending order of keys; the earliest is the last element.
    near: Vec<ScheduledEvent<E>>,
    /// Later events; empty if `near` is empty.
    far: BinaryHeap<Reverse<HeapEvent<E>>>,
    /// Smallest key in `far`. New events with larger keys go to `far`.
    horizon: u128,
    /// Number of insertions so far.
    inserted: u64,
}

/// Event in the heap, ordered by its key.
#[derive(Clone, Copy, Debug)]
struct HeapEvent<E>(ScheduledEvent<E>);

impl<E> Ord for HeapEvent<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.key().cmp(&other.0.key())
    }
}

impl<E> PartialOrd for HeapEvent<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for HeapEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl<E> Eq for HeapEvent<E> {}

impl<E: Copy> SortedQueue<E> {
    pub(crate) fn new() -> Self {
        Self { near: Vec::with_capacity(NEAR + 1), far: BinaryHeap::new(), horizon: u128::MAX, inserted: 0 }
    }

    /// Inserts an event after all events already scheduled for its instant.
    pub(crate) fn insert(&mut self, at: SimTime, event: E) {
        let entry = ScheduledEvent { at, ticket: self.inserted, event };
        self.inserted += 1;
        let key = entry.key();
        if key > self.horizon {
            return self.far.push(Reverse(HeapEvent(entry)));
        }
        // Most new events are close to the end of the list, so few elements move.
        self.near.push(entry);
        let near = self.near.as_mut_slice();
        let mut place = near.len() - 1;
        for earlier in (0..near.len() - 1).rev() {
            if near[earlier].key() > key {
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

    /// Removes and returns the earliest event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<ScheduledEvent<E>> {
        let entry = self.near.pop();
        if self.near.is_empty() && !self.far.is_empty() {
            self.fetch();
        }
        entry
    }

    /// Returns the earliest event.
    pub(crate) fn first(&self) -> Option<&ScheduledEvent<E>> {
        self.near.last()
    }

    /// Iterates over the events in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SimTime, E)> {
        let far = self.far.iter().map(|Reverse(HeapEvent(entry))| entry);
        self.near.iter().chain(far).map(|entry| (entry.at, entry.event))
    }

    pub(crate) fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Moves the later half of the list into the heap.
    fn send_away(&mut self) {
        self.far.extend(self.near.drain(..NEAR / 2).map(|entry| Reverse(HeapEvent(entry))));
        self.look_ahead();
    }

    /// Fills half of the empty list from the heap.
    fn fetch(&mut self) {
        let far = &mut self.far;
        self.near
            .extend(std::iter::from_fn(|| far.pop().map(|Reverse(HeapEvent(entry))| entry)).take(NEAR / 2));
        self.near.reverse();
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.horizon = self.far.peek().map_or(u128::MAX, |Reverse(HeapEvent(first))| first.key());
    }
}
