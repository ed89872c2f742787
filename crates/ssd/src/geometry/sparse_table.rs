//! A table whose memory follows what was written to it, not its length.

use super::places::Places;
use super::slabs::{Entry, Slabs};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

/// Entries of a chunk: 64 bytes of `u32`, a line of the processor's cache. The list of chunks costs a quarter of a byte for
/// each entry, and only where there are chunks near.
const CHUNK: usize = 16;
/// Words of a line of the processor's cache.
const LINE: usize = 16;
/// Words of a page of the system's memory, whose lines change places among themselves.
const PAGE: usize = 1024;
/// Pages that change places among themselves, and the words of all of them.
const PAGES: usize = 32;
const SPREAD: usize = PAGES * PAGE;
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

/// Where a chunk's word is in the list. Planes are mostly a power of two of pages, and are written side by side at about the same page: in
/// their order, their words would displace each other from a few lines of the processor's caches, and their addresses from its buffer of
/// translations. So lines of sixteen words, and pages of words, change places by what the number of a chunk has above them.
#[inline]
const fn word_of(chunk: usize) -> usize {
    chunk ^ (spread(chunk / PAGE, PAGE / LINE) * LINE) ^ (spread(chunk / SPREAD, PAGES) * PAGE)
}

/// One of so many places, a power of two, for a number: by the golden ratio, whose products' highest bits depend on all of the number
/// (Knuth, vol. 3, §6.4).
#[inline]
const fn spread(number: usize, places: usize) -> usize {
    ((number as u32).wrapping_mul(0x9E37_79B1) >> (u32::BITS - places.ilog2())) as usize
}

/// How long the list is for so many chunks. Where pages do not change places, none is added for it.
const fn words_for(chunks: usize) -> usize {
    chunks.next_multiple_of(if chunks > SPREAD { SPREAD } else { PAGE })
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
        self.places.get(word_of(chunk)).checked_sub(1)
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
        Self { places: Places::new(words_for(len.div_ceil(CHUNK))), slabs: Slabs::new(), len }
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
        let words = indices.map(|index| self.places.get(word_of(index / CHUNK)));
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
        self.places.set(word_of(number), place + 1);
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
    fn words_change_places_and_none_has_the_place_of_another() {
        for chunks in [1, PAGE, PAGE + 1, SPREAD, SPREAD + 1, 4 * SPREAD] {
            let mut words: Vec<usize> = (0..words_for(chunks)).map(word_of).collect();
            words.sort_unstable();
            assert!(words.into_iter().eq(0..words_for(chunks)), "{chunks}");
        }
    }

    /// The most of 128 planes, each two to the power of `log` chunks, whose first words are in the same of so many sets. What a set holds
    /// has this many words.
    fn most_in_a_set(log: u32, words: usize, sets: usize) -> usize {
        let mut planes = vec![0; sets];
        for plane in 0..128 {
            planes[word_of(plane << log) / words % sets] += 1;
        }
        planes.into_iter().max().unwrap_or_default()
    }

    #[test]
    fn words_of_planes_that_are_a_power_of_two_of_pages_lie_in_different_lines_of_a_cache() {
        // 64 sets of lines of 64 bytes, as in a cache of 32 KiB.
        for log in 10..20 {
            assert!(most_in_a_set(log, LINE, 64) <= 6, "{log}");
        }
    }

    #[test]
    fn words_of_planes_that_are_a_power_of_two_of_pages_lie_in_pages_that_a_processor_finds_at_once() {
        // 128 sets of 24 pages of 4 KiB, as in a buffer of three thousand translations: in their order, planes of 2^15 chunks would be in four.
        for log in 10..20 {
            assert!(most_in_a_set(log, PAGE, 128) <= 10, "{log}");
        }
    }

    #[test]
    fn entries_near_the_first_that_is_written_are_what_is_said_of_them() {
        let mut table = SparseTable::<u32>::new(100);
        *table.entry_from(20, |n| n as u32) += 1;
        assert_eq!([19, 20, 21, 99].map(|index| table.get(index)), [19, 21, 21, 0]);
        assert_eq!((table.written(21), table.written(99)), (Some(21), None));
    }
}
