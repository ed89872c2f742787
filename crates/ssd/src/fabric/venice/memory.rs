//! What a controller remembers of chips that its scouts did not reach.
//!
//! # What it models
//! `retry = next_transfer`: a transfer whose scout found no path goes behind the others, and its controller serves the
//! next one in reach. A scout that fails under a routing that may take any path has entered every router that its
//! controller reaches, so all other chips are known to be out of reach, for this controller and for those at whose routers
//! the scout has been. Under a narrower routing it has learnt that of its own chip alone. What was learnt holds until
//! a link is released at which the scout was stopped.
//!
//! # How
//! By controller two sets: the chips out of reach, and the routers that failed scouts have entered. A link that is given
//! back at one of these empties both. Scouts that go hop by hop may miss a link that is given back behind them; then
//! nothing is learnt from them.
//!
//! # What is left out
//! The packet's bits that would carry the map of routers back: a bit for each router, or none where the controller
//! remembers the chip of each failed transfer alone and so learns more slowly.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.2, footnote 3, leaves open when to send a scout again; this is ours.
//!
//! # Parameters
//! `retry`, `routing`.

use super::ControllerId;
use crate::fabric::noc::{Mesh, RouterId, RouterSet};
use crate::fabric::{Retry, Routing};

/// What one controller remembers.
#[derive(Clone, Debug)]
struct Lesson {
    out_of_reach: RouterSet,
    /// Where its failed scouts have been.
    entered: RouterSet,
    /// A link was given back behind its scout.
    is_outdated: bool,
}

/// What all controllers remember.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    routing: Routing,
    /// By controller; empty under the policies that remember nothing.
    lessons: Vec<Lesson>,
    /// By controller: where it enters the mesh.
    entrances: Vec<RouterId>,
    nothing: RouterSet,
}

impl Memory {
    /// Nothing is remembered yet.
    pub(super) fn new(retry: Retry, routing: Routing, mesh: Mesh) -> Self {
        let nothing = RouterSet::none(mesh.routers());
        let blank = Lesson { out_of_reach: nothing.clone(), entered: nothing.clone(), is_outdated: false };
        let count = if retry == Retry::NextTransfer { mesh.entrances() } else { 0 };
        let entrances = (0..count).map(|number| mesh.entrance(number)).collect();
        Self { routing, lessons: vec![blank; count as usize], entrances, nothing }
    }

    /// The routers whose chips a controller knows to be out of its reach.
    #[inline]
    pub(super) fn out_of_reach(&self, who: ControllerId) -> &RouterSet {
        self.lessons.get(who.index()).map_or(&self.nothing, |lesson| &lesson.out_of_reach)
    }

    /// A controller sends a scout.
    #[inline]
    pub(super) fn set_out(&mut self, who: ControllerId) {
        if let Some(lesson) = self.lessons.get_mut(who.index()) {
            lesson.is_outdated = false;
        }
    }

    /// A controller's scout, which has `entered` these routers, failed to reach `goal`.
    pub(super) fn learn(&mut self, who: ControllerId, goal: RouterId, entered: &RouterSet) {
        let Some(lesson) = self.lessons.get_mut(who.index()).filter(|lesson| !lesson.is_outdated) else {
            return;
        };
        match self.routing {
            Routing::NonMinimalAdaptive => self.learn_region(entered),
            Routing::MinimalAdaptive | Routing::DimensionOrder => {
                lesson.out_of_reach.insert(goal);
                lesson.entered.add(entered);
            }
            // It looked everywhere without entering anything.
            Routing::Exhaustive => {
                lesson.out_of_reach.insert(goal);
                lesson.entered.fill();
            }
        }
    }

    /// All controllers that enter the mesh within a region reach that region, and nothing else.
    fn learn_region(&mut self, region: &RouterSet) {
        for (lesson, &entrance) in self.lessons.iter_mut().zip(&self.entrances) {
            if region.contains(entrance) {
                lesson.out_of_reach.become_rest_of(region);
                lesson.entered.become_like(region);
            }
        }
    }

    /// Links were given back at these routers, by another than `by`.
    pub(super) fn note_freed(
        &mut self,
        freed: &RouterSet,
        by: Option<ControllerId>,
        on_their_way: impl Fn(ControllerId) -> bool,
    ) {
        for (number, lesson) in self.lessons.iter_mut().enumerate() {
            let who = ControllerId(number as u32);
            if Some(who) == by {
                continue;
            }
            lesson.is_outdated |= on_their_way(who);
            if lesson.entered.meets(freed) {
                lesson.out_of_reach.clear();
                lesson.entered.clear();
            }
        }
    }

    /// Everything may have changed.
    pub(super) fn forget(&mut self) {
        for lesson in &mut self.lessons {
            lesson.out_of_reach.clear();
            lesson.entered.clear();
            lesson.is_outdated = true;
        }
    }
}
