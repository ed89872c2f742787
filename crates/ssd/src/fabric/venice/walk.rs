//! Scouts that run to their end at one instant, and circuits that are given back.
//!
//! # What it models
//! What [`Network::step`] does, step after step, while nothing else happens.
//!
//! # How
//! Nobody looks at the mesh meanwhile, and a scout in a crowd gives back many of the links that it takes. So the ports by
//! which it went on are a list, and only which ports are free is kept as it goes. Tables, board and times learn of the path that was
//! found.
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

use super::moves::{Moves, Towards};
use super::route::onward;
use super::table::{Row, Table};
use super::{Clock, ControllerId, Lfsr, Network, Picks, Scout, Step, Turn};
use crate::fabric::Routing;
use crate::fabric::noc::{Mesh, Port, PortSet, RouterId};

/// The way of a scout under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The ports by which it left one router after the other; the first `hops` are of use.
    exits: Vec<Port>,
    hops: usize,
    /// By router: the ports that the scout has reserved there.
    tried: Vec<PortSet>,
    towards: Towards,
}

impl Way {
    /// None yet.
    pub(super) fn new(mesh: Mesh) -> Self {
        let exits = vec![Port::Chip; Network::forward_hop_bound(mesh) as usize];
        let tried = vec![PortSet::EMPTY; mesh.routers() as usize];
        Self { exits, hops: 0, tried, towards: Towards::new(mesh) }
    }

    fn exits(&self) -> &[Port] {
        &self.exits[..self.hops]
    }

    /// Gives back the loops of a way that has been found, as a scout does that goes back over it: where it meets its own way it
    /// leaves by the entry of the first visit. So many links are given back.
    fn cut_loops(&mut self, start: RouterId, moves: &Moves, free: &mut [PortSet]) -> u32 {
        let mut at = self.exits().iter().fold(start, |at, &exit| moves.through(exit).from(at).router);
        let (all, mut later) = (self.hops, self.hops);
        while later > 0 {
            later -= 1;
            at = moves.through(self.exits[later]).origin(at);
            let left_once = self.tried[at.index()].len() == 1;
            if left_once {
                continue;
            }
            let first = self.first_visit(at, start, moves);
            give_back(&self.exits[first..later], at, moves, free);
            self.exits.copy_within(later..self.hops, first);
            self.hops -= later - first;
            later = first;
        }
        (all - self.hops) as u32
    }

    /// After how many hops it came first to a router that it left.
    fn first_visit(&self, router: RouterId, start: RouterId, moves: &Moves) -> usize {
        let (mut at, mut hops) = (start, 0);
        while at != router {
            at = moves.through(self.exits[hops]).from(at).router;
            hops += 1;
        }
        hops
    }
}

