//! Who is offered to the fabric next, in each domain of chips that compete for paths.
//!
//! # How
//! Data that waits in a page register goes before new commands: it keeps a die occupied. Or, where the drive says so,
//! commands without data go before it: they keep arrays at work. Data for
//! look-ups of the map come first, those of collection last, else first come first served; where chips of several rows share a
//! domain, those of the page that was asked for first. By the instant at which data is ready, near chips would be served first again and
//! again, since their commands arrive some nanoseconds sooner, and be back for their next command before far ones. Then chips with a
//! command to send, in [turn](super::turns). A domain or chip that was refused is not offered again before the fabric wakes it.
//!
//! It knows no fabric, no chip and no transaction: only who asked, who was refused, and whose turn it is.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: its channel serves waiting data before commands, in that order,
//! and chips in turn.

use std::ops::Range;

use crate::fabric::{DomainId, Offer};
use crate::geometry::{ChipId, DieId};

use super::chip_set::ChipSet;
use super::turns::{Ring, Turns};

/// A domain's waiting work.
#[derive(Clone, Debug)]
struct Domain {
    /// Its chips, in turn.
    ring: Ring,
    /// Dies whose data waits for a path, in the order of their turns.
    data: Vec<DieId>,
    /// The fabric said that no offer can succeed.
    is_refused: bool,
    is_listed: bool,
}

/// All domains, and which chips have a command to send.
#[derive(Clone, Debug)]
pub(super) struct Arbiter {
    domains: Vec<Domain>,
    /// Chips that may have a command to send.
    eager: ChipSet,
    /// Chips whose last offer was refused.
    refused: ChipSet,
    /// Chips whose next command carries data, while commands without data are looked for.
    put_off: ChipSet,
    turns: Turns,
    commands_first: bool,
    to_serve: Vec<DomainId>,
}

impl Arbiter {
    /// For domains of chips in rows of so many. `commands_first` says whether commands without data go before data.
    pub(super) fn new(domains: Vec<Range<u32>>, cols: u32, commands_first: bool) -> Self {
        let chips = domains.last().map_or(0, |last| last.end);
        let rows_are_joined = domains.iter().any(|chips| chips.end - chips.start > cols);
        let domain = |chips: Range<u32>| Domain {
            ring: Ring::new(chips),
            data: Vec::new(),
            is_refused: false,
            is_listed: false,
        };
        Self {
            domains: domains.into_iter().map(domain).collect(),
            eager: ChipSet::new(chips),
            refused: ChipSet::new(chips),
            put_off: ChipSet::new(chips),
            turns: Turns::new(chips, cols, rows_are_joined),
            commands_first,
            to_serve: Vec::new(),
        }
    }

    #[inline]
    fn domain(&self, id: DomainId) -> &Domain {
        &self.domains[id.0 as usize]
    }

    #[inline]
    fn domain_mut(&mut self, id: DomainId) -> &mut Domain {
        &mut self.domains[id.0 as usize]
    }

    /// Whether the domains have more than a row of chips.
    pub(super) const fn joins_rows(&self) -> bool {
        self.turns.join_rows()
    }

    /// Whether commands without data go before data.
    #[inline]
    pub(super) const fn puts_commands_first(&self) -> bool {
        self.commands_first
    }

    /// A chip may have a command to send.
    #[inline]
    pub(super) fn may_command(&mut self, chip: ChipId) {
        self.eager.insert(chip);
    }

    /// Every chip of a domain may have a command, whether it is known to have one or not.
    pub(super) fn ask_all(&mut self, id: DomainId) {
        for chip in self.domain(id).ring.chips.clone() {
            self.eager.insert(ChipId(chip));
        }
    }

    /// A chip was asked, and has no command to send.
    #[inline]
    pub(super) fn has_none(&mut self, chip: ChipId) {
        self.eager.remove(chip);
    }

    /// A chip's offer was refused, or one that it has would be.
    #[inline]
    pub(super) fn refuse(&mut self, id: DomainId, chip: ChipId, refusal: Offer) {
        match refusal {
            Offer::DomainBusy => self.domain_mut(id).is_refused = true,
            _ => self.refused.insert(chip),
        }
    }

    /// Whether nothing of a domain succeeds before it is woken.
    #[inline]
    pub(super) fn is_refused(&self, id: DomainId) -> bool {
        self.domain(id).is_refused
    }

    /// Whether nothing of a chip does.
    #[inline]
    pub(super) fn is_chip_refused(&self, chip: ChipId) -> bool {
        self.refused.contains(chip)
    }

    /// Refused offers of this domain may succeed now.
    #[inline]
    pub(super) fn wake(&mut self, id: DomainId) {
        let domain = &mut self.domains[id.0 as usize];
        domain.is_refused = false;
        domain.ring.clear(&mut self.refused);
        self.touch(id);
    }

