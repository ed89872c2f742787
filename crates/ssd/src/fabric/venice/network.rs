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

use super::laid::Laid;
use super::moves::{End, Moves};
use super::route::{Decision, Rules, Situation, decide};
use super::table::{Row, Table};
use super::way::Way;
use super::{Clock, ControllerId, Lfsr, Mode, Scout, Step, shortest_free_path};
use crate::fabric::Routing;
use crate::fabric::noc::{Board, Mesh, Offset, Port, PortSet, RouterId, RouterSet};

/// A router that a path visits twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The router.
    pub at: RouterId,
    /// By which port the path comes in for the second time.
    pub entry: Port,
    /// From the chip to the router, over what is left of the path.
    pub hops: u32,
}

/// Routers, links, and what is reserved of them.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) mesh: Mesh,
    pub(super) rules: Rules,
    /// A path that is found at one instant has its loops cut.
    pub(super) cuts_loops: bool,
    /// By router: its ports that are in no path. In a small mesh there are more members than routers, here and below.
    pub(super) free: Vec<PortSet>,
    /// By router: its register.
    pub(super) lfsrs: Vec<Lfsr>,
    /// By router: its reservation table, but for the rows of circuits that were laid at one instant.
    pub(super) tables: Vec<Table>,
    /// By router: its row and column.
    positions: Vec<(i32, i32)>,
    /// By port: what lies behind it.
    pub(super) moves: Moves,
    /// The free links once more, for [`Self::would_arrive`].
    pub(super) board: Board,
    /// Room for a scout that runs to its end at one instant.
    pub(super) way: Way,
    /// By controller, and chip that may send: where its scouts set out, and the port by which they come into the router there.
    sources: Vec<(RouterId, Port)>,
    /// By controller, and chip that may send: its circuit that was laid at one instant.
    pub(super) laid: Vec<Laid>,
    /// Loops of which the first link is not given back yet, or the next ones.
    open_loops: u32,
    /// By controller and router: the ports that the controller's scout has reserved there.
    tried: Vec<PortSet>,
    /// By controller: the routers that its last scout entered, or, if it arrived at once, those of its path.
    pub(super) entered: Vec<RouterSet>,
    /// Routers at which a link was given back since this was last emptied.
    pub(super) freed: RouterSet,
    /// By place of a link on the board: when its last reservation by a scout that takes its steps one by one began.
    pub(super) since: Vec<SimTime>,
    /// By place of a link on the board: how long it was reserved, counting reservations that have ended.
    pub(super) reserved_for: Vec<SimSpan>,
    /// By link: whether it has failed. None has where this is empty.
    pub(super) broken: Vec<bool>,
    /// Links and local ports in use.
    pub(super) reserved_count: u32,
}

impl Network {
    /// A network with nothing reserved; the routers' registers are drawn from `seed`.
    pub fn new(mesh: Mesh, rules: Rules, seed: u64) -> Self {
        let board = Self::all_free(mesh);
        let ids = || (0..mesh.routers()).map(RouterId);
        let position = |id| {
            let (row, col) = mesh.position(id);
            (row.cast_signed(), col.cast_signed())
        };
        let moves = Moves::new(mesh, &board);
        Self {
            mesh,
            rules,
            cuts_loops: false,
            free: ids().map(|id| Self::ports_of(mesh, id)).collect(),
            lfsrs: ids().map(|id| Lfsr::seeded(seed, id)).collect(),
            tables: vec![Table::default(); mesh.routers() as usize],
            positions: ids().map(position).collect(),
            way: Way::new(mesh, &moves, rules.port_choice),
            moves,
            since: vec![SimTime::ZERO; board.places()],
            reserved_for: vec![SimSpan::ZERO; board.places()],
            sources: (0..mesh.entrances()).map(|it| (mesh.entrance(it), mesh.entry_port(it))).collect(),
            laid: vec![Laid::none(&board); mesh.entrances() as usize],
            board,
            open_loops: 0,
            tried: vec![PortSet::EMPTY; (mesh.entrances() * mesh.routers()) as usize],
            entered: vec![RouterSet::none(mesh.routers()); mesh.entrances() as usize],
            freed: RouterSet::none(mesh.routers()),
            broken: Vec::new(),
            reserved_count: 0,
        }
    }

