//! Scouts that complete their search at one instant.
//!
//! # What it models
//! The whole search of a scout at one instant. The result equals that of repeated [`Network::step`] calls.
//!
//! # How
//! No other component reads the mesh during the search, and under load a scout releases many of the links
//! that it reserves. The search therefore works on private data: a list of the exit ports of its path and,
//! for each router, the set of the free ports that it has not tried. When the scout goes back, a port that it
//! has tried stays out of this set. Only the final path is written to the shared state.
//!
//! # What is left out
//! Exhaustive routing, which uses [`Network::step`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! Those of [`RoutingRules`](super::RoutingRules).

use venice_kernel::SimTime;

use super::moves::{Hop, Hops, Moves};
use super::route::candidates;
use super::scout_path::{HopRecord, ScoutPath};
use super::{ControllerId, Lfsr, LfsrClock, Network, Scout, Step};
use crate::Routing;
use crate::noc::{Port, PortSet, RouterId, RouterSet};

impl Network {
    /// Sends a scout, completes its search at one instant, and reserves the path that it finds.
    ///
    /// # Errors
    ///
    /// Returns the number of hops of a failed scout, forward and back, as [`Self::failed_hops`] defines it.
    ///
    /// # Panics
    ///
    /// Panics if the controller already has a scout or circuit in the network.
    pub fn reserve(
        &mut self,
        packet: ControllerId,
        goal: RouterId,
        clock: LfsrClock,
        now: SimTime,
    ) -> Result<Scout, u32> {
        // The result of a failing scout is known without simulating its search, which may be long.
        if self.takes_any_path() && !self.reaches(packet, goal) {
            return Err(self.hops_in_region(packet));
        }
        if self.rules.routing == Routing::Exhaustive {
            let mut scout = self.launch(packet, goal, clock);
            // A shortest path has no loops.
            let last = self.run(&mut scout, now);
            return if last == Step::Arrived { Ok(scout) } else { Err(scout.travelled_hops()) };
        }
        let mut scout = Scout::new(packet, goal, self.source(packet), clock);
        if self.walk(&mut scout) {
            self.lay_found(&mut scout, now);
            Ok(scout)
        } else {
            Err(scout.travelled_hops())
        }
    }

    /// Reserves the path that a scout has found, after removing its loops if so configured.
    fn lay_found(&mut self, scout: &mut Scout, now: SimTime) {
        let (start, _) = self.source(scout.packet);
        // A path of minimal length has no loops.
        if self.cuts_loops && self.way.trail().len() > self.distance(start, scout.goal) as usize {
            scout.cut_hops = self.way.cut_loops(start, &self.moves, self.mesh.routers());
        }
        self.lay(scout, now);
    }

    /// Returns the number of hops of a scout that would fail, or `None` if it would succeed. Reserves
    /// nothing.
    pub(super) fn try_out(&mut self, packet: ControllerId, goal: RouterId) -> Option<u32> {
        let mut scout = Scout::new(packet, goal, self.source(packet), LfsrClock::default());
        if self.walk(&mut scout) { None } else { Some(scout.travelled_hops()) }
    }

    /// True if the routing allows every path, so that a scout succeeds exactly if free links connect its
    /// source and its destination.
    const fn takes_any_path(&self) -> bool {
        matches!(self.rules.routing, Routing::NonMinimalAdaptive | Routing::Exhaustive)
    }

    /// Simulates the search of a scout without reservations. Returns true if it succeeds.
    fn walk(&mut self, scout: &mut Scout) -> bool {
        use Routing::{DimensionOrder, Exhaustive, MinimalAdaptive, NonMinimalAdaptive};
        if !self.takes_any_path() {
            let entered = &mut self.entered[scout.packet.index()];
            entered.clear();
            entered.insert(scout.at);
        }
        // Each branch compiles the search for one routing.
        match self.rules.routing {
            // The region is known and contains every router that the scout can enter, so these routers need
            // not be recorded.
            NonMinimalAdaptive | Exhaustive => {
                self.walk_by::<false>(scout, |open, closer| candidates(NonMinimalAdaptive, open, closer))
            }
            MinimalAdaptive => {
                self.walk_by::<true>(scout, |open, closer| candidates(MinimalAdaptive, open, closer))
            }
            DimensionOrder => {
                self.walk_by::<true>(scout, |open, closer| candidates(DimensionOrder, open, closer))
            }
        }
    }

