//! The course of a die's command: wires, array, wires, idle.

use venice_kernel::{EventQueue, SimSpan, SimTime};

use crate::accounting::Stage;
use crate::fabric::Delivery;
use crate::flash::{Operation, Phase};
use crate::ftl::Command;
use crate::geometry::{DieId, TransactionId};

use super::{Device, Event};

impl Device {
    /// The fabric took the die's command: the die is busy from now on.
    pub(super) fn begin(&mut self, die: DieId, command: &Command, array_time: SimSpan, now: SimTime) {
        let chip = &mut self.chips[self.geometry.chip_of(die).index()];
        chip.pins_busy = true;
        if chip.active_dies == 0 {
            chip.active_since = now;
        }
        chip.active_dies += 1;
        let planes = command.batch.len() as u64;
        let arrays = &mut self.recorder.arrays;
        let busy = match command.operation {
            Operation::Read => &mut arrays.read,
            Operation::Program => &mut arrays.program,
            Operation::Erase => &mut arrays.erase,
        };
        *busy += array_time * planes;
        let state = &mut self.dies[die.index()];
        state.enter(Phase::Commanding, now);
        state.operation = command.operation;
        state.batch.clone_from(&command.batch);
        state.command = (command.command, command.bytes);
        state.array_time = array_time;
    }

    /// A transfer of the die has reached its end.
    pub(super) fn delivered(&mut self, delivery: &Delivery, now: SimTime, future: &mut EventQueue<Event>) {
        let die = delivery.die;
        let conflict = std::mem::take(&mut self.dies[die.index()].conflicted);
        let time = now.since(self.dies[die.index()].since);
        self.recorder.transfer_ended(delivery, time, conflict);
        if self.dies[die.index()].phase == Phase::Commanding {
            for index in 0..self.dies[die.index()].batch.len() {
                let id = self.dies[die.index()].batch[index];
                self.ftl.charge_transfer(id, delivery.path_wait, now);
            }
            let state = &mut self.dies[die.index()];
            state.enter(Phase::Array, now);
            future.schedule(now + state.array_time, Event::ArrayDone(die));
        } else {
            let id = self.dies[die.index()].batch.remove(0);
            self.ftl.charge_transfer(id, delivery.path_wait, now);
            self.data_is_out(die, id, now, future);
        }
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
        } else {
            self.ftl.charge_path_wait(state.batch[0], now);
            state.enter(Phase::DataReady, now);
            self.wants_data_out(die);
        }
    }

    /// The die's array has finished.
    pub(super) fn array_done(&mut self, die: DieId, now: SimTime, future: &mut EventQueue<Event>) {
        let state = &mut self.dies[die.index()];
        for &id in &state.batch {
            self.ftl.clock_mut(id).charge(Stage::Array, now);
        }
        if state.operation == Operation::Read {
            state.enter(Phase::DataReady, now);
            self.wants_data_out(die);
            return;
        }
        for index in 0..self.dies[die.index()].batch.len() {
            let id = self.dies[die.index()].batch[index];
            self.finish(id, now, future);
        }
        self.dies[die.index()].batch.clear();
        self.becomes_idle(die, now);
    }

    fn data_is_out(&mut self, die: DieId, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        self.finish(id, now, future);
        if self.dies[die.index()].batch.is_empty() {
            self.becomes_idle(die, now);
        } else {
            self.dies[die.index()].enter(Phase::DataReady, now);
            self.wants_data_out(die);
        }
    }

    fn finish(&mut self, id: TransactionId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(page) = self.ftl.finish(id, now) {
            self.page_finished(&page, now, future);
        }
    }

    fn becomes_idle(&mut self, die: DieId, now: SimTime) {
        self.dies[die.index()].enter(Phase::Idle, now);
        let chip = &mut self.chips[self.geometry.chip_of(die).index()];
        chip.active_dies -= 1;
        if chip.active_dies == 0 {
            self.recorder.chip_busy += now.since(chip.active_since);
        }
        self.has_work(die);
    }
}
