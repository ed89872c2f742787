//! Flash commands for a die, and the results of the search for the next one.

use arrayvec::ArrayVec;
use venice_kernel::SimSpan;
use venice_nand::chip::Operation;
use venice_nand::geometry::{DieId, MAX_PLANES, TransactionId};
use venice_nand::transactions::TransactionClass;

/// Transactions of a command, one for each plane that the command uses.
pub type TransactionBatch = ArrayVec<TransactionId, MAX_PLANES>;

/// Flash command for one die, with one transaction per plane.
#[derive(Clone, Debug)]
pub struct Command {
    /// Array operation of the command.
    pub operation: Operation,
    /// Transactions of the command, in the order in which their data is transferred.
    pub batch: TransactionBatch,
    /// Duration of the command and address cycles.
    pub command: SimSpan,
    /// Size of the data sent with the command, in bytes.
    pub bytes: u32,
    /// True if the command serves garbage collection or scrub only and no host request waits for it.
    pub is_background: bool,
}

impl Command {
    /// Creates an empty command, to be filled in place.
    #[inline]
    pub fn unformed() -> Self {
        let (operation, command, bytes) = (Operation::Read, SimSpan::ZERO, 0);
        Self { operation, batch: TransactionBatch::new(), command, bytes, is_background: false }
    }
}

/// Transaction that was selected for a die's next command, before transactions of other planes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadTransaction {
    /// Die that executes the command.
    pub die: DieId,
    /// Id of the selected transaction.
    pub id: TransactionId,
    /// Class of the selected transaction.
    pub class: TransactionClass,
    /// True if garbage collection is urgent. This determines which other class may join the command.
    pub urgent: bool,
}

/// Result of a search for a die's next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundCommand {
    /// No waiting transaction can be started.
    Nothing,
    /// Transaction that was selected to lead the command.
    Lead(LeadTransaction),
    /// Relocation at the head of its queue that is [obsolete](super::Legality::is_obsolete). It must be
    /// removed before the search continues.
    Obsolete(DieId, TransactionId),
}
