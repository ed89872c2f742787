//! What sets out for a die, or from it: new commands, formed ones that wait, data.
//!
//! # How
//! A transfer is formed and offered to the fabric. If it is taken, the time that its transactions have waited is given to stages, who
//! looks is told, and the die goes on; if not, nothing has changed.

use venice_kernel::SimTime;

use crate::chip::{Accepts, ArrayWork, Die, DieWork, Issue, Operation, Sent, WireWork};
use crate::fabric::{Direction, Fabric, Moved, Offer, Transfer};
use crate::geometry::{ChipId, DieId, TransactionId};
use crate::observe::{CommandStart, Departure, Probe, Reasons};

use super::between_chips::{has_operand, may_be_copied};
use super::dies::Dies;
use super::{Above, Command, Orders};

impl<F: Fabric + ?Sized> Dies<F> {
    /// Whether work that arrived for a die might be taken now: the die is free, or may become so by suspending what it does.
    #[inline]
    pub(super) fn take_work(&self, die: DieId) -> bool {
        match self.chips.die(die).accepts() {
            Accepts::Command | Accepts::PassingOrResume => true,
            Accepts::Suspend => self.chips.settings().suspension.is_some(),
            Accepts::ItsCommand | Accepts::Nothing => false,
        }
    }

    /// Whether a chip whose operations are never suspended may have a command to send, as far as is known without forming it.
    #[inline]
    pub(super) fn may_have_command(&self, chip: ChipId, orders: &impl Orders) -> bool {
        let package = self.chips.package(chip);
        if package.has_formed_command() {
            return true;
        }
        if self.chips.settings().die_work == DieWork::OneAtATime {
            // All of them are free, or none takes anything.
            return package.is_at_rest() && self.chips.dies_of(chip).any(|die| orders.waits_for(DieId(die)));
        }
        let mut dies = (self.chips.dies_of(chip).start..).zip(self.chips.states_of(chip));
        let has_work =
            |(die, state): (u32, &Die)| state.accepts() == Accepts::Command && orders.waits_for(DieId(die));
        dies.any(has_work)
    }

