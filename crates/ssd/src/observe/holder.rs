//! The causes of waits for chips, and for room in the data cache.

use venice_kernel::SimSpan;

use crate::accounting::{STAGES, Stage};
use crate::geometry::ChipId;

/// The cause of a wait for a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// The chip's array works for another command of the host.
    HostArray,
    /// A transfer of another command of the host occupies the chip's pins.
    HostTransfer,
    /// The chip waits for a path: data of another command of the host in a register, a command that was formed, or a command that
    /// went before this one.
    PathHeld,
    /// Garbage collection reads a page.
    CollectionRead,
    /// Garbage collection programs a page.
    CollectionProgram,
    /// Garbage collection erases a block.
    Erase,
    /// Static wear levelling reads, programs or erases.
    WearLevelling,
    /// A part of the map is read or programmed.
    Mapping,
    /// There is no page to write to until garbage collection has freed some.
    NoRoom,
}

/// Every cause with its name in reports, in the order of [`Behind::spans`].
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

/// Causes of the host at the beginning of [`CAUSES`]; those behind them are the drive's own work.
pub const HOST_CAUSES: usize = 3;

/// The user of a die, or of the pins of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holder {
    /// None.
    #[default]
    Nobody,
    /// The host's own commands.
    Host,
    /// The drive's own work.
    Drive(WaitCause),
}

/// The wait of a request for a chip, or for room in the data cache, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// By cause.
    pub spans: [SimSpan; CAUSES.len()],
    /// The chip.
    pub chip: Option<ChipId>,
}

impl Behind {
    /// Returns the sum over all causes.
    pub fn total(&self) -> SimSpan {
        self.spans.iter().copied().sum()
    }

    /// Returns the stage that these are the causes of. A request's last page waits for a chip, or is served by the cache, not both.
    pub fn stage(&self, spans: &[SimSpan; STAGES.len()]) -> Stage {
        if spans[Stage::ChipWait as usize].is_zero() { Stage::Cache } else { Stage::ChipWait }
    }

    /// Returns the part behind the drive's own work.
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
