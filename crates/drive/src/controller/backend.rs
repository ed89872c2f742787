//! Flash back end: connects dies, fabric and arbiter.
//!
//! # How
//! Each event advances the state of a die ([`Dies`]) and returns the kind of transfer that may follow
//! ([`NextStep`]). After the event, [`Backend::offer_work`] offers the fabric all transfers that have become
//! possible, in the order of the [arbiter](super::arbiter). It stops when the fabric accepts no further
//! transfer.
//!
//! The back end does not know the purpose of a transaction; [`UpperLayer`] creates and completes
//! transactions.
//!
//! # Parameters
//! `fabric.first_on_path`, `fabric.hold`

use venice_fabric::{Delivery, Fabric, FabricEvent, FabricSettings, FirstOnPath, Hints};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{Chips, FlashSettings};
use venice_nand::geometry::{ChipId, DieId, Geometry};

use super::arbiter::Arbiter;
use super::commands::Commands;
use super::copies::holds_operand;
use super::dies::{Dies, NextStep, TransferEnded};
use super::losses::Losses;
use super::paths::{DieLocation, Paths};
use super::service::serve;
use super::{CommandSource, UpperLayer};

/// Flash back end: dies and chips, the fabric that connects them to controllers, and the arbiter.
pub struct Backend<F: Fabric + ?Sized> {
    arbiter: Arbiter,
    commands: Commands,
    /// True if chips are queried for a command even when no transaction waits for them. There are three
    /// reasons: several rows share an arbitration domain, so the round robin depends on the queried chips;
    /// busy dies can have commands (suspension, cache operations); or the scheduling policy is
    /// `QueryScope::Everywhere`.
    asks_all_chips: bool,
    /// Must be the last field, because `Dies` is unsized if the fabric is a trait object.
    dies: Dies<F>,
}

impl<F: Fabric> Backend<F> {
    /// Creates a back end with idle dies. `looks_everywhere` is true if the scheduling policy must also be
    /// queried for busy dies and for dies without transactions (`QueryScope::Everywhere`).
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
            asks_all_chips: arbiter.joins_rows()
                || flash.suspension.is_some()
                || flash.cache_operations.are_some()
                || looks_everywhere,
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
    /// Returns the state of the flash chips.
    #[inline]
    pub const fn chips(&self) -> &Chips {
        &self.dies.chips
    }

    /// Returns the paths between flash controllers and chips.
    #[inline]
    pub const fn paths(&self) -> &Paths<F> {
        &self.dies.paths
    }

    /// Returns mutable access to the paths, for observers.
    #[inline]
    pub const fn paths_mut(&mut self) -> &mut Paths<F> {
        &mut self.dies.paths
    }

    /// Starts the measured phase. Counters and busy times count from `now`.
    pub fn begin_measuring(&mut self, now: SimTime) {
        self.dies.chips.begin_measuring(now);
        self.dies.paths.begin_measuring(now);
    }

