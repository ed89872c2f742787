//! Life cycle of a die's command: command transfer, array operation, data transfer, idle.
//!
//! # How
//!
//! Each event of a die advances its state, assigns the elapsed time of its transactions to latency stages,
//! and notifies the probes. It returns the [next step](NextStep), which tells the arbiter what to offer to
//! the fabric. The module [`transfers`](super::transfers) forms the transfers.

use venice_fabric::{Delivery, Fabric};
use venice_kernel::SimTime;
use venice_nand::chip::{
    ArrayEnd, BouncedCommandState, BouncedTransfer, Chips, Die, DieAccess, EndedTransfer, Operation,
    SuspendEffect, TransferContent,
};
use venice_nand::geometry::{DieId, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::Transactions;

use crate::observe::{Probe, TransferEnd};

use super::paths::Paths;
use super::search_units::SearchUnits;
use super::{CommandSource, FailureCounters, FlashEvent, FlashEventSink, UpperLayer, data_for};

/// Transfer that a die needs after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The die needs no transfer until its next event.
    Nothing,
    /// The die can accept a command.
    Work,
    /// Read data of the die waits for a path.
    Data {
        /// True if the data is sent before other data of equal priority. The pages of a multi-plane read are
        /// thus sent one after another.
        is_served: bool,
    },
    /// Dies and search outputs of the chip have steps in [`SearchUnits`].
    Search,
}

/// Next transfers of the dies that took part in a transfer, after its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransferEnded {
    /// Next transfer of the die whose transfer has ended.
    pub(super) follows: NextStep,
    /// For a chip-to-chip copy: the die that sent the page, and its next transfer.
    pub(super) copied: Option<(DieId, NextStep)>,
}

/// All dies and the paths to them.
pub struct Dies<F: Fabric + ?Sized> {
    pub(super) chips: Chips,
    /// True if read data is served by the age of its page, false if in order of arrival.
    pub(super) data_by_age: bool,
    /// Matchers and search outputs of the chips.
    pub(super) searches: SearchUnits,
    /// Must be the last field, because `Paths` is unsized if the fabric is a trait object.
    pub(super) paths: Paths<F>,
}

impl<F: Fabric> Dies<F> {
    /// Creates the dies of a drive, all of them idle.
    pub(super) fn new(chips: Chips, data_by_age: bool, paths: Paths<F>) -> Self {
        let searches = SearchUnits::new(paths.geometry());
        Self { chips, data_by_age, searches, paths }
    }
}

impl<F: Fabric + ?Sized> Dies<F> {
    /// Processes the end of a transfer, which releases the pins of its chip.
    pub(super) fn transfer_ends<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> TransferEnded {
        let Self { chips, paths, .. } = self;
        let mut at = chips.at(delivery.die);
        let ended = at.transfer_ends(now);
        let memory_bytes =
            memory_bytes(paths, at.state(), &ended, upper_layer.command_source().transactions());
        let (took, conflicted) = (now.since(ended.since), ended.conflicted);
        let (probes, _) = upper_layer.observed();
        probes.on_pins_free(at.chip(), true, now);
        probes.on_transfer(&TransferEnd { delivery, took, conflicted, memory_bytes }, now);
        let follows = match ended.carried {
            TransferContent::Command => {
                if let Some(from) = ended.fed_by {
                    return self.copy_has_come(from, delivery, upper_layer, now, event_sink);
                }
                command_has_come(&mut at, delivery, upper_layer, now, event_sink)
            }
            TransferContent::Data => page_has_come(&mut at, delivery, upper_layer, now, event_sink),
            TransferContent::Suspension => self.suspension_has_come(delivery, upper_layer, now, event_sink),
            TransferContent::NextCommand => {
                self.next_command_has_come(delivery, upper_layer, now, event_sink)
            }
            TransferContent::CachedData => self.cached_page_has_come(delivery, upper_layer, now, event_sink),
            TransferContent::SearchResult => {
                self.search_result_has_come(delivery, upper_layer, now, event_sink)
            }
        };
        debug_assert!(
            follows != NextStep::Work || !self.paths.hold(delivery.die),
            "a path is kept for a die that is done"
        );
        TransferEnded { follows, copied: None }
    }

