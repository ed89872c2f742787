//! Choice of the flash controller for a transfer on the packet-switched mesh.
//!
//! A controller carries one transfer at a time, which it injects or receives.

use venice_nand::geometry::ChipId;

use super::super::ControllerChoice;
use super::super::noc::Mesh;

/// Flash controllers, one per row, and their state (free or taken).
#[derive(Clone, Debug)]
pub(super) struct ControllerPool {
    mesh: Mesh,
    choice: ControllerChoice,
    taken: Vec<bool>,
    free_count: u32,
    /// Number of transfers that each controller has carried so far, by row.
    carried: Vec<u64>,
}

impl ControllerPool {
    pub(super) fn new(choice: ControllerChoice, mesh: Mesh) -> Self {
        let count = mesh.controllers();
        let (taken, carried) = (vec![false; count as usize], vec![0; count as usize]);
        Self { mesh, choice, taken, free_count: count, carried }
    }

    /// True if each chip is served only by the controller of its row.
    pub(super) fn is_home(&self) -> bool {
        self.choice == ControllerChoice::Home
    }

    #[inline]
    pub(super) fn none_free(&self) -> bool {
        self.free_count == 0
    }

    pub(super) fn all_free(&self) -> bool {
        self.free_count as usize == self.taken.len()
    }

    /// Returns the free controller that should serve `chip`. Considers only controllers for which `can` is
    /// true.
    #[inline]
    pub(super) fn choose(&self, chip: ChipId, can: impl Fn(u32) -> bool) -> Option<u32> {
        let home = self.mesh.array().row(chip);
        let may = |row: u32| self.is_free(row) && can(row);
        match self.choice {
            ControllerChoice::Home => Some(home).filter(|&row| may(row)),
            ControllerChoice::NearestFree => self.nearest(home, may),
            ControllerChoice::LeastLoaded => (0..self.mesh.controllers())
                .filter(|&row| may(row))
                .min_by_key(|&row| (self.carried[row as usize], row.abs_diff(home))),
        }
    }

    /// Returns the free controller nearest to row `home`; on a tie, the one with the lower number. All
    /// controllers are in column 0, so only the row matters.
    fn nearest(&self, home: u32, may: impl Fn(u32) -> bool) -> Option<u32> {
        let rows = self.mesh.controllers();
        (0..rows).find_map(|distance| {
            let below = home.checked_sub(distance).filter(|&row| may(row));
            below.or_else(|| Some(home + distance).filter(|&row| row < rows && may(row)))
        })
    }

    /// True if transfers of `chip` must use controllers of other rows.
    #[inline]
    pub(super) fn leaves_row(&self, chip: ChipId) -> bool {
        !self.is_home() && !self.is_free(self.mesh.array().row(chip))
    }

    #[inline]
    fn is_free(&self, row: u32) -> bool {
        !self.taken[row as usize]
    }

    #[inline]
    pub(super) fn take(&mut self, row: u32) {
        self.taken[row as usize] = true;
        self.carried[row as usize] += 1;
        self.free_count -= 1;
    }

    #[inline]
    pub(super) fn release(&mut self, row: u32) {
        self.taken[row as usize] = false;
        self.free_count += 1;
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::*;

    fn desk(choice: ControllerChoice, taken: &[u32]) -> ControllerPool {
        let mut desk = ControllerPool::new(choice, Mesh::new(Array { rows: 5, cols: 3 }));
        for &row in taken {
            desk.take(row);
        }
        desk
    }

    #[test]
    fn the_nearest_free_controller_serves_and_of_two_the_lower() {
        let chip_in_row_2 = ChipId(7);
        for (taken, expected) in [
            (&[][..], Some(2)),
            (&[2], Some(1)),
            (&[1, 2], Some(3)),
            (&[1, 2, 3], Some(0)),
            (&[0, 1, 2, 3], Some(4)),
            (&[0, 1, 2, 3, 4], None),
        ] {
            assert_eq!(
                desk(ControllerChoice::NearestFree, taken).choose(chip_in_row_2, |_| true),
                expected,
                "{taken:?}"
            );
        }
    }

    #[test]
    fn only_the_home_controller_serves_its_row() {
        assert_eq!(desk(ControllerChoice::Home, &[1]).choose(ChipId(7), |_| true), Some(2));
        assert_eq!(desk(ControllerChoice::Home, &[2]).choose(ChipId(7), |_| true), None);
    }

    #[test]
    fn the_least_loaded_controller_is_the_one_that_carried_least_and_of_two_the_nearest() {
        let mut desk = desk(ControllerChoice::LeastLoaded, &[2, 3, 0]);
        assert_eq!(desk.choose(ChipId(7), |_| true), Some(1));
        desk.take(1);
        desk.take(4);
        for row in [2, 3, 0] {
            desk.release(row);
        }
        assert_eq!(desk.choose(ChipId(7), |_| true), Some(2));
    }

    #[test]
    fn what_was_taken_and_released_is_free() {
        let mut desk = desk(ControllerChoice::Home, &[0, 1, 2, 3, 4]);
        assert!(desk.none_free() && !desk.all_free());
        (0..5).for_each(|row| desk.release(row));
        assert!(desk.all_free());
    }
}
