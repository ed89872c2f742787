//! Parallel units (chips or planes) of a request, as assumed by the host.
//!
//! # What it models
//! The location vector of PIQ: one bit for each unit (chip, or plane with multi-plane commands), set from
//! `pu_first` to `pu_last`, with wrap-around: `pu_first` = ⌊LSN × sector / page⌋ mod N, `pu_last` = (⌈(LSN +
//! n) × sector / page⌉ − 1) mod N.
//!
//! # How
//! A request's vector is a run of consecutive bits, stored as first bit and length; a batch's vector is a bit
//! set.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A. The paper has a ceiling in `pu_first`. Its example is consistent with
//! both, but requests that start inside a page need the floor.

use venice_nand::geometry::{Array, ChipId};

/// Assumed striping of sectors over parallel units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitMap {
    units: u32,
    sectors_per_page: u32,
}

impl UnitMap {
    /// Creates the striping over `units` units with `sectors_per_page` sectors per page.
    ///
    /// # Panics
    ///
    /// Panics if either is zero, which the configuration excludes.
    pub fn new(units: u32, sectors_per_page: u32) -> Self {
        assert!(units > 0 && sectors_per_page > 0, "a drive has units, and pages have sectors");
        Self { units, sectors_per_page }
    }

    /// Returns the number of parallel units.
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// Returns the number of sectors in `pages` pages.
    pub fn sectors(&self, pages: u32) -> u64 {
        u64::from(pages) * u64::from(self.sectors_per_page)
    }

    /// Returns the units on which `sectors` sectors from `start` are located; at least one unit.
    pub fn locate(&self, start: u64, sectors: u32) -> UnitRange {
        let per_page = u64::from(self.sectors_per_page);
        let first = start / per_page;
        let end = (start + u64::from(sectors)).div_ceil(per_page);
        let pages = (end - first).max(1);
        UnitRange {
            first: (first % u64::from(self.units)) as u32,
            count: pages.min(u64::from(self.units)) as u32,
        }
    }
}

/// Assumed striping of sectors over chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipStripes {
    /// Unit map with chips as units, numbered way by way.
    pub map: UnitMap,
    /// Numbers of channels and of ways.
    pub array: Array,
}

impl ChipStripes {
    /// Returns the unit of a chip.
    pub const fn unit_of(&self, chip: ChipId) -> u32 {
        self.array.col(chip) * self.array.rows + self.array.row(chip)
    }
}

/// Run of consecutive units, which wraps around after the last unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitRange {
    /// First unit of the run.
    pub first: u32,
    /// Number of units, from 1 to all.
    pub count: u32,
}

impl UnitRange {
    /// Returns the run of units as one or two ranges without wrap-around.
    pub fn ranges(self, units: u32) -> [std::ops::Range<u32>; 2] {
        let end = self.first + self.count;
        if end <= units { [self.first..end, 0..0] } else { [self.first..units, 0..end - units] }
    }

    /// Returns the channels of these units, for units that are striped over channels first.
    #[must_use]
    pub const fn channels(self, channels: u32) -> Self {
        let count = if self.count < channels { self.count } else { channels };
        Self { first: self.first % channels, count }
    }

    /// Iterates over the units of the run.
    pub fn units(self, units: u32) -> impl Iterator<Item = usize> {
        self.ranges(units).into_iter().flatten().map(|unit| unit as usize)
    }
}

/// Bit set of units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitSet {
    words: Vec<u64>,
    units: u32,
}

impl UnitSet {
    /// Creates an empty set for `units` units.
    pub fn empty(units: u32) -> Self {
        Self { words: vec![0; units.div_ceil(64) as usize], units }
    }

    /// Removes all units from the set.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds all units to the set.
    pub fn fill(&mut self) {
        self.insert(UnitRange { first: 0, count: self.units });
    }

    /// Adds the units of `location` to the set.
    pub fn insert(&mut self, location: UnitRange) {
        for range in location.ranges(self.units) {
            for (word, mask) in masks(range) {
                self.words[word] |= mask;
            }
        }
    }

