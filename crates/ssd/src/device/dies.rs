//! The course of a die's command: wires, array, wires, idle.

use venice_kernel::{EventQueue, SimSpan, SimTime};

use crate::accounting::Stage;
use crate::fabric::{Delivery, Fabric};
use crate::flash::{Operation, Phase};
use crate::ftl::{ArrayWork, Command, Origin};
use crate::geometry::{DieId, TransactionId};
use crate::observe::ArrayTime;

use super::blame::note_beginning;
use super::{Device, Event};

impl<F: Fabric + ?Sized> Device<F> {
    /// The fabric took the die's command: the die is busy from now on.
    pub(super) fn begin(&mut self, die: DieId, command: &Command, work: ArrayWork, now: SimTime) {
        let state = &mut self.dies[die.index()];
        let id = self.homes[die.index()].chip;
        let chip = &mut self.chips[id.index()];
        chip.pins_busy = true;
        if self.recorder.closely.is_some() {
            note_beginning(&mut self.recorder, &self.ftl, (die, id, command.batch[0]), now);
        }
        // A die with a suspended operation is active all the while.
        if !state.has_parked {
            if chip.active_dies == 0 {
                chip.active_since = now;
            }
            self.recorder.interleaved += u64::from(chip.active_dies > 0);
            chip.active_dies += 1;
        }
        let planes = command.batch.len() as u64;
        *busy(&mut self.recorder.arrays, command.operation) += work.first * planes;
        self.recorder.arrays.program += work.program * planes;
        state.enter(Phase::Commanding, now);
        state.operation = command.operation;
        // One by one: mostly it is one, and copying arrays would call for a block of memory.
        state.batch.clear();
        state.batch.extend(command.batch.iter().copied());
        state.command = (command.command, command.bytes);
        (state.array_time, state.then_program) = (work.first, work.program);
        state.suspensions = 0;
    }

    /// A transfer of the die has reached its end.
    pub(super) fn delivered(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let state = &mut self.dies[delivery.die.index()];
        let (phase, time) = (state.phase, now.since(state.since));
        self.recorder.transfer_ended(delivery, time, std::mem::take(&mut state.conflicted));
        self.recorder.last_work = now;
        match phase {
            Phase::Commanding => self.command_has_come(delivery, now, future),
            Phase::DataOut => self.data_has_come(delivery, now, future),
            _ => self.suspension_delivered(delivery, now, future),
        }
    }

    /// A command is at its die, with its data if it has any: the array works.
    #[inline]
    fn command_has_come(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        let state = &mut self.dies[die.index()];
        let bytes = state.command.1;
        match state.fed_by.take() {
            Some(from) => self.has_been_copied(from, now),
            None => self.count_memory(die, bytes, usize::MAX),
        }
        let state = &mut self.dies[die.index()];
        for &id in &state.batch {
            self.ftl.charge_transfer(id, delivery.path_wait, now);
        }
        state.enter(Phase::Array, now);
        let ends = now + state.array_time;
        state.array_ends = Some(ends);
        self.recorder.array_begins(self.homes[die.index()].chip, now);
        future.schedule(ends, Event::ArrayDone(die));
    }

    /// Data of a page is at a controller.
    #[inline]
    fn data_has_come(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        let bytes = self.ftl.bytes_out(self.dies[die.index()].batch[0]);
        self.count_memory(die, bytes, 1);
        let id = self.dies[die.index()].batch.remove(0);
        self.ftl.charge_transfer(id, delivery.path_wait, now);
        self.data_is_out(die, id, now, future);
    }

    /// Bytes of the first pages of a die's batch have entered the drive's memory or left it, but for those that collection moves past
    /// it.
    #[inline]
    fn count_memory(&mut self, die: DieId, bytes: u32, pages: usize) {
        let mut past = 0;
        if bytes > 0 && self.fabric.features().moves_past_memory {
            let batch = &self.dies[die.index()].batch;
            let moved = self.moved(&batch[..pages.min(batch.len())], self.chip_of(die));
            past = moved.map_or(0, |moved| moved.bytes);
        }
        self.recorder.memory_bytes += u64::from(bytes - past);
    }

