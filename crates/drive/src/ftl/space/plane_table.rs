//! State of all planes of a drive, without the states of their blocks.

use std::ops::{Index, IndexMut};

use venice_nand::geometry::{Geometry, PlaneId};

use super::block_table::BlockTable;
use super::plane::Plane;

/// State of all planes of a drive.
#[derive(Clone, Debug)]
pub struct PlaneTable(Vec<Plane>);

/// Summary of the erase counts of a drive's blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EraseCounts {
    /// Smallest erase count of a block.
    pub least: u32,
    /// Largest erase count of a block.
    pub most: u32,
    /// Difference between the largest and the smallest erase count of a plane, averaged over all planes.
    pub mean_span: f64,
    /// Largest difference between the largest and the smallest erase count of a plane.
    pub most_span: u32,
}

impl EraseCounts {
    /// Computes the summary from the smallest and the largest erase count of each plane.
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
    /// Creates a table of planes that are all equal to `plane`.
    pub(super) fn new(geometry: &Geometry, plane: &Plane) -> Self {
        Self(vec![plane.clone(); geometry.planes() as usize])
    }

    /// Returns a summary of the erase counts of the blocks in `table`.
    pub fn wear(&self, table: &BlockTable) -> EraseCounts {
        let counts = |plane| {
            let free = &self[plane].free;
            table.erases_of(plane, free.ever_opened(), free.usable())
        };
        EraseCounts::of(table.planes().map(counts))
    }

    /// Returns the number of free blocks of all planes.
    pub fn free_blocks(&self) -> u64 {
        self.0.iter().map(|plane| u64::from(plane.free_blocks())).sum()
    }

    /// Returns `planes` consecutive planes beginning with `first`, for example the planes of a die.
    #[inline]
    pub fn row(&self, first: PlaneId, planes: u32) -> &[Plane] {
        &self.0[first.index()..first.index() + planes as usize]
    }

    /// Returns the planes for a state file.
    pub(super) fn store(&self) -> Vec<Plane> {
        self.0.clone()
    }

    /// Returns true if `stored` has the same numbers of planes and streams.
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

    /// Creates planes of two blocks on a drive of `chips` chips, with `host` streams of host writes.
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
