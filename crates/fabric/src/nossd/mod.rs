//! Network-on-SSD: a buffered, packet-switched mesh.
//!
//! # What it models
//! The mesh has one router at each chip. Transfers are sent as packets with virtual cut-through, over one
//! shortest route in each direction. A transfer has exclusive use of its controller, but shares links and
//! buffers with other transfers.
//!
//! # How
//! *Packets.* A command is one packet, which occupies a link for [`Transfer::command`]. Data is split into
//! packets of a header and at most `max_payload_bytes`, which occupy a link for the time of their flits. The
//! source injects them one after another: a packet requests its first lane when the previous tail has left.
//!
//! *Routes.* Packets to a chip go along the controller's row, then along the chip's column. With
//! `reply = retrace`, packets from a chip go back over the same routers: along the chip's column, then along
//! the controller's row. With `reply = x_then_y` they go along the chip's row, then along column 0.
//!
//! *A hop.* A packet's head leaves a router when its output lane is free and the downstream buffer has room
//! for the whole packet. The packet then occupies the lane for its wire time. Its head can leave the next
//! router after the link latency plus the router latency. Its upstream buffer space is released when its tail
//! has left. The parameter `arbitration` determines the order of packets that wait for the same lane: the
//! order in which their heads arrived, or in which their transfers were accepted.
//!
//! *Injection.* By default, read data is offered in the order in which the reads were created (`injection
//! = oldest_first`). Data that would cross a column in use by another reply is offered last. In the
//! meantime, other chips can use the lanes, and the controller of the data's row may become free.
//!
//! *Lanes.* Each link has one lane per direction. The ejection port of each chip and each controller is a
//! lane that always has room. Path 2 *n* is link *n* towards higher columns or rows, path 2 *n* + 1 is the
//! opposite direction.
//!
//! *Idle time.* On an idle mesh, a transfer over h links takes h × (link latency + router latency) + command
//! time + flit time of all packets. All lanes have the same rate, so packets follow each other without gaps.
//! A port buffer must therefore hold the data that arrives during one hop. [`NoSsd::check`] verifies this.
//!
//! *Deadlock freedom.* A packet waits only for lanes that are ahead of it on its route. A route has at most
//! one turn and ends in a port that always accepts. Controllers are in column 0, so no packet goes left on
//! its way to a chip, or right on its way from a chip. Routes use lanes in the order right, up or down, left,
//! ejection. With `x_then_y`, replies go left, then up or down in column 0, where no packet goes left. The
//! channel dependency graph is therefore acyclic.
//!
//! *Controllers.* A transfer is served by the nearest free controller or, if so configured, by the controller
//! of the chip's row. The controller is occupied until it has injected or received the last tail. All chips
//! form one arbitration domain.
//!
//! *Failures.* After failures of links or routers (see [`super::noc::Faults`]), a controller serves only
//! transfers whose single allowed path avoids the failed parts. Packets in flight are delivered.
//!
//! # What is left out
//! Virtual channels and head-of-line blocking (packets in one buffer that want different lanes do not block
//! each other), credit return time, flit-level switching, and buffers too small to stream a single transfer.
//!
//! # Source
//! Tavakkol et al., "Network-on-SSD", IEEE CAL 2012, and "Design for Scalability in Enterprise SSDs", PACT
//! 2014; Nadig et al., "Venice", ISCA 2023, §3.2 and §5 (deterministic routing, 16-KB port buffers).
//!
//! # Parameters
//! `fabric.mesh`, and all of `fabric.nossd`.

mod circuits;
mod controllers;
mod lanes;
mod packet;
mod settings;
mod slots;

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use self::controllers::ControllerPool;
use self::lanes::{DimensionOrder, LanePacket, MeshLanes};
use self::packet::{LaneId, Packet, PacketFormat, UnsegmentedPart};
use self::slots::{PacketId, Packets};
use super::noc::{Faults, Mesh, ReachableChips, RoutablePaths, RouterId, loss};
use super::{
    Capabilities, Delivery, DieRequirement, Direction, DomainId, Fabric, FabricCounters, FabricError,
    FabricEvent, FabricModel, FabricSettings, Hints, NamedPath, Offer, Outbox, PacketHop, PathStop, Topology,
    Transfer, UnreachableChips, Wiring,
};

