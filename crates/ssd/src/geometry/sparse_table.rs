//! A table whose memory follows what was written to it, not its length.

use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

/// Entries of a chunk: 256 bytes of `u32`. A random write to a large drive touches a new chunk almost
/// every time, so a chunk's size is what such a write costs; the list of chunks costs an eighth of a
/// byte for each entry.
const CHUNK: usize = 64;
/// No table of a drive is longer: pages have numbers of 32 bits, and a page up to four words of mask.
const MOST_ENTRIES: usize = 1 << 34;

/// A table of `len` entries that all read as `T::default()` until written.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Stored<T>", bound = "T: Copy + Default + Deserialize<'de>")]
pub struct SparseTable<T> {
    chunks: Vec<Option<Box<[T; CHUNK]>>>,
    len: usize,
}

/// What of a table is kept in a file: the chunks that were written, by number, one after another.
#[derive(Deserialize)]
struct Stored<T> {
    len: u64,
    written: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy + Default> TryFrom<Stored<T>> for SparseTable<T> {
    type Error = &'static str;

    fn try_from(stored: Stored<T>) -> Result<Self, Self::Error> {
        let len = usize::try_from(stored.len).map_err(|_| "a table is too long")?;
        let fits = stored.written.iter().all(|&chunk| (chunk as usize) < len.div_ceil(CHUNK));
        if len > MOST_ENTRIES || !fits || stored.values.len() != stored.written.len() * CHUNK {
            return Err("a table's entries do not fit it");
        }
        let mut table = Self::new(len);
        for (&chunk, values) in stored.written.iter().zip(stored.values.chunks_exact(CHUNK)) {
            let mut entries = Box::new([T::default(); CHUNK]);
            entries.copy_from_slice(values);
            table.chunks[chunk as usize] = Some(entries);
        }
        Ok(table)
    }
}

impl<T: Serialize> Serialize for SparseTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&Written(self))?;
        stored.serialize_element(&Values(self))?;
        stored.end()
    }
}

impl<T> SparseTable<T> {
    fn written_chunks(&self) -> impl Iterator<Item = (u32, &[T; CHUNK])> {
        (0..).zip(&self.chunks).filter_map(|(number, chunk)| Some((number, &**chunk.as_ref()?)))
    }
}

/// The numbers of the chunks that were written.
struct Written<'a, T>(&'a SparseTable<T>);

impl<T> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count()))?;
        self.0.written_chunks().try_for_each(|(number, _)| list.serialize_element(&number))?;
        list.end()
    }
}

/// Their entries.
struct Values<'a, T>(&'a SparseTable<T>);

impl<T: Serialize> Serialize for Values<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count() * CHUNK))?;
        let mut values = self.0.written_chunks().flat_map(|(_, chunk)| chunk);
        values.try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
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
