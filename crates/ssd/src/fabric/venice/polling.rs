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
use super::{ControllerId, Network, Venice};
use crate::fabric::Outbox;
use crate::fabric::noc::{Mesh, RouterSet};

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
        let Self { controllers, network, counters, .. } = self;
        for (who, waiting) in controllers.waiting().filter(|(_, waiting)| waiting.polls.next < now) {
            let polls = &mut waiting.polls;
            if polls.is_stale {
                let goal = self.mesh.router_of(waiting.errand.transfer.chip);
                polls.hops = network.failed_hops(who, goal);
                (polls.each, polls.is_stale) = (self.timing.failed_scout(polls.hops), false);
            }
            let passed = polls.pass(now);
            counters.scouts += passed;
            counters.scout_failures += passed;
            counters.scout_hops += passed * u64::from(polls.hops);
        }
    }

    /// A path was laid where this controller's, or chip's, scout has been.
    pub(super) fn note_change_along(&mut self, who: ControllerId) {
        let laid = self.network.entered(who);
        for (other, waiting) in self.controllers.waiting() {
            waiting.polls.is_stale |= self.network.entered(other).meets(laid);
        }
    }

    /// A circuit has just been released: some of the next scouts may find a path.
    pub(super) fn look_again(&mut self, out: &mut Outbox) {
        let Self { controllers, network, mesh, serves, .. } = self;
        for (who, waiting) in controllers.waiting() {
            if network.entered(who).meets(network.freed()) {
                look_ahead((who, waiting), network, *mesh, serves, out);
            }
        }
    }

    /// Links have failed for good.
    pub(super) fn look_again_everywhere(&mut self, out: &mut Outbox) {
        let Self { controllers, network, mesh, serves, .. } = self;
        for (who, waiting) in controllers.waiting() {
            look_ahead((who, waiting), network, *mesh, serves, out);
        }
    }
}

/// If the next scout will find a path, or none is left, it is really sent.
fn look_ahead(
    (who, waiting): (ControllerId, &mut Waiting),
    network: &mut Network,
    mesh: Mesh,
    serves: &[RouterSet],
    out: &mut Outbox,
) {
    waiting.polls.is_stale = true;
    let goal = mesh.router_of(waiting.errand.transfer.chip);
    let is_lost = !serves[who.index()].contains(goal);
    if is_lost || network.would_arrive(who, goal) {
        waiting.is_due = true;
        out.schedule(waiting.polls.next, Event::Next(who).into());
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
