//! Life cycle of a scout: departure, steps, return, and the effects on its controller and transfer.
//!
//! # How
//! Both reservation modes use the steps of [`super::Network`] and differ only in their timing. A scout that
//! has arrived returns over its reserved path. It changes no reservation on the way, except where it removes
//! loops. The return takes one event. Each loop takes one more event, and so does each link of a loop.
//!
//! # What is left out
//! Several concurrent scouts of one controller port.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! `reservation`.

use venice_kernel::SimTime;

use super::controller_state::{ControllerState, FailedScout, OnFailure, Path, ScoutJob, ScoutSearch};
use super::event::VeniceEvent;
use super::network::RepeatedRouter;
use super::trace::ScoutOutcome;
use super::{ControllerId, Scout, Step, Venice, WHOLE_MESH};
use crate::noc::{Port, RouterId};
use crate::{Offer, Outbox, PathLoops, Reservation, Retry, Transfer};

impl Venice {
    /// Sends a scout for `transfer`. The controller must be free, and the chip must have no circuit or scout.
    pub(super) fn send_scout(
        &mut self,
        who: ControllerId,
        transfer: &Transfer,
        now: SimTime,
        out: &mut Outbox,
    ) -> Offer {
        self.served_by[transfer.chip.index()] = Some(who);
        let job = ScoutJob {
            transfer: *transfer,
            accepted: now,
            since: now,
            releases: self.retry_policy.releases(),
        };
        match (self.reservation, self.retry) {
            (Reservation::CycleLevel, _) => self.set_out(who, job, now, out),
            (Reservation::Atomic, Retry::AtOnce) => self.reserve_or_wait(who, job, now, out),
            (Reservation::Atomic, _) => {
                if let Err(hops) = self.reserve(who, &job, now, out) {
                    self.fail(who, &job, hops, OnFailure::Refused, out);
                    return Offer::PathBusy;
                }
            }
        }
        Offer::Accepted
    }

    /// Sends a scout for `job`, and completes its search at `now`. If it succeeds, schedules the transfer.
    ///
    /// # Errors
    ///
    /// Returns the number of hops of the scout if it fails.
    pub(super) fn reserve(
        &mut self,
        who: ControllerId,
        job: &ScoutJob,
        now: SimTime,
        out: &mut Outbox,
    ) -> Result<(), u32> {
        self.keep_polls_up(now);
        self.counters.scouts += 1;
        self.memory.set_out(who);
        let goal = self.mesh.router_of(job.transfer.chip);
        let scout = self.network.reserve(who, goal, self.timing.clock(now), now)?;
        let there = now + self.timing.scout(scout.travelled_hops());
        self.arrive(who, &scout, job, there, out);
        self.note_change_along(who);
        Ok(())
    }

    /// Sends a scout that searches hop by hop.
    fn set_out(&mut self, who: ControllerId, job: ScoutJob, now: SimTime, out: &mut Outbox) {
        self.counters.scouts += 1;
        self.memory.set_out(who);
        let scout = self.network.launch(who, self.mesh.router_of(job.transfer.chip), self.timing.clock(now));
        self.advance(who, ScoutSearch { scout, job }, now, out);
    }

    /// Executes the next step of a scout.
    pub(super) fn advance(
        &mut self,
        who: ControllerId,
        mut search: ScoutSearch,
        now: SimTime,
        out: &mut Outbox,
    ) {
        self.network.forget_freed();
        let step = self.network.step(&mut search.scout, now);
        self.note_freed(Some(who));
        match step {
            Step::Forward | Step::Back => {
                self.controllers.set(who, ControllerState::Searching(search));
                self.schedule_step(who, now + self.timing.scout(1), out);
            }
            Step::Arrived => self.arrive(who, &search.scout, &search.job, now, out),
            Step::Failed => {
                let stays = self.retry == Retry::AtOnce;
                let then = if stays {
                    OnFailure::SendAgain(search.job)
                } else {
                    OnFailure::Bounce(search.job.transfer.die)
                };
                self.fail(who, &search.job, search.scout.travelled_hops(), then, out);
            }
        }
    }

    /// Updates the records of unreachable chips after links have been released.
    pub(super) fn note_freed(&mut self, by: Option<ControllerId>) {
        let (freed, controllers, network) = (self.network.freed(), &self.controllers, &self.network);
        if freed.is_empty() {
            return;
        }
        self.memory.note_freed(freed, by, |who| {
            matches!(controllers.activity(who), ControllerState::Searching(_))
                && network.entered(who).meets(freed)
        });
    }

    /// Processes the arrival of a scout at its chip, at the instant `there`. The transfer starts after the
    /// scout's return over the path.
    fn arrive(&mut self, who: ControllerId, scout: &Scout, job: &ScoutJob, there: SimTime, out: &mut Outbox) {
        self.repetition.restart();
        let hops = match (self.path_loops, self.reservation) {
            (PathLoops::Cut, Reservation::CycleLevel) if scout.came_again => {
                self.cut_on_the_way(who, there, out)
            }
            _ => scout.path_hops(),
        };
        let shortest =
            self.network.distance(self.network.source(who).0, self.mesh.router_of(job.transfer.chip));
        self.counters.detour_hops += u64::from(hops - shortest);
        self.counters.scout_hops += u64::from(scout.travelled_hops() + hops);
        let wait = job.since.since(job.accepted);
        let path = Path { hops, ready: there + self.timing.scout(hops), wait };
        self.start(who, &job.transfer, path, out);
        if out.trips.is_some() {
            let outcome = ScoutOutcome { hops: scout.travelled_hops(), back: path.ready, found: true };
            self.tell_scout(who, job, outcome, out);
        }
    }

