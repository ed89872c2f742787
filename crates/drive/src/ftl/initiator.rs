//! Commands of the host, which ask for pages.

use std::ops::Range;

use venice_nand::geometry::{Priority, RequestId};

/// A request of the host, and the class of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiator {
    /// The request.
    pub id: RequestId,
    /// The class.
    pub priority: Priority,
}

/// A read, write or gather of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// The request, and its class.
    pub initiator: Initiator,
    /// The host queue that it came on.
    pub queue: u16,
    /// First sector.
    pub start_sector: u64,
    /// Number of sectors.
    pub sectors: u32,
}

impl HostCommand {
    /// Returns the sectors, one behind the other.
    #[inline]
    pub const fn range(&self) -> Range<u64> {
        self.start_sector..self.start_sector + self.sectors as u64
    }
}
