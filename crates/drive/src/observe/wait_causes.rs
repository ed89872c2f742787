//! Causes of waits for chips, and for space in the data cache.

use venice_kernel::SimSpan;
use venice_nand::geometry::ChipId;
use venice_nand::latency::{STAGES, Stage};

/// Cause of a wait for a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// Array operation of another host command.
    HostArray,
    /// Transfer of another host command on the chip's pins.
    HostTransfer,
    /// The chip waits for a path: for data of another host command in a register, for a formed command, or
    /// for a preceding command.
    PathHeld,
    /// Page read by garbage collection.
    CollectionRead,
    /// Page program by garbage collection.
    CollectionProgram,
    /// Block erase by garbage collection.
    Erase,
    /// Read, program or erase by static wear levelling.
    WearLevelling,
    /// Read or program of a translation page.
    Mapping,
    /// Lack of a free page until garbage collection frees a block.
    NoRoom,
}

/// Causes with their names in reports, in the order of [`CausedWait::spans`].
pub const CAUSES: [(WaitCause, &str); 9] = [
    (WaitCause::HostArray, "host_array"),
    (WaitCause::HostTransfer, "host_transfer"),
    (WaitCause::PathHeld, "path_held"),
    (WaitCause::CollectionRead, "collection_reads"),
    (WaitCause::CollectionProgram, "collection_programs"),
    (WaitCause::Erase, "erases"),
    (WaitCause::WearLevelling, "wear_levelling"),
    (WaitCause::Mapping, "map_commands"),
    (WaitCause::NoRoom, "no_free_page"),
];

/// Number of [`CAUSES`] that are due to the host, which come first; the rest is the drive's internal work.
pub const HOST_CAUSES: usize = 3;

/// User of a die, or of the pins of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DieUser {
    /// The resource is free.
    #[default]
    Unused,
    /// A host command occupies the resource.
    Host,
    /// The drive's own work.
    Drive(WaitCause),
}

/// Wait of a request for a chip, or for cache space, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CausedWait {
    /// Time of each cause.
    pub spans: [SimSpan; CAUSES.len()],
    /// Chip of the wait.
    pub chip: Option<ChipId>,
}

impl CausedWait {
    /// Returns the sum over all causes.
    pub fn total(&self) -> SimSpan {
        self.spans.iter().copied().sum()
    }

    /// Returns the stage that the causes refer to. The last page of a request waits for a chip or is served
    /// by the cache, never both.
    pub fn stage(&self, spans: &[SimSpan; STAGES.len()]) -> Stage {
        if spans[Stage::ChipWait as usize].is_zero() { Stage::Cache } else { Stage::ChipWait }
    }

    /// Returns the part caused by the drive's own work.
    pub fn own_work(&self) -> SimSpan {
        self.spans[HOST_CAUSES..].iter().copied().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_listed_in_the_order_of_their_spans() {
        for (place, (cause, _)) in CAUSES.iter().enumerate() {
            assert_eq!(*cause as usize, place);
        }
    }
}
