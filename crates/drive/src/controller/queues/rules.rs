//! Constant rules of a drive's queues and commands.

use std::ops::Range;

use venice_nand::chip::{CommandTimes, DieWork, FlashSettings};
use venice_nand::geometry::{DieId, Geometry, MappingUnits, PlaneId, remainder};
use venice_nand::transactions::{Transaction, TransactionClass};
use venice_requests::SECTOR_BYTES;

use crate::controller::scheduling::joining_class;

/// Settings of the queues by the layer above, constant for the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct QueueSettings {
    /// Mapping units; the queues' page numbers are those of slots.
    pub units: MappingUnits,
    /// Number of host write streams, each with its own open blocks.
    pub streams: u16,
    /// True if garbage collection yields to the host while it is not urgent.
    pub collection_yields: bool,
    /// True if relocations are copybacks, which read their page themselves and share no command with other
    /// programs.
    pub copyback: bool,
    /// True if physical pages are allocated when writes are queued, false if they are allocated when writes
    /// start.
    pub pages_are_early: bool,
    /// True if relocations may go to planes other than their victim's.
    pub moves_leave: bool,
    /// True if blocks form lines: the writes of a command then have one stream, since a stream that opens a line
    /// may leave none to another.
    pub by_line: bool,
}

/// Rules of the choice: geometry, chip properties and settings.
#[derive(Clone, Debug)]
pub(super) struct ChoiceRules {
    pub(super) settings: QueueSettings,
    pub(super) commands: CommandTimes,
    /// Maximum number of planes of a command.
    pub(super) planes_of_a_command: u32,
    /// True if the transactions of a command must have the same page offset.
    pub(super) offsets_agree: bool,
    /// True if every host write without a page is allocated the next page of its plane.
    pub(super) host_shares_next_page: bool,
    pub(super) planes_per_die: u32,
    /// Longest host read that senses its page in a part of the read time.
    partial_read_bytes: u64,
    /// Number of dies per server: all dies of a chip if they work one at a time, else 1.
    dies_per_server: u32,
}

impl ChoiceRules {
    pub(super) fn new(geometry: &Geometry, flash: &FlashSettings, settings: QueueSettings) -> Self {
        Self {
            settings,
            commands: flash.commands.clone(),
            planes_of_a_command: if flash.multiplane { geometry.planes_per_die } else { 1 },
            offsets_agree: flash.multiplane_same_offset,
            host_shares_next_page: settings.streams == 1 && !settings.pages_are_early,
            planes_per_die: geometry.planes_per_die,
            partial_read_bytes: flash.array.partial_read_bytes,
            dies_per_server: match flash.die_work {
                DieWork::Independent => 1,
                DieWork::OneAtATime => geometry.dies_per_chip,
            },
        }
    }

    /// True for a part of a host read that senses in a part of the read time, which shares no command.
    #[inline]
    pub(super) fn is_partial_read(&self, transaction: &Transaction) -> bool {
        let bytes = u64::from(transaction.command_sectors) * u64::from(SECTOR_BYTES);
        bytes > 0 && bytes <= self.partial_read_bytes
    }

    /// Returns the server of a die: the die itself, or the first die of its chip if dies work one at a time.
    #[inline]
    pub(super) fn server_of(&self, die: DieId) -> u32 {
        die.0 - remainder(die.0, self.dies_per_server)
    }

    /// Returns the second class that may join multi-plane commands of `class`. Copybacks share no command
    /// with other programs.
    #[inline]
    pub(super) fn joining_class(&self, class: TransactionClass, urgent: bool) -> Option<TransactionClass> {
        let writes = matches!(class, TransactionClass::HostWrite | TransactionClass::GcWrite);
        joining_class(class, urgent).filter(|_| !(writes && self.settings.copyback))
    }

    /// Returns the planes of a die.
    #[inline]
    pub(super) const fn planes(&self, die: DieId) -> Range<u32> {
        die.0 * self.planes_per_die..(die.0 + 1) * self.planes_per_die
    }

    /// Returns the index of a plane within its die.
    #[inline]
    pub(super) fn place_of(&self, plane: PlaneId) -> u32 {
        remainder(plane.0, self.planes_per_die)
    }
}
