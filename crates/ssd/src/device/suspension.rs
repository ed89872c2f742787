//! Suspending what a die's array does, letting others pass, and resuming it.
//!
//! # How
//! What the die would do next if it were free decides: if that is a read (or, during an erase, a write) that
//! somebody waits for, and enough array time is left, the command to suspend is offered to the fabric like
//! any other. At its arrival the array comes to rest, and the operation is parked. Commands pass as long as
//! the next in order may, and as the suspension has room; then the command to resume is offered.
//!
//! The end of an operation that was suspended stays among the events and finds itself void:
//! [`Die::array_ends`](crate::flash::Die::array_ends) says for which instant the end is expected now.

use std::ops::Range;

use venice_kernel::{EventQueue, SimTime};

use crate::fabric::{Delivery, Fabric, Offer};
use crate::flash::{Operation, Parked, Phase, Yielding};
use crate::ftl::Command;
use crate::geometry::{ChipId, DieId};

use super::paths::command_transfer;
use super::{Device, Event};

impl<F: Fabric + ?Sized> Device<F> {
    /// Whether work that arrived for this die might be taken now: the die is free, or may become so by
    /// suspending what it does.
    #[inline]
    pub(super) fn takes_work(&self, die: DieId) -> bool {
        match self.dies[die.index()].phase {
            Phase::Idle | Phase::Suspended => true,
            Phase::Array => self.flash.suspension.is_some(),
            _ => false,
        }
    }

    /// Offers what there is to be offered of a die that is suspended or may be: a command for one of `dies`,
    /// which are this one or all of its chip.
    pub(super) fn offer_beside(
        &mut self,
        die: DieId,
        dies: Range<u32>,
        chip: ChipId,
        now: SimTime,
    ) -> Option<Offer> {
        match self.dies[die.index()].phase {
            Phase::Array => self.offer_suspend(die, dies, chip, now),
            Phase::Suspended => Some(self.offer_passing_or_resume(die, dies, chip, now)),
            _ => None,
        }
    }

