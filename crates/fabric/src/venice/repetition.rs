//! Periods in which all scouts fail, which are skipped instead of being simulated.
//!
//! # What it models
//! With cycle-level reservation and `retry = at_once`, the scouts of all waiting controllers fail as long as
//! held circuits block them, which may be for a whole array operation. This module changes no result. It
//! only avoids the simulation of scouts whose trips are known.
//!
//! # How
//! While only failing scouts move, the next state of the mesh is a function of its present state and of the
//! phase of the LFSRs. If a state occurs again after some time, the mesh thus repeats this period until another
//! event changes it. States are compared whenever one of the waiting controllers, the *anchor*, sends its next
//! scout. The state to compare with is replaced after 1, 2, 4, 8 ... trips of the anchor (Brent's method). After
//! the first repetition, one more period is simulated, over which the counters are compared. The fabric then
//! lists the events of its scouts in [`Outbox::repeated`], and [`Fabric::skip`](crate::Fabric::skip) advances
//! all times and counters by whole periods.
//!
//! The compared state consists of the scouts, of the times and order of their next steps, and of all
//! reservations. Times are relative to the present. If several steps occur at the same instant, their order
//! is that of their scheduling, and is therefore part of the state.
//!
//! # What is left out
//! Repetitions without any circuit in the mesh, since `retry` then separates scouts that block each other.
//! Runs with trace records of scouts simulate every scout.
//!
//! # Source
//! Brent, "An improved Monte Carlo factorization algorithm", BIT 20 (1980), §2: detection of cycles.
//!
//! # Parameters
//! `reservation`, `retry`.

use venice_kernel::{SimSpan, SimTime};

use super::controller_state::ControllerState;
use super::event::VeniceEvent;
use super::network_state::NetworkState;
use super::{ControllerId, Venice};
use crate::{FabricCounters, FabricEvent, Outbox};

/// Next step of a controller's scout, which has been scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PendingStep {
    at: SimTime,
    /// Number of the step in the order of scheduling.
    number: u64,
}

/// State of the mesh and of its counters at an earlier instant.
#[derive(Clone, Debug, Default)]
struct EarlierState {
    at: SimTime,
    controllers: Vec<ControllerState>,
    steps: Vec<PendingStep>,
    scheduled: u64,
    network: NetworkState,
    counters: FabricCounters,
}

/// Search for a state that occurs again, while only failing scouts move.
#[derive(Clone, Debug)]
pub(super) struct RepetitionSearch {
    /// Next step of the scout of each controller.
    steps: Vec<PendingStep>,
    /// Number of steps scheduled so far.
    scheduled: u64,
    /// Anchor: states are compared whenever a scout of this controller departs. `None` after a change that no
    /// scout caused.
    anchor: Option<ControllerId>,
    /// Number of scouts that have departed from the anchor since it was chosen.
    departures: u64,
    /// State to compare with; valid from the second departure on.
    earlier: EarlierState,
    /// True if the earlier state is known to occur again.
    is_confirmed: bool,
    /// Instant at which the present repetition was announced, until it is skipped.
    announced: Option<SimTime>,
    /// Instant of the caller's next event. No repetition is announced before this instant.
    until: SimTime,
}

impl RepetitionSearch {
    /// Creates the search for a mesh with `controllers` controllers.
    pub(super) fn new(controllers: u32) -> Self {
        Self {
            steps: vec![PendingStep::default(); controllers as usize],
            scheduled: 0,
            anchor: None,
            departures: 0,
            earlier: EarlierState::default(),
            is_confirmed: false,
            announced: None,
            until: SimTime::ZERO,
        }
    }

    /// Starts the search again, since the state has changed by other events than steps of failing scouts.
    #[inline]
    pub(super) const fn restart(&mut self) {
        (self.anchor, self.announced, self.until) = (None, None, SimTime::ZERO);
    }

    /// Records that the next step of a controller's scout is scheduled for `at`.
    #[inline]
    pub(super) fn note_step(&mut self, who: ControllerId, at: SimTime) {
        self.scheduled += 1;
        self.steps[who.index()] = PendingStep { at, number: self.scheduled };
    }

    fn begin(&mut self, anchor: ControllerId) {
        (self.anchor, self.departures, self.is_confirmed) = (Some(anchor), 0, false);
    }
}

impl Venice {
    /// Schedules the next step of a controller's scout.
    #[inline]
    pub(super) fn schedule_step(&mut self, who: ControllerId, at: SimTime, out: &mut Outbox) {
        self.repetition.note_step(who, at);
        out.schedule(at, VeniceEvent::Next(who).into());
    }

