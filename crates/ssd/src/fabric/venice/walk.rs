//! Scouts that run to their end at one instant, and circuits that are given back.
//!
//! # What it models
//! What [`Network::step`] does, step after step, while nothing else happens.
//!
//! # How
//! Nobody looks at the mesh meanwhile, and a scout in a crowd gives back many of the links that it takes. So it walks on a copy of
//! what is free, and the hops behind it are a list. Ports, tables, board and times learn of the path that was found.
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

use super::moves::Towards;
use super::route::onward;
use super::table::Row;
use super::{Clock, ControllerId, Lfsr, Network, Picks, Scout, Step, Turn};
use crate::fabric::Routing;
use crate::fabric::noc::{Mesh, Port, PortSet, RouterId};

/// A router on a scout's way: the port by which it came, and that by which it went on.
#[derive(Clone, Copy, Debug)]
struct Hop {
    at: RouterId,
    entry: Port,
    exit: Port,
}

/// A router's links as a scout under way sees them: which are free, in the lower byte, and which it has reserved there, in the upper.
#[derive(Clone, Copy, Debug)]
struct View(u16);

impl View {
    /// Before the scout has been there.
    #[inline]
    const fn of(free: PortSet) -> Self {
        Self(free.and(PortSet::MESH).links_bits() as u16)
    }

    const fn tried(self) -> PortSet {
        PortSet::of_links_bits((self.0 >> 8) as u8)
    }

    /// The links that the scout may still take.
    #[inline]
    const fn open(self) -> PortSet {
        PortSet::of_links_bits((self.0 & !(self.0 >> 8)) as u8)
    }

    /// The scout goes on through a port that is open to it.
    #[inline]
    const fn left_by(self, port: Port) -> Self {
        Self(self.0 ^ 0x101 << port.index())
    }

    #[inline]
    const fn taken(self, port: Port) -> Self {
        Self(self.0 & !(1 << port.index()))
    }

    #[inline]
    const fn given_back(self, port: Port) -> Self {
        Self(self.0 | 1 << port.index())
    }
}

/// The way of a scout under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    hops: Vec<Hop>,
    /// By router.
    views: Vec<View>,
    towards: Towards,
}

impl Way {
    /// None yet.
    pub(super) fn new(mesh: Mesh) -> Self {
        let views = vec![View::of(PortSet::EMPTY); mesh.routers() as usize];
        Self { hops: Vec::new(), views, towards: Towards::new(mesh) }
    }

    /// Cuts the loops of a way that has been found, as a scout does that goes back over it: where it meets its own way it
    /// leaves by the entry of the first visit. So many links are given back.
    fn cut_loops(&mut self) -> u32 {
        let (all, mut later) = (self.hops.len(), self.hops.len());
        while later > 0 {
            later -= 1;
            let Hop { at, exit, .. } = self.hops[later];
            let left_once = self.views[at.index()].tried().len() == 1;
            if left_once {
                continue;
            }
            let Some(first) = self.hops[..later].iter().position(|hop| hop.at == at) else { continue };
            self.hops[first].exit = exit;
            self.hops.drain(first + 1..=later);
            later = first;
        }
        (all - self.hops.len()) as u32
    }

    fn begin(&mut self, free: &[PortSet]) {
        self.hops.clear();
        for (view, &free) in self.views.iter_mut().zip(free) {
            *view = View::of(free);
        }
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
            scout.cut_hops = self.way.cut_loops();
        }
        self.lay(&scout, now);
        Ok(scout)
    }

    /// The hops that a scout would make if it failed. Nothing is reserved.
    pub(super) fn try_out(&mut self, packet: ControllerId, goal: RouterId) -> Option<u32> {
        let mut scout = Scout::new(packet, goal, self.source(packet), Clock::default());
        (!self.walk(&mut scout)).then(|| scout.travelled_hops())
    }

    /// Whether scouts may take any path, so that those arrive whose goal is in the region of their source.
    const fn takes_any_path(&self) -> bool {
        matches!(self.rules.routing, Routing::NonMinimalAdaptive | Routing::Exhaustive)
    }

    /// Lets a scout that sets out now go on until it is at its chip, or back. Nothing is reserved yet.
    fn walk(&mut self, scout: &mut Scout) -> bool {
        use Routing::{DimensionOrder, Exhaustive, MinimalAdaptive, NonMinimalAdaptive};
        let picks = Picks::of(self.rules.port_choice);
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
        way.begin(free);
        let Way { hops, views, towards } = way;
        let entered = &mut entered[scout.packet.index()];
        if IS_FOLLOWED {
            entered.clear();
            entered.insert(scout.at);
        }
        let (mut at, mut input, mut turn, mut came_again) = (scout.at, scout.input, scout.turn, false);
        let mut to_go = towards.number(to_go);
        let arrives = loop {
            let (here, closer) = (views[at.index()], towards.ports(to_go));
            let exit = if closer.is_empty() {
                if chip_is_free {
                    break true;
                }
                None
            } else {
                let open = here.open().minus(PortSet::beside(input));
                onward((open, closer), (lfsrs[at.index()], turn))
            };
            if let Some(exit) = exit {
                views[at.index()] = here.left_by(exit);
                hops.push(Hop { at, entry: input, exit });
                let through = moves.through(exit);
                (at, input) = (RouterId(at.0.wrapping_add_signed(through.step)), through.entry);
                to_go += through.nearer;
                let there = &mut views[at.index()];
                came_again |= !there.tried().is_empty();
                *there = there.taken(input);
                if IS_FOLLOWED {
                    entered.insert(at);
                }
            } else {
                let Some(hop) = hops.pop() else { break false };
                views[at.index()] = here.given_back(input);
                (at, input) = (hop.at, hop.entry);
                to_go -= moves.through(hop.exit).nearer;
                let back = &mut views[at.index()];
                *back = back.given_back(hop.exit);
                scout.cancel_hops += 1;
            }
            turn = turn.plus(scout.hop_turn);
        };
        (scout.at, scout.input, scout.turn, scout.came_again) = (at, input, turn, came_again);
        scout.forward_hops = scout.cancel_hops + hops.len() as u32;
        arrives
    }

    /// Reserves the way that a scout has just found.
    fn lay(&mut self, scout: &Scout, now: SimTime) {
        let Self { free, tables, board, usage, way, moves, .. } = self;
        let mut lay_row = |at: RouterId, entry: Port, exit: Port| {
            let (ports, free) = (PortSet::EMPTY.with(entry).with(exit), &mut free[at.index()]);
            assert!(ports.minus(*free).is_empty(), "a port is in one path at most");
            *free = free.minus(ports);
            tables[at.index()].insert(Row { packet: scout.packet, entry, exit });
        };
        for &Hop { at, entry, exit } in &way.hops {
            lay_row(at, entry, exit);
            let place = moves.through(exit).place(at);
            usage[place.index()].since = now;
            board.close(place);
            board.note_taken(at);
        }
        lay_row(scout.at, scout.input, Port::Chip);
        self.reserved_count += way.hops.len() as u32 + 2;
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
            self.usage[end.place.index()].end(now);
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
        let row = self.tables[at.index()].remove_entered(packet, entry);
        row.expect("a circuit has a row in each router from its controller to its chip").exit
    }
}
