//! Back end: chips, the paths to them, and arbitration.
//!
//! # How
//! Each event advances the state of dies ([`Dies`]) and returns what may be sent next ([`Follows`]). After
//! the event, [`Backend::offer_work`] offers the fabric all work that has become possible, in the order of
//! the [arbiter](super::arbiter), until no offer is accepted.
//!
//! The back end does not interpret transactions: their purpose and completion belong to [`Above`].
//!
//! # Parameters
//! `fabric.first_on_path`, `fabric.hold`

use venice_fabric::{Delivery, Fabric, FabricEvent, FabricSettings, FirstOnPath, Hints};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{Chips, FlashSettings};
use venice_nand::geometry::{DieId, Geometry};

use super::arbiter::Arbiter;
use super::commands::Commands;
use super::copies::holds_operand;
use super::dies::{Dies, Follows, TransferEnded};
use super::losses::Losses;
use super::paths::{Home, Paths};
use super::service::serve;
use super::{Above, Orders};

/// Chips, the paths to them, and arbitration.
pub struct Backend<F: Fabric + ?Sized> {
    arbiter: Arbiter,
    commands: Commands,
    /// True if chips are polled for a command even if no transaction waits for them. Required if rows are
    /// joined, since turns then depend on polled chips; if operations can be suspended, since busy dies then
    /// have commands; and for schedulers that count looks.
    asks_all_chips: bool,
    /// Last field, since its size depends on the fabric.
    dies: Dies<F>,
}

impl<F: Fabric> Backend<F> {
    /// Creates the back end with idle dies. `looks_everywhere` is true for schedulers that count looks at
    /// dies without work.
    pub fn new(
        geometry: Geometry,
        flash: FlashSettings,
        settings: &FabricSettings,
        fabric: F,
        looks_everywhere: bool,
    ) -> Self {
        let commands_first = settings.first_on_path == FirstOnPath::Commands;
        let arbiter = Arbiter::new(fabric.domains(), geometry.array.cols, commands_first);
        let prefers_old_data = fabric.capabilities().hints.is_none_or(Hints::prefers_old_data);
        let data_by_age = arbiter.joins_rows() && prefers_old_data;
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
    /// Returns the chips.
    #[inline]
    pub const fn chips(&self) -> &Chips {
        &self.dies.chips
    }

    /// Returns the paths between controllers and chips.
    #[inline]
    pub const fn paths(&self) -> &Paths<F> {
        &self.dies.paths
    }

    /// Returns the paths for modification, for observers.
    #[inline]
    pub const fn paths_mut(&mut self) -> &mut Paths<F> {
        &mut self.dies.paths
    }

    /// Starts the measured phase.
    pub fn begin_measuring(&mut self, now: SimTime) {
        self.dies.chips.begin_measuring(now);
        self.dies.paths.begin_measuring(now);
    }

    /// Processes the end of an array operation, unless it has been suspended since the event was scheduled.
    pub fn array_done<A: Above>(&mut self, die: DieId, above: &mut A, now: SimTime, agenda: &mut A::Agenda) {
        let home = self.dies.paths.home(die);
        match self.dies.array_done(die, above, now, agenda) {
            Follows::Nothing => {}
            Follows::Work => self.on_work(home, above.orders()),
            Follows::Data { is_served } => self.wants_data_out(die, home, is_served),
        }
    }

    /// Processes a private event of the fabric, and the transfers that end with it.
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

    /// Processes the end of a transfer.
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

    /// Processes the release of a chip's pins by a transfer of `die`.
    fn pins_are_free(&mut self, die: DieId, follows: Follows, orders: &impl Orders) {
        let home = self.dies.paths.home(die);
        self.may_command(home, orders);
        if let Follows::Data { is_served } = follows {
            self.wants_data_out(die, home, is_served);
        }
    }

    /// Processes a failure in the fabric, or its detection by the controllers.
    #[cold]
    pub fn faults_due(&mut self, orders: &mut impl Orders, now: SimTime) {
        let lost = self.dies.paths.faults_due(now);
        if !lost.is_empty() {
            orders.lose(&lost, now);
        }
        self.arbiter.wake_all();
        self.dies.paths.outbox().woken.clear();
    }

    /// Processes the failed transfer of a lost chip's die.
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

    /// Marks the chip of a die with new work, unless its pins are busy; their release marks it again.
    #[inline]
    fn has_work(&mut self, Home { chip, domain }: Home) {
        if !self.dies.chips.package(chip).pins_are_busy() {
            self.arbiter.may_command(chip);
            self.arbiter.touch(domain);
        }
    }

    /// Marks the chip of a die that became free, unless its pins are busy.
    fn on_work(&mut self, home: Home, orders: &impl Orders) {
        if !self.dies.chips.package(home.chip).pins_are_busy() {
            self.may_command(home, orders);
        }
    }

    /// Marks a chip with free pins that may have a command to send.
    fn may_command(&mut self, Home { chip, domain }: Home, orders: &impl Orders) {
        if self.asks_all_chips || self.dies.may_have_command(chip, orders) {
            self.arbiter.may_command(chip);
        }
        self.arbiter.touch(domain);
    }

    /// Registers data of a die that waits in the page register: behind data of equal priority, or before it
    /// if the die has already been served.
    fn wants_data_out(&mut self, die: DieId, home: Home, served: bool) {
        let turn_of = |die: DieId| self.dies.chips.die(die).data_turn();
        let is_later = |other: DieId| {
            let (turn, others) = (turn_of(die), turn_of(other));
            others > turn || (served && others == turn)
        };
        self.arbiter.data_is_ready(home.domain, die, is_later);
    }

    /// Offers all work that has become possible during the current event, until no offer is accepted.
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

    /// Forwards the dies with new work to the arbiter.
    #[inline]
    fn take_up_ready_dies(&mut self, orders: &mut impl Orders) {
        while let Some(die) = orders.next_ready_die() {
            if self.dies.take_work(die) {
                self.has_work(self.dies.paths.home(die));
            } else if orders.gathers() && holds_operand(&self.dies, die, orders) {
                // Its operand may have to go by a controller.
                self.arbiter.touch(self.dies.paths.home(die).domain);
            }
        }
        if orders.looks_everywhere() && orders.have_come() {
            self.arbiter.touch_all();
        }
    }
}

/// Processes the release of a die's page register by a copy to another chip.
fn source_is_free<F: Fabric + ?Sized>(
    backend: &mut Backend<F>,
    from: DieId,
    follows: Follows,
    orders: &impl Orders,
) {
    backend.pins_are_free(from, follows, orders);
}

/// Processes transfers that bounced in the fabric.
fn bounced<F: Fabric + ?Sized, A: Above>(backend: &mut Backend<F>, above: &mut A, now: SimTime) {
    for place in 0..backend.dies.paths.outbox().bounced.len() {
        let die = backend.dies.paths.outbox().bounced[place];
        let follows = backend.dies.bounced(die, above, now);
        backend.pins_are_free(die, follows, above.orders());
    }
    backend.dies.paths.outbox().bounced.clear();
}

/// Completes failed transfers. Returns true if writes failed, so that other writes may proceed.
#[cold]
fn answer_lost<A: Above>(losses: &mut Losses, above: &mut A, now: SimTime, agenda: &mut A::Agenda) -> bool {
    losses.end_pending(now, agenda);
    above.answer_failed_writes(now, agenda)
}
