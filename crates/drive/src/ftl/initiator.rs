//! Types for host commands, as the flash translation layer receives them.

use std::ops::Range;

use venice_nand::geometry::{Priority, RequestId};

/// Id, priority class and size of a host request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiator {
    /// Id of the request.
    pub id: RequestId,
    /// Priority class of the host queue.
    pub priority: Priority,
    /// Number of sectors of the request.
    pub sectors: u32,
}

/// Host read, write, gather or trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// Host request to which the command belongs.
    pub initiator: Initiator,
    /// Host queue that issued the request.
    pub queue: u16,
    /// First sector of the command.
    pub start_sector: u64,
    /// Number of sectors of the command.
    pub sectors: u32,
}

impl HostCommand {
    /// Returns the range of sectors that the command covers.
    #[inline]
    pub const fn range(&self) -> Range<u64> {
        self.start_sector..self.start_sector + self.sectors as u64
    }
}
