//! Trace records of scouts: packets that search and reserve paths. The paths themselves are stored in
//! `venice/scout_path.rs`, `venice/circuit_storage.rs` and `venice/table.rs`.

use venice_kernel::SimTime;
use venice_nand::geometry::{ChipId, DieId};

/// Controller or chip that sends a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Flash controller, identified by the number of its port. The second ports of controllers are numbered
    /// after all first ports.
    Controller(u32),
    /// Chip that sends a page to another chip.
    Chip(ChipId),
}

/// Trip of a scout, from its departure to its return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoutTrip {
    /// Controller or chip that sent the scout.
    pub sender: Sender,
    /// Destination chip of the scout.
    pub chip: ChipId,
    /// Die of the transfer for which the scout searches a path.
    pub die: DieId,
    /// Departure of the first of the failed scouts without trace records that directly precede this scout. If
    /// there are none, equal to [`Self::set_out`].
    pub in_vain_since: SimTime,
    /// Time at which the scout departed.
    pub set_out: SimTime,
    /// Time at which the scout is back at its sender. It may be later than the current time.
    pub back: SimTime,
    /// Number of links that the scout crossed, either to its chip or back to its sender without a path.
    pub hops: u32,
    /// Routers of the reserved path in order; `None` if the search failed.
    pub path: Option<Vec<u32>>,
    /// Number of links by which the reserved path exceeds the shortest path.
    pub detour: u32,
}
