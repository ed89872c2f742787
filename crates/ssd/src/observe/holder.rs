//! Who holds a die, or the pins of a chip, while a request waits for them.

use venice_kernel::SimSpan;

use crate::geometry::ChipId;

/// The drive's own work, behind which a request may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chore {
    /// Collection reads a page.
    CollectionRead,
    /// Collection programs a page.
    CollectionProgram,
    /// Collection erases a block.
    Erase,
    /// Static wear levelling reads, programs or erases.
    WearLevelling,
    /// A part of the map is read or programmed.
    Mapping,
    /// There is no page to write to until collection has freed some.
    NoRoom,
}

/// Every chore with its name in reports, in the order of [`Behind::spans`].
pub const CHORES: [(Chore, &str); 6] = [
    (Chore::CollectionRead, "collection_reads"),
    (Chore::CollectionProgram, "collection_programs"),
    (Chore::Erase, "erases"),
    (Chore::WearLevelling, "wear_levelling"),
    (Chore::Mapping, "map_commands"),
    (Chore::NoRoom, "no_free_page"),
];

/// What a request can owe its time to besides stages and chores: other commands of the host, on its chip.
pub const HOST_COMMANDS: &str = "host_commands";

/// Who holds a die, or the pins of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holder {
    /// Nobody.
    #[default]
    Nobody,
    /// The host's own commands.
    Host,
    /// The drive, for its own sake.
    Drive(Chore),
}

/// Of the wait for a chip, the part behind the drive's own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// By chore.
    pub spans: [SimSpan; CHORES.len()],
    /// The chip.
    pub chip: Option<ChipId>,
}

impl Behind {
    /// All of it.
    pub fn total(&self) -> SimSpan {
        self.spans.iter().copied().sum()
    }
}
