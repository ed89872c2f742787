//! A table whose memory follows what was written to it, not its length.

use super::places::Places;
use super::slabs::{Entry, Slabs};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

/// Entries of a chunk: 64 bytes of `u32`, a line of the processor's cache. The list of chunks costs a quarter of a byte for
/// each entry, and only where there are chunks near.
const CHUNK: usize = 16;
/// No table of a drive is longer: pages have numbers of 32 bits, and a page up to four words of mask.
const MOST_ENTRIES: usize = 1 << 34;

/// A table of `len` entries that all read as `T::default()` until written.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Stored<T>", bound = "T: Deserialize<'de>")]
pub struct SparseTable<T: Entry> {
    /// By chunk: its place plus one; zero is none.
    places: Places<u32>,
    slabs: Slabs<T, CHUNK>,
    len: usize,
}

/// What of a table is kept in a file: the chunks that were written, by number, one after another.
#[derive(Deserialize)]
struct Stored<T> {
    len: u64,
    written: Vec<u32>,
    values: Vec<T>,
}

impl<T: Entry> TryFrom<Stored<T>> for SparseTable<T> {
    type Error = &'static str;

    fn try_from(stored: Stored<T>) -> Result<Self, Self::Error> {
        let len = usize::try_from(stored.len).map_err(|_| "a table is too long")?;
        let fits = stored.written.iter().all(|&chunk| (chunk as usize) < len.div_ceil(CHUNK));
        if len > MOST_ENTRIES || !fits || stored.values.len() != stored.written.len() * CHUNK {
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

impl<T: Entry + Serialize> Serialize for SparseTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&Written(self))?;
        stored.serialize_element(&Values(self))?;
        stored.end()
    }
}

impl<T: Entry> SparseTable<T> {
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

    /// The place of a chunk, if there is one.
    #[inline]
    fn place(&self, chunk: usize) -> Option<u32> {
        self.places.get(chunk).checked_sub(1)
    }
}

/// The numbers of the chunks that were written.
struct Written<'a, T: Entry>(&'a SparseTable<T>);

impl<T: Entry> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count()))?;
        self.0.written_chunks().try_for_each(|(number, _)| list.serialize_element(&number))?;
        list.end()
    }
}

/// Their entries.
struct Values<'a, T: Entry>(&'a SparseTable<T>);

impl<T: Entry + Serialize> Serialize for Values<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count() * CHUNK))?;
        let mut values = self.0.written_chunks().flat_map(|(_, chunk)| chunk);
        values.try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

impl<T: Entry> SparseTable<T> {
    /// A table of `len` unwritten entries.
    pub fn new(len: usize) -> Self {
        Self { places: Places::new(len.div_ceil(CHUNK)), slabs: Slabs::new(), len }
    }

    /// The entry at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        self.written(index).unwrap_or_default()
    }

    /// The entries at these places will be asked for soon: fetches where their chunks are. The entries themselves come
    /// with a look at each.
    #[inline]
    pub fn foresee(&self, indices: impl Iterator<Item = usize>) {
        let words = indices.map(|index| self.places.get(index / CHUNK));
        std::hint::black_box(words.fold(0, u32::wrapping_add));
    }

    /// The entry at `index`, or none if nothing near it was ever written.
    #[inline]
    pub fn written(&self, index: usize) -> Option<T> {
        let place = self.place(index / CHUNK)?;
        Some(self.chunk(place)[index % CHUNK])
    }

    /// The entry at `index`, for writing. Entries near it that were not written either are what `first` says of
    /// them from now on, instead of the default.
    ///
    /// # Panics
    /// When `index` is beyond the table's last chunk, which may have more entries than the table.
    pub fn entry_from(&mut self, index: usize, first: impl Fn(usize) -> T) -> &mut T {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.place(index / CHUNK) {
            Some(place) => place,
            None => self.open_from(index / CHUNK, first),
        };
        &mut self.chunk_mut(place)[index % CHUNK]
    }

    /// The entry at `index`, for writing.
    ///
    /// # Panics
    /// When `index` is beyond the table's last chunk, which may have more entries than the table.
    pub fn entry(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.place(index / CHUNK) {
            Some(place) => place,
            None => self.open(index / CHUNK),
        };
        &mut self.chunk_mut(place)[index % CHUNK]
    }

    /// Whether nothing was ever written.
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.slabs.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Gives a chunk its place; its entries are what `first` says of them.
    fn open_from(&mut self, number: usize, first: impl Fn(usize) -> T) -> u32 {
        let (place, indices) = (self.open(number), number * CHUNK..self.len);
        for (entry, index) in self.chunk_mut(place).iter_mut().zip(indices) {
            *entry = first(index);
        }
        place
    }

    /// Gives a chunk its place; all of its entries are the default there.
    fn open(&mut self, number: usize) -> u32 {
        let place = self.slabs.next();
        // Memory that is new and read first is a page of zeros that all share, and its first write takes it back: so it is written first.
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
