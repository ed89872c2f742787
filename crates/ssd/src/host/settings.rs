//! What the host interface is told.

use venice_kernel::{Rate, SimSpan};

/// The link between host and drive, and the drive's command queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// Data rate of each direction of the link.
    pub link_rate: Rate,
    /// Time from the end of a message on one side to its arrival on the other.
    pub link_latency: SimSpan,
    /// Bytes that a command costs on the way to the drive, besides its data.
    pub command_bytes: u32,
    /// Bytes that a completion costs on the way to the host, besides its data.
    pub completion_bytes: u32,
    /// Commands the drive works on at once; further ones wait in the host's queue.
    pub queue_depth: u32,
}
