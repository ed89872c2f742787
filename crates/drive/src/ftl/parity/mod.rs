//! Parity across dies (RAIN): stripes of N data units and one parity unit.
//!
//! # What it models
//! The dies of a drive with lines (superblocks) form groups of N + 1 dies. One die of each group contains
//! only parity. A stripe consists of N + 1 program units, one from each die of a group. They are at the same
//! offset of a line, in planes that have the same number within their dies. Any unit of a stripe can be
//! computed from the others.
//!
//! # How
//! The controller adds up a stripe's data in its buffer while it sends the data to the chips. When the
//! program of the last data unit starts, the program of the parity unit is queued. A parity unit occupies its
//! block like invalid data, so that garbage collection discards it and moves none. The dies of a group follow
//! each other in the order of `ftl.allocation`. The parity die has another position in each group, so that
//! parity is spread over channels.
//!
//! # What is left out
//! Time and energy of computing parity. Parity of a stripe that is not full: it is programmed when the stripe
//! is full. Rotation of parity over the dies of a group.
//!
//! # Source
//! Micron, "NAND flash media management through RAIN", 2013: stripes over dies, one parity element for up to
//! 15 or more data elements. Patterson, Gibson, Katz, "A case for redundant arrays of inexpensive disks
//! (RAID)", SIGMOD 1988: level 4, whose writes of whole stripes need no reads.
//!
//! # Parameters
//! `ftl.rain_data_units`

mod rebuild;
mod writes;

use venice_nand::geometry::{DieId, Geometry, PlaneId};

use super::allocation::HierarchyLevel;
use super::settings::FtlSettings;
use super::translation::{Resources, planes_in_order};

pub(super) use rebuild::Rebuild;

/// Groups of dies whose data is protected by parity.
#[derive(Clone, Debug)]
pub struct ParityLayout {
    planes_per_die: u32,
    /// Number of dies in a group: one die for each data unit of a stripe, and one die for its parity unit.
    dies_of_group: usize,
    /// Dies of all groups, group by group.
    dies: Vec<DieId>,
    /// Position of each die in `dies`.
    position: Vec<usize>,
}

impl ParityLayout {
    /// Creates the groups of a drive, whose number of dies is a multiple of `data_units` + 1.
    pub fn new(geometry: &Geometry, order: [HierarchyLevel; 4], data_units: u32) -> Self {
        let mut dies: Vec<DieId> = Vec::new();
        for plane in planes_in_order(geometry, order, &Resources::default()) {
            let die = geometry.die_of(plane);
            if plane.0.is_multiple_of(geometry.planes_per_die) {
                dies.push(die);
            }
        }
        let mut position = vec![0; dies.len()];
        for (index, die) in dies.iter().enumerate() {
            position[die.index()] = index;
        }
        Self {
            planes_per_die: geometry.planes_per_die,
            dies_of_group: data_units as usize + 1,
            dies,
            position,
        }
    }

    /// Returns the dies that contain only parity.
    pub fn parity_dies(&self) -> Vec<DieId> {
        self.groups().map(|(group, dies)| dies[self.parity_position(group)]).collect()
    }

    fn groups(&self) -> impl Iterator<Item = (usize, &[DieId])> {
        self.dies.chunks(self.dies_of_group).enumerate()
    }

    const fn parity_position(&self, group: usize) -> usize {
        self.dies_of_group - 1 - group % self.dies_of_group
    }

    /// Returns the planes of the parity dies.
    pub fn parity_planes(&self) -> Vec<PlaneId> {
        let planes = |die: DieId| {
            let first = die.0 * self.planes_per_die;
            first..first + self.planes_per_die
        };
        self.parity_dies().into_iter().flat_map(planes).map(PlaneId).collect()
    }

    /// Returns the planes of the stripes that use `plane`, including the plane of their parity unit.
    pub fn stripe_of(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> {
        let (die, within) = (plane.0 / self.planes_per_die, plane.0 % self.planes_per_die);
        let first = self.position[die as usize] / self.dies_of_group * self.dies_of_group;
        let dies = &self.dies[first..first + self.dies_of_group];
        dies.iter().map(move |die| PlaneId(die.0 * self.planes_per_die + within))
    }

    /// Returns the plane that contains the parity of the stripes that use `plane`.
    pub fn parity_of(&self, plane: PlaneId) -> PlaneId {
        let group = self.position[(plane.0 / self.planes_per_die) as usize] / self.dies_of_group;
        let die = self.dies[group * self.dies_of_group + self.parity_position(group)];
        PlaneId(die.0 * self.planes_per_die + plane.0 % self.planes_per_die)
    }
}

impl FtlSettings {
    /// Returns the parity groups of the drive, if it has parity.
    pub fn parity_layout(&self, geometry: &Geometry) -> Option<ParityLayout> {
        let units = self.rain_data_units;
        (units > 0).then(|| ParityLayout::new(geometry, self.allocation.order(), units))
    }

    /// Returns the number of planes that contain data.
    pub fn data_planes(&self, geometry: &Geometry) -> u32 {
        match self.rain_data_units {
            0 => geometry.planes(),
            units => geometry.planes() / (units + 1) * units,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::settings::SmallDrive;

    const ORDER: [HierarchyLevel; 4] =
        [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];

    #[test]
    fn parity_is_on_another_channel_in_each_group() {
        let geometry = SmallDrive::new(4, 4).geometry;
        let layout = ParityLayout::new(&geometry, ORDER, 3);
        let mut channels: Vec<u32> =
            layout.parity_dies().iter().map(|&die| geometry.array.row(geometry.chip_of(die))).collect();
        channels.sort_unstable();
        assert_eq!(channels, [0, 1, 2, 3]);
    }

    #[test]
    fn stripe_has_one_plane_of_each_die_of_its_group() {
        let geometry = SmallDrive::new(4, 4).geometry;
        let layout = ParityLayout::new(&geometry, ORDER, 7);
        let parity = layout.parity_planes();
        for plane in (0..geometry.planes()).map(PlaneId) {
            let stripe: Vec<PlaneId> = layout.stripe_of(plane).collect();
            let mut dies: Vec<u32> = stripe.iter().map(|&plane| geometry.die_of(plane).0).collect();
            dies.sort_unstable();
            dies.dedup();
            assert_eq!(dies.len(), 8);
            assert!(stripe.contains(&plane) && stripe.iter().all(|other| (other.0 - plane.0 % 2) % 2 == 0));
            let of_stripe: Vec<PlaneId> = stripe.into_iter().filter(|plane| parity.contains(plane)).collect();
            assert_eq!(of_stripe, [layout.parity_of(plane)]);
        }
    }
}