    /// Processes the arrival of a command whose data was sent by another die (chip-to-chip copy).
    fn copy_has_come<A: UpperLayer>(
        &mut self,
        from: DieId,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> TransferEnded {
        let copied = Some((from, page_copied(&mut self.chips.at(from), from, upper_layer, now)));
        debug_assert!(!self.paths.hold(from), "the page went elsewhere, and its path stays");
        let follows =
            command_has_come(&mut self.chips.at(delivery.die), delivery, upper_layer, now, event_sink);
        TransferEnded { follows, copied }
    }

    /// Processes the arrival of a suspend or resume command at its die.
    pub(super) fn suspension_has_come<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let die = delivery.die;
        let (span, ends) = match self.chips.suspension_arrives(die, now) {
            SuspendEffect::Settles(span, ends) => (span, ends),
            SuspendEffect::EndsAnyway => return NextStep::Nothing,
            SuspendEffect::Restarts(span, ends) => {
                let all = upper_layer.command_source_mut().transactions_mut();
                for &id in self.chips.die(die).batch() {
                    all.get_mut(id).charge_transfer(delivery.path_wait, now);
                }
                upper_layer.observed().0.on_array_begin(die, now);
                (span, ends)
            }
            SuspendEffect::TooLate => return becomes_free(&mut self.chips.at(die), die, upper_layer, now),
        };
        upper_layer.observed().0.on_settling(die, span * self.chips.die(die).batch().len() as u64, now);
        event_sink.post(ends, FlashEvent::ArrayDone(die));
        NextStep::Nothing
    }