pub use circuits::circuit_settings;
pub use settings::{Arbitration, Injection, NossdSettings, Reply, Switching};

/// Arbitration domain of all chips; NoSSD has no other.
const ALL: DomainId = DomainId(0);

/// Transfer that was accepted and has not been delivered.
#[derive(Clone, Copy, Debug)]
struct MeshTransfer {
    die: DieId,
    controller: u32,
    direction: Direction,
    accepted: SimTime,
    /// Time of the transfer on an idle mesh.
    idle: SimSpan,
    hops: u32,
    uncut: UnsegmentedPart,
}

/// Private event of the packet-switched mesh, decoded from a [`FabricEvent`].
enum MeshEvent {
    /// The head of this packet has arrived at the next router and can leave it.
    Head(PacketId),
    /// The tail of the current packet has crossed this lane.
    Tail(LaneId),
}

impl From<FabricEvent> for MeshEvent {
    #[inline]
    fn from(FabricEvent(number): FabricEvent) -> Self {
        if number & 1 == 0 { Self::Head(PacketId(number >> 1)) } else { Self::Tail(LaneId(number >> 1)) }
    }
}

impl From<MeshEvent> for FabricEvent {
    #[inline]
    fn from(event: MeshEvent) -> Self {
        match event {
            MeshEvent::Head(packet) => Self(packet.0 << 1),
            MeshEvent::Tail(lane) => Self(lane.0 << 1 | 1),
        }
    }
}

/// Buffered, packet-switched mesh.
#[derive(Clone, Debug)]
pub struct NoSsd {
    mesh: Mesh,
    format: PacketFormat,
    /// Minimum time between the departures of a packet's head from two consecutive routers.
    hop: SimSpan,
    /// Order of dimensions for data from a chip. Packets to a chip always go along the row first.
    reply: DimensionOrder,
    controllers: ControllerPool,
    lanes: MeshLanes,
    packets: Packets,
    /// Transfer in flight of each chip, at most one.
    carried: Vec<Option<MeshTransfer>>,
    in_flight: u32,
    /// Order in which the read data of different chips is offered.
    injection: Injection,
    /// For each column, the number of replies in flight that cross it from its chips to controllers of other
    /// rows.
    crossing: Vec<u32>,
    /// Faults that have not yet occurred.
    failing: Option<Box<Faults>>,
    /// Kinds of paths on which routing sends data to a chip (first element) and from a chip (second). Both
    /// are described in the direction from the controller to the chip.
    ways: [RoutablePaths; 2],
    /// Chips that each controller can send to (first element) and receive from (second); `None` until a fault
    /// occurs.
    reach: Option<[ReachableChips; 2]>,
}

/// Returns the kinds of paths on which routing sends data to a chip (first element) and from a chip (second).
/// Both are described in the direction from the controller to the chip.
const fn ways(reply: Reply) -> [RoutablePaths; 2] {
    match reply {
        Reply::Retrace => [RoutablePaths::XThenY, RoutablePaths::XThenY],
        Reply::XThenY => [RoutablePaths::XThenY, RoutablePaths::YThenX],
    }
}

impl FabricModel for NoSsd {
    type Parameters = NossdSettings;

    /// Checks that a port buffer is large enough for a single transfer to proceed without gaps between
    /// packets.
    ///
    /// # Errors
    /// Returns [`FabricError::BufferTooSmall`] with the required bytes.
    fn check(settings: &FabricSettings) -> Result<(), FabricError> {
        let have_bytes = settings.own.nossd.port_buffer_bytes;
        let need_bytes = PacketFormat::new(settings).buffer_for_a_stream(hop_time(settings));
        if u64::from(have_bytes) >= need_bytes {
            return Ok(());
        }
        Err(FabricError::BufferTooSmall { have_bytes, need_bytes })
    }

    /// Returns the chips that no controller can send to, or no controller can receive from, after all
    /// configured faults.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        loss(
            Mesh::new(settings.array),
            settings,
            settings.own.nossd.controller,
            &ways(settings.own.nossd.reply),
            "X-then-Y paths",
        )
    }
}