    /// Processes the end of an array operation. The event is ignored if the operation has been suspended
    /// since it was scheduled.
    pub fn array_done<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        let home = self.dies.paths.home(die);
        match self.dies.array_done(die, upper_layer, now, event_sink) {
            NextStep::Nothing => {}
            NextStep::Work => self.on_work(home, upper_layer.command_source()),
            NextStep::Search => self.take_search_steps(upper_layer.command_source()),
            NextStep::Data { is_served } => {
                self.wants_data_out(die, home, is_served);
                if self.dies.chips.settings().cache_operations.read {
                    // The die can accept its next read now.
                    self.on_work(home, upper_layer.command_source());
                }
            }
        }
        if self.dies.paths.are_held() {
            self.wake_domains();
        }
    }

    /// Processes an event of the fabric, and the transfers that end with this event.
    pub fn fabric_event<A: UpperLayer>(
        &mut self,
        event: FabricEvent,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        self.dies.paths.handle(event, now);
        for place in 0..self.dies.paths.outbox().delivered.len() {
            let delivery = self.dies.paths.outbox().delivered[place];
            self.delivered(&delivery, upper_layer, now, event_sink);
        }
        self.dies.paths.outbox().delivered.clear();
        if !self.dies.paths.outbox().bounced.is_empty() {
            bounced(self, upper_layer, now);
        }
        self.wake_domains();
    }

    /// Marks the arbitration domains in which the fabric has released paths, so that their chips are offered
    /// again.
    #[inline]
    fn wake_domains(&mut self) {
        for &domain in &self.dies.paths.outbox().woken {
            self.arbiter.wake(domain);
        }
        self.dies.paths.outbox().woken.clear();
    }

    /// Processes the arrival of a transfer at its destination.
    fn delivered<A: UpperLayer>(
        &mut self,
        delivery: &Delivery,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        let TransferEnded { follows, copied } =
            self.dies.transfer_ends(delivery, upper_layer, now, event_sink);
        if let Some((from, follows)) = copied {
            source_is_free(self, from, follows, upper_layer.command_source());
        }
        self.pins_are_free(delivery.die, follows, upper_layer.command_source());
    }

    /// Processes the end of a transfer of `die`, which releases the pins of its chip.
    fn pins_are_free(&mut self, die: DieId, follows: NextStep, command_source: &impl CommandSource) {
        let home = self.dies.paths.home(die);
        self.may_command(home, command_source);
        match follows {
            NextStep::Nothing | NextStep::Work => {}
            NextStep::Data { is_served } => self.wants_data_out(die, home, is_served),
            NextStep::Search => self.take_search_steps(command_source),
        }
    }

    /// Processes the end of the search of a page in the matcher of a chip.
    #[cold]
    pub fn page_matched<A: UpperLayer>(
        &mut self,
        chip: ChipId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        self.dies.page_matched(chip, upper_layer, now, event_sink);
        self.take_search_steps(upper_layer.command_source());
    }

    /// Processes the steps that dies and search outputs need after a step of a search.
    #[cold]
    fn take_search_steps(&mut self, command_source: &impl CommandSource) {
        while let Some((number, step)) = self.dies.searches.take_step() {
            let home = self.dies.paths.home(number);
            if self.dies.searches.is_output(number) {
                self.wants_data_out(number, home, false);
            } else if step == NextStep::Work {
                self.on_work(home, command_source);
            }
        }
    }

    /// Processes a failure of the fabric, or the detection of a failure by the controllers.
    #[cold]
    pub fn faults_due(&mut self, command_source: &mut impl CommandSource, now: SimTime) {
        let lost = self.dies.paths.faults_due(now);
        if !lost.is_empty() {
            command_source.lose(&lost, now);
        }
        self.arbiter.wake_all();
        self.dies.paths.outbox().woken.clear();
    }

    /// Processes the time-out of a transfer to or from a die of a lost chip.
    #[cold]
    pub fn came_to_nothing<A: UpperLayer>(
        &mut self,
        die: DieId,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        self.dies.comes_to_nothing(die, upper_layer, now);
        let nothing = Delivery { die, path_wait: SimSpan::ZERO, hops: 0 };
        self.delivered(&nothing, upper_layer, now, event_sink);
    }

    /// Records that the chip of a die has new work. If its pins are busy, this is recorded when they are
    /// released.
    #[inline]
    fn has_work(&mut self, DieLocation { chip, domain }: DieLocation) {
        if !self.dies.chips.package(chip).pins_are_busy() {
            self.arbiter.may_command(chip);
            self.arbiter.touch(domain);
        }
    }

    /// Records that the chip of an idle die may have a command to send, unless the chip's pins are busy.
    fn on_work(&mut self, home: DieLocation, command_source: &impl CommandSource) {
        if !self.dies.chips.package(home.chip).pins_are_busy() {
            self.may_command(home, command_source);
        }
    }

    /// Records that a chip with free pins may have a command to send.
    fn may_command(
        &mut self,
        DieLocation { chip, domain }: DieLocation,
        command_source: &impl CommandSource,
    ) {
        if self.asks_all_chips || self.dies.may_have_command(chip, command_source) {
            self.arbiter.may_command(chip);
        }
        self.arbiter.touch(domain);
    }

    /// Queues read data of a die's page register for a path. The data goes behind other data of equal
    /// priority. If a part of the register has already been sent, the rest goes in front of other data.
    fn wants_data_out(&mut self, die: DieId, home: DieLocation, served: bool) {
        let turn_of = |die: DieId| self.dies.chips.die(die).data_turn();
        let is_later = |other: DieId| {
            let (turn, others) = (turn_of(die), turn_of(other));
            others > turn || (served && others == turn)
        };
        if turn_of(die).0.is_late() {
            self.arbiter.late_data_is_ready(home.domain, die, is_later);
        } else {
            self.arbiter.data_is_ready(home.domain, die, is_later);
        }
    }

    /// Offers all transfers that have become possible during the current event, until the fabric accepts no
    /// more.
    pub fn offer_work<A: UpperLayer>(
        &mut self,
        upper_layer: &mut A,
        now: SimTime,
        event_sink: &mut A::EventSink,
    ) {
        loop {
            self.serve_all(upper_layer, now);
            if !self.paths().losses().are_some()
                || !answer_lost(self.dies.paths.losses_mut(), upper_layer, now, event_sink)
            {
                break;
            }
        }
        self.dies.paths.schedule(event_sink);
    }

    fn serve_all<A: UpperLayer>(&mut self, upper_layer: &mut A, now: SimTime) {
        loop {
            if upper_layer.command_source().has_ready_dies() {
                self.take_up_ready_dies(upper_layer.command_source_mut());
            }
            let Some(domain) = self.arbiter.next_to_serve() else { break };
            let turns = self.arbiter.serve(domain);
            serve(domain, turns, &self.commands, &mut self.dies, upper_layer, now);
        }
    }

    /// Marks the chips of all dies that have received transactions as having work.
    #[inline]
    fn take_up_ready_dies(&mut self, command_source: &mut impl CommandSource) {
        while let Some(die) = command_source.next_ready_die() {
            if self.dies.take_work(die) {
                self.has_work(self.dies.paths.home(die));
            } else if command_source.gathers() && holds_operand(&self.dies, die, command_source) {
                // The gather operand in this die's register may now have to be sent through a controller.
                self.arbiter.touch(self.dies.paths.home(die).domain);
            }
        }
        if command_source.looks_everywhere() && command_source.have_come() {
            self.arbiter.touch_all();
        }
    }
}

