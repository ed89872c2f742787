//! Routers, links and reservations, and the step-by-step movement of scouts.
//!
//! # What it models
//! The state of reservations. It consists of the free ports, reservation table and LFSR of each router, and
//! of the start of each link's reservation. A scout advances by single steps, either all at one instant or
//! hop by hop, with the same code.
//!
//! # How
//! A port is free if it has a neighbour and belongs to no incomplete or complete path. A forward hop reserves
//! the ports at both ends of a link and adds a row to the router's table. At a dead end the scout switches to
//! cancel mode: it goes back over the link by which it came, removes the row there, releases the link, and
//! tries another port. A scout that has returned to its controller has failed and leaves no reservation.
//!
//! A scout never waits, so there is no deadlock. It reserves each output port of a router at most once. It
//! therefore makes at most [`Network::forward_hop_bound`] hops forward and as many back, so there is no
//! livelock.
//!
//! Links fail only through [`Network::fail`] and [`Network::retire`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! Those of [`RoutingRules`], and `seed`.

use venice_kernel::{SimSpan, SimTime};

use super::circuit_storage::CircuitStorage;
use super::moves::{LinkEnd, Moves};
use super::route::{RoutingDecision, RoutingInput, RoutingRules, decide};
use super::scout_path::ScoutPath;
use super::table::{ReservationRow, ReservationTable};
use super::{ControllerId, Lfsr, LfsrClock, Scout, ScoutMode, Step, shortest_free_path};
use crate::Routing;
use crate::noc::{FreeLinks, Mesh, Port, PortSet, RouterId, RouterOffset, RouterSet};

/// Router that a path visits twice, where a loop can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedRouter {
    /// Router that the path enters twice.
    pub at: RouterId,
    /// Port through which the path enters the router for the second time.
    pub entry: Port,
    /// Number of hops that the returning scout makes from the chip to this router, if it skips loops.
    pub hops: u32,
}

/// Routers and links of a mesh with their reservations.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) mesh: Mesh,
    pub(super) rules: RoutingRules,
    /// True if loops are removed from paths that are reserved at one instant.
    pub(super) cuts_loops: bool,
    /// Free ports of each router.
    pub(super) free: Vec<PortSet>,
    /// LFSR of each router.
    pub(super) lfsrs: Vec<Lfsr>,
    /// Reservation table of each router. It has no rows of circuits that were reserved at one instant.
    pub(super) tables: Vec<ReservationTable>,
    /// Row and column of each router.
    positions: Vec<(i32, i32)>,
    /// Effects of a hop through each port.
    pub(super) moves: Moves,
    /// Free links as bit sets, for [`Self::would_arrive`].
    pub(super) board: FreeLinks,
    /// Scratch space for the path of a scout that completes its search at one instant.
    pub(super) way: ScoutPath,
    /// Start router and entry port of scouts, indexed by packet id. Ids of controllers come first, followed
    /// by the ids of chips that can send pages.
    sources: Vec<(RouterId, Port)>,
    /// Circuits that were reserved at one instant, indexed by packet id. Ids of controllers come first,
    /// followed by the ids of chips that can send pages.
    pub(super) laid: Vec<CircuitStorage>,
    /// Number of loops whose links are being released.
    open_loops: u32,
    /// Ports that the current scout of each controller has reserved at each router, indexed by controller and
    /// router.
    pub(super) tried: Vec<PortSet>,
    /// Routers that the last scout of each controller has entered. If that scout succeeded at one instant,
    /// only the routers of its path.
    pub(super) entered: Vec<RouterSet>,
    /// Routers at which a link was released since the last call of [`Self::forget_freed`].
    pub(super) freed: RouterSet,
    /// Start of the current hop-by-hop reservation of each link, by link index.
    pub(super) since: Vec<SimTime>,
    /// Total time for which each link was reserved in the past, by link index. Current reservations are not
    /// included.
    pub(super) reserved_for: Vec<SimSpan>,
    /// True for each failed link; empty if no link has failed.
    pub(super) broken: Vec<bool>,
    /// Number of reserved links and local ports.
    pub(super) reserved_count: u32,
}