    /// Schedules the instants at which a returning scout crosses its own path. Returns the number of links of
    /// the path without its loops.
    fn cut_on_the_way(&self, who: ControllerId, there: SimTime, out: &mut Outbox) -> u32 {
        let (crossings, hops) = self.network.crossings(who);
        for RepeatedRouter { at, entry, hops } in crossings {
            out.schedule(there + self.timing.scout(hops), VeniceEvent::Crossing(at, entry).into());
        }
        hops
    }

    /// Removes a loop where a returning scout crosses its own path, and starts to release the loop link by
    /// link.
    pub(super) fn cross(&mut self, at: RouterId, entry: Port, now: SimTime, out: &mut Outbox) {
        let (at, exit) = self.network.join(at, entry);
        out.schedule(now + self.timing.link().latency, VeniceEvent::GivenBack(at, exit).into());
    }

    /// Releases a link of a loop, and schedules the release of the next one.
    pub(super) fn give_back(&mut self, at: RouterId, exit: Port, now: SimTime, out: &mut Outbox) {
        self.network.forget_freed();
        if let Some((at, exit)) = self.network.give_back(at, exit, now) {
            out.schedule(now + self.timing.link().latency, VeniceEvent::GivenBack(at, exit).into());
        }
        self.note_freed(None);
        out.woken.push(WHOLE_MESH);
    }

    /// Processes the failure of a scout. Nothing stays reserved, but the controller is occupied until the
    /// scout has returned.
    fn fail(&mut self, who: ControllerId, job: &ScoutJob, hops: u32, then: OnFailure, out: &mut Outbox) {
        self.counters.scout_failures += 1;
        self.counters.scout_hops += u64::from(hops);
        let chip = job.transfer.chip;
        if !matches!(then, OnFailure::SendAgain(_)) {
            self.served_by[chip.index()] = None;
            self.memory.learn(who, self.mesh.router_of(chip), self.network.entered(who));
        }
        let late = self.retry_policy.note_failure(chip, self.controllers.have_circuit());
        let back = job.since + self.timing.failed_scout(hops) + late;
        self.retry_policy.bar(chip, back, job.releases);
        if out.trips.is_some() {
            self.tell_scout(who, job, ScoutOutcome { hops, back, found: false }, out);
        }
        self.controllers.set(who, ControllerState::Returning(FailedScout { then }));
        self.schedule_step(who, back, out);
    }

    /// Processes the return of a failed scout. Either the controller sends another scout, or it becomes free
    /// and transfers that wait for a path are woken.
    pub(super) fn scout_back(
        &mut self,
        who: ControllerId,
        failure: FailedScout,
        now: SimTime,
        out: &mut Outbox,
    ) {
        match failure.then {
            OnFailure::SendAgain(job) if self.reaches(who, job.transfer.chip) => {
                self.set_out(who, ScoutJob { since: now, ..job }, now, out);
                return self.look_for_repetition(who, now, out);
            }
            OnFailure::SendAgain(job) => return self.give_up(who, &job.transfer, out),
            OnFailure::Bounce(die) => out.bounced.push(die),
            OnFailure::Refused => {}
        }
        self.controllers.set(who, ControllerState::Free);
        if !self.controllers.will_release() {
            self.retry_policy.note_release();
        }
        out.woken.push(WHOLE_MESH);
        let back_off = self.retry_policy.back_off();
        if !back_off.is_zero() {
            out.schedule(now + back_off, VeniceEvent::BackOffOver(who).into());
        }
    }

    /// Returns a transfer to its die if the controller has lost the last path to the chip. Another controller
    /// can then serve it.
    pub(super) fn give_up(&mut self, who: ControllerId, transfer: &Transfer, out: &mut Outbox) {
        self.served_by[transfer.chip.index()] = None;
        self.controllers.set(who, ControllerState::Free);
        out.bounced.push(transfer.die);
        out.woken.push(WHOLE_MESH);
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{ChipId, DieId};

    use super::*;
    use crate::testkit::paper_settings;
    use crate::{Reservation, Retry, Routing, VeniceSettings};

    fn waiting_for_releases() -> Venice {
        let mut settings = paper_settings(4, 2);
        settings.own.venice = VeniceSettings {
            routing: Routing::DimensionOrder,
            retry: Retry::OnRelease,
            reservation: Reservation::CycleLevel,
            ..settings.own.venice
        };
        Venice::new(&settings)
    }

    /// Test of two scouts that have blocked each other and failed. No circuit is left whose release could
    /// wake their transfers, so the return of the second scout must wake them.
    #[test]
    fn when_no_circuit_is_left_to_be_released_the_last_failed_scout_wakes_those_who_wait_for_one() {
        let (mut venice, mut out) = (waiting_for_releases(), Outbox::default());
        for (chip, controller) in [(7, 0), (1, 3)] {
            let failure = FailedScout { then: OnFailure::Bounce(DieId(chip)) };
            venice.controllers.set(ControllerId(controller), ControllerState::Returning(failure));
            venice.retry_policy.bar(ChipId(chip), SimTime::ZERO, 0);
        }
        let failure = |chip| FailedScout { then: OnFailure::Bounce(DieId(chip)) };
        venice.scout_back(ControllerId(0), failure(7), SimTime::ZERO, &mut out);
        venice.scout_back(ControllerId(3), failure(1), SimTime::ZERO, &mut out);
        assert_eq!(out.bounced, [DieId(7), DieId(1)]);
        assert!(!out.woken.is_empty());
        assert!([7, 1].into_iter().all(|chip| !venice.retry_policy.is_barred(ChipId(chip), SimTime::ZERO)));
    }
}
