//! Rules for queues and commands that are constant for a drive.

use std::ops::Range;

use venice_nand::chip::{CommandTimes, DieWork, FlashSettings};
use venice_nand::geometry::{DieId, Geometry, MappingUnits, PlaneId, remainder};
use venice_nand::transactions::{Transaction, TransactionClass};
use venice_requests::SECTOR_BYTES;

use crate::controller::scheduling::joining_class;

/// Settings of the queues that depend on the FTL and are constant for a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct QueueSettings {
    /// Mapping units of the drive. The queues number pages by the slots of their mapping units.
    pub units: MappingUnits,
    /// Number of host write streams, each with its own open blocks.
    pub streams: u16,
    /// True if garbage collection yields to host transactions while it is not urgent.
    pub collection_yields: bool,
    /// True if relocations are copybacks. A copyback reads its page itself, and cannot share a command with
    /// other programs.
    pub copyback: bool,
    /// True if physical pages are allocated when writes are queued, false if they are allocated when writes
    /// start.
    pub pages_are_early: bool,
    /// True if programs of a block start in an order that the queues do not ensure: pages are allocated when writes
    /// are queued, or word lines are programmed in two passes.
    pub programs_take_turns: bool,
    /// True if relocated pages may move to other planes than the plane of their victim block.
    pub moves_leave: bool,
    /// True if blocks form superblocks. All writes of a command must then have the same stream. Otherwise one
    /// stream could open the last free superblock, and another stream in the command would find none.
    pub by_line: bool,
}

/// Rules for forming commands, from geometry, chip properties and settings.
#[derive(Clone, Debug)]
pub(super) struct ChoiceRules {
    pub(super) settings: QueueSettings,
    pub(super) commands: CommandTimes,
    /// Maximum number of planes that a command uses.
    pub(super) planes_of_a_command: u32,
    /// True if the transactions of a command must have the same page offset.
    pub(super) offsets_agree: bool,
    /// True if each host write without an allocated page gets the next page of its plane when it starts.
    pub(super) host_shares_next_page: bool,
    pub(super) planes_per_die: u32,
    /// Maximum size, in bytes, of a host read that senses only a part of the page, in a part of the read
    /// time.
    partial_read_bytes: u64,
    /// Number of dies that are scheduled together: all dies of a chip if they work one at a time, otherwise
    /// 1.
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

    /// Returns true for a host read that senses only a part of its page, in a part of the read time. Such a
    /// read shares no command with other transactions.
    #[inline]
    pub(super) fn is_partial_read(&self, transaction: &Transaction) -> bool {
        let bytes = u64::from(transaction.command_sectors) * u64::from(SECTOR_BYTES);
        bytes > 0 && bytes <= self.partial_read_bytes
    }

    /// Returns the first of the dies that are scheduled together with a die. This is the die itself, or the
    /// first die of its chip if the chip's dies work one at a time.
    #[inline]
    pub(super) fn server_of(&self, die: DieId) -> u32 {
        die.0 - remainder(die.0, self.dies_per_server)
    }

    /// Returns the second class of transactions that may join a multi-plane command of `class`. Returns
    /// `None` for copybacks, which share no command with programs.
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

    /// Returns the index of a plane in its die.
    #[inline]
    pub(super) fn place_of(&self, plane: PlaneId) -> u32 {
        remainder(plane.0, self.planes_per_die)
    }
}
