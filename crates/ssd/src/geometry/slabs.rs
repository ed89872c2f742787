//! Chunks of a sparse table, allocated many at once.

use std::any::Any;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Index, IndexMut};

use bytemuck::Pod;

use super::shelf::shelf;
use super::zeros::Zeros;

/// Chunks that are allocated at once: two megabytes where a chunk is a line of the processor's cache, as large as the system's large pages.
/// Chunks are taken in order, so that little of it is not used.
pub(super) const SLAB: usize = 1 << 15;

/// What a table may hold: what reads as the default where all bits are zero.
pub trait Entry: Any + Copy + Default + Send + Pod {}

impl<T: Any + Copy + Default + Send + Pod> Entry for T {}

/// Chunks. Their number in a slab is part of the type, so that looking one up asks for no length.
type Slab<T, const CHUNK: usize> = [[T; CHUNK]; SLAB];

/// The chunks of a table, by place.
#[derive(Debug)]
pub(super) struct Slabs<T: Entry, const CHUNK: usize> {
    /// Each holds a [`Slab`].
    memory: Vec<Zeros>,
    /// Places from here on were never given out.
    fresh: u32,
    kind: PhantomData<T>,
}

impl<T: Entry, const CHUNK: usize> Slabs<T, CHUNK> {
    /// None.
    pub const fn new() -> Self {
        Self { memory: Vec::new(), fresh: 0, kind: PhantomData }
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// The place of a further chunk, of which all entries are the default.
    #[inline]
    pub fn next(&mut self) -> u32 {
        if self.fresh as usize == self.memory.len() * SLAB {
            self.grow();
        }
        self.fresh += 1;
        self.fresh - 1
    }

    #[cold]
    fn grow(&mut self) {
        let bytes = size_of::<Slab<T, CHUNK>>();
        let kept = shelf().take(bytes);
        self.memory.push(kept.unwrap_or_else(|| Zeros::new(bytes)));
    }

    /// How many chunks of a slab were given out.
    fn given_out(&self, slab: usize) -> usize {
        (self.fresh as usize - slab * SLAB).min(SLAB)
    }
}

impl<T: Entry, const CHUNK: usize> Clone for Slabs<T, CHUNK> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        for (number, slab) in self.memory.iter().enumerate() {
            let used = ..self.given_out(number);
            copy.grow();
            copy.memory[number].list_mut::<[T; CHUNK]>()[used].copy_from_slice(&slab.list()[used]);
        }
        copy.fresh = self.fresh;
        copy
    }
}

impl<T: Entry, const CHUNK: usize> Index<u32> for Slabs<T, CHUNK> {
    type Output = [T; CHUNK];

    #[inline]
    fn index(&self, place: u32) -> &[T; CHUNK] {
        &self.memory[place as usize / SLAB].whole::<Slab<T, CHUNK>>()[place as usize % SLAB]
    }
}

impl<T: Entry, const CHUNK: usize> IndexMut<u32> for Slabs<T, CHUNK> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut [T; CHUNK] {
        &mut self.memory[place as usize / SLAB].whole_mut::<Slab<T, CHUNK>>()[place as usize % SLAB]
    }
}

/// They are left to a table to come, if one may.
impl<T: Entry, const CHUNK: usize> Drop for Slabs<T, CHUNK> {
    fn drop(&mut self) {
        if self.memory.is_empty() || !shelf().is_open() {
            return;
        }
        for (number, mut slab) in mem::take(&mut self.memory).into_iter().enumerate() {
            let used = ..self.given_out(number);
            slab.list_mut::<[T; CHUNK]>()[used].fill([T::default(); CHUNK]);
            shelf().keep(slab);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::KeptMemory;

    #[test]
    fn a_slab_goes_to_the_next_table_of_its_kind_and_holds_the_default() {
        let _kept = KeptMemory::open();
        // A type that no other test of this process has in a table.
        let mut first = Slabs::<[u8; 3], 5>::new();
        let places: Vec<u32> = (0..=SLAB).map(|_| first.next()).collect();
        assert_eq!((places[7], places[SLAB], first.memory.len()), (7, SLAB as u32, 2));
        first[SLAB as u32][4] = [1, 2, 3];
        let was = std::ptr::from_ref(&first[SLAB as u32]);
        drop(first);
        let mut second = Slabs::<[u8; 3], 5>::new();
        assert_eq!(second.next(), 0);
        assert_eq!((std::ptr::from_ref(&second[0]), second[0][4]), (was, [0; 3]));
    }

    #[test]
    fn a_copy_holds_what_the_first_does_and_is_written_apart() {
        let mut first = Slabs::<u16, 3>::new();
        for place in 0..=SLAB as u16 {
            let chunk = first.next();
            first[chunk][1] = place;
        }
        let mut second = first.clone();
        assert_eq!((second[7], second[SLAB as u32]), ([0, 7, 0], [0, SLAB as u16, 0]));
        second[7][1] = 1;
        assert_eq!((first[7], first.next(), second.next()), ([0, 7, 0], SLAB as u32 + 1, SLAB as u32 + 1));
    }
}
