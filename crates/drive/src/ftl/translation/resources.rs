//! What address ranges live on: channels, ways, dies and planes.

use std::fmt;

use venice_nand::geometry::{ChipId, Geometry};
use venice_params::{ParameterKind, declare, whole};

use crate::ftl::allocation::HierarchyLevel;

declare! {
    /// The address ranges into which the drive is divided, and what each of them lives on.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PartitionParameters in "partition." {
        /// Address ranges.
        ///
        /// The requests of a queue go to the range of its number modulo this. Ranges that name the same plane have equal
        /// shares of it. The following lists have an entry for each range, or are empty: then each range has everything.
        count: u32 = whole(1, 256), unit "ranges", default "1", source "MQSim: each flow has a range of its own";
        /// The channels (rows) that hold a range's pages: a list of numbers for each range.
        channels: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Channel_IDs";
        /// The ways (places of chips in their rows) that do, likewise.
        ways: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Chip_IDs";
        /// The dies of each of these chips, likewise.
        dies: Vec<Vec<u32>> = ParameterKind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Die_IDs";
        /// The planes of each of these dies, likewise.
        planes: Vec<Vec<u32>> = ParameterKind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Plane_IDs";
    }
}

impl PartitionParameters {
    /// What each address range lives on, without these chips; a list that is shorter than it should be leaves the rest everything.
    pub fn resources(&self, lost: &[ChipId]) -> Vec<Resources> {
        let of = |lists: &[Vec<u32>], range: usize| lists.get(range).cloned().unwrap_or_default();
        let resources = |range| Resources {
            channels: of(&self.channels, range),
            ways: of(&self.ways, range),
            dies: of(&self.dies, range),
            planes: of(&self.planes, range),
            lost: lost.to_vec(),
        };
        (0..self.count as usize).map(resources).collect()
    }
}

/// What an address range lives on: of each level a list of numbers, or nothing for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Channels, which are rows of the array.
    pub channels: Vec<u32>,
    /// Places of chips in their rows.
    pub ways: Vec<u32>,
    /// Dies of each of these chips.
    pub dies: Vec<u32>,
    /// Planes of each of these dies.
    pub planes: Vec<u32>,
    /// Chips among them that are not there: nobody reaches them.
    pub lost: Vec<ChipId>,
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { channels, ways, dies, planes, lost: _ } = self;
        write!(f, "channels {channels:?}, ways {ways:?}, dies {dies:?}, planes {planes:?}")
    }
}

impl Resources {
    /// Returns the number of units of a level on the drive.
    pub fn available(geometry: &Geometry, level: HierarchyLevel) -> u32 {
        match level {
            HierarchyLevel::Channel => geometry.array.rows,
            HierarchyLevel::Way => geometry.array.cols,
            HierarchyLevel::Die => geometry.dies_per_chip,
            HierarchyLevel::Plane => geometry.planes_per_die,
        }
    }

    /// The numbers of a level.
    pub fn listed(&self, geometry: &Geometry, level: HierarchyLevel) -> Vec<u32> {
        let list = match level {
            HierarchyLevel::Channel => &self.channels,
            HierarchyLevel::Way => &self.ways,
            HierarchyLevel::Die => &self.dies,
            HierarchyLevel::Plane => &self.planes,
        };
        if list.is_empty() { (0..Self::available(geometry, level)).collect() } else { list.clone() }
    }
}
