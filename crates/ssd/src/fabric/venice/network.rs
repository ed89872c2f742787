//! All routers and links, and scouts that move through them one step at a time.
//!
//! # What it models
//! The state that reservations live in: each router's free ports, reservation table and register,
//! and since when each link is reserved. A scout takes one step at a time; running it to its end at
//! one instant and letting it hop as time passes are the same code.
//!
//! # How
//! A port is free when it leads somewhere and is in no path, half-built or complete. A scout that
//! goes forward reserves the link ahead (both ends of it) and leaves a row in the table behind it. At
//! a dead end it turns to cancel mode: it goes back over the link by which it came, and when it
//! arrives the row it left there is removed, the link is free again, and it looks for another port.
//! A scout whose last port leads back into its controller has failed; it leaves nothing behind.
//!
//! A scout never waits, so there is no deadlock. It reserves each output port of a router at most
//! once, so it makes at most [`Network::forward_hop_bound`] hops forward and as many back: no
//! livelock.
//!
//! # What is left out
//! Links that fail do so by [`Network::fail`] and [`Network::retire`] only: nothing breaks by itself.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! Those of [`Rules`], and `seed`.

use venice_kernel::{SimSpan, SimTime};

use super::route::{Decision, Rules, Situation, decide};
use super::table::{Row, Table};
use super::{ControllerId, Lfsr, Mode, Scout, Step, shortest_free_path};
use crate::fabric::Routing;
use crate::fabric::noc::{LinkId, Mesh, Port, PortSet, RouterId};

/// One router's share of the state.
#[derive(Clone, Debug)]
struct Router {
    free: PortSet,
    table: Table,
    lfsr: Lfsr,
}

/// Routers, links, and what is reserved of them.
#[derive(Clone, Debug)]
pub struct Network {
    mesh: Mesh,
    rules: Rules,
    routers: Vec<Router>,
    /// By controller and router: the ports that the controller's scout has reserved there.
    tried: Vec<PortSet>,
    reserved_since: Vec<SimTime>,
    reserved_for: Vec<SimSpan>,
    /// By link: whether it has failed.
    broken: Vec<bool>,
    /// Links and local ports in use.
    reserved_count: u32,
}

impl Network {
    /// A network with nothing reserved; the routers' registers are drawn from `seed`.
    pub fn new(mesh: Mesh, rules: Rules, seed: u64) -> Self {
        let router = |id| Router {
            free: Self::ports_of(mesh, id),
            table: Table::default(),
            lfsr: Lfsr::seeded(seed, id),
        };
        Self {
            mesh,
            rules,
            routers: (0..mesh.routers()).map(RouterId).map(router).collect(),
            tried: vec![PortSet::EMPTY; (mesh.controllers() * mesh.routers()) as usize],
            reserved_since: vec![SimTime::ZERO; mesh.links() as usize],
            reserved_for: vec![SimSpan::ZERO; mesh.links() as usize],
            broken: vec![false; mesh.links() as usize],
            reserved_count: 0,
        }
    }

    /// The ports of a router that lead somewhere.
    fn ports_of(mesh: Mesh, router: RouterId) -> PortSet {
        let neighbours = Port::MESH.into_iter().filter(|&port| mesh.neighbour(router, port).is_some());
        let ports = neighbours.collect::<PortSet>().with(Port::Chip);
        if mesh.position(router).1 == 0 { ports.with(Port::Controller) } else { ports }
    }

    /// The most hops that a scout can make forward: one through each mesh port of each router. It
    /// can make as many back.
    pub const fn forward_hop_bound(mesh: Mesh) -> u32 {
        2 * mesh.links()
    }

    /// The shape.
    pub const fn mesh(&self) -> Mesh {
        self.mesh
    }

    /// The ports of a router that are in no path.
    pub fn free_ports(&self, router: RouterId) -> PortSet {
        self.routers[router.index()].free
    }

    /// The reservation table of a router.
    pub fn table(&self, router: RouterId) -> &Table {
        &self.routers[router.index()].table
    }

    /// The register of a router.
    pub fn lfsr(&self, router: RouterId) -> Lfsr {
        self.routers[router.index()].lfsr
    }

    /// Changes how routers decide from now on, as a test that compares routings in one state does.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Puts a router's register into a state, as a test that walks through all of them does.
    pub fn set_lfsr(&mut self, router: RouterId, lfsr: Lfsr) {
        self.routers[router.index()].lfsr = lfsr;
    }

