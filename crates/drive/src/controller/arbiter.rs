//! Arbiter: chooses the order in which commands of chips and read data are offered to the fabric, separately
//! in each arbitration domain (chips that compete for the same paths).
//!
//! # How
//! Read data in a page register is offered before new commands, because the die stays occupied until the data
//! is sent. The parameter `fabric.first_on_path` reverses this order: commands without data are then offered
//! first, because they keep flash arrays busy.
//!
//! Read data of mapping look-ups comes first, read data of garbage collection last. Data of equal priority is
//! served in order of arrival. If the chips of a domain are in several rows, data of equal priority is
//! instead served by the age of its page. The order of arrival would favour near chips, whose commands arrive
//! some nanoseconds earlier.
//!
//! Chips with a command to send are offered then, by [round robin](super::round_robin). Late data follows:
//! results of searches, then pages of scrub. A page of scrub that keeps other transactions from their chip
//! goes before commands. Commands of scrub go after late data, so that scrub takes no path that other work can
//! use. After the fabric has refused a domain or chip, it is not offered again before the fabric wakes the
//! domain.
//!
//! The arbiter has no access to the fabric, the chips or the transactions. It records only the chips and data
//! that are ready, those that were refused, and the next chip of the round robin.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: its channel serves waiting data before commands, in this order, and
//! chips by round robin.

use std::ops::Range;

use venice_fabric::{DomainId, Offer};
use venice_nand::geometry::{ChipId, DieId};

use super::chip_set::{ChipSet, first_member};
use super::round_robin::{DomainRing, RoundRobinRules};

/// State of an arbitration domain: work that waits for a path.
#[derive(Clone, Debug)]
struct DomainWork {
    /// Chips of the domain, and the position from which the next round-robin turn starts.
    ring: DomainRing,
    /// Dies whose read data waits for a path, in service order.
    data: Vec<DieId>,
    /// Search outputs with results, and dies with pages of scrub, in service order. Their data is
    /// [late](venice_nand::chip::DataConsumer::is_late).
    late_data: Vec<DieId>,
    /// True if the fabric has refused the whole domain, so that no offer can succeed.
    is_refused: bool,
    /// True if [`ChipCommandState::refused`] may contain chips of this domain.
    has_refused: bool,
    is_listed: bool,
}

/// Sets of chips, over all domains, that record which chips have commands to offer.
#[derive(Clone, Debug)]
struct ChipCommandState {
    /// Chips that may have a command to send and must be queried.
    eager: ChipSet,
    /// Chips whose last command was refused by the fabric.
    refused: ChipSet,
    /// Chips whose next command must not be offered yet. They are skipped until other commands have been
    /// offered.
    put_off: ChipSet,
    /// Chips for which a command that programs host data has been formed. It is still their next command,
    /// since no transaction has arrived for them in the meantime.
    carrying: ChipSet,
    turns: RoundRobinRules,
    commands_first: bool,
}

impl ChipCommandState {
    /// Records that the next command of a chip is not known.
    #[inline]
    fn forget_carrying(&mut self, chip: ChipId) {
        // The set is used only if commands without data come first.
        if self.commands_first {
            self.carrying.remove(chip);
        }
    }
}

/// Stack of the arbitration domains with new work.
#[derive(Clone, Debug)]
struct ServiceStack {
    /// Last domain added, or [`NONE`] if there is none. It is kept outside the vector because the stack
    /// usually has only one entry.
    last: DomainId,
    before: Vec<DomainId>,
}

/// Value of [`ServiceStack::last`] when the stack contains no domain.
const NONE: DomainId = DomainId(u32::MAX);

/// Arbiter of all arbitration domains.
#[derive(Clone, Debug)]
pub(super) struct Arbiter {
    domains: Vec<DomainWork>,
    chips: ChipCommandState,
    to_serve: ServiceStack,
}

/// Arbitration domain that is being served, with references to its state.
#[derive(Debug)]
pub(super) struct ServedDomain<'a> {
    domain: &'a mut DomainWork,
    chips: &'a mut ChipCommandState,
}

