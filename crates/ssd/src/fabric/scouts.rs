//! What is told of scouts, where somebody asks.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId};

/// Who sends a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A flash controller, by one of its ports; numbers of second ports come behind those of all first ones.
    Controller(u32),
    /// A chip, to another one.
    Chip(ChipId),
}

/// A scout that set out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoutTrip {
    /// Who sent it.
    pub sender: Sender,
    /// The chip that it was sent to.
    pub chip: ChipId,
    /// The die whose transfer it was for.
    pub die: DieId,
    /// Since when scouts had been sent for the same transfer of which nothing else is told; [`Self::set_out`] where there are none.
    pub in_vain_since: SimTime,
    /// When it set out.
    pub set_out: SimTime,
    /// When it was, or will be, back.
    pub back: SimTime,
    /// Links that it crossed until it was at its chip, or back in vain.
    pub hops: u32,
    /// The routers of the path that it reserved, in their order; `None` if it found none.
    pub path: Option<Vec<u32>>,
    /// Links of that path beyond those of a shortest one.
    pub detour: u32,
}
