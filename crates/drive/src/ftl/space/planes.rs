//! Choice of the least busy plane for writes that may go to any plane.

use venice_nand::geometry::{DieId, Geometry, PlaneId};

/// Number of outstanding host writes of each die, and the position from which the next search for the least
/// busy plane starts.
#[derive(Clone, Debug)]
pub struct WritesAtDies {
    /// Number of outstanding host writes of each die.
    at_die: Vec<u32>,
    /// Position of the plane with which the next search for the least busy plane begins, for each address
    /// range. Positions count the planes of the range.
    next_position: Vec<u32>,
}

impl WritesAtDies {
    /// Creates the counts of outstanding writes, all of them zero.
    pub fn none(geometry: &Geometry, ranges: usize) -> Self {
        Self { at_die: vec![0; geometry.dies() as usize], next_position: vec![0; ranges] }
    }

    /// Counts a write that is assigned to a die.
    #[inline]
    pub fn join(&mut self, die: DieId) {
        self.at_die[die.index()] += 1;
    }

    /// Subtracts a write that has ended or has been redirected to another die.
    #[inline]
    pub fn leave(&mut self, die: DieId) {
        self.at_die[die.index()] -= 1;
    }

    /// Returns the number of outstanding host writes of a die.
    #[inline]
    pub fn of(&self, die: DieId) -> u32 {
        self.at_die[die.index()]
    }

    /// Returns the plane whose die has the fewest outstanding host writes. Only planes of the address range
    /// for which `is_open` returns true are considered. The plane is returned as an index into `planes`. If
    /// `takes_first` is true, returns the first plane found instead. The search begins at the position that
    /// [`Self::go_on_behind`] has set.
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

    /// Sets the position from which the next search in an address range begins: the plane after `position`.
    /// The range has `planes` planes.
    #[inline]
    pub fn go_on_behind(&mut self, range: usize, position: u32, planes: usize) {
        self.next_position[range] = (position + 1) % planes as u32;
    }

    /// Returns the position with which the next search begins in each address range, for a state file.
    pub fn positions(&self) -> &[u32] {
        &self.next_position
    }

    /// Restores, from a state file, the positions with which the next searches begin. Returns false if the
    /// file has another number of address ranges.
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

    /// Creates three dies of two planes each. The tests use one plane of each die.
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
