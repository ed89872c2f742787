//! Places of a fabric, for who draws them: channels, buses, rings, links.

use std::iter;
use std::ops::Range;

use venice_kernel::SimSpan;

use crate::geometry::{Array, ChipId};

/// What a place joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A flash controller.
    Controller(u32),
    /// A chip, or the router beside it.
    Chip(ChipId),
}

/// A place over which transfers go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it is called, as `channel 3`.
    pub name: String,
    /// What it joins, in the order in which it comes by.
    pub stops: Vec<Stop>,
}

impl Place {
    /// A place with these stops.
    pub fn new(name: impl Into<String>, stops: impl IntoIterator<Item = Stop>) -> Self {
        Self { name: name.into(), stops: stops.into_iter().collect() }
    }

    /// A channel or bus from a controller along chips.
    pub fn along(name: impl Into<String>, controller: u32, chips: impl IntoIterator<Item = ChipId>) -> Self {
        let chips = chips.into_iter().map(Stop::Chip);
        Self::new(name, iter::once(Stop::Controller(controller)).chain(chips))
    }

    /// A link between the routers of two chips.
    pub fn link(name: impl Into<String>, ends: [u32; 2]) -> Self {
        Self::new(name, ends.map(|router| Stop::Chip(ChipId(router))))
    }
}

/// A packet's way over one link, from the instant at which it is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHop {
    /// The link, by its number among the fabric's places.
    pub place: u32,
    /// The chip whose transfer it belongs to.
    pub chip: ChipId,
    /// How long it keeps the link.
    pub span: SimSpan,
}

/// The chips of a row, from controller to end.
pub(super) fn row(array: Array, row: u32) -> impl Iterator<Item = ChipId> + Clone {
    (0..array.cols).map(move |col| array.chip(row, col))
}

/// The chips of these numbers.
pub(super) fn chips(numbers: Range<u32>) -> impl Iterator<Item = ChipId> {
    numbers.map(ChipId)
}
