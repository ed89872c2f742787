//! Events of any order.
//!
//! # How
//! The next ones stand in a short sorted list, those after them in a heap. Finding a place among a few, and shifting some, is
//! faster than a heap whose every comparison is a branch that nobody can foresee. With many events, each passes through the
//! heap once.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::SimTime;
use crate::entry::Entry;

/// How many events are kept in the list. Measured on drives with 1 to 4,096 events ahead.
const NEAR: usize = 32;

/// Events by their keys.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<E> {
    /// The next events, the earliest last.
    near: Vec<Entry<E>>,
    /// Those after all of them; there are some only while the list has some.
    far: BinaryHeap<Reverse<Far<E>>>,
    /// The first key in `far`: what comes after it belongs there.
    horizon: u128,
    /// How many were put in.
    inserted: u64,
}

/// An event in the heap.
#[derive(Clone, Copy, Debug)]
struct Far<E>(Entry<E>);

impl<E> Ord for Far<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.key().cmp(&other.0.key())
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
        self.0.key() == other.0.key()
    }
}

impl<E> Eq for Far<E> {}

impl<E: Copy> Sorted<E> {
    pub(crate) fn new() -> Self {
        Self { near: Vec::with_capacity(NEAR + 1), far: BinaryHeap::new(), horizon: u128::MAX, inserted: 0 }
    }

    /// Puts an event in its place, which is behind others of its instant.
    pub(crate) fn insert(&mut self, at: SimTime, event: E) {
        let entry = Entry { at, ticket: self.inserted, event };
        self.inserted += 1;
        let key = entry.key();
        if key > self.horizon {
            return self.far.push(Reverse(Far(entry)));
        }
        // Most events are near: few move.
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

    /// Takes the earliest.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Entry<E>> {
        let entry = self.near.pop();
        if self.near.is_empty() && !self.far.is_empty() {
            self.fetch();
        }
        entry
    }

    /// The event that is taken next.
    pub(crate) fn first(&self) -> Option<&Entry<E>> {
        self.near.last()
    }

    pub(crate) fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// The later half of the list leaves it.
    fn send_away(&mut self) {
        self.far.extend(self.near.drain(..NEAR / 2).map(|entry| Reverse(Far(entry))));
        self.look_ahead();
    }

    /// The list is empty: half of it is filled again.
    fn fetch(&mut self) {
        let far = &mut self.far;
        self.near.extend(std::iter::from_fn(|| far.pop().map(|Reverse(Far(entry))| entry)).take(NEAR / 2));
        self.near.reverse();
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.horizon = self.far.peek().map_or(u128::MAX, |Reverse(Far(first))| first.key());
    }
}
