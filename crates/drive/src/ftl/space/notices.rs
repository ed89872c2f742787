//! Notices to the host about chips that begin or end garbage collection.
//!
//! # How
//!
//! A chip collects garbage while at least one of its planes does. Planes whose state may have changed are
//! recorded. A notice is due for each of their chips whose state differs from the one reported last.

use venice_nand::geometry::{ChipId, Geometry, PlaneId};

use super::plane_table::PlaneTable;

/// Planes in which garbage collection may have begun or ended, and the last reported state of each chip.
#[derive(Clone, Debug, Default)]
pub struct CollectionNotices {
    /// True for each chip that was reported to collect garbage. Empty if notices are not recorded.
    reported: Vec<bool>,
    changed: Vec<PlaneId>,
}

impl CollectionNotices {
    /// Enables notices about chips that begin or end garbage collection.
    pub(in crate::ftl) fn start(&mut self, geometry: &Geometry) {
        self.reported = vec![false; geometry.array.chips() as usize];
    }

    /// Records a plane in which garbage collection may have begun or ended.
    #[inline]
    pub(in crate::ftl) fn note(&mut self, plane: PlaneId) {
        if !self.reported.is_empty() {
            self.changed.push(plane);
        }
    }

    /// Returns true if no plane has been recorded.
    #[inline]
    pub(in crate::ftl) const fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns the next chip for which a notice is due. The flag is true if the chip collects garbage.
    pub(in crate::ftl) fn next(
        &mut self,
        geometry: &Geometry,
        planes: &PlaneTable,
    ) -> Option<(ChipId, bool)> {
        while let Some(plane) = self.changed.pop() {
            let chip = geometry.chip_of(geometry.die_of(plane));
            let of_chip = geometry.dies_per_chip * geometry.planes_per_die;
            let row = planes.row(PlaneId(chip.0 * of_chip), of_chip);
            let collects = row.iter().any(|plane| plane.collection.is_some());
            let reported = &mut self.reported[chip.0 as usize];
            if std::mem::replace(reported, collects) != collects {
                return Some((chip, collects));
            }
        }
        None
    }
}
