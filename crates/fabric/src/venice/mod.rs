//! Venice: a mesh of router chips on which a scout reserves a conflict-free circuit.
//!
//! # What it models
//! The mesh has one router at each chip and one flash controller at the left end of each row. For each
//! transfer the nearest free controller sends a scout, which reserves links on its way by non-minimal fully
//! adaptive routing. When the scout has returned over the path, the transfer has exclusive use of that path.
//!
//! # How
//! [`Network`] stores the reservations and moves the scouts. `Controllers` stores the state of each
//! controller. `Timing` computes durations, and `RetryPolicy` implements the retry policies. The
//! documentation of `scout_path` lists where paths are stored. This module combines them into a [`Fabric`].
//!
//! *Atomic* reservation (the default) completes the search of a scout at the instant of the offer. If the
//! scout succeeds, the transfer is accepted and its path is reserved from then on. Its delivery follows after
//! the scout's travel time plus the transfer time of Equation 1 of the paper. The travel time includes
//! detours, dead ends, and the return over the path. If the scout fails, the offer is refused, and the
//! controller is occupied until the scout would have returned. With `retry = at_once` the offer is accepted
//! nevertheless, and the controller keeps the transfer until a scout succeeds.
//!
//! *Cycle-level* reservation accepts every offer for which a controller is free. It moves the scout hop by
//! hop, so that the incomplete paths of concurrent scouts affect it. If the scout fails, the transfer
//! bounces. Without other traffic, both modes give exactly equal times.
//!
//! With `hold = operation` a circuit stays reserved between the transfers of an operation. The next transfer
//! of the die starts on it immediately, without a scout, and takes only the time of Equation 1.
//!
//! All chips form one arbitration domain, since any two paths may share a link. `path_busy` lists the mesh
//! links in the order of their numbers, each with its reserved time.
//!
//! After failures of links and routers (see [`super::noc::Faults`]) a controller serves only chips to which
//! its scouts can find a path. A circuit in use survives the failure of one of its links.
//!
//! # What is left out
//! Router pipelines and clock domains; errors on links.
//!
//! # Source
//! Nadig et al., "Venice: Improving Solid-State Drive Parallelism at Low Cost via Conflict-Free Accesses",
//! ISCA 2023, §4 and Equation 1.
//!
//! # Parameters
//! `mesh_link` and [`crate::VeniceSettings`]; `seed` for the routers' LFSRs.

mod chip_to_chip;
mod circuit;
mod circuit_storage;
mod controller_set;
mod controller_state;
mod controllers;
mod event;
mod exhaustive;
mod failed_scouts;
mod install;
mod lfsr;
mod lockstep;
mod moves;
mod network;
mod network_state;
mod packet;
mod reachability;
mod repetition;
mod retry;
mod retry_model;
mod route;
mod row_bits;
mod scout;
mod scout_path;
mod search;
mod settings;
mod table;
mod timing;
mod trace;
mod walk;

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use chip_to_chip::CopyCircuits;
use controller_state::{Circuit, ControllerState, Path};
use controllers::Controllers;
use event::VeniceEvent;
use reachability::ReachabilityRecords;
use repetition::RepetitionSearch;
use retry::RetryPolicy;
use timing::Timing;
use venice_nand::geometry::{ChipId, DieId};

use super::noc::{Faults, Mesh, ReachableChips, RoutablePaths, RouterSet, loss};
use super::{
    Capabilities, ControllerChoice, Copies, Delivery, DomainId, Fabric, FabricCounters, FabricEvent,
    FabricModel, FabricSettings, Hints, Hold, Holds, NamedPath, Offer, Outbox, Topology, Transfer,
    UnreachableChips, Wiring,
};

pub use exhaustive::shortest_free_path;
pub use install::PathConflict;
pub use lfsr::{Lfsr, LfsrCycle, PortSelections};
pub use lockstep::EventEffect;
pub use network::{Network, RepeatedRouter};
pub use packet::{FLITS, PacketError, ScoutMode, ScoutPacket, ScoutPacketFormat};
pub use route::{RoutingDecision, RoutingInput, RoutingRules, decide, minimal};
pub use row_bits::{RowFormat, port_number};
pub use scout::{LfsrClock, Scout, Step};
pub use settings::{
    Attachment, ControllerPorts, CopyId, PathLoops, PortChoice, Reservation, Retry, Routing, ServiceOrder,
    VeniceSettings,
};
pub use table::{ROWS, ReservationRow, ReservationTable};

