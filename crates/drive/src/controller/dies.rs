//! Life cycle of a die's command: command transfer, array operation, data transfer, idle.
//!
//! # How
//! Each event of a die advances its state, charges the time of its transactions to stages, notifies the
//! probes, and returns what [follows](Follows) for arbitration. The choice of transfers is in
//! [`departures`](super::departures); arbitration is not part of this module.

use venice_fabric::{Delivery, Fabric};
use venice_kernel::SimTime;
use venice_nand::accounting::Stage;
use venice_nand::chip::{ArrayEnd, Arrived, AtDie, Bounced, Carried, Chips, Die, Ended, Operation, Stayed};
use venice_nand::geometry::{DieId, TransactionId};
use venice_nand::work::Transactions;

use crate::observe::{Probe, TransferEnd};

use super::paths::Paths;
use super::{Above, FailureCounters, FlashAgenda, FlashEvent, Orders, data_for};

/// Consequence of an event for a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// None before the next event.
    Nothing,
    /// The die may accept a command.
    Work,
    /// The die's data waits for a path.
    Data {
        /// True if it precedes data of equal priority: pages of several planes follow each other.
        is_served: bool,
    },
}

/// Consequences of the end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransferEnded {
    /// Consequence for the die of the transfer.
    pub(super) follows: Follows,
    /// Source die of a copy, and the consequence for it.
    pub(super) copied: Option<(DieId, Follows)>,
}

/// All dies and the paths to them.
pub struct Dies<F: Fabric + ?Sized> {
    pub(super) chips: Chips,
    /// True if data is served by the age of its page, not by its readiness.
    data_by_age: bool,
    /// Last field, since its size depends on the fabric.
    pub(super) paths: Paths<F>,
}

impl<F: Fabric> Dies<F> {
    /// Creates idle dies.
    pub(super) const fn new(chips: Chips, data_by_age: bool, paths: Paths<F>) -> Self {
        Self { chips, data_by_age, paths }
    }
}

