//! Scouts that run to their end at one instant.
//!
//! # What it models
//! What [`Network::step`] does, step after step, while nothing else happens.
//!
//! # How
//! Nobody looks at the mesh meanwhile, and a scout in a crowd gives back many of the links that it takes. So the ports by
//! which it went on are a list, and which ports are open to it is kept in a copy of its own; all else learns of the path that was
//! found. A port that it has tried is not open again when it comes back by it, so that one set of ports a router is all it needs.
//!
//! # What is left out
//! A scout that looks everywhere before it goes takes its steps one by one.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! Those of [`Rules`](super::Rules).

use venice_kernel::SimTime;

use super::moves::{Hop, Hops, Moves};
use super::route::candidates;
use super::way::{Past, Way};
use super::{Clock, ControllerId, Lfsr, Network, Scout, Step};
use crate::fabric::Routing;
use crate::fabric::noc::{Port, PortSet, RouterId, RouterSet};

impl Network {
    /// Sends a scout and runs it to its end at one instant: the scout that arrived, or [`Self::failed_hops`].
    ///
    /// # Errors
    /// The links that the scout crossed in vain, there and back, as [`Self::failed_hops`] has them.
    ///
    /// # Panics
    /// As [`Self::launch`].
    pub fn reserve(
        &mut self,
        packet: ControllerId,
        goal: RouterId,
        clock: Clock,
        now: SimTime,
    ) -> Result<Scout, u32> {
        // What a failing scout would find is known without its walk, which may be long.
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

    /// Reserves the way that a scout has just found, without loops if they are cut.
    fn lay_found(&mut self, scout: &mut Scout, now: SimTime) {
        let (start, _) = self.source(scout.packet);
        // A way that is as short as can be has none.
        if self.cuts_loops && self.way.trail().len() > self.distance(start, scout.goal) as usize {
            scout.cut_hops = self.way.cut_loops(start, &self.moves, self.mesh.routers());
        }
        self.lay(scout, now);
    }

    /// The hops that a scout would make if it failed. Nothing is reserved.
    pub(super) fn try_out(&mut self, packet: ControllerId, goal: RouterId) -> Option<u32> {
        let mut scout = Scout::new(packet, goal, self.source(packet), Clock::default());
        if self.walk(&mut scout) { None } else { Some(scout.travelled_hops()) }
    }

    /// Whether scouts may take any path, so that those arrive whose goal is in the region of their source.
    const fn takes_any_path(&self) -> bool {
        matches!(self.rules.routing, Routing::NonMinimalAdaptive | Routing::Exhaustive)
    }

    /// Lets a scout that sets out now go on until it is at its chip, or back. Nothing is reserved yet.
    fn walk(&mut self, scout: &mut Scout) -> bool {
        use Routing::{DimensionOrder, Exhaustive, MinimalAdaptive, NonMinimalAdaptive};
        if !self.takes_any_path() {
            let entered = &mut self.entered[scout.packet.index()];
            entered.clear();
            entered.insert(scout.at);
        }
        // Each is compiled by itself.
        match self.rules.routing {
            // The region is known and holds all that a scout can enter.
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
        let Way { trail, hops, open, towards, hop_by } = way;
        open.copy_from_slice(free);
        let entered = &mut entered[scout.packet.index()];
        let trip = Trip::<IS_FOLLOWED, _> { scout, to_go, chip_is_free, moves, hop_by, candidates, entered };
        let arrives = trip.run(trail, open, lfsrs, towards.all_ports());
        *hops = (scout.forward_hops - scout.cancel_hops) as usize;
        arrives
    }
}

/// What a scout under way knows, but for lists.
struct Trip<'a, const IS_FOLLOWED: bool, Candidates> {
    scout: &'a mut Scout,
    to_go: i32,
    chip_is_free: bool,
    moves: &'a Moves,
    hop_by: &'a Hops,
    candidates: Candidates,
    /// The routers that it enters, if it is followed.
    entered: &'a mut RouterSet,
}

impl<const IS_FOLLOWED: bool, Candidates> Trip<'_, IS_FOLLOWED, Candidates>
where
    Candidates: Fn(PortSet, PortSet) -> PortSet,
{
    /// Goes on to the end: whether the scout arrives.
    fn run(self, trail: &mut [Past], open: &mut [PortSet], lfsrs: &[Lfsr], closer: &[PortSet]) -> bool {
        let Self { scout, to_go, chip_is_free, moves, hop_by, candidates, entered } = self;
        // At its source it may go on by any port.
        let from_source = PortSet::MESH.minus(PortSet::beside(scout.input));
        let (mut at, mut turn, mut to_go) = (scout.at, scout.turn, to_go);
        let (mut hops, mut cancel_hops) = (0, 0);
        // The ports of its router are kept at hand, and those by which it may go on: the next step waits for them.
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
                trail[hops] = Past { exit: hop.exit, opens };
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
                let Past { exit, opens } = trail[hops];
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
