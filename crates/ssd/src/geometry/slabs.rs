//! Chunks of a sparse table, allocated many at once.

use std::any::Any;
use std::mem;
use std::ops::{Index, IndexMut};

use super::shelf::shelf;

/// Chunks that are allocated at once.
pub(super) const SLAB: usize = 1024;

/// What a table may hold.
pub trait Entry: Any + Copy + Default + Send {}

impl<T: Any + Copy + Default + Send> Entry for T {}

/// Chunks. Their number in a slab is part of the type, so that looking one up asks for no length.
type Slab<T, const CHUNK: usize> = [[T; CHUNK]; SLAB];

/// The chunks of a table, by place.
#[derive(Clone, Debug)]
pub(super) struct Slabs<T: Entry, const CHUNK: usize>(Vec<Box<Slab<T, CHUNK>>>);

impl<T: Entry, const CHUNK: usize> Slabs<T, CHUNK> {
    /// None.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many chunks there are.
    pub const fn chunks(&self) -> usize {
        self.0.len() * SLAB
    }

    /// Further chunks, of which all entries are the default.
    #[cold]
    pub fn grow(&mut self) {
        let kept = shelf().take_piece();
        self.0.push(kept.unwrap_or_else(new_slab));
    }
}

impl<T: Entry, const CHUNK: usize> Index<u32> for Slabs<T, CHUNK> {
    type Output = [T; CHUNK];

    #[inline]
    fn index(&self, place: u32) -> &[T; CHUNK] {
        &self.0[place as usize / SLAB][place as usize % SLAB]
    }
}

impl<T: Entry, const CHUNK: usize> IndexMut<u32> for Slabs<T, CHUNK> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut [T; CHUNK] {
        &mut self.0[place as usize / SLAB][place as usize % SLAB]
    }
}

/// They are left to the next table of this kind, if one may come.
impl<T: Entry, const CHUNK: usize> Drop for Slabs<T, CHUNK> {
    fn drop(&mut self) {
        if self.0.is_empty() || !shelf().is_open() {
            return;
        }
        let mut slabs = mem::take(&mut self.0);
        for slab in &mut slabs {
            slab.as_flattened_mut().fill(T::default());
        }
        shelf().keep_pieces(slabs);
    }
}

#[allow(clippy::unnecessary_box_returns, reason = "it is made where it stays: it would fill a small stack")]
fn new_slab<T: Entry, const CHUNK: usize>() -> Box<Slab<T, CHUNK>> {
    match vec![[T::default(); CHUNK]; SLAB].try_into() {
        Ok(slab) => slab,
        Err(_) => unreachable!("a slab has that many chunks"),
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
        first.grow();
        first[7][4] = [1, 2, 3];
        let was = std::ptr::from_ref(&first[7]);
        drop(first);
        let mut second = Slabs::<[u8; 3], 5>::new();
        second.grow();
        assert_eq!((std::ptr::from_ref(&second[7]), second[7][4]), (was, [0; 3]));
        second.grow();
        assert_eq!(second.chunks(), 2 * SLAB);
    }
}
