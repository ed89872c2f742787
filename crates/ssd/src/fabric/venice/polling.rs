//! A controller that sends scout after scout for a transfer that has no path.
//!
//! # What it models
//! `retry = at_once`, the paper's policy: a controller whose scout came back in cancel mode sends a new one
//! immediately, and does nothing else until one arrives.
//!
//! # How
//! With atomic reservation a failed scout's outcome cannot change, and neither can the time it takes, until a link at
//! one of the routers that it entered is taken or given back. So the scouts in between are counted, not sent: they
//! follow each other at equal distances. When a link changes at a router that they entered, those that have set out by then are
//! counted, in the time that one took, and the time is to be found again: before the next change, if another sets out until then.
//! When a link is given back there, and the next scout will find a path, it is really sent, at its own instant. No scout will whose
//! goal has no free link, so nobody looks how far it comes; until one has set out, only a link that is given back at its goal matters.
//!
//! A failed scout of Algorithm 1 is charged with the most links that it may cross in its region (see
//! [`crate::fabric::noc::Board`]), so its time does not depend on the registers.
//!
//! # What is left out
//! With cycle-level reservation every scout is sent: others' half-built paths come and go with each hop.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.2.
//!
//! # Parameters
//! `retry`.

use venice_kernel::SimTime;

use super::activity::{Activity, Errand, Waiting};
use super::controller_set::Members;
use super::event::Event;
use super::polls::Polls;
use super::{ControllerId, Venice};
use crate::fabric::noc::RouterSet;
use crate::fabric::{FabricCounters, Outbox};

impl Venice {
    /// Sends a scout; if it finds no path, the controller waits for one.
    pub(super) fn reserve_or_wait(
        &mut self,
        who: ControllerId,
        errand: Errand,
        now: SimTime,
        out: &mut Outbox,
    ) {
        let Err(hops) = self.reserve(who, &errand, now, out) else { return };
        self.counters.scout_failures += 1;
        self.counters.scout_hops += u64::from(hops);
        let each = self.timing.failed_scout(hops);
        let polls = Polls { next: now + each, each, hops };
        self.controllers.set(who, Activity::Waiting(Waiting { errand, polls }));
    }

    /// A scout that was foreseen to find a path sets out.
    pub(super) fn send_due(&mut self, who: ControllerId, waiting: &Waiting, now: SimTime, out: &mut Outbox) {
        if self.reaches(who, waiting.errand.transfer.chip) {
            self.reserve_or_wait(who, Errand { since: now, ..waiting.errand }, now, out);
        } else {
            self.give_up(who, &waiting.errand.transfer, out);
        }
    }

    /// Finds out what the scouts take that set out before now and met a link that has changed. Asked for before any link changes.
    pub(super) fn keep_polls_up(&mut self, now: SimTime) {
        self.changed_at = now;
        if self.controllers.stale_from() < now {
            self.find_those_again(now);
        }
    }

    /// The same where some controller's scout may have set out.
    fn find_those_again(&mut self, now: SimTime) {
        let mut from = SimTime::MAX;
        for word in 0..self.controllers.stale().words() {
            for who in self.controllers.stale().members(word) {
                let next = self.controllers.wait_of(who).polls.next;
                if next < now {
                    self.find_again(who);
                } else {
                    from = from.min(next);
                }
            }
        }
        self.controllers.set_stale_from(from);
    }

    fn find_again(&mut self, who: ControllerId) {
        let goal = self.mesh.router_of(self.controllers.wait_of(who).errand.transfer.chip);
        let hops = self.network.failed_hops(who, goal);
        let polls = &mut self.controllers.wait_of_mut(who).polls;
        (polls.hops, polls.each) = (hops, self.timing.failed_scout(hops));
        self.controllers.set_found(who);
    }

    /// A link changes that this controller's scouts met: those that have set out by now are counted, and what the next ones take is
    /// to be found again.
    #[inline]
    fn count_polls(&mut self, who: ControllerId) {
        self.controllers.wait_of_mut(who).polls.pass(self.changed_at).add_to(&mut self.counters);
        self.controllers.set_stale(who);
    }

    /// What was counted, and the scouts that set out in vain before links changed last.
    pub(super) fn polls_passed(&self, mut counters: FabricCounters) -> FabricCounters {
        for who in self.controllers.waiting().iter() {
            let mut polls = self.controllers.wait_of(who).polls;
            polls.pass(self.changed_at).add_to(&mut counters);
        }
        counters
    }

    /// A path was laid where this controller's, or chip's, scout has been.
    pub(super) fn note_change_along(&mut self, who: ControllerId) {
        for word in 0..self.controllers.waiting().words() {
            for other in self.waiting_at(word, self.network.entered(who)) {
                self.count_polls(other);
            }
        }
    }

    /// Those that wait, of a word of controllers, whose scouts have been at some of these routers.
    #[inline]
    fn waiting_at(&self, word: usize, routers: &RouterSet) -> Members {
        self.controllers.waiting().members(word).that(|who| self.network.entered(who).meets(routers))
    }

    /// A circuit has just been released: some of the next scouts may find a path.
    pub(super) fn look_again(&mut self, out: &mut Outbox) {
        for word in 0..self.controllers.waiting().words() {
            for who in self.waiting_at(word, self.network.freed()) {
                self.look_ahead(who, out);
            }
        }
    }

    /// Links have failed for good.
    pub(super) fn look_again_everywhere(&mut self, out: &mut Outbox) {
        for word in 0..self.controllers.waiting().words() {
            for who in self.controllers.waiting().members(word) {
                self.look_ahead(who, out);
            }
        }
    }

    /// If the next scout will find a path, or none is left, it is really sent.
    fn look_ahead(&mut self, who: ControllerId, out: &mut Outbox) {
        self.count_polls(who);
        let Waiting { errand, polls } = self.controllers.wait_of(who);
        let goal = self.mesh.router_of(errand.transfer.chip);
        let is_lost = !self.serves[who.index()].contains(goal);
        if !is_lost && self.network.is_cut_off(who, goal) {
            // How far its scouts come is found again when one has set out, and before a link at the goal is given back none arrives.
            return self.network.enter_only(who, goal);
        }
        if is_lost || self.network.would_arrive(who, goal) {
            out.schedule(polls.next, Event::Next(who).into());
            self.controllers.set_due(who);
        }
    }
}
