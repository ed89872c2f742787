//! Chips that a controller knows to be unreachable.
//!
//! # What it models
//! With `retry = next_transfer`, a transfer whose scout found no path is postponed, and its controller serves
//! the next transfer to a chip that may be reachable. With unrestricted routing, a failed scout has entered
//! every router that its controller reaches. All other chips are then known to be unreachable, both for this
//! controller and for controllers at the entered routers. With a restricted routing, only the destination of
//! the scout is known to be unreachable. This knowledge is valid until a link that blocked the scout is
//! released.
//!
//! # How
//! Each controller has two sets: the unreachable chips, and the routers that failed scouts have entered. The
//! release of a link at an entered router clears both. If a link is released after a hop-by-hop scout has
//! passed it, nothing is recorded for this scout.
//!
//! # What is left out
//! Bits in the scout packet, one per router, by which it would return the set of entered routers. They would
//! not be needed if a controller recorded only the chip of each failed transfer.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.2, footnote 3, leaves open when to send a scout again. This policy
//! has no published source.
//!
//! # Parameters
//! `retry`, `routing`.

use super::ControllerId;
use crate::noc::{Mesh, RouterId, RouterSet};
use crate::{Retry, Routing};

/// Unreachable chips, according to the failed scouts of one controller.
#[derive(Clone, Debug)]
struct ReachabilityRecord {
    out_of_reach: RouterSet,
    /// Routers that the failed scouts of the controller have entered.
    entered: RouterSet,
    /// True if a link was released after the controller's current scout had passed it. The result of this
    /// scout must then be discarded.
    is_outdated: bool,
}

/// Records of all controllers about the chips that they cannot reach.
#[derive(Clone, Debug)]
pub(super) struct ReachabilityRecords {
    routing: Routing,
    /// Record of each controller; empty for retry policies that use none.
    lessons: Vec<ReachabilityRecord>,
    /// Entrance router of each controller.
    entrances: Vec<RouterId>,
    nothing: RouterSet,
}

impl ReachabilityRecords {
    /// Creates the state without any records.
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

    /// Records that a scout of controller `who` departs.
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

    /// Records that all controllers with an entrance in `region` can reach exactly the chips of this region.
    fn learn_region(&mut self, region: &RouterSet) {
        for (record, &entrance) in self.lessons.iter_mut().zip(&self.entrances) {
            if region.contains(entrance) {
                record.out_of_reach.become_rest_of(region);
                record.entered.become_like(region);
            }
        }
    }

    /// Updates the records after links at the routers `freed` have been released, except the record of
    /// controller `by`, which released them. `on_their_way` is true for controllers with a scout in flight
    /// that has entered one of these routers.
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

    /// Discards all records of unreachable chips.
    pub(super) fn forget(&mut self) {
        for record in &mut self.lessons {
            record.out_of_reach.clear();
            record.entered.clear();
            record.is_outdated = true;
        }
    }
}