impl Arbiter {
    /// Creates the arbiter for rows of `cols` chips. If `commands_first` is true, commands without data are
    /// offered before read data.
    pub(super) fn new(domains: Vec<Range<u32>>, cols: u32, commands_first: bool) -> Self {
        let chips = domains.last().map_or(0, |last| last.end);
        let rows_are_joined = domains.iter().any(|chips| chips.end - chips.start > cols);
        let domain = |chips: Range<u32>| DomainWork {
            ring: DomainRing::new(chips),
            data: Vec::new(),
            late_data: Vec::new(),
            is_refused: false,
            has_refused: false,
            is_listed: false,
        };
        Self {
            domains: domains.into_iter().map(domain).collect(),
            chips: ChipCommandState {
                eager: ChipSet::new(chips),
                refused: ChipSet::new(chips),
                put_off: ChipSet::new(chips),
                carrying: ChipSet::new(chips),
                turns: RoundRobinRules::new(chips, cols, rows_are_joined),
                commands_first,
            },
            to_serve: ServiceStack { last: NONE, before: Vec::new() },
        }
    }

    /// Returns true if an arbitration domain contains chips of several rows.
    pub(super) const fn joins_rows(&self) -> bool {
        self.chips.turns.join_rows()
    }

    /// Records that a chip may have a command to send.
    #[inline]
    pub(super) fn may_command(&mut self, chip: ChipId) {
        self.chips.eager.insert(chip);
        self.chips.forget_carrying(chip);
    }

    /// Clears all refusals in an arbitration domain, so that its chips are offered to the fabric again.
    #[inline]
    pub(super) fn wake(&mut self, id: DomainId) {
        let domain = &mut self.domains[id.0 as usize];
        domain.is_refused = false;
        if std::mem::take(&mut domain.has_refused) {
            domain.ring.clear(&mut self.chips.refused);
        }
        self.to_serve.add(id, domain);
    }

    /// Clears the refusals in all arbitration domains.
    pub(super) fn wake_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            self.wake(DomainId(domain));
        }
    }

    /// Marks an arbitration domain as having new work, so that it is served again. Chips that the fabric has
    /// refused stay refused.
    #[inline]
    pub(super) fn touch(&mut self, id: DomainId) {
        if self.to_serve.last != id {
            self.to_serve.add(id, &mut self.domains[id.0 as usize]);
        }
    }

    /// Marks every arbitration domain as having new work.
    pub(super) fn touch_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            self.touch(DomainId(domain));
        }
    }

    /// Removes and returns the next arbitration domain to be [served](Self::serve).
    #[inline]
    pub(super) fn next_to_serve(&mut self) -> Option<DomainId> {
        self.to_serve.take()
    }

    /// Starts the service of an arbitration domain, in which its commands and data are offered to the fabric.
    #[inline]
    pub(super) fn serve(&mut self, id: DomainId) -> ServedDomain<'_> {
        let domain = &mut self.domains[id.0 as usize];
        domain.is_listed = false;
        ServedDomain { domain, chips: &mut self.chips }
    }

    /// Adds a die with read data to an arbitration domain's list. The die is inserted before the first die
    /// for which `is_later` returns true.
    pub(super) fn data_is_ready(&mut self, id: DomainId, die: DieId, is_later: impl Fn(DieId) -> bool) {
        let domain = &mut self.domains[id.0 as usize];
        insert(&mut domain.data, die, is_later);
        self.to_serve.add(id, domain);
    }

    /// Adds a search output with a result, or a die with a page of scrub, to an arbitration domain's list. It
    /// is inserted before the first entry of the list for which `is_later` returns true.
    pub(super) fn late_data_is_ready(
        &mut self,
        id: DomainId,
        number: DieId,
        is_later: impl Fn(DieId) -> bool,
    ) {
        let domain = &mut self.domains[id.0 as usize];
        insert(&mut domain.late_data, number, is_later);
        self.to_serve.add(id, domain);
    }
}

