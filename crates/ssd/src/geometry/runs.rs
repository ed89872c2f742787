//! Entries that lie side by side, in runs that grow by doubling.

use std::ops::{Index, IndexMut};

use super::slabs::{Entry, Slabs};

/// The most entries of a run.
pub(super) const LONGEST: usize = 32;
/// Lengths that a run may have: 1, 2, 4 … [`LONGEST`].
const LENGTHS: usize = LONGEST.ilog2() as usize + 1;

/// Runs of entries. An entry is found by its place, one behind the other in a run.
#[derive(Clone, Debug)]
pub(super) struct Runs<T: Entry> {
    /// Each holds one run of the longest kind, or what it was cut into.
    chunks: Slabs<T, LONGEST>,
    /// Where runs begin that nobody has, by the logarithm of their length.
    free: [Vec<u32>; LENGTHS],
    /// The place of the next entry that lies alone, unless it is the first of a chunk: then that is still to be had.
    next_single: u32,
}

impl<T: Entry> Runs<T> {
    /// None.
    pub const fn new() -> Self {
        Self { chunks: Slabs::new(), free: [const { Vec::new() }; LENGTHS], next_single: 0 }
    }

    /// The place of the first of `1 << log` entries. What they are is left from before.
    fn take(&mut self, log: usize) -> u32 {
        if let Some(first) = self.free[log].pop() {
            return first;
        }
        if 1 << log == LONGEST {
            return self.chunks.next() * LONGEST as u32;
        }
        let first = self.take(log + 1);
        self.free[log].push(first + (1 << log));
        first
    }

    /// An entry that lies alone gets its place.
    #[inline]
    pub fn single(&mut self, entry: T) -> u32 {
        let place = self.free[0].pop().unwrap_or_else(|| {
            if self.next_single.is_multiple_of(LONGEST as u32) {
                self.next_single = self.take(LENGTHS - 1);
            }
            self.next_single += 1;
            self.next_single - 1
        });
        self[place] = entry;
        place
    }

    /// A run of `len` entries, one or more, gets another one behind its first `rank`. The run begins there from now on.
    pub fn insert(&mut self, first: u32, len: u32, rank: u32, entry: T) -> u32 {
        let to = if len.is_power_of_two() { self.take(len.ilog2() as usize + 1) } else { first };
        // From the end on, since they may stay in the run.
        for place in (0..len).rev() {
            self[to + place + u32::from(place >= rank)] = self[first + place];
        }
        self[to + rank] = entry;
        if to != first {
            self.free[len.ilog2() as usize].push(first);
        }
        to
    }
}

impl<T: Entry> Index<u32> for Runs<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.chunks[place / LONGEST as u32][place as usize % LONGEST]
    }
}

impl<T: Entry> IndexMut<u32> for Runs<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.chunks[place / LONGEST as u32][place as usize % LONGEST]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_keeps_its_entries_in_order_while_it_grows_and_another_gets_what_it_left() {
        let mut runs = Runs::<u32>::new();
        let mut first = runs.single(0);
        for len in 1..LONGEST as u32 {
            // Alternately in front and behind.
            let rank = if len % 2 == 0 { 0 } else { len };
            first = runs.insert(first, len, rank, len);
        }
        let found: Vec<u32> = (0..LONGEST as u32).map(|n| runs[first + n]).collect();
        let expected: Vec<u32> = (0..32).rev().step_by(2).map(|n| n - 1).chain((1..32).step_by(2)).collect();
        assert_eq!(found, expected);
        let chunks = runs.chunks.next();
        let others: Vec<u32> = (0..31).map(|n| runs.single(n)).collect();
        assert!(others.iter().all(|place| *place < 32 * chunks), "they lie where the run was");
    }
}
