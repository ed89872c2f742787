//! Service of an arbitration domain: offers the fabric all commands and data that wait for the domain's
//! paths, until no offer is accepted.
//!
//! The [back end](super::Backend) serves a domain after each event that may allow further offers.

use venice_fabric::{DomainId, Fabric, Offer};
use venice_kernel::SimTime;
use venice_nand::chip::{DataConsumer, Operation};
use venice_nand::geometry::{ChipId, DieId};

use super::arbiter::ServedDomain;
use super::commands::{CommandFilter, CommandSearchResult, Commands};
use super::copies::{CopyKind, offer_copy, waits_for_target};
use super::dies::Dies;
use super::{CommandSource, UpperLayer};

/// Step in the service of an arbitration domain. Each step offers data to the fabric, and then commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServiceStep {
    /// Commands without data, if `fabric.first_on_path` puts them first.
    BareCommands,
    /// Read data and copies to other chips, then all commands except those of scrub.
    Data,
    /// Late data, then commands of scrub.
    LateDataAndScrub,
}

/// Arbitration domain that is being served, with references to the state needed for it.
struct Service<'a, F: Fabric + ?Sized> {
    id: DomainId,
    domain: ServedDomain<'a>,
    commands: &'a Commands,
    dies: &'a mut Dies<F>,
    /// True if the domain has no free path, so that only offers with a held path can succeed. During one
    /// event, only an offer can change this.
    is_full: bool,
}

/// Offers all waiting commands and data of an arbitration domain to the fabric.
pub(super) fn serve<F: Fabric + ?Sized, A: UpperLayer>(
    id: DomainId,
    domain: ServedDomain<'_>,
    commands: &Commands,
    dies: &mut Dies<F>,
    upper_layer: &mut A,
    now: SimTime,
) {
    if domain.has_some() || upper_layer.command_source().looks_everywhere() {
        let mut service = Service { id, domain, commands, dies, is_full: false };
        service.note_offer();
        if service.has_room() || service.dies.paths.carry_copies() {
            service.offer(upper_layer, now);
        }
    }
}

