//! Chunks of a sparse table, allocated in large slabs.

use std::any::Any;
use std::mem;
use std::ops::{Index, IndexMut};

use bytemuck::{Zeroable, zeroed_box};

use super::memory_pool::shelf;

/// Number of chunks per slab. A slab is large enough to come from the operating system, which zeroes a page
/// when it is first written. Smaller slabs would come from the allocator and have to be cleared before use.
pub(super) const SLAB: usize = 4096;

/// Element of a table; its default must be the all-zero bit pattern.
pub trait TableElement: Any + Copy + Default + Send + Zeroable {}

impl<T: Any + Copy + Default + Send + Zeroable> TableElement for T {}

/// Slab of chunks. Both lengths are part of the type, so a look-up loads no length from memory.
type Slab<T, const CHUNK: usize> = [[T; CHUNK]; SLAB];

/// Chunks of a table, indexed by position.
#[derive(Clone, Debug)]
pub(super) struct Slabs<T: TableElement, const CHUNK: usize> {
    slabs: Vec<Box<Slab<T, CHUNK>>>,
    /// First position that has never been allocated.
    fresh: u32,
}

impl<T: TableElement, const CHUNK: usize> Slabs<T, CHUNK> {
    /// Creates an empty set of chunks.
    pub const fn new() -> Self {
        Self { slabs: Vec::new(), fresh: 0 }
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.slabs.is_empty()
    }

    /// Allocates a chunk of default entries. Returns its position.
    #[inline]
    pub fn next(&mut self) -> u32 {
        if self.fresh as usize == self.slabs.len() * SLAB {
            self.grow();
        }
        self.fresh += 1;
        self.fresh - 1
    }

    #[cold]
    fn grow(&mut self) {
        let kept = shelf().take_piece();
        self.slabs.push(kept.unwrap_or_else(zeroed_box));
    }
}

impl<T: TableElement, const CHUNK: usize> Index<u32> for Slabs<T, CHUNK> {
    type Output = [T; CHUNK];

    #[inline]
    fn index(&self, place: u32) -> &[T; CHUNK] {
        &self.slabs[place as usize / SLAB][place as usize % SLAB]
    }
}

impl<T: TableElement, const CHUNK: usize> IndexMut<u32> for Slabs<T, CHUNK> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut [T; CHUNK] {
        &mut self.slabs[place as usize / SLAB][place as usize % SLAB]
    }
}

/// Keeps the slabs for the next table of the same type, if memory is reused.
impl<T: TableElement, const CHUNK: usize> Drop for Slabs<T, CHUNK> {
    fn drop(&mut self) {
        if self.slabs.is_empty() || !shelf().is_open() {
            return;
        }
        let mut slabs = mem::take(&mut self.slabs);
        let written = slabs.iter_mut().flat_map(|slab| slab.iter_mut()).take(self.fresh as usize);
        written.for_each(|chunk| *chunk = [T::default(); CHUNK]);
        shelf().keep_pieces(slabs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::KeptMemory;

    #[test]
    fn a_slab_goes_to_the_next_table_of_its_kind_and_holds_the_default() {
        let _kept = KeptMemory::open();
        // A type that no other test of this process uses in a table.
        let mut first = Slabs::<[u8; 3], 5>::new();
        let places: Vec<u32> = (0..=SLAB).map(|_| first.next()).collect();
        assert_eq!((places[7], places[SLAB], first.slabs.len()), (7, SLAB as u32, 2));
        first[SLAB as u32][4] = [1, 2, 3];
        let was = std::ptr::from_ref(&first[SLAB as u32]);
        drop(first);
        let mut second = Slabs::<[u8; 3], 5>::new();
        assert_eq!(second.next(), 0);
        assert_eq!((std::ptr::from_ref(&second[0]), second[0][4]), (was, [0; 3]));
    }
}
