//! Host commands, which request pages.

use std::ops::Range;

use venice_nand::geometry::{Priority, RequestId};

/// Host request, together with the priority class of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiator {
    /// Id of the request.
    pub id: RequestId,
    /// Priority class.
    pub priority: Priority,
    /// Number of sectors of the request.
    pub sectors: u32,
}

/// A host read, write, gather or trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// Request that initiated the transaction, with its priority class.
    pub initiator: Initiator,
    /// Host queue of the request.
    pub queue: u16,
    /// First sector.
    pub start_sector: u64,
    /// Number of sectors.
    pub sectors: u32,
}

impl HostCommand {
    /// Returns the range of sectors.
    #[inline]
    pub const fn range(&self) -> Range<u64> {
        self.start_sector..self.start_sector + self.sectors as u64
    }
}