    /// Whether no link, controller port or chip port is reserved.
    pub const fn is_idle(&self) -> bool {
        self.reserved_count == 0
    }

    /// By link: how long it was reserved, counting reservations that have ended.
    pub fn reserved_for(&self) -> &[SimSpan] {
        &self.reserved_for
    }

    /// Sends a scout from a controller into its first router.
    ///
    /// # Panics
    /// When the controller already has a scout or a circuit in the network.
    pub fn launch(&mut self, packet: ControllerId, goal: RouterId) -> Scout {
        let at = self.mesh.entrance(packet.0);
        self.take_local(at, Port::Controller);
        let routers = self.mesh.routers() as usize;
        self.tried[packet.index() * routers..][..routers].fill(PortSet::EMPTY);
        Scout::new(packet, goal, at)
    }

    /// Lets the router that the scout has reached decide, and the scout set out accordingly.
    ///
    /// After [`Step::Forward`] and [`Step::Back`] the scout is under way over a link; the next step
    /// is due when it has crossed it.
    pub fn step(&mut self, scout: &mut Scout, now: SimTime) -> Step {
        if scout.mode == Mode::Cancel {
            self.undo_hop(scout, now);
        }
        match self.decide(scout) {
            Decision::Eject => self.eject(scout),
            Decision::Forward(port) => self.hop(scout, port, now),
            Decision::Back if scout.input == Port::Controller => {
                self.free_local(scout.at, Port::Controller);
                Step::Failed
            }
            Decision::Back => {
                scout.mode = Mode::Cancel;
                scout.cancel_hops += 1;
                Step::Back
            }
        }
    }

    /// Runs a scout to its end at one instant. What it reserved stays if it arrived.
    pub fn run(&mut self, scout: &mut Scout, now: SimTime) -> Step {
        loop {
            let step = self.step(scout, now);
            if matches!(step, Step::Arrived | Step::Failed) {
                return step;
            }
        }
    }

    fn decide(&mut self, scout: &Scout) -> Decision {
        let tried = self.tried[self.tried_index(scout)];
        let offset = self.mesh.offset(scout.at, scout.goal);
        if self.rules.routing == Routing::Exhaustive && offset.hops() > 0 {
            return self.first_step(scout, tried).map_or(Decision::Back, Decision::Forward);
        }
        let router = &mut self.routers[scout.at.index()];
        let seen = Situation { offset, free: router.free, input: scout.input, tried };
        decide(self.rules, &seen, &mut router.lfsr)
    }

    /// The first port of a shortest free path that the scout has not tried.
    fn first_step(&self, scout: &Scout, tried: PortSet) -> Option<Port> {
        let allowed = |at| if at == scout.at { PortSet::MESH.minus(tried) } else { PortSet::MESH };
        let path = shortest_free_path(self, scout.at, scout.goal, allowed)?;
        Port::MESH.into_iter().find(|&port| self.mesh.neighbour(scout.at, port) == path.get(1).copied())
    }

    fn tried_index(&self, scout: &Scout) -> usize {
        scout.packet.index() * self.mesh.routers() as usize + scout.at.index()
    }

    fn hop(&mut self, scout: &mut Scout, exit: Port, now: SimTime) -> Step {
        let index = self.tried_index(scout);
        self.tried[index] = self.tried[index].with(exit);
        let row = Row { packet: scout.packet, entry: scout.input, exit };
        (scout.at, scout.input) = self.extend(scout.at, row, now);
        scout.forward_hops += 1;
        Step::Forward
    }

    fn eject(&mut self, scout: &Scout) -> Step {
        self.take_local(scout.at, Port::Chip);
        let row = Row { packet: scout.packet, entry: scout.input, exit: Port::Chip };
        self.insert_row(scout.at, row);
        Step::Arrived
    }

    /// The scout has crossed its last link backwards: the row and the link are given back.
    fn undo_hop(&mut self, scout: &mut Scout, now: SimTime) {
        let (upstream, exit) = self.far_end(scout.at, scout.input);
        let row = self.routers[upstream.index()].table.remove(scout.packet, exit);
        let row = row.expect("a scout left a row in each router it came through");
        self.free_link(upstream, exit, now);
        (scout.at, scout.input, scout.mode) = (upstream, row.entry, Mode::Reserve);
    }

    pub(super) fn insert_row(&mut self, at: RouterId, row: Row) {
        self.routers[at.index()].table.insert(row);
    }

