//! A table whose memory follows what was written to it, not its length.

use super::places::Places;
use super::slabs::{Entry, Slabs};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

/// Entries of a chunk, unless a table says otherwise: 64 bytes of `u32`, a line of the processor's cache. A random
/// write to a large drive touches a new chunk almost every time, so a chunk's size is what such a write costs; the list
/// of chunks costs a quarter of a byte for each entry, and only where there are chunks near.
const LINE: usize = 16;
/// No table of a drive is longer: pages have numbers of 32 bits, and a page up to four words of mask.
const MOST_ENTRIES: usize = 1 << 34;

/// A table of `len` entries that all read as `T::default()` until written.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Stored<T>", bound = "T: Deserialize<'de>")]
pub struct SparseTable<T: Entry, const CHUNK: usize = LINE> {
    places: Places,
    slabs: Slabs<T, CHUNK>,
    len: usize,
}

/// Where an entry of a table is that was looked up for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The place of its chunk.
    place: u32,
    /// Its number there.
    within: u32,
}

/// What of a table is kept in a file: the chunks that were written, by number, one after another.
#[derive(Deserialize)]
struct Stored<T> {
    len: u64,
    written: Vec<u32>,
    values: Vec<T>,
}

impl<T: Entry, const CHUNK: usize> TryFrom<Stored<T>> for SparseTable<T, CHUNK> {
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

impl<T: Entry + Serialize, const CHUNK: usize> Serialize for SparseTable<T, CHUNK> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&Written(self))?;
        stored.serialize_element(&Values(self))?;
        stored.end()
    }
}

impl<T: Entry, const CHUNK: usize> SparseTable<T, CHUNK> {
    #[inline]
    fn chunk(&self, place: u32) -> &[T; CHUNK] {
        &self.slabs[place]
    }

    #[inline]
    fn chunk_mut(&mut self, place: u32) -> &mut [T; CHUNK] {
        &mut self.slabs[place]
    }

    fn written_chunks(&self) -> impl Iterator<Item = (u32, &[T; CHUNK])> {
        self.places.iter().map(|(number, place)| (number, self.chunk(place)))
    }
}

/// The numbers of the chunks that were written.
struct Written<'a, T: Entry, const CHUNK: usize>(&'a SparseTable<T, CHUNK>);

impl<T: Entry, const CHUNK: usize> Serialize for Written<'_, T, CHUNK> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count()))?;
        self.0.written_chunks().try_for_each(|(number, _)| list.serialize_element(&number))?;
        list.end()
    }
}

/// Their entries.
struct Values<'a, T: Entry, const CHUNK: usize>(&'a SparseTable<T, CHUNK>);

impl<T: Entry + Serialize, const CHUNK: usize> Serialize for Values<'_, T, CHUNK> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written_chunks().count() * CHUNK))?;
        let mut values = self.0.written_chunks().flat_map(|(_, chunk)| chunk);
        values.try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

impl<T: Entry, const CHUNK: usize> SparseTable<T, CHUNK> {
    /// A table of `len` unwritten entries.
    pub fn new(len: usize) -> Self {
        Self { places: Places::new(len.div_ceil(CHUNK)), slabs: Slabs::new(), len }
    }

    /// The entry at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match self.places.get(index / CHUNK) {
            Some(place) => self.chunk(place)[index % CHUNK],
            None => T::default(),
        }
    }

    /// The entries at these places will be asked for soon: fetches where their chunks are. The entries themselves come
    /// with a look at each.
    #[inline]
    pub fn foresee(&self, indices: impl Iterator<Item = usize>) {
        std::hint::black_box(
            indices.fold(0, |sum: u32, index| sum.wrapping_add(self.places.word(index / CHUNK))),
        );
    }

    /// The entry at `index`, or none if nothing near it was ever written.
    #[inline]
    pub fn written(&self, index: usize) -> Option<T> {
        self.places.get(index / CHUNK).map(|place| self.chunk(place)[index % CHUNK])
    }

    /// The entries that were written, and those near them, in order.
    pub fn entries_near_written(&self) -> impl Iterator<Item = &T> {
        self.written_chunks().flat_map(|(_, chunk)| chunk)
    }

    /// The entry at `index`, for writing. Entries near it that were not written either are what `first` says of
    /// them from now on, instead of the default.
    ///
    /// # Panics
    /// When `index` is beyond the table's last chunk, which may have more entries than the table.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a look-up of every request; a chunk is opened apart")]
    pub fn entry_from(&mut self, index: usize, first: impl Fn(usize) -> T) -> &mut T {
        let spot = self.spot_from(index, first);
        self.at_mut(spot)
    }

    /// Where that entry is. It stays there.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a look-up of every request; a chunk is opened apart")]
    pub fn spot_from(&mut self, index: usize, first: impl Fn(usize) -> T) -> Spot {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.places.get(index / CHUNK) {
            Some(place) => place,
            None => self.open_from(index / CHUNK, first),
        };
        Spot { place, within: (index % CHUNK) as u32 }
    }

    /// Where the entry at `index` is, for writing. It stays there.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a look-up of every request; a chunk is opened apart")]
    pub fn spot(&mut self, index: usize) -> Spot {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let place = match self.places.get(index / CHUNK) {
            Some(place) => place,
            None => self.open(index / CHUNK),
        };
        Spot { place, within: (index % CHUNK) as u32 }
    }

    /// The entry that is there.
    #[inline]
    pub fn at(&self, spot: Spot) -> T {
        self.chunk(spot.place)[spot.within as usize % CHUNK]
    }

    /// The entry that is there, for writing.
    #[inline]
    pub fn at_mut(&mut self, spot: Spot) -> &mut T {
        &mut self.chunk_mut(spot.place)[spot.within as usize % CHUNK]
    }

    /// The entry at `index`, for writing.
    ///
    /// # Panics
    /// When `index` is beyond the table's last chunk, which may have more entries than the table.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a look-up of every request; a chunk is opened apart")]
    pub fn entry(&mut self, index: usize) -> &mut T {
        let spot = self.spot(index);
        self.at_mut(spot)
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
    #[inline(never)]
    fn open_from(&mut self, number: usize, first: impl Fn(usize) -> T) -> u32 {
        let (place, indices) = (self.open(number), number * CHUNK..self.len);
        for (entry, index) in self.chunk_mut(place).iter_mut().zip(indices) {
            *entry = first(index);
        }
        place
    }

    /// Gives a chunk its place; all of its entries are the default there.
    #[inline(never)]
    fn open(&mut self, number: usize) -> u32 {
        let place = self.slabs.next();
        // Memory that is new and read first is a page of zeros that all share, and its first write takes it back: so it is written first.
        *self.chunk_mut(place) = [T::default(); CHUNK];
        self.places.set(number, place);
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
    fn a_spot_that_was_looked_up_is_that_of_its_entry_when_others_were_written() {
        let mut table = SparseTable::<u32>::new(1_000_000);
        let spots = [7, 500_008, 500_009].map(|index| (index, table.spot(index)));
        for index in (0..1_000_000).step_by(50) {
            *table.entry(index) = 1;
        }
        for (index, spot) in spots {
            *table.at_mut(spot) = index as u32;
            assert_eq!(
                (table.get(index), table.at(spot), table.spot(index)),
                (index as u32, index as u32, spot)
            );
        }
        let from = table.spot_from(20, |n| n as u32);
        assert_eq!((table.at(from), table.get(21)), (20, 21), "nothing near them was written");
    }
}