impl NoSsd {
    /// Creates an idle mesh for the array. The settings must have passed [`NoSsd::check`].
    pub fn new(settings: &FabricSettings) -> Self {
        let mesh = Mesh::new(settings.array);
        Self {
            mesh,
            format: PacketFormat::new(settings),
            hop: hop_time(settings),
            reply: match settings.own.nossd.reply {
                Reply::Retrace => DimensionOrder::YThenX,
                Reply::XThenY => DimensionOrder::XThenY,
            },
            controllers: ControllerPool::new(settings.own.nossd.controller, mesh),
            lanes: MeshLanes::new(mesh, settings.own.nossd.port_buffer_bytes, settings.own.nossd.arbitration),
            packets: Packets::default(),
            carried: vec![None; mesh.routers() as usize],
            in_flight: 0,
            injection: settings.own.nossd.injection,
            crossing: vec![0; mesh.array().cols as usize],
            failing: Faults::new(mesh, &settings.faults).map(Box::new),
            ways: ways(settings.own.nossd.reply),
            reach: None,
        }
    }

    /// Returns the time of a transfer over `hops` links on an idle mesh.
    #[inline]
    fn idle_over(&self, hops: u32, transfer: &Transfer) -> SimSpan {
        self.hop * u64::from(hops) + self.format.wire_time(transfer)
    }

    /// Returns the controller that would serve `transfer` at `now`.
    #[inline]
    fn choose(&mut self, transfer: &Transfer, now: SimTime) -> Option<u32> {
        if self.failing.as_ref().is_some_and(|faults| faults.due_at() <= now) {
            self.keep_up(now);
        }
        let (chip, way) = (transfer.chip, usize::from(transfer.direction == Direction::FromChip));
        let reaches = |row| self.reach.as_ref().is_none_or(|reach| reach[way].has(row, chip));
        if self.failing.as_ref().is_some_and(|faults| faults.has_happened()) {
            // The fault is not detected yet, so the controller is chosen without regard to it; if the path
            // has failed, the transfer is refused.
            return self.controllers.choose(chip, |_| true).filter(|&row| reaches(row));
        }
        self.controllers.choose(chip, reaches)
    }

    /// Applies the faults due at `now`.
    #[cold]
    fn keep_up(&mut self, now: SimTime) {
        let Some(faults) = &mut self.failing else { return };
        if faults.due_at() > now {
            return;
        }
        self.reach = Some(self.ways.map(|paths| ReachableChips::new(self.mesh, faults, paths)));
        if faults.happen(now) {
            self.failing = None;
        }
    }

    /// Returns the counter of the column that a reply from `chip` to `controller` crosses: the number of
    /// replies in flight that cross this column. Returns `None` if the reply stays in its row.
    #[inline]
    fn crossed(&mut self, chip: ChipId, controller: u32) -> Option<&mut u32> {
        let array = self.mesh.array();
        (array.row(chip) != controller).then(|| &mut self.crossing[array.col(chip) as usize])
    }

    fn accept(&mut self, transfer: &Transfer, controller: u32, now: SimTime) {
        self.controllers.take(controller);
        let hops = self.mesh.distance(self.mesh.entrance(controller), self.mesh.router_of(transfer.chip));
        self.carried[transfer.chip.index()] = Some(MeshTransfer {
            die: transfer.die,
            controller,
            direction: transfer.direction,
            accepted: now,
            idle: self.idle_over(hops, transfer),
            hops,
            uncut: UnsegmentedPart::new(transfer),
        });
        self.in_flight += 1;
        if transfer.direction == Direction::FromChip
            && let Some(crossing) = self.crossed(transfer.chip, controller)
        {
            *crossing += 1;
        }
    }

    /// Returns the transfer in flight of `chip`.
    #[inline]
    fn carried(&mut self, chip: ChipId) -> &mut MeshTransfer {
        self.carried[chip.index()].as_mut().expect("a packet belongs to a transfer in flight")
    }

