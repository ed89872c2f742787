//! Scouts that run to their end at one instant, and circuits that are given back.
//!
//! # What it models
//! What [`Network::step`] does, step after step, while nothing else happens.
//!
//! # How
//! Nobody looks at the mesh meanwhile, and a scout in a crowd gives back many of the links that it takes. So the hops behind it are
//! a list, and only which ports are free is kept as it goes. Tables, board and times learn of the path that was found.
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

use super::route::{Decision, Situation, decide_with};
use super::table::Row;
use super::{Clock, ControllerId, Lfsr, Network, Picks, Scout, Step, Turn};
use crate::fabric::Routing;
use crate::fabric::noc::{Mesh, Offset, Port, PortSet, RouterId};

/// A router on a scout's way: the port by which it came, and that by which it went on.
#[derive(Clone, Copy, Debug)]
struct Hop {
    at: RouterId,
    entry: Port,
    exit: Port,
}

/// The way of a scout under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    hops: Vec<Hop>,
    /// By router: the ports that the scout has reserved there.
    tried: Vec<PortSet>,
    moves: [Move; Port::ALL.len()],
}

impl Way {
    /// None yet.
    pub(super) fn new(mesh: Mesh) -> Self {
        let tried = vec![PortSet::EMPTY; mesh.routers() as usize];
        Self { hops: Vec::new(), tried, moves: Move::all(mesh) }
    }

    /// Gives back the loops of a way that has been found, as a scout does that goes back over it: where it meets its own way it
    /// leaves by the entry of the first visit. So many links are given back.
    fn cut_loops(&mut self, free: &mut [PortSet]) -> u32 {
        let (all, mut later) = (self.hops.len(), self.hops.len());
        while later > 0 {
            later -= 1;
            let Hop { at, exit, .. } = self.hops[later];
            let left_once = self.tried[at.index()].len() == 1;
            if left_once {
                continue;
            }
            let Some(first) = self.hops[..later].iter().position(|hop| hop.at == at) else { continue };
            for place in first..later {
                let (from, to) = (self.hops[place], self.hops[place + 1]);
                free[from.at.index()] = free[from.at.index()].with(from.exit);
                free[to.at.index()] = free[to.at.index()].with(to.entry);
            }
            self.hops[first].exit = exit;
            self.hops.drain(first + 1..=later);
            later = first;
        }
        (all - self.hops.len()) as u32
    }

