//! Interfaces between the controller and the layer above it.
//!
//! # How
//!
//! [`CommandSource`] is implemented by the flash translation layer (FTL). It provides the next command of a
//! die, the pages of its array operation and the destination of a chip-to-chip copy, and processes the loss
//! of a chip. [`UpperLayer`] adds the probes and the completion of transactions. The controller uses the
//! layer above only through these two traits. Mocks for tests are in `testkit::backend`.

use std::ops::Range;

use venice_fabric::FabricEvent;
use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, TransactionId};
use venice_nand::transactions::Transactions;

use crate::observe::{Probes, TransactionOrigins};

use super::queues::Command;
use super::search_units::SensedPage;

/// Transaction that programs or combines a page at the destination of a chip-to-chip copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyDestination {
    /// Operation that the destination die executes on the page.
    pub operation: Operation,
    /// Id of the transaction at the destination.
    pub id: TransactionId,
    /// Array operation at the destination, with its page.
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

    /// Forms the next command for one of these idle dies in `command`, and returns the die. Returns `None` if
    /// no command can be started. `command` is a reference to avoid a copy.
    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId>;

    /// Forms the next command of one of these dies, to be executed while the transactions in `beside` are
    /// suspended. In all other respects, it behaves like [`Self::next_command`].
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

    /// Returns true if the scheduling policy must also be queried for busy dies and for dies without
    /// transactions (`QueryScope::Everywhere`).
    fn looks_everywhere(&self) -> bool;

    /// Returns true if a die's next command, once it programs host data, changes only when transactions arrive.
    fn has_stable_host_writes(&self) -> bool;

    /// Returns true if the drive has scrub, whose commands the controller offers after all others.
    fn has_scrub(&self) -> bool;

    /// Returns true if a transaction other than those of scrub waits for a die.
    fn has_foreground(&self, die: DieId) -> bool;

    /// Returns true if transactions have been queued since the last call.
    fn have_come(&mut self) -> bool;

    /// Queries the scheduling policy for dies that cannot accept a command. Only policies with
    /// `QueryScope::Everywhere` need this.
    fn look_past(&mut self, dies: Range<u32>);

    /// Returns the plane to which a page that garbage collection has read may be copied from chip to chip, or
    /// `None` if there is none. Only dies for which `can` returns true are considered.
    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId>;

    /// Returns true if a gather (in-flash combination of pages) is in progress.
    fn gathers(&self) -> bool;

    /// Returns the plane on which an operand of a gather (in-flash combination of pages) is combined, if the
    /// operand was read on another chip.
    fn operand_target(&self, read: TransactionId) -> Option<PlaneId>;

    /// Returns true if `die` should keep an operand of a gather (in-flash combination of pages) in its page
    /// register while the target die is busy.
    fn operand_waits(&self, die: DieId) -> bool;

    /// Returns true if the transaction `id` produces the result of a gather (in-flash combination of pages)
    /// that is sent to the host.
    fn gives_result(&self, id: TransactionId) -> bool;

    /// Starts the next page of a search on a die, if no other transaction waits for the die. Returns the page and
    /// its array operation.
    fn next_search_page(&mut self, _die: DieId, _now: SimTime) -> Option<(TransactionId, PageOperation)> {
        None
    }

    /// Returns the next step of a chip with a page of a search that it has sensed.
    fn search_page_sensed(&mut self, _id: TransactionId, _now: SimTime) -> SensedPage {
        SensedPage { matching: None, is_answer: false, output_pages: 1 }
    }

    /// Starts and returns the transaction that programs or combines a page at the destination of a copy.
    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> CopyDestination;

    /// Processes the end of a read whose page has been copied to another chip.
    fn copied(&mut self, read: TransactionId, now: SimTime);

    /// Excludes chips that no controller can reach from all further use.
    fn lose(&mut self, chips: &[ChipId], now: SimTime);

    /// Records that a transaction failed because its chip was lost.
    fn note_failure(&mut self, id: TransactionId);
}

/// Event that the back end schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashEvent {
    /// Event of the fabric, interpreted by the fabric only.
    Fabric(FabricEvent),
    /// Failure of a part of the fabric, or detection of a failure by the controllers.
    Faults,
    /// Time-out of a transfer to or from a die of a lost chip.
    CameToNothing(DieId),
    /// End of an array operation. The event is ignored if the operation has been suspended.
    ArrayDone(DieId),
    /// End of the search of a page in the matcher of a chip.
    Matched(ChipId),
}

/// Queue for the events of the back end.
pub trait FlashEventSink {
    /// Schedules `event` for the instant `at`.
    fn post(&mut self, at: SimTime, event: FlashEvent);
}

/// Interface of the layers above the controller: source of commands, probes, completion of transactions.
pub trait UpperLayer {
    /// Type of the source of commands for the dies, such as the flash translation layer.
    type CommandSource: CommandSource;
    /// Queue for the events of the back end.
    type EventSink: FlashEventSink;

    /// Returns the source of commands for the dies.
    fn command_source(&self) -> &Self::CommandSource;

    /// Returns mutable access to the source of commands for the dies.
    fn command_source_mut(&mut self) -> &mut Self::CommandSource;

    /// Returns the probes, and the command source that they query for the causes of waits.
    fn observed(&mut self) -> (&mut Probes, &Self::CommandSource);

    /// Processes the arrival of a page at a flash controller. For a read, `read_on` is the chip that sent the
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

    /// Processes the arrival of a result of a search, an answer or a page, at a flash controller.
    fn search_result_arrived(&mut self, id: TransactionId, now: SimTime, event_sink: &mut Self::EventSink) {
        self.finish(id, None, now, event_sink);
    }

    /// Completes a transaction. For a read, `read_on` is the chip that sent the data.
    fn finish(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        event_sink: &mut Self::EventSink,
    );

    /// Fails the writes that have no free page because chips were lost. Returns true if there were any.
    fn answer_failed_writes(&mut self, now: SimTime, event_sink: &mut Self::EventSink) -> bool;
}
