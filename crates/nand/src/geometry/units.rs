//! Mapping units: the granularity of the logical-to-physical map, and its conversion to flash pages.
//!
//! # How
//! A mapping unit is a page, a part of a page, or several pages. The flash translation layer counts in
//! mapping units instead of pages, and so does its geometry ([`MappingUnits::slots`]). A physical page number
//! in this layer is therefore the number of a *slot*: the location of one unit in flash. With several units
//! per page, the slot is page × units per page + position; with several pages per unit, it is page ÷ pages
//! per unit. The block table, the map, victim selection, preconditioning, saved states and the audit all use
//! slots. Flash operations use pages; [`MappingUnits::page_offset`] and [`MappingUnits::slots_of_page`]
//! convert between the two.
//!
//! # Parameters
//! `ftl.mapping_unit_bytes`, `flash.program_pages`

use std::ops::Range;

use super::{Geometry, Ppn, quotient, remainder};
use serde::{Deserialize, Serialize};

/// Mapping units of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingUnits {
    /// Number of mapping units per page; 1 if a unit has several pages.
    per_page: u32,
    /// Number of pages per mapping unit; 1 if a page has several units.
    pages: u32,
    /// Number of mapping units that one program operation writes; 1 if a unit has several pages.
    per_program: u32,
    /// Number of pages that one program operation writes.
    program_pages: u32,
}

impl Default for MappingUnits {
    /// Returns mapping units of one page each, the default for state files that do not store units.
    fn default() -> Self {
        Self::PAGES
    }
}

impl MappingUnits {
    /// Mapping units of one page each.
    pub const PAGES: Self = Self { per_page: 1, pages: 1, per_program: 1, program_pages: 1 };

    /// Returns mapping units of `unit_bytes` bytes, or of one page if `unit_bytes` is 0. A unit must divide a
    /// page or consist of whole pages.
    pub const fn of(unit_bytes: u32, page_bytes: u32) -> Self {
        match unit_bytes {
            0 => Self::PAGES,
            _ if unit_bytes > page_bytes => {
                let pages = unit_bytes / page_bytes;
                Self { pages, program_pages: pages, ..Self::PAGES }
            }
            _ => {
                let per_page = page_bytes / unit_bytes;
                Self { per_page, per_program: per_page, ..Self::PAGES }
            }
        }
    }

    /// Returns these mapping units for chips that program `program_pages` pages at once. Units of several
    /// pages are returned unchanged, since each program operation writes one of them.
    #[must_use]
    pub const fn programmed_in(self, program_pages: u32) -> Self {
        if self.pages > 1 {
            return self;
        }
        Self { per_program: self.per_page * program_pages, program_pages, ..self }
    }

    /// Returns the number of pages per mapping unit, at least one.
    #[inline]
    pub const fn pages(self) -> u32 {
        self.pages
    }

    /// Returns the number of mapping units per page, at least one.
    #[inline]
    pub const fn per_page(self) -> u32 {
        self.per_page
    }

    /// Returns the number of mapping units that one program operation writes.
    #[inline]
    pub const fn per_program(self) -> u32 {
        self.per_program
    }

    /// Returns the number of pages that one program operation writes.
    #[inline]
    pub const fn pages_of_program(self) -> u32 {
        self.program_pages
    }

    /// True if each mapping unit is a page, and each program operation writes one page.
    #[inline]
    pub const fn are_pages(self) -> bool {
        self.per_program == self.pages
    }

    /// True if one program operation writes several mapping units.
    #[inline]
    pub const fn share_programs(self) -> bool {
        self.per_program > 1
    }

    /// True if several mapping units share a page.
    #[inline]
    pub const fn share_pages(self) -> bool {
        self.per_page > 1
    }

    /// Converts a mask of parts of a mapping unit to a mask of the unit's pages. Bit *i* of `bits` stands for
    /// the *i*-th of `parts` equal parts. The result contains each page that holds at least one part in
    /// `bits`.
    pub fn pages_with(self, bits: u64, parts: u32) -> u64 {
        let per_page = parts / self.pages;
        let of_page = u64::MAX >> (u64::BITS - per_page);
        let is_held = |page: &u32| bits >> (page * per_page) & of_page != 0;
        (0..self.pages).filter(is_held).fold(0, |mask, page| mask | 1 << page)
    }

    /// Returns the mask of all pages of a mapping unit.
    pub const fn all_pages(self) -> u64 {
        Self::mask(self.pages)
    }

    /// Returns the mask of the first `pages` pages, from 1 to 64.
    pub const fn mask(pages: u32) -> u64 {
        u64::MAX >> (u64::BITS - pages)
    }

    /// Returns the number of slots (locations of mapping units) in `pages` programmed pages.
    pub const fn slots_of_pages(self, pages: u64) -> u64 {
        pages * self.per_page as u64 / self.pages as u64
    }

    /// Returns the geometry of a drive, with mapping units in the place of pages.
    pub const fn slots(self, geometry: &Geometry) -> Geometry {
        Geometry {
            pages_per_block: geometry.pages_per_block * self.per_page / self.pages,
            page_bytes: geometry.page_bytes / self.per_page * self.pages,
            ..*geometry
        }
    }

    /// Converts the offset of a slot in its block to the offset of its flash page, or of its first page if
    /// the slot has several.
    #[inline]
    pub const fn page_offset(self, slot_offset: u32) -> u32 {
        quotient(slot_offset, self.per_page) * self.pages
    }

    /// Returns the first slot on the flash page that contains `slot`.
    #[inline]
    pub const fn first_of_page(self, slot: Ppn) -> Ppn {
        Ppn(slot.0 - remainder(slot.0, self.per_page))
    }