/// Gives back the ports of links that follow each other from a router on.
fn give_back(exits: &[Port], start: RouterId, moves: &Moves, free: &mut [PortSet]) {
    let mut at = start;
    for &exit in exits {
        let through = moves.through(exit);
        free[at.index()] = free[at.index()].and_also(through.exits);
        at = through.from(at).router;
        free[at.index()] = free[at.index()].and_also(through.entries);
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
            let (start, _) = self.source(packet);
            scout.cut_hops = self.way.cut_loops(start, &self.moves, &mut self.free);
        }
        self.lay(&scout, now);
        Ok(scout)
    }

    /// The hops that a scout would make if it failed. Nothing is reserved.
    pub(super) fn try_out(&mut self, packet: ControllerId, goal: RouterId) -> Option<u32> {
        let (start, port) = self.source(packet);
        let mut scout = Scout::new(packet, goal, (start, port), Clock::default());
        if !self.walk(&mut scout) {
            return Some(scout.travelled_hops());
        }
        give_back(self.way.exits(), start, &self.moves, &mut self.free);
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
        if !self.takes_any_path() {
            let entered = &mut self.entered[scout.packet.index()];
            entered.clear();
            entered.insert(scout.at);
        }
        // Each is compiled by itself.
        match self.rules.routing {
            // The region is known and holds all that a scout can enter.
            NonMinimalAdaptive | Exhaustive => {
                self.walk_by::<false>(scout, |ports, it| onward(NonMinimalAdaptive, picks, ports, it))
            }
            MinimalAdaptive => {
                self.walk_by::<true>(scout, |ports, it| onward(MinimalAdaptive, picks, ports, it))
            }
            DimensionOrder => {
                self.walk_by::<true>(scout, |ports, it| onward(DimensionOrder, picks, ports, it))
            }
        }
    }

    fn walk_by<const IS_FOLLOWED: bool>(
        &mut self,
        scout: &mut Scout,
        onward: impl Fn((PortSet, PortSet), (Lfsr, Turn)) -> Option<Port>,
    ) -> bool {
        let chip_is_free = self.free[scout.goal.index()].contains(Port::Chip);
        let to_go = self.offset(scout.at, scout.goal);
        let Self { free, lfsrs, way, entered, moves, .. } = self;
        let Way { exits, tried, towards, .. } = way;
        tried.fill(PortSet::EMPTY);
        let entered = &mut entered[scout.packet.index()];
        let source = PortSet::EMPTY.with(scout.input);
        let (mut at, mut back, mut turn) = (scout.at, source, scout.turn);
        let (mut to_go, mut hops, mut left_before) = (towards.number(to_go), 0, PortSet::EMPTY);
        // Of the router where the scout is; nobody else asks for them until it goes on.
        let (mut free_here, mut tried_here) = (free[at.index()], PortSet::EMPTY);
        let arrives = loop {
            let closer = towards.ports(to_go);
            let exit = if closer.is_empty() {
                if chip_is_free {
                    break true;
                }
                None
            } else {
                let open = free_here.and(PortSet::MESH).minus(tried_here.and_also(back));
                onward((open, closer), (lfsrs[at.index()], turn))
            };
            if let Some(exit) = exit {
                let through = moves.through(exit);
                tried[at.index()] = tried_here.and_also(through.exits);
                free[at.index()] = free_here.minus(through.exits);
                exits[hops] = exit;
                hops += 1;
                at = through.from(at).router;
                to_go += through.nearer;
                back = through.back;
                tried_here = tried[at.index()];
                free_here = free[at.index()].minus(through.entries);
                left_before = left_before.and_also(tried_here);
                if IS_FOLLOWED {
                    entered.insert(at);
                }
            } else {
                if hops == 0 {
                    break false;
                }
                hops -= 1;
                let through = moves.through(exits[hops]);
                free[at.index()] = free_here.and_also(through.entries);
                at = through.origin(at);
                to_go -= through.nearer;
                back = if hops == 0 { source } else { moves.through(exits[hops - 1]).back };
                tried_here = tried[at.index()];
                free_here = free[at.index()].and_also(through.exits);
                scout.cancel_hops += 1;
            }
            turn = turn.plus(scout.hop_turn);
        };
        free[at.index()] = free_here;
        way.hops = hops;
        (scout.at, scout.turn, scout.came_again) = (at, turn, !left_before.is_empty());
        scout.input = exits[..hops].last().map_or(scout.input, |&exit| moves.through(exit).entry);
        scout.forward_hops = scout.cancel_hops + hops as u32;
        arrives
    }

    /// Reserves the way that a scout has just found, of which the ports between routers are taken already.
    fn lay(&mut self, scout: &Scout, now: SimTime) {
        let (packet, (start, port)) = (scout.packet, self.source(scout.packet));
        self.take_local(start, port);
        let Self { tables, board, usage, way, moves, path, .. } = self;
        path.clear();
        let (mut at, mut entry) = (start, port);
        for &exit in way.exits() {
            tables[at.index()].insert(Row { packet, entry, exit });
            path.insert(at);
            let end = moves.through(exit).from(at);
            usage[end.place.index()].since = now;
            board.close(end.place);
            (at, entry) = (end.router, end.port);
        }
        board.note_taken(path);
        self.reserved_count += way.hops as u32;
        self.take_local(at, Port::Chip);
        self.insert_row(at, Row { packet, entry, exit: Port::Chip });
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
        let Self { tables, free, board, usage, moves, path, .. } = self;
        path.clear();
        loop {
            path.insert(at);
            let exit = leave(&mut tables[at.index()], packet, entry);
            let (row, free) = (PortSet::EMPTY.with(entry).with(exit), &mut free[at.index()]);
            assert!(free.and(row).is_empty(), "a port is in one path at most");
            *free = free.and_also(row);
            if exit == Port::Chip {
                break;
            }
            let end = moves.through(exit).from(at);
            usage[end.place.index()].end(now);
            board.open(end.place);
            (at, entry, hops) = (end.router, end.port, hops + 1);
        }
        if hops > 0 {
            board.note_given_back(path);
            self.freed.add(path);
        }
        self.reserved_count -= hops + 2;
    }

    /// The same where links may have failed meanwhile.
    fn release_link_by_link(&mut self, packet: ControllerId, now: SimTime) {
        let (mut at, mut entry) = self.source(packet);
        self.free_local(at, entry);
        loop {
            let exit = leave(&mut self.tables[at.index()], packet, entry);
            if exit == Port::Chip {
                return self.free_local(at, Port::Chip);
            }
            (at, entry) = self.free_link(at, exit, now);
        }
    }
}

/// Takes out the row by which a packet came in by this port: its exit.
#[inline]
fn leave(table: &mut Table, packet: ControllerId, entry: Port) -> Port {
    let row = table.remove_entered(packet, entry);
    row.expect("a circuit has a row in each router from its controller to its chip").exit
}
