//! A table whose memory follows what was written to it, not its length.

/// Entries of a chunk: 256 bytes of `u32`. A random write to a large drive touches a new chunk almost
/// every time, so a chunk's size is what such a write costs; the list of chunks costs an eighth of a
/// byte for each entry.
const CHUNK: usize = 64;

/// A table of `len` entries that all read as `T::default()` until written.
#[derive(Clone, Debug)]
pub struct SparseTable<T> {
    chunks: Vec<Option<Box<[T; CHUNK]>>>,
    len: usize,
}

impl<T: Copy + Default> SparseTable<T> {
    /// A table of `len` unwritten entries.
    pub fn new(len: usize) -> Self {
        Self { chunks: vec![None; len.div_ceil(CHUNK)], len }
    }

    /// The entry at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match &self.chunks[index / CHUNK] {
            Some(chunk) => chunk[index % CHUNK],
            None => T::default(),
        }
    }

    /// The entry at `index`, or none if nothing near it was ever written.
    #[inline]
    pub fn written(&self, index: usize) -> Option<T> {
        self.chunks[index / CHUNK].as_ref().map(|chunk| chunk[index % CHUNK])
    }

    /// The entry at `index`, for writing. Entries near it that were not written either are what `first` says of
    /// them from now on, instead of the default.
    ///
    /// # Panics
    /// When `index` is beyond the table.
    #[inline]
    pub fn entry_from(&mut self, index: usize, first: impl Fn(usize) -> T) -> &mut T {
        assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let (start, len) = (index - index % CHUNK, self.len);
        let fresh = || {
            Box::new(std::array::from_fn(|n| if start + n < len { first(start + n) } else { T::default() }))
        };
        &mut self.chunks[index / CHUNK].get_or_insert_with(fresh)[index % CHUNK]
    }

    /// The entry at `index`, for writing.
    ///
    /// # Panics
    /// When `index` is beyond the table.
    #[inline]
    pub fn entry(&mut self, index: usize) -> &mut T {
        assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let chunk = self.chunks[index / CHUNK].get_or_insert_with(|| Box::new([T::default(); CHUNK]));
        &mut chunk[index % CHUNK]
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_follows_the_entries_that_were_written() {
        let mut table = SparseTable::<u32>::new(1_000_000);
        assert_eq!(table.get(999_999), 0);
        *table.entry(999_999) = 7;
        assert_eq!((table.get(999_999), table.get(999_998)), (7, 0));
        assert_eq!(table.chunks.iter().flatten().count(), 1);
    }
}
