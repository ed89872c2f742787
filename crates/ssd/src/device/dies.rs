//! The course of a die's command: wires, array, wires, idle.

use venice_kernel::{EventQueue, SimTime};

use crate::accounting::Stage;
use crate::chip::{ArrayEnd, Carried, Issue, Operation};
use crate::controller::data_for;
use crate::fabric::{Delivery, Fabric};
use crate::geometry::{DieId, TransactionId};
use crate::observe::{CommandStart, Probe, TransferEnd};
use crate::work::Origin;

use super::{Device, Event};

impl<F: Fabric + ?Sized> Device<F> {
    /// The fabric took the die's command: the die is busy from now on.
    pub(super) fn begin(&mut self, die: DieId, command: &Issue<'_>, now: SimTime) {
        let is_interleaved = self.chips.issue(die, command, now);
        let &Issue { operation, batch, work, .. } = command;
        let start = CommandStart { die, chip: self.chip_of(die), operation, batch, work, is_interleaved };
        self.probes.on_command(&start, &self.ftl, now);
    }

    /// A transfer of the die has reached its end.
    pub(super) fn delivered(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let ended = self.chips.transfer_ends(delivery.die);
        let memory_bytes = self.memory_bytes(delivery.die, ended.carried);
        let (took, conflicted) = (now.since(ended.since), ended.conflicted);
        self.probes.on_transfer(&TransferEnd { delivery, took, conflicted, memory_bytes }, now);
        match ended.carried {
            Carried::Command => self.command_has_come(delivery, now, future),
            Carried::Data => self.data_has_come(delivery, now, future),
            Carried::Suspension => self.suspension_delivered(delivery, now, future),
        }
    }

    /// A command is at its die, with its data if it has any: the array works.
    #[inline]
    fn command_has_come(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        if let Some(from) = self.chips.take_feeder(die) {
            self.on_copied(from, now);
        }
        for &id in self.chips.die(die).batch() {
            self.ftl.transactions.get_mut(id).charge_transfer(delivery.path_wait, now);
        }
        let ends = self.chips.array_begins(die, now);
        self.probes.on_array_begin(self.homes[die.index()].chip, now);
        future.schedule(ends, Event::ArrayDone(die));
    }

    /// Data of a page is at a controller.
    #[inline]
    fn data_has_come(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        let id = self.chips.data_left(die);
        self.ftl.transactions.get_mut(id).charge_transfer(delivery.path_wait, now);
        self.data_is_out(die, id, now, future);
    }

    /// Bytes that a transfer of a die, which has ended, took into the drive's memory or out of it: none of what one chip sent another,
    /// and none of what collection moves past it.
    #[inline]
    fn memory_bytes(&self, die: DieId, carried: Carried) -> u32 {
        let state = self.chips.die(die);
        let (pages, bytes) = match carried {
            Carried::Command if state.is_fed() => return 0,
            Carried::Command => (state.batch(), state.wires().bytes),
            Carried::Data => (&state.batch()[..1], self.ftl.transactions.get(state.batch()[0]).bytes),
            Carried::Suspension => return 0,
        };
        if bytes == 0 || !self.fabric.features().moves_past_memory {
            return bytes;
        }
        bytes - self.moved(pages, self.chip_of(die)).map_or(0, |moved| moved.bytes)
    }

    /// A transfer found no path after all: its time was path wait, and it is offered again later.
    pub(super) fn bounced(&mut self, die: DieId, now: SimTime) {
        match self.chips.bounces(die, now) {
            Carried::Command => {
                for &id in self.chips.die(die).batch() {
                    self.ftl.transactions.get_mut(id).charge_path_wait(now);
                }
                self.on_work(die);
            }
            Carried::Data => {
                self.ftl.transactions.get_mut(self.chips.die(die).batch()[0]).charge_path_wait(now);
                self.wants_data_out(die, true);
            }
            Carried::Suspension => self.suspension_bounced(die, now),
        }
    }