    /// Offers a die's next command, which may pass the suspended operation of a die; if it is accepted, the die starts it.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "where it is called it is known whether the command passes another"
    )]
    pub(super) fn offer_new<A: Above>(
        &mut self,
        die: DieId,
        (command, passes): (&Command, Option<DieId>),
        above: &mut A,
        now: SimTime,
    ) -> Offer {
        let (chip, orders) = (self.paths.chip_of(die), above.orders());
        let all = orders.transactions();
        // A page that may go to another chip must not keep its chip's path to a controller.
        let keeps_path = command.operation == Operation::Read
            && !(self.paths.fabric().features().copies && may_be_copied(&command.batch, orders));
        let moved = if command.bytes == 0 { None } else { self.paths.moved(all, &command.batch, chip) };
        let wires = WireWork { command: command.command, bytes: command.bytes };
        let transfer = command_transfer((die, chip), wires, keeps_path, moved);
        if let Some(&first) = command.batch.first() {
            self.paths.tell_age(all, first, chip);
        }
        let offer = self.paths.offer(&transfer, now);
        if offer == Offer::Accepted {
            let conflicted = self.charge_new(die, &command.batch, above, now);
            let mut work = above.orders_mut().start(die, command, now);
            if self.paths.losses().is_lost(chip) {
                work = ArrayWork::default();
            }
            let (operation, batch) = (command.operation, &command.batch[..]);
            self.begin(
                die,
                &Issue { operation, batch, wires, work, fed_by: None, conflicted, passes },
                above,
                now,
            );
        }
        offer
    }

    /// A new command goes out: the wait of its transactions is over. Whether one of them had to wait for a path.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every command")]
    fn charge_new<A: Above>(&self, die: DieId, batch: &[TransactionId], above: &mut A, now: SimTime) -> bool {
        let ready = self.chips.ready_since(die);
        let mut conflicted = false;
        for &id in batch {
            let (probes, reasons) = above.observed();
            probes.on_departure(&Departure { die, id, ready, for_pins: false }, reasons, now);
            // A write is not ready before its plane has room.
            let ready = ready.max(reasons.no_room_until(id));
            conflicted |= above.orders_mut().transactions_mut().get_mut(id).charge_wait(ready, now);
        }
        conflicted
    }

    /// The fabric took the die's command: the die is busy from now on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every command")]
    pub(super) fn begin<A: Above>(&mut self, die: DieId, issue: &Issue<'_>, above: &mut A, now: SimTime) {
        let is_interleaved = self.chips.issue(die, issue, now);
        let &Issue { operation, batch, work, .. } = issue;
        let chip = self.paths.chip_of(die);
        let (probes, reasons) = above.observed();
        let start = CommandStart { die, chip, operation, batch, work, is_interleaved };
        probes.on_command(&start, reasons, now);
    }

    /// Offers the command that was formed for a die before, and waits.
    pub(super) fn offer_formed<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime) -> Offer {
        let (chip, orders) = (self.paths.chip_of(die), above.orders());
        let (state, all) = (self.chips.die(die), orders.transactions());
        let (wires, batch) = (state.wires(), state.batch());
        let keeps_path = state.operation() == Operation::Read
            && !(self.paths.fabric().features().copies && may_be_copied(batch, orders));
        let moved = if wires.bytes == 0 { None } else { self.paths.moved(all, batch, chip) };
        let transfer = command_transfer((die, chip), wires, keeps_path, moved);
        self.paths.tell_age(all, batch[0], chip);
        let offer = self.paths.offer(&transfer, now);
        if offer == Offer::Accepted {
            let conflicted = self.charge_formed(die, above, now);
            self.sends(die, (Sent::FormedCommand, conflicted), above, now);
        }
        offer
    }

    /// A formed command is on its way at last: one that bounced had found no path, another may have. Whether it had to wait for it.
    fn charge_formed<A: Above>(&self, die: DieId, above: &mut A, now: SimTime) -> bool {
        let (ready, bounced) = (self.chips.waits_since(die), self.chips.die(die).has_bounced());
        let mut conflict = bounced;
        for &id in self.chips.die(die).batch() {
            if bounced {
                above.orders_mut().transactions_mut().get_mut(id).charge_path_wait(now);
            } else {
                conflict |= charge_wait(Departure { die, id, ready, for_pins: true }, above, now);
            }
        }
        conflict
    }

    /// Offers the data of the first page in a die's registers.
    pub(super) fn offer_data<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime) -> Offer {
        let (chip, orders) = (self.paths.chip_of(die), above.orders());
        let (batch, all) = (self.chips.die(die).batch(), orders.transactions());
        let id = batch[0];
        // An operand may wait for its target: it keeps no path.
        let may_wait = self.paths.fabric().features().copies && has_operand(&batch[1..], orders);
        let transfer = Transfer {
            die,
            chip,
            direction: Direction::FromChip,
            command: self.chips.settings().commands.data_out,
            bytes: all.get(id).bytes,
            more_follows: batch.len() > 1 && !may_wait,
            moved: self.paths.moved(all, &batch[..1], chip),
        };
        self.paths.tell_age(all, id, chip);
        let offer = self.paths.offer(&transfer, now);
        if offer == Offer::Accepted {
            let ready = self.chips.waits_since(die);
            let conflicted = charge_wait(Departure { die, id, ready, for_pins: true }, above, now);
            self.sends(die, (Sent::Data, conflicted), above, now);
        }
        offer
    }

    /// Something goes out that the fabric took; whether it met a path conflict.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is sent is known where it is sent")]
    pub(super) fn sends<A: Above>(
        &mut self,
        die: DieId,
        (sent, conflicted): (Sent, bool),
        above: &mut A,
        now: SimTime,
    ) {
        self.chips.sends(die, sent, conflicted, now);
        above.observed().0.on_pins_taken(die, sent, now);
    }
}

/// A wait is over for something that was formed, or lies in a register, since `ready` at the latest. Whether it was for a path.
#[inline]
pub(super) fn charge_wait<A: Above>(departure: Departure, above: &mut A, now: SimTime) -> bool {
    let Departure { id, ready, .. } = departure;
    let (probes, reasons) = above.observed();
    probes.on_departure(&departure, reasons, now);
    above.orders_mut().transactions_mut().get_mut(id).charge_wait(ready, now)
}

/// The transfer of a command to a die.
#[inline]
pub(super) fn command_transfer(
    (die, chip): (DieId, ChipId),
    wires: WireWork,
    more_follows: bool,
    moved: Option<Moved>,
) -> Transfer {
    let WireWork { command, bytes } = wires;
    Transfer { die, chip, direction: Direction::ToChip, command, bytes, more_follows, moved }
}
