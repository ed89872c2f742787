//! Arguments and results of the methods that advance a die's command.

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, TransactionId};

use super::die::{ArrayWork, Operation, TransferContent, WireWork};
use super::suspended_operation::BouncedCommandState;

/// Command for a die.
#[derive(Clone, Copy, Debug)]
pub struct IssuedCommand<'a> {
    /// Operation of the command.
    pub operation: Operation,
    /// Transactions of the command, at most one per plane.
    pub batch: &'a [TransactionId],
    /// Command cycles and data to transfer.
    pub wires: WireWork,
    /// Array time of the command.
    pub work: ArrayWork,
    /// Die that sends the command's data in a chip-to-chip copy.
    pub fed_by: Option<DieId>,
    /// True if the command had to wait for a path.
    pub conflicted: bool,
}

/// Transfer that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedTransfer {
    /// Content of the transfer.
    pub carried: TransferContent,
    /// Start of the transfer.
    pub since: SimTime,
    /// True if the transfer had to wait for a path.
    pub conflicted: bool,
    /// Die that sent the command's data in a chip-to-chip copy.
    pub fed_by: Option<DieId>,
}

/// Transfer for which the fabric found no path. Its content waits again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BouncedTransfer {
    /// Command, which waits for a path as the prepared command of the die.
    Command,
    /// Data, which stays in the page register.
    Data,
    /// Result of a search, which stays at its output.
    SearchResult,
    /// Next command, which waits until the current one ends.
    NextCommand,
    /// Suspend or resume command, which is discarded.
    Suspension(BouncedCommandState),
}

/// Page that was transferred out of the register of its die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepartedPage {
    /// Transaction of the page.
    pub id: TransactionId,
    /// True if another page of the command follows.
    pub has_more: bool,
    /// Chip on which the page was read; `None` if the page is the result of a gather.
    pub read_on: Option<ChipId>,
}
