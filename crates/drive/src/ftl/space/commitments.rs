//! Counts of the pages of each address range on each plane, which guarantee every range its share.

use venice_nand::geometry::{Geometry, PlaneId};

/// Number of pages of each range on each plane, including writes that are queued, if there are several
/// ranges.
#[derive(Clone, Debug)]
pub struct Commitments {
    planes: usize,
    /// Counts by range and plane; empty with one range, for which each plane has its own count.
    pages: Vec<u32>,
}

impl Commitments {
    /// Creates the counts of an erased drive, which are zero.
    pub fn new(geometry: &Geometry, ranges: usize) -> Self {
        let planes = geometry.planes() as usize;
        let counted = if ranges > 1 { ranges } else { 0 };
        Self { planes, pages: vec![0; counted * planes] }
    }

    /// Returns the number of pages of a range on a plane, if pages are counted.
    #[inline]
    pub fn of(&self, range: usize, plane: PlaneId) -> Option<u32> {
        self.pages.get(range * self.planes + plane.index()).copied()
    }

    /// True if there are several ranges.
    #[inline]
    pub const fn are_counted(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Changes the number of pages of a range on a plane by `by`.
    pub fn change(&mut self, range: impl FnOnce() -> usize, plane: PlaneId, by: i32) {
        if self.pages.is_empty() {
            return;
        }
        let pages = &mut self.pages[range() * self.planes + plane.index()];
        *pages = pages.checked_add_signed(by).expect("a plane holds what was counted");
    }
}
