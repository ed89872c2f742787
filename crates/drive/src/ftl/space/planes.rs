//! The plane that a write goes to which is free to go to any: the least busy one.

use venice_nand::geometry::{DieId, Geometry, PlaneId};

/// Writes of the host that dies have to do, and where each address range looks on.
#[derive(Clone, Debug)]
pub struct WritesAtDies {
    /// Writes that were sent to each die and have not ended.
    at_die: Vec<u32>,
    /// Position at which the search for the least busy plane goes on, by address range.
    next_position: Vec<u32>,
}

impl WritesAtDies {
    /// Returns a state without writes.
    pub fn none(geometry: &Geometry, ranges: usize) -> Self {
        Self { at_die: vec![0; geometry.dies() as usize], next_position: vec![0; ranges] }
    }

    /// Counts a write that is sent to a die.
    #[inline]
    pub fn join(&mut self, die: DieId) {
        self.at_die[die.index()] += 1;
    }

    /// Counts a write that has ended, or goes elsewhere.
    #[inline]
    pub fn leave(&mut self, die: DieId) {
        self.at_die[die.index()] -= 1;
    }

    /// Returns the number of writes that a die has to do.
    #[inline]
    pub fn of(&self, die: DieId) -> u32 {
        self.at_die[die.index()]
    }

    /// The place among the planes of a range of the open one whose die has least to do, or of the first open one. Places are
    /// looked at from where the last search ended.
    #[inline]
    pub fn least_busy(
        &self,
        range: usize,
        planes: &[PlaneId],
        takes_first: bool,
        is_open: impl Fn(PlaneId) -> bool,
        die_of: impl Fn(PlaneId) -> DieId,
    ) -> Option<u32> {
        let count = planes.len() as u32;
        let mut best: Option<(u32, u32)> = None;
        for step in 0..count {
            let position = (self.next_position[range] + step) % count;
            let plane = planes[position as usize];
            if !is_open(plane) {
                continue;
            }
            let busy = self.of(die_of(plane));
            if best.is_none_or(|(fewest, _)| busy < fewest) {
                best = Some((busy, position));
            }
            if busy == 0 || takes_first {
                break;
            }
        }
        best.map(|(_, position)| position)
    }

    /// The next search of a range with so many planes begins behind this place.
    #[inline]
    pub fn go_on_behind(&mut self, range: usize, position: u32, planes: usize) {
        self.next_position[range] = (position + 1) % planes as u32;
    }

    /// Returns the positions for a file, by address range.
    pub fn positions(&self) -> &[u32] {
        &self.next_position
    }

    /// Restores positions from a file. Returns false if they are of another number of ranges.
    pub fn restore(&mut self, positions: &[u32]) -> bool {
        let fits = positions.len() == self.next_position.len();
        if fits {
            self.next_position.copy_from_slice(positions);
        }
        fits
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::testkit::settings::SmallDrive;

    const PLANES: [PlaneId; 3] = [PlaneId(0), PlaneId(2), PlaneId(4)];

    /// Three dies of two planes; one plane of each is looked at.
    fn three_dies() -> (Geometry, WritesAtDies) {
        let drive = SmallDrive::new(1, 3);
        (drive.geometry, WritesAtDies::none(&drive.geometry, 1))
    }

    #[test]
    fn the_least_busy_open_plane_is_found_from_where_the_last_search_ended() {
        let (geometry, mut writes) = three_dies();
        let die_of = |plane| geometry.die_of(plane);
        let found = |writes: &WritesAtDies, closed: &[u32]| {
            writes.least_busy(0, &PLANES, false, |plane| !closed.contains(&plane.0), die_of)
        };
        assert_eq!(found(&writes, &[]), Some(0));
        writes.go_on_behind(0, 0, PLANES.len());
        assert_eq!(found(&writes, &[]), Some(1), "all are idle: the next in order");
        writes.join(die_of(PlaneId(2)));
        assert_eq!(found(&writes, &[]), Some(2));
        assert_eq!(found(&writes, &[4]), Some(0), "the search goes round");
        assert_eq!(found(&writes, &[0, 4]), Some(1), "a busy plane is better than none");
        assert_eq!(found(&writes, &[0, 2, 4]), None);
        writes.leave(die_of(PlaneId(2)));
        assert_eq!(found(&writes, &[4]), Some(1));
    }

    #[test]
    fn a_log_takes_the_first_open_plane_however_busy() {
        let (geometry, mut writes) = three_dies();
        writes.join(geometry.die_of(PlaneId(0)));
        let first = |open: u32| {
            writes.least_busy(0, &PLANES, true, |plane| plane.0 >= open, |plane| geometry.die_of(plane))
        };
        assert_eq!((first(0), first(1)), (Some(0), Some(1)));
    }
}
