//! Table whose memory is proportional to the number of entries written.
//!
//! # How
//! Each group of [`LONGEST`] entries has a bit mask of its written entries and the position at which these
//! are stored contiguously. A random write to a large drive thus costs the memory of one entry instead of a
//! cache line; in a fully written table the overhead is eight bytes per 32 entries.

use std::hint::black_box;

use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

use super::chunk_directory::ChunkDirectory;
use super::run_allocator::{LONGEST, RunAllocator};
use super::slabs::TableElement;

/// Table of `len` entries, of which only the written ones are stored.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "StoredPackedTable<T>", bound = "T: Deserialize<'de>")]
pub struct PackedTable<T: TableElement> {
    /// Bit mask of the written entries of each group, and the position of the first one in `runs`.
    groups: ChunkDirectory<[u32; 2]>,
    runs: RunAllocator<T>,
    len: usize,
}

/// Position of an entry that was looked up for writing; valid until another entry is written for the first
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPosition(u32);

/// Serialised form of a [`PackedTable`]: number and mask of each non-empty group, and the written entries in
/// order.
#[derive(Deserialize)]
struct StoredPackedTable<T> {
    len: u64,
    written: Vec<(u32, u32)>,
    values: Vec<T>,
}

impl<T: TableElement> TryFrom<StoredPackedTable<T>> for PackedTable<T> {
    type Error = &'static str;

    fn try_from(stored: StoredPackedTable<T>) -> Result<Self, Self::Error> {
        let len = u32::try_from(stored.len).map_err(|_| "a table is too long")? as usize;
        let indices: Vec<usize> =
            stored.written.iter().flat_map(|&(group, mask)| indices(group, mask)).collect();
        let rises = indices.is_sorted_by(|one, next| one < next);
        if !rises || indices.last().is_some_and(|&last| last >= len) {
            return Err("a table's entries do not fit it");
        }
        if indices.len() != stored.values.len() {
            return Err("a table has another number of entries than it says");
        }
        let mut table = Self::new(len);
        for (index, value) in indices.into_iter().zip(stored.values) {
            table.spot(index, || value);
        }
        Ok(table)
    }
}

/// Returns the table indices of the entries that are set in a group's mask.
fn indices(group: u32, mask: u32) -> impl Iterator<Item = usize> {
    let first = group as usize * LONGEST;
    (0..LONGEST).filter(move |bit| mask >> bit & 1 != 0).map(move |bit| first + bit)
}

impl<T: TableElement + Serialize> Serialize for PackedTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&PackedGroups(self))?;
        stored.serialize_element(&PackedValues(self))?;
        stored.end()
    }
}

/// Serialiser of the numbers and masks of a table's non-empty groups.
struct PackedGroups<'a, T: TableElement>(&'a PackedTable<T>);

impl<T: TableElement> Serialize for PackedGroups<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let groups = || self.0.groups.iter().map(|(group, [mask, _])| (group, mask));
        let mut list = serializer.serialize_seq(Some(groups().count()))?;
        groups().try_for_each(|group| list.serialize_element(&group))?;
        list.end()
    }
}

/// Serialiser of the written entries of a table.
struct PackedValues<'a, T: TableElement>(&'a PackedTable<T>);

impl<T: TableElement + Serialize> Serialize for PackedValues<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written().count()))?;
        self.0.written().try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

/// Returns the group of the entry at `index`, and the entry's bit in the group's mask.
#[inline]
const fn bit_of(index: usize) -> (usize, u32) {
    (index / LONGEST, 1 << (index % LONGEST))
}

impl<T: TableElement> PackedTable<T> {
    /// Creates a table of `len` unwritten entries.
    pub fn new(len: usize) -> Self {
        Self { groups: ChunkDirectory::new(len.div_ceil(LONGEST)), runs: RunAllocator::new(), len }
    }