/// Releases the pins of a chip after it has sent a page to another chip.
fn source_is_free<F: Fabric + ?Sized>(
    backend: &mut Backend<F>,
    from: DieId,
    follows: NextStep,
    command_source: &impl CommandSource,
) {
    backend.pins_are_free(from, follows, command_source);
}

/// Processes the transfers that the fabric accepted but could not route. They will be offered again.
fn bounced<F: Fabric + ?Sized, A: UpperLayer>(backend: &mut Backend<F>, upper_layer: &mut A, now: SimTime) {
    for place in 0..backend.dies.paths.outbox().bounced.len() {
        let die = backend.dies.paths.outbox().bounced[place];
        let follows = backend.dies.bounced(die, upper_layer, now);
        backend.pins_are_free(die, follows, upper_layer.command_source());
    }
    backend.dies.paths.outbox().bounced.clear();
}

/// Fails the transactions whose transfers were lost with a chip. Returns true if writes failed, so that other
/// writes may proceed.
#[cold]
fn answer_lost<A: UpperLayer>(
    losses: &mut Losses,
    upper_layer: &mut A,
    now: SimTime,
    event_sink: &mut A::EventSink,
) -> bool {
    losses.end_pending(now, event_sink);
    upper_layer.answer_failed_writes(now, event_sink)
}