    /// The die's array has finished, unless its operation was suspended since this was foreseen.
    pub(super) fn array_done(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        let end = self.chips.array_ends(die, now);
        if end == ArrayEnd::Void {
            return;
        }
        self.probes.on_array_end(self.homes[die.index()].chip, now);
        match end {
            ArrayEnd::Void => {}
            ArrayEnd::Operation(operation) => self.operation_ends(die, operation, now, future),
            ArrayEnd::BeforeSuspension => self.ends_before_suspension(die, now, future),
            ArrayEnd::Settled => self.park(die, now),
            ArrayEnd::Restarted => self.goes_on_after_suspension(die, now, future),
        }
    }

    #[inline]
    fn operation_ends(
        &mut self,
        die: DieId,
        operation: Operation,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        match operation {
            Operation::Read => self.register_is_full(die, now),
            Operation::Copyback => {
                self.charge_array(die, now);
                self.chips.program_register(die, now);
                self.on_work(die);
            }
            Operation::Combine if self.ftl.gives_result(self.chips.die(die).batch()[0]) => {
                self.register_is_full(die, now);
            }
            Operation::Program | Operation::Erase | Operation::Combine => {
                self.finish_batch(die, now, future);
                self.becomes_idle(die, now);
            }
        }
    }

    /// What was asked for waits for a path.
    #[inline]
    fn register_is_full(&mut self, die: DieId, now: SimTime) {
        self.charge_array(die, now);
        let first = self.chips.die(die).batch()[0];
        let since =
            if self.arbiter.goes_by_age() { self.ftl.transactions.get(first).asked_since() } else { now };
        self.chips.register_full(die, (data_for(self.ftl.transactions.get(first)), since), now);
        self.wants_data_out(die, false);
    }

    /// The time since the last charge was spent in the die's array.
    #[inline]
    pub(super) fn charge_array(&mut self, die: DieId, now: SimTime) {
        for &id in self.chips.die(die).batch() {
            self.ftl.transactions.get_mut(id).clock.charge(Stage::Array, now);
        }
    }

    /// A program or erase is done.
    pub(super) fn finish_batch(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        self.charge_array(die, now);
        if self.chips.die(die).operation() == Operation::Erase {
            self.tell_collections(die, now);
        }
        for index in 0..self.chips.die(die).batch().len() {
            let id = self.chips.die(die).batch()[index];
            self.finish(id, now, future);
        }
        self.chips.clear_batch(die);
    }

    /// An erase is done: it ends the collection of each of its planes.
    fn tell_collections(&mut self, die: DieId, now: SimTime) {
        for &id in self.chips.die(die).batch() {
            self.probes.on_collection(self.ftl.transactions.get(id).plane, now);
        }
    }

    fn data_is_out(&mut self, die: DieId, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        self.probes.on_transaction_end(id, &self.ftl, now);
        if let Some(page) = self.ftl.finish(id, now) {
            // What gathers give leaves the register of a die that combined it.
            let is_read = self.chips.die(die).operation() == Operation::Read;
            if is_read && matches!(page.origin, Origin::Request(_)) {
                self.probes.on_flash_read(self.chip_of(die), page.clock.total(), now);
            }
            self.page_finished(&page, now, future);
        }
        self.goes_on_after_data(die, now);
    }

    /// A page has left the registers of a die: there is another one, or the read is over.
    pub(super) fn goes_on_after_data(&mut self, die: DieId, now: SimTime) {
        if self.chips.await_next_page(die, now) {
            self.wants_data_out(die, true);
        } else {
            self.becomes_idle(die, now);
        }
    }

    fn finish(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        self.probes.on_transaction_end(id, &self.ftl, now);
        if let Some(page) = self.ftl.finish(id, now) {
            self.page_finished(&page, now, future);
        }
    }

    /// The die is done with its command, and goes back to a suspended operation if it has one.
    pub(super) fn becomes_idle(&mut self, die: DieId, now: SimTime) {
        if let Some(since) = self.chips.command_ends(die) {
            self.probes.on_chip_rest(self.chip_of(die), since, now);
        }
        self.becomes_free(die, now);
    }

    /// The die may take a command.
    pub(super) fn becomes_free(&mut self, die: DieId, now: SimTime) {
        self.chips.becomes_free(die, now);
        self.probes.on_die_free(die, now);
        self.on_work(die);
    }
}