    /// Compares the state with an earlier one, after the departure of a scout that follows a failed one.
    /// Announces a repetition if the state occurs for the third time.
    pub(super) fn look_for_repetition(&mut self, who: ControllerId, now: SimTime, out: &mut Outbox) {
        let is_possible = out.trips.is_none() && out.repeated.is_empty() && self.controllers.have_circuit();
        if !is_possible || !self.controllers.activity(who).has_scout() || now < self.repetition.until {
            return;
        }
        match self.repetition.anchor {
            None => return self.repetition.begin(who),
            Some(anchor) if anchor != who => return,
            Some(_) => self.repetition.departures += 1,
        }
        let departures = self.repetition.departures;
        if departures > 1 && self.is_repeated(now) {
            if self.repetition.is_confirmed {
                return self.announce(now, out);
            }
            self.repetition.is_confirmed = true;
            self.remember(now);
        } else if !self.repetition.is_confirmed && departures.is_power_of_two() {
            self.remember(now);
        }
    }

    /// Stores the present state for later comparison.
    fn remember(&mut self, now: SimTime) {
        let RepetitionSearch { steps, scheduled, earlier, .. } = &mut self.repetition;
        (earlier.at, earlier.scheduled, earlier.counters) = (now, *scheduled, self.counters);
        earlier.steps.clone_from(steps);
        self.controllers.copy_activities(&mut earlier.controllers);
        self.network.copy_state(&mut earlier.network);
    }

    /// True if the present state equals the earlier state, apart from the time that has passed.
    fn is_repeated(&self, now: SimTime) -> bool {
        let RepetitionSearch { steps, scheduled, earlier, .. } = &self.repetition;
        let (period, events) = (now.since(earlier.at), scheduled - earlier.scheduled);
        let is_like = |(number, before): (usize, &ControllerState)| {
            let state = self.controllers.activity(ControllerId(number as u32));
            let (step, step_before) = (steps[number], earlier.steps[number]);
            let is_due = step.at == step_before.at + period && step.number == step_before.number + events;
            *state == before.postponed(period) && (is_due || !state.has_scout())
        };
        self.timing.is_lfsr_period(period)
            && earlier.controllers.iter().enumerate().all(is_like)
            && self.network.is_like(&earlier.network)
    }

    /// Lists the events of all scouts as repeated.
    fn announce(&mut self, now: SimTime, out: &mut Outbox) {
        self.repetition.announced = Some(now);
        let events = self.controllers.with_scouts().map(|who| FabricEvent::from(VeniceEvent::Next(who)));
        out.repeated.extend(events);
    }

    /// Advances the scouts by the periods of an announced repetition that end before `until`. Returns the
    /// time that has been skipped.
    pub(super) fn skip_periods(&mut self, until: SimTime) -> SimSpan {
        let Some(now) = self.repetition.announced.take() else { return SimSpan::ZERO };
        let period = now.since(self.repetition.earlier.at);
        let last = self.controllers.with_scouts().map(|who| self.repetition.steps[who.index()].at).max();
        // Every step that is postponed stays before `until`. A step at `until` thus follows in the order of
        // scheduling all events that were scheduled for this instant before the skip.
        let room = until.max(now).as_ps().saturating_sub(last.unwrap_or(until).as_ps() + 1);
        let periods = room / period.as_ps();
        if periods > 0 {
            self.skip_scouts(periods);
            self.postpone_scouts(period * periods);
        }
        self.remember(now + period * periods);
        self.repetition.until = until;
        period * periods
    }

    /// Adds the counts of `periods` repeated periods to the counters.
    fn skip_scouts(&mut self, periods: u64) {
        let earlier = &self.repetition.earlier;
        let each = self.counters - earlier.counters;
        self.counters.scouts += each.scouts * periods;
        self.counters.scout_failures += each.scout_failures * periods;
        self.counters.scout_hops += each.scout_hops * periods;
        self.network.repeat_reservations(&earlier.network, periods);
    }

    /// Postpones all scouts and the reservations on their incomplete paths.
    fn postpone_scouts(&mut self, span: SimSpan) {
        let scouts: Vec<_> = self.controllers.with_scouts().collect();
        for who in scouts {
            let step = &mut self.repetition.steps[who.index()];
            step.at = step.at + span;
            self.network.postpone_reservations(who, span);
        }
        self.controllers.postpone_scouts(span);
    }
}