    fn walk_by<const IS_FOLLOWED: bool>(
        &mut self,
        scout: &mut Scout,
        candidates: impl Fn(PortSet, PortSet) -> PortSet,
    ) -> bool {
        let chip_is_free = self.free[scout.goal.index()].contains(Port::Chip);
        let to_go = self.way.towards.number(self.offset(scout.at, scout.goal));
        let Self { free, lfsrs, way, entered, moves, .. } = self;
        let ScoutPath { trail, hops, open, towards, hop_by } = way;
        open.copy_from_slice(free);
        let entered = &mut entered[scout.packet.index()];
        let trip =
            ScoutWalk::<IS_FOLLOWED, _> { scout, to_go, chip_is_free, moves, hop_by, candidates, entered };
        let arrives = trip.run(trail, open, lfsrs, towards.all_ports());
        *hops = (scout.forward_hops - scout.cancel_hops) as usize;
        arrives
    }
}

/// State of a scout during its search at one instant.
struct ScoutWalk<'a, const IS_FOLLOWED: bool, Candidates> {
    scout: &'a mut Scout,
    to_go: i32,
    chip_is_free: bool,
    moves: &'a Moves,
    hop_by: &'a Hops,
    candidates: Candidates,
    /// Routers that the scout has entered; filled only if `IS_FOLLOWED` is true.
    entered: &'a mut RouterSet,
}

impl<const IS_FOLLOWED: bool, Candidates> ScoutWalk<'_, IS_FOLLOWED, Candidates>
where
    Candidates: Fn(PortSet, PortSet) -> PortSet,
{
    /// Executes all steps of the search. Returns true if the scout reaches its destination.
    fn run(self, trail: &mut [HopRecord], open: &mut [PortSet], lfsrs: &[Lfsr], closer: &[PortSet]) -> bool {
        let Self { scout, to_go, chip_is_free, moves, hop_by, candidates, entered } = self;
        // From its source the scout may leave through any port.
        let from_source = PortSet::MESH.minus(PortSet::beside(scout.input));
        let (mut at, mut turn, mut to_go) = (scout.at, scout.turn, to_go);
        let (mut hops, mut cancel_hops) = (0, 0);
        // The ports of the current router are kept in registers, since the next step depends on them.
        let mut ports = open[at.index()];
        let mut here = ports.and(from_source);
        let arrives = loop {
            let closer = closer[to_go as usize];
            let hop = if closer.is_empty() {
                if chip_is_free {
                    break true;
                }
                &Hop::NONE
            } else {
                hop_by.pick(lfsrs[at.index()], turn, candidates(here, closer))
            };
            if hop.is_some() {
                open[at.index()] = ports.and(hop.others);
                at = hop.from(at);
                let there = open[at.index()];
                let opens = there.and(hop.entries);
                ports = there.minus(opens);
                here = ports.and(hop.onward);
                trail[hops] = HopRecord { exit: hop.exit, opens };
                hops += 1;
                to_go += hop.nearer;
                if IS_FOLLOWED {
                    entered.insert(at);
                }
            } else {
                if hops == 0 {
                    break false;
                }
                hops -= 1;
                let HopRecord { exit, opens } = trail[hops];
                open[at.index()] = ports.and_also(opens);
                let hop = &moves.through(exit).hop;
                at = hop.origin(at);
                to_go -= hop.nearer;
                let onward =
                    if hops == 0 { from_source } else { moves.through(trail[hops - 1].exit).hop.onward };
                ports = open[at.index()];
                here = ports.and(onward);
                cancel_hops += 1;
            }
            turn = turn.plus(scout.hop_turn);
        };
        (scout.at, scout.turn, scout.cancel_hops) = (at, turn, cancel_hops);
        scout.forward_hops = cancel_hops + hops as u32;
        arrives
    }
}
