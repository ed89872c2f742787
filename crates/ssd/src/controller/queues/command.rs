//! What is sent to a die.

use arrayvec::ArrayVec;
use venice_kernel::SimSpan;

use crate::chip::Operation;
use crate::geometry::{DieId, MAX_PLANES, TransactionId};
use crate::work::Class;

/// The transactions of one command, one for each plane that it uses.
pub type Batch = ArrayVec<TransactionId, MAX_PLANES>;

/// A flash command for one die: one transaction for each plane it uses.
#[derive(Clone, Debug)]
pub struct Command {
    /// What the array will do.
    pub operation: Operation,
    /// The transactions, in the order in which their data crosses the fabric.
    pub batch: Batch,
    /// Wire time of the command cycles.
    pub command: SimSpan,
    /// Bytes that travel with the command: the data to be programmed.
    pub bytes: u32,
    /// Whether nobody but collection waits for it.
    pub of_collection: bool,
}

impl Command {
    /// No command yet: one is formed here.
    #[inline]
    pub fn unformed() -> Self {
        let (operation, command, bytes) = (Operation::Read, SimSpan::ZERO, 0);
        Self { operation, batch: Batch::new(), command, bytes, of_collection: false }
    }
}

/// The transaction that leads the next command of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The die.
    pub die: DieId,
    /// The transaction.
    pub id: TransactionId,
    /// Its class.
    pub class: Class,
    /// Whether collection is urgent, which decides what may use planes for which its class has nothing.
    pub urgent: bool,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing that can be done now.
    Nothing,
    /// The lead of a command.
    Lead(Lead),
    /// A move at the head of its queue that is [obsolete](super::Legality::is_obsolete): it is to be taken away, and the search goes on.
    Obsolete(DieId, TransactionId),
}
