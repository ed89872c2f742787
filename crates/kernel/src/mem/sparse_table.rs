//! Table whose memory is proportional to the number of written chunks.

use super::chunk_directory::ChunkDirectory;
use super::slabs::{Slabs, TableElement};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

/// Number of entries per chunk. A chunk of `u32` entries fills a cache line of 64 bytes, and the directory
/// needs a quarter of a byte per entry.
const CHUNK: usize = 16;
/// Maximum number of entries: page numbers have 32 bits, and each page has up to four words of a sector mask.
const MAX_ENTRIES: usize = 1 << 34;

/// Sparse table of `len` entries. Unwritten entries read as `T::default()`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "StoredSparseTable<T>", bound = "T: Deserialize<'de>")]
pub struct SparseTable<T: TableElement> {
    /// Position of each chunk in `chunks` plus one; zero for unwritten chunks.
    places: ChunkDirectory<u32>,
    slabs: Slabs<T, CHUNK>,
    len: usize,
}

/// Serialised form of a [`SparseTable`]: numbers and contents of the written chunks, in order.
#[derive(Deserialize)]
struct StoredSparseTable<T> {
    len: u64,
    written: Vec<u32>,
    values: Vec<T>,
}

impl<T: TableElement> TryFrom<StoredSparseTable<T>> for SparseTable<T> {
    type Error = &'static str;

    fn try_from(stored: StoredSparseTable<T>) -> Result<Self, Self::Error> {
        let len = usize::try_from(stored.len).map_err(|_| "a table is too long")?;
        let fits = stored.written.iter().all(|&chunk| (chunk as usize) < len.div_ceil(CHUNK));
        if len > MAX_ENTRIES || !fits || stored.values.len() != stored.written.len() * CHUNK {
            return Err("a table's entries do not fit it");
        }
        let mut table = Self::new(len);
        for (&chunk, values) in stored.written.iter().zip(stored.values.chunks_exact(CHUNK)) {
            let place = table.open(chunk as usize);
            table.chunk_mut(place).copy_from_slice(values);
        }
        Ok(table)
    }
}

impl<T: TableElement + Serialize> Serialize for SparseTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&WrittenChunks(self))?;
        stored.serialize_element(&ChunkValues(self))?;
        stored.end()
    }
}

impl<T: TableElement> SparseTable<T> {
    #[inline]
    fn chunk(&self, place: u32) -> &[T; CHUNK] {
        &self.slabs[place]
    }

    #[inline]
    fn chunk_mut(&mut self, place: u32) -> &mut [T; CHUNK] {
        &mut self.slabs[place]
    }

    fn written_chunks(&self) -> impl Iterator<Item = (u32, &[T; CHUNK])> {
        let chunks = 0..self.len.div_ceil(CHUNK);
        chunks.filter_map(|number| Some((number as u32, self.chunk(self.place(number)?))))
    }

    /// Returns the position of a chunk, if it was written.
    #[inline]
    fn place(&self, chunk: usize) -> Option<u32> {
        self.places.get(chunk).checked_sub(1)
    }
}

/// Serialiser of the numbers of a table's written chunks, in order.
struct WrittenChunks<'a, T: TableElement>(&'a SparseTable<T>);

impl<T: TableElement> Serialize for WrittenChunks<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count()))?;
        self.0.written_chunks().try_for_each(|(number, _)| list.serialize_element(&number))?;
        list.end()
    }
}

/// Serialiser of the entries of a table's written chunks, in order.
struct ChunkValues<'a, T: TableElement>(&'a SparseTable<T>);

impl<T: TableElement + Serialize> Serialize for ChunkValues<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count() * CHUNK))?;
        let mut values = self.0.written_chunks().flat_map(|(_, chunk)| chunk);
        values.try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

impl<T: TableElement> SparseTable<T> {
    /// Creates a table of `len` unwritten entries.
    pub fn new(len: usize) -> Self {
        Self { places: ChunkDirectory::new(len.div_ceil(CHUNK)), slabs: Slabs::new(), len }
    }

    /// Returns the entry at `index`, or the default value if it was never written.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        self.written(index).unwrap_or_default()
    }

    /// Prefetches the directory words of entries that will be accessed soon. The entries themselves are not
    /// prefetched.
    #[inline]
    pub fn foresee(&self, indices: impl Iterator<Item = usize>) {
        let words = indices.map(|index| self.places.get(index / CHUNK));
        std::hint::black_box(words.fold(0, u32::wrapping_add));
    }

    /// Returns the entry at `index`, or `None` if its chunk was never written.
    #[inline]
    pub fn written(&self, index: usize) -> Option<T> {
        let place = self.place(index / CHUNK)?;
        Some(self.chunk(place)[index % CHUNK])
    }

    /// Returns the entry at `index` for modification. When its chunk is written for the first time, `first`
    /// initialises the chunk's entries.
    ///
    /// # Panics
    /// Panics if `index` is beyond the table's last chunk, which can have more entries than the table.
    pub fn entry_from(&mut self, index: usize, first: impl Fn(usize) -> T) -> &mut T {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.place(index / CHUNK) {
            Some(place) => place,
            None => self.open_from(index / CHUNK, first),
        };
        &mut self.chunk_mut(place)[index % CHUNK]
    }

    /// Returns the entry at `index` for modification.
    ///
    /// # Panics
    /// Panics if `index` is beyond the table's last chunk, which can have more entries than the table.
    pub fn entry(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.place(index / CHUNK) {
            Some(place) => place,
            None => self.open(index / CHUNK),
        };
        &mut self.chunk_mut(place)[index % CHUNK]
    }

    /// True if no entry was ever written.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.slabs.is_empty()
    }

    /// Returns the length of the table.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Allocates a chunk with entries initialised by `first`.
    fn open_from(&mut self, number: usize, first: impl Fn(usize) -> T) -> u32 {
        let (place, indices) = (self.open(number), number * CHUNK..self.len);
        for (entry, index) in self.chunk_mut(place).iter_mut().zip(indices) {
            *entry = first(index);
        }
        place
    }

    /// Allocates a chunk of default entries.
    fn open(&mut self, number: usize) -> u32 {
        let place = self.slabs.next();
        // The chunk is written before it is read: a new page that is read first is mapped to a shared page of
        // zeros and must be remapped at its first write.
        *self.chunk_mut(place) = [T::default(); CHUNK];
        self.places.set(number, place + 1);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(table: &SparseTable<u32>) -> usize {
        table.places.iter().count()
    }

    #[test]
    fn memory_follows_the_entries_that_were_written() {
        let mut table = SparseTable::<u32>::new(1_000_000);
        assert_eq!((table.get(999_999), table.is_untouched()), (0, true));
        *table.entry(999_999) = 7;
        assert_eq!((table.get(999_999), table.get(999_998)), (7, 0));
        assert_eq!((chunks(&table), table.slabs.next(), table.is_untouched()), (1, 1, false));
    }

    #[test]
    fn entries_near_the_first_that_is_written_are_what_is_said_of_them() {
        let mut table = SparseTable::<u32>::new(100);
        *table.entry_from(20, |n| n as u32) += 1;
        assert_eq!([19, 20, 21, 99].map(|index| table.get(index)), [19, 21, 21, 0]);
        assert_eq!((table.written(21), table.written(99)), (Some(21), None));
    }
}