    /// Returns the first of the slots (locations of mapping units) that are programmed together with `slot`.
    #[inline]
    pub const fn first_of_program(self, slot: Ppn) -> Ppn {
        Ppn(slot.0 - remainder(slot.0, self.per_program))
    }

    /// Returns the slots (locations of mapping units) that are programmed together, given the first one.
    #[inline]
    pub const fn slots_of_program(self, first: Ppn) -> Range<u32> {
        first.0..first.0 + self.per_program
    }

    /// Returns the slots (locations of mapping units) of a flash page, given its first slot.
    #[inline]
    pub const fn slots_of_page(self, first: Ppn) -> Range<u32> {
        first.0..first.0 + self.per_page
    }

    /// Distributes consecutive mapping units over `planes` planes, a page at a time. Returns the position of
    /// the plane that receives `unit`, and the index of `unit` among the units of this plane.
    #[inline]
    pub const fn place(self, unit: u32, planes: u32) -> (u32, u32) {
        let page = quotient(unit, self.per_page);
        let (row, position) = (quotient(page, planes), remainder(page, planes));
        (position, row * self.per_page + unit - page * self.per_page)
    }

    /// Returns the number of the mapping unit with `index` among the units of the plane at `position`.
    /// `planes` is the number of planes. The inverse of [`Self::place`].
    pub const fn unit_at(self, position: u32, index: u32, planes: u64) -> u64 {
        let (page, within) = (quotient(index, self.per_page), remainder(index, self.per_page));
        (page as u64 * planes + position as u64) * self.per_page as u64 + within as u64
    }

    /// Rounds a number of mapping units up to whole program operations.
    #[inline]
    pub const fn round_up(self, units: u32) -> u32 {
        quotient(units + self.per_program - 1, self.per_program) * self.per_program
    }

    /// Rounds a number of mapping units down to whole pages.
    #[inline]
    pub const fn round_down(self, units: u32) -> u32 {
        units - remainder(units, self.per_page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Array, BlockId};

    #[test]
    fn slot_is_a_page_and_a_position_in_it() {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 16,
            pages_per_block: 8,
            page_bytes: 4096,
        };
        for (bytes, per_page) in [(0, 1), (4096, 1), (1024, 4), (512, 8)] {
            let units = MappingUnits::of(bytes, geometry.page_bytes);
            let slots = units.slots(&geometry);
            assert_eq!(units.per_page(), per_page);
            assert_eq!(slots.raw_bytes(), geometry.raw_bytes());
            let (block, page, position) = (BlockId(3), 5, per_page - 1);
            let slot = slots.ppn(block, page * per_page + position);
            assert_eq!(slot.0, geometry.ppn(block, page).0 * per_page + position);
            assert_eq!((slots.block_of(slot), units.page_offset(slots.page_offset(slot))), (block, page));
            assert_eq!(units.first_of_page(slot), slots.ppn(block, page * per_page));
            assert!(units.slots_of_page(units.first_of_page(slot)).contains(&slot.0));
        }
    }

    #[test]
    fn slot_may_have_several_pages() {
        let units = MappingUnits::of(16_384, 4096);
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 8,
            page_bytes: 4096,
        };
        let slots = units.slots(&geometry);
        assert_eq!((slots.pages_per_block, slots.page_bytes), (2, 16_384));
        assert_eq!(slots.raw_bytes(), geometry.raw_bytes());
        assert_eq!([0, 1].map(|offset| units.page_offset(offset)), [0, 4]);
        assert_eq!((units.share_pages(), units.are_pages(), units.all_pages()), (false, false, 0b1111));
        assert_eq!(units.pages_with(0x8000_0001, 32), 0b1001);
        assert_eq!(units.pages_with(0x0000_ff00, 32), 0b0010);
        assert_eq!((units.slots_of_pages(8), MappingUnits::of(1024, 4096).slots_of_pages(8)), (2, 32));
    }

    #[test]
    fn units_of_several_pages_may_share_a_program() {
        let units = MappingUnits::of(1024, 4096).programmed_in(3);
        assert_eq!((units.per_program(), units.pages_of_program(), units.are_pages()), (12, 3, false));
        assert_eq!((units.first_of_program(Ppn(23)), units.slots_of_program(Ppn(12))), (Ppn(12), 12..24));
        assert_eq!((units.first_of_page(Ppn(23)), units.page_offset(23)), (Ppn(20), 5));
        assert_eq!([0, 1, 12, 13].map(|count| units.round_up(count)), [0, 12, 12, 24]);
        let pages = MappingUnits::PAGES.programmed_in(2);
        assert_eq!((pages.share_pages(), pages.share_programs(), pages.are_pages()), (false, true, false));
        let long = MappingUnits::of(16_384, 4096);
        assert_eq!((long.programmed_in(2), long.pages_of_program()), (long, 4));
    }

    #[test]
    fn neighbours_fill_pages_plane_by_plane() {
        let units = MappingUnits::of(2048, 4096);
        let places: Vec<_> = (0..8).map(|unit| units.place(unit, 3)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 2), (0, 3)]);
        for units in [units, MappingUnits::PAGES] {
            for unit in 0..50 {
                let (position, index) = units.place(unit, 3);
                assert_eq!(units.unit_at(position, index, 3), u64::from(unit));
            }
        }
    }

    #[test]
    fn units_are_rounded_to_whole_pages() {
        let units = MappingUnits::of(1024, 4096);
        assert_eq!([0, 1, 4, 5].map(|n| units.round_up(n)), [0, 4, 4, 8]);
        assert_eq!([0, 1, 4, 5].map(|n| units.round_down(n)), [0, 0, 4, 4]);
        assert_eq!([0, 1, 5].map(|n| MappingUnits::PAGES.round_up(n)), [0, 1, 5]);
    }
}
