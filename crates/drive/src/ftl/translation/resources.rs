//! Flash resources of address ranges: channels, ways, dies and planes.

use std::fmt;

use venice_nand::geometry::{ChipId, DieId, Geometry};
use venice_params::{ParameterKind, declare, whole};

use crate::ftl::allocation::HierarchyLevel;

declare! {
    /// Parameters of the address ranges into which the drive is divided, and of the planes of each range.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PartitionParameters in "partition." {
        /// Number of address ranges.
        ///
        /// The requests of host queue *n* go to the range *n* modulo this value. Ranges that list the same
        /// plane have equal shares of it. Each of the lists `channels`, `ways`, `dies` and `planes` has an
        /// entry for each range. If a list is empty, every range has all resources of that level.
        count: u32 = whole(1, 256), unit "ranges", default "1", source "MQSim: each flow has a range of its own";
        /// Channels (rows) that hold a range's pages: one list of channel numbers per range.
        channels: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Channel_IDs";
        /// Ways (chip positions within a row) that hold a range's pages: one list of way numbers per range.
        ways: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Chip_IDs";
        /// Dies, within the chips of `ways`, that hold a range's pages: one list of die numbers per range.
        dies: Vec<Vec<u32>> = ParameterKind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Die_IDs";
        /// Planes, within the dies of `dies`, that hold a range's pages: one list of plane numbers per range.
        planes: Vec<Vec<u32>> = ParameterKind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Plane_IDs";
    }
}

impl PartitionParameters {
    /// Returns the channels, ways, dies and planes of each address range, without the chips in `lost`. A
    /// range without an entry in a list has all resources of that level.
    pub fn resources(&self, lost: &[ChipId]) -> Vec<Resources> {
        let of = |lists: &[Vec<u32>], range: usize| lists.get(range).cloned().unwrap_or_default();
        let resources = |range| Resources {
            channels: of(&self.channels, range),
            ways: of(&self.ways, range),
            dies: of(&self.dies, range),
            planes: of(&self.planes, range),
            lost: lost.to_vec(),
            parity: Vec::new(),
        };
        (0..self.count as usize).map(resources).collect()
    }
}

/// Channels, ways, dies and planes of an address range: a list of numbers for each level. An empty list
/// stands for all resources of the level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Channels (rows of the array).
    pub channels: Vec<u32>,
    /// Ways (positions of chips in their rows).
    pub ways: Vec<u32>,
    /// Dies in each chip of the address range.
    pub dies: Vec<u32>,
    /// Planes in each die of the address range.
    pub planes: Vec<u32>,
    /// Lost chips, which are excluded because no controller can reach them.
    pub lost: Vec<ChipId>,
    /// Dies that contain only parity and are therefore excluded.
    pub parity: Vec<DieId>,
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { channels, ways, dies, planes, lost: _, parity: _ } = self;
        write!(f, "channels {channels:?}, ways {ways:?}, dies {dies:?}, planes {planes:?}")
    }
}

impl Resources {
    /// Returns the number of elements of a level: channels of the drive, chips per channel, dies per chip, or
    /// planes per die.
    pub fn available(geometry: &Geometry, level: HierarchyLevel) -> u32 {
        match level {
            HierarchyLevel::Channel => geometry.array.rows,
            HierarchyLevel::Way => geometry.array.cols,
            HierarchyLevel::Die => geometry.dies_per_chip,
            HierarchyLevel::Plane => geometry.planes_per_die,
        }
    }

    /// Returns the numbers of the channels, ways, dies or planes (by `level`) that the address range uses. An
    /// empty list in the settings stands for all of them.
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
