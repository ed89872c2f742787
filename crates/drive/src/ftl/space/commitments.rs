//! How many pages of each address range a plane holds, so that every range gets what it was promised.

use venice_nand::geometry::{Geometry, PlaneId};

/// With several ranges, how many pages each has on each plane, those on their way included.
#[derive(Clone, Debug)]
pub struct Commitments {
    planes: usize,
    /// Empty with one range, for which the planes count themselves.
    pages: Vec<u32>,
}

impl Commitments {
    /// Returns a state without pages.
    pub fn new(geometry: &Geometry, ranges: usize) -> Self {
        let planes = geometry.planes() as usize;
        let counted = if ranges > 1 { ranges } else { 0 };
        Self { planes, pages: vec![0; counted * planes] }
    }

    /// Pages of a range on a plane, if they are counted.
    #[inline]
    pub fn of(&self, range: usize, plane: PlaneId) -> Option<u32> {
        self.pages.get(range * self.planes + plane.index()).copied()
    }

    /// Returns true if there are several ranges.
    #[inline]
    pub const fn are_counted(&self) -> bool {
        !self.pages.is_empty()
    }

    /// A page more, or less.
    pub fn change(&mut self, range: impl FnOnce() -> usize, plane: PlaneId, by: i32) {
        if self.pages.is_empty() {
            return;
        }
        let pages = &mut self.pages[range() * self.planes + plane.index()];
        *pages = pages.checked_add_signed(by).expect("a plane holds what was counted");
    }
}
