//! Trace records of scouts, the packets that search and reserve paths. The paths themselves are stored in
//! `venice/scout_path.rs`, `venice/circuit_storage.rs` and `venice/table.rs`.

use venice_kernel::SimTime;
use venice_nand::geometry::{ChipId, DieId};

/// Origin of a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Flash controller port. The second ports are numbered after all first ports.
    Controller(u32),
    /// Chip that sends a page to another chip.
    Chip(ChipId),
}

/// Trip of a scout from its departure to its return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoutTrip {
    /// Controller or chip that sent the scout.
    pub sender: Sender,
    /// Destination chip of the scout.
    pub chip: ChipId,
    /// Die of the transfer.
    pub die: DieId,
    /// Departure of the first of the failed scouts that directly preceded this one and have no trace records.
    /// Equal to [`Self::set_out`] if there were none.
    pub in_vain_since: SimTime,
    /// Time at which the scout departed.
    pub set_out: SimTime,
    /// Time at which the scout has returned to its sender. It may be later than the current time.
    pub back: SimTime,
    /// Number of links that the scout crossed until it reached its chip or returned without a path.
    pub hops: u32,
    /// Routers of the reserved path in order; `None` if the search failed.
    pub path: Option<Vec<u32>>,
    /// Number of links of the reserved path in excess of the shortest path.
    pub detour: u32,
}