    /// Injects the next packet of the chip's transfer. After the last packet to a chip, releases the
    /// controller.
    fn inject(&mut self, chip: ChipId, now: SimTime, out: &mut Outbox) {
        let format = self.format;
        let carried = self.carried(chip);
        let MeshTransfer { controller, direction, accepted: injected, .. } = *carried;
        match carried.uncut.next(&format) {
            Some(piece) => {
                let router = match direction {
                    Direction::ToChip => self.mesh.entrance(controller),
                    Direction::FromChip => self.mesh.router_of(chip),
                };
                let packet = Packet { chip, injected, piece, router, held_behind: None };
                let packet = self.packets.insert(packet);
                self.request(packet, now, out);
            }
            None if direction == Direction::ToChip => self.release(controller, out),
            None => {}
        }
    }

    fn release(&mut self, controller: u32, out: &mut Outbox) {
        self.controllers.release(controller);
        out.woken.push(ALL);
    }

    /// Requests the next lane for the head of a packet.
    #[inline]
    fn request(&mut self, id: PacketId, now: SimTime, out: &mut Outbox) {
        let Packet { chip, router, .. } = self.packets[id];
        let lane = self.next_lane(chip, router);
        self.lanes.enqueue(lane, id, &mut self.packets);
        self.grant(lane, now, out);
    }

    /// Returns the next lane on the route of a chip's packet at `router`: a lane along the row or the column,
    /// or the ejection port at the end.
    #[inline]
    fn next_lane(&mut self, chip: ChipId, router: RouterId) -> LaneId {
        let MeshTransfer { controller, direction, .. } = *self.carried(chip);
        match direction {
            Direction::ToChip => {
                let there = self.mesh.router_of(chip);
                self.lanes
                    .towards(router, there, DimensionOrder::XThenY)
                    .unwrap_or_else(|| self.lanes.chip_port(chip))
            }
            Direction::FromChip => {
                let there = self.mesh.entrance(controller);
                self.lanes
                    .towards(router, there, self.reply)
                    .unwrap_or_else(|| self.lanes.controller_port(controller))
            }
        }
    }

    /// Grants the lane to the first waiting packet if the lane is free and the buffer has room.
    #[inline]
    fn grant(&mut self, lane: LaneId, now: SimTime, out: &mut Outbox) {
        let Some(id) = self.lanes.grant(lane, &mut self.packets, now) else { return };
        out.schedule(now + self.packets[id].piece.wire_time, MeshEvent::Tail(lane).into());
        if out.hops.is_some() {
            self.tell_hop(lane, id, out);
        }
        match self.lanes.far_end(lane) {
            Some(router) => {
                let packet = &mut self.packets[id];
                packet.router = router;
                packet.held_behind = Some(lane);
                out.schedule(now + self.hop, MeshEvent::Head(id).into());
            }
            // The packet slot is no longer needed: only the arrival of the tail follows, and the lane records
            // the transfer.
            None => self.packets.remove(id),
        }
    }

    /// Adds a trace record for a packet that enters a link. An ejection needs no such record, since it is
    /// part of the transfer's own record.
    #[cold]
    fn tell_hop(&self, lane: LaneId, id: PacketId, out: &mut Outbox) {
        let Packet { chip, piece, .. } = self.packets[id];
        if let Some(hops) = out.hops.as_mut().filter(|_| self.lanes.far_end(lane).is_some()) {
            hops.push(PacketHop { path: lane.0, chip, span: piece.wire_time });
        }
    }

    /// Ends a packet's crossing of a lane. Frees the lane, and the packet's space in the buffer behind it.
    fn tail(&mut self, lane: LaneId, now: SimTime, out: &mut Outbox) {
        let sent = self.lanes.finish(lane);
        self.grant(lane, now, out);
        match sent.left {
            Some(behind) => {
                self.lanes.give_back(behind, sent.bytes);
                self.grant(behind, now, out);
            }
            None => self.inject(sent.chip, now, out),
        }
        if self.lanes.far_end(lane).is_none() {
            self.arrive(&sent, now, out);
        }
    }

    /// Processes a packet whose tail has left the mesh. The last packet ends its transfer.
    fn arrive(&mut self, sent: &LanePacket, now: SimTime, out: &mut Outbox) {
        if !sent.is_last {
            return;
        }
        let ended = self.carried[sent.chip.index()].take().expect("a transfer in flight is delivered");
        self.in_flight -= 1;
        let path_wait = now.since(ended.accepted) - ended.idle;
        out.delivered.push(Delivery { die: ended.die, path_wait, hops: ended.hops });
        if ended.direction == Direction::FromChip {
            if let Some(crossing) = self.crossed(sent.chip, ended.controller) {
                *crossing -= 1;
            }
            self.release(ended.controller, out);
        }
    }
}