    fn begin(&mut self) {
        self.hops.clear();
        self.tried.fill(PortSet::EMPTY);
    }
}

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
        if self.takes_any_path() && !self.grow_region(packet).contains(goal) {
            return Err(self.hops_in_region(packet));
        }
        if self.rules.routing == Routing::Exhaustive {
            let mut scout = self.launch(packet, goal, clock);
            // A shortest path has no loops.
            let last = self.run(&mut scout, now);
            return if last == Step::Arrived { Ok(scout) } else { Err(scout.travelled_hops()) };
        }
        let mut scout = Scout::new(packet, goal, self.source(packet), clock);
        if !self.walk(&mut scout) {
            return Err(scout.travelled_hops());
        }
        if self.cuts_loops && scout.came_again {
            scout.cut_hops = self.way.cut_loops(&mut self.free);
        }
        self.lay(&scout, now);
        Ok(scout)
    }

    /// The hops that a scout would make if it failed. Nothing is reserved.
    pub(super) fn try_out(&mut self, packet: ControllerId, goal: RouterId) -> Option<u32> {
        let mut scout = Scout::new(packet, goal, self.source(packet), Clock::default());
        if !self.walk(&mut scout) {
            return Some(scout.travelled_hops());
        }
        while let Some(hop) = self.way.hops.pop() {
            self.free[scout.at.index()] = self.free[scout.at.index()].with(scout.input);
            self.free[hop.at.index()] = self.free[hop.at.index()].with(hop.exit);
            (scout.at, scout.input) = (hop.at, hop.entry);
        }
        None
    }

    /// Whether scouts may take any path, so that those arrive whose goal is in the region of their source.
    const fn takes_any_path(&self) -> bool {
        matches!(self.rules.routing, Routing::NonMinimalAdaptive | Routing::Exhaustive)
    }

    /// Lets a scout that sets out now go on until it is at its chip, or back. If it arrives, the ports of its way between routers
    /// are taken.
    fn walk(&mut self, scout: &mut Scout) -> bool {
        use Routing::{DimensionOrder, Exhaustive, MinimalAdaptive, NonMinimalAdaptive};
        let picks = Picks::of(self.rules.port_choice);
        // Each is compiled by itself.
        match self.rules.routing {
            NonMinimalAdaptive | Exhaustive => {
                let decide = |seen: &_, it| decide_with(NonMinimalAdaptive, picks, seen, it);
                // The region is known and holds all that a scout can enter.
                self.walk_by::<false>(scout, decide)
            }
            MinimalAdaptive => {
                self.walk_by::<true>(scout, |seen, it| decide_with(MinimalAdaptive, picks, seen, it))
            }
            DimensionOrder => {
                self.walk_by::<true>(scout, |seen, it| decide_with(DimensionOrder, picks, seen, it))
            }
        }
    }

    fn walk_by<const IS_FOLLOWED: bool>(
        &mut self,
        scout: &mut Scout,
        decide: impl Fn(&Situation, (Lfsr, Turn)) -> Decision,
    ) -> bool {
        if IS_FOLLOWED {
            self.entered[scout.packet.index()].clear();
            self.entered[scout.packet.index()].insert(scout.at);
        }
        let offset = self.offset(scout.at, scout.goal);
        let Self { free, lfsrs, way, entered, .. } = self;
        way.begin();
        let Way { hops, tried, moves } = way;
        let (mut at, mut turn, mut came_again) = (scout.at, scout.turn, false);
        let mut seen =
            Situation { offset, free: free[at.index()], input: scout.input, tried: PortSet::EMPTY };
        let arrives = loop {
            let here = at.index();
            match decide(&seen, (lfsrs[here], turn)) {
                Decision::Eject => break true,
                Decision::Forward(exit) => {
                    tried[here] = seen.tried.with(exit);
                    free[here] = seen.free.without(exit);
                    hops.push(Hop { at, entry: seen.input, exit });
                    let there = moves[exit.index()].take(&mut at, &mut seen.offset);
                    (seen.input, seen.tried) = (there, tried[at.index()]);
                    seen.free = free[at.index()].without(there);
                    free[at.index()] = seen.free;
                    came_again |= !seen.tried.is_empty();
                    if IS_FOLLOWED {
                        entered[scout.packet.index()].insert(at);
                    }
                }
                Decision::Back => {
                    let Some(hop) = hops.pop() else { break false };
                    free[here] = seen.free.with(seen.input);
                    moves[hop.exit.index()].take_back(&mut at, &mut seen.offset);
                    (seen.input, seen.tried) = (hop.entry, tried[at.index()]);
                    seen.free = free[at.index()].with(hop.exit);
                    free[at.index()] = seen.free;
                    scout.cancel_hops += 1;
                }
            }
            turn = turn.plus(scout.hop_turn);
        };
        (scout.at, scout.input, scout.turn, scout.came_again) = (at, seen.input, turn, came_again);
        scout.forward_hops = scout.cancel_hops + hops.len() as u32;
        arrives
    }

    /// Reserves the way that a scout has just found, of which the ports between routers are taken already.
    fn lay(&mut self, scout: &Scout, now: SimTime) {
        let (packet, (start, port)) = (scout.packet, self.source(scout.packet));
        self.take_local(start, port);
        let Self { routers, board, usage, way, .. } = self;
        for &Hop { at, entry, exit } in &way.hops {
            let router = &mut routers[at.index()];
            router.table.insert(Row { packet, entry, exit });
            let end = &router.ends[exit.index()];
            usage[end.link.index()].since = now;
            board.close(end.place);
            board.note_taken(at);
        }
        self.reserved_count += self.way.hops.len() as u32;
        self.take_local(scout.at, Port::Chip);
        self.insert_row(scout.at, Row { packet, entry: scout.input, exit: Port::Chip });
    }

    /// Gives back the circuit of a controller, from end to end.
    ///
    /// # Panics
    /// When the controller has no circuit.
    pub fn release(&mut self, packet: ControllerId, now: SimTime) {
        if !self.broken.is_empty() {
            return self.release_link_by_link(packet, now);
        }
        let ((mut at, mut entry), mut hops) = (self.source(packet), 0);
        loop {
            let exit = self.remove_entered(at, packet, entry);
            self.free_both(at, (entry, exit));
            if exit == Port::Chip {
                break;
            }
            let end = self.behind(at, exit);
            self.usage[end.link.index()].end(now);
            self.board.open(end.place);
            self.freed.insert(at);
            (at, entry, hops) = (end.router, end.port, hops + 1);
        }
        if hops > 0 {
            self.freed.insert(at);
            self.board.note_given_back(&self.freed);
        }
        self.reserved_count -= hops + 2;
    }

    /// The same where links may have failed meanwhile.
    fn release_link_by_link(&mut self, packet: ControllerId, now: SimTime) {
        let (mut at, mut entry) = self.source(packet);
        self.free_local(at, entry);
        loop {
            let exit = self.remove_entered(at, packet, entry);
            if exit == Port::Chip {
                return self.free_local(at, Port::Chip);
            }
            (at, entry) = self.free_link(at, exit, now);
        }
    }

    /// Marks the two ports of a row as free.
    ///
    /// # Panics
    /// When one of them is free.
    #[inline]
    fn free_both(&mut self, at: RouterId, (entry, exit): (Port, Port)) {
        let row = PortSet::EMPTY.with(entry).with(exit);
        let free = &mut self.free[at.index()];
        assert!(free.and(row).is_empty(), "a port is in one path at most");
        *free = free.and_also(row);
    }

    /// The exit of the row by which a packet came in by this port; the row is taken out.
    #[inline]
    fn remove_entered(&mut self, at: RouterId, packet: ControllerId, entry: Port) -> Port {
        let row = self.routers[at.index()].table.remove_entered(packet, entry);
        row.expect("a circuit has a row in each router from its controller to its chip").exit
    }
}