/// Number of a flash controller port, which is also the packet id of its scouts. First ports have the numbers
/// of their controllers; second ports follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControllerId(pub u32);

impl ControllerId {
    /// Returns the number of the controller port as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Arbitration domain of all chips; Venice has no other.
const WHOLE_MESH: DomainId = DomainId(0);

/// Venice fabric; the module documentation describes the model.
#[derive(Clone, Debug)]
pub struct Venice {
    mesh: Mesh,
    timing: Timing,
    hold: Hold,
    reservation: Reservation,
    retry: Retry,
    path_loops: PathLoops,
    order: ServiceOrder,
    network: Network,
    controllers: Controllers,
    retry_policy: RetryPolicy,
    repetition: RepetitionSearch,
    memory: ReachabilityRecords,
    /// For each chip, the controller that has a circuit to the chip, or whose scout searches for a
    /// circuit.
    served_by: Vec<Option<ControllerId>>,
    /// Faults that have not yet occurred.
    failing: Option<Box<Faults>>,
    paths: RoutablePaths,
    copies: CopyCircuits,
    /// For each controller, the routers of the chips that it may serve.
    serves: Vec<RouterSet>,
    /// Routers of the chips that at least one free controller may serve. Failures are considered only after
    /// their detection.
    open: RouterSet,
    /// Time of the last change of a link. The failed scouts of waiting controllers are counted up to this
    /// time.
    changed_at: SimTime,
    /// For each chip, the instant from which its circuit is held for the next transfer.
    held_since: Vec<SimTime>,
    counters: FabricCounters,
}

impl FabricModel for Venice {
    type Parameters = VeniceSettings;

    /// Returns the chips that no controller reaches after all configured faults.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        let (paths, home) = (paths_of(settings.own.venice.routing), settings.own.venice.controller);
        let name = match settings.own.venice.routing {
            Routing::NonMinimalAdaptive | Routing::Exhaustive => "any path",
            Routing::MinimalAdaptive => "minimal paths",
            Routing::DimensionOrder => "X-then-Y paths",
        };
        let mesh = Mesh::with(settings.array, settings.own.venice.attachment);
        loss(mesh, settings, home, &[paths], name)
    }
}

impl Venice {
    /// Creates the fabric with an idle mesh.
    pub fn new(settings: &FabricSettings) -> Self {
        let venice = settings.own.venice;
        let mesh = Mesh::with(settings.array, venice.attachment);
        let rules = RoutingRules { routing: venice.routing, port_choice: venice.port_choice };
        Self {
            mesh,
            timing: Timing::new(mesh, settings),
            hold: settings.hold,
            reservation: venice.reservation,
            retry: venice.retry,
            path_loops: venice.path_loops,
            order: venice.order,
            network: Network::new(mesh, rules, settings.seed)
                .with_chips_that_send(settings.chip_to_chip)
                .with_loops_cut(venice.path_loops == PathLoops::Cut),
            controllers: Controllers::of(mesh, venice.controller, venice.attachment.circuits),
            retry_policy: RetryPolicy::new(&venice, mesh.routers()),
            repetition: RepetitionSearch::new(mesh.entrances()),
            memory: ReachabilityRecords::new(venice.retry, venice.routing, mesh),
            served_by: vec![None; mesh.routers() as usize],
            failing: Faults::new(mesh, &settings.faults).map(Box::new),
            paths: paths_of(venice.routing),
            copies: CopyCircuits::new(mesh, settings),
            serves: who_serves(mesh, venice.controller, |_, _| true),
            open: who_serves(mesh, ControllerChoice::NearestFree, |_, _| true).swap_remove(0),
            changed_at: SimTime::ZERO,
            held_since: vec![SimTime::ZERO; mesh.routers() as usize],
            counters: FabricCounters::default(),
        }
    }

    /// Applies the faults due at `now`.
    #[inline]
    fn keep_up(&mut self, now: SimTime, out: &mut Outbox) {
        if self.failing.as_ref().is_some_and(|faults| faults.due_at() <= now) {
            self.fall_out(now, out);
        }
    }

    /// Takes failed links out of service. When the failure is detected, restricts each controller to the
    /// chips that it can reach.
    #[cold]
    fn fall_out(&mut self, now: SimTime, out: &mut Outbox) {
        let Some(mut faults) = self.failing.take() else { return };
        self.keep_polls_up(now);
        if !faults.has_happened() {
            self.network.fail(faults.broken());
        }
        if faults.happen(now) {
            let reach = ReachableChips::new(self.mesh, &faults, self.paths);
            self.serves = who_serves(self.mesh, self.controllers.choice(), |who, chip| reach.has(who, chip));
        } else {
            self.failing = Some(faults);
        }
        self.memory.forget();
        self.repetition.restart();
        self.look_again_everywhere(out);
    }

