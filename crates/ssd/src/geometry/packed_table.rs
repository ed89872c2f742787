//! A table whose memory follows the single entries that were written to it.
//!
//! # How
//! Of each [`LONGEST`] entries it is known which were written, a bit each, and where those lie, one behind the other
//! (`runs`). So a random write to a large drive costs what its entry takes, not a line of the processor's cache; where
//! all is written, eight bytes for 32 entries come to them.

use std::hint::black_box;

use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Serialize, Serializer};

use super::places::Places;
use super::runs::{LONGEST, Runs};
use super::slabs::Entry;

/// A table of `len` entries, of which those are there that were written.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Stored<T>", bound = "T: Deserialize<'de>")]
pub struct PackedTable<T: Entry> {
    /// By group: which of its entries were written, and the place of the first of them.
    groups: Places<[u32; 2]>,
    runs: Runs<T>,
    len: usize,
}

/// Where an entry of a table is that was looked up for writing, until another entry is written for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot(u32);

/// What of a table is kept in a file: by group with something written, its number and which, and the entries, one after another.
#[derive(Deserialize)]
struct Stored<T> {
    len: u64,
    written: Vec<(u32, u32)>,
    values: Vec<T>,
}

impl<T: Entry> TryFrom<Stored<T>> for PackedTable<T> {
    type Error = &'static str;

    fn try_from(stored: Stored<T>) -> Result<Self, Self::Error> {
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

/// The numbers of the entries of a group that this mask has.
fn indices(group: u32, mask: u32) -> impl Iterator<Item = usize> {
    let first = group as usize * LONGEST;
    (0..LONGEST).filter(move |bit| mask >> bit & 1 != 0).map(move |bit| first + bit)
}

impl<T: Entry + Serialize> Serialize for PackedTable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_tuple(3)?;
        stored.serialize_element(&(self.len as u64))?;
        stored.serialize_element(&Written(self))?;
        stored.serialize_element(&Values(self))?;
        stored.end()
    }
}

/// The groups that something was written of, and what.
struct Written<'a, T: Entry>(&'a PackedTable<T>);

impl<T: Entry> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let groups = || self.0.groups.iter().map(|(group, [mask, _])| (group, mask));
        let mut list = serializer.serialize_seq(Some(groups().count()))?;
        groups().try_for_each(|group| list.serialize_element(&group))?;
        list.end()
    }
}

/// Their entries.
struct Values<'a, T: Entry>(&'a PackedTable<T>);

impl<T: Entry + Serialize> Serialize for Values<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.written().count()))?;
        self.0.written().try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

/// Where the entry at `index` is among those of its group, and the bit that it has there.
#[inline]
const fn bit_of(index: usize) -> (usize, u32) {
    (index / LONGEST, 1 << (index % LONGEST))
}

impl<T: Entry> PackedTable<T> {
    /// A table of `len` entries, none of which was written.
    pub fn new(len: usize) -> Self {
        Self { groups: Places::new(len.div_ceil(LONGEST)), runs: Runs::new(), len }
    }

    /// The entry at `index`, if it was written.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let (group, bit) = bit_of(index);
        let [mask, first] = self.groups.get(group);
        (mask & bit != 0).then(|| self.runs[first + rank(mask, bit)])
    }

    /// The entries at these places will be asked for soon: fetches where those of their groups are, each look-up independent of
    /// the one before, and then the first of each group, since who writes an entry for the first time may move the others.
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

    /// Where the entry at `index` is, for writing. If it was not written yet, it is what `first` says.
    ///
    /// # Panics
    /// When `index` is beyond the table's last group, which may have more entries than the table.
    pub fn spot(&mut self, index: usize, first: impl FnOnce() -> T) -> Spot {
        debug_assert!(index < self.len, "entry {index} of a table of {}", self.len);
        let (group, bit) = bit_of(index);
        let [mask, run] = self.groups.get(group);
        if mask & bit == 0 { self.open(index, first()) } else { Spot(run + rank(mask, bit)) }
    }

    /// The entry that is there.
    #[inline]
    pub fn at(&self, spot: Spot) -> T {
        self.runs[spot.0]
    }

    /// The entry that is there, for writing.
    #[inline]
    pub fn at_mut(&mut self, spot: Spot) -> &mut T {
        &mut self.runs[spot.0]
    }

    /// The entries that were written, in order.
    pub fn written(&self) -> impl Iterator<Item = &T> {
        let places = self.groups.iter().flat_map(|(_, [mask, first])| first..first + mask.count_ones());
        places.map(|place| &self.runs[place])
    }

    /// How many entries there may be.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there can be none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes an entry for the first time.
    fn open(&mut self, index: usize, entry: T) -> Spot {
        let (group, bit) = bit_of(index);
        let [mask, run] = self.groups.get(group);
        if mask == 0 {
            let place = self.runs.single(entry);
            self.groups.set(group, [bit, place]);
            return Spot(place);
        }
        let rank = rank(mask, bit);
        let run = self.runs.insert(run, mask.count_ones(), rank, entry);
        self.groups.set(group, [mask | bit, run]);
        Spot(run + rank)
    }
}

/// How many entries of a group lie before the one of this bit.
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
        fn a_table_holds_what_was_written_last(writes in prop::collection::vec((0..300_usize, any::<u32>()), 0..400)) {
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
            PackedTable::try_from(Stored { len: 40, written, values }).err()
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
