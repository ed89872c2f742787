//! Pages that move from chip to chip, without a controller: those of collection, and operands of gathers.
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
//!
//! An operand of a gather has one target, which is busy as a rule: it combines the operands that came before. So an operand may wait in its
//! register while its target is at something that ends by itself, and goes by a controller where the target holds
//! an operand for another chip, or as soon as something else waits for its own die. Whoever waits thus waits for somebody who does not: chains have one link, and there is nothing to
//! deadlock here either. A page that waits goes before its target's next command.

use venice_kernel::SimTime;

use crate::chip::{ArrayWork, DataFor, Issue, Operation, WireWork};
use crate::controller::data_for;
use crate::fabric::{DomainId, Fabric, Offer};
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};
use crate::observe::{Departure, Probe};

use super::Device;
use super::paths::command_transfer;

/// Which pages are offered to other chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moving {
    /// Operands of gathers.
    Operands,
    /// Pages of collection.
    Collection,
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Offers pages that wait in registers to other chips, on a fabric that joins chips.
    pub(super) fn serve_copies(&mut self, domain: DomainId, moving: Moving, now: SimTime) {
        if moving == Moving::Operands && !self.ftl.gathers() {
            return;
        }
        let mut place = 0;
        while let Some(&die) = self.arbiter.domains[domain.0 as usize].data_ready.get(place) {
            let chip = self.chip_of(die);
            if !self.chips.pins_are_busy(chip) && self.is_copied(die, moving, now) {
                self.arbiter.domains[domain.0 as usize].data_ready.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Whether the page that waits in a die's register is on its way to another chip now. Its own chip's pins are free.
    fn is_copied(&mut self, from: DieId, moving: Moving, now: SimTime) -> bool {
        let (source, read) = (self.chip_of(from), self.chips.die(from).batch()[0]);
        if self.is_lost(source) {
            return false;
        }
        let plane = match moving {
            Moving::Operands => self.operand_destination(source, read),
            Moving::Collection => self.collection_destination(source, read),
        };
        let Some(plane) = plane else { return false };
        let die = self.geometry.die_of(plane);
        let wires = WireWork {
            command: self.chips.settings().commands.program[0],
            bytes: self.ftl.transactions.get(read).bytes,
        };
        let transfer = command_transfer(die, self.chip_of(die), wires, false, None);
        if self.fabric.offer_copy(&transfer, source, now, &mut self.outbox) != Offer::Accepted {
            return false;
        }
        let ready = self.chips.waits_since(from, source);
        let departure = Departure { die: from, id: read, ready, for_pins: true };
        self.probes.on_departure(&departure, &self.ftl, now);
        let conflict = self.ftl.transactions.get_mut(read).charge_wait(ready, now);
        let (operation, (write, work)) = self.start_moved(read, plane, now);
        if moving == Moving::Operands {
            self.probes.on_passing_on(read, write, now);
        }
        let fed_by = Some(from);
        self.begin(
            die,
            &Issue { operation, batch: &[write], wires, work, fed_by, conflicted: conflict },
            now,
        );
        self.take_pins(from, source, now);
        self.chips.data_goes_out(from, false, now);
        true
    }

    /// What begins at the destination.
    fn start_moved(
        &mut self,
        read: TransactionId,
        plane: PlaneId,
        now: SimTime,
    ) -> (Operation, (TransactionId, ArrayWork)) {
        match self.ftl.start_load(read, now) {
            Some(load) => (Operation::Combine, load),
            None => (Operation::Program, self.ftl.start_copy(read, plane, now)),
        }
    }

    /// Where a page of collection may go at once.
    fn collection_destination(&mut self, source: ChipId, read: TransactionId) -> Option<PlaneId> {
        if data_for(self.ftl.transactions.get(read)) != DataFor::Collection {
            return None;
        }
        let Self { ftl, fabric, chips, homes, .. } = self;
        ftl.copy_destination(read, |die: DieId| {
            let chip = homes[die.index()].chip;
            chips.takes_page(die) && fabric.joins(source, chip)
        })
    }

    /// The target of an operand, if it can take it at once.
    fn operand_destination(&self, source: ChipId, read: TransactionId) -> Option<PlaneId> {
        let plane = self.ftl.operand_target(read)?;
        let die = self.geometry.die_of(plane);
        (self.fabric.joins(source, self.chip_of(die)) && self.chips.takes_page(die)).then_some(plane)
    }

    /// Whether the page that waits in a die's register is an operand that goes to its target as soon as that can take it.
    #[inline]
    pub(super) fn waits_for_target(&self, from: DieId) -> bool {
        self.fabric.features().copies && self.ftl.gathers() && self.waits_for_busy_target(from)
    }

    fn waits_for_busy_target(&self, from: DieId) -> bool {
        let Some(plane) = self.ftl.operand_target(self.chips.die(from).batch()[0]) else { return false };
        if !self.ftl.operand_waits(from) {
            return false;
        }
        let die = self.geometry.die_of(plane);
        let (source, chip) = (self.chip_of(from), self.chip_of(die));
        self.fabric.joins(source, chip) && !self.chips.takes_page(die) && !self.holds_operand(chip)
    }

    /// Something else waits for a die that may have an operand in its register: it may have to go by a controller now.
    pub(super) fn operand_may_go(&mut self, die: DieId) {
        if self.chips.die(die).has_data() && self.waits_somewhere(die) {
            self.arbiter.touch(self.homes[die.index()].domain);
        }
    }

    fn waits_somewhere(&self, die: DieId) -> bool {
        self.fabric.features().copies && self.ftl.operand_target(self.chips.die(die).batch()[0]).is_some()
    }

    /// Whether a die of this chip has an operand in its register that waits for another chip.
    fn holds_operand(&self, chip: ChipId) -> bool {
        self.chips.states_of(chip).iter().any(|die| die.has_data() && self.has_operand(die.batch()))
    }

    /// The page has left the register of `from`.
    pub(super) fn on_copied(&mut self, from: DieId, now: SimTime) {
        self.free_pins(from, now);
        let read = self.chips.data_left(from);
        self.ftl.copied(read, now);
        self.goes_on_after_data(from, now);
    }
}