    /// Returns the entry at `index` if it was written.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let (group, bit) = bit_of(index);
        let [mask, first] = self.groups.get(group);
        (mask & bit != 0).then(|| self.runs[first + rank(mask, bit)])
    }

    /// Prefetches entries that will be accessed soon: the directory words of their groups, then the first
    /// written entry of each group.
    #[inline]
    pub fn foresee(&self, indices: impl Iterator<Item = usize> + Clone) {
        let masks = indices.clone().map(|index| self.groups.get(index / LONGEST)[0]);
        black_box(masks.fold(0, u32::wrapping_add));
        for [mask, first] in indices.map(|index| self.groups.get(index / LONGEST)) {
            if mask != 0 {
                black_box(self.runs[first]);
            }
        }
    }

    /// Returns the position of the entry at `index` for writing. `first` initialises an unwritten entry.
    ///
    /// # Panics
    /// Panics if `index` is beyond the table's last group, which can have more entries than the table.
    pub fn spot(&mut self, index: usize, first: impl FnOnce() -> T) -> EntryPosition {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let (group, bit) = bit_of(index);
        let [mask, run] = self.groups.get(group);
        if mask & bit == 0 { self.open(index, first()) } else { EntryPosition(run + rank(mask, bit)) }
    }

    /// Returns the entry at a position.
    #[inline]
    pub fn at(&self, spot: EntryPosition) -> T {
        self.runs[spot.0]
    }

    /// Returns the entry at a position for modification.
    #[inline]
    pub fn at_mut(&mut self, spot: EntryPosition) -> &mut T {
        &mut self.runs[spot.0]
    }

    /// Iterates over the written entries in order.
    pub fn written(&self) -> impl Iterator<Item = &T> {
        let places = self.groups.iter().flat_map(|(_, [mask, first])| first..first + mask.count_ones());
        places.map(|place| &self.runs[place])
    }

    /// Returns the length of the table, including unwritten entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Stores an entry that was not written before.
    fn open(&mut self, index: usize, entry: T) -> EntryPosition {
        let (group, bit) = bit_of(index);
        let [mask, run] = self.groups.get(group);
        if mask == 0 {
            let place = self.runs.single(entry);
            self.groups.set(group, [bit, place]);
            return EntryPosition(place);
        }
        let rank = rank(mask, bit);
        let run = self.runs.insert(run, mask.count_ones(), rank, entry);
        self.groups.set(group, [mask | bit, run]);
        EntryPosition(run + rank)
    }
}

/// Returns the number of written entries that precede `bit` in their group.
#[inline]
const fn rank(mask: u32, bit: u32) -> u32 {
    (mask & (bit - 1)).count_ones()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_entry_takes_no_more_than_itself() {
        let mut table = PackedTable::<u32>::new(1_000_000);
        assert_eq!(table.get(999_999), None);
        for index in (0..1_000_000).step_by(1000) {
            table.spot(index, || index as u32);
        }
        assert_eq!((table.get(999_000), table.get(999_001)), (Some(999_000), None));
        let last = table.spot(1, || 0).0;
        assert!((last as usize) < 1000 + LONGEST, "the thousandth lies at {last}");
    }

    proptest! {
        #[test]
        fn a_table_returns_the_last_written_value(writes in prop::collection::vec((0..300_usize, any::<u32>()), 0..400)) {
            let (mut table, mut model) = (PackedTable::<u32>::new(300), BTreeMap::new());
            for (index, value) in writes {
                let spot = table.spot(index, || 7);
                prop_assert_eq!(table.at(spot), model.get(&index).copied().unwrap_or(7));
                *table.at_mut(spot) = value;
                model.insert(index, value);
            }
            let found: Vec<_> = (0..300).filter_map(|index| Some((index, table.get(index)?))).collect();
            prop_assert_eq!(&found, &model.clone().into_iter().collect::<Vec<_>>());
            prop_assert!(table.written().eq(model.values()));
            let stored = postcard::to_allocvec(&table).unwrap();
            let read: PackedTable<u32> = postcard::from_bytes(&stored).unwrap();
            prop_assert!((0..300).all(|index| read.get(index) == table.get(index)));
        }
    }

    #[test]
    fn a_stored_table_whose_entries_do_not_fit_it_is_refused() {
        let refused = |written: Vec<(u32, u32)>, values: Vec<u32>| {
            PackedTable::try_from(StoredPackedTable { len: 40, written, values }).err()
        };
        let misfit = Some("a table's entries do not fit it");
        assert_eq!(refused(vec![(1, 1 << 7)], vec![5]), None);
        assert_eq!(refused(vec![(1, 1 << 8)], vec![5]), misfit);
        assert_eq!(refused(vec![(1, 1), (0, 1)], vec![5, 6]), misfit);
        assert_eq!(
            refused(vec![(0, 3)], vec![5]),
            Some("a table has another number of entries than it says")
        );
    }
}