    /// True if controller `who` can have a path to `chip`, according to the failures detected so far.
    #[inline]
    fn reaches(&self, who: ControllerId, chip: ChipId) -> bool {
        self.serves[who.index()].contains(self.mesh.router_of(chip))
    }

    /// Recomputes the chips that free controllers may serve.
    fn open_up(&mut self) {
        self.open.clear();
        for who in self.controllers.free() {
            self.open.add_difference(&self.serves[who.index()], self.memory.out_of_reach(who));
        }
    }

    /// True if no free controller can serve `chip`, or if a chip-to-chip copy occupies `chip`.
    #[inline]
    fn is_out_of_reach(&self, chip: ChipId) -> bool {
        !self.open.contains(self.mesh.router_of(chip)) || self.copies.occupy(chip)
    }

    /// Returns the free controller that would serve `chip`, if there is one.
    #[inline]
    fn choose(&self, chip: ChipId) -> Option<ControllerId> {
        let router = self.mesh.router_of(chip);
        let can = |who: ControllerId| {
            self.serves[who.index()].contains(router) && !self.memory.out_of_reach(who).contains(router)
        };
        self.controllers.choose(self.network.position(router), can)
    }

    /// Returns the number of wires to second controller ports, as a multiple of the wires of one link. The
    /// Venice paper does not count the wires to first ports.
    fn port_wires(&self) -> u32 {
        (self.mesh.entrances() - self.mesh.controllers()) * self.wire_to_second_port()
    }

    /// Returns the number of wires to one second port, as a multiple of the wires of one link: 1 for a port
    /// next to the controller, the number of columns for a port at the far end of the row.
    const fn wire_to_second_port(&self) -> u32 {
        self.mesh.second_column() + 1
    }

    /// Returns the number of router ports beyond the five per router of the Venice paper. There are two for
    /// each doubled link, and one for each second controller port that does not replace a right neighbour.
    fn more_ports(&self) -> u32 {
        let mesh = self.mesh;
        let in_free_place = mesh.controller_ports() == ControllerPorts::BothSides;
        let second = if in_free_place { 0 } else { mesh.entrances() - mesh.controllers() };
        second + 2 * mesh.doubled_links()
    }

    /// True if an event is a step or the return of a scout.
    #[inline]
    fn is_step(&self, event: VeniceEvent) -> bool {
        matches!(event, VeniceEvent::Next(who) if self.controllers.activity(who).has_scout())
    }

    /// Returns the routers and links, for observers and tests.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the circuit to `chip` that is held for `die`, with its controller.
    fn held_circuit(&self, chip: ChipId, die: DieId) -> Option<(ControllerId, Circuit)> {
        let controller = self.served_by[chip.index()]?;
        match *self.controllers.activity(controller) {
            ControllerState::Holding(circuit) if circuit.die == die => Some((controller, circuit)),
            _ => None,
        }
    }

    /// Adds to the counter `paths_kept` the time for which a circuit was held without carrying data.
    fn count_hold(&mut self, circuit: &Circuit, now: SimTime) {
        self.counters.paths_kept += self.hold_time(circuit, now);
    }

    /// Returns the time for which a held circuit has carried no data up to `now`, summed over its links.
    fn hold_time(&self, circuit: &Circuit, now: SimTime) -> SimSpan {
        let since = self.held_since[circuit.chip.index()];
        now.max(since).since(since) * u64::from(circuit.hops)
    }

    /// Returns the time for which held circuits have carried no data up to `now`, summed over the links of
    /// all circuits that are held now.
    fn held_until(&self, now: SimTime) -> SimSpan {
        self.controllers.held().map(|circuit| self.hold_time(circuit, now)).sum()
    }

    /// Returns the response to an offer that no controller can serve now.
    fn refusal(&self) -> Offer {
        if self.controllers.all_taken() { Offer::DomainBusy } else { Offer::PathBusy }
    }