    /// Processes a transfer for which the fabric found no path. The elapsed time counts as waiting for a
    /// path, and the transfer is offered again later.
    pub(super) fn bounced<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
    ) -> NextStep {
        let mut at = self.chips.at(die);
        let bounced = at.bounces(now);
        upper_layer.observed().0.on_pins_free(at.chip(), false, now);
        match bounced {
            BouncedTransfer::Command => charge_search(at.batch(), upper_layer, now),
            BouncedTransfer::Data => {
                charge_search(&at.batch()[..1], upper_layer, now);
                return NextStep::Data { is_served: true };
            }
            BouncedTransfer::SearchResult => {
                charge_search(&at.batch()[..1], upper_layer, now);
                self.searches.add_step(die, NextStep::Data { is_served: true });
                return NextStep::Search;
            }
            BouncedTransfer::NextCommand => {
                charge_search(self.chips.next_batch(die), upper_layer, now);
                self.chips.next_bounces(die);
            }
            BouncedTransfer::Suspension(BouncedCommandState::AtWork) => {}
            BouncedTransfer::Suspension(BouncedCommandState::Suspended) => {
                charge_search(self.chips.suspended(die), upper_layer, now);
                upper_layer.observed().0.on_die_free(die, now);
            }
            BouncedTransfer::Suspension(BouncedCommandState::Ended) => {
                return becomes_free(&mut at, die, upper_layer, now);
            }
        }
        NextStep::Work
    }

    /// Processes the end of an array operation. The event is ignored if the operation has been suspended
    /// since it was scheduled.
    pub(super) fn array_done<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let end = self.chips.array_ends(die, now);
        if end == ArrayEnd::Void {
            return NextStep::Nothing;
        }
        upper_layer.observed().0.on_array_end(die, now);
        match end {
            ArrayEnd::Void => return NextStep::Nothing,
            ArrayEnd::Operation(operation) => {
                return self.operation_ends(die, operation, upper_layer, now, event_sink);
            }
            ArrayEnd::Sensing => charge_array(self.chips.die(die).batch(), upper_layer, now),
            ArrayEnd::BeforeSuspension => {
                finish_batch(self.chips.die(die), upper_layer, now, event_sink);
                return NextStep::Nothing;
            }
            ArrayEnd::Settled(operation) => {
                charge_array(self.chips.suspended(die), upper_layer, now);
                let (probes, _) = upper_layer.observed();
                probes.on_suspension(die, operation, now);
                probes.on_die_free(die, now);
            }
            ArrayEnd::Restarted(ends) => {
                upper_layer.observed().0.on_array_begin(die, now);
                event_sink.post(ends, FlashEvent::ArrayDone(die));
            }
            ArrayEnd::BeforeNext => return self.program_precedes_next(die, upper_layer, now, event_sink),
            ArrayEnd::NextSensed => {
                charge_array(self.chips.next_batch(die), upper_layer, now);
                return NextStep::Nothing;
            }
        }
        NextStep::Work
    }

    #[inline]
    fn operation_ends<A: UpperLayer>(
        &mut self,
        die: DieId,
        operation: Operation,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) -> NextStep {
        let mut at = self.chips.at(die);
        let gives_data = match operation {
            Operation::Read => true,
            Operation::Combine => upper_layer.command_source().gives_result(at.batch()[0]),
            Operation::Program | Operation::Erase | Operation::Copyback => false,
            Operation::Search => return self.search_page_sensed(die, upper_layer, now, event_sink),
        };
        if gives_data {
            return register_is_full(&mut at, self.data_by_age, upper_layer, now);
        }
        finish_batch(at.state(), upper_layer, now, event_sink);
        self.paths.release(die, operation, now);
        becomes_free(&mut at, die, upper_layer, now)
    }

    /// Fails the transactions of a transfer to or from a lost chip, after its time-out.
    pub(super) fn comes_to_nothing<A: UpperLayer>(&mut self, die: DieId, upper_layer: &mut A, now: SimTime) {
        let state = self.chips.die(die);
        if state.carried() == TransferContent::NextCommand {
            return self.next_comes_to_nothing(die, upper_layer, now);
        }
        let (carried, is_program) = (state.carried(), state.operation() == Operation::Program);
        let pages = match carried {
            TransferContent::Data | TransferContent::CachedData | TransferContent::SearchResult => {
                &state.batch()[..1]
            }
            TransferContent::Command if is_program => state.batch(),
            _ => &[],
        };
        for &id in pages {
            upper_layer.command_source_mut().note_failure(id);
        }
        if carried == TransferContent::Command {
            let planes = state.batch().len() as u64;
            upper_layer.observed().0.on_void_command(state.operation(), state.work(), planes, now);
        }
        let count = pages.len() as u64;
        let (page_reads, page_programs) =
            if carried == TransferContent::Command { (0, count) } else { (count, 0) };
        self.paths.losses_mut().count(FailureCounters { page_reads, page_programs });
        self.chips.does_nothing(die);
    }
}

/// Processes the arrival of a command at its die, together with its data if it is a program. The array
/// operation starts.
fn command_has_come<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    delivery: &Delivery,
    upper_layer: &mut A,
    now: SimTime,
    event_sink: &mut A::EventSink,
) -> NextStep {
    let ends = at.array_begins(now);
    let all = upper_layer.command_source_mut().transactions_mut();
    for &id in at.batch() {
        all.get_mut(id).charge_transfer(delivery.path_wait, now);
    }
    upper_layer.observed().0.on_array_begin(delivery.die, now);
    event_sink.post(ends, FlashEvent::ArrayDone(delivery.die));
    NextStep::Nothing
}

/// Processes the arrival of a page at a flash controller.
fn page_has_come<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    delivery: &Delivery,
    upper_layer: &mut A,
    now: SimTime,
    event_sink: &mut A::EventSink,
) -> NextStep {
    let left = at.page_left(now);
    upper_layer
        .command_source_mut()
        .transactions_mut()
        .get_mut(left.id)
        .charge_transfer(delivery.path_wait, now);
    upper_layer.page_arrived(left.id, left.read_on, now, event_sink);
    after_page(at, delivery.die, left.has_more, upper_layer, now)
}

/// Processes the end of a page's copy to another chip, which releases the pins of the chip that sent the
/// page.
fn page_copied<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    from: DieId,
    upper_layer: &mut A,
    now: SimTime,
) -> NextStep {
    at.copy_left(now);
    let left = at.page_left(now);
    upper_layer.observed().0.on_pins_free(at.chip(), false, now);
    upper_layer.command_source_mut().copied(left.id, now);
    after_page(at, from, left.has_more, upper_layer, now)
}