impl<F: Fabric + ?Sized> Dies<F> {
    /// Processes the end of a transfer, which frees the chip's pins.
    pub(super) fn transfer_ends<A: Above>(
        &mut self,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> TransferEnded {
        let Self { chips, paths, .. } = self;
        let mut at = chips.at(delivery.die);
        let ended = at.transfer_ends(now);
        let memory_bytes = memory_bytes(paths, at.state(), &ended, above.orders().transactions());
        let (took, conflicted) = (now.since(ended.since), ended.conflicted);
        let (probes, _) = above.observed();
        probes.on_pins_free(at.chip(), true, now);
        probes.on_transfer(&TransferEnd { delivery, took, conflicted, memory_bytes }, now);
        let follows = match ended.carried {
            Carried::Command => {
                if let Some(from) = ended.fed_by {
                    return self.copy_has_come(from, delivery, above, now, agenda);
                }
                command_has_come(&mut at, delivery, above, now, agenda)
            }
            Carried::Data => page_has_come(&mut at, delivery, above, now, agenda),
            Carried::Suspension => self.suspension_has_come(delivery, above, now, agenda),
        };
        debug_assert!(
            follows != Follows::Work || !self.paths.hold(delivery.die),
            "a path is kept for a die that is done"
        );
        TransferEnded { follows, copied: None }
    }

    /// Processes the arrival of a command whose data another die has sent.
    fn copy_has_come<A: Above>(
        &mut self,
        from: DieId,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> TransferEnded {
        let copied = Some((from, page_copied(&mut self.chips.at(from), from, above, now)));
        debug_assert!(!self.paths.hold(from), "the page went elsewhere, and its path stays");
        let follows = command_has_come(&mut self.chips.at(delivery.die), delivery, above, now, agenda);
        TransferEnded { follows, copied }
    }

    /// Processes the arrival of a suspend or resume command.
    pub(super) fn suspension_has_come<A: Above>(
        &mut self,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> Follows {
        let die = delivery.die;
        let (span, ends) = match self.chips.suspension_arrives(die, now) {
            Arrived::Settles(span, ends) => (span, ends),
            Arrived::EndsAnyway => return Follows::Nothing,
            Arrived::Restarts(span, ends) => {
                let all = above.orders_mut().transactions_mut();
                for &id in self.chips.die(die).batch() {
                    all.get_mut(id).charge_transfer(delivery.path_wait, now);
                }
                above.observed().0.on_array_begin(die, now);
                (span, ends)
            }
            Arrived::TooLate => return becomes_free(&mut self.chips.at(die), die, above, now),
        };
        above.observed().0.on_settling(die, span * self.chips.die(die).batch().len() as u64, now);
        agenda.post(ends, FlashEvent::ArrayDone(die));
        Follows::Nothing
    }

    /// Processes a bounced transfer: its time is charged as path wait, and it is offered again later.
    pub(super) fn bounced<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime) -> Follows {
        let mut at = self.chips.at(die);
        let bounced = at.bounces(now);
        above.observed().0.on_pins_free(at.chip(), false, now);
        match bounced {
            Bounced::Command => charge_search(at.batch(), above, now),
            Bounced::Data => {
                charge_search(&at.batch()[..1], above, now);
                return Follows::Data { is_served: true };
            }
            Bounced::Suspension(Stayed::AtWork) => {}
            Bounced::Suspension(Stayed::Suspended) => {
                charge_search(self.chips.suspended(die), above, now);
                above.observed().0.on_die_free(die, now);
            }
            Bounced::Suspension(Stayed::Ended) => return becomes_free(&mut at, die, above, now),
        }
        Follows::Work
    }

    /// Processes the end of an array operation, unless it has been suspended since the event was scheduled.
    pub(super) fn array_done<A: Above>(
        &mut self,
        die: DieId,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> Follows {
        let end = self.chips.array_ends(die, now);
        if end == ArrayEnd::Void {
            return Follows::Nothing;
        }
        above.observed().0.on_array_end(die, now);
        match end {
            ArrayEnd::Void => return Follows::Nothing,
            ArrayEnd::Operation(operation) => {
                return self.operation_ends(die, operation, above, now, agenda);
            }
            ArrayEnd::Sensing => charge_array(self.chips.die(die).batch(), above, now),
            ArrayEnd::BeforeSuspension => {
                finish_batch(self.chips.die(die), above, now, agenda);
                return Follows::Nothing;
            }
            ArrayEnd::Settled(operation) => {
                charge_array(self.chips.suspended(die), above, now);
                let (probes, _) = above.observed();
                probes.on_suspension(die, operation, now);
                probes.on_die_free(die, now);
            }
            ArrayEnd::Restarted(ends) => {
                above.observed().0.on_array_begin(die, now);
                agenda.post(ends, FlashEvent::ArrayDone(die));
            }
        }
        Follows::Work
    }

    #[inline]
    fn operation_ends<A: Above>(
        &mut self,
        die: DieId,
        operation: Operation,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> Follows {
        let mut at = self.chips.at(die);
        let gives_data = match operation {
            Operation::Read => true,
            Operation::Combine => above.orders().gives_result(at.batch()[0]),
            Operation::Program | Operation::Erase | Operation::Copyback => false,
        };
        if gives_data {
            return register_is_full(&mut at, self.data_by_age, above, now);
        }
        finish_batch(at.state(), above, now, agenda);
        becomes_free(&mut at, die, above, now)
    }

    /// Processes the failed transfer of a lost chip's die, and the failure of its transactions.
    pub(super) fn comes_to_nothing<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime) {
        let state = self.chips.die(die);
        let (carried, is_program) = (state.carried(), state.operation() == Operation::Program);
        let pages = match carried {
            Carried::Data => &state.batch()[..1],
            Carried::Command if is_program => state.batch(),
            _ => &[],
        };
        for &id in pages {
            above.orders_mut().note_failure(id);
        }
        if carried == Carried::Command {
            let planes = state.batch().len() as u64;
            above.observed().0.on_void_command(state.operation(), state.work(), planes, now);
        }
        let count = pages.len() as u64;
        let (page_reads, page_programs) = if carried == Carried::Data { (count, 0) } else { (0, count) };
        self.paths.losses_mut().count(FailureCounters { page_reads, page_programs });
        self.chips.does_nothing(die);
    }
}

/// Processes the arrival of a command with its data, if any: the array operation starts.
fn command_has_come<A: Above>(
    at: &mut AtDie<'_>,
    delivery: &Delivery,
    above: &mut A,
    now: SimTime,
    agenda: &mut A::Agenda,
) -> Follows {
    let ends = at.array_begins(now);
    let all = above.orders_mut().transactions_mut();
    for &id in at.batch() {
        all.get_mut(id).charge_transfer(delivery.path_wait, now);
    }
    above.observed().0.on_array_begin(delivery.die, now);
    agenda.post(ends, FlashEvent::ArrayDone(delivery.die));
    Follows::Nothing
}

/// Processes the arrival of a page in a controller.
fn page_has_come<A: Above>(
    at: &mut AtDie<'_>,
    delivery: &Delivery,
    above: &mut A,
    now: SimTime,
    agenda: &mut A::Agenda,
) -> Follows {
    let left = at.page_left(now);
    above.orders_mut().transactions_mut().get_mut(left.id).charge_transfer(delivery.path_wait, now);
    above.finish(left.id, left.read_on, now, agenda);
    after_page(at, delivery.die, left.has_more, above, now)
}

/// Processes the departure of a page to another chip, which frees its chip's pins.
fn page_copied<A: Above>(at: &mut AtDie<'_>, from: DieId, above: &mut A, now: SimTime) -> Follows {
    at.copy_left(now);
    let left = at.page_left(now);
    above.observed().0.on_pins_free(at.chip(), false, now);
    above.orders_mut().copied(left.id, now);
    after_page(at, from, left.has_more, above, now)
}

/// Processes the release of a page register: another page follows, or the read ends.
#[inline]
fn after_page<A: Above>(
    at: &mut AtDie<'_>,
    die: DieId,
    has_more: bool,
    above: &mut A,
    now: SimTime,
) -> Follows {
    if has_more { Follows::Data { is_served: true } } else { becomes_free(at, die, above, now) }
}

/// Processes the end of an array read: its data waits for a path, by the age of its page or from now on.
fn register_is_full<A: Above>(at: &mut AtDie<'_>, by_age: bool, above: &mut A, now: SimTime) -> Follows {
    charge_array(at.batch(), above, now);
    let first = above.orders().transactions().get(at.batch()[0]);
    let since = if by_age { first.asked_since() } else { now };
    at.register_full((data_for(first), since), now);
    Follows::Data { is_served: false }
}

/// Completes the transactions of a program or erase.
fn finish_batch<A: Above>(state: &Die, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
    charge_array(state.batch(), above, now);
    if state.operation() == Operation::Erase {
        tell_collections(state.batch(), above, now);
    }
    for &id in state.batch() {
        above.finish(id, None, now, agenda);
    }
}

/// Processes the end of a die's command; a suspended operation becomes current again.
fn becomes_free<A: Above>(at: &mut AtDie<'_>, die: DieId, above: &mut A, now: SimTime) -> Follows {
    let (probes, _) = above.observed();
    if let Some(since) = at.ends(now) {
        probes.on_chip_rest(at.chip(), since, now);
    }
    probes.on_die_free(die, now);
    Follows::Work
}

/// Returns the bytes that an ended transfer moved into or out of the drive's memory, without chip-to-chip
/// copies and without relocated pages that bypass the memory.
#[inline]
fn memory_bytes<F: Fabric + ?Sized>(paths: &Paths<F>, state: &Die, ended: &Ended, all: &Transactions) -> u32 {
    let (pages, bytes) = match ended.carried {
        Carried::Command if ended.fed_by.is_none() => (state.batch(), state.wires().bytes),
        Carried::Data => (&state.batch()[..1], all.get(state.batch()[0]).bytes),
        Carried::Command | Carried::Suspension => return 0,
    };
    if bytes == 0 || !paths.relocation_bypasses_memory() {
        return bytes;
    }
    bytes - paths.moved(all, pages, state.chip()).map_or(0, |moved| moved.bytes)
}

/// Charges the time since the last charge to the array.
#[inline]
fn charge_array(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    let all = above.orders_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).clock.charge(Stage::Array, now);
    }
}

/// Charges the time since the last charge to an unsuccessful path search.
fn charge_search(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    let all = above.orders_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).charge_path_wait(now);
    }
}

/// Reports the end of an erase, which ends the garbage collection of each of its planes.
fn tell_collections(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    for &id in batch {
        let plane = above.orders().transactions().get(id).plane;
        above.observed().0.on_collection(plane, now);
    }
}