impl<F: Fabric + ?Sized> Service<'_, F> {
    /// Returns the same service for a rare step. The rare step takes it by value, so that the service itself
    /// stays in registers during the frequent ones.
    #[inline]
    const fn reborrow(&mut self) -> Service<'_, F> {
        let Self { id, commands, is_full, .. } = *self;
        Service { id, domain: self.domain.reborrow(), commands, dies: self.dies, is_full }
    }

    /// Updates `is_full` after an offer to the fabric.
    #[inline]
    fn note_offer(&mut self) {
        self.is_full = self.domain.is_refused() || self.dies.paths.are_full(self.id);
    }

    /// Returns true if some read data may find a path. Data with a held path can be sent even if the domain
    /// is full.
    #[inline]
    fn has_room(&self) -> bool {
        !self.is_full || self.dies.paths.are_held()
    }

    /// Offers all waiting commands and data of the domain, step by step.
    fn offer<A: UpperLayer>(mut self, upper_layer: &mut A, now: SimTime) {
        let has_rest = self.domain.has_late_data() || upper_layer.command_source().has_scrub();
        if self.dies.paths.carry_copies() && upper_layer.command_source().gathers() {
            // A gather operand that has waited for its target die is sent before the target's next command.
            self.reborrow().offer_copies(CopyKind::Operands, upper_layer, now);
            self.note_offer();
        }
        let mut step =
            if self.domain.puts_commands_first() { ServiceStep::BareCommands } else { ServiceStep::Data };
        loop {
            if let Some(which) = self.offer_step_data(step, has_rest, upper_layer, now) {
                self.offer_commands(which, upper_layer, now);
            }
            step = match step {
                ServiceStep::BareCommands => ServiceStep::Data,
                ServiceStep::Data if has_rest => ServiceStep::LateDataAndScrub,
                ServiceStep::Data | ServiceStep::LateDataAndScrub => break,
            };
        }
    }

    /// Offers the data of a step. Returns the commands that are offered after it, or `None` if no path is left.
    #[inline]
    fn offer_step_data<A: UpperLayer>(
        &mut self,
        step: ServiceStep,
        has_rest: bool,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Option<CommandFilter> {
        match step {
            ServiceStep::BareCommands => self.begin_bare_commands(upper_layer),
            ServiceStep::Data => self.offer_data_step(has_rest, upper_layer, now),
            ServiceStep::LateDataAndScrub => {
                let which = self.reborrow().offer_late_step(upper_layer, now);
                self.note_offer();
                which
            }
        }
    }

    /// Begins the step of commands without data.
    #[inline]
    fn begin_bare_commands<A: UpperLayer>(&mut self, upper_layer: &A) -> Option<CommandFilter> {
        if !self.is_full && upper_layer.command_source().has_stable_host_writes() {
            self.domain.skip_carrying();
        }
        (!self.is_full).then_some(CommandFilter::WithoutData)
    }

    /// Offers copies to other chips, and waiting read data.
    #[inline]
    fn offer_data_step<A: UpperLayer>(
        &mut self,
        has_rest: bool,
        upper_layer: &mut A,
        now: SimTime,
    ) -> Option<CommandFilter> {
        if self.domain.puts_commands_first() {
            self.domain.end_passing_over();
        }
        if self.dies.paths.carry_copies() {
            self.reborrow().offer_copies(CopyKind::Collection, upper_layer, now);
            self.note_offer();
        } else if !self.has_room() {
            return None;
        }
        if self.domain.has_data() {
            self.offer_data(upper_layer, now);
        }
        if has_rest {
            self.reborrow().offer_late_data(true, upper_layer, now);
            self.note_offer();
        }
        if self.dies.paths.are_held_during(Operation::Program) {
            self.reborrow().offer_to_holders(upper_layer, now);
            self.note_offer();
        }
        let which = if has_rest { CommandFilter::WithoutScrub } else { CommandFilter::All };
        (!self.is_full).then_some(which)
    }

    /// Offers late data. Commands of scrub follow unless other transfers wait for a path.
    #[cold]
    fn offer_late_step<A: UpperLayer>(mut self, upper_layer: &mut A, now: SimTime) -> Option<CommandFilter> {
        self.domain.end_passing_over();
        self.reborrow().offer_late_data(false, upper_layer, now);
        self.note_offer();
        let may_scrub = !self.is_full && !self.dies.paths.hint(|hints| hints.has_waiting(self.id));
        may_scrub.then_some(CommandFilter::All)
    }

    /// Offers the results of searches, then pages of scrub. If `only_blocking` is true, only pages are offered
    /// that delay the host or garbage collection on their chip.
    #[cold]
    fn offer_late_data<A: UpperLayer>(mut self, only_blocking: bool, upper_layer: &mut A, now: SimTime) {
        let mut place = 0;
        while self.has_room()
            && let Some(number) = self.domain.late_data(place)
        {
            let chip = self.dies.chips.die(number).chip();
            place += 1;
            if only_blocking && !self.blocks_others(number, chip, upper_layer.command_source()) {
                continue;
            }
            if self.may_send_data(number, chip, upper_layer.command_source(), now) {
                match self.dies.offer_data(number, upper_layer, now) {
                    Offer::Accepted => {
                        place -= 1;
                        self.domain.remove_sent_late_data(place, chip);
                    }
                    refusal => self.domain.refuse(chip, refusal),
                }
                self.note_offer();
            }
        }
    }

    /// Returns true if the late data of a die is a page of scrub, and transactions other than those of scrub
    /// wait for a die of its chip.
    fn blocks_others(&self, number: DieId, chip: ChipId, command_source: &impl CommandSource) -> bool {
        let consumer = self.dies.chips.die(number).data_turn().0;
        let mut dies = self.dies.chips.dies_of(chip).map(DieId);
        consumer == DataConsumer::Scrub && dies.any(|die| command_source.has_foreground(die))
    }

    /// Offers the commands of dies that hold their paths during the array operation.
    #[cold]
    fn offer_to_holders<A: UpperLayer>(mut self, upper_layer: &mut A, now: SimTime) {
        let mut from = 0;
        while let Some(chip) = self.domain.next_that_may_command(from) {
            from = chip.0 + 1;
            if self.commands.offer_to_holder(self.dies, chip, upper_layer, now) {
                self.domain.accepted(chip);
            }
        }
    }

    /// Offers copies of pages in registers to other chips.
    fn offer_copies<A: UpperLayer>(mut self, copied: CopyKind, upper_layer: &mut A, now: SimTime) {
        let mut place = 0;
        while let Some(die) = self.domain.data(place) {
            if offer_copy(self.dies, die, copied, upper_layer, now) {
                self.domain.take_data(place);
            } else {
                place += 1;
            }
        }
    }

    /// Offers the commands of chips in round-robin order, until the domain has no free path.
    fn offer_commands<A: UpperLayer>(&mut self, which: CommandFilter, upper_layer: &mut A, now: SimTime) {
        if upper_layer.command_source().looks_everywhere() {
            self.domain.ask_all();
        }
        while !self.is_full
            && let Some(chip) = self.domain.next_in_turn()
        {
            if self.dies.paths.refuse(chip, now) && !self.dies.paths.losses().is_lost(chip) {
                self.domain.refuse(chip, Offer::PathBusy);
                continue;
            }
            match self.commands.offer(self.dies, chip, which, upper_layer, now) {
                CommandSearchResult::Offered(offer) => {
                    match offer {
                        Offer::Accepted => self.domain.accepted(chip),
                        refusal => self.domain.refuse(chip, refusal),
                    }
                    self.note_offer();
                }
                CommandSearchResult::PassedOver { is_host_write } => {
                    if is_host_write {
                        self.domain.mark_carrying(chip);
                    }
                    self.domain.pass_over(chip);
                }
                CommandSearchResult::HasNone => self.domain.has_none(chip),
            }
        }
    }

    /// Offers waiting read data: first the data that the fabric does not defer, then the rest.
    #[inline]
    fn offer_data<A: UpperLayer>(&mut self, upper_layer: &mut A, now: SimTime) {
        if self.offer_data_that(true, upper_layer, now) {
            self.offer_data_that(false, upper_layer, now);
        }
    }

    /// Offers read data in service order, without the data that the fabric defers if `skips_deferred` is
    /// true. Returns true if data was skipped and the domain still has a free path.
    fn offer_data_that<A: UpperLayer>(
        &mut self,
        skips_deferred: bool,
        upper_layer: &mut A,
        now: SimTime,
    ) -> bool {
        let (mut place, mut has_skipped) = (0, false);
        while self.has_room() && self.domain.data(place).is_some() {
            let (next, is_skipped) = self.offer_data_at(place, skips_deferred, upper_layer, now);
            place = next;
            has_skipped |= is_skipped;
        }
        has_skipped && self.has_room()
    }

    /// Offers the read data at position `place` if it may find a path and is not skipped. Returns the next
    /// position, and true if the data was skipped.
    fn offer_data_at<A: UpperLayer>(
        &mut self,
        place: usize,
        skips_deferred: bool,
        upper_layer: &mut A,
        now: SimTime,
    ) -> (usize, bool) {
        let Some(die) = self.domain.data(place) else { return (place, false) };
        let chip = self.dies.chips.die(die).chip();
        if skips_deferred && self.dies.paths.hint(|hints| hints.defers(chip)) {
            return (place + 1, true);
        }
        if !self.may_send_data(die, chip, upper_layer.command_source(), now) {
            return (place + 1, false);
        }
        let offer = self.dies.offer_data(die, upper_layer, now);
        match offer {
            Offer::Accepted => self.domain.remove_sent_data(place, chip),
            refusal => self.domain.refuse(chip, refusal),
        }
        self.note_offer();
        (place + usize::from(offer != Offer::Accepted), false)
    }

    /// Returns true if an offer of the die's read data may succeed.
    #[inline]
    fn may_send_data(
        &self,
        die: DieId,
        chip: ChipId,
        command_source: &impl CommandSource,
        now: SimTime,
    ) -> bool {
        if waits_for_target(self.dies, die, command_source) || self.dies.chips.package(chip).pins_are_busy() {
            return false;
        }
        let is_refused = self.domain.is_refused() || self.domain.is_chip_refused(chip);
        self.dies.paths.may_take_data(die, chip, self.id, is_refused, now)
    }
}
