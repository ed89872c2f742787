//! Paths of a fabric (channels, buses, rings, links) and their names, for trace viewers.

use std::iter;
use std::ops::Range;

use venice_kernel::SimSpan;
use venice_nand::geometry::{Array, ChipId};

/// Point to which a path is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStop {
    /// Flash controller at the end of the path.
    Controller(u32),
    /// Flash chip on the path, or the router of this chip.
    Chip(ChipId),
}

/// Path of a fabric: its name and the points that it connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    /// Display name, such as `channel 3`.
    pub name: String,
    /// Attachment points in their order along the path.
    pub stops: Vec<PathStop>,
}

impl NamedPath {
    /// Creates a path with the given name and attachment points.
    pub fn new(name: impl Into<String>, stops: impl IntoIterator<Item = PathStop>) -> Self {
        Self { name: name.into(), stops: stops.into_iter().collect() }
    }

    /// Creates the path of a channel or bus from a controller along `chips`.
    pub fn along(name: impl Into<String>, controller: u32, chips: impl IntoIterator<Item = ChipId>) -> Self {
        let chips = chips.into_iter().map(PathStop::Chip);
        Self::new(name, iter::once(PathStop::Controller(controller)).chain(chips))
    }

    /// Creates the path of a link between the routers of two chips.
    pub fn link(name: impl Into<String>, ends: [u32; 2]) -> Self {
        Self::new(name, ends.map(|router| PathStop::Chip(ChipId(router))))
    }
}

/// Crossing of one link by a packet, reported when the crossing begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHop {
    /// Index of the link among the fabric's paths.
    pub path: u32,
    /// Chip of the packet's transfer.
    pub chip: ChipId,
    /// Time for which the packet occupies the link.
    pub span: SimSpan,
}

/// Returns the chips of a row, in order from the controller.
pub(super) fn row(array: Array, row: u32) -> impl Iterator<Item = ChipId> + Clone {
    (0..array.cols).map(move |col| array.chip(row, col))
}

pub(super) fn chips(numbers: Range<u32>) -> impl Iterator<Item = ChipId> {
    numbers.map(ChipId)
}