    fn all_free(mesh: Mesh) -> Board {
        let mut board = Board::new(mesh);
        for router in (0..mesh.routers()).map(RouterId) {
            for port in Port::OWN_LINKS {
                if mesh.link(router, port).is_some() {
                    board.give_back(board.place(router, port));
                }
            }
        }
        board
    }

    /// The same where chips may send scouts, too, with ids behind those of the controllers.
    #[must_use]
    pub fn with_chips_that_send(mut self, they_do: bool) -> Self {
        if they_do {
            let (senders, routers) = (self.mesh.entrances() + self.mesh.routers(), self.mesh.routers());
            self.tried.resize((senders * routers) as usize, PortSet::EMPTY);
            self.entered.resize(senders as usize, RouterSet::none(routers));
            self.sources.extend((0..routers).map(|chip| (RouterId(chip), Port::Chip)));
            self.laid.resize(senders as usize, Laid::none(&self.board));
        }
        self
    }

    /// The same where [`Self::reserve`] cuts the loops of the paths that it finds.
    #[must_use]
    pub const fn with_loops_cut(mut self, they_are: bool) -> Self {
        self.cuts_loops = they_are;
        self
    }

    /// Where the scouts of this id set out, and the port by which they come into the router there: from a controller, or from the
    /// chip whose number is behind those of the controllers.
    #[inline]
    pub(super) fn source(&self, packet: ControllerId) -> (RouterId, Port) {
        self.sources[packet.index()]
    }

    /// The ports of a router that lead somewhere.
    fn ports_of(mesh: Mesh, router: RouterId) -> PortSet {
        let neighbours = Port::LINKS.into_iter().filter(|&port| mesh.neighbour(router, port).is_some());
        let entrances = (0..mesh.entrances()).filter(|&it| mesh.entrance(it) == router);
        neighbours.chain(entrances.map(|it| mesh.entry_port(it))).collect::<PortSet>().with(Port::Chip)
    }

    /// The most hops that a scout can make forward: one through each mesh port of each router. It
    /// can make as many back.
    pub const fn forward_hop_bound(mesh: Mesh) -> u32 {
        Way::longest(mesh)
    }

    /// The shape.
    pub const fn mesh(&self) -> Mesh {
        self.mesh
    }

    /// The ports of a router that are in no path.
    pub fn free_ports(&self, router: RouterId) -> PortSet {
        self.free[router.index()]
    }

    /// The register of a router.
    pub fn lfsr(&self, router: RouterId) -> Lfsr {
        self.lfsrs[router.index()]
    }