    /// Starts a transfer over the path that a scout has found or that was held.
    fn start(&mut self, who: ControllerId, transfer: &Transfer, path: Path, out: &mut Outbox) {
        let (hops, path_wait) = (path.hops, path.wait);
        let keep = self.hold.keeps(transfer.keeps_path);
        let circuit = Circuit { chip: transfer.chip, die: transfer.die, hops, keep, path_wait };
        self.controllers.set(who, ControllerState::Transferring(circuit));
        let end = path.ready + self.timing.circuit(hops, transfer);
        self.count_crossing(hops, transfer);
        if who.0 >= self.mesh.controllers() {
            self.counters.port_wires_crossed +=
                self.timing.circuit(0, transfer) * u64::from(self.wire_to_second_port());
        }
        out.schedule(end, VeniceEvent::Next(who).into());
    }

    /// Adds to the counters the time for which a transfer crosses links. Energy is computed from this time
    /// and not from the reserved time, so that it does not depend on the reservation mode.
    fn count_crossing(&mut self, hops: u32, transfer: &Transfer) {
        let time = self.timing.circuit(0, transfer);
        self.counters.paths_used += time;
        self.counters.links_crossed += time * u64::from(hops);
    }

    fn delivered(&mut self, who: ControllerId, circuit: Circuit, now: SimTime, out: &mut Outbox) {
        let Circuit { die, hops, path_wait, .. } = circuit;
        out.delivered.push(Delivery { die, path_wait, hops });
        if circuit.keep {
            self.controllers.set(who, ControllerState::Holding(circuit));
            self.held_since[circuit.chip.index()] = now;
        } else {
            self.release(who, circuit.chip, now, out);
        }
        out.woken.push(WHOLE_MESH);
    }

    fn release(&mut self, who: ControllerId, chip: ChipId, now: SimTime, out: &mut Outbox) {
        self.keep_polls_up(now);
        self.network.forget_freed();
        self.network.release(who, now);
        self.served_by[chip.index()] = None;
        self.controllers.set(who, ControllerState::Free);
        self.retry_policy.note_release();
        self.note_freed(None);
        self.look_again(out);
    }
}

/// Returns, for each controller, the routers of the chips that it may serve. These are all chips that it
/// reaches or, if so configured, only those of its row.
fn who_serves(mesh: Mesh, choice: ControllerChoice, reaches: impl Fn(u32, ChipId) -> bool) -> Vec<RouterSet> {
    let serves = |who: u32| {
        let mut routers = RouterSet::none(mesh.routers());
        for chip in (0..mesh.routers()).map(ChipId) {
            let is_near =
                choice != ControllerChoice::Home || mesh.array().row(chip) == mesh.controller_at(who);
            if is_near && reaches(who, chip) {
                routers.insert(mesh.router_of(chip));
            }
        }
        routers
    };
    (0..mesh.entrances()).map(serves).collect()
}

/// Returns the kinds of paths that scouts with this routing can find.
const fn paths_of(routing: Routing) -> RoutablePaths {
    match routing {
        Routing::NonMinimalAdaptive | Routing::Exhaustive => RoutablePaths::Any,
        Routing::MinimalAdaptive => RoutablePaths::Shortest,
        Routing::DimensionOrder => RoutablePaths::XThenY,
    }
}

impl Fabric for Venice {
    fn domains(&self) -> Vec<Range<u32>> {
        let whole = 0..self.mesh.routers();
        vec![whole]
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        self.repetition.restart();
        self.keep_up(now, out);
        if let Some((who, circuit)) = self.held_circuit(transfer.chip, transfer.die) {
            self.count_hold(&circuit, now);
            let path = Path { hops: circuit.hops, ready: now, wait: SimSpan::ZERO };
            self.start(who, transfer, path, out);
            return Offer::Accepted;
        }
        let is_taken = self.served_by[transfer.chip.index()].is_some() || self.copies.occupy(transfer.chip);
        if is_taken || self.retry_policy.is_barred(transfer.chip, now) {
            return self.refusal();
        }
        let Some(who) = self.choose(transfer.chip) else { return self.refusal() };
        let answer = self.send_scout(who, transfer, now, out);
        self.open_up();
        answer
    }