    /// Those of all domains may.
    pub(super) fn wake_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            self.wake(DomainId(domain));
        }
    }

    /// This chip's next command carries data: it is passed over until [`Self::end_passing_over`].
    pub(super) fn pass_over(&mut self, chip: ChipId) {
        self.put_off.insert(chip);
        self.refused.insert(chip);
    }

    /// Who was passed over is offered like the others from now on.
    pub(super) fn end_passing_over(&mut self) {
        self.refused.take_out(&mut self.put_off);
    }

    /// Something in this domain has new work; what was refused stays refused.
    #[inline]
    pub(super) fn touch(&mut self, id: DomainId) {
        let domain = &mut self.domains[id.0 as usize];
        if !domain.is_listed {
            domain.is_listed = true;
            self.to_serve.push(id);
        }
    }

    /// All domains are served anew.
    pub(super) fn touch_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            self.touch(DomainId(domain));
        }
    }

    /// Whether something changed in any domain.
    #[inline]
    pub(super) const fn has_to_serve(&self) -> bool {
        !self.to_serve.is_empty()
    }

    /// The next domain in which something changed.
    #[inline]
    pub(super) fn next_to_serve(&mut self) -> Option<DomainId> {
        let id = self.to_serve.pop()?;
        self.domain_mut(id).is_listed = false;
        Some(id)
    }

    /// The chip whose turn it is, of those that may have a command to send and were not refused.
    #[inline]
    pub(super) fn next_in_turn(&self, id: DomainId) -> Option<ChipId> {
        self.turns.next(&self.domain(id).ring, &self.eager, &self.refused)
    }

    /// The chip was served: the next turn is the next one's. Its pins are busy until it has work anew.
    #[inline]
    pub(super) fn accepted(&mut self, id: DomainId, chip: ChipId) {
        self.eager.remove(chip);
        self.turns.served(&mut self.domains[id.0 as usize].ring, chip, &self.eager);
    }

    /// Puts a die whose data waits in its place: before those that `is_later` says.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of every event that ends a read")]
    pub(super) fn data_is_ready(&mut self, id: DomainId, die: DieId, is_later: impl Fn(DieId) -> bool) {
        let queue = &mut self.domain_mut(id).data;
        match queue.iter().position(|&other| is_later(other)) {
            Some(place) => queue.insert(place, die),
            None => queue.push(die),
        }
        self.touch(id);
    }

    /// The die at this place among those of a domain whose data waits.
    #[inline]
    pub(super) fn data(&self, id: DomainId, place: usize) -> Option<DieId> {
        self.domain(id).data.get(place).copied()
    }

    /// The data at this place is on its way.
    #[inline]
    pub(super) fn take_data(&mut self, id: DomainId, place: usize) {
        let data = &mut self.domain_mut(id).data;
        // Mostly nothing waits behind it, and nothing has to move.
        if place + 1 == data.len() {
            data.pop();
        } else {
            data.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_a_domain_of_any_size_and_place() {
        for (chips, eager) in [(0..4, [1, 3]), (60..64, [60, 62]), (60..70, [63, 64]), (3..200, [100, 199])] {
            let mut arbiter = Arbiter::new(vec![0..chips.start, chips.clone()], 200, false);
            for chip in eager {
                arbiter.may_command(ChipId(chip));
            }
            for mark in chips.start..=chips.end {
                arbiter.domains[1].ring.mark = mark;
                let expected = if mark > eager[0] && mark <= eager[1] { eager[1] } else { eager[0] };
                assert_eq!(arbiter.next_in_turn(DomainId(1)), Some(ChipId(expected)), "{chips:?} {mark}");
            }
            for chip in eager {
                arbiter.refuse(DomainId(1), ChipId(chip), Offer::PathBusy);
            }
            assert_eq!(arbiter.next_in_turn(DomainId(1)), None);
        }
    }

    #[test]
    fn where_rows_are_joined_a_chip_that_was_served_waits_for_those_that_were_refused() {
        for cols in [4, 40] {
            let mut arbiter = Arbiter::new(std::iter::once(0..2 * cols).collect(), cols, false);
            let (all, row) = (DomainId(0), ChipId(cols));
            for chip in [ChipId(0), ChipId(1), row] {
                arbiter.may_command(chip);
            }
            arbiter.accepted(all, ChipId(0));
            arbiter.may_command(ChipId(0));
            arbiter.accepted(all, row);
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(1)), "chip 0 has had its turn");
            arbiter.refuse(all, ChipId(1), Offer::PathBusy);
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(0)), "nobody else can be served");
            arbiter.wake(all);
            arbiter.accepted(all, ChipId(1));
            arbiter.may_command(ChipId(1));
            assert_eq!(arbiter.next_in_turn(all), Some(ChipId(0)), "everybody was served, turns go on");
        }
    }

    #[test]
    fn a_domain_that_is_woken_is_served_once_and_asks_those_that_were_refused() {
        let mut arbiter = Arbiter::new(vec![0..70, 70..200], 200, false);
        for chip in [3, 69, 70, 130] {
            arbiter.may_command(ChipId(chip));
        }
        let other = DomainId(1);
        arbiter.refuse(other, ChipId(70), Offer::PathBusy);
        arbiter.refuse(other, ChipId(70), Offer::DomainBusy);
        assert_eq!(arbiter.next_in_turn(other), Some(ChipId(130)));
        assert!(arbiter.is_refused(other) && !arbiter.is_refused(DomainId(0)));
        arbiter.wake(other);
        assert!(!arbiter.is_refused(other) && !arbiter.is_chip_refused(ChipId(70)));
        assert_eq!(arbiter.next_in_turn(other), Some(ChipId(70)));
        assert_eq!((arbiter.next_to_serve(), arbiter.next_to_serve()), (Some(other), None));
    }

    #[test]
    fn data_goes_before_that_which_is_later_and_behind_its_equals() {
        let mut arbiter = Arbiter::new(std::iter::once(0..4).collect(), 4, false);
        let turn = |die: DieId| [2, 1, 2, 3][die.index()];
        for die in 0..4 {
            arbiter.data_is_ready(DomainId(0), DieId(die), |other| turn(other) > turn(DieId(die)));
        }
        let order: Vec<_> = (0..).map_while(|place| arbiter.data(DomainId(0), place)).collect();
        assert_eq!(order, [1, 0, 2, 3].map(DieId));
        arbiter.take_data(DomainId(0), 1);
        assert_eq!(arbiter.data(DomainId(0), 1), Some(DieId(2)));
    }
}
