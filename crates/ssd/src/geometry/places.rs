//! Where the chunks of a sparse table are.
//!
//! A drive of a terabyte has lists of tens of megabytes, of which a short run writes a few thousand entries here and
//! there. Where many drives follow each other, a list is cleared where it was written, which takes time for that alone,
//! and goes to the next table of its length (`shelf`).

use std::hint::black_box;
use std::mem;

use super::shelf::shelf;
use super::zeros::Zeros;

/// By chunk: its place, if it has one.
#[derive(Debug)]
pub(super) struct Places {
    /// By chunk, in 32 bits, the place plus one; zero is none.
    by_chunk: Zeros,
    /// The chunk that has a place, by place, so that nothing else is cleared or copied; kept only where drives follow each other.
    chunks: Option<Vec<u32>>,
}

impl Places {
    /// No chunk of `chunks` has a place.
    pub fn new(chunks: usize) -> Self {
        Self { by_chunk: zeros(chunks * size_of::<u32>()), chunks: shelf().is_open().then(Vec::new) }
    }

    /// The place of a chunk, if it has one.
    #[inline]
    pub fn get(&self, chunk: usize) -> Option<u32> {
        self.word(chunk).checked_sub(1)
    }

    /// What is read to learn where a chunk is: a look at it fetches it.
    #[inline]
    pub fn word(&self, chunk: usize) -> u32 {
        self.by_chunk.list()[chunk]
    }

    /// A chunk that has no place gets this one. Places are given out in order.
    #[inline]
    pub fn set(&mut self, chunk: usize, place: u32) {
        self.by_chunk.list_mut()[chunk] = place + 1;
        if let Some(chunks) = &mut self.chunks {
            debug_assert_eq!(place as usize, chunks.len(), "places are given out in order");
            chunks.push(chunk as u32);
        }
    }

    /// The chunks that have one, in order, with their places.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let places = (0..).zip(self.by_chunk.list::<u32>());
        places.filter_map(|(chunk, place)| Some((chunk, place.checked_sub(1)?)))
    }
}

impl Clone for Places {
    fn clone(&self) -> Self {
        let mut by_chunk = zeros(self.by_chunk.len());
        let (words, copies) = (self.by_chunk.list::<u32>(), by_chunk.list_mut());
        match &self.chunks {
            None => copies.copy_from_slice(words),
            Some(chunks) => {
                for &chunk in chunks {
                    copies[chunk as usize] = words[chunk as usize];
                }
            }
        }
        Self { by_chunk, chunks: self.chunks.clone() }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let Some(chunks) = self.chunks.as_ref().filter(|_| shelf().is_open()) else { return };
        let words = self.by_chunk.list_mut::<u32>();
        for &chunk in chunks {
            words[chunk as usize] = 0;
        }
        shelf().keep(mem::replace(&mut self.by_chunk, Zeros::new(0)));
    }
}

/// A list of zeros, of so many bytes. A new one that will be kept is written at once: the system gives a page that is only read a page of
/// zeros that all share, and takes it back at the first write; with two threads at work and small pages, that costs ten times as much as
/// a page that is written first, since the other processor must be told.
fn zeros(bytes: usize) -> Zeros {
    let kept = shelf().take(bytes);
    kept.unwrap_or_else(|| {
        let mut new = Zeros::new(bytes);
        if shelf().is_open() {
            // What is written may be anything, for all the compiler knows.
            new.list_mut::<u32>().fill(black_box(0));
        }
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::KeptMemory;

    /// Lengths that no other test of this process takes.
    const LEN: usize = 45_113;

    fn address(places: &Places) -> *const u32 {
        places.by_chunk.list().as_ptr()
    }

    fn len(places: &Places) -> usize {
        places.by_chunk.list::<u32>().len()
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
        assert_eq!((len(&second), len(&longer)), (LEN, LEN + 1));
    }

    #[test]
    fn a_copy_has_the_same_places_whether_memory_is_kept_or_not() {
        for chunks in [None, Some(Vec::new())] {
            let mut places = Places { by_chunk: zeros((LEN + 2) * size_of::<u32>()), chunks };
            places.set(40_000, 0);
            places.set(3, 1);
            assert_eq!(places.clone().iter().collect::<Vec<_>>(), [(3, 1), (40_000, 0)]);
            assert_eq!(places.clone().chunks, places.chunks);
        }
    }
}
