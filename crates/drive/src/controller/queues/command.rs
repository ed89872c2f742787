//! Commands for a die.

use arrayvec::ArrayVec;
use venice_kernel::SimSpan;
use venice_nand::chip::Operation;
use venice_nand::geometry::{DieId, MAX_PLANES, TransactionId};
use venice_nand::transactions::TransactionClass;

/// Transactions of a command, one for each plane that it uses.
pub type TransactionBatch = ArrayVec<TransactionId, MAX_PLANES>;

/// Flash command for one die, with one transaction per plane.
#[derive(Clone, Debug)]
pub struct Command {
    /// Array operation.
    pub operation: Operation,
    /// Transactions in the order of their data transfers.
    pub batch: TransactionBatch,
    /// Wire time of the command cycles.
    pub command: SimSpan,
    /// Bytes sent with the command: the data to be programmed.
    pub bytes: u32,
    /// True if only garbage collection waits for the command.
    pub of_collection: bool,
}

impl Command {
    /// Creates an empty command to be formed in place.
    #[inline]
    pub fn unformed() -> Self {
        let (operation, command, bytes) = (Operation::Read, SimSpan::ZERO, 0);
        Self { operation, batch: TransactionBatch::new(), command, bytes, of_collection: false }
    }
}

/// Leading transaction of a die's next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadTransaction {
    /// Die of the command.
    pub die: DieId,
    /// Id of the transaction.
    pub id: TransactionId,
    /// Class of the transaction.
    pub class: TransactionClass,
    /// True if garbage collection is urgent, which determines which second class may use the remaining
    /// planes.
    pub urgent: bool,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundCommand {
    /// No transaction can be started.
    Nothing,
    /// Leading transaction of a command.
    Lead(LeadTransaction),
    /// An [obsolete](super::Legality::is_obsolete) relocation at the head of its queue, which must be removed
    /// before the search continues.
    Obsolete(DieId, TransactionId),
}
