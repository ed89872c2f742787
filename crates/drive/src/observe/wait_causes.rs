//! Causes of waits for chips and for space in the data cache.

use venice_kernel::SimSpan;
use venice_nand::geometry::ChipId;
use venice_nand::latency::{STAGES, Stage};

/// Cause of a wait for a chip or for cache space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// Array operation of another host command.
    HostArray,
    /// Transfer of another host command over the chip's pins.
    HostTransfer,
    /// Occupied path, for which another transfer waits: of a preceding command of the chip, of another host
    /// command's data, or of a command formed earlier.
    PathHeld,
    /// Read of a page by garbage collection.
    CollectionRead,
    /// Program of a page by garbage collection.
    CollectionProgram,
    /// Erase of a block by garbage collection.
    Erase,
    /// Read, program or erase by static wear levelling.
    WearLevelling,
    /// Read, program or erase by read reclaim.
    ReadReclaim,
    /// Read, program or erase by refresh.
    Refresh,
    /// Read of a page by scrub.
    Scrub,
    /// Read or program of a translation page.
    Mapping,
    /// Lack of a free page in the plane, until garbage collection has freed a block.
    NoRoom,
}

/// Causes with their names in reports, in the order of [`CausedWait::spans`].
pub const CAUSES: [(WaitCause, &str); 12] = [
    (WaitCause::HostArray, "host_array"),
    (WaitCause::HostTransfer, "host_transfer"),
    (WaitCause::PathHeld, "path_held"),
    (WaitCause::CollectionRead, "collection_reads"),
    (WaitCause::CollectionProgram, "collection_programs"),
    (WaitCause::Erase, "erases"),
    (WaitCause::WearLevelling, "wear_levelling"),
    (WaitCause::ReadReclaim, "read_reclaim"),
    (WaitCause::Refresh, "refresh"),
    (WaitCause::Scrub, "scrub"),
    (WaitCause::Mapping, "map_commands"),
    (WaitCause::NoRoom, "no_free_page"),
];

/// Number of [`CAUSES`] that are due to host commands. They come first; the other causes are internal
/// operations of the drive.
pub const HOST_CAUSES: usize = 3;

impl WaitCause {
    /// Returns true if the cause is background work that few drives do. Reports omit such a cause if nothing
    /// waited for it.
    pub const fn is_rare(self) -> bool {
        matches!(self, Self::ReadReclaim | Self::Refresh | Self::Scrub)
    }
}

/// User of a die, or of the pins of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DieUser {
    /// The resource is free.
    #[default]
    Unused,
    /// A host command occupies the resource.
    Host,
    /// An internal operation of the drive occupies the resource.
    Drive(WaitCause),
}

/// Waits of a request for a chip or for cache space, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CausedWait {
    /// Waiting time of the request due to each cause, in the order of [`CAUSES`].
    pub spans: [SimSpan; CAUSES.len()],
    /// Chip for which the request waited.
    pub chip: Option<ChipId>,
}

impl CausedWait {
    /// Returns the total time of all causes.
    pub fn total(&self) -> SimSpan {
        self.spans.iter().copied().sum()
    }

    /// Returns the latency stage in which the request waited: it waited either for a chip or for space in the
    /// cache.
    pub fn stage(&self, spans: &[SimSpan; STAGES.len()]) -> Stage {
        if spans[Stage::ChipWait as usize].is_zero() { Stage::Cache } else { Stage::ChipWait }
    }

    /// Returns the part of the wait that was caused by internal operations of the drive.
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
