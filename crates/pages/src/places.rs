//! Words of a few, by their places among them (`RLE_DICTIONARY`): one run if they are all the same, else as many bits each as places need.

use crate::differences::put;

/// The places of a page.
pub struct Places {
    width: u32,
    all: Vec<u8>,
}

impl Places {
    /// None yet, among so many words.
    pub fn among(words: usize) -> Self {
        Self { width: usize::BITS - words.saturating_sub(1).leading_zeros(), all: Vec::new() }
    }

    /// Further places: `of` each of these.
    #[inline]
    pub fn extend<T>(&mut self, from: &[T], of: impl Fn(&T) -> u8) {
        self.all.extend(from.iter().map(of));
    }

    /// Appends all places to a page, and begins anew. Gives how many they are.
    pub fn finish(&mut self, page: &mut Vec<u8>) -> usize {
        let count = self.all.len();
        page.push(self.width as u8);
        match self.all.first() {
            Some(&first) if self.width > 0 && self.all.iter().all(|&place| place == first) => {
                put(page, (count as u64) << 1);
                page.push(first);
            }
            Some(_) => self.pack(page),
            None => {}
        }
        self.all.clear();
        count
    }

    /// Eight at a time, which take as many bytes as one takes bits.
    fn pack(&mut self, page: &mut Vec<u8>) {
        self.all.resize(self.all.len().next_multiple_of(8), 0);
        let (eights, _) = self.all.as_chunks::<8>();
        put(page, ((eights.len() as u64) << 1) | 1);
        for eight in eights {
            let bits = eight.iter().rev().fold(0_u64, |bits, &place| (bits << self.width) | u64::from(place));
            page.extend(&bits.to_le_bytes()[..self.width as usize]);
        }
    }
}
