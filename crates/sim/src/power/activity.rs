//! Activity of a drive during a run, as input of the energy model.

use venice_drive::observe::ArrayTime;
use venice_fabric::Wiring;
use venice_kernel::SimSpan;

/// Times, bytes and counts of a drive's operations during a run, as input of the energy model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunActivity {
    /// Time from the first issue to the last completion.
    pub time: SimSpan,
    /// Time from the first issue of a request to the end of all operations, for which energy is computed.
    pub until_drained: SimSpan,
    /// Number of flash chips.
    pub chips: u32,
    /// Busy times of the planes' arrays.
    pub arrays: ArrayTime,
    /// Numbers of wires and routers of the fabric.
    pub wiring: Wiring,
    /// Bytes on channels or links. Each byte counts once for each channel or link that it crosses.
    pub path_bytes: f64,
    /// Bytes through routers. A byte counts once for each router that it passes.
    pub router_bytes: f64,
    /// Bytes of scout packets. A byte counts once for each link that it crosses.
    pub scout_bytes: f64,
    /// Sum of the durations of all transfers.
    pub transfer_time: SimSpan,
    /// Busy time of the controller's cores, summed over all cores.
    pub core_time: SimSpan,
    /// Bytes to and from the drive's memory.
    pub dram_bytes: u64,
    /// Bytes sent over the host link, in both directions together.
    pub host_link_bytes: u64,
}
