//! What a table with gaps knows of its parts: a word for each, zero where nothing was written.
//!
//! A drive of a terabyte has lists of tens of megabytes, of which a short run writes a few thousand entries here and
//! there. Where many drives follow each other, a list is cleared where it was written, which takes time for that alone,
//! and goes to the next table of its length (`shelf`).

use std::hint::black_box;
use std::mem;

use bytemuck::{Pod, cast_vec};

use super::shelf::shelf;

/// Lists of fewer words of 32 bits, 128 KiB, come from the allocator's own memory: they cost no new pages.
const FEWEST: usize = 1 << 15;

/// What is known of a part: one or more words of 32 bits.
pub(super) trait Word: Pod + PartialEq {}

impl Word for u32 {}
impl Word for [u32; 2] {}

/// By part: its word.
#[derive(Debug)]
pub(super) struct Places<W: Word> {
    words: Vec<W>,
    /// The parts whose word is not zero, so that nothing else is cleared or copied; kept only where drives follow each other.
    written: Option<Vec<u32>>,
}

impl<W: Word> Places<W> {
    /// Nothing is known of `parts` parts.
    pub fn new(parts: usize) -> Self {
        Self { words: zeros(parts), written: shelf().is_open().then(Vec::new) }
    }

    /// The word of a part. A look at it fetches it.
    #[inline]
    pub fn get(&self, part: usize) -> W {
        self.words[part]
    }

    /// This is a part's word from now on; it is not zero.
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

    /// The parts whose word is not zero, in order, with their words.
    pub fn iter(&self) -> impl Iterator<Item = (u32, W)> {
        (0..).zip(self.words.iter().copied()).filter(|(_, word)| *word != W::zeroed())
    }
}

impl<W: Word> Clone for Places<W> {
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

impl<W: Word> Drop for Places<W> {
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

/// A list of this many zeros. One that will be kept is written at once: the system gives a page that is only read a
/// page of zeros that all share, and takes it back at the first write; with two threads at work, that costs ten times as
/// much as a page that is written first, since the other processor must be told.
fn zeros<W: Word>(parts: usize) -> Vec<W> {
    let len = parts * (size_of::<W>() / size_of::<u32>());
    if len < FEWEST || !shelf().is_open() {
        return cast_vec(vec![0_u32; len]);
    }
    let kept = shelf().take_list(len);
    cast_vec(kept.unwrap_or_else(|| written_zeros(len)))
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

    fn address<W: Word>(places: &Places<W>) -> *const u8 {
        places.words.as_ptr().cast()
    }

    #[test]
    fn a_list_goes_to_the_next_table_of_its_length_and_is_all_zeros() {
        let _kept = KeptMemory::open();
        let mut first = Places::<u32>::new(LEN);
        for (place, part) in (1..).zip([7, 40_000, LEN - 1, 9]) {
            first.set(part, place);
        }
        let (was, other) = (address(&first), Places::<u32>::new(LEN));
        drop(first);
        let longer = Places::<u32>::new(LEN + 1);
        let second = Places::<u32>::new(LEN);
        assert_eq!(address(&second), was);
        assert_ne!((address(&other), address(&longer)), (was, was));
        assert_eq!(second.iter().next(), None);
        assert_eq!((second.words.len(), longer.words.len()), (LEN, LEN + 1));
    }

    #[test]
    fn a_list_of_pairs_is_a_list_of_twice_as_many_words() {
        let _kept = KeptMemory::open();
        let mut pairs = Places::<[u32; 2]>::new(LEN + 3);
        pairs.set(LEN, [0, 5]);
        pairs.set(LEN, [6, 5]);
        assert_eq!(pairs.clone().iter().collect::<Vec<_>>(), [(LEN as u32, [6, 5])]);
        let was = address(&pairs);
        drop(pairs);
        let words = Places::<u32>::new(2 * (LEN + 3));
        assert_eq!((address(&words), words.iter().next()), (was, None));
    }

    #[test]
    fn a_copy_has_the_same_words_whether_memory_is_kept_or_not() {
        for written in [None, Some(Vec::new())] {
            let mut places = Places { words: zeros(LEN + 2), written };
            places.set(40_000, 1_u32);
            places.set(3, 2);
            assert_eq!(places.clone().iter().collect::<Vec<_>>(), [(3, 2), (40_000, 1)]);
            assert_eq!(places.clone().written, places.written);
        }
    }
}
