//! Activity of a run, the input of the energy model.

use venice_drive::observe::ArrayTime;
use venice_fabric::Wiring;
use venice_kernel::SimSpan;

/// Activity of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunActivity {
    /// Time from the first issue to the last completion.
    pub time: SimSpan,
    /// Time from the first issue to the end of all started operations; the period of the energy.
    pub until_drained: SimSpan,
    /// Number of flash chips.
    pub chips: u32,
    /// Busy times of the planes' arrays.
    pub arrays: ArrayTime,
    /// Components of the fabric.
    pub wiring: Wiring,
    /// Bytes on channels or links, counted once per channel or link.
    pub path_bytes: f64,
    /// Bytes through routers, counted once per router.
    pub router_bytes: f64,
    /// Bytes of scout packets, counted once per link.
    pub scout_bytes: f64,
    /// Duration of the fabric's transfers, summed over transfers.
    pub transfer_time: SimSpan,
    /// Busy time of the controller's cores, summed over cores.
    pub core_time: SimSpan,
    /// Bytes to and from the drive's memory.
    pub dram_bytes: u64,
    /// Bytes on the host link, both directions.
    pub host_link_bytes: u64,
}
