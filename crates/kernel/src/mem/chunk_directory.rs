//! Directory of a sparse table: one word per chunk of the table, zero for chunks that were not written.
//!
//! A drive of one terabyte has directories of tens of megabytes, but a short run writes only a few thousand
//! scattered words. In a series of runs, only the written words are cleared, and the next table of equal
//! length reuses the directory.

use std::hint::black_box;
use std::mem;

use bytemuck::{Pod, cast_vec};

use super::memory_pool::shelf;

/// Minimum length of directories that are reused, in 32-bit words (128 KiB). Smaller ones cause no page
/// faults, since the allocator serves them from memory that the process already has.
const FEWEST: usize = 1 << 15;

/// Word of a directory: one or more 32-bit words.
pub(super) trait DirectoryWord: Pod + PartialEq {}

impl DirectoryWord for u32 {}
impl DirectoryWord for [u32; 2] {}

/// Directory of a sparse table, indexed by part.
#[derive(Debug)]
pub(super) struct ChunkDirectory<W: DirectoryWord> {
    words: Vec<W>,
    /// Indices of non-zero words, recorded if memory is reused, so that only these words are cleared.
    written: Option<Vec<u32>>,
}

impl<W: DirectoryWord> ChunkDirectory<W> {
    /// Creates a directory of `parts` words, all zero.
    pub fn new(parts: usize) -> Self {
        Self { words: zeros(parts), written: shelf().is_open().then(Vec::new) }
    }

    /// Returns the word of a part. Callers also use it to prefetch the word.
    #[inline]
    pub fn get(&self, part: usize) -> W {
        self.words[part]
    }

    /// Sets the word of a part, which must not be zero.
    #[inline]
    pub fn set(&mut self, part: usize, word: W) {
        debug_assert!(word != W::zeroed(), "nothing that was written is forgotten");
        let was = mem::replace(&mut self.words[part], word);
        if let Some(written) = &mut self.written
            && was == W::zeroed()
        {
            written.push(part as u32);
        }
    }

    /// Iterates over the parts with non-zero words, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, W)> {
        (0..).zip(self.words.iter().copied()).filter(|(_, word)| *word != W::zeroed())
    }
}

impl<W: DirectoryWord> Clone for ChunkDirectory<W> {
    fn clone(&self) -> Self {
        let Some(written) = &self.written else {
            return Self { words: self.words.clone(), written: None };
        };
        let mut words = zeros(self.words.len());
        for &part in written {
            words[part as usize] = self.words[part as usize];
        }
        Self { words, written: Some(written.clone()) }
    }
}

impl<W: DirectoryWord> Drop for ChunkDirectory<W> {
    fn drop(&mut self) {
        let Some(written) = &self.written else { return };
        if mem::size_of_val(&self.words[..]) < FEWEST * size_of::<u32>() || !shelf().is_open() {
            return;
        }
        let mut words = mem::take(&mut self.words);
        for &part in written {
            words[part as usize] = W::zeroed();
        }
        shelf().keep_list(cast_vec(words));
    }
}

/// Returns a list of `parts` zero words. A list that will be reused is written at once. Otherwise a page that
/// is read before its first write would be mapped twice: first to a shared page of zeros, then to its own
/// page. With two threads, the second mapping is slow because it must interrupt the other processor.
fn zeros<W: DirectoryWord>(parts: usize) -> Vec<W> {
    let len = parts * (size_of::<W>() / size_of::<u32>());
    if len < FEWEST || !shelf().is_open() {
        return cast_vec(vec![0_u32; len]);
    }
    let kept = shelf().take_list(len);
    cast_vec(kept.unwrap_or_else(|| written_zeros(len)))
}

/// Returns a list of zeros that are written explicitly. `black_box` prevents the compiler from requesting
/// zeroed pages instead.
fn written_zeros(len: usize) -> Vec<u32> {
    let mut list = Vec::with_capacity(len);
    list.resize(len, black_box(0));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem::KeptMemory;

    /// Length that no other test of this process uses.
    const LEN: usize = FEWEST + 12_345;

    fn address<W: DirectoryWord>(places: &ChunkDirectory<W>) -> *const u8 {
        places.words.as_ptr().cast()
    }

    #[test]
    fn a_list_goes_to_the_next_table_of_its_length_and_is_all_zeros() {
        let _kept = KeptMemory::open();
        let mut first = ChunkDirectory::<u32>::new(LEN);
        for (place, part) in (1..).zip([7, 40_000, LEN - 1, 9]) {
            first.set(part, place);
        }
        let (was, other) = (address(&first), ChunkDirectory::<u32>::new(LEN));
        drop(first);
        let longer = ChunkDirectory::<u32>::new(LEN + 1);
        let second = ChunkDirectory::<u32>::new(LEN);
        assert_eq!(address(&second), was);
        assert_ne!((address(&other), address(&longer)), (was, was));
        assert_eq!(second.iter().next(), None);
        assert_eq!((second.words.len(), longer.words.len()), (LEN, LEN + 1));
    }

    #[test]
    fn a_list_of_pairs_is_a_list_of_twice_as_many_words() {
        let _kept = KeptMemory::open();
        let mut pairs = ChunkDirectory::<[u32; 2]>::new(LEN + 3);
        pairs.set(LEN, [0, 5]);
        pairs.set(LEN, [6, 5]);
        assert_eq!(pairs.clone().iter().collect::<Vec<_>>(), [(LEN as u32, [6, 5])]);
        let was = address(&pairs);
        drop(pairs);
        let words = ChunkDirectory::<u32>::new(2 * (LEN + 3));
        assert_eq!((address(&words), words.iter().next()), (was, None));
    }

    #[test]
    fn a_copy_has_the_same_words_whether_memory_is_kept_or_not() {
        for written in [None, Some(Vec::new())] {
            let mut places = ChunkDirectory { words: zeros(LEN + 2), written };
            places.set(40_000, 1_u32);
            places.set(3, 2);
            assert_eq!(places.clone().iter().collect::<Vec<_>>(), [(3, 2), (40_000, 1)]);
            assert_eq!(places.clone().written, places.written);
        }
    }
}