    fn offer_suspend(&mut self, die: DieId, dies: Range<u32>, chip: ChipId, now: SimTime) -> Option<Offer> {
        let state = &self.dies[die.index()];
        let rules = self.flash.suspension.as_ref()?;
        let yielding = rules.of(state.operation)?;
        let left = state.array_ends?.since(now);
        if state.has_parked || state.suspensions >= rules.most_times || !yielding.is_worth_anything(left) {
            return None;
        }
        let (_, next) = self.ftl.next_command_beside(dies, &state.batch, now)?;
        if next.of_collection || !yielding.is_worth(next.operation, left) {
            return None;
        }
        let since = self.ready_since(die, chip).max(self.ftl.waits_since(next.batch[0]));
        let transfer = command_transfer(die, chip, (self.flash.commands.suspend, 0), false, None);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            self.take_pins(die, chip, now);
            let state = &mut self.dies[die.index()];
            state.conflicted |= now > since;
            state.enter(Phase::Suspending, now);
        }
        Some(offer)
    }

    fn offer_passing_or_resume(&mut self, die: DieId, dies: Range<u32>, chip: ChipId, now: SimTime) -> Offer {
        if let Some((other, command)) = self.next_to_pass(die, dies, now) {
            let offer = self.offer_started(other, chip, &command, now);
            self.parked[die.index()].commands += u32::from(offer == Offer::Accepted);
            return offer;
        }
        let transfer = command_transfer(die, chip, (self.flash.commands.suspend, 0), false, None);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            let ready = self.ready_since(die, chip);
            let mut conflict = false;
            if self.recorder.closely.is_some() {
                for place in 0..self.parked[die.index()].batch.len() {
                    self.note_wait((die, self.parked[die.index()].batch[place]), (ready, false), now);
                }
                self.note_resumption(die, now);
            }
            for &id in &self.parked[die.index()].batch {
                conflict |= self.ftl.charge_wait_since(id, ready, now);
            }
            self.take_pins(die, chip, now);
            let state = &mut self.dies[die.index()];
            state.conflicted |= conflict;
            state.enter(Phase::Resuming, now);
        }
        offer
    }

    fn next_to_pass(&mut self, die: DieId, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        let rules = self.flash.suspension.as_ref()?;
        let parked = &self.parked[die.index()];
        let yielding = rules.of(parked.operation)?;
        if parked.commands >= rules.most_commands {
            return None;
        }
        let next = self.ftl.next_command_beside(dies, &parked.batch, now)?;
        (!next.1.of_collection && yielding.lets_pass(next.1.operation)).then_some(next)
    }

    /// A command to suspend or resume has arrived.
    pub(super) fn suspension_delivered(
        &mut self,
        delivery: &Delivery,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        let die = delivery.die;
        match self.dies[die.index()].phase {
            Phase::Suspending => self.settle(die, now, future),
            Phase::Resuming => {
                for &id in &self.parked[die.index()].batch {
                    self.ftl.charge_transfer(id, delivery.path_wait, now);
                }
                self.restart(die, now, future);
            }
            _ => self.becomes_idle(die, now),
        }
    }

    /// A command to suspend or resume found no path after all.
    pub(super) fn suspension_bounced(&mut self, die: DieId, now: SimTime) {
        match self.dies[die.index()].phase {
            Phase::Suspending => self.dies[die.index()].enter(Phase::Array, now),
            Phase::Resuming => {
                for &id in &self.parked[die.index()].batch {
                    self.ftl.charge_path_wait(id, now);
                }
                self.dies[die.index()].enter(Phase::Suspended, now);
                if self.recorder.closely.is_some() {
                    self.note_freedom(die, now);
                }
            }
            _ => return self.becomes_idle(die, now),
        }
        self.has_work(die);
    }

    /// The array begins to come to rest. If it ends at this very instant anyway, it just ends.
    fn settle(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        let state = &mut self.dies[die.index()];
        let left = state.array_ends.map(|ends| ends.since(now)).unwrap_or_default();
        let yielding = self.flash.suspension.as_ref().and_then(|rules| rules.of(state.operation));
        let Some(Yielding { suspend, .. }) = yielding.filter(|_| !left.is_zero()) else {
            return state.enter(Phase::Array, now);
        };
        self.recorder.arrays.settling += *suspend * state.batch.len() as u64;
        self.parked[die.index()].left = left;
        state.enter(Phase::Settling, now);
        state.array_ends = Some(now + *suspend);
        future.schedule(now + *suspend, Event::ArrayDone(die));
    }

    fn restart(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        let Some(rules) = &self.flash.suspension else { return };
        let (state, parked) = (&mut self.dies[die.index()], &mut self.parked[die.index()]);
        state.has_parked = false;
        state.operation = parked.operation;
        state.batch.clone_from(&parked.batch);
        state.suspensions = parked.times;
        self.recorder.arrays.settling += rules.resume * state.batch.len() as u64;
        state.enter(Phase::Restarting, now);
        state.array_ends = Some(now + rules.resume);
        self.recorder.array_begins(self.homes[die.index()].chip, now);
        future.schedule(now + rules.resume, Event::ArrayDone(die));
    }

    /// What the array did besides its operations has come to its end, or an operation ended just before it
    /// would have been suspended.
    pub(super) fn suspension_step_done(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        match self.dies[die.index()].phase {
            Phase::Suspending => {
                self.finish_batch(die, now, future);
                // The transfer that is under way goes on: it began when it did.
                self.dies[die.index()].phase = Phase::SuspendingTooLate;
            }
            Phase::Settling => self.park(die, now),
            Phase::Restarting => {
                let left = self.parked[die.index()].left;
                let state = &mut self.dies[die.index()];
                state.enter(Phase::Array, now);
                state.array_ends = Some(now + left);
                self.recorder.array_begins(self.homes[die.index()].chip, now);
                future.schedule(now + left, Event::ArrayDone(die));
                self.has_work(die);
            }
            _ => {}
        }
    }

    /// The array is at rest: its operation is put aside, and the die is free for others.
    fn park(&mut self, die: DieId, now: SimTime) {
        self.charge_array(die, now);
        let state = &mut self.dies[die.index()];
        match state.operation {
            Operation::Erase => self.recorder.suspended_erases += 1,
            _ => self.recorder.suspended_programs += 1,
        }
        let parked = &mut self.parked[die.index()];
        *parked = Parked {
            operation: state.operation,
            batch: state.batch.take(),
            left: parked.left,
            times: state.suspensions + 1,
            commands: 0,
        };
        state.has_parked = true;
        state.conflicted = false;
        self.becomes_free(die, now);
    }
}