    /// A transfer found no path after all: its time was path wait, and it is offered again later.
    pub(super) fn bounced(&mut self, die: DieId, now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.conflicted = true;
        if state.phase == Phase::Commanding {
            for index in 0..state.batch.len() {
                self.ftl.charge_path_wait(state.batch[index], now);
            }
            state.enter(Phase::CommandBounced, now);
            self.has_work(die);
        } else if state.phase != Phase::DataOut {
            self.suspension_bounced(die, now);
        } else {
            self.ftl.charge_path_wait(state.batch[0], now);
            state.enter(Phase::DataReady, now);
            self.wants_data_out(die, true);
        }
    }

    /// The die's array has finished, unless its operation was suspended since this was foreseen.
    pub(super) fn array_done(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        let state = &mut self.dies[die.index()];
        if state.array_ends != Some(now) {
            return;
        }
        state.array_ends = None;
        self.recorder.last_work = now;
        self.recorder.array_ends(self.homes[die.index()].chip, now);
        let state = &self.dies[die.index()];
        if state.phase != Phase::Array {
            return self.suspension_step_done(die, now, future);
        }
        match state.operation {
            Operation::Read => self.register_is_full(die, now),
            Operation::Copyback => self.program_register(die, now),
            Operation::Combine if self.ftl.gives_result(state.batch[0]) => self.register_is_full(die, now),
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
        let first = self.dies[die.index()].batch[0];
        let since = if self.arbiter.goes_by_age() { self.ftl.asked_since(first) } else { now };
        let state = &mut self.dies[die.index()];
        state.data_turn = (self.ftl.data_for(first), since);
        state.enter(Phase::DataReady, now);
        self.wants_data_out(die, false);
    }

    /// A copyback has its pages in their registers: the command to program them waits for a path.
    fn program_register(&mut self, die: DieId, now: SimTime) {
        self.charge_array(die, now);
        let state = &mut self.dies[die.index()];
        state.operation = Operation::Program;
        state.command = (self.flash.commands.program[state.batch.len() - 1], 0);
        state.array_time = state.then_program;
        state.enter(Phase::CommandReady, now);
        self.has_work(die);
    }

    /// The time since the last charge was spent in the die's array.
    #[inline]
    pub(super) fn charge_array(&mut self, die: DieId, now: SimTime) {
        for &id in &self.dies[die.index()].batch {
            self.ftl.clock_mut(id).charge(Stage::Array, now);
        }
    }

    /// A program or erase is done.
    pub(super) fn finish_batch(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        self.charge_array(die, now);
        for index in 0..self.dies[die.index()].batch.len() {
            let id = self.dies[die.index()].batch[index];
            self.finish(id, now, future);
        }
        self.dies[die.index()].batch.clear();
    }

    fn data_is_out(&mut self, die: DieId, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.recorder.closely.is_some() {
            self.note_end(id);
        }
        if let Some(page) = self.ftl.finish(id, now) {
            // What gathers give leaves the register of a die that combined it.
            let is_read = self.dies[die.index()].operation == Operation::Read;
            if is_read && matches!(page.origin, Origin::Request(_)) {
                self.recorder.page_read(self.chip_of(die), page.clock.total());
            }
            self.page_finished(&page, now, future);
        }
        self.goes_on_after_data(die, now);
    }

    /// A page has left the registers of a die: there is another one, or the read is over.
    pub(super) fn goes_on_after_data(&mut self, die: DieId, now: SimTime) {
        if self.dies[die.index()].batch.is_empty() {
            self.becomes_idle(die, now);
        } else {
            self.dies[die.index()].enter(Phase::DataReady, now);
            self.wants_data_out(die, true);
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
        let has_parked = self.dies[die.index()].has_parked;
        let id = self.homes[die.index()].chip;
        let chip = &mut self.chips[id.index()];
        chip.active_dies -= u32::from(!has_parked);
        if chip.active_dies == 0 {
            self.recorder.chip_worked(id, chip.active_since, now);
        }
        self.becomes_free(die, now);
    }

    /// The die may take a command.
    pub(super) fn becomes_free(&mut self, die: DieId, now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.enter(if state.has_parked { Phase::Suspended } else { Phase::Idle }, now);
        let chip = self.chip_of(die);
        self.chips[chip.index()].die_free_since = now;
        if self.recorder.closely.is_some() {
            self.note_freedom(die, now);
        }
        self.has_work(die);
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
