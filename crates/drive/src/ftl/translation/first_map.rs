//! Page map of a preconditioned drive, which needs no table of the whole drive.
//!
//! # How
//! A few planes are simulated, and the state of each is recorded at several points of its simulation, called
//! moments. Each plane of the drive starts as a copy of one of these recorded states. An entry of the drive's
//! map is computed from the history of the simulated plane: the page number is converted to an index within
//! the plane, and the index is shifted by an offset that is specific to the plane. Memory contains only the
//! first map of each simulated plane, and the entries that changed between its moments.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use venice_nand::geometry::{Geometry, Lpn, MappingUnits, PlaneId, Ppn};

use super::plane_history::PlaneHistory;

/// Rotation of the page numbers in a range of a plane. It exchanges pages that are overwritten equally often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageShift {
    /// Range of page numbers within the plane.
    pub range: Range<u32>,
    /// Offset of the rotation, smaller than the length of the range.
    pub by: u32,
}

impl PageShift {
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

/// Recorded state of a simulated plane, which is the initial state of a plane of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneMoment {
    /// Index of the history of the simulated plane.
    pub history: u32,
    /// Index of the recorded state within the history.
    pub moment: u32,
}

/// Page map of a drive before the first write of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstMap {
    histories: Vec<PlaneHistory>,
    /// For each plane of the drive, the recorded state from which it starts the run.
    moments: Vec<PlaneMoment>,
    /// Rotations of page numbers in each plane.
    shifts: Vec<Vec<PageShift>>,
    /// Planes in the order in which consecutive logical pages are spread over them. `position_of_plane` is
    /// the inverse of this order.
    plane_of_position: Vec<u32>,
    position_of_plane: Vec<u32>,
    pages_per_plane: u32,
    logical_pages: u32,
    #[serde(default)]
    units: MappingUnits,
    /// Number of host pages. The translation pages after them are spread over the planes in turn.
    #[serde(default)]
    host_pages: u32,
}

impl FirstMap {
    /// Creates the map of a drive. `moments` contains the recorded state from which each plane starts.
    /// `map_pages` are the translation pages, which follow the host pages.
    pub fn new(
        planes: &[PlaneId],
        geometry: Geometry,
        units: MappingUnits,
        map_pages: Range<u32>,
        histories: Vec<PlaneHistory>,
        moments: Vec<PlaneMoment>,
        shifts: Vec<Vec<PageShift>>,
    ) -> Self {
        let plane_of_position: Vec<u32> = planes.iter().map(|plane| plane.0).collect();
        let mut position_of_plane = vec![0; geometry.planes() as usize];
        for (position, &plane) in (0..).zip(&plane_of_position) {
            position_of_plane[plane as usize] = position;
        }
        let pages_per_plane = geometry.pages_per_plane() as u32;
        Self {
            histories,
            moments,
            shifts,
            plane_of_position,
            position_of_plane,
            pages_per_plane,
            logical_pages: map_pages.end,
            units,
            host_pages: map_pages.start,
        }
    }

    /// Returns true if the histories contain every page, for a map of `logical` logical and `physical`
    /// physical pages.
    pub fn fits(&self, logical: usize, physical: usize) -> bool {
        let planes = self.plane_of_position.len();
        let (per_plane, of_plane) = (logical.div_ceil(planes.max(1)), self.pages_per_plane as usize);
        let is_known = |moment: &PlaneMoment| (moment.history as usize) < self.histories.len();
        let names_planes = |list: &[u32]| list.len() == planes && list.iter().all(|&n| (n as usize) < planes);
        names_planes(&self.plane_of_position)
            && names_planes(&self.position_of_plane)
            && self.shifts.len() == planes
            && self.moments.len() == planes
            && self.moments.iter().all(is_known)
            && self.histories.iter().all(|history| history.fits(per_plane, of_plane))
            && (self.logical_pages as usize, planes * of_plane) == (logical, physical)
    }

    fn history(&self, plane: PlaneId) -> (&PlaneHistory, u32) {
        let PlaneMoment { history, moment } = self.moments[plane.index()];
        (&self.histories[history as usize], moment)
    }

    /// Returns the map entry of a logical page: its physical page plus one, or zero if it is not mapped.
    pub fn physical(&self, lpn: Lpn) -> u32 {
        let planes = self.plane_of_position.len() as u32;
        let (position, page) = match lpn.0.checked_sub(self.host_pages) {
            None => self.units.place(lpn.0, planes),
            Some(page) => (page % planes, self.host_pages / planes + page / planes),
        };
        let plane = PlaneId(self.plane_of_position[position as usize]);
        let shift = self.shifts[plane.index()].iter().find(|shift| shift.range.contains(&page));
        let page = shift.map_or(page, |shift| shift.forth(page));
        let (history, moment) = self.history(plane);
        match history.physical(page as usize, moment) {
            0 => 0,
            entry => plane.0 * self.pages_per_plane + entry,
        }
    }

    /// Returns the map entry of a physical page: its logical page plus one, or zero if it contains no valid
    /// page.
    pub fn logical(&self, ppn: Ppn) -> u32 {
        let plane = PlaneId(ppn.0 / self.pages_per_plane);
        let (history, moment) = self.history(plane);
        let entry = history.logical((ppn.0 % self.pages_per_plane) as usize, moment);
        let Some(page) = entry.checked_sub(1) else { return 0 };
        let shift = self.shifts[plane.index()].iter().find(|shift| shift.range.contains(&page));
        let page = shift.map_or(page, |shift| shift.back(page));
        let (position, planes) = (self.position_of_plane[plane.index()], self.plane_of_position.len() as u64);
        if self.plane_of_position[position as usize] != plane.0 {
            // The plane contains only parity.
            return 0;
        }
        let host_pages = u64::from(self.host_pages);
        let lpn = match u64::from(page).checked_sub(host_pages / planes) {
            None => self.units.unit_at(position, page, planes),
            Some(row) => host_pages + row * planes + u64::from(position),
        };
        if lpn < u64::from(self.logical_pages) { lpn as u32 + 1 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_shifted_comes_back_to_its_place() {
        for by in 0..5 {
            let shift = PageShift { range: 10..15, by };
            let mut there: Vec<u32> = (10..15).map(|page| shift.forth(page)).collect();
            assert!((10..15).all(|page| shift.back(shift.forth(page)) == page), "{by}");
            there.sort_unstable();
            assert_eq!(there, [10, 11, 12, 13, 14]);
        }
    }
}
