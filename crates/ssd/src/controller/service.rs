//! Service of a domain: all work that waits for its paths is offered to the fabric until no offer is
//! accepted.
//!
//! The [back end](super::Backend) decides when a domain is served.

use venice_kernel::SimTime;

use crate::fabric::{DomainId, Fabric, Features, Offer};
use crate::geometry::{ChipId, DieId};

use super::arbiter::Serving;
use super::commands::{Commands, Tried, Which};
use super::copies::{Copied, offer_copy, waits_for_target};
use super::dies::Dies;
use super::{Above, Orders};

/// A domain during its service, with the state that it needs.
struct Service<'a, F: Fabric + ?Sized> {
    id: DomainId,
    domain: Serving<'a>,
    commands: &'a Commands,
    dies: &'a mut Dies<F>,
    /// True if no offer of the domain can succeed without a held path. Only an offer changes this during an
    /// event.
    is_full: bool,
}

/// Offers all waiting work of a domain.
pub(super) fn serve<F: Fabric + ?Sized, A: Above>(
    id: DomainId,
    domain: Serving<'_>,
    commands: &Commands,
    dies: &mut Dies<F>,
    above: &mut A,
    now: SimTime,
) {
    if domain.has_some() || above.orders().looks_everywhere() {
        let mut service = Service { id, domain, commands, dies, is_full: false };
        service.note_offer();
        service.offer(above, now);
    }
}

impl<F: Fabric + ?Sized> Service<'_, F> {
    #[inline]
    fn features(&self) -> Features {
        self.dies.paths.fabric().features()
    }

    /// Updates `is_full` after an offer.
    #[inline]
    fn note_offer(&mut self) {
        self.is_full = self.domain.is_refused() || self.dies.paths.take_nothing(self.id);
    }

    /// True if some data may find a path; a held path is available even in a full domain.
    #[inline]
    const fn has_room(&self) -> bool {
        !self.is_full || self.dies.paths.are_held()
    }

    /// Offers all waiting work.
    fn offer<A: Above>(mut self, above: &mut A, now: SimTime) {
        let copies = self.features().copies;
        if !copies && !self.has_room() {
            return;
        }
        if copies && above.orders().gathers() {
            // A page that has waited for its target precedes the target's next command.
            self.offer_copies(Copied::Operands, above, now);
        }
        if self.domain.puts_commands_first() && !self.is_full {
            self.offer_commands(Which::WithoutData, above, now);
            self.domain.end_passing_over();
        }
        if copies {
            self.offer_copies(Copied::Collection, above, now);
        }
        if self.domain.has_data() {
            self.offer_data(above, now);
        }
        if !self.is_full {
            self.offer_commands(Which::All, above, now);
        }
    }

    /// Offers the pages in registers to other chips, on a fabric that joins chips.
    fn offer_copies<A: Above>(&mut self, copied: Copied, above: &mut A, now: SimTime) {
        let mut place = 0;
        while let Some(die) = self.domain.data(place) {
            if offer_copy(self.dies, die, copied, above, now) {
                self.domain.take_data(place);
            } else {
                place += 1;
            }
        }
        self.note_offer();
    }

    /// Offers commands of chips in turn, while the domain has room.
    fn offer_commands<A: Above>(&mut self, which: Which, above: &mut A, now: SimTime) {
        if above.orders().looks_everywhere() {
            self.domain.ask_all();
        }
        while !self.is_full
            && let Some(chip) = self.domain.next_in_turn()
        {
            if self.dies.paths.refuse(chip, now) && !self.dies.paths.losses().is_lost(chip) {
                self.domain.refuse(chip, Offer::PathBusy);
                continue;
            }
            match self.commands.offer(self.dies, chip, which, above, now) {
                Tried::Offered(offer) => {
                    match offer {
                        Offer::Accepted => self.domain.accepted(chip),
                        refusal => self.domain.refuse(chip, refusal),
                    }
                    self.note_offer();
                }
                Tried::PassedOver => self.domain.pass_over(chip),
                Tried::HasNone => self.domain.has_none(chip),
            }
        }
    }

    /// Offers waiting data; first the data whose nearest controller is free, if the fabric distinguishes
    /// this.
    #[inline]
    fn offer_data<A: Above>(&mut self, above: &mut A, now: SimTime) {
        if !self.features().puts_off_chips || self.offer_data_that(true, above, now) {
            self.offer_data_that(false, above, now);
        }
    }

    /// Offers data in service order; with `near`, only data whose nearest controller is free. Returns true if
    /// other data was skipped and there is room.
    fn offer_data_that<A: Above>(&mut self, near: bool, above: &mut A, now: SimTime) -> bool {
        let (mut place, mut has_far) = (0, false);
        while self.has_room() && self.domain.data(place).is_some() {
            let (next, is_far) = self.offer_data_at(place, near, above, now);
            place = next;
            has_far |= is_far;
        }
        has_far && self.has_room()
    }

    /// Offers the data at position `place` if it may find a path and, with `near`, is near. Returns the next
    /// position, and true if the data was skipped for being far.
    fn offer_data_at<A: Above>(
        &mut self,
        place: usize,
        near: bool,
        above: &mut A,
        now: SimTime,
    ) -> (usize, bool) {
        let Some(die) = self.domain.data(place) else { return (place, false) };
        let chip = self.dies.chips.die(die).chip();
        if near && self.dies.paths.fabric().puts_off(chip) {
            return (place + 1, true);
        }
        if !self.may_send_data(die, chip, above.orders(), now) {
            return (place + 1, false);
        }
        let offer = self.dies.offer_data(die, above, now);
        match offer {
            Offer::Accepted => self.domain.take_data(place),
            refusal => self.domain.refuse(chip, refusal),
        }
        self.note_offer();
        (place + usize::from(offer != Offer::Accepted), false)
    }

    /// True if a die's data may find a path, as far as is known without an offer.
    #[inline]
    fn may_send_data(&self, die: DieId, chip: ChipId, orders: &impl Orders, now: SimTime) -> bool {
        if waits_for_target(self.dies, die, orders) || self.dies.chips.package(chip).pins_are_busy() {
            return false;
        }
        let is_refused = self.domain.is_refused() || self.domain.is_chip_refused(chip);
        self.dies.paths.may_take_data(die, chip, self.id, is_refused, now)
    }
}
