//! Suspending what a die's array does, letting others pass, and resuming it.
//!
//! # How
//! What the die would do next if it were free decides: if that is a read (or, during an erase, a write) that
//! somebody waits for, and enough array time is left, the command to suspend is offered to the fabric like
//! any other. At its arrival the array comes to rest, and the operation is parked. Commands pass as long as
//! the next in order may, and as the suspension has room; then the command to resume is offered.

use std::ops::Range;

use venice_kernel::{EventQueue, SimSpan, SimTime};

use crate::chip::{Accepts, Arrived, Stayed, WireWork};
use crate::controller::queues::Command;
use crate::fabric::{Delivery, Fabric, Offer};
use crate::geometry::{ChipId, DieId};
use crate::observe::{Departure, Probe};

use super::paths::command_transfer;
use super::{Device, Event};

impl<F: Fabric + ?Sized> Device<F> {
    /// Whether operations may be suspended.
    #[inline]
    pub(super) fn suspends(&self) -> bool {
        self.chips.settings().suspension.is_some()
    }

    /// What the command to suspend or resume takes on the wires.
    fn suspension_wires(&self) -> WireWork {
        WireWork { command: self.chips.settings().commands.suspend, bytes: 0 }
    }

    /// Whether work that arrived for this die might be taken now: the die is free, or may become so by
    /// suspending what it does.
    #[inline]
    pub(super) fn takes_work(&self, die: DieId) -> bool {
        match self.chips.die(die).accepts() {
            Accepts::Command | Accepts::PassingOrResume => true,
            Accepts::Suspend => self.suspends(),
            Accepts::ItsCommand | Accepts::Nothing => false,
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
        match self.chips.die(die).accepts() {
            Accepts::Suspend => self.offer_suspend(die, dies, chip, now),
            Accepts::PassingOrResume => Some(self.offer_passing_or_resume(die, dies, chip, now)),
            _ => None,
        }
    }

    fn offer_suspend(&mut self, die: DieId, dies: Range<u32>, chip: ChipId, now: SimTime) -> Option<Offer> {
        let (yielding, left) = self.chips.may_yield(die, now)?;
        let (_, next) = self.ftl.next_command_beside(dies, self.chips.die(die).batch(), now)?;
        if next.of_collection || !yielding.is_worth(next.operation, left) {
            return None;
        }
        let since =
            self.chips.ready_since(die, chip).max(self.ftl.transactions.get(next.batch[0]).waits_since());
        let transfer = command_transfer(die, chip, self.suspension_wires(), false, None);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            self.take_pins(die, chip, now);
            self.chips.suspend_goes_out(die, now > since, now);
        }
        Some(offer)
    }

    fn offer_passing_or_resume(&mut self, die: DieId, dies: Range<u32>, chip: ChipId, now: SimTime) -> Offer {
        if let Some((other, command)) = self.next_to_pass(die, dies, now) {
            let offer = self.offer_started(other, chip, &command, now);
            if offer == Offer::Accepted {
                self.chips.count_passing(die);
            }
            return offer;
        }
        let transfer = command_transfer(die, chip, self.suspension_wires(), false, None);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            let ready = self.chips.ready_since(die, chip);
            let mut conflict = false;
            for &id in self.chips.suspended(die) {
                let departure = Departure { die, id, ready, for_pins: false };
                self.probes.on_departure(&departure, &self.ftl, now);
                conflict |= self.ftl.transactions.get_mut(id).charge_wait(ready, now);
            }
            self.probes.on_resumption(die, self.chips.suspended(die)[0], &self.ftl, now);
            self.take_pins(die, chip, now);
            self.chips.resume_goes_out(die, conflict, now);
        }
        offer
    }

    fn next_to_pass(&mut self, die: DieId, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        let yielding = self.chips.lets_pass(die)?;
        let next = self.ftl.next_command_beside(dies, self.chips.suspended(die), now)?;
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
        match self.chips.suspension_arrives(die, now) {
            Arrived::Settles(span, ends) => self.array_moves(die, (span, ends), now, future),
            Arrived::EndsAnyway => {}
            Arrived::Restarts(span, ends) => {
                for &id in self.chips.die(die).batch() {
                    self.ftl.transactions.get_mut(id).charge_transfer(delivery.path_wait, now);
                }
                self.array_moves(die, (span, ends), now, future);
                self.probes.on_array_begin(self.homes[die.index()].chip, now);
            }
            Arrived::TooLate => self.becomes_idle(die, now),
        }
    }

    /// The array comes to rest, or gets going again: for so long on each of its planes, until it `ends`.
    fn array_moves(
        &mut self,
        die: DieId,
        (span, ends): (SimSpan, SimTime),
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        self.probes.on_settling(span * self.chips.die(die).batch().len() as u64, now);
        future.schedule(ends, Event::ArrayDone(die));
    }

    /// A command to suspend or resume found no path after all.
    pub(super) fn suspension_bounced(&mut self, die: DieId, now: SimTime) {
        match self.chips.suspension_stays(die, now) {
            Stayed::AtWork => {}
            Stayed::Suspended => {
                for &id in self.chips.suspended(die) {
                    self.ftl.transactions.get_mut(id).charge_path_wait(now);
                }
                self.probes.on_die_free(die, now);
            }
            Stayed::Ended => return self.becomes_idle(die, now),
        }
        self.on_work(die);
    }

    /// The operation ended just before it would have been suspended.
    pub(super) fn ends_before_suspension(
        &mut self,
        die: DieId,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        self.finish_batch(die, now, future);
        self.chips.miss_suspension(die);
    }

    /// The array has got going again: the operation goes on.
    pub(super) fn goes_on_after_suspension(
        &mut self,
        die: DieId,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        let ends = self.chips.resume_operation(die, now);
        self.probes.on_array_begin(self.homes[die.index()].chip, now);
        future.schedule(ends, Event::ArrayDone(die));
        self.on_work(die);
    }

    /// The array is at rest: its operation is put aside, and the die is free for others.
    pub(super) fn park(&mut self, die: DieId, now: SimTime) {
        self.charge_array(die, now);
        self.probes.on_suspension(self.chips.park(die), now);
        self.becomes_free(die, now);
    }
}
