//! Repeated scouts of a controller for a transfer without a path.
//!
//! # What it models
//! The paper's policy, `retry = at_once`: a controller whose scout has failed sends a new scout immediately,
//! and serves no other transfer until a scout succeeds.
//!
//! # How
//! With atomic reservation, each further scout has the same outcome and duration as the failed one. This
//! changes only when a link is taken or released at a router that the failed scout entered. Until then, the
//! scouts ("polls") depart at equal intervals and are counted instead of simulated. When a link at an entered
//! router changes, the scouts that have already departed are counted with the stored duration, which then
//! becomes outdated. The duration is recomputed if another scout departs before the next change of a link. If
//! a link is released at an entered router and the next scout would succeed, this scout is simulated at its
//! departure. While the destination has no free link, no scout can succeed, and reachability is not
//! recomputed.
//!
//! A failed scout of Algorithm 1 is assumed to take the maximum number of hops in its region (see
//! [`crate::noc::FreeLinks`]). Its duration therefore does not depend on the LFSRs.
//!
//! # What is left out
//! Cycle-level reservation: the partial paths of other scouts change with each hop. Module `repetition` skips
//! whole periods of its scouts.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.2.
//!
//! # Parameters
//! `retry`.

use venice_kernel::SimTime;

use super::controller_set::ControllerIterator;
use super::controller_state::{ControllerState, PathWait, ScoutJob};
use super::event::VeniceEvent;
use super::failed_scouts::FailedScoutSeries;
use super::{ControllerId, Venice};
use crate::noc::RouterSet;
use crate::{FabricCounters, Outbox};

impl Venice {
    /// Sends a scout. If it finds no path, the controller waits, and its further scouts are counted without
    /// being simulated.
    pub(super) fn reserve_or_wait(
        &mut self,
        who: ControllerId,
        job: ScoutJob,
        now: SimTime,
        out: &mut Outbox,
    ) {
        let Err(hops) = self.reserve(who, &job, now, out) else { return };
        self.counters.scout_failures += 1;
        self.counters.scout_hops += u64::from(hops);
        let each = self.timing.failed_scout(hops);
        let polls = FailedScoutSeries { next: now + each, each, hops };
        self.controllers.set(who, ControllerState::Waiting(PathWait { job, polls }));
    }

    /// Sends the next scout of a waiting controller, which is expected to find a path. If the chip has become
    /// unreachable, gives up the transfer instead.
    pub(super) fn send_due(&mut self, who: ControllerId, waiting: &PathWait, now: SimTime, out: &mut Outbox) {
        if self.reaches(who, waiting.job.transfer.chip) {
            self.reserve_or_wait(who, ScoutJob { since: now, ..waiting.job }, now, out);
        } else {
            self.give_up(who, &waiting.job.transfer, out);
        }
    }

    /// Recomputes outdated durations of polls (failed scouts that are counted without being simulated) that
    /// departed before `now`. Must be called before any link changes at `now`, since the durations depend on
    /// the links.
    pub(super) fn keep_polls_up(&mut self, now: SimTime) {
        self.changed_at = now;
        if self.controllers.stale_from() < now {
            self.find_those_again(now);
        }
    }

    /// Recomputes the durations of the polls (failed scouts) of stale controllers whose next scout departed
    /// before `now`.
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
        let goal = self.mesh.router_of(self.controllers.wait_of(who).job.transfer.chip);
        let hops = self.network.failed_hops(who, goal);
        let polls = &mut self.controllers.wait_of_mut(who).polls;
        (polls.hops, polls.each) = (hops, self.timing.failed_scout(hops));
        self.controllers.set_found(who);
    }

    /// Adds a controller's polls (failed scouts) up to the last change of a link to the counters, and marks
    /// their duration as outdated.
    #[inline]
    fn count_polls(&mut self, who: ControllerId) {
        self.controllers.wait_of_mut(who).polls.pass(self.changed_at).add_to(&mut self.counters);
        self.controllers.set_stale(who);
    }

    /// Returns `counters` plus the polls (failed scouts) that waiting controllers sent before the last change
    /// of a link. The counters of the fabric itself are updated later.
    pub(super) fn polls_passed(&self, mut counters: FabricCounters) -> FabricCounters {
        for who in self.controllers.waiting().iter() {
            let mut polls = self.controllers.wait_of(who).polls;
            polls.pass(self.changed_at).add_to(&mut counters);
        }
        counters
    }

    /// Updates the polls (failed scouts) of waiting controllers after controller `who` has reserved a path.
    /// Polls that entered a router of this path are counted, and their durations become outdated.
    pub(super) fn note_change_along(&mut self, who: ControllerId) {
        for word in 0..self.controllers.waiting().words() {
            for other in self.waiting_at(word, self.network.entered(who)) {
                self.count_polls(other);
            }
        }
    }

    /// Returns the waiting controllers whose failed scouts have entered one of `routers`. Considers the
    /// controllers in one 64-bit word of the set.
    #[inline]
    fn waiting_at(&self, word: usize, routers: &RouterSet) -> ControllerIterator {
        self.controllers.waiting().members(word).that(|who| self.network.entered(who).meets(routers))
    }

    /// Considers the waiting controllers whose failed scouts met a link that has been released. Schedules
    /// their next scouts if these would succeed.
    pub(super) fn look_again(&mut self, out: &mut Outbox) {
        for word in 0..self.controllers.waiting().words() {
            for who in self.waiting_at(word, self.network.freed()) {
                self.look_ahead(who, out);
            }
        }
    }

    /// Considers all waiting controllers, after links have failed permanently. Schedules their next scouts if
    /// these would succeed or their chips have become unreachable.
    pub(super) fn look_again_everywhere(&mut self, out: &mut Outbox) {
        for word in 0..self.controllers.waiting().words() {
            for who in self.controllers.waiting().members(word) {
                self.look_ahead(who, out);
            }
        }
    }

    /// Schedules the next scout of a controller if it would succeed, or if the chip has become unreachable.
    fn look_ahead(&mut self, who: ControllerId, out: &mut Outbox) {
        self.count_polls(who);
        let PathWait { job, polls } = self.controllers.wait_of(who);
        let goal = self.mesh.router_of(job.transfer.chip);
        let is_lost = !self.serves[who.index()].contains(goal);
        if !is_lost && self.network.is_cut_off(who, goal) {
            // The hop count is recomputed after the next departure. No scout can succeed before a link at the
            // destination is released.
            return self.network.enter_only(who, goal);
        }
        if is_lost || self.network.would_arrive(who, goal) {
            out.schedule(polls.next, VeniceEvent::Next(who).into());
            self.controllers.set_due(who);
        }
    }
}
