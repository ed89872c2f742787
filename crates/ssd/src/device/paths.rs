//! Offering transfers to the fabric, and hearing how they ended.

use std::ops::Range;

use venice_kernel::{EventQueue, SimTime};

use crate::chip::{Accepts, ArrayWork, DataFor, DieWork, Issue, Operation, WireWork};
use crate::controller::data_for;
use crate::controller::queues::Command;
use crate::fabric::{Direction, DomainId, Fabric, FabricEvent, Moved, Offer, Transfer};
use crate::geometry::{ChipId, DieId, TransactionId};
use crate::observe::{Departure, Probe, Reasons};

use super::copies::Moving;
use super::{Device, Event, Home};

/// Which commands are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    WithoutData,
}

/// What came of looking for a chip's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tried {
    /// There is one, and the fabric was asked.
    Offered(Offer),
    /// There is one, but it carries data, and is not looked for.
    PassedOver,
    /// There is none.
    HasNone,
}

impl From<Option<Offer>> for Tried {
    fn from(offer: Option<Offer>) -> Self {
        offer.map_or(Self::HasNone, Self::Offered)
    }
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Offers whatever became possible during the present event, until nothing more is accepted.
    #[inline]
    pub(super) fn offer_work(&mut self, now: SimTime, future: &mut EventQueue<Event>) {
        if self.ftl.queues.has_ready_dies() || self.arbiter.has_to_serve() {
            self.serve_all(now);
        }
        while self.losses.is_some() && self.answer_lost(now, future) {
            self.serve_all(now);
        }
        for &(at, event) in &self.outbox.scheduled {
            future.schedule(at, Event::Fabric(event));
        }
        self.outbox.scheduled.clear();
    }

    fn serve_all(&mut self, now: SimTime) {
        loop {
            self.take_up_ready_dies();
            let Some(domain) = self.arbiter.next_to_serve() else { break };
            self.serve(domain, now);
        }
    }

    /// Hands on which dies have got something to do.
    #[inline]
    fn take_up_ready_dies(&mut self) {
        while let Some(die) = self.ftl.queues.next_ready_die() {
            if self.takes_work(die) {
                self.on_work(die);
            } else if self.ftl.gathers() {
                self.operand_may_go(die);
            }
        }
        if self.ftl.queues.looks_everywhere() && self.ftl.queues.have_come() {
            self.arbiter.touch_all();
        }
    }

    /// A private event of the fabric, and what follows for the transfers that it ends.
    pub(super) fn fabric_event(&mut self, event: FabricEvent, now: SimTime, future: &mut EventQueue<Event>) {
        self.fabric.handle(event, now, &mut self.outbox);
        for index in 0..self.outbox.delivered.len() {
            let delivery = self.outbox.delivered[index];
            self.free_pins(delivery.die, now);
            self.delivered(&delivery, now, future);
        }
        self.outbox.delivered.clear();
        for index in 0..self.outbox.bounced.len() {
            let die = self.outbox.bounced[index];
            self.free_pins(die, now);
            self.bounced(die, now);
        }
        self.outbox.bounced.clear();
        for index in 0..self.outbox.woken.len() {
            self.arbiter.wake(self.outbox.woken[index]);
        }
        self.outbox.woken.clear();
    }

    /// The die, or its chip's pins, became free or got something to do. While the pins are busy that changes nothing, and
    /// when they become free it is said once more.
    #[inline]
    pub(super) fn on_work(&mut self, die: DieId) {
        let Home { chip, domain } = self.homes[die.index()];
        if self.chips.pins_are_busy(chip) {
            return;
        }
        if self.asks_all_chips || self.may_have_command(chip) {
            self.arbiter.eager.insert(chip);
        }
        self.arbiter.touch(domain);
    }

    /// Whether a chip whose operations are never suspended may have a command to send, as far as is known without forming it.
    #[inline]
    fn may_have_command(&self, chip: ChipId) -> bool {
        self.chips.states_of(chip).iter().zip(self.chips.dies_of(chip)).any(|(state, die)| {
            match state.accepts() {
                Accepts::Command => self.ftl.queues.waits_for(DieId(die)),
                Accepts::ItsCommand => true,
                _ => false,
            }
        })
    }

    /// The die's data waits in the page register. It goes behind data of the same turn, unless the die has
    /// been `served` already: pages of several planes follow each other.
    pub(super) fn wants_data_out(&mut self, die: DieId, served: bool) {
        let Home { domain, .. } = self.homes[die.index()];
        let (chips, turn) = (&self.chips, self.chips.die(die).data_turn());
        let is_later = |other: DieId| {
            let others = chips.die(other).data_turn();
            others > turn || (served && others == turn)
        };
        self.arbiter.data_is_ready(domain, die, is_later);
        self.arbiter.touch(domain);
    }

