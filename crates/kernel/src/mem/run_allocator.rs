//! Allocator of contiguous runs of table entries. A run grows by doubling.

use std::ops::{Index, IndexMut};

use super::slabs::{Slabs, TableElement};

/// Maximum length of a run of entries.
pub(super) const LONGEST: usize = 32;
/// Number of possible lengths of a run: 1, 2, 4 … [`LONGEST`].
const LENGTHS: usize = LONGEST.ilog2() as usize + 1;

/// Allocator of runs. Consecutive entries of a run have consecutive positions.
#[derive(Clone, Debug)]
pub(super) struct RunAllocator<T: TableElement> {
    /// Chunks of the maximum length, possibly divided into shorter runs.
    chunks: Slabs<T, LONGEST>,
    /// Positions of free runs, indexed by the logarithm of their length.
    free: [Vec<u32>; LENGTHS],
    /// Position of the next run of length one. At a multiple of the chunk length, a new chunk is allocated
    /// first.
    next_single: u32,
}

impl<T: TableElement> RunAllocator<T> {
    /// Creates an allocator without runs.
    pub const fn new() -> Self {
        Self { chunks: Slabs::new(), free: [const { Vec::new() }; LENGTHS], next_single: 0 }
    }

    /// Allocates a run of `1 << log` entries with arbitrary contents. Returns its position.
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

    /// Allocates a run of length one for `entry`. Returns its position.
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

    /// Inserts `entry` at offset `rank` into a non-empty run of `len` entries, which may move. Returns the
    /// run's new position.
    pub fn insert(&mut self, first: u32, len: u32, rank: u32, entry: T) -> u32 {
        let to = if len.is_power_of_two() { self.move_to_longer(first, len) } else { first };
        let run = self.run_mut(to, len + 1);
        run.copy_within(rank as usize..len as usize, rank as usize + 1);
        run[rank as usize] = entry;
        to
    }

    /// Moves a full run of `len` entries to one of twice the length. Returns its position.
    fn move_to_longer(&mut self, first: u32, len: u32) -> u32 {
        let log = len.ilog2() as usize;
        let to = self.take(log + 1);
        for place in 0..len {
            self[to + place] = self[first + place];
        }
        self.free[log].push(first);
        to
    }

    /// Returns the first `len` entries of a run. A run lies in one chunk.
    fn run_mut(&mut self, first: u32, len: u32) -> &mut [T] {
        let from = offset_of(first);
        &mut self.chunks[chunk_of(first)][from..from + len as usize]
    }
}

/// Returns the index of the chunk that contains the entry at `position`.
#[inline]
const fn chunk_of(position: u32) -> u32 {
    position / LONGEST as u32
}

/// Returns the offset of the entry at `position` in its chunk.
#[inline]
const fn offset_of(position: u32) -> usize {
    position as usize % LONGEST
}

impl<T: TableElement> Index<u32> for RunAllocator<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.chunks[chunk_of(place)][offset_of(place)]
    }
}

impl<T: TableElement> IndexMut<u32> for RunAllocator<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.chunks[chunk_of(place)][offset_of(place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_inserted_before_later_ones_of_a_run_that_moves_or_stays() {
        let mut runs = RunAllocator::<u32>::new();
        let mut first = runs.single(0);
        for (len, rank) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 1)] {
            first = runs.insert(first, len, rank, 10 * len);
        }
        let found: Vec<u32> = (0..6).map(|place| runs[first + place]).collect();
        assert_eq!(found, [0, 50, 20, 40, 30, 10]);
    }

    #[test]
    fn a_growing_run_keeps_its_order_and_its_old_entries_are_reused() {
        let mut runs = RunAllocator::<u32>::new();
        let mut first = runs.single(0);
        for len in 1..LONGEST as u32 {
            // Inserts alternately at the front and at the end.
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
