//! What a run did, as far as energy depends on it.

use venice_kernel::SimSpan;

use crate::fabric::Wiring;
use crate::observe::ArrayTime;

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// First issue to last completion.
    pub time: SimSpan,
    /// First issue to the end of all that was begun: what energy is counted over.
    pub until_drained: SimSpan,
    /// Flash chips.
    pub chips: u32,
    /// Planes' arrays.
    pub arrays: ArrayTime,
    /// What the fabric is made of.
    pub wiring: Wiring,
    /// Bytes over channels or links, counted once for each that they crossed.
    pub path_bytes: f64,
    /// Bytes through routers, counted once for each that they went through.
    pub router_bytes: f64,
    /// Bytes of scout packets, counted once for each link.
    pub scout_bytes: f64,
    /// Time for which the fabric's transfers were under way, summed over transfers.
    pub transfer_time: SimSpan,
    /// Bytes to and from the drive's memory.
    pub dram_bytes: u64,
    /// Bytes on the host link, both ways.
    pub host_link_bytes: u64,
}
