//! Chips that a controller knows to be unreachable.
//!
//! # What it models
//! `retry = next_transfer`: a transfer whose scout found no path is postponed, and its controller serves the
//! next reachable one. Under unrestricted routing, a failing scout has entered every router that its
//! controller reaches. All other chips are then known to be unreachable, for this controller and for those at
//! the entered routers. Under a more restricted routing, only the scout's own chip is known to be
//! unreachable. This knowledge is valid until a link that blocked the scout is released.
//!
//! # How
//! Each controller has two sets: the unreachable chips, and the routers that failed scouts have entered. The
//! release of a link at an entered router clears both. A hop-by-hop scout may miss the release of a link
//! behind it; nothing is recorded for such a scout.
//!
//! # What is left out
//! Bits in the scout packet that return the set of entered routers: one bit per router, or none if a
//! controller records only the chip of each failed transfer and so knows less.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.2, footnote 3, leaves open when to send a scout again; this policy
//! is ours.
//!
//! # Parameters
//! `retry`, `routing`.

use super::ControllerId;
use crate::noc::{Mesh, RouterId, RouterSet};
use crate::{Retry, Routing};

/// Knowledge of one controller.
#[derive(Clone, Debug)]
struct ReachabilityRecord {
    out_of_reach: RouterSet,
    /// Routers that the controller's failed scouts have entered.
    entered: RouterSet,
    /// True if a link was released after the controller's scout in flight had passed it, so that the scout's
    /// result must be discarded.
    is_outdated: bool,
}

/// Knowledge of all controllers about unreachable chips.
#[derive(Clone, Debug)]
pub(super) struct ReachabilityRecords {
    routing: Routing,
    /// Knowledge of each controller; empty under retry policies that use none.
    lessons: Vec<ReachabilityRecord>,
    /// Entrance router of each controller.
    entrances: Vec<RouterId>,
    nothing: RouterSet,
}

impl ReachabilityRecords {
    /// Creates the state without knowledge.
    pub(super) fn new(retry: Retry, routing: Routing, mesh: Mesh) -> Self {
        let nothing = RouterSet::none(mesh.routers());
        let blank = ReachabilityRecord {
            out_of_reach: nothing.clone(),
            entered: nothing.clone(),
            is_outdated: false,
        };
        let count = if retry == Retry::NextTransfer { mesh.entrances() } else { 0 };
        let entrances = (0..count).map(|number| mesh.entrance(number)).collect();
        Self { routing, lessons: vec![blank; count as usize], entrances, nothing }
    }

    /// Returns the routers whose chips a controller knows to be unreachable.
    #[inline]
    pub(super) fn out_of_reach(&self, who: ControllerId) -> &RouterSet {
        self.lessons.get(who.index()).map_or(&self.nothing, |record| &record.out_of_reach)
    }

    /// Records the departure of a controller's scout.
    #[inline]
    pub(super) fn set_out(&mut self, who: ControllerId) {
        if let Some(record) = self.lessons.get_mut(who.index()) {
            record.is_outdated = false;
        }
    }

    /// Records that the scout of `who` entered the routers in `entered` and failed to reach `goal`.
    pub(super) fn learn(&mut self, who: ControllerId, goal: RouterId, entered: &RouterSet) {
        let Some(record) = self.lessons.get_mut(who.index()).filter(|record| !record.is_outdated) else {
            return;
        };
        match self.routing {
            Routing::NonMinimalAdaptive => self.learn_region(entered),
            Routing::MinimalAdaptive | Routing::DimensionOrder => {
                record.out_of_reach.insert(goal);
                record.entered.add(entered);
            }
            // An exhaustive search enters no router.
            Routing::Exhaustive => {
                record.out_of_reach.insert(goal);
                record.entered.fill();
            }
        }
    }

    /// Records for all controllers with an entrance in `region` that they can reach exactly this region.
    fn learn_region(&mut self, region: &RouterSet) {
        for (record, &entrance) in self.lessons.iter_mut().zip(&self.entrances) {
            if region.contains(entrance) {
                record.out_of_reach.become_rest_of(region);
                record.entered.become_like(region);
            }
        }
    }

    /// Processes the release of links at the routers `freed`, caused by `by`.
    pub(super) fn note_freed(
        &mut self,
        freed: &RouterSet,
        by: Option<ControllerId>,
        on_their_way: impl Fn(ControllerId) -> bool,
    ) {
        for (number, record) in self.lessons.iter_mut().enumerate() {
            let who = ControllerId(number as u32);
            if Some(who) == by {
                continue;
            }
            record.is_outdated |= on_their_way(who);
            if record.entered.meets(freed) {
                record.out_of_reach.clear();
                record.entered.clear();
            }
        }
    }

    /// Discards all knowledge.
    pub(super) fn forget(&mut self) {
        for record in &mut self.lessons {
            record.out_of_reach.clear();
            record.entered.clear();
            record.is_outdated = true;
        }
    }
}