    fn release_path(&mut self, chip: ChipId, die: DieId, now: SimTime, out: &mut Outbox) {
        if let Some((who, circuit)) = self.held_circuit(chip, die) {
            self.repetition.restart();
            self.keep_up(now, out);
            self.count_hold(&circuit, now);
            self.release(who, chip, now, out);
            out.woken.push(WHOLE_MESH);
            self.open_up();
        }
    }

    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        use ControllerState::{Returning, Searching, Transferring, Waiting};
        self.keep_up(now, out);
        let event = VeniceEvent::from(event);
        if !self.is_step(event) {
            self.repetition.restart();
        }
        match event {
            VeniceEvent::BackOffOver(_) => out.woken.push(WHOLE_MESH),
            VeniceEvent::Copied(from) => self.copied(from, now, out),
            VeniceEvent::Crossing(at, entry) => self.cross(at, entry, now, out),
            VeniceEvent::GivenBack(at, exit) => self.give_back(at, exit, now, out),
            VeniceEvent::Next(who) => match *self.controllers.activity(who) {
                Searching(search) => self.advance(who, search, now, out),
                Transferring(circuit) => self.delivered(who, circuit, now, out),
                Returning(failure) => self.scout_back(who, failure, now, out),
                Waiting(waiting) => self.send_due(who, &waiting, now, out),
                idle => unreachable!("controller {} has no event to come: it is {idle:?}", who.0),
            },
        }
        self.open_up();
    }

    /// Returns the time that the transfer takes without a wait. If a circuit is held for its die, this is the
    /// time over that circuit, otherwise the time over an idle mesh. Must be called before the transfer is
    /// offered, since the last transfer of an operation ends the hold.
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        if let Some((_, circuit)) = self.held_circuit(transfer.chip, transfer.die) {
            return self.timing.circuit(circuit.hops, transfer);
        }
        let hops = self.mesh.nearest(self.mesh.router_of(transfer.chip));
        self.timing.scout(2 * hops) + self.timing.circuit(hops, transfer)
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.keep_up(now, out);
        self.open_up();
        out.woken.push(WHOLE_MESH);
    }

    fn reaches(&self, chip: ChipId) -> bool {
        let router = self.mesh.router_of(chip);
        self.serves.iter().any(|served| served.contains(router))
    }

    fn skip(&mut self, until: SimTime) -> SimSpan {
        self.skip_periods(until)
    }

    fn is_quiet(&self) -> bool {
        self.controllers.all_free() && self.network.is_idle()
    }

    fn counters(&self, now: SimTime) -> FabricCounters {
        let mut counters = self.polls_passed(self.counters);
        counters.paths_kept += self.held_until(now);
        counters
    }

    fn wiring(&self) -> Wiring {
        let link = self.timing.link();
        Wiring {
            links: self.mesh.links(),
            port_wires: self.port_wires(),
            more_ports: self.more_ports(),
            link_bits: link.width_bits,
            routers: self.mesh.routers(),
            reserved: true,
            path_rate: link.rate(),
            router_rate: link.rate(),
            scout_hop: self.timing.scout(1),
            ..Wiring::default()
        }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.network.reserved_for(now)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            holds: Some(self),
            hints: Some(self),
            copies: if self.copies.are_allowed() { Some(self) } else { None },
            topology: Some(self),
        }
    }

    fn copies_mut(&mut self) -> Option<&mut dyn Copies> {
        if self.copies.are_allowed() { Some(self) } else { None }
    }
}

impl Holds for Venice {
    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.hold != Hold::Transfer && self.controllers.hold_circuit_for(die)
    }
}

impl Hints for Venice {
    #[inline]
    fn is_full(&self, _domain: DomainId) -> bool {
        self.controllers.all_taken()
    }

    #[inline]
    fn refuses(&self, chip: ChipId, now: SimTime) -> bool {
        match self.served_by[chip.index()] {
            Some(who) => !matches!(self.controllers.activity(who), ControllerState::Holding(_)),
            None => self.is_out_of_reach(chip) || self.retry_policy.is_barred(chip, now),
        }
    }

    #[inline]
    fn defers(&self, chip: ChipId) -> bool {
        let row = || self.network.position(self.mesh.router_of(chip)).0;
        self.order == ServiceOrder::OwnRowFirst && !self.controllers.has_free_in_row(row())
    }

    fn has_waiting(&self, _domain: DomainId) -> bool {
        self.controllers.have_waiting()
    }
}

impl Copies for Venice {
    fn joins(&self, from: ChipId, to: ChipId) -> bool {
        from != to
    }

    fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime, out: &mut Outbox) -> Offer {
        self.copy(transfer, from, now, out)
    }

    fn idle_time_of_copy(&self, transfer: &Transfer, from: ChipId) -> SimSpan {
        self.idle_copy(transfer, from)
    }
}

impl Topology for Venice {
    fn paths(&self) -> Vec<NamedPath> {
        self.links()
    }

    fn occupied_by(&self, chip: ChipId, _die: DieId, paths: &mut Vec<u32>) -> bool {
        self.circuit_of(chip, paths)
    }
}
