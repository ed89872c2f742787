//! The back end: chips and the paths to them, and whose turn it is.
//!
//! # How
//! Each event moves dies on ([`Dies`]), and says which of them may be sent something, or send something ([`Follows`]). When it is
//! over, [`Backend::offer_work`] offers the fabric whatever became possible, in the order that the [arbiter](super::arbiter) says,
//! until nothing more is accepted.
//!
//! # What it knows
//! Chips, paths and turns. What the work is for, and what becomes of it, [`Above`] says.
//!
//! # Parameters
//! `fabric.first_on_path`, `fabric.hold`

use venice_kernel::{SimSpan, SimTime};

use crate::chip::{Carried, Chips, FlashSettings};
use crate::fabric::{Delivery, DomainId, Ended, Fabric, FabricEvent, FabricSettings, FirstOnPath, Offer};
use crate::geometry::{ChipId, DieId, Geometry};

use super::arbiter::Arbiter;
use super::commands::{Commands, Tried, Which};
use super::copies::{Copied, holds_operand, offer_copy, waits_for_target};
use super::dies::{Dies, Follows};
use super::losses::Losses;
use super::paths::{Home, Paths};
use super::{Above, Orders};

/// Chips, the paths to them, and whose turn it is.
pub struct Backend<F: Fabric + ?Sized> {
    arbiter: Arbiter,
    commands: Commands,
    /// Whether chips are asked for a command even if nothing waits for them: where rows are joined, whose turn is next depends on
    /// who was asked; where operations are suspended, dies at work have commands; and some schedulers count looks.
    asks_all_chips: bool,
    /// The last, since how large it is depends on the fabric.
    dies: Dies<F>,
}

impl<F: Fabric> Backend<F> {
    /// Dies that are all idle. `looks_everywhere` says whether looks at dies without work count.
    pub fn new(
        geometry: Geometry,
        flash: FlashSettings,
        settings: &FabricSettings,
        fabric: F,
        looks_everywhere: bool,
    ) -> Self {
        let commands_first = settings.first_on_path == FirstOnPath::Commands;
        let arbiter = Arbiter::new(fabric.domains(), geometry.array.cols, commands_first);
        let data_by_age = arbiter.joins_rows() && !fabric.features().data_as_it_comes;
        Self {
            asks_all_chips: arbiter.joins_rows() || flash.suspension.is_some() || looks_everywhere,
            commands: Commands::new(&flash),
            arbiter,
            dies: Dies::new(
                Chips::new(flash, &geometry),
                data_by_age,
                Paths::new(geometry, settings, fabric),
            ),
        }
    }
}

impl<F: Fabric + ?Sized> Backend<F> {
    /// The chips.
    #[inline]
    pub const fn chips(&self) -> &Chips {
        &self.dies.chips
    }

    /// The paths to them.
    #[inline]
    pub const fn paths(&self) -> &Paths<F> {
        &self.dies.paths
    }

    /// The paths, for who looks at them from outside.
    #[inline]
    pub const fn paths_mut(&mut self) -> &mut Paths<F> {
        &mut self.dies.paths
    }

    /// The measured phase begins.
    pub fn begin_measuring(&mut self, now: SimTime) {
        self.dies.chips.begin_measuring(now);
        self.dies.paths.begin_measuring();
    }