/// What a hop through a port changes.
#[derive(Clone, Copy, Debug)]
struct Move {
    dx: i32,
    dy: i32,
    /// To the router's number.
    step: i32,
    /// The port by which it ends.
    entry: Port,
}

impl Move {
    /// By port of a mesh's routers; none through those that lead to no other.
    fn all(mesh: Mesh) -> [Self; Port::ALL.len()] {
        let columns = mesh.array().cols.cast_signed();
        Port::ALL.map(|port| {
            let (dx, dy) = match port {
                Port::Right => (1, 0),
                Port::Left => (-1, 0),
                Port::Up | Port::SecondUp => (0, 1),
                Port::Down | Port::SecondDown => (0, -1),
                Port::Chip | Port::Controller | Port::SecondController => (0, 0),
            };
            Self { dx, dy, step: dx + columns * dy, entry: port.opposite().unwrap_or(port) }
        })
    }

    /// The port by which it ends; router and way to go are changed.
    #[inline]
    const fn take(&self, at: &mut RouterId, offset: &mut Offset) -> Port {
        (at.0, offset.dx, offset.dy) =
            (at.0.wrapping_add_signed(self.step), offset.dx - self.dx, offset.dy - self.dy);
        self.entry
    }

    /// The same backwards.
    #[inline]
    const fn take_back(&self, at: &mut RouterId, offset: &mut Offset) {
        (at.0, offset.dx, offset.dy) =
            (at.0.wrapping_add_signed(-self.step), offset.dx + self.dx, offset.dy + self.dy);
    }
}
