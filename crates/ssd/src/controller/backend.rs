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

use crate::chip::{Chips, FlashSettings};
use crate::fabric::{Delivery, Fabric, FabricEvent, FabricSettings, FirstOnPath};
use crate::geometry::{DieId, Geometry};

use super::arbiter::Arbiter;
use super::commands::Commands;
use super::copies::holds_operand;
use super::dies::{Dies, Follows, TransferEnded};
use super::losses::Losses;
use super::paths::{Home, Paths};
use super::service::serve;
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
        self.dies.paths.begin_measuring(now);
    }

    /// A die's array has finished, unless its operation was suspended since this was foreseen.
    pub fn array_done<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
        let home = self.dies.paths.home(die);
        match self.dies.array_done(die, above, now, agenda) {
            Follows::Nothing => {}
            Follows::Work => self.on_work(home, above.orders()),
            Follows::Data { is_served } => self.wants_data_out(die, home, is_served),
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
        self.dies.paths.handle(event, now);
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
    fn delivered<A: Above>(
        &mut self,
        delivery: &Delivery,
        above: &mut A,
        now: SimTime,
        agenda: &mut A::Agenda,
    ) {
        let TransferEnded { follows, copied } = self.dies.transfer_ends(delivery, above, now, agenda);
        if let Some((from, follows)) = copied {
            source_is_free(self, from, follows, above.orders());
        }
        self.pins_are_free(delivery.die, follows, above.orders());
    }

    /// A transfer has left the pins of a die's chip, and this follows for the die itself.
    fn pins_are_free(&mut self, die: DieId, follows: Follows, orders: &impl Orders) {
        let home = self.dies.paths.home(die);
        self.may_command(home, orders);
        if let Follows::Data { is_served } = follows {
            self.wants_data_out(die, home, is_served);
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
        self.dies.comes_to_nothing(die, above, now);
        let nothing = Delivery { die, path_wait: SimSpan::ZERO, hops: 0 };
        self.delivered(&nothing, above, now, agenda);
    }

    /// A die that takes work has got something to do: whether it can be done now, its chip is asked for. While the chip's pins are busy that
    /// changes nothing, and when they become free it is said once more.
    #[inline]
    fn has_work(&mut self, Home { chip, domain }: Home) {
        if !self.dies.chips.package(chip).pins_are_busy() {
            self.arbiter.may_command(chip);
            self.arbiter.touch(domain);
        }
    }

    /// A die became free. The same holds for its chip's pins.
    fn on_work(&mut self, home: Home, orders: &impl Orders) {
        if !self.dies.chips.package(home.chip).pins_are_busy() {
            self.may_command(home, orders);
        }
    }

    /// A chip whose pins are free may have a command to send.
    fn may_command(&mut self, Home { chip, domain }: Home, orders: &impl Orders) {
        if self.asks_all_chips || self.dies.may_have_command(chip, orders) {
            self.arbiter.may_command(chip);
        }
        self.arbiter.touch(domain);
    }

    /// The die's data waits in the page register. It goes behind data of the same turn, unless the die has
    /// been `served` already.
    fn wants_data_out(&mut self, die: DieId, home: Home, served: bool) {
        let turn_of = |die: DieId| self.dies.chips.die(die).data_turn();
        let is_later = |other: DieId| {
            let (turn, others) = (turn_of(die), turn_of(other));
            others > turn || (served && others == turn)
        };
        self.arbiter.data_is_ready(home.domain, die, is_later);
    }

    /// Offers whatever became possible during the present event, until nothing more is accepted.
    pub fn offer_work<A: Above>(&mut self, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
        loop {
            self.serve_all(above, now);
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
            if above.orders().has_ready_dies() {
                self.take_up_ready_dies(above.orders_mut());
            }
            let Some(domain) = self.arbiter.next_to_serve() else { break };
            let turns = self.arbiter.serve(domain);
            serve(domain, turns, &self.commands, &mut self.dies, above, now);
        }
    }

    /// Hands on which dies have got something to do.
    #[inline]
    fn take_up_ready_dies(&mut self, orders: &mut impl Orders) {
        while let Some(die) = orders.next_ready_die() {
            if self.dies.take_work(die) {
                self.has_work(self.dies.paths.home(die));
            } else if orders.gathers() && holds_operand(&self.dies, die, orders) {
                // It may have to go by a controller now.
                self.arbiter.touch(self.dies.paths.home(die).domain);
            }
        }
        if orders.looks_everywhere() && orders.have_come() {
            self.arbiter.touch_all();
        }
    }
}

/// A page has left the register of a die for another chip.
fn source_is_free<F: Fabric + ?Sized>(
    backend: &mut Backend<F>,
    from: DieId,
    follows: Follows,
    orders: &impl Orders,
) {
    backend.pins_are_free(from, follows, orders);
}

/// Transfers have found no path after all.
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