    pub(super) fn free_pins(&mut self, die: DieId, now: SimTime) {
        let id = self.homes[die.index()].chip;
        self.chips.free_pins(id, now);
        self.probes.on_pins_free(id, now);
        self.on_work(die);
    }

    /// A transfer keeps a chip's pins busy from now on.
    #[inline]
    pub(super) fn take_pins(&mut self, die: DieId, chip: ChipId, now: SimTime) {
        self.chips.take_pins(chip);
        self.probes.on_pins_taken(die, chip, now);
    }

    fn serve(&mut self, domain: DomainId, now: SimTime) {
        let copies = self.fabric.features().copies;
        // Asked again only behind an offer.
        let mut is_full = self.is_full(domain);
        if !copies && is_full && !self.paths_are_held {
            return;
        }
        if copies {
            // A page that has waited for its target goes before the target's next command.
            self.serve_copies(domain, Moving::Operands, now);
            is_full = self.is_full(domain);
        }
        if self.arbiter.commands_first {
            self.serve_commands(domain, Which::WithoutData, is_full, now);
            self.arbiter.end_passing_over();
            is_full = self.is_full(domain);
        }
        if copies {
            self.serve_copies(domain, Moving::Collection, now);
            is_full = self.is_full(domain);
        }
        if !self.arbiter.domains[domain.0 as usize].data_ready.is_empty() {
            self.serve_data(domain, now);
            is_full = self.is_full(domain);
        }
        self.serve_commands(domain, Which::All, is_full, now);
    }

    /// Offers commands of chips in their turn, unless the domain `is_full` already.
    fn serve_commands(&mut self, domain: DomainId, which: Which, is_full: bool, now: SimTime) {
        if self.ftl.queues.looks_everywhere() {
            self.arbiter.ask_all(domain);
        }
        let mut is_full = is_full;
        while !is_full && let Some(chip) = self.arbiter.next_in_turn(domain) {
            if self.refuses(chip, now) && !self.is_lost(chip) {
                self.arbiter.refused.insert(chip);
                continue;
            }
            match self.offer_command(chip, which, now) {
                Tried::Offered(offer) => {
                    match offer {
                        Offer::Accepted => self.arbiter.accepted(domain, chip),
                        refusal => self.refused(domain, chip, refusal),
                    }
                    is_full = self.is_full(domain);
                }
                Tried::PassedOver => self.arbiter.pass_over(chip),
                Tried::HasNone => self.arbiter.eager.remove(chip),
            }
        }
    }

    /// Offers data that waits: first what finds its nearest controller free, where the fabric asks for that.
    fn serve_data(&mut self, domain: DomainId, now: SimTime) {
        if !self.fabric.features().puts_off_chips || self.serve_data_that(domain, now, true) {
            self.serve_data_that(domain, now, false);
        }
    }

    /// Offers data, all or what is `near` only; whether some was left for being far.
    fn serve_data_that(&mut self, domain: DomainId, now: SimTime, near: bool) -> bool {
        let (mut place, mut has_far, mut has_room) = (0, false, self.has_room(domain));
        while has_room && let Some(&die) = self.arbiter.domains[domain.0 as usize].data_ready.get(place) {
            place += 1;
            let chip = self.chip_of(die);
            if near && self.fabric.puts_off(chip) {
                has_far = true;
                continue;
            }
            let waits = self.waits_for_target(die);
            if waits || self.chips.pins_are_busy(chip) || !self.may_go(die, chip, domain, now) {
                continue;
            }
            match self.offer_data(die, now) {
                Offer::Accepted => {
                    place -= 1;
                    self.arbiter.domains[domain.0 as usize].data_ready.remove(place);
                }
                refusal => self.refused(domain, chip, refusal),
            }
            has_room = self.has_room(domain);
        }
        has_far && has_room
    }

    /// Whether some data of this domain may find a path. One that is held for a die is there even if nothing else is.
    #[inline]
    fn has_room(&self, domain: DomainId) -> bool {
        self.paths_are_held || !self.is_full(domain)
    }

    /// Whether nothing of this domain finds a path now, unless one is held for it. Only an offer changes that during an event.
    #[inline]
    fn is_full(&self, domain: DomainId) -> bool {
        self.arbiter.domains[domain.0 as usize].refused || self.takes_nothing(domain)
    }

    /// Whether this die's data, whose domain has room, may find a path, as far as is known without asking for one.
    #[inline]
    fn may_go(&self, die: DieId, chip: ChipId, domain: DomainId, now: SimTime) -> bool {
        let refused = self.arbiter.domains[domain.0 as usize].refused
            || self.arbiter.refused.contains(chip)
            || (self.paths_are_held && self.fabric.takes_nothing(domain))
            || self.refuses(chip, now);
        !refused || self.fabric.holds_path(die) || self.is_lost(chip)
    }

