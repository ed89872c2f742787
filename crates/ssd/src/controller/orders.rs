//! The contract with the layer above, which knows what the work is for.
//!
//! # How
//! [`Orders`] is what the translation layer says of its transactions: which command a die does next, how long its array will work, where a
//! page goes that may go to another chip, and what a lost chip takes with it. [`Above`] is all that lies above: these orders, who looks at the
//! run, and what becomes of a transaction that is over, which may end a page of a request.
//!
//! The controller calls; nothing above calls it back. A test plays both (`testkit::backend`).

use std::ops::Range;

use venice_kernel::SimTime;

use crate::chip::{ArrayWork, Operation};
use crate::fabric::FabricEvent;
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};
use crate::observe::{Probes, Reasons};
use crate::work::Transactions;

use super::queues::Command;

/// A transaction that begins at the chip that is sent a page by another one.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    /// What is done there.
    pub operation: Operation,
    /// The transaction.
    pub id: TransactionId,
    /// How long the array will work for it.
    pub work: ArrayWork,
}

/// What dies have to do.
pub trait Orders: Reasons {
    /// All transactions in flight.
    fn transactions(&self) -> &Transactions;

    /// The same, for giving their time to stages.
    fn transactions_mut(&mut self) -> &mut Transactions;

    /// The next die that has got something to do since the last call; repeats are possible.
    fn next_ready_die(&mut self) -> Option<DieId>;

    /// Whether there is such a die.
    fn has_ready_dies(&self) -> bool;

    /// Whether something waits for a die.
    fn waits_for(&self, die: DieId) -> bool;

    /// Forms the command that one of these idle dies should do next, if any has work that can be done now. Which die; it is formed where it
    /// is wanted, since copying a command takes longer.
    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId>;

    /// The same beside transactions that are suspended, or about to be.
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId>;

    /// The fabric has taken a command: its transactions wait no more. How long the array will work.
    fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork;

    /// Whether looks at dies without work, and at busy ones, count.
    fn looks_everywhere(&self) -> bool;

    /// Whether transactions have come since this was asked last.
    fn have_come(&mut self) -> bool;

    /// A look at dies that can take no command now.
    fn look_past(&mut self, dies: Range<u32>);

    /// Where a page that a die has read may go at once, if collection is to move it to a die that `can` take it.
    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId>;

    /// Whether operands of gathers are on their way.
    fn gathers(&self) -> bool;

    /// The plane to whose die an operand is to be brought that was read on another chip.
    fn operand_target(&self, read: TransactionId) -> Option<PlaneId>;

    /// Whether an operand that a die has read stays in its register while the target is busy.
    fn operand_waits(&self, die: DieId) -> bool;

    /// Whether what a die has combined is the result, and the host is sent it.
    fn gives_result(&self, id: TransactionId) -> bool;

    /// A page, read, goes from its register to another chip: what begins there.
    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> Moving;

    /// A page has left its register for another chip: its read is over.
    fn copied(&mut self, read: TransactionId, now: SimTime);

    /// Gives up these chips, for good.
    fn lose(&mut self, chips: &[ChipId], now: SimTime);

    /// A transaction came to nothing, as its chip was lost.
    fn note_failure(&mut self, id: TransactionId);
}

/// What will happen below at an instant that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashEvent {
    /// Something inside the fabric.
    Fabric(FabricEvent),
    /// Something fails, or controllers learn of it.
    Faults,
    /// A transfer of a lost chip's die has come to nothing.
    CameToNothing(DieId),
    /// A die's array has finished, unless its operation was suspended meanwhile.
    ArrayDone(DieId),
}

/// Takes what will happen.
pub trait FlashAgenda {
    /// This happens then.
    fn post(&mut self, at: SimTime, event: FlashEvent);
}

/// All that lies above the controller.
pub trait Above {
    /// Who gives orders.
    type Orders: Orders;
    /// Where events are scheduled.
    type Agenda: FlashAgenda;

    /// What dies have to do.
    fn orders(&self) -> &Self::Orders;

    /// The same, for change.
    fn orders_mut(&mut self) -> &mut Self::Orders;

    /// Who looks at the run, and who knows the reasons of what they see.
    fn observed(&mut self) -> (&mut Probes, &Self::Orders);

    /// A die has done a transaction, whose page came out of a register of that chip if it was a read.
    fn finish(&mut self, id: TransactionId, read_on: Option<ChipId>, now: SimTime, agenda: &mut Self::Agenda);

    /// Answers writes that found no room after a loss. Whether there were any.
    fn answer_failed_writes(&mut self, now: SimTime, agenda: &mut Self::Agenda) -> bool;
}
