//! Counts of the pages of each address range in each plane, which guarantee every range its share of the
//! plane.

use venice_nand::geometry::{Geometry, PlaneId};

/// Number of pages of each address range in each plane, including queued writes. Counted only if there are
/// several ranges.
#[derive(Clone, Debug)]
pub struct Commitments {
    planes: usize,
    /// Numbers of pages, indexed by range, then by plane. Empty if there is one range, since each plane
    /// counts its pages itself.
    pages: Vec<u32>,
}

impl Commitments {
    /// Creates the page counts of an erased drive, all of them zero.
    pub fn new(geometry: &Geometry, ranges: usize) -> Self {
        let planes = geometry.planes() as usize;
        let counted = if ranges > 1 { ranges } else { 0 };
        Self { planes, pages: vec![0; counted * planes] }
    }

    /// Returns the number of pages of a range in a plane, if pages are counted by range.
    #[inline]
    pub fn of(&self, range: usize, plane: PlaneId) -> Option<u32> {
        self.pages.get(range * self.planes + plane.index()).copied()
    }

    /// Returns true if pages are counted by range, since there are several ranges.
    #[inline]
    pub const fn are_counted(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Adds `by` to the number of pages of an address range in a plane. Called also if pages are not counted
    /// by range, so `range` is a function.
    pub fn change(&mut self, range: impl FnOnce() -> usize, plane: PlaneId, by: i32) {
        if self.pages.is_empty() {
            return;
        }
        let pages = &mut self.pages[range() * self.planes + plane.index()];
        *pages = pages.checked_add_signed(by).expect("a plane holds what was counted");
    }
}
