//! The life of a scout, from its controller and back.
//!
//! # What it models
//! Sending, moving, arriving, failing: what each means for its controller and its transfer.
//!
//! # How
//! Both kinds of reservation run through the same steps of [`super::Network`]; they differ in when.
//! A scout that arrived goes back over its path, which is reserved by then and cannot change: that
//! is one event, not one per hop.
//!
//! # What is left out
//! Several scouts of one controller.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! `reservation`.

use venice_kernel::SimTime;

use super::controllers::{Activity, Failure, Search};
use super::event::Event;
use super::{ControllerId, Step, Venice};
use crate::fabric::{Offer, Outbox, Reservation, Transfer};
use crate::geometry::DieId;

impl Venice {
    /// Sends a scout for `transfer`; the controller is free and the chip in no path.
    pub(super) fn send_scout(
        &mut self,
        who: ControllerId,
        transfer: &Transfer,
        now: SimTime,
        out: &mut Outbox,
    ) -> Offer {
        self.counters.scouts += 1;
        self.served_by[transfer.chip.index()] = Some(who);
        let scout = self.network.launch(who, self.mesh.router_of(transfer.chip));
        let search = Search { scout, transfer: *transfer, since: now, releases: self.patience.releases() };
        match self.reservation {
            Reservation::Atomic => self.search_at_once(who, search, now, out),
            Reservation::CycleLevel => {
                self.advance(who, search, now, out);
                Offer::Accepted
            }
        }
    }

    fn search_at_once(
        &mut self,
        who: ControllerId,
        mut search: Search,
        now: SimTime,
        out: &mut Outbox,
    ) -> Offer {
        if self.network.run(&mut search.scout, now) == Step::Failed {
            self.fail(who, &search, None, out);
            return Offer::PathBusy;
        }
        let there = now + self.timing.scout(search.scout.travelled_hops());
        self.arrive(who, &search, there, now, out);
        Offer::Accepted
    }

    /// Lets a scout take the step that is due at this instant.
    pub(super) fn advance(&mut self, who: ControllerId, mut search: Search, now: SimTime, out: &mut Outbox) {
        match self.network.step(&mut search.scout, now) {
            Step::Forward | Step::Back => {
                self.controllers.set(who, Activity::Searching(search));
                out.schedule(now + self.timing.scout(1), Event::Next(who).into());
            }
            Step::Arrived => self.arrive(who, &search, now, now, out),
            Step::Failed => self.fail(who, &search, Some(search.transfer.die), out),
        }
    }

    /// The scout is at its chip at `there`: it goes back over its path, and the transfer starts.
    fn arrive(&mut self, who: ControllerId, search: &Search, there: SimTime, now: SimTime, out: &mut Outbox) {
        let hops = search.scout.path_hops();
        let entrance = self.mesh.entrance(who.0);
        let shortest = self.mesh.distance(entrance, self.mesh.router_of(search.transfer.chip));
        self.counters.detour_hops += u64::from(hops - shortest);
        self.counters.scout_hops += u64::from(search.scout.travelled_hops() + hops);
        self.start(who, &search.transfer, (hops, there + self.timing.scout(hops)), now, out);
    }

    /// The scout found no path; nothing is reserved, but the controller waits until it is back.
    fn fail(&mut self, who: ControllerId, search: &Search, bounced: Option<DieId>, out: &mut Outbox) {
        self.counters.scout_failures += 1;
        self.counters.scout_hops += u64::from(search.scout.travelled_hops());
        let chip = search.transfer.chip;
        self.served_by[chip.index()] = None;
        let late = self.patience.note_failure(chip, self.controllers.have_circuit());
        let back = search.since + self.timing.failed_scout(search.scout.travelled_hops()) + late;
        self.patience.bar(chip, back, search.releases);
        self.controllers.set(who, Activity::Returning(Failure { bounced, releases: search.releases }));
        out.schedule(back, Event::Next(who).into());
    }

    /// The failed scout is back: its controller is free, and others may have waited for that.
    pub(super) fn scout_back(&mut self, who: ControllerId, failure: Failure, now: SimTime, out: &mut Outbox) {
        self.controllers.set(who, Activity::Free);
        out.bounced.extend(failure.bounced);
        if !self.controllers.will_release() {
            self.patience.note_release();
        }
        self.wake_if(self.is_starved || self.patience.ends_with_return(failure.releases), out);
        let back_off = self.patience.back_off();
        if !back_off.is_zero() {
            out.schedule(now + back_off, Event::BackOffOver(who).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{FabricSettings, Reservation, Retry, Routing, VeniceSettings};
    use crate::geometry::ChipId;
    use crate::testkit::paper_settings;

    fn waiting_for_releases() -> Venice {
        let paper = paper_settings(4, 2);
        let venice = VeniceSettings {
            routing: Routing::DimensionOrder,
            retry: Retry::OnRelease,
            reservation: Reservation::CycleLevel,
            ..paper.venice
        };
        Venice::new(&FabricSettings { venice, ..paper })
    }

    /// Two scouts that met head on have both failed, and there is no circuit whose release could
    /// wake their transfers: the last one back must.
    #[test]
    fn when_no_circuit_is_left_to_be_released_the_last_failed_scout_wakes_those_who_wait_for_one() {
        let (mut venice, mut out) = (waiting_for_releases(), Outbox::default());
        for (chip, controller) in [(7, 0), (1, 3)] {
            let failure = Failure { bounced: Some(DieId(chip)), releases: 0 };
            venice.controllers.set(ControllerId(controller), Activity::Returning(failure));
            venice.patience.bar(ChipId(chip), SimTime::ZERO, 0);
        }
        let failure = |chip| Failure { bounced: Some(DieId(chip)), releases: 0 };
        venice.scout_back(ControllerId(0), failure(7), SimTime::ZERO, &mut out);
        venice.scout_back(ControllerId(3), failure(1), SimTime::ZERO, &mut out);
        assert_eq!(out.bounced, [DieId(7), DieId(1)]);
        assert!(!out.woken.is_empty());
        assert!([7, 1].into_iter().all(|chip| !venice.patience.is_barred(ChipId(chip), SimTime::ZERO)));
    }
}
