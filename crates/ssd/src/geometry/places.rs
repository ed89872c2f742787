//! Where the chunks of a sparse table are.
//!
//! A drive of a terabyte has lists of tens of megabytes, of which a short run writes a few thousand entries here and
//! there. Where many drives follow each other, a list is cleared where it was written, which takes time for that alone,
//! and goes to the next table of its length (`shelf`).

use std::hint::black_box;
use std::mem;

use super::shelf::shelf;

/// Lists of fewer entries, 128 KiB, come from the allocator's own memory: they cost no new pages.
const FEWEST: usize = 1 << 15;

/// By chunk: its place, if it has one.
#[derive(Debug)]
pub(super) struct Places {
    /// The place plus one; zero is none.
    by_chunk: Vec<u32>,
    /// The chunk that has a place, by place, so that nothing else is cleared or copied; kept only where drives follow each other.
    chunks: Option<Vec<u32>>,
}

impl Places {
    /// No chunk of `chunks` has a place.
    pub fn new(chunks: usize) -> Self {
        Self { by_chunk: zeros(chunks), chunks: shelf().is_open().then(Vec::new) }
    }

    /// The place of a chunk, if it has one.
    #[inline]
    pub fn get(&self, chunk: usize) -> Option<u32> {
        self.by_chunk[chunk].checked_sub(1)
    }

    /// What is read to learn where a chunk is: a look at it fetches it.
    #[inline]
    pub fn word(&self, chunk: usize) -> u32 {
        self.by_chunk[chunk]
    }

    /// A chunk that has no place gets this one. Places are given out in order.
    #[inline]
    pub fn set(&mut self, chunk: usize, place: u32) {
        self.by_chunk[chunk] = place + 1;
        if let Some(chunks) = &mut self.chunks {
            debug_assert_eq!(place as usize, chunks.len(), "places are given out in order");
            chunks.push(chunk as u32);
        }
    }

    /// The chunks that have one, in order, with their places.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let places = (0..).zip(&self.by_chunk);
        places.filter_map(|(chunk, place)| Some((chunk, place.checked_sub(1)?)))
    }
}

impl Clone for Places {
    fn clone(&self) -> Self {
        let Some(chunks) = &self.chunks else {
            return Self { by_chunk: self.by_chunk.clone(), chunks: None };
        };
        let mut by_chunk = zeros(self.by_chunk.len());
        for &chunk in chunks {
            by_chunk[chunk as usize] = self.by_chunk[chunk as usize];
        }
        Self { by_chunk, chunks: Some(chunks.clone()) }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let Some(chunks) = &self.chunks else { return };
        if self.by_chunk.len() < FEWEST || !shelf().is_open() {
            return;
        }
        let mut list = mem::take(&mut self.by_chunk);
        for &chunk in chunks {
            list[chunk as usize] = 0;
        }
        shelf().keep_list(list);
    }
}

/// A list of this many zeros. One that will be kept is written at once: the system gives a page that is only read a
/// page of zeros that all share, and takes it back at the first write; with two threads at work, that costs ten times as
/// much as a page that is written first, since the other processor must be told.
fn zeros(len: usize) -> Vec<u32> {
    if len < FEWEST || !shelf().is_open() {
        return vec![0; len];
    }
    let kept = shelf().take_list(len);
    kept.unwrap_or_else(|| written_zeros(len))
}

/// Zeros that are written one by one, not asked of the system: what is written may be anything, for all the compiler
/// knows.
fn written_zeros(len: usize) -> Vec<u32> {
    let mut list = Vec::with_capacity(len);
    list.resize(len, black_box(0));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::KeptMemory;

    /// Lengths that no other test of this process takes.
    const LEN: usize = FEWEST + 12_345;

    fn address(places: &Places) -> *const u32 {
        places.by_chunk.as_ptr()
    }

    #[test]
    fn a_list_goes_to_the_next_table_of_its_length_and_is_all_zeros() {
        let _kept = KeptMemory::open();
        let mut first = Places::new(LEN);
        for (place, chunk) in [7, 40_000, LEN - 1, 9].into_iter().enumerate() {
            first.set(chunk, place as u32);
        }
        let (was, other) = (address(&first), Places::new(LEN));
        drop(first);
        let longer = Places::new(LEN + 1);
        let second = Places::new(LEN);
        assert_eq!(address(&second), was);
        assert_ne!((address(&other), address(&longer)), (was, was));
        assert_eq!(second.iter().next(), None);
        assert_eq!((second.by_chunk.len(), longer.by_chunk.len()), (LEN, LEN + 1));
    }

    #[test]
    fn a_copy_has_the_same_places_whether_memory_is_kept_or_not() {
        for chunks in [None, Some(Vec::new())] {
            let mut places = Places { by_chunk: zeros(LEN + 2), chunks };
            places.set(40_000, 0);
            places.set(3, 1);
            assert_eq!(places.clone().iter().collect::<Vec<_>>(), [(3, 1), (40_000, 0)]);
            assert_eq!(places.clone().chunks, places.chunks);
        }
    }
}