/// Processes the release of a page register. The next page of the command is sent, or the read ends.
#[inline]
fn after_page<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    die: DieId,
    has_more: bool,
    upper_layer: &mut A,
    now: SimTime,
) -> NextStep {
    if has_more { NextStep::Data { is_served: true } } else { becomes_free(at, die, upper_layer, now) }
}

/// Processes the end of an array read. The data is queued for a path, by the age of its page or in order of
/// arrival.
fn register_is_full<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    by_age: bool,
    upper_layer: &mut A,
    now: SimTime,
) -> NextStep {
    charge_array(at.batch(), upper_layer, now);
    let first = upper_layer.command_source().transactions().get(at.batch()[0]);
    let since = if by_age { first.requested_since() } else { now };
    at.register_full((data_for(first), since), now);
    NextStep::Data { is_served: false }
}

/// Completes the transactions of a program or an erase.
pub(super) fn finish_batch<A: UpperLayer>(
    state: &Die,
    upper_layer: &mut A,
    now: SimTime,
    event_sink: &mut A::EventSink,
) {
    charge_array(state.batch(), upper_layer, now);
    if state.operation() == Operation::Erase {
        tell_collections(state.batch(), upper_layer, now);
    }
    for &id in state.batch() {
        upper_layer.finish(id, None, now, event_sink);
    }
}

/// Processes the end of a die's command. If another operation of the die is suspended, this operation becomes
/// the current one again.
pub(super) fn becomes_free<A: UpperLayer>(
    at: &mut DieAccess<'_>,
    die: DieId,
    upper_layer: &mut A,
    now: SimTime,
) -> NextStep {
    let (probes, _) = upper_layer.observed();
    if let Some(since) = at.ends(now) {
        probes.on_chip_rest(at.chip(), since, now);
    }
    probes.on_die_free(die, now);
    NextStep::Work
}

/// Returns the bytes that a completed transfer moved into or out of the drive's memory. Chip-to-chip copies
/// do not count, nor do relocated pages that bypass the memory.
#[inline]
fn memory_bytes<F: Fabric + ?Sized>(
    paths: &Paths<F>,
    state: &Die,
    ended: &EndedTransfer,
    all: &Transactions,
) -> u32 {
    let (pages, bytes) = match ended.carried {
        TransferContent::Command if ended.fed_by.is_none() => (state.batch(), state.wires().bytes),
        TransferContent::Data | TransferContent::CachedData | TransferContent::SearchResult => {
            (&state.batch()[..1], all.get(state.batch()[0]).bytes)
        }
        // Cache operations require a fabric on which all relocated pages pass the memory.
        TransferContent::NextCommand => return state.wires().bytes,
        TransferContent::Command | TransferContent::Suspension => return 0,
    };
    if bytes == 0 || !paths.relocation_bypasses_memory() {
        return bytes;
    }
    bytes - paths.moved(all, pages, state.chip()).map_or(0, |moved| moved.bytes)
}

/// Adds the time since the transactions' last update to the latency stage of array operations.
#[inline]
fn charge_array(batch: &[TransactionId], upper_layer: &mut impl UpperLayer, now: SimTime) {
    let all = upper_layer.command_source_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).clock.charge(Stage::Array, now);
    }
}

/// Adds the time since the transactions' last update to the latency stage of waiting for a path.
pub(super) fn charge_search(batch: &[TransactionId], upper_layer: &mut impl UpperLayer, now: SimTime) {
    let all = upper_layer.command_source_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).charge_path_wait(now);
    }
}

/// Notifies the probes that an erase has ended. The end of an erase is the end of the garbage collection of
/// each erased plane's victim.
fn tell_collections(batch: &[TransactionId], upper_layer: &mut impl UpperLayer, now: SimTime) {
    for &id in batch {
        let plane = upper_layer.command_source().transactions().get(id).plane;
        upper_layer.observed().0.on_collection(plane, now);
    }
}
