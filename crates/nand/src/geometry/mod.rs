//! Geometry of the drive, and typed ids of its parts.
//!
//! Each level is numbered consecutively over the whole drive: planes, for example, from 0 to `planes()` - 1.
//! State can therefore be stored in arrays that are indexed by typed ids.

mod division;
mod ids;
mod page_index;
mod priority;
mod units;

use std::ops::Range;

use venice_params::{declare, whole};

pub use division::{long_quotient, quotient, remainder};
pub use ids::{
    BlockId, ChipId, DestageId, DieId, GatherId, Lpn, MAX_PLANES, PlaneId, Ppn, RequestId, TransactionId,
};
pub use page_index::PageIndex;
pub use priority::{PRIORITIES, Priority};
pub use units::MappingUnits;

declare! {
    /// Array of flash chips.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Array in "array." {
        /// Number of rows of chips.
        ///
        /// One flash controller is at the left end of each row. With shared channels, each row is a channel.
        rows: u32 = whole(1, 256), unit "rows", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
        /// Number of chips per row.
        cols: u32 = whole(1, 256), unit "chips", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
    }
}

impl Array {
    /// Returns the number of chips in the array.
    #[inline]
    pub const fn chips(self) -> u32 {
        self.rows * self.cols
    }

    /// Returns the chip at (row, column): `row * cols + column`.
    #[inline]
    pub const fn chip(self, row: u32, col: u32) -> ChipId {
        ChipId(row * self.cols + col)
    }

    /// Returns the row of a chip.
    #[inline]
    pub const fn row(self, chip: ChipId) -> u32 {
        quotient(chip.0, self.cols)
    }

    /// Iterates over the rows of the array, each as a range of chips.
    pub fn chips_by_row(self) -> impl Iterator<Item = Range<u32>> {
        (0..self.rows).map(move |row| row * self.cols..(row + 1) * self.cols)
    }

    /// Returns the column of a chip.
    #[inline]
    pub const fn col(self, chip: ChipId) -> u32 {
        remainder(chip.0, self.cols)
    }
}

/// Numbers of chips, dies, planes, blocks and pages of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Array of chips.
    pub array: Array,
    /// Dies per chip, which work independently.
    pub dies_per_chip: u32,
    /// Planes per die, which work together in multi-plane commands only.
    pub planes_per_die: u32,
    /// Erase blocks per plane.
    pub blocks_per_plane: u32,
    /// Pages per block.
    pub pages_per_block: u32,
    /// Data bytes per page.
    pub page_bytes: u32,
}

impl Geometry {
    /// Returns the number of dies of the drive.
    #[inline]
    pub const fn dies(&self) -> u32 {
        self.array.chips() * self.dies_per_chip
    }

    /// Returns the number of planes of the drive.
    #[inline]
    pub const fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Returns the number of blocks of the drive.
    #[inline]
    pub const fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Returns the number of pages per plane.
    #[inline]
    pub const fn pages_per_plane(&self) -> u64 {
        self.blocks_per_plane as u64 * self.pages_per_block as u64
    }

    /// Returns the number of pages of the drive.
    #[inline]
    pub const fn pages(&self) -> u64 {
        self.planes() as u64 * self.pages_per_plane()
    }

    /// Returns the raw capacity in bytes, including over-provisioning.
    pub const fn raw_bytes(&self) -> u64 {
        self.pages() * self.page_bytes as u64
    }

    /// Returns the chip of a die.
    #[inline]
    pub const fn chip_of(&self, die: DieId) -> ChipId {
        ChipId(quotient(die.0, self.dies_per_chip))
    }

    /// Returns the die of a plane.
    #[inline]
    pub const fn die_of(&self, plane: PlaneId) -> DieId {
        DieId(quotient(plane.0, self.planes_per_die))
    }

    /// Returns the plane of a block.
    #[inline]
    pub const fn plane_of(&self, block: BlockId) -> PlaneId {
        PlaneId(quotient(block.0, self.blocks_per_plane))
    }

    /// Returns the planes of a die.
    #[inline]
    pub fn planes_of(&self, die: DieId) -> impl Iterator<Item = PlaneId> + use<> {
        (die.0 * self.planes_per_die..(die.0 + 1) * self.planes_per_die).map(PlaneId)
    }

    /// Returns the plane of a page.
    #[inline]
    pub const fn plane_of_page(&self, page: Ppn) -> PlaneId {
        self.plane_of(self.block_of(page))
    }

    /// Returns the block of a page.
    #[inline]
    pub const fn block_of(&self, ppn: Ppn) -> BlockId {
        BlockId(quotient(ppn.0, self.pages_per_block))
    }

    /// Returns the offset of a page within its block.
    #[inline]
    pub const fn page_offset(&self, ppn: Ppn) -> u32 {
        remainder(ppn.0, self.pages_per_block)
    }

    /// Returns the page at `offset` of a block.
    #[inline]
    pub const fn ppn(&self, block: BlockId, offset: u32) -> Ppn {
        Ppn(block.0 * self.pages_per_block + offset)
    }

    /// Returns block number `index` of a plane.
    #[inline]
    pub const fn block(&self, plane: PlaneId, index: u32) -> BlockId {
        BlockId(plane.0 * self.blocks_per_plane + index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_counts_the_one_above_it() {
        let drive = Geometry {
            array: Array { rows: 2, cols: 3 },
            dies_per_chip: 2,
            planes_per_die: 4,
            blocks_per_plane: 5,
            pages_per_block: 7,
            page_bytes: 4096,
        };
        assert_eq!((drive.dies(), drive.planes(), drive.blocks(), drive.pages()), (12, 48, 240, 1680));
        let last = Ppn(1679);
        let block = drive.block_of(last);
        assert_eq!((block, drive.page_offset(last)), (BlockId(239), 6));
        assert_eq!(drive.ppn(block, 6), last);
        let plane = drive.plane_of(block);
        assert_eq!((plane, drive.block(plane, 4)), (PlaneId(47), block));
        let chip = drive.chip_of(drive.die_of(plane));
        assert_eq!((drive.array.row(chip), drive.array.col(chip)), (1, 2));
        assert_eq!(drive.array.chip(1, 2), chip);
    }
}
