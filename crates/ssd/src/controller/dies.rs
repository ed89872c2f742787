//! The course of a die's command: wires, array, wires, idle.
//!
//! # How
//! Each event that concerns a die moves it on, gives the time of its transactions to stages, tells who looks, and says what
//! [follows](Follows) for whose turn it is. What a die is sent, and when, is in [`departures`](super::departures).
//!
//! # What it knows
//! Chips, and the paths to them. Nothing of turns: who is served next.

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::chip::{ArrayEnd, Arrived, AtDie, Bounced, Carried, Chips, Die, Ended, Operation, Stayed};
use crate::fabric::{Delivery, Fabric};
use crate::geometry::{DieId, TransactionId};
use crate::observe::{Probe, TransferEnd};
use crate::work::Transactions;

use super::paths::Paths;
use super::{Above, FailureCounters, FlashAgenda, FlashEvent, Orders, data_for};

/// What follows for a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// Nothing before the next event.
    Nothing,
    /// It may be sent something.
    Work,
    /// Its data waits for a path.
    Data {
        /// Whether it goes before data of its turn: pages of several planes follow each other.
        is_served: bool,
    },
}

/// What the end of a transfer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransferEnded {
    /// For its die.
    pub(super) follows: Follows,
    /// If its data came from the register of another die: which, and what follows for that.
    pub(super) copied: Option<(DieId, Follows)>,
}

/// All dies, and the paths to them.
pub struct Dies<F: Fabric + ?Sized> {
    pub(super) chips: Chips,
    /// Whether data goes in the order in which its pages were asked for, rather than in that in which it became ready.
    data_by_age: bool,
    /// The last, since how large it is depends on the fabric.
    pub(super) paths: Paths<F>,
}

impl<F: Fabric> Dies<F> {
    /// Dies that are all idle.
    pub(super) const fn new(chips: Chips, data_by_age: bool, paths: Paths<F>) -> Self {
        Self { chips, data_by_age, paths }
    }
}

impl<F: Fabric + ?Sized> Dies<F> {
    /// A transfer of a die has reached its end: the chip's pins are free.
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
            follows != Follows::Work || !self.paths.fabric().holds_path(delivery.die),
            "a path is kept for a die that is done"
        );
        TransferEnded { follows, copied: None }
    }

    /// A command is at its die with data that another die has sent.
    fn copy_has_come<A: Above>(
        &mut self,
        from: DieId,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) -> TransferEnded {
        let copied = Some((from, page_copied(&mut self.chips.at(from), from, above, now)));
        debug_assert!(!self.paths.fabric().holds_path(from), "the page went elsewhere, and its path stays");
        let follows = command_has_come(&mut self.chips.at(delivery.die), delivery, above, now, agenda);
        TransferEnded { follows, copied }
    }

    /// A command to suspend or resume has arrived.
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

    /// A transfer found no path after all: its time was path wait, and it is offered again later.
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

    /// The die's array has finished, unless its operation was suspended since this was foreseen.
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

    /// A transfer of a lost chip's die comes to nothing: so does what it was for.
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

/// A command is at its die, with its data if it has any: the array works.
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

/// Data of a page is at a controller.
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

/// A page that was sent to another chip has left its register: the pins that it left by are free.
fn page_copied<A: Above>(at: &mut AtDie<'_>, from: DieId, above: &mut A, now: SimTime) -> Follows {
    at.copy_left(now);
    let left = at.page_left(now);
    above.observed().0.on_pins_free(at.chip(), false, now);
    above.orders_mut().copied(left.id, now);
    after_page(at, from, left.has_more, above, now)
}

/// A page has left the registers of a die: there is another one, or the read is over.
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

/// What was asked for waits for a path: by the age of its page, or from now on.
fn register_is_full<A: Above>(at: &mut AtDie<'_>, by_age: bool, above: &mut A, now: SimTime) -> Follows {
    charge_array(at.batch(), above, now);
    let first = above.orders().transactions().get(at.batch()[0]);
    let since = if by_age { first.asked_since() } else { now };
    at.register_full((data_for(first), since), now);
    Follows::Data { is_served: false }
}

/// A program or erase is done.
fn finish_batch<A: Above>(state: &Die, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
    charge_array(state.batch(), above, now);
    if state.operation() == Operation::Erase {
        tell_collections(state.batch(), above, now);
    }
    for &id in state.batch() {
        above.finish(id, None, now, agenda);
    }
}

/// A die is done with its command, and goes back to a suspended operation if it has one.
fn becomes_free<A: Above>(at: &mut AtDie<'_>, die: DieId, above: &mut A, now: SimTime) -> Follows {
    let (probes, _) = above.observed();
    if let Some(since) = at.ends(now) {
        probes.on_chip_rest(at.chip(), since, now);
    }
    probes.on_die_free(die, now);
    Follows::Work
}

/// Bytes that a transfer of a die, which has ended, took into the drive's memory or out of it: none of what one chip sent another,
/// and none of what collection moves past it.
#[inline]
fn memory_bytes<F: Fabric + ?Sized>(paths: &Paths<F>, state: &Die, ended: &Ended, all: &Transactions) -> u32 {
    let (pages, bytes) = match ended.carried {
        Carried::Command if ended.fed_by.is_none() => (state.batch(), state.wires().bytes),
        Carried::Data => (&state.batch()[..1], all.get(state.batch()[0]).bytes),
        Carried::Command | Carried::Suspension => return 0,
    };
    if bytes == 0 || !paths.fabric().features().moves_past_memory {
        return bytes;
    }
    bytes - paths.moved(all, pages, state.chip()).map_or(0, |moved| moved.bytes)
}

/// The time since the last charge was spent in the array.
#[inline]
fn charge_array(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    let all = above.orders_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).clock.charge(Stage::Array, now);
    }
}

/// It was spent searching for a path, and none was found.
fn charge_search(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    let all = above.orders_mut().transactions_mut();
    for &id in batch {
        all.get_mut(id).charge_path_wait(now);
    }
}

/// An erase is done: it ends the collection of each of its planes.
fn tell_collections(batch: &[TransactionId], above: &mut impl Above, now: SimTime) {
    for &id in batch {
        let plane = above.orders().transactions().get(id).plane;
        above.observed().0.on_collection(plane, now);
    }
}
