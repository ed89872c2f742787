//! Pages that collection moves from chip to chip, without a controller.
//!
//! # How
//! A page of collection waits in the register of its die for a path to a controller, as any data does. Whenever it is served, and
//! the fabric joins its chip to others, it is first offered to a chip: the destination policy chooses among the planes of dies
//! that are idle, have nothing waiting, and whose pins are free. If the fabric takes it, the read is over when the page has left its
//! register, and the program begins when it is there. Otherwise it goes by a controller, and its destination is chosen when it has
//! arrived there.
//!
//! So no die ever waits for another: data in a register always has the way by a controller, on which nothing but links and
//! controllers can be in use, and these are given back in time that is known. Two dies that hold a page for each other would wait
//! for ever; here each sends its page out. The cost is that a page goes by a controller when no die is idle at its instant.

use venice_kernel::SimTime;

use crate::fabric::{DomainId, Fabric, Offer};
use crate::flash::{DataFor, DieWork, Operation, Phase};
use crate::ftl::Command;
use crate::geometry::DieId;

use super::Device;
use super::paths::command_transfer;

impl Device {
    /// Offers pages of collection that wait in registers to other chips, where the fabric joins them.
    #[inline]
    pub(super) fn serve_copies(&mut self, domain: DomainId, now: SimTime) {
        if !self.fabric.copies() {
            return;
        }
        let mut place = 0;
        while let Some(&die) = self.arbiter.domains[domain.0 as usize].data_ready.get(place) {
            let chip = self.chip_of(die);
            if !self.chips[chip.index()].pins_busy && self.is_copied(die, now) {
                self.arbiter.domains[domain.0 as usize].data_ready.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Whether the page that waits in a die's register is on its way to another chip now. Its own chip's pins are free.
    fn is_copied(&mut self, from: DieId, now: SimTime) -> bool {
        let (source, read) = (self.chip_of(from), self.dies[from.index()].batch[0]);
        if self.ftl.data_for(read) != DataFor::Collection || self.is_lost(source) {
            return false;
        }
        let Self { ftl, fabric, dies, chips, homes, flash, .. } = self;
        let takes_it = |die: DieId| {
            let (chip, state) = (homes[die.index()].chip, &dies[die.index()]);
            let is_free = flash.die_work == DieWork::Independent || chips[chip.index()].active_dies == 0;
            state.phase == Phase::Idle
                && is_free
                && !chips[chip.index()].pins_busy
                && fabric.joins(source, chip)
        };
        let Some(plane) = ftl.copy_destination(read, takes_it) else { return false };
        let die = self.geometry.die_of(plane);
        let command = (self.flash.commands.program[0], self.ftl.bytes_out(read));
        let transfer = command_transfer(die, self.chip_of(die), command, false, None);
        if self.fabric.offer_copy(&transfer, source, now, &mut self.outbox) != Offer::Accepted {
            return false;
        }
        let ready = self.dies[from.index()].since.max(self.chips[source.index()].pins_free_since);
        let conflict = self.ftl.charge_wait(read, ready, now);
        let (write, work) = self.ftl.start_copy(read, plane, now);
        let batch = std::iter::once(write).collect();
        let (command, bytes) = command;
        let command = Command { operation: Operation::Program, batch, command, bytes, of_collection: true };
        self.begin(die, &command, work, now);
        let state = &mut self.dies[die.index()];
        (state.fed_by, state.conflicted) = (Some(from), conflict);
        self.chips[source.index()].pins_busy = true;
        self.dies[from.index()].enter(Phase::DataOut, now);
        true
    }

    /// The page has left the register of `from`.
    pub(super) fn has_been_copied(&mut self, from: DieId, now: SimTime) {
        self.free_pins(from, now);
        let state = &mut self.dies[from.index()];
        let read = state.batch.remove(0);
        self.ftl.copied(read);
        self.goes_on_after_data(from, now);
    }
}