    /// Removes the units of `location` from the set.
    pub fn remove(&mut self, location: UnitRange) {
        for range in location.ranges(self.units) {
            for (word, mask) in masks(range) {
                self.words[word] &= !mask;
            }
        }
    }

    /// True if the set contains no unit.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// True if the set contains a unit of `location`.
    pub fn intersects(&self, location: UnitRange) -> bool {
        let mut ranges = location.ranges(self.units).into_iter();
        ranges.any(|range| masks(range).any(|(word, mask)| self.words[word] & mask != 0))
    }

    /// True if the set contains `unit`.
    #[inline]
    pub fn has(&self, unit: u32) -> bool {
        self.words[(unit / 64) as usize] >> (unit % 64) & 1 == 1
    }

    /// Iterates over the units in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.units).filter(|&unit| self.has(unit))
    }
}

/// Splits a range of bits into word indices and masks.
fn masks(range: std::ops::Range<u32>) -> impl Iterator<Item = (usize, u64)> {
    let words = range.start / 64..range.end.div_ceil(64).max(range.start / 64);
    let (start, end) = (range.start, range.end);
    words.map(move |word| {
        let low = start.max(word * 64) - word * 64;
        let high = end.min(word * 64 + 64).max(word * 64) - word * 64;
        let below = |bits: u32| if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        (word as usize, below(high) & !below(low))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn units_of(map: UnitMap, start: u64, sectors: u32) -> Vec<u32> {
        let mut set = UnitSet::empty(map.units());
        set.insert(map.locate(start, sectors));
        set.iter().collect()
    }

    /// Returns a request's vector as a number in the paper's notation, with the first unit as the most
    /// significant bit.
    fn vector(map: UnitMap, start: u64, sectors: u32) -> u64 {
        units_of(map, start, sectors).iter().map(|unit| 1 << (map.units() - 1 - unit)).sum()
    }

    #[test]
    fn the_paper_s_request_of_16_sectors_at_14_896_has_the_vectors_3_and_768() {
        // 4-KB pages: 14,896 × 512 / 4096 = 1862; 1862 mod 8 and 1862 mod 16 are both 6.
        assert_eq!(units_of(UnitMap::new(8, 8), 14_896, 16), [6, 7]);
        assert_eq!(vector(UnitMap::new(8, 8), 14_896, 16), 3, "eight chips");
        assert_eq!(vector(UnitMap::new(16, 8), 14_896, 16), 768, "sixteen planes");
    }

    #[test]
    fn a_request_inside_a_page_is_on_one_unit_and_across_the_last_unit_it_goes_round() {
        let map = UnitMap::new(8, 8);
        assert_eq!(units_of(map, 1, 7), [0]);
        assert_eq!(units_of(map, 1, 8), [0, 1]);
        assert_eq!(units_of(map, 7 * 8 + 4, 16), [0, 1, 7]);
        assert_eq!(units_of(map, 3, 1000), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    proptest! {
        #[test]
        fn sets_agree_with_lists_for_any_number_of_units(
            units in 1_u32..5000, one in (0_u64..100_000, 1_u32..3000), other in (0_u64..100_000, 1_u32..3000)
        ) {
            let map = UnitMap::new(units, 8);
            let by_hand = |(start, sectors): (u64, u32)| -> std::collections::BTreeSet<u32> {
                let pages = start / 8..=(start + u64::from(sectors) - 1) / 8;
                pages.map(|page| (page % u64::from(units)) as u32).collect()
            };
            let mut set = UnitSet::empty(units);
            set.insert(map.locate(one.0, one.1));
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), by_hand(one).into_iter().collect::<Vec<_>>());
            let meets = !by_hand(one).is_disjoint(&by_hand(other));
            prop_assert_eq!(set.intersects(map.locate(other.0, other.1)), meets);
        }
    }
}
