//! Interfaces of the layer above the controller, which knows the purpose of transactions.
//!
//! # How
//!
//! [`CommandSource`] is implemented by the translation layer: it provides the next command of a die, the
//! pages of its array operation and the destination of a chip-to-chip copy, and processes the loss of a chip.
//! [`UpperLayer`] adds the probes and the completion of transactions, which may complete a page of a request.
//! The controller calls these interfaces; the layer above never calls the controller through them. Tests
//! implement them in `testkit::backend`.

use std::ops::Range;

use venice_fabric::FabricEvent;
use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};
use venice_nand::transactions::Transactions;

use crate::observe::{Probes, TransactionOrigins};

use super::queues::Command;

/// Transaction at the destination chip of a chip-to-chip copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyDestination {
    /// Operation at the destination.
    pub operation: Operation,
    /// Id of the transaction.
    pub id: TransactionId,
    /// Array operation on the transaction's page.
    pub work: PageOperation,
}

/// Source of commands for the dies.
pub trait CommandSource: TransactionOrigins {
    /// Returns the transactions in flight.
    fn transactions(&self) -> &Transactions;

    /// Returns the transactions in flight, for charging time to stages.
    fn transactions_mut(&mut self) -> &mut Transactions;

    /// Removes and returns a die that has received work since the last call. A die may be returned more than
    /// once.
    fn next_ready_die(&mut self) -> Option<DieId>;

    /// True if [`Self::next_ready_die`] would return a die.
    fn has_ready_dies(&self) -> bool;

    /// True if a transaction waits for `die`.
    fn waits_for(&self, die: DieId) -> bool;

    /// Forms the next command of one of these idle dies in `command`, if there is work that can be started.
    /// Returns the die. `command` is passed by reference to avoid a copy.
    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId>;

    /// Forms the next command as [`Self::next_command`] does, while the transactions in `beside` are
    /// suspended or will be.
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId>;

    /// Removes the transactions of an accepted command from the queues. Passes the array operation on each page
    /// to `on_page`.
    fn start(&mut self, die: DieId, command: &Command, now: SimTime, on_page: impl FnMut(PageOperation));

    /// True if the scheduler counts looks at dies without work and at busy dies.
    fn looks_everywhere(&self) -> bool;

    /// True if transactions have been queued since the last call.
    fn have_come(&mut self) -> bool;

    /// Queries dies that cannot accept a command, for policies that count queries.
    fn look_past(&mut self, dies: Range<u32>);

    /// Returns a destination plane for a page that was read by garbage collection, on a die that satisfies
    /// `can`.
    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId>;

    /// True if gathers are in progress.
    fn gathers(&self) -> bool;

    /// Returns the target plane of an operand that was read on another chip.
    fn operand_target(&self, read: TransactionId) -> Option<PlaneId>;

    /// True if the operand that `die` has read stays in its register while the target is busy.
    fn operand_waits(&self, die: DieId) -> bool;

    /// True if the combined data of `id` is the result of a gather and is sent to the host.
    fn gives_result(&self, id: TransactionId) -> bool;

    /// Starts the transaction that programs or combines a page at the destination of a copy. Returns that
    /// transaction.
    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> CopyDestination;

    /// Processes the end of a read whose page was copied to another chip.
    fn copied(&mut self, read: TransactionId, now: SimTime);

    /// Abandons lost chips permanently.
    fn lose(&mut self, chips: &[ChipId], now: SimTime);

    /// Marks a transaction as failed because its chip was lost.
    fn note_failure(&mut self, id: TransactionId);
}

/// Scheduled event of the back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashEvent {
    /// Private event of the fabric.
    Fabric(FabricEvent),
    /// A failure in the fabric, or its detection by the controllers.
    Faults,
    /// End of a failed transfer of a lost chip's die.
    CameToNothing(DieId),
    /// The end of an array operation; has no effect if the operation has been suspended.
    ArrayDone(DieId),
}

/// Event queue for the back end.
pub trait FlashEventSink {
    /// Schedules `event` at `at`.
    fn post(&mut self, at: SimTime, event: FlashEvent);
}

/// Layers above the controller.
pub trait UpperLayer {
    /// Source of commands.
    type CommandSource: CommandSource;
    /// Event queue.
    type EventSink: FlashEventSink;

    /// Returns the source of commands.
    fn command_source(&self) -> &Self::CommandSource;

    /// Returns the source of commands for modification.
    fn command_source_mut(&mut self) -> &mut Self::CommandSource;

    /// Returns the probes, and the source of the causes that they record.
    fn observed(&mut self) -> (&mut Probes, &Self::CommandSource);

    /// Processes a page that has arrived in a controller; `read_on` is the chip from whose register the data of a
    /// read came.
    fn page_arrived(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        event_sink: &mut Self::EventSink,
    ) {
        self.finish(id, read_on, now, event_sink);
    }

    /// Completes a transaction; `read_on` is the chip from whose register the data of a read came.
    fn finish(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        event_sink: &mut Self::EventSink,
    );

    /// Completes writes that find no free page after the loss of chips. Returns true if there were any.
    fn answer_failed_writes(&mut self, now: SimTime, event_sink: &mut Self::EventSink) -> bool;
}
