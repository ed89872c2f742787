//! Interfaces that the layer above the controller implements.
//!
//! # How
//!
//! [`CommandSource`] is implemented by the flash translation layer (FTL). It provides the next command of a
//! die, the pages of its array operation and the destination of a chip-to-chip copy, and processes the loss
//! of a chip. [`UpperLayer`] adds the probes and the completion of transactions. The controller calls these
//! interfaces; it knows nothing else of the layer above. Mocks for tests are in `testkit::backend`.

use std::ops::Range;

use venice_fabric::FabricEvent;
use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};
use venice_nand::transactions::Transactions;

use crate::observe::{Probes, TransactionOrigins};

use super::queues::Command;

/// Transaction that programs or combines a page at the destination of a chip-to-chip copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyDestination {
    /// Operation that the destination die executes on the page.
    pub operation: Operation,
    /// Id of the transaction at the destination.
    pub id: TransactionId,
    /// Page and kind of the destination's array operation.
    pub work: PageOperation,
}

/// Source of commands for the dies; implemented by the FTL.
pub trait CommandSource: TransactionOrigins {
    /// Returns all transactions in flight.
    fn transactions(&self) -> &Transactions;

    /// Returns all transactions in flight, so that the controller can assign time to their latency stages.
    fn transactions_mut(&mut self) -> &mut Transactions;

    /// Removes and returns a die that has received transactions since the last call. A die may be returned
    /// more than once.
    fn next_ready_die(&mut self) -> Option<DieId>;

    /// Returns true if [`Self::next_ready_die`] would return a die.
    fn has_ready_dies(&self) -> bool;

    /// Returns true if a transaction waits for `die`.
    fn waits_for(&self, die: DieId) -> bool;

    /// Writes the next command of one of these idle dies to `command`, if one can be started. Returns that
    /// die. `command` is a reference to avoid a copy.
    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId>;

    /// Like [`Self::next_command`], for a command to be executed while the transactions in `beside` are
    /// suspended.
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId>;

    /// Removes the transactions of an accepted command from the queues, and calls `on_page` for the array
    /// operation on each of its pages.
    fn start(&mut self, die: DieId, command: &Command, now: SimTime, on_page: impl FnMut(PageOperation));

    /// Returns true if the turns of the scheduling policy depend on the number of queries, also of busy dies
    /// and of dies without work.
    fn looks_everywhere(&self) -> bool;

    /// Returns true if transactions have been queued since the last call.
    fn have_come(&mut self) -> bool;

    /// Counts queries of dies that cannot accept a command, for scheduling policies whose turns depend on the
    /// number of queries.
    fn look_past(&mut self, dies: Range<u32>);

    /// Returns a destination plane for a page that garbage collection has read. The die of the plane must
    /// satisfy `can`.
    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId>;

    /// Returns true if gathers are in progress.
    fn gathers(&self) -> bool;

    /// Returns the plane on which an operand of a gather is combined, if it was read on another chip.
    fn operand_target(&self, read: TransactionId) -> Option<PlaneId>;

    /// Returns true if the operand of a gather that `die` has read should stay in its register while the
    /// target die is busy.
    fn operand_waits(&self, die: DieId) -> bool;

    /// Returns true if the data combined by the transaction `id` is the result of a gather, to be sent to the
    /// host.
    fn gives_result(&self, id: TransactionId) -> bool;

    /// Starts and returns the transaction that programs or combines a page at the destination of a copy.
    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> CopyDestination;

    /// Processes the end of a read whose page was copied to another chip.
    fn copied(&mut self, read: TransactionId, now: SimTime);

    /// Excludes lost chips from all further use.
    fn lose(&mut self, chips: &[ChipId], now: SimTime);

    /// Records that a transaction failed because its chip was lost.
    fn note_failure(&mut self, id: TransactionId);
}

/// Event that the back end schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashEvent {
    /// Event of the fabric, interpreted by the fabric only.
    Fabric(FabricEvent),
    /// Failure of a part of the fabric, or its detection by the controllers.
    Faults,
    /// Time-out of a transfer to or from a lost chip's die.
    CameToNothing(DieId),
    /// End of an array operation. The event is ignored if the operation has been suspended.
    ArrayDone(DieId),
}

/// Queue for the events of the back end.
pub trait FlashEventSink {
    /// Schedules `event` for the instant `at`.
    fn post(&mut self, at: SimTime, event: FlashEvent);
}

/// Layers above the controller, as far as the controller uses them.
pub trait UpperLayer {
    /// Source of commands for the dies.
    type CommandSource: CommandSource;
    /// Queue for the events of the back end.
    type EventSink: FlashEventSink;

    /// Returns the source of commands for the dies.
    fn command_source(&self) -> &Self::CommandSource;

    /// Returns mutable access to the source of commands for the dies.
    fn command_source_mut(&mut self) -> &mut Self::CommandSource;

    /// Returns the probes, and the command source from which they query the causes of waits.
    fn observed(&mut self) -> (&mut Probes, &Self::CommandSource);

    /// Processes the arrival of a page in a flash controller. For a read, `read_on` is the chip that sent the
    /// data.
    fn page_arrived(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        event_sink: &mut Self::EventSink,
    ) {
        self.finish(id, read_on, now, event_sink);
    }

    /// Completes a transaction. For a read, `read_on` is the chip that sent the data.
    fn finish(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        event_sink: &mut Self::EventSink,
    );

    /// Completes, as failed, writes that find no free page because chips were lost. Returns true if there
    /// were any.
    fn answer_failed_writes(&mut self, now: SimTime, event_sink: &mut Self::EventSink) -> bool;
}
