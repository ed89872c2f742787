//! Where the pages of a preconditioned drive are, without a table of the whole drive.
//!
//! # How
//! The planes of the drive take turns in being one of a few planes whose tables are known. An entry of the drive
//! follows from its plane's table: page numbers are turned into numbers within the plane, and those of pages
//! that are alike are shifted by a number of the plane's own. Memory is that of the few planes.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::geometry::{Geometry, Lpn, PlaneId, Ppn};

/// Where the pages of one plane are, by their number in it. Entries are numbers plus one; zero is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneTables {
    /// By logical page: the physical one.
    pub to_physical: Vec<u32>,
    /// By physical page: the logical one.
    pub to_logical: Vec<u32>,
}

impl PlaneTables {
    /// No page has a place.
    pub fn empty(logical: u32, physical: u32) -> Self {
        Self { to_physical: vec![0; logical as usize], to_logical: vec![0; physical as usize] }
    }

    /// Where a logical page is.
    #[inline]
    pub fn physical(&self, lpn: Lpn) -> Option<Ppn> {
        self.to_physical[lpn.index()].checked_sub(1).map(Ppn)
    }
}

/// A range of a plane's logical pages, each of which stands for another of the range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// The range.
    pub range: Range<u32>,
    /// How far on the other is, less than the range is long.
    pub by: u32,
}

impl Shift {
    fn forth(&self, page: u32) -> u32 {
        let shifted = page + self.by;
        if shifted < self.range.end { shifted } else { shifted - (self.range.end - self.range.start) }
    }

    fn back(&self, page: u32) -> u32 {
        if page - self.range.start >= self.by {
            page - self.by
        } else {
            page + (self.range.end - self.range.start) - self.by
        }
    }
}

/// The map of a drive before the first write of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstMap {
    tables: Vec<PlaneTables>,
    /// By plane.
    shifts: Vec<Vec<Shift>>,
    /// Planes in the order in which consecutive logical pages visit them, and the other way round.
    plane_of_position: Vec<u32>,
    position_of_plane: Vec<u32>,
    pages_per_plane: u32,
    logical_pages: u32,
}

impl FirstMap {
    /// The map of a drive of so many logical pages, whose planes are these `tables` in turn.
    pub fn new(
        planes: &[PlaneId],
        geometry: Geometry,
        logical_pages: u32,
        tables: Vec<PlaneTables>,
        shifts: Vec<Vec<Shift>>,
    ) -> Self {
        let plane_of_position: Vec<u32> = planes.iter().map(|plane| plane.0).collect();
        let mut position_of_plane = vec![0; plane_of_position.len()];
        for (position, &plane) in (0..).zip(&plane_of_position) {
            position_of_plane[plane as usize] = position;
        }
        let pages_per_plane = geometry.pages_per_plane() as u32;
        Self { tables, shifts, plane_of_position, position_of_plane, pages_per_plane, logical_pages }
    }

    /// Whether every page of a map of this size can be looked up.
    pub fn fits(&self, logical: usize, physical: usize) -> bool {
        let planes = self.plane_of_position.len();
        let (per_plane, of_plane) = (logical.div_ceil(planes.max(1)), self.pages_per_plane as usize);
        let is_whole = |tables: &PlaneTables| {
            tables.to_physical.len() >= per_plane && tables.to_logical.len() == of_plane
        };
        let names_planes = |list: &[u32]| list.len() == planes && list.iter().all(|&n| (n as usize) < planes);
        names_planes(&self.plane_of_position)
            && names_planes(&self.position_of_plane)
            && self.shifts.len() == planes
            && !self.tables.is_empty()
            && self.tables.iter().all(is_whole)
            && (self.logical_pages as usize, planes * of_plane) == (logical, physical)
    }

    fn table(&self, plane: PlaneId) -> &PlaneTables {
        &self.tables[plane.index() % self.tables.len()]
    }

    /// The entry of a logical page: its physical page plus one; zero is none.
    pub fn physical(&self, lpn: Lpn) -> u32 {
        let planes = self.plane_of_position.len() as u32;
        let plane = PlaneId(self.plane_of_position[(lpn.0 % planes) as usize]);
        let page = lpn.0 / planes;
        let shift = self.shifts[plane.index()].iter().find(|shift| shift.range.contains(&page));
        let page = shift.map_or(page, |shift| shift.forth(page));
        match self.table(plane).to_physical[page as usize] {
            0 => 0,
            entry => plane.0 * self.pages_per_plane + entry,
        }
    }

    /// The entry of a physical page, likewise.
    pub fn logical(&self, ppn: Ppn) -> u32 {
        let plane = PlaneId(ppn.0 / self.pages_per_plane);
        let entry = self.table(plane).to_logical[(ppn.0 % self.pages_per_plane) as usize];
        let Some(page) = entry.checked_sub(1) else { return 0 };
        let shift = self.shifts[plane.index()].iter().find(|shift| shift.range.contains(&page));
        let page = shift.map_or(page, |shift| shift.back(page));
        let stripe = u64::from(page) * self.plane_of_position.len() as u64;
        let lpn = stripe + u64::from(self.position_of_plane[plane.index()]);
        if lpn < u64::from(self.logical_pages) { lpn as u32 + 1 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_shifted_comes_back_to_its_place() {
        for by in 0..5 {
            let shift = Shift { range: 10..15, by };
            let mut there: Vec<u32> = (10..15).map(|page| shift.forth(page)).collect();
            assert!((10..15).all(|page| shift.back(shift.forth(page)) == page), "{by}");
            there.sort_unstable();
            assert_eq!(there, [10, 11, 12, 13, 14]);
        }
    }
}
