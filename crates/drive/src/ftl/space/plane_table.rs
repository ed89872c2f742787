//! State of every plane, without the state of the blocks and the rules of garbage collection.

use std::ops::{Index, IndexMut};

use venice_nand::geometry::{Geometry, PlaneId};

use super::block_table::BlockTable;
use super::plane::Plane;

/// State of all planes.
#[derive(Clone, Debug)]
pub struct PlaneTable(Vec<Plane>);

/// Erase counts of a drive's blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EraseCounts {
    /// Erases of the least worn block.
    pub least: u32,
    /// Erases of the most worn block.
    pub most: u32,
    /// Spread of the erase counts within a plane, averaged over the planes.
    pub mean_span: f64,
    /// Spread of the erase counts of the plane with the largest spread.
    pub most_span: u32,
}

impl EraseCounts {
    /// Returns the erase counts of planes, given the fewest and the most erases of a block for each plane.
    fn of(planes: impl Iterator<Item = (u32, u32)>) -> Self {
        let (mut wear, mut sum, mut count) =
            (Self { least: u32::MAX, most: 0, mean_span: 0.0, most_span: 0 }, 0_u64, 0_u32);
        for (least, most) in planes {
            wear.least = wear.least.min(least);
            wear.most = wear.most.max(most);
            wear.most_span = wear.most_span.max(most - least);
            (sum, count) = (sum + u64::from(most - least), count + 1);
        }
        Self { mean_span: sum as f64 / f64::from(count), ..wear }
    }
}

impl PlaneTable {
    /// Returns a table of planes that all equal `plane`.
    pub(super) fn new(geometry: &Geometry, plane: &Plane) -> Self {
        Self(vec![plane.clone(); geometry.planes() as usize])
    }

    /// Returns the erase counts of the blocks in `table`.
    pub fn wear(&self, table: &BlockTable) -> EraseCounts {
        EraseCounts::of(table.planes().map(|plane| table.erases_of(plane, self[plane].free.ever_opened())))
    }

    /// Returns the number of erased blocks of all planes that are not open.
    pub fn free_blocks(&self) -> u64 {
        self.0.iter().map(|plane| u64::from(plane.free_blocks())).sum()
    }

    /// Returns `planes` consecutive planes from `first` on, such as those of a die.
    #[inline]
    pub fn row(&self, first: PlaneId, planes: u32) -> &[Plane] {
        &self.0[first.index()..first.index() + planes as usize]
    }

    /// Returns the planes for a state file.
    pub(super) fn store(&self) -> Vec<Plane> {
        self.0.clone()
    }

    /// True if `stored` has the same numbers of planes and streams.
    pub(super) fn are_like(&self, stored: &[Plane]) -> bool {
        let streams = |planes: &[Plane]| planes.first().map(|plane| plane.open.streams());
        stored.len() == self.0.len() && streams(stored) == streams(&self.0)
    }

    /// Restores the planes from a state file.
    pub(super) fn restore(&mut self, planes: Vec<Plane>) {
        self.0 = planes;
    }
}

impl Index<PlaneId> for PlaneTable {
    type Output = Plane;

    #[inline]
    fn index(&self, plane: PlaneId) -> &Plane {
        &self.0[plane.index()]
    }
}

impl IndexMut<PlaneId> for PlaneTable {
    #[inline]
    fn index_mut(&mut self, plane: PlaneId) -> &mut Plane {
        &mut self.0[plane.index()]
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ftl::space::OpenBlockCounts;
    use crate::ftl::space::free_blocks::FreeBlocks;
    use crate::testkit::settings::SmallDrive;

    /// Returns planes of two blocks on a drive of `chips` chips, with `host` host streams.
    fn planes(chips: u32, host: u16) -> PlaneTable {
        let plane = Plane::new(FreeBlocks::new(2, false), OpenBlockCounts { host, map: 1 });
        PlaneTable::new(&SmallDrive::new(1, chips).geometry, &plane)
    }

    #[test]
    fn what_is_done_to_a_plane_is_done_to_no_other() {
        let mut planes = planes(2, 1);
        planes[PlaneId(1)].keep_from_use();
        assert_eq!([0, 1, 2, 3].map(|plane| planes[PlaneId(plane)].free_blocks()), [2, 1, 2, 2]);
        assert_eq!(planes.free_blocks(), 7);
    }

    #[test]
    fn stored_planes_fit_a_drive_of_as_many_planes_and_streams() {
        let mut planes_of_two_chips = planes(2, 1);
        assert!(!planes_of_two_chips.are_like(&planes(1, 1).store()));
        assert!(!planes_of_two_chips.are_like(&planes(2, 2).store()));
        let mut kept = planes(2, 1);
        kept[PlaneId(3)].keep_from_use();
        assert!(planes_of_two_chips.are_like(&kept.store()));
        planes_of_two_chips.restore(kept.store());
        assert_eq!(planes_of_two_chips.free_blocks(), 7);
    }
}