/// Inserts a die or search output into a list before the first entry for which `is_later` returns true.
#[inline]
fn insert(list: &mut Vec<DieId>, number: DieId, is_later: impl Fn(DieId) -> bool) {
    match list.iter().position(|&other| is_later(other)) {
        Some(place) => list.insert(place, number),
        None => list.push(number),
    }
}

impl ServiceStack {
    /// Adds an arbitration domain to the stack unless it is already there.
    #[inline]
    fn add(&mut self, id: DomainId, domain: &mut DomainWork) {
        if !domain.is_listed {
            domain.is_listed = true;
            let before = std::mem::replace(&mut self.last, id);
            if before != NONE {
                self.before.push(before);
            }
        }
    }

    /// Removes and returns the arbitration domain that was added last.
    #[inline]
    fn take(&mut self) -> Option<DomainId> {
        let last = self.last;
        if last == NONE {
            return None;
        }
        self.last = self.before.pop().unwrap_or(NONE);
        Some(last)
    }
}

impl ServedDomain<'_> {
    /// Returns the same domain for a shorter time.
    #[inline]
    pub(super) const fn reborrow(&mut self) -> ServedDomain<'_> {
        ServedDomain { domain: self.domain, chips: self.chips }
    }

    /// Returns true if commands without data are offered before read data.
    #[inline]
    pub(super) const fn puts_commands_first(&self) -> bool {
        self.chips.commands_first
    }

    /// Records that every chip of the domain may have a command to send.
    pub(super) fn ask_all(&mut self) {
        for chip in self.domain.ring.chips.clone() {
            self.chips.eager.insert(ChipId(chip));
        }
    }

    /// Returns the first chip of the domain, from number `from` on, that may have a command to send.
    pub(super) fn next_that_may_command(&self, from: u32) -> Option<ChipId> {
        let chips = &self.domain.ring.chips;
        first_member(from.max(chips.start)..chips.end, |word| self.chips.eager.word(word)).map(ChipId)
    }

    /// Records that a chip has no command to send.
    #[inline]
    pub(super) fn has_none(&mut self, chip: ChipId) {
        self.chips.eager.remove(chip);
    }

    /// Records that the fabric refused the command of a chip, or the whole domain.
    #[inline]
    pub(super) fn refuse(&mut self, chip: ChipId, refusal: Offer) {
        if refusal == Offer::DomainBusy {
            self.domain.is_refused = true;
        } else {
            self.domain.has_refused = true;
            self.chips.refused.insert(chip);
        }
    }

    /// Returns true if the fabric has refused the whole domain since its last wake-up.
    #[inline]
    pub(super) const fn is_refused(&self) -> bool {
        self.domain.is_refused
    }

    /// Returns true if the fabric has refused the command of a chip since the domain's last wake-up.
    #[inline]
    pub(super) fn is_chip_refused(&self, chip: ChipId) -> bool {
        self.chips.refused.contains(chip)
    }

    /// Skips the chips whose next command is known to carry data, until [`Self::end_passing_over`] is called.
    pub(super) fn skip_carrying(&mut self) {
        let ChipCommandState { carrying, refused, put_off, .. } = &mut *self.chips;
        put_off.insert_without(carrying, refused);
        refused.insert_all(carrying);
    }

    /// Records that the next command of a chip programs host data.
    pub(super) fn mark_carrying(&mut self, chip: ChipId) {
        self.chips.carrying.insert(chip);
    }

    /// Skips a chip whose next command the filter excludes, until [`Self::end_passing_over`] is called.
    pub(super) fn pass_over(&mut self, chip: ChipId) {
        self.chips.put_off.insert(chip);
        self.chips.refused.insert(chip);
    }

    /// Ends the skipping of chips.
    pub(super) fn end_passing_over(&mut self) {
        self.chips.refused.take_out(&mut self.chips.put_off);
    }

    /// Returns the next chip in round-robin order that may have a command and was not refused.
    #[inline]
    pub(super) fn next_in_turn(&self) -> Option<ChipId> {
        let ChipCommandState { turns, eager, refused, .. } = &*self.chips;
        turns.next(&self.domain.ring, eager, refused)
    }

    /// Moves the round-robin position past `chip`, whose command the fabric has accepted.
    #[inline]
    pub(super) fn accepted(&mut self, chip: ChipId) {
        let ChipCommandState { turns, eager, .. } = &mut *self.chips;
        eager.remove(chip);
        turns.served(&mut self.domain.ring, chip, eager);
    }

    /// Returns true if the domain has data to send, or a chip that may have a command.
    #[inline]
    pub(super) fn has_some(&self) -> bool {
        self.has_data() || self.domain.ring.has_any(&self.chips.eager) || self.has_late_data()
    }

    /// Returns true if read data waits in the domain.
    #[inline]
    pub(super) const fn has_data(&self) -> bool {
        !self.domain.data.is_empty()
    }

    /// Returns true if late data waits in the domain.
    #[inline]
    pub(super) const fn has_late_data(&self) -> bool {
        !self.domain.late_data.is_empty()
    }

    /// Returns the search output or die at position `place` in the list of late data.
    pub(super) fn late_data(&self, place: usize) -> Option<DieId> {
        self.domain.late_data.get(place).copied()
    }

    /// Removes the search output or die at position `place` from the list of late data. The pins of its `chip` are
    /// busy now.
    pub(super) fn remove_sent_late_data(&mut self, place: usize, chip: ChipId) {
        self.domain.late_data.remove(place);
        self.chips.forget_carrying(chip);
    }

    /// Returns the die at position `place` in the list of waiting read data.
    #[inline]
    pub(super) fn data(&self, place: usize) -> Option<DieId> {
        self.domain.data.get(place).copied()
    }

    /// Removes the die at position `place` from the list of waiting read data. The pins of its `chip` are busy
    /// now.
    #[inline]
    pub(super) fn remove_sent_data(&mut self, place: usize, chip: ChipId) {
        self.take_data(place);
        self.chips.forget_carrying(chip);
    }

    /// Removes the die at position `place` from the list of waiting read data.
    #[inline]
    pub(super) fn take_data(&mut self, place: usize) {
        let data = &mut self.domain.data;
        // Usually this is the last element, so no other element has to move.
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

    fn serving(arbiter: &mut Arbiter, id: u32) -> ServedDomain<'_> {
        ServedDomain { domain: &mut arbiter.domains[id as usize], chips: &mut arbiter.chips }
    }

    #[test]
    fn turns_go_round_a_domain_of_any_size_and_place() {
        for (chips, eager) in [(0..4, [1, 3]), (60..64, [60, 62]), (60..70, [63, 64]), (3..200, [100, 199])] {
            let mut arbiter = Arbiter::new(vec![0..chips.start, chips.clone()], 200, false);
            for chip in eager {
                arbiter.may_command(ChipId(chip));
            }
            for mark in chips.clone() {
                arbiter.domains[1].ring.mark = mark;
                let expected = if mark > eager[0] && mark <= eager[1] { eager[1] } else { eager[0] };
                let next = serving(&mut arbiter, 1).next_in_turn();
                assert_eq!(next, Some(ChipId(expected)), "{chips:?} {mark}");
            }
            let mut domain = serving(&mut arbiter, 1);
            for chip in eager {
                domain.refuse(ChipId(chip), Offer::PathBusy);
            }
            assert_eq!(domain.next_in_turn(), None);
        }
    }

    #[test]
    fn where_rows_are_joined_a_chip_that_was_served_waits_for_those_that_were_refused() {
        for cols in [4, 40] {
            let mut arbiter = Arbiter::new(std::iter::once(0..2 * cols).collect(), cols, false);
            let row = ChipId(cols);
            for chip in [ChipId(0), ChipId(1), row] {
                arbiter.may_command(chip);
            }
            serving(&mut arbiter, 0).accepted(ChipId(0));
            arbiter.may_command(ChipId(0));
            let mut domain = serving(&mut arbiter, 0);
            domain.accepted(row);
            assert_eq!(domain.next_in_turn(), Some(ChipId(1)), "chip 0 has had its turn");
            domain.refuse(ChipId(1), Offer::PathBusy);
            assert_eq!(domain.next_in_turn(), Some(ChipId(0)), "nobody else can be served");
            arbiter.wake(DomainId(0));
            serving(&mut arbiter, 0).accepted(ChipId(1));
            arbiter.may_command(ChipId(1));
            let next = serving(&mut arbiter, 0).next_in_turn();
            assert_eq!(next, Some(ChipId(0)), "everybody was served, turns go on");
        }
    }

    #[test]
    fn a_chip_whose_command_carries_data_is_skipped_until_it_may_have_another() {
        let mut arbiter = Arbiter::new(std::iter::once(0..3).collect(), 3, true);
        for chip in [0, 1, 2] {
            arbiter.may_command(ChipId(chip));
        }
        let mut domain = serving(&mut arbiter, 0);
        domain.refuse(ChipId(1), Offer::PathBusy);
        domain.mark_carrying(ChipId(0));
        domain.mark_carrying(ChipId(1));
        domain.skip_carrying();
        assert_eq!(domain.next_in_turn(), Some(ChipId(2)));
        domain.has_none(ChipId(2));
        domain.end_passing_over();
        assert_eq!(
            domain.next_in_turn(),
            Some(ChipId(0)),
            "other commands may follow, but chip 1 stays refused"
        );
        arbiter.may_command(ChipId(0));
        let mut domain = serving(&mut arbiter, 0);
        domain.skip_carrying();
        assert_eq!(domain.next_in_turn(), Some(ChipId(0)), "a transaction has come for it");
    }

    #[test]
    fn a_woken_domain_is_served_once_and_offers_refused_chips_again() {
        let mut arbiter = Arbiter::new(vec![0..70, 70..200], 200, false);
        for chip in [3, 69, 70, 130] {
            arbiter.may_command(ChipId(chip));
        }
        let mut other = serving(&mut arbiter, 1);
        other.refuse(ChipId(70), Offer::PathBusy);
        other.refuse(ChipId(70), Offer::DomainBusy);
        assert_eq!(other.next_in_turn(), Some(ChipId(130)));
        assert!(other.is_refused() && !serving(&mut arbiter, 0).is_refused());
        arbiter.wake(DomainId(1));
        arbiter.touch(DomainId(1));
        assert_eq!(arbiter.next_to_serve(), Some(DomainId(1)));
        let other = arbiter.serve(DomainId(1));
        assert!(!other.is_refused() && !other.is_chip_refused(ChipId(70)));
        assert_eq!(other.next_in_turn(), Some(ChipId(70)));
        assert_eq!(arbiter.next_to_serve(), None, "once");
    }

    #[test]
    fn domains_are_served_from_the_last_that_changed_to_the_first_and_each_once() {
        let mut arbiter = Arbiter::new(vec![0..1, 1..2, 2..3], 1, false);
        for id in [0, 2, 0, 1, 2, 1] {
            arbiter.touch(DomainId(id));
        }
        let order: Vec<_> = std::iter::from_fn(|| arbiter.next_to_serve()).collect();
        assert_eq!(order, [1, 2, 0].map(DomainId));
    }

    #[test]
    fn data_goes_before_that_which_is_later_and_behind_its_equals() {
        let mut arbiter = Arbiter::new(std::iter::once(0..4).collect(), 4, false);
        let turn = |die: DieId| [2, 1, 2, 3][die.index()];
        for die in 0..4 {
            arbiter.data_is_ready(DomainId(0), DieId(die), |other| turn(other) > turn(DieId(die)));
        }
        let mut domain = serving(&mut arbiter, 0);
        let order: Vec<_> = (0..).map_while(|place| domain.data(place)).collect();
        assert_eq!(order, [1, 0, 2, 3].map(DieId));
        domain.take_data(1);
        assert_eq!(domain.data(1), Some(DieId(2)));
    }
}