/// Returns the minimum time between the departures of a packet's head from two consecutive routers.
fn hop_time(settings: &FabricSettings) -> SimSpan {
    settings.mesh_link.latency + settings.own.nossd.router_latency
}

impl Fabric for NoSsd {
    #[allow(clippy::single_range_in_vec_init, reason = "one domain, which is a range of chips")]
    fn domains(&self) -> Vec<Range<u32>> {
        vec![0..self.mesh.routers()]
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        if self.controllers.none_free() {
            return Offer::DomainBusy;
        }
        let Some(controller) = self.choose(transfer, now) else { return Offer::PathBusy };
        self.accept(transfer, controller, now);
        self.inject(transfer.chip, now, out);
        Offer::Accepted
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        match event.into() {
            MeshEvent::Head(packet) => self.request(packet, now, out),
            MeshEvent::Tail(lane) => self.tail(lane, now, out),
        }
    }

    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        // The nearest controller is the controller of the chip's row.
        self.idle_over(self.mesh.array().col(transfer.chip), transfer)
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.keep_up(now);
        out.woken.push(ALL);
    }

    fn reaches(&self, chip: ChipId) -> bool {
        let Some(reach) = self.reach.as_ref().filter(|_| self.failing.is_none()) else { return true };
        let home = self.mesh.array().row(chip);
        let is_home = self.controllers.is_home();
        let served = |way: &ReachableChips| (0..self.mesh.controllers()).any(|row| way.has(row, chip));
        reach.iter().all(|way| if is_home { way.has(home, chip) } else { served(way) })
    }

    fn is_quiet(&self) -> bool {
        self.in_flight == 0
            && self.packets.is_empty()
            && self.controllers.all_free()
            && self.lanes.are_quiet()
    }

    fn counters(&self, _now: SimTime) -> FabricCounters {
        FabricCounters { paths_used: self.lanes.ejecting(), ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        let link = self.format.link();
        Wiring {
            links: self.mesh.links(),
            link_bits: link.width_bits,
            link_lanes: 2,
            routers: self.mesh.routers(),
            buffered: true,
            dies: DieRequirement::WithRouters,
            path_rate: link.rate(),
            router_rate: link.rate(),
            ..Wiring::default()
        }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.lanes.busy(now)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { hints: Some(self), topology: Some(self), ..Capabilities::default() }
    }
}

impl Hints for NoSsd {
    /// True if the reply of `chip` would cross a column that another reply uses. Replies along their own row
    /// are then offered first, since they share only column 0.
    ///
    /// The pages of one request have the same age and lie in one column. Without this rule, their replies
    /// would compete for the lanes of that column. The measured cost is 11 % of throughput with 16 KiB pages.
    #[inline]
    fn defers(&self, chip: ChipId) -> bool {
        self.prefers_old_data()
            && self.reply == DimensionOrder::YThenX
            && self.controllers.leaves_row(chip)
            && self.crossing[self.mesh.array().col(chip) as usize] > 0
    }

    fn has_waiting(&self, _domain: DomainId) -> bool {
        self.lanes.have_waiting()
    }

    #[inline]
    fn prefers_old_data(&self) -> bool {
        self.injection == Injection::OldestFirst
    }
}

impl Topology for NoSsd {
    fn occupied_by(&self, chip: ChipId, _die: DieId, paths: &mut Vec<u32>) -> bool {
        let carried = self.carried[chip.index()].as_ref();
        paths.extend(carried.map(|carried| 2 * self.mesh.links() + carried.controller));
        true
    }

    fn paths(&self) -> Vec<NamedPath> {
        let controller =
            |number| NamedPath::new(format!("controller {number}"), [PathStop::Controller(number)]);
        let lanes = self.lanes.paths().into_iter();
        lanes.chain((0..self.mesh.controllers()).map(controller)).collect()
    }
}