    /// A die's array has finished, unless its operation was suspended since this was foreseen.
    pub fn array_done<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
        match self.dies.array_done(die, above, now, agenda) {
            Follows::Nothing => {}
            Follows::Work(die) => self.on_work(die, above.orders()),
            Follows::Data { die, is_served } => self.wants_data_out(die, is_served),
        }
    }

    /// A private event of the fabric, and what follows for the transfers that it ends.
    pub fn fabric_event<A: Above>(
        &mut self,
        event: FabricEvent,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) {
        if let Some(Ended { delivery, woken }) = self.dies.paths.handle(event, now) {
            self.delivered(&delivery, above, now, agenda);
            if let Some(domain) = woken {
                self.arbiter.wake(domain);
            }
            return;
        }
        for place in 0..self.dies.paths.outbox().delivered.len() {
            let delivery = self.dies.paths.outbox().delivered[place];
            self.delivered(&delivery, above, now, agenda);
        }
        self.dies.paths.outbox().delivered.clear();
        if !self.dies.paths.outbox().bounced.is_empty() {
            bounced(self, above, now);
        }
        for &domain in &self.dies.paths.outbox().woken {
            self.arbiter.wake(domain);
        }
        self.dies.paths.outbox().woken.clear();
    }

    /// A transfer has reached its end.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the other place that calls it is seldom come to")]
    fn delivered<A: Above>(
        &mut self,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) {
        let ended = self.dies.transfer_ends(delivery, above, now);
        let follows = match ended.carried {
            Carried::Command => {
                self.on_work(delivery.die, above.orders());
                if let Some(from) = ended.fed_by {
                    let follows = self.dies.page_copied(from, above, now);
                    self.pins_are_free(from, follows, above.orders());
                }
                return self.dies.command_has_come(delivery, above, now, agenda);
            }
            Carried::Data => self.dies.page_has_come(delivery, above, now, agenda),
            Carried::Suspension => self.dies.suspension_has_come(delivery, above, now, agenda),
        };
        self.pins_are_free(delivery.die, follows, above.orders());
    }

    /// A transfer has left the pins of a die's chip, and this follows for the die itself.
    #[inline]
    fn pins_are_free(&mut self, die: DieId, follows: Follows, orders: &impl Orders) {
        self.on_work(die, orders);
        if let Follows::Data { die, is_served } = follows {
            self.wants_data_out(die, is_served);
        }
    }

    /// Something fails, or controllers learn of it.
    #[cold]
    pub fn faults_due(&mut self, orders: &mut impl Orders, now: SimTime) {
        let lost = self.dies.paths.faults_due(now);
        if !lost.is_empty() {
            orders.lose(&lost, now);
        }
        self.arbiter.wake_all();
        self.dies.paths.outbox().woken.clear();
    }

    /// A transfer of a lost chip's die ends, and what it was for comes to nothing.
    #[cold]
    pub fn came_to_nothing<A: Above>(
        &mut self,
        die: DieId,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) {
        self.dies.comes_to_nothing(die, above);
        let nothing = Delivery { die, path_wait: SimSpan::ZERO, hops: 0 };
        self.delivered(&nothing, above, now, agenda);
    }

    /// The die, or its chip's pins, became free or got something to do. While the pins are busy that changes nothing, and
    /// when they become free it is said once more.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every event of a die")]
    fn on_work(&mut self, die: DieId, orders: &impl Orders) {
        let Home { chip, domain } = self.dies.paths.home(die);
        if self.dies.chips.package(chip).pins_are_busy() {
            return;
        }
        if self.asks_all_chips || self.dies.may_have_command(chip, orders) {
            self.arbiter.may_command(chip);
        }
        self.arbiter.touch(domain);
    }

    /// The die's data waits in the page register. It goes behind data of the same turn, unless the die has
    /// been `served` already.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every event that ends a read")]
    fn wants_data_out(&mut self, die: DieId, served: bool) {
        let Home { domain, .. } = self.dies.paths.home(die);
        let (chips, turn) = (&self.dies.chips, self.dies.chips.die(die).data_turn());
        let is_later = |other: DieId| {
            let others = chips.die(other).data_turn();
            others > turn || (served && others == turn)
        };
        self.arbiter.data_is_ready(domain, die, is_later);
    }

    /// Offers whatever became possible during the present event, until nothing more is accepted.
    #[inline]
    pub fn offer_work<A: Above>(&mut self, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
        loop {
            if above.orders().has_ready_dies() || self.arbiter.has_to_serve() {
                self.serve_all(above, now);
            }
            if !self.paths().losses().are_some()
                || !answer_lost(self.dies.paths.losses_mut(), above, now, agenda)
            {
                break;
            }
        }
        self.dies.paths.schedule(agenda);
    }

    fn serve_all<A: Above>(&mut self, above: &mut A, now: SimTime) {
        loop {
            self.take_up_ready_dies(above.orders_mut());
            let Some(domain) = self.arbiter.next_to_serve() else { break };
            self.serve(domain, above, now);
        }
    }

    /// Hands on which dies have got something to do.
    #[inline]
    fn take_up_ready_dies(&mut self, orders: &mut impl Orders) {
        while let Some(die) = orders.next_ready_die() {
            if self.dies.take_work(die) {
                self.on_work(die, orders);
            } else if orders.gathers() && holds_operand(&self.dies, die, orders) {
                // It may have to go by a controller now.
                self.arbiter.touch(self.dies.paths.home(die).domain);
            }
        }
        if orders.looks_everywhere() && orders.have_come() {
            self.arbiter.touch_all();
        }
    }

    fn serve<A: Above>(&mut self, domain: DomainId, above: &mut A, now: SimTime) {
        let copies = self.paths().fabric().features().copies;
        // Asked again only behind an offer.
        let mut is_full = self.is_full(domain);
        if !copies && is_full && !self.paths().are_held() {
            return;
        }
        if copies {
            // A page that has waited for its target goes before the target's next command.
            if above.orders().gathers() {
                self.serve_copies(domain, Copied::Operands, above, now);
            }
            is_full = self.is_full(domain);
        }
        if self.arbiter.puts_commands_first() && !is_full {
            self.serve_commands_first(domain, above, now);
            is_full = self.is_full(domain);
        }
        if copies {
            self.serve_copies(domain, Copied::Collection, above, now);
            is_full = self.is_full(domain);
        }
        if self.arbiter.data(domain, 0).is_some() {
            self.serve_data(domain, above, now);
            is_full = self.is_full(domain);
        }
        if !is_full {
            self.serve_commands(domain, Which::All, above, now);
        }
    }

    /// Offers pages that wait in registers to other chips, on a fabric that joins chips.
    fn serve_copies<A: Above>(&mut self, domain: DomainId, copied: Copied, above: &mut A, now: SimTime) {
        let mut place = 0;
        while let Some(die) = self.arbiter.data(domain, place) {
            if offer_copy(&mut self.dies, die, copied, above, now) {
                self.arbiter.take_data(domain, place);
            } else {
                place += 1;
            }
        }
    }

    /// Offers commands that carry no data, before data.
    #[inline(never)]
    fn serve_commands_first<A: Above>(&mut self, domain: DomainId, above: &mut A, now: SimTime) {
        self.serve_commands(domain, Which::WithoutData, above, now);
        self.arbiter.end_passing_over();
    }

    /// Offers commands of chips in their turn, in a domain that has room.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "where it is called it is known which commands are looked for")]
    fn serve_commands<A: Above>(&mut self, domain: DomainId, which: Which, above: &mut A, now: SimTime) {
        if above.orders().looks_everywhere() {
            self.arbiter.ask_all(domain);
        }
        let mut is_full = false;
        while !is_full && let Some(chip) = self.arbiter.next_in_turn(domain) {
            if self.paths().refuse(chip, now) && !self.paths().losses().is_lost(chip) {
                self.arbiter.refuse(domain, chip, Offer::PathBusy);
                continue;
            }
            match self.commands.offer(&mut self.dies, chip, which, above, now) {
                Tried::Offered(offer) => {
                    match offer {
                        Offer::Accepted => self.arbiter.accepted(domain, chip),
                        refusal => self.arbiter.refuse(domain, chip, refusal),
                    }
                    is_full = self.is_full(domain);
                }
                Tried::PassedOver => self.arbiter.pass_over(chip),
                Tried::HasNone => self.arbiter.has_none(chip),
            }
        }
    }

    /// Offers data that waits: first what finds its nearest controller free, where the fabric asks for that.
    fn serve_data<A: Above>(&mut self, domain: DomainId, above: &mut A, now: SimTime) {
        if !self.paths().fabric().features().puts_off_chips || self.serve_data_that(domain, true, above, now)
        {
            self.serve_data_that(domain, false, above, now);
        }
    }

    /// Offers data, all or what is `near` only; whether some was left for being far.
    fn serve_data_that<A: Above>(
        &mut self,
        domain: DomainId,
        near: bool,
        above: &mut A,
        now: SimTime,
    ) -> bool {
        let (mut place, mut has_far, mut has_room) = (0, false, self.has_room(domain));
        while has_room && let Some(die) = self.arbiter.data(domain, place) {
            place += 1;
            let chip = self.paths().chip_of(die);
            if near && self.paths().fabric().puts_off(chip) {
                has_far = true;
                continue;
            }
            if !self.may_send_data((die, chip, domain), above.orders(), now) {
                continue;
            }
            match self.dies.offer_data(die, above, now) {
                Offer::Accepted => {
                    place -= 1;
                    self.arbiter.take_data(domain, place);
                }
                refusal => self.arbiter.refuse(domain, chip, refusal),
            }
            has_room = self.has_room(domain);
        }
        has_far && has_room
    }

    /// Whether a die's data may find a path, as far as is known without asking for one.
    #[inline]
    fn may_send_data(
        &self,
        (die, chip, domain): (DieId, ChipId, DomainId),
        orders: &impl Orders,
        now: SimTime,
    ) -> bool {
        if waits_for_target(&self.dies, die, orders) || self.dies.chips.package(chip).pins_are_busy() {
            return false;
        }
        let is_refused = self.arbiter.is_refused(domain) || self.arbiter.is_chip_refused(chip);
        self.paths().may_take_data(die, is_refused, now)
    }

    /// Whether some data of this domain may find a path. One that is held for a die is there even if nothing else is.
    #[inline]
    fn has_room(&self, domain: DomainId) -> bool {
        self.paths().are_held() || !self.is_full(domain)
    }

    /// Whether nothing of this domain finds a path now, unless one is held for it. Only an offer changes that during an event.
    #[inline]
    fn is_full(&self, domain: DomainId) -> bool {
        self.arbiter.is_refused(domain) || self.paths().take_nothing(domain)
    }
}

/// Transfers have found no path after all.
#[inline(never)]
fn bounced<F: Fabric + ?Sized, A: Above>(backend: &mut Backend<F>, above: &mut A, now: SimTime) {
    for place in 0..backend.dies.paths.outbox().bounced.len() {
        let die = backend.dies.paths.outbox().bounced[place];
        let follows = backend.dies.bounced(die, above, now);
        backend.pins_are_free(die, follows, above.orders());
    }
    backend.dies.paths.outbox().bounced.clear();
}

/// Answers what came to nothing. Whether writes did, so that others may go on.
#[cold]
fn answer_lost<A: Above>(losses: &mut Losses, above: &mut A, now: SimTime, agenda: &mut A::Agenda) -> bool {
    losses.end_pending(now, agenda);
    above.answer_failed_writes(now, agenda)
}