    /// Changes how routers decide from now on, as a test that compares routings in one state does.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
        self.way = Way::new(self.mesh, &self.moves, rules.port_choice);
    }

    /// Puts a router's register into a state, as a test that walks through all of them does.
    pub fn set_lfsr(&mut self, router: RouterId, lfsr: Lfsr) {
        self.lfsrs[router.index()] = lfsr;
    }

    /// Whether no link, controller port or chip port is reserved.
    pub const fn is_idle(&self) -> bool {
        self.reserved_count == 0
    }

    /// Returns the time for which each link was reserved up to `now`.
    pub fn reserved_for(&self, now: SimTime) -> Vec<SimSpan> {
        let mut spans = self.ended_reservations();
        for (link, since) in self.reservations() {
            spans[link.index()] += now.since(since.min(now));
        }
        spans
    }

    /// Returns the time of each link's reservations that have ended.
    fn ended_reservations(&self) -> Vec<SimSpan> {
        let mut spans = vec![SimSpan::ZERO; self.mesh.links() as usize];
        for router in (0..self.mesh.routers()).map(RouterId) {
            for port in Port::OWN_LINKS {
                if let Some(link) = self.mesh.link(router, port) {
                    spans[link.index()] = self.reserved_for[self.behind(router, port).place.index()];
                }
            }
        }
        spans
    }

    /// Sends a scout from a controller into its first router.
    ///
    /// # Panics
    /// When the controller already has a scout or a circuit in the network.
    pub fn launch(&mut self, packet: ControllerId, goal: RouterId, clock: Clock) -> Scout {
        let (at, port) = self.source(packet);
        self.take_local(at, port);
        let routers = self.mesh.routers() as usize;
        self.tried[packet.index() * routers..][..routers].fill(PortSet::EMPTY);
        let entered = &mut self.entered[packet.index()];
        entered.clear();
        entered.insert(at);
        Scout::new(packet, goal, (at, port), clock)
    }

    /// The routers that the controller's last scout has entered. Every link that it met, free or not, ends at one of
    /// them, so while none of these is given back a new scout finds no more than this one did. Of a scout that arrived at one instant
    /// those of its path.
    pub fn entered(&self, packet: ControllerId) -> &RouterSet {
        &self.entered[packet.index()]
    }

    /// Whether a scout that set out now would arrive. If not, [`Self::entered`] is what it would enter.
    ///
    /// # Panics
    /// When the controller has a scout or a circuit in the network.
    pub fn would_arrive(&mut self, packet: ControllerId, goal: RouterId) -> bool {
        match self.rules.routing {
            Routing::NonMinimalAdaptive | Routing::Exhaustive => self.reaches(packet, goal),
            Routing::MinimalAdaptive | Routing::DimensionOrder => self.try_out(packet, goal).is_none(),
        }
    }

    /// The links that a scout which set out now, and would fail, would cross: under Algorithm 1 at most, otherwise exactly.
    ///
    /// # Panics
    /// As [`Self::would_arrive`].
    pub fn failed_hops(&mut self, packet: ControllerId, goal: RouterId) -> u32 {
        match self.rules.routing {
            Routing::NonMinimalAdaptive => {
                self.grow_region(packet);
                self.hops_in_region(packet)
            }
            Routing::MinimalAdaptive | Routing::DimensionOrder => {
                self.try_out(packet, goal).unwrap_or_default()
            }
            Routing::Exhaustive => self.hops_in_region(packet),
        }
    }

    /// The same where scouts may take any path and the controller's region has been grown.
    #[inline]
    pub(super) fn hops_in_region(&mut self, packet: ControllerId) -> u32 {
        // A scout that looks everywhere looks before it goes.
        let looks_before = self.rules.routing == Routing::Exhaustive;
        let (start, _) = self.source(packet);
        if looks_before || self.is_shut_in(start) { 0 } else { self.board.failed_hops(start) }
    }

    /// Whether a controller reaches a router over any free path. If not, [`Self::entered`] is what it reaches.
    pub(super) fn reaches(&mut self, packet: ControllerId, goal: RouterId) -> bool {
        let (start, _) = self.source(packet);
        if start != goal && self.is_shut_in(start) {
            self.enter_only(packet, start);
            return false;
        }
        let is_joined = self.board.joins(start, goal);
        if !is_joined {
            self.grow_region(packet);
        }
        is_joined
    }

    /// What a controller reaches over any free path.
    pub(super) fn grow_region(&mut self, packet: ControllerId) -> &RouterSet {
        let (start, _) = self.source(packet);
        if self.is_shut_in(start) {
            self.enter_only(packet, start);
        } else {
            self.entered[packet.index()].become_like(self.board.region(start));
        }
        &self.entered[packet.index()]
    }

    /// Whether no free link leads away from a router.
    #[inline]
    fn is_shut_in(&self, router: RouterId) -> bool {
        self.free[router.index()].and(PortSet::MESH).is_empty()
    }

    /// Whether no free link leads to the router where a scout is to go.
    #[inline]
    pub(super) fn is_cut_off(&self, packet: ControllerId, goal: RouterId) -> bool {
        self.is_shut_in(goal) && self.source(packet).0 != goal
    }

    /// Has a controller's last scout have been at one router alone, as far as [`Self::entered`] says.
    #[inline]
    pub(super) fn enter_only(&mut self, packet: ControllerId, router: RouterId) {
        let entered = &mut self.entered[packet.index()];
        entered.clear();
        entered.insert(router);
    }

    /// Routers at which a link was given back since [`Self::forget_freed`].
    pub const fn freed(&self) -> &RouterSet {
        &self.freed
    }

    /// Forgets which links were given back.
    pub fn forget_freed(&mut self) {
        self.freed.clear();
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
            Decision::Back if Port::LOCAL.contains(&scout.input) => {
                self.free_local(scout.at, scout.input);
                Step::Failed
            }
            Decision::Back => {
                scout.mode = Mode::Cancel;
                scout.cancel_hops += 1;
                Step::Back
            }
        }
    }

    /// Lets a scout take step after step at one instant. What it reserved stays if it arrived.
    pub fn run(&mut self, scout: &mut Scout, now: SimTime) -> Step {
        loop {
            let step = self.step(scout, now);
            if matches!(step, Step::Arrived | Step::Failed) {
                return step;
            }
        }
    }

    fn decide(&self, scout: &Scout) -> Decision {
        let tried = self.tried[self.tried_index(scout)];
        let offset = self.offset(scout.at, scout.goal);
        if self.rules.routing == Routing::Exhaustive && offset.hops() > 0 {
            return self.first_step(scout, tried).map_or(Decision::Back, Decision::Forward);
        }
        let here = scout.at.index();
        let seen = Situation { offset, free: self.free[here], input: scout.input, tried };
        decide(self.rules, &seen, self.lfsrs[here], scout.turn)
    }

    /// The first port of a shortest free path that the scout has not tried.
    fn first_step(&self, scout: &Scout, tried: PortSet) -> Option<Port> {
        let open = |at| {
            let allowed = if at == scout.at { PortSet::MESH.minus(tried) } else { PortSet::MESH };
            self.free_ports(at).and(allowed)
        };
        let path = shortest_free_path(self.mesh, open, scout.at, scout.goal)?;
        let open = self.free_ports(scout.at).and(PortSet::MESH).minus(tried);
        open.iter().find(|&port| self.mesh.neighbour(scout.at, port) == path.get(1).copied())
    }

    fn tried_index(&self, scout: &Scout) -> usize {
        scout.packet.index() * self.mesh.routers() as usize + scout.at.index()
    }

    fn hop(&mut self, scout: &mut Scout, exit: Port, now: SimTime) -> Step {
        let index = self.tried_index(scout);
        self.tried[index] = self.tried[index].with(exit);
        let row = Row { packet: scout.packet, entry: scout.input, exit };
        (scout.at, scout.input) = self.extend(scout.at, row, now);
        let entered = &mut self.entered[scout.packet.index()];
        scout.came_again |= entered.contains(scout.at);
        entered.insert(scout.at);
        scout.forward_hops += 1;
        scout.crossed();
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
        let row = self.tables[upstream.index()].remove(scout.packet, exit);
        let row = row.expect("a scout left a row in each router it came through");
        self.free_link(upstream, exit, now);
        (scout.at, scout.input, scout.mode) = (upstream, row.entry, Mode::Reserve);
        scout.crossed();
    }

    pub(super) fn insert_row(&mut self, at: RouterId, row: Row) {
        self.tables[at.index()].insert(row);
    }

    /// Adds a row and reserves the link behind its exit; the far end is returned.
    #[inline]
    pub(super) fn extend(&mut self, at: RouterId, row: Row, now: SimTime) -> (RouterId, Port) {
        self.insert_row(at, row);
        self.take_link(at, row.exit, now)
    }

    /// Where a scout on its way back, from its chip, meets its own path, and how many links are left when the loops are cut.
    ///
    /// In a router that its path visits twice it comes by the exit of the later visit, finds the row of the earlier one,
    /// leaves by that row's entry, and so passes over all between the two visits, crossings included.
    pub fn crossings(&self, packet: ControllerId) -> (Vec<Crossing>, u32) {
        let ends = self.links_of(packet).into_iter().map(|(at, exit)| self.far_end(at, exit));
        let mut path: Vec<_> = [self.source(packet)].into_iter().chain(ends).collect();
        let (mut crossings, mut hops) = (Vec::new(), 0);
        while let Some((at, entry)) = path.pop() {
            if let Some(first) = path.iter().position(|&(earlier, _)| earlier == at) {
                crossings.push(Crossing { at, entry, hops });
                path.truncate(first);
            }
            hops += u32::from(!path.is_empty());
        }
        (crossings, hops)
    }

    /// Joins the first visit of a path to a router with a later one: the first link of the loop, by its router and port.
    ///
    /// # Panics
    /// When no path visits the router before it comes there by this port.
    pub(super) fn join(&mut self, at: RouterId, entry: Port) -> (RouterId, Port) {
        let rows = &self.tables[at.index()];
        let second = rows.rows().find(|row| row.entry == entry).expect("a second visit");
        let first = self.first_visit(second.packet, at);
        let table = &mut self.tables[at.index()];
        for row in [first, second] {
            table.remove(row.packet, row.exit);
        }
        table.insert(Row { exit: second.exit, ..first });
        self.open_loops += 1;
        (at, first.exit)
    }

    /// Loops that are being given back: of each one link is taken that no row names.
    pub fn open_loops(&self) -> u32 {
        self.open_loops
    }

    /// The row of a path in the router when it comes there first; where links are doubled it may come more than twice.
    fn first_visit(&self, packet: ControllerId, router: RouterId) -> Row {
        let (mut at, mut entry) = self.source(packet);
        while at != router {
            (at, entry) = self.far_end(at, self.row_entered(at, packet, entry).exit);
        }
        self.row_entered(at, packet, entry)
    }

    /// Gives back one link of a loop, and the row behind it: the loop's next link, if that was not the last.
    pub(super) fn give_back(&mut self, at: RouterId, exit: Port, now: SimTime) -> Option<(RouterId, Port)> {
        let (at, entry) = self.free_link(at, exit, now);
        let table = &mut self.tables[at.index()];
        let Some(row) = table.rows().find(|row| row.entry == entry) else {
            self.open_loops -= 1;
            return None;
        };
        table.remove(row.packet, row.exit);
        Some((at, row.exit))
    }

    /// Cuts all loops of a path at one instant; as many links are left as are returned.
    pub fn cut_loops(&mut self, packet: ControllerId, now: SimTime) -> u32 {
        self.write_rows(packet);
        let (crossings, hops) = self.crossings(packet);
        for Crossing { at, entry, .. } in crossings {
            let mut link = Some(self.join(at, entry));
            while let Some((at, exit)) = link {
                link = self.give_back(at, exit, now);
            }
        }
        hops
    }

    fn row_entered(&self, at: RouterId, packet: ControllerId, entry: Port) -> Row {
        let row = self.tables[at.index()].entered(packet, entry);
        row.expect("a circuit has a row in each router from its controller to its chip")
    }

    /// The routers on the path of a controller's circuit or scout, in order; none if it has neither.
    pub fn path_of(&self, packet: ControllerId) -> Vec<RouterId> {
        let (at, entry) = self.source(packet);
        if self.free_ports(at).contains(entry) {
            return Vec::new();
        }
        let ends = self.links_of(packet).into_iter().map(|(at, exit)| self.far_end(at, exit).0);
        [at].into_iter().chain(ends).collect()
    }

    /// Takes a link out of service for good, as a broken one would be. No effect on a link in use.
    pub fn retire(&mut self, router: RouterId, port: Port) {
        if self.mesh.link(router, port).is_some() && self.free_ports(router).contains(port) {
            self.mark_link(router, port, self.behind(router, port), false);
        }
    }

    /// Takes links out of service for good; one that is in a path is lost when the path is given back.
    pub fn fail(&mut self, broken: &[bool]) {
        for router in (0..self.mesh.routers()).map(RouterId) {
            for port in Port::OWN_LINKS {
                let fails = self.mesh.link(router, port).is_some_and(|link| broken[link.index()]);
                if fails {
                    self.retire(router, port);
                }
            }
        }
        self.broken = broken.to_vec();
    }

    /// The row and column of a router.
    #[inline]
    pub(super) fn position(&self, router: RouterId) -> (u32, u32) {
        let (row, col) = self.positions[router.index()];
        (row.cast_unsigned(), col.cast_unsigned())
    }

    #[inline]
    pub(super) fn offset(&self, here: RouterId, there: RouterId) -> Offset {
        let ((row, col), (to_row, to_col)) = (self.positions[here.index()], self.positions[there.index()]);
        Offset { dx: to_col - col, dy: to_row - row }
    }

    /// Links of a shortest path between two routers, free or not.
    #[inline]
    pub(super) fn distance(&self, here: RouterId, there: RouterId) -> u32 {
        self.offset(here, there).hops()
    }

    /// What lies behind a port that leads to a router: scouts and circuits use no others.
    #[inline]
    pub(super) fn behind(&self, router: RouterId, port: Port) -> End {
        self.moves.through(port).from(router)
    }

    #[inline]
    pub(super) fn far_end(&self, router: RouterId, port: Port) -> (RouterId, Port) {
        let end = self.behind(router, port);
        (end.router, end.port)
    }

    #[inline]
    fn take_link(&mut self, router: RouterId, port: Port, now: SimTime) -> (RouterId, Port) {
        let end = self.behind(router, port);
        self.mark_link(router, port, end, false);
        self.since[end.place.index()] = now;
        self.reserved_count += 1;
        (end.router, end.port)
    }

    #[inline]
    pub(super) fn free_link(&mut self, router: RouterId, port: Port, now: SimTime) -> (RouterId, Port) {
        let end = self.behind(router, port);
        if !self.is_broken(router, port) {
            self.mark_link(router, port, end, true);
            self.freed.insert(router);
            self.freed.insert(end.router);
        }
        self.reserved_for[end.place.index()] += now.since(self.since[end.place.index()]);
        self.reserved_count -= 1;
        (end.router, end.port)
    }

    fn is_broken(&self, router: RouterId, port: Port) -> bool {
        !self.broken.is_empty() && self.mesh.link(router, port).is_some_and(|link| self.broken[link.index()])
    }

    pub(super) fn take_local(&mut self, router: RouterId, port: Port) {
        self.mark(router, port, false);
        self.reserved_count += 1;
    }

    pub(super) fn free_local(&mut self, router: RouterId, port: Port) {
        self.mark(router, port, true);
        self.reserved_count -= 1;
    }

    /// Marks both ends of a link.
    #[inline]
    fn mark_link(&mut self, router: RouterId, port: Port, far: End, free: bool) {
        self.mark(router, port, free);
        self.mark(far.router, far.port, free);
        if free {
            self.board.give_back(far.place);
        } else {
            self.board.take(far.place);
        }
    }

    /// # Panics
    /// When the port already is what it is to become: then something was reserved twice.
    #[inline]
    fn mark(&mut self, router: RouterId, port: Port, free: bool) {
        let ports = &mut self.free[router.index()];
        assert!(ports.contains(port) != free, "a port is in one path at most");
        *ports = ports.with_flipped(port);
    }
}
