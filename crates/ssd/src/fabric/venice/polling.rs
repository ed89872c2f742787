//! A controller that sends scout after scout for a transfer that has no path.
//!
//! # What it models
//! `retry = at_once`, the paper's policy: a controller whose scout came back in cancel mode sends a new one
//! immediately, and does nothing else until one arrives.
//!
//! # How
//! With atomic reservation a failed scout's outcome cannot change, and neither can the time it takes, until a link at
//! one of the routers that it entered is taken or given back. So the scouts in between are counted, not sent: they
//! follow each other at equal distances. Before a link changes, those that have set out by then are counted, in the
//! time that one took; if the link is at a router that they entered, the time is to be found again. When a link is given
//! back there, and the next scout will find a path, it is really sent, at its own instant.
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

use venice_kernel::{SimSpan, SimTime};

use super::controllers::{Activity, Errand};
use super::event::Event;
use super::{ControllerId, Venice};
use crate::fabric::Outbox;

/// Scouts that would fail, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Polls {
    /// When the next one sets out.
    pub(super) next: SimTime,
    /// How long each of them takes.
    pub(super) each: SimSpan,
    /// Links that each of them crosses, there and back.
    pub(super) hops: u32,
    /// A link that they met has changed: what they take is to be found again.
    pub(super) is_stale: bool,
}

impl Polls {
    /// Counts those that set out before `now`; the next one sets out then or later.
    pub(super) fn pass(&mut self, now: SimTime) -> u64 {
        if now <= self.next {
            return 0;
        }
        let count = now.since(self.next).as_ps().div_ceil(self.each.as_ps());
        self.next = self.next + self.each * count;
        count
    }
}

/// A controller's wait for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The transfer whose path it is to be, and since when.
    pub(super) errand: Errand,
    /// The scouts that fail meanwhile.
    pub(super) polls: Polls,
    /// The next scout is going to be sent: an event is on its way.
    pub(super) is_due: bool,
}

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
        let polls = Polls { next: now + each, each, hops, is_stale: false };
        self.controllers.set(who, Activity::Waiting(Waiting { errand, polls, is_due: false }));
    }

    /// A scout that was foreseen to find a path sets out.
    pub(super) fn send_due(&mut self, who: ControllerId, waiting: &Waiting, now: SimTime, out: &mut Outbox) {
        if self.reaches(who, waiting.errand.transfer.chip) {
            self.reserve_or_wait(who, Errand { since: now, ..waiting.errand }, now, out);
        } else {
            self.give_up(who, &waiting.errand.transfer, out);
        }
    }

    /// Counts the scouts that have set out in vain before now. Asked for before any link changes.
    pub(super) fn count_polls(&mut self, now: SimTime) {
        self.for_each_waiting(|venice, who, waiting| {
            let polls = &mut waiting.polls;
            if polls.next >= now {
                return;
            }
            if polls.is_stale {
                let goal = venice.mesh.router_of(waiting.errand.transfer.chip);
                polls.hops = venice.network.failed_hops(who, goal, now);
                (polls.each, polls.is_stale) = (venice.timing.failed_scout(polls.hops), false);
            }
            let passed = polls.pass(now);
            venice.counters.scouts += passed;
            venice.counters.scout_failures += passed;
            venice.counters.scout_hops += passed * u64::from(polls.hops);
        });
    }

    /// A circuit of this controller was laid.
    pub(super) fn note_change_along(&mut self, who: ControllerId) {
        self.trace(who);
        self.for_each_waiting(|venice, who, waiting| {
            waiting.polls.is_stale |= venice.network.entered(who).meets(&venice.scratch);
        });
    }

    /// Notes the routers of a controller's circuit, which is about to be released.
    pub(super) fn trace(&mut self, who: ControllerId) {
        if self.controllers.have_waiting() {
            self.scratch.clear();
            self.network.add_path(who, &mut self.scratch);
        }
    }

    /// The circuit that was traced is released: some of the next scouts may find a path.
    pub(super) fn look_again(&mut self, now: SimTime, out: &mut Outbox) {
        self.for_each_waiting(|venice, who, waiting| {
            if !venice.network.entered(who).meets(&venice.scratch) {
                return;
            }
            venice.look_ahead(who, waiting, now, out);
        });
    }

    /// Will the next scout find a path?
    fn look_ahead(&mut self, who: ControllerId, waiting: &mut Waiting, now: SimTime, out: &mut Outbox) {
        waiting.polls.is_stale = true;
        let chip = waiting.errand.transfer.chip;
        let is_lost = !self.reaches(who, chip);
        if is_lost || self.network.would_arrive(who, self.mesh.router_of(chip), now) {
            waiting.is_due = true;
            out.schedule(waiting.polls.next, Event::Next(who).into());
        }
    }

    /// Links have failed for good.
    pub(super) fn look_again_everywhere(&mut self, now: SimTime, out: &mut Outbox) {
        self.for_each_waiting(|venice, who, waiting| venice.look_ahead(who, waiting, now, out));
    }

    /// Visits the controllers whose next scout is not known to find a path.
    fn for_each_waiting(&mut self, mut visit: impl FnMut(&mut Self, ControllerId, &mut Waiting)) {
        if !self.controllers.have_waiting() {
            return;
        }
        for number in 0..self.controllers.count() {
            let who = ControllerId(number);
            if let Activity::Waiting(mut waiting) = self.controllers.activity(who)
                && !waiting.is_due
            {
                visit(self, who, &mut waiting);
                self.controllers.set(who, Activity::Waiting(waiting));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_ns(ns)
    }

    #[test]
    fn scouts_that_set_out_before_an_instant_are_passed_and_not_one_more() {
        let polls = Polls { next: at(10), each: SimSpan::from_ns(4), hops: 2, is_stale: false };
        for (now, passed, next) in
            [(5, 0, 10), (10, 0, 10), (11, 1, 14), (14, 1, 14), (15, 2, 18), (30, 5, 30)]
        {
            let mut polls = polls;
            assert_eq!((polls.pass(at(now)), polls.next), (passed, at(next)), "until {now}");
        }
    }
}