    /// Adds a row and reserves the link behind its exit; the far end is returned.
    pub(super) fn extend(&mut self, at: RouterId, row: Row, now: SimTime) -> (RouterId, Port) {
        self.insert_row(at, row);
        self.take_link(at, row.exit, now)
    }

    /// Gives back the circuit of a controller, from end to end.
    ///
    /// # Panics
    /// When the controller has no circuit.
    pub fn release(&mut self, packet: ControllerId, now: SimTime) {
        let (mut at, mut entry) = (self.mesh.entrance(packet.0), Port::Controller);
        self.free_local(at, Port::Controller);
        loop {
            let exit = self.remove_entered(at, packet, entry).exit;
            if exit == Port::Chip {
                return self.free_local(at, Port::Chip);
            }
            (at, entry) = self.free_link(at, exit, now);
        }
    }

    fn remove_entered(&mut self, at: RouterId, packet: ControllerId, entry: Port) -> Row {
        let table = &mut self.routers[at.index()].table;
        let row = table.entered(packet, entry).and_then(|row| table.remove(packet, row.exit));
        row.expect("a circuit has a row in each router from its controller to its chip")
    }

    /// The routers on the path of a controller's circuit or scout, in order; none if it has neither.
    pub fn path_of(&self, packet: ControllerId) -> Vec<RouterId> {
        let (mut at, mut entry) = (self.mesh.entrance(packet.0), Port::Controller);
        if self.free_ports(at).contains(Port::Controller) {
            return Vec::new();
        }
        let mut path = vec![at];
        while let Some(row) = self.table(at).entered(packet, entry) {
            if row.exit == Port::Chip {
                break;
            }
            (at, entry) = self.far_end(at, row.exit);
            path.push(at);
        }
        path
    }

    /// Takes a link out of service for good, as a broken one would be. No effect on a link in use.
    pub fn retire(&mut self, router: RouterId, port: Port) {
        if self.mesh.link(router, port).is_some() && self.free_ports(router).contains(port) {
            let (far, far_port) = self.far_end(router, port);
            self.mark(router, port, false);
            self.mark(far, far_port, false);
        }
    }

    /// Takes links out of service for good; one that is in a path is lost when the path is given back.
    pub fn fail(&mut self, broken: &[bool]) {
        for router in (0..self.mesh.routers()).map(RouterId) {
            for port in [Port::Right, Port::Up] {
                let fails = self.mesh.link(router, port).is_some_and(|link| broken[link.index()]);
                if fails {
                    self.retire(router, port);
                }
            }
        }
        self.broken.copy_from_slice(broken);
    }

    fn far_end(&self, router: RouterId, port: Port) -> (RouterId, Port) {
        let ends = self.mesh.neighbour(router, port).zip(port.opposite());
        ends.expect("scouts and circuits use ports that lead to a router")
    }

    fn link(&self, router: RouterId, port: Port) -> LinkId {
        self.mesh.link(router, port).expect("scouts and circuits use ports that lead to a router")
    }

    fn take_link(&mut self, router: RouterId, port: Port, now: SimTime) -> (RouterId, Port) {
        let link = self.link(router, port);
        let (far, far_port) = self.far_end(router, port);
        self.mark(router, port, false);
        self.mark(far, far_port, false);
        self.reserved_since[link.index()] = now;
        self.reserved_count += 1;
        (far, far_port)
    }

    fn free_link(&mut self, router: RouterId, port: Port, now: SimTime) -> (RouterId, Port) {
        let link = self.link(router, port);
        let (far, far_port) = self.far_end(router, port);
        if !self.broken[link.index()] {
            self.mark(router, port, true);
            self.mark(far, far_port, true);
        }
        self.reserved_for[link.index()] += now.since(self.reserved_since[link.index()]);
        self.reserved_count -= 1;
        (far, far_port)
    }

    pub(super) fn take_local(&mut self, router: RouterId, port: Port) {
        self.mark(router, port, false);
        self.reserved_count += 1;
    }

    fn free_local(&mut self, router: RouterId, port: Port) {
        self.mark(router, port, true);
        self.reserved_count -= 1;
    }

    /// # Panics
    /// When the port already is what it is to become: then something was reserved twice.
    fn mark(&mut self, router: RouterId, port: Port, free: bool) {
        let ports = &mut self.routers[router.index()].free;
        assert_ne!(ports.contains(port), free, "a port is in one path at most");
        *ports = if free { ports.with(port) } else { ports.without(port) };
    }
}