    /// Whether the fabric knows of a chip that none of its transfers for which no path is held succeeds now.
    #[inline]
    fn refuses(&self, chip: ChipId, now: SimTime) -> bool {
        self.fabric.features().refuses_chips && self.fabric.refuses(chip, now)
    }

    fn refused(&mut self, domain: DomainId, chip: ChipId, refusal: Offer) {
        match refusal {
            Offer::DomainBusy => self.arbiter.domains[domain.0 as usize].refused = true,
            _ => self.arbiter.refused.insert(chip),
        }
    }

    fn offer_data(&mut self, die: DieId, now: SimTime) -> Offer {
        let chip = self.chip_of(die);
        let batch = self.chips.die(die).batch();
        let transaction = batch[0];
        let transfer = Transfer {
            die,
            chip,
            direction: Direction::FromChip,
            command: self.chips.settings().commands.data_out,
            bytes: self.ftl.transactions.get(transaction).bytes,
            more_follows: self.keeps_path_for(&batch[1..]),
            moved: self.moved(&batch[..1], chip),
        };
        self.tell_age(transaction, chip);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            let ready = self.chips.waits_since(die, chip);
            let departure = Departure { die, id: transaction, ready, for_pins: true };
            self.probes.on_departure(&departure, &self.ftl, now);
            let conflict = self.ftl.transactions.get_mut(transaction).charge_wait(ready, now);
            self.take_pins(die, chip, now);
            self.chips.data_goes_out(die, conflict, now);
        }
        offer
    }

    /// Offers a command of one of the chip's dies, if one of these has any to send now.
    fn offer_command(&mut self, chip: ChipId, which: Which, now: SimTime) -> Tried {
        let dies = self.chips.dies_of(chip);
        if self.chips.pins_are_busy(chip) {
            self.ftl.look_past(dies);
            return Tried::HasNone;
        }
        if let Some(die) = dies.clone().map(DieId).find(|&die| self.has_command(die)) {
            let carries_data = self.chips.die(die).wires().bytes > 0;
            if which == Which::WithoutData && carries_data {
                return Tried::PassedOver;
            }
            return Tried::Offered(self.offer_again(die, chip, now));
        }
        match self.chips.settings().die_work {
            DieWork::OneAtATime => self.offer_for_chip(dies, chip, which, now),
            DieWork::Independent => dies
                .map(|die| self.offer_for_die(DieId(die), chip, which, now))
                .find(|tried| *tried != Tried::HasNone)
                .unwrap_or(Tried::HasNone),
        }
    }

    /// Whether a command of this die has been formed and waits for a path.
    fn has_command(&self, die: DieId) -> bool {
        self.chips.die(die).accepts() == Accepts::ItsCommand
    }

    fn offer_for_die(&mut self, die: DieId, chip: ChipId, which: Which, now: SimTime) -> Tried {
        let only = die.0..die.0 + 1;
        match self.chips.die(die).accepts() {
            Accepts::Command => self.offer_new_command(only, chip, which, now),
            Accepts::Suspend | Accepts::PassingOrResume if self.suspends() => {
                self.offer_beside(die, only, chip, now).into()
            }
            _ => {
                self.ftl.look_past(only);
                Tried::HasNone
            }
        }
    }

    /// For a chip whose dies work one at a time; one with a suspended operation does not count as working.
    fn offer_for_chip(&mut self, dies: Range<u32>, chip: ChipId, which: Which, now: SimTime) -> Tried {
        if self.chips.is_at_rest(chip) {
            return self.offer_new_command(dies, chip, which, now);
        }
        if !self.suspends() {
            self.ftl.look_past(dies);
            return Tried::HasNone;
        }
        let mut active = dies.clone().filter(|&die| !self.chips.die(DieId(die)).is_idle());
        let (Some(die), None) = (active.next(), active.next()) else { return Tried::HasNone };
        drop(active);
        self.offer_beside(DieId(die), dies, chip, now).into()
    }

    fn offer_new_command(&mut self, dies: Range<u32>, chip: ChipId, which: Which, now: SimTime) -> Tried {
        let Some((die, command)) = self.ftl.next_command(dies, now) else { return Tried::HasNone };
        if which == Which::WithoutData && command.bytes > 0 {
            return Tried::PassedOver;
        }
        Tried::Offered(self.offer_started(die, chip, &command, now))
    }

    /// Offers a die's next command; if it is accepted, the die starts it.
    pub(super) fn offer_started(
        &mut self,
        die: DieId,
        chip: ChipId,
        command: &Command,
        now: SimTime,
    ) -> Offer {
        let keeps_path = command.operation == Operation::Read && !self.may_be_copied(&command.batch);
        let moved = if command.bytes == 0 { None } else { self.moved(&command.batch, chip) };
        let wires = WireWork { command: command.command, bytes: command.bytes };
        let transfer = command_transfer(die, chip, wires, keeps_path, moved);
        if let Some(&first) = command.batch.first() {
            self.tell_age(first, chip);
        }
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            let ready = self.chips.ready_since(die, chip);
            let mut conflicted = false;
            for &id in &command.batch {
                let departure = Departure { die, id, ready, for_pins: false };
                self.probes.on_departure(&departure, &self.ftl, now);
                let ready = ready.max(self.ftl.no_room_until(id));
                conflicted |= self.ftl.transactions.get_mut(id).charge_wait(ready, now);
            }
            let mut work = self.ftl.start(die, command, now);
            if self.is_lost(chip) {
                work = ArrayWork::default();
            }
            let issue = Issue {
                operation: command.operation,
                batch: &command.batch,
                wires,
                work,
                fed_by: None,
                conflicted,
            };
            self.begin(die, &issue, now);
        }
        offer
    }

    /// Whether what is read may go to another chip: such a page must not keep its chip's path to a controller.
    fn may_be_copied(&self, batch: &[TransactionId]) -> bool {
        let of_collection = |id| data_for(self.ftl.transactions.get(id)) == DataFor::Collection;
        self.fabric.features().copies
            && (batch.first().is_some_and(|&lead| of_collection(lead)) || self.has_operand(batch))
    }

    /// Whether a die whose data has the path keeps it for these pages, which follow: not for an operand, which may wait for its target.
    fn keeps_path_for(&self, pages: &[TransactionId]) -> bool {
        let may_wait = self.fabric.features().copies && self.has_operand(pages);
        !pages.is_empty() && !may_wait
    }

    pub(super) fn has_operand(&self, batch: &[TransactionId]) -> bool {
        batch.iter().any(|&id| self.ftl.operand_target(id).is_some())
    }

    /// Tells a fabric that asks since when a page has been asked for.
    #[inline]
    fn tell_age(&mut self, id: TransactionId, chip: ChipId) {
        if self.fabric.features().asks_for_age {
            let since = self.ftl.transactions.get(id).asked_since();
            self.fabric.next_is_of(chip, since);
        }
    }

    /// The pages among these that collection moves, for a fabric that asks. Those of several chips count as if all came from the
    /// one that is the most rows away from `chip`.
    #[inline]
    pub(super) fn moved(&self, batch: &[TransactionId], chip: ChipId) -> Option<Moved> {
        if !self.fabric.features().asks_what_is_moved {
            return None;
        }
        let (mut bytes, mut from) = (0, chip);
        let rows = |other| self.geometry.array.row(other).abs_diff(self.geometry.array.row(chip));
        for &id in batch {
            let Some(page) = self.ftl.transactions.get(id).moved_page(&self.geometry) else { continue };
            bytes += page.bytes;
            let source = self.chip_of(page.from);
            from = if rows(source) > rows(from) { source } else { from };
        }
        (bytes > 0).then_some(Moved { bytes, from })
    }

    fn offer_again(&mut self, die: DieId, chip: ChipId, now: SimTime) -> Offer {
        let state = self.chips.die(die);
        let keeps_path = state.operation() == Operation::Read && !self.may_be_copied(state.batch());
        let moved = if state.wires().bytes == 0 { None } else { self.moved(state.batch(), chip) };
        let transfer = command_transfer(die, chip, state.wires(), keeps_path, moved);
        self.tell_age(state.batch()[0], chip);
        let offer = self.offer_to_fabric(&transfer, now);
        if offer == Offer::Accepted {
            let conflicted = self.charge_command_wait(die, chip, now);
            self.take_pins(die, chip, now);
            self.chips.formed_command_goes_out(die, conflicted, now);
        }
        offer
    }

    /// A formed command is on its way at last: one that bounced had found no path, another may have. Whether it had to wait for it.
    fn charge_command_wait(&mut self, die: DieId, chip: ChipId, now: SimTime) -> bool {
        let (ready, bounced) = (self.chips.waits_since(die, chip), self.chips.die(die).has_bounced());
        let mut conflict = bounced;
        for &id in self.chips.die(die).batch() {
            if bounced {
                self.ftl.transactions.get_mut(id).charge_path_wait(now);
            } else {
                let departure = Departure { die, id, ready, for_pins: true };
                self.probes.on_departure(&departure, &self.ftl, now);
                conflict |= self.ftl.transactions.get_mut(id).charge_wait(ready, now);
            }
        }
        conflict
    }
}

pub(super) fn command_transfer(
    die: DieId,
    chip: ChipId,
    wires: WireWork,
    more_follows: bool,
    moved: Option<Moved>,
) -> Transfer {
    let WireWork { command, bytes } = wires;
    Transfer { die, chip, direction: Direction::ToChip, command, bytes, more_follows, moved }
}
