//! Mapping units: the address arithmetic between the units of the map and the pages of flash.
//!
//! # How
//! The flash translation layer counts in units: its geometry is that of the drive with units in the place of
//! pages ([`MappingUnits::slots`]). A physical page number is therefore that of a slot: flash page times units
//! per page plus position, or flash page divided by pages per unit. The block table, the map, victims,
//! preconditioning, saved states and the audit need no other rule. Flash operations work on pages: [`MappingUnits::page_offset`] and
//! [`MappingUnits::slots_of_page`] convert, and nothing else does.
//!
//! # Parameters
//! `ftl.mapping_unit_bytes`, `flash.program_pages`

use std::ops::Range;

use super::{Geometry, Ppn, quotient, remainder};
use serde::{Deserialize, Serialize};

/// Mapping units of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingUnits {
    /// Units per page; 1 if a unit has several pages.
    per_page: u32,
    /// Pages per unit; 1 if a page has several units.
    pages: u32,
    /// Units that one program writes; 1 if a unit has several pages.
    per_program: u32,
    /// Pages that one program writes.
    program_pages: u32,
}

impl Default for MappingUnits {
    /// Returns units of one page each, the default for state files without units.
    fn default() -> Self {
        Self::PAGES
    }
}

impl MappingUnits {
    /// Units of one page each.
    pub const PAGES: Self = Self { per_page: 1, pages: 1, per_program: 1, program_pages: 1 };

    /// Returns units of `unit_bytes` bytes, which divide a page or consist of pages; 0 for units of one page.
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

    /// Returns these units on chips that program `program_pages` pages together. Units of several pages consist of
    /// such program units.
    #[must_use]
    pub const fn programmed_in(self, program_pages: u32) -> Self {
        if self.pages > 1 {
            return self;
        }
        Self { per_program: self.per_page * program_pages, program_pages, ..self }
    }

    /// Returns the number of pages per unit, at least one.
    #[inline]
    pub const fn pages(self) -> u32 {
        self.pages
    }

    /// Returns the number of units per page.
    #[inline]
    pub const fn per_page(self) -> u32 {
        self.per_page
    }

    /// Returns the number of units that one program writes.
    #[inline]
    pub const fn per_program(self) -> u32 {
        self.per_program
    }

    /// Returns the number of pages that one program writes: those of a unit, or those that share a program.
    #[inline]
    pub const fn pages_of_program(self) -> u32 {
        self.program_pages
    }

    /// True if a unit is a page that is programmed alone.
    #[inline]
    pub const fn are_pages(self) -> bool {
        self.per_program == self.pages
    }

    /// True if one program writes several units.
    #[inline]
    pub const fn share_programs(self) -> bool {
        self.per_program > 1
    }

    /// True if several units share a page.
    #[inline]
    pub const fn share_pages(self) -> bool {
        self.per_page > 1
    }

    /// Returns the pages of a unit that hold `bits`, a mask of `parts` equal parts of the unit.
    pub fn pages_with(self, bits: u64, parts: u32) -> u64 {
        let per_page = parts / self.pages;
        let of_page = u64::MAX >> (u64::BITS - per_page);
        let is_held = |page: &u32| bits >> (page * per_page) & of_page != 0;
        (0..self.pages).filter(is_held).fold(0, |mask, page| mask | 1 << page)
    }

    /// Returns the mask of all pages of a unit.
    pub const fn all_pages(self) -> u64 {
        Self::mask(self.pages)
    }

    /// Returns the mask of the first `pages` pages, from 1 to 64.
    pub const fn mask(pages: u32) -> u64 {
        u64::MAX >> (u64::BITS - pages)
    }

    /// Returns the number of slots of a number of programmed pages.
    pub const fn slots_of_pages(self, pages: u64) -> u64 {
        pages * self.per_page as u64 / self.pages as u64
    }

    /// Returns the geometry of a drive with units in the place of pages.
    pub const fn slots(self, geometry: &Geometry) -> Geometry {
        Geometry {
            pages_per_block: geometry.pages_per_block * self.per_page / self.pages,
            page_bytes: geometry.page_bytes / self.per_page * self.pages,
            ..*geometry
        }
    }

    /// Returns the offset of a flash page in its block from that of one of its slots; the first page of a slot
    /// that has several.
    #[inline]
    pub const fn page_offset(self, slot_offset: u32) -> u32 {
        quotient(slot_offset, self.per_page) * self.pages
    }

    /// Returns the first slot of the flash page of a slot.
    #[inline]
    pub const fn first_of_page(self, slot: Ppn) -> Ppn {
        Ppn(slot.0 - remainder(slot.0, self.per_page))
    }

    /// Returns the first slot that is programmed together with a slot.
    #[inline]
    pub const fn first_of_program(self, slot: Ppn) -> Ppn {
        Ppn(slot.0 - remainder(slot.0, self.per_program))
    }

    /// Returns the slots that are programmed together, from the first one.
    #[inline]
    pub const fn slots_of_program(self, first: Ppn) -> Range<u32> {
        first.0..first.0 + self.per_program
    }

    /// Returns the slots of a flash page from its first one.
    #[inline]
    pub const fn slots_of_page(self, first: Ppn) -> Range<u32> {
        first.0..first.0 + self.per_page
    }

    /// Returns the position among `planes` planes of a unit whose neighbours fill a page of one plane after the
    /// other, and its index within that plane.
    #[inline]
    pub const fn place(self, unit: u32, planes: u32) -> (u32, u32) {
        let page = quotient(unit, self.per_page);
        let (row, position) = (quotient(page, planes), remainder(page, planes));
        (position, row * self.per_page + unit - page * self.per_page)
    }

    /// Returns the unit at `index` within the plane at a position among `planes` planes; the inverse of
    /// [`Self::place`].
    pub const fn unit_at(self, position: u32, index: u32, planes: u64) -> u64 {
        let (page, within) = (quotient(index, self.per_page), remainder(index, self.per_page));
        (page as u64 * planes + position as u64) * self.per_page as u64 + within as u64
    }

    /// Returns a number of units, rounded up to whole programs.
    #[inline]
    pub const fn round_up(self, units: u32) -> u32 {
        quotient(units + self.per_program - 1, self.per_program) * self.per_program
    }

    /// Returns a number of units, rounded down to whole pages.
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
