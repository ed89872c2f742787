//! The course of a die's command: wires, array, wires, idle.

use venice_kernel::{EventQueue, SimSpan, SimTime};

use crate::accounting::Stage;
use crate::chip::{ArrayEnd, Carried, Issue, Operation};
use crate::controller::data_for;
use crate::fabric::{Delivery, Fabric};
use crate::geometry::{DieId, TransactionId};
use crate::observe::ArrayTime;
use crate::work::Origin;

use super::blame::note_beginning;
use super::{Device, Event};

impl<F: Fabric + ?Sized> Device<F> {
    /// The fabric took the die's command: the die is busy from now on.
    pub(super) fn begin(&mut self, die: DieId, command: &Issue<'_>, now: SimTime) {
        if self.recorder.closely.is_some() {
            let chip = self.chip_of(die);
            note_beginning(&mut self.recorder, &self.ftl, (die, chip, command.batch[0]), now);
        }
        let is_interleaved = self.chips.issue(die, command, now);
        self.recorder.interleaved += u64::from(is_interleaved);
        let planes = command.batch.len() as u64;
        *busy(&mut self.recorder.arrays, command.operation) += command.work.first * planes;
        self.recorder.arrays.program += command.work.program * planes;
    }

    /// A transfer of the die has reached its end.
    pub(super) fn delivered(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let ended = self.chips.transfer_ends(delivery.die);
        self.recorder.transfer_ended(delivery, now.since(ended.since), ended.conflicted);
        self.recorder.last_work = now;
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
        match self.chips.take_feeder(die) {
            Some(from) => self.on_copied(from, now),
            None => self.count_memory(die, self.chips.die(die).wires().bytes, usize::MAX),
        }
        for &id in self.chips.die(die).batch() {
            self.ftl.transactions.get_mut(id).charge_transfer(delivery.path_wait, now);
        }
        let ends = self.chips.array_begins(die, now);
        self.recorder.array_begins(self.homes[die.index()].chip, now);
        future.schedule(ends, Event::ArrayDone(die));
    }

    /// Data of a page is at a controller.
    #[inline]
    fn data_has_come(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        let bytes = self.ftl.transactions.get(self.chips.die(die).batch()[0]).bytes;
        self.count_memory(die, bytes, 1);
        let id = self.chips.data_left(die);
        self.ftl.transactions.get_mut(id).charge_transfer(delivery.path_wait, now);
        self.data_is_out(die, id, now, future);
    }

    /// Bytes of the first pages of a die's batch have entered the drive's memory or left it, but for those that collection moves past
    /// it.
    #[inline]
    fn count_memory(&mut self, die: DieId, bytes: u32, pages: usize) {
        let mut past = 0;
        if bytes > 0 && self.fabric.features().moves_past_memory {
            let batch = self.chips.die(die).batch();
            let moved = self.moved(&batch[..pages.min(batch.len())], self.chip_of(die));
            past = moved.map_or(0, |moved| moved.bytes);
        }
        self.recorder.memory_bytes += u64::from(bytes - past);
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
        self.recorder.last_work = now;
        self.recorder.array_ends(self.homes[die.index()].chip, now);
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
        for index in 0..self.chips.die(die).batch().len() {
            let id = self.chips.die(die).batch()[index];
            self.finish(id, now, future);
        }
        self.chips.clear_batch(die);
    }

    fn data_is_out(&mut self, die: DieId, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.recorder.closely.is_some() {
            self.note_end(id);
        }
        if let Some(page) = self.ftl.finish(id, now) {
            // What gathers give leaves the register of a die that combined it.
            let is_read = self.chips.die(die).operation() == Operation::Read;
            if is_read && matches!(page.origin, Origin::Request(_)) {
                self.recorder.page_read(self.chip_of(die), page.clock.total());
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
        if self.recorder.closely.is_some() {
            self.note_end(id);
        }
        if let Some(page) = self.ftl.finish(id, now) {
            self.page_finished(&page, now, future);
        }
    }

    /// The die is done with its command, and goes back to a suspended operation if it has one.
    pub(super) fn becomes_idle(&mut self, die: DieId, now: SimTime) {
        if let Some(since) = self.chips.command_ends(die) {
            self.recorder.chip_worked(self.chip_of(die), since, now);
        }
        self.becomes_free(die, now);
    }

    /// The die may take a command.
    pub(super) fn becomes_free(&mut self, die: DieId, now: SimTime) {
        self.chips.becomes_free(die, now);
        if self.recorder.closely.is_some() {
            self.note_freedom(die, now);
        }
        self.on_work(die);
    }
}

/// Where array time for this is added up; a copyback begins with reading, and combining pages is counted as reading.
#[inline]
pub(super) const fn busy(arrays: &mut ArrayTime, operation: Operation) -> &mut SimSpan {
    match operation {
        Operation::Read | Operation::Copyback | Operation::Combine => &mut arrays.read,
        Operation::Program => &mut arrays.program,
        Operation::Erase => &mut arrays.erase,
    }
}