impl Network {
    /// Creates a network without reservations; the LFSR states are drawn from `seed`.
    pub fn new(mesh: Mesh, rules: RoutingRules, seed: u64) -> Self {
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
            tables: vec![ReservationTable::default(); mesh.routers() as usize],
            positions: ids().map(position).collect(),
            way: ScoutPath::new(mesh, &moves, rules.port_choice),
            moves,
            since: vec![SimTime::ZERO; board.places()],
            reserved_for: vec![SimSpan::ZERO; board.places()],
            sources: (0..mesh.entrances()).map(|it| (mesh.entrance(it), mesh.entry_port(it))).collect(),
            laid: vec![CircuitStorage::none(&board); mesh.entrances() as usize],
            board,
            open_loops: 0,
            tried: vec![PortSet::EMPTY; (mesh.entrances() * mesh.routers()) as usize],
            entered: vec![RouterSet::none(mesh.routers()); mesh.entrances() as usize],
            freed: RouterSet::none(mesh.routers()),
            broken: Vec::new(),
            reserved_count: 0,
        }
    }

    fn all_free(mesh: Mesh) -> FreeLinks {
        let mut board = FreeLinks::new(mesh);
        for router in (0..mesh.routers()).map(RouterId) {
            for port in Port::OWN_LINKS {
                if mesh.link(router, port).is_some() {
                    board.give_back(board.place(router, port));
                }
            }
        }
        board
    }

    /// Enables or disables scouts that chips send, and returns the network. The packet ids of chips follow
    /// those of the controllers.
    #[must_use]
    pub fn with_chips_that_send(mut self, they_do: bool) -> Self {
        if they_do {
            let (senders, routers) = (self.mesh.entrances() + self.mesh.routers(), self.mesh.routers());
            self.tried.resize((senders * routers) as usize, PortSet::EMPTY);
            self.entered.resize(senders as usize, RouterSet::none(routers));
            self.sources.extend((0..routers).map(|chip| (RouterId(chip), Port::Chip)));
            self.laid.resize(senders as usize, CircuitStorage::none(&self.board));
        }
        self
    }

    /// Enables or disables the removal of loops in [`Self::reserve`], and returns the network.
    #[must_use]
    pub const fn with_loops_cut(mut self, they_are: bool) -> Self {
        self.cuts_loops = they_are;
        self
    }

    /// Returns the start router and entry port of the scouts with this packet id. Ids of controllers come
    /// first, followed by those of chips.
    #[inline]
    pub(super) fn source(&self, packet: ControllerId) -> (RouterId, Port) {
        self.sources[packet.index()]
    }

    /// Returns the ports of a router that lead to a neighbour, a chip or a controller.
    fn ports_of(mesh: Mesh, router: RouterId) -> PortSet {
        let neighbours = Port::LINKS.into_iter().filter(|&port| mesh.neighbour(router, port).is_some());
        let entrances = (0..mesh.entrances()).filter(|&it| mesh.entrance(it) == router);
        neighbours.chain(entrances.map(|it| mesh.entry_port(it))).collect::<PortSet>().with(Port::Chip)
    }

    /// Returns an upper bound of the number of forward hops of a scout: one through each mesh port of each
    /// router. The same bound applies to backward hops.
    pub const fn forward_hop_bound(mesh: Mesh) -> u32 {
        ScoutPath::longest(mesh)
    }

    /// Returns the mesh that the routers and links form.
    pub const fn mesh(&self) -> Mesh {
        self.mesh
    }

    /// Returns the ports of a router that belong to no circuit and no incomplete path.
    pub fn free_ports(&self, router: RouterId) -> PortSet {
        self.free[router.index()]
    }

    /// Returns the LFSR of a router.
    pub fn lfsr(&self, router: RouterId) -> Lfsr {
        self.lfsrs[router.index()]
    }

    /// Sets the routing rules, so that tests can compare several routings in the same state.
    pub fn set_rules(&mut self, rules: RoutingRules) {
        self.rules = rules;
        self.way = ScoutPath::new(self.mesh, &self.moves, rules.port_choice);
    }

    /// Sets the LFSR state of a router, for tests that enumerate all states.
    pub fn set_lfsr(&mut self, router: RouterId, lfsr: Lfsr) {
        self.lfsrs[router.index()] = lfsr;
    }

    /// True if no link, controller port or chip port is reserved.
    pub const fn is_idle(&self) -> bool {
        self.reserved_count == 0
    }

    /// Returns the time for which each link has been reserved up to `now`.
    pub fn reserved_for(&self, now: SimTime) -> Vec<SimSpan> {
        let mut spans = self.ended_reservations();
        for (link, since) in self.reservations() {
            spans[link.index()] += now.since(since.min(now));
        }
        spans
    }

    /// Returns the time for which each link was reserved in the past, without current reservations.
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

    /// Creates a controller's scout that has entered its first router.
    ///
    /// # Panics
    /// Panics if the controller already has a scout or circuit in the network.
    pub fn launch(&mut self, packet: ControllerId, goal: RouterId, clock: LfsrClock) -> Scout {
        let (at, port) = self.source(packet);
        self.take_local(at, port);
        let routers = self.mesh.routers() as usize;
        self.tried[packet.index() * routers..][..routers].fill(PortSet::EMPTY);
        let entered = &mut self.entered[packet.index()];
        entered.clear();
        entered.insert(at);
        Scout::new(packet, goal, (at, port), clock)
    }

    /// Returns the routers that the controller's last scout has entered. All links that blocked the scout end
    /// at these routers, so a new scout cannot succeed until a link at one of them is released. If the last
    /// scout succeeded at one instant, returns only the routers of its path.
    pub fn entered(&self, packet: ControllerId) -> &RouterSet {
        &self.entered[packet.index()]
    }

    /// True if a scout sent now would succeed. If not, sets [`Self::entered`] to the routers that it would
    /// enter.
    ///
    /// # Panics
    ///
    /// Panics if the controller already has a scout or circuit in the network.
    pub fn would_arrive(&mut self, packet: ControllerId, goal: RouterId) -> bool {
        match self.rules.routing {
            Routing::NonMinimalAdaptive | Routing::Exhaustive => self.reaches(packet, goal),
            Routing::MinimalAdaptive | Routing::DimensionOrder => self.try_out(packet, goal).is_none(),
        }
    }

    /// Returns the number of hops that a scout to `goal` would make before it fails, if it were sent now. The
    /// caller knows that it would fail. With Algorithm 1 (non-minimal adaptive routing) the number is an upper
    /// bound, with other routings it is exact.
    ///
    /// # Panics
    /// Panics if the controller already has a scout or circuit in the network.
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

    /// Returns the number of hops of a failed scout with unrestricted routing. The region of routers that the
    /// controller can reach must have been computed before.
    #[inline]
    pub(super) fn hops_in_region(&mut self, packet: ControllerId) -> u32 {
        // An exhaustive search fails without any hop.
        let looks_before = self.rules.routing == Routing::Exhaustive;
        let (start, _) = self.source(packet);
        if looks_before || self.is_shut_in(start) { 0 } else { self.board.failed_hops(start) }
    }

    /// True if free links connect the controller to `goal`. If not, sets [`Self::entered`] to the reachable
    /// routers.
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

    /// Computes and returns the routers that free links connect to the controller.
    pub(super) fn grow_region(&mut self, packet: ControllerId) -> &RouterSet {
        let (start, _) = self.source(packet);
        if self.is_shut_in(start) {
            self.enter_only(packet, start);
        } else {
            self.entered[packet.index()].become_like(self.board.region(start));
        }
        &self.entered[packet.index()]
    }

    /// True if no link of `router` is free.
    #[inline]
    fn is_shut_in(&self, router: RouterId) -> bool {
        self.free[router.index()].and(PortSet::MESH).is_empty()
    }

    /// True if `goal` has no free link, unless the scout starts there.
    #[inline]
    pub(super) fn is_cut_off(&self, packet: ControllerId, goal: RouterId) -> bool {
        self.is_shut_in(goal) && self.source(packet).0 != goal
    }

    /// Sets the routers that the controller's last scout has [entered](Self::entered) to a single router.
    #[inline]
    pub(super) fn enter_only(&mut self, packet: ControllerId, router: RouterId) {
        let entered = &mut self.entered[packet.index()];
        entered.clear();
        entered.insert(router);
    }

    /// Returns the routers at which a link was released since [`Self::forget_freed`].
    pub const fn freed(&self) -> &RouterSet {
        &self.freed
    }

    /// Clears the set of routers with released links.
    pub fn forget_freed(&mut self) {
        self.freed.clear();
    }

    /// Executes one step of a scout: a decision of the router that the scout has reached. After
    /// [`Step::Forward`] and [`Step::Back`] the scout crosses a link before its next step.
    pub fn step(&mut self, scout: &mut Scout, now: SimTime) -> Step {
        if scout.mode == ScoutMode::Cancel {
            self.undo_hop(scout, now);
        }
        match self.decide(scout) {
            RoutingDecision::Eject => self.eject(scout),
            RoutingDecision::Forward(port) => self.hop(scout, port, now),
            RoutingDecision::Back if Port::LOCAL.contains(&scout.input) => {
                self.free_local(scout.at, scout.input);
                Step::Failed
            }
            RoutingDecision::Back => {
                scout.mode = ScoutMode::Cancel;
                scout.cancel_hops += 1;
                Step::Back
            }
        }
    }

    /// Completes the search of a scout at one instant. If the scout succeeds, its path stays reserved.
    pub fn run(&mut self, scout: &mut Scout, now: SimTime) -> Step {
        loop {
            let step = self.step(scout, now);
            if matches!(step, Step::Arrived | Step::Failed) {
                return step;
            }
        }
    }

    /// Sends a scout and completes its search at one instant. Returns the visited routers in order; routers
    /// on the way into and out of a dead end appear twice. If the scout succeeds, its path stays reserved.
    ///
    /// # Panics
    ///
    /// Panics if the controller already has a scout or circuit in the network.
    pub fn follow(
        &mut self,
        packet: ControllerId,
        goal: RouterId,
        clock: LfsrClock,
        now: SimTime,
    ) -> Vec<RouterId> {
        let mut scout = self.launch(packet, goal, clock);
        let mut course = vec![scout.at];
        loop {
            match self.step(&mut scout, now) {
                Step::Forward => course.push(scout.at),
                Step::Back => course.push(self.far_end(scout.at, scout.input).0),
                Step::Arrived | Step::Failed => return course,
            }
        }
    }

    fn decide(&self, scout: &Scout) -> RoutingDecision {
        let tried = self.tried[self.tried_index(scout)];
        let offset = self.offset(scout.at, scout.goal);
        if self.rules.routing == Routing::Exhaustive && offset.hops() > 0 {
            return self.first_step(scout, tried).map_or(RoutingDecision::Back, RoutingDecision::Forward);
        }
        let here = scout.at.index();
        let seen = RoutingInput { offset, free: self.free[here], input: scout.input, tried };
        decide(self.rules, &seen, self.lfsrs[here], scout.turn)
    }

    /// Returns the first port of a shortest free path from the scout's router. Ports in `tried` are excluded.
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
        let row = ReservationRow { packet: scout.packet, entry: scout.input, exit };
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
        let row = ReservationRow { packet: scout.packet, entry: scout.input, exit: Port::Chip };
        self.insert_row(scout.at, row);
        Step::Arrived
    }

    /// Completes a backward hop of a scout: removes the table row and releases the link.
    fn undo_hop(&mut self, scout: &mut Scout, now: SimTime) {
        let (upstream, exit) = self.far_end(scout.at, scout.input);
        let row = self.tables[upstream.index()].remove(scout.packet, exit);
        let row = row.expect("a scout left a row in each router it came through");
        self.free_link(upstream, exit, now);
        (scout.at, scout.input, scout.mode) = (upstream, row.entry, ScoutMode::Reserve);
        scout.crossed();
    }

    pub(super) fn insert_row(&mut self, at: RouterId, row: ReservationRow) {
        self.tables[at.index()].insert(row);
    }

    /// Extends a path by one hop: adds a table row and reserves the link of its exit port. Returns the router
    /// at the far end and the port through which the path enters it.
    #[inline]
    pub(super) fn extend(&mut self, at: RouterId, row: ReservationRow, now: SimTime) -> (RouterId, Port) {
        self.insert_row(at, row);
        self.take_link(at, row.exit, now)
    }

    /// Returns the routers at which a returning scout crosses its own path, and the number of links of the
    /// path without its loops.
    ///
    /// If a path visits a router twice, the returning scout arrives there through the exit port of the later
    /// visit. It finds the table row of the earlier visit and leaves through the entry port of that row. It
    /// thus skips the loop between the two visits.
    pub fn crossings(&self, packet: ControllerId) -> (Vec<RepeatedRouter>, u32) {
        let ends = self.links_of(packet).into_iter().map(|(at, exit)| self.far_end(at, exit));
        let mut path: Vec<_> = [self.source(packet)].into_iter().chain(ends).collect();
        let (mut crossings, mut hops) = (Vec::new(), 0);
        while let Some((at, entry)) = path.pop() {
            if let Some(first) = path.iter().position(|&(earlier, _)| earlier == at) {
                crossings.push(RepeatedRouter { at, entry, hops });
                path.truncate(first);
            }
            hops += u32::from(!path.is_empty());
        }
        (crossings, hops)
    }

    /// Removes a loop from a path. At router `at`, connects the entry port of the path's first visit with the
    /// exit port of a later visit. Returns the first link of the loop, as a router and its port.
    ///
    /// # Panics
    ///
    /// Panics if the path does not enter the router a second time through this port.
    pub(super) fn join(&mut self, at: RouterId, entry: Port) -> (RouterId, Port) {
        let rows = &self.tables[at.index()];
        let second = rows.rows().find(|row| row.entry == entry).expect("a second visit");
        let first = self.first_visit(second.packet, at);
        let table = &mut self.tables[at.index()];
        for row in [first, second] {
            table.remove(row.packet, row.exit);
        }
        table.insert(ReservationRow { exit: second.exit, ..first });
        self.open_loops += 1;
        (at, first.exit)
    }

    /// Returns the number of loops whose links are being released. In each loop, one link is reserved without
    /// a table row.
    pub fn open_loops(&self) -> u32 {
        self.open_loops
    }

    /// Returns the table row of a path's first visit to a router. With doubled links a path can visit a
    /// router more than twice.
    fn first_visit(&self, packet: ControllerId, router: RouterId) -> ReservationRow {
        let (mut at, mut entry) = self.source(packet);
        while at != router {
            (at, entry) = self.far_end(at, self.row_entered(at, packet, entry).exit);
        }
        self.row_entered(at, packet, entry)
    }

    /// Releases one link of a loop and the table row at its far end. Returns the next link of the loop, or
    /// `None` after the last one.
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

    /// Removes all loops of a path at one instant. Returns the number of links that remain in the path.
    pub fn cut_loops(&mut self, packet: ControllerId, now: SimTime) -> u32 {
        self.write_rows(packet);
        let (crossings, hops) = self.crossings(packet);
        for RepeatedRouter { at, entry, .. } in crossings {
            let mut link = Some(self.join(at, entry));
            while let Some((at, exit)) = link {
                link = self.give_back(at, exit, now);
            }
        }
        hops
    }

    fn row_entered(&self, at: RouterId, packet: ControllerId, entry: Port) -> ReservationRow {
        let row = self.tables[at.index()].entered(packet, entry);
        row.expect("a circuit has a row in each router from its controller to its chip")
    }

    /// Returns the routers on the path of a controller's circuit or scout, in order. The list is empty if
    /// there is no path.
    pub fn path_of(&self, packet: ControllerId) -> Vec<RouterId> {
        let (at, entry) = self.source(packet);
        if self.free_ports(at).contains(entry) {
            return Vec::new();
        }
        let ends = self.links_of(packet).into_iter().map(|(at, exit)| self.far_end(at, exit).0);
        [at].into_iter().chain(ends).collect()
    }

    /// Takes a free link out of service permanently. Has no effect on a link in use.
    pub fn retire(&mut self, router: RouterId, port: Port) {
        if self.mesh.link(router, port).is_some() && self.free_ports(router).contains(port) {
            self.mark_link(router, port, self.behind(router, port), false);
        }
    }

    /// Takes links out of service permanently. A link in use fails when its path is released.
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

    /// Returns the row and column of a router.
    #[inline]
    pub(super) fn position(&self, router: RouterId) -> (u32, u32) {
        let (row, col) = self.positions[router.index()];
        (row.cast_unsigned(), col.cast_unsigned())
    }

    #[inline]
    pub(super) fn offset(&self, here: RouterId, there: RouterId) -> RouterOffset {
        let ((row, col), (to_row, to_col)) = (self.positions[here.index()], self.positions[there.index()]);
        RouterOffset { dx: to_col - col, dy: to_row - row }
    }

    /// Returns the number of links of a shortest path between two routers, free or not.
    #[inline]
    pub(super) fn distance(&self, here: RouterId, there: RouterId) -> u32 {
        self.offset(here, there).hops()
    }

    /// Returns the link at a port and the router at its far end. The port must have a neighbour.
    #[inline]
    pub(super) fn behind(&self, router: RouterId, port: Port) -> LinkEnd {
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

    /// Marks the ports at both ends of a link as free or taken.
    #[inline]
    fn mark_link(&mut self, router: RouterId, port: Port, far: LinkEnd, free: bool) {
        self.mark(router, port, free);
        self.mark(far.router, far.port, free);
        if free {
            self.board.give_back(far.place);
        } else {
            self.board.take(far.place);
        }
    }

    /// Marks a port of a router as free or taken.
    ///
    /// # Panics
    /// Panics if the port already has the requested state, which means a double reservation.
    #[inline]
    fn mark(&mut self, router: RouterId, port: Port, free: bool) {
        let ports = &mut self.free[router.index()];
        assert!(ports.contains(port) != free, "a port is in one path at most");
        *ports = ports.with_flipped(port);
    }
}
