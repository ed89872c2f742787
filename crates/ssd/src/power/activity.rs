//! What a run did, as far as energy depends on it.

use venice_kernel::SimSpan;

use crate::fabric::Wiring;
use crate::observe::ArrayTime;

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// First issue to last completion.
    pub time: SimSpan,
    /// Flash chips.
    pub chips: u32,
    /// Planes' arrays.
    pub arrays: ArrayTime,
    /// What the fabric is made of.
    pub wiring: Wiring,
    /// Time for which the fabric's paths (channels or links) were in use, summed over paths.
    pub path_busy: SimSpan,
    /// Time for which a path led through a router, summed over routers and paths.
    pub router_busy: SimSpan,
    /// Time that links were occupied by scout packets, summed over links.
    pub scout_busy: SimSpan,
    /// Time for which the fabric's transfers were under way, summed over transfers.
    pub transfer_time: SimSpan,
    /// Bytes to and from the drive's memory.
    pub dram_bytes: u64,
    /// Bytes on the host link, both ways.
    pub host_link_bytes: u64,
}
