//! Network-on-SSD: a buffered, packet-switched mesh.
//!
//! # What it models
//! One router beside each chip; transfers travel as packets, each way over one shortest route, by virtual
//! cut-through. A transfer has the controller to itself, but shares every link and buffer with other transfers.
//!
//! # How
//! *Packets.* A command is one packet, which takes [`Transfer::command`] on a link; data is cut into
//! packets of a header and at most `max_payload_bytes`, which take their flits' time. The source
//! injects them one after another: a packet asks for its first lane when the tail before it has left.
//!
//! *Routes.* To a chip along the controller's row, then along the chip's column. From a chip, with `reply =
//! retrace`, back over the same routers: along its column, then along the controller's row; with `x_then_y`
//! along its own row to column 0, then along that.
//!
//! *A hop.* A packet's head leaves a router when its output lane is free **and** the buffer behind
//! that lane has room for the whole packet. It then occupies the lane for its wire time, and its head
//! can leave the next router after the link's latency plus the router's. The room it held is free
//! again when its tail has left. Packets that want one lane are served in the order in which their
//! heads arrived, heads of one instant in the order of their events; or by when their transfers were accepted.
//!
//! *Injection.* Data of chips is offered by the age of its page (`injection = oldest_first`), and such that would cross a
//! column which another reply is crossing after all other: its own row's controller, or another chip, will be better.
//!
//! *Lanes.* Each link has one lane per direction, and the ejection port of each chip and each
//! controller is a lane that always has room. Path 2 *n* is link *n* towards higher columns or rows,
//! path 2 *n* + 1 the other way.
//!
//! *Idle time* over h links: h × (link latency + router latency) + command + the flits' time of
//! all packets. Every lane is equally fast, so packets follow each other without gaps; provided that
//! a port's buffer covers the time a hop takes, which [`NoSsd::check`] demands.
//!
//! *No deadlock.* A packet that waits at a lane waits for one that is ahead of it on its route, which turns once
//! and ends in a port that always takes. Controllers are in column 0, so nothing goes left to a chip, and
//! nothing right from one: routes take lanes in the order right, up or down, left, ejection (`x_then_y`:
//! replies left, then up or down in column 0, from where nothing goes left). No cycle, so the waiting ends.
//!
//! *Controllers.* The nearest free one serves a transfer, or that of the chip's own row only. It is
//! taken until it has injected the last tail, or received it. All chips are one domain.
//!
//! *Failures.* When links or routers fail (see [`super::noc::Faults`]), a controller serves only
//! transfers whose one path of that direction avoids them. Packets that are on their way arrive.
//!
//! # What is left out
//! Virtual channels and head-of-line blocking (packets in one buffer that want different lanes do not
//! block each other), the time a credit takes to return, flit-level switching, and buffers too small
//! for a lone transfer to flow.
//!
//! # Source
//! Tavakkol et al., "Network-on-SSD", IEEE CAL 2012, and "Design for Scalability in Enterprise SSDs",
//! PACT 2014; Nadig et al., "Venice", ISCA 2023, §3.2 and §5 (deterministic routing, 16-KB port buffers).
//!
//! # Parameters
//! `fabric.mesh`, and all of `fabric.nossd`.

mod controllers;
mod lanes;
mod packet;
mod settings;
mod slots;

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use self::controllers::Controllers;
use self::lanes::{Lanes, Order, Sent};
use self::packet::{LaneId, Packet, PacketFormat, Uncut};
use self::slots::{PacketId, Packets};
use super::noc::{Faults, Mesh, Paths, Reach, RouterId, loss};
use super::{
    Delivery, Dies, Direction, DomainId, Fabric, FabricCounters, FabricError, FabricEvent, FabricSettings,
    Features, Loss, Model, Offer, Outbox, PacketHop, Place, Stop, Transfer, Wiring,
};
use crate::geometry::{ChipId, DieId};

pub use settings::{Arbitration, Injection, NossdSettings, Reply};

/// The one domain.
const ALL: DomainId = DomainId(0);

/// A transfer that has been accepted and not yet delivered.
#[derive(Clone, Copy, Debug)]
struct Carried {
    die: DieId,
    controller: u32,
    direction: Direction,
    accepted: SimTime,
    /// How long it would take if nothing else were in flight.
    idle: SimSpan,
    hops: u32,
    uncut: Uncut,
}

/// What a [`FabricEvent`] means here.
enum Event {
    /// A packet's head can leave its router.
    Head(PacketId),
    /// A packet's tail has crossed a lane.
    Tail(LaneId),
}

impl From<FabricEvent> for Event {
    #[inline]
    fn from(FabricEvent(number): FabricEvent) -> Self {
        if number & 1 == 0 { Self::Head(PacketId(number >> 1)) } else { Self::Tail(LaneId(number >> 1)) }
    }
}

impl From<Event> for FabricEvent {
    #[inline]
    fn from(event: Event) -> Self {
        match event {
            Event::Head(packet) => Self(packet.0 << 1),
            Event::Tail(lane) => Self(lane.0 << 1 | 1),
        }
    }
}

/// A buffered, packet-switched mesh.
#[derive(Clone, Debug)]
pub struct NoSsd {
    mesh: Mesh,
    format: PacketFormat,
    /// From a head's leaving one router to its leaving the next, at the earliest.
    hop: SimSpan,
    /// In which order data from a chip turns; what goes to a chip goes X before Y.
    reply: Order,
    controllers: Controllers,
    lanes: Lanes,
    packets: Packets,
    /// By chip: a chip has at most one transfer in flight.
    carried: Vec<Option<Carried>>,
    in_flight: u32,
    /// Whether data goes by age.
    injection: Injection,
    /// By column: replies on their way to a controller of another row than their chip's.
    crossing: Vec<u32>,
    /// What is still to fail.
    failing: Option<Box<Faults>>,
    /// The paths to a chip, and those from it, both seen from the controller.
    ways: [Paths; 2],
    /// Which chips each controller reaches, and from which it is reached, once something has failed.
    reach: Option<[Reach; 2]>,
}

/// The paths to a chip, and those from it, both seen from the controller.
const fn ways(reply: Reply) -> [Paths; 2] {
    match reply {
        Reply::Retrace => [Paths::XThenY, Paths::XThenY],
        Reply::XThenY => [Paths::XThenY, Paths::YThenX],
    }
}

impl Model for NoSsd {
    type Parameters = NossdSettings;

    /// Checks that a port's buffer is large enough for a lone transfer to flow.
    ///
    /// # Errors
    /// [`FabricError::BufferTooSmall`] with the bytes that are needed.
    fn check(settings: &FabricSettings) -> Result<(), FabricError> {
        let have_bytes = settings.own.nossd.port_buffer_bytes;
        let need_bytes = PacketFormat::new(settings).buffer_for_a_stream(hop_time(settings));
        if u64::from(have_bytes) >= need_bytes {
            return Ok(());
        }
        Err(FabricError::BufferTooSmall { have_bytes, need_bytes })
    }

    /// Returns the chips to which, or from which, there is no path once everything has failed that will.
    fn loss(settings: &FabricSettings) -> Loss {
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
    /// The mesh over the settings' array, which [`NoSsd::check`] has passed.
    pub fn new(settings: &FabricSettings) -> Self {
        let mesh = Mesh::new(settings.array);
        Self {
            mesh,
            format: PacketFormat::new(settings),
            hop: hop_time(settings),
            reply: match settings.own.nossd.reply {
                Reply::Retrace => Order::YThenX,
                Reply::XThenY => Order::XThenY,
            },
            controllers: Controllers::new(settings.own.nossd.controller, mesh),
            lanes: Lanes::new(mesh, settings.own.nossd.port_buffer_bytes, settings.own.nossd.arbitration),
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

    /// The time a transfer takes over `hops` links when nothing else is in flight.
    #[inline]
    fn idle_over(&self, hops: u32, transfer: &Transfer) -> SimSpan {
        self.hop * u64::from(hops) + self.format.wire_time(transfer)
    }

    /// The controller that serves a transfer now.
    #[inline]
    fn choose(&mut self, transfer: &Transfer, now: SimTime) -> Option<u32> {
        if self.failing.as_ref().is_some_and(|faults| faults.due_at() <= now) {
            self.keep_up(now);
        }
        let (chip, way) = (transfer.chip, usize::from(transfer.direction == Direction::FromChip));
        let reaches = |row| self.reach.as_ref().is_none_or(|reach| reach[way].has(row, chip));
        if self.failing.as_ref().is_some_and(|faults| faults.has_happened()) {
            // Nobody knows yet: whoever would take the transfer finds that it gets no answer.
            return self.controllers.choose(chip, |_| true).filter(|&row| reaches(row));
        }
        self.controllers.choose(chip, reaches)
    }

    /// Lets fail what is due, and learns of it when it is time.
    #[cold]
    fn keep_up(&mut self, now: SimTime) {
        let Some(faults) = &mut self.failing else { return };
        if faults.due_at() > now {
            return;
        }
        self.reach = Some(self.ways.map(|paths| Reach::new(self.mesh, faults, paths)));
        if faults.happen(now) {
            self.failing = None;
        }
    }

    /// The column that a reply of this chip crosses to this controller.
    #[inline]
    fn crossed(&mut self, chip: ChipId, controller: u32) -> Option<&mut u32> {
        let array = self.mesh.array();
        (array.row(chip) != controller).then(|| &mut self.crossing[array.col(chip) as usize])
    }

    fn accept(&mut self, transfer: &Transfer, controller: u32, now: SimTime) {
        self.controllers.take(controller);
        let hops = self.mesh.distance(self.mesh.entrance(controller), self.mesh.router_of(transfer.chip));
        self.carried[transfer.chip.index()] = Some(Carried {
            die: transfer.die,
            controller,
            direction: transfer.direction,
            accepted: now,
            idle: self.idle_over(hops, transfer),
            hops,
            uncut: Uncut::new(transfer),
        });
        self.in_flight += 1;
        if transfer.direction == Direction::FromChip
            && let Some(crossing) = self.crossed(transfer.chip, controller)
        {
            *crossing += 1;
        }
    }

    /// The transfer that a packet of this chip belongs to.
    #[inline]
    fn carried(&mut self, chip: ChipId) -> &mut Carried {
        self.carried[chip.index()].as_mut().expect("a packet belongs to a transfer in flight")
    }

    /// The source goes on: with its next packet, or by letting go of the controller.
    fn inject(&mut self, chip: ChipId, now: SimTime, out: &mut Outbox) {
        let format = self.format;
        let carried = self.carried(chip);
        let Carried { controller, direction, accepted: injected, .. } = *carried;
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

    /// A packet's head asks for the lane that leads on.
    #[inline]
    fn request(&mut self, id: PacketId, now: SimTime, out: &mut Outbox) {
        let Packet { chip, router, .. } = self.packets[id];
        let lane = self.next_lane(chip, router);
        self.lanes.enqueue(lane, id, &mut self.packets);
        self.grant(lane, now, out);
    }

    /// Along row and column in the order of the direction, then ejection.
    #[inline]
    fn next_lane(&mut self, chip: ChipId, router: RouterId) -> LaneId {
        let Carried { controller, direction, .. } = *self.carried(chip);
        match direction {
            Direction::ToChip => {
                let there = self.mesh.router_of(chip);
                self.lanes.towards(router, there, Order::XThenY).unwrap_or_else(|| self.lanes.chip_port(chip))
            }
            Direction::FromChip => {
                let there = self.mesh.entrance(controller);
                self.lanes
                    .towards(router, there, self.reply)
                    .unwrap_or_else(|| self.lanes.controller_port(controller))
            }
        }
    }

    /// Lets the first of the packets that wait for a lane have it, if lane and buffer allow.
    #[inline]
    fn grant(&mut self, lane: LaneId, now: SimTime, out: &mut Outbox) {
        let Some(id) = self.lanes.grant(lane, &mut self.packets, now) else { return };
        out.schedule(now + self.packets[id].piece.wire_time, Event::Tail(lane).into());
        if out.hops.is_some() {
            self.tell_hop(lane, id, out);
        }
        match self.lanes.far_end(lane) {
            Some(router) => {
                let packet = &mut self.packets[id];
                packet.router = router;
                packet.held_behind = Some(lane);
                out.schedule(now + self.hop, Event::Head(id).into());
            }
            // Only the tail's arrival matters now, and the lane knows whose it is.
            None => self.packets.remove(id),
        }
    }

    /// Tells of a packet that sets out over a link; what leaves by a port is told of as a transfer.
    #[cold]
    fn tell_hop(&self, lane: LaneId, id: PacketId, out: &mut Outbox) {
        let Packet { chip, piece, .. } = self.packets[id];
        if let Some(hops) = out.hops.as_mut().filter(|_| self.lanes.far_end(lane).is_some()) {
            hops.push(PacketHop { place: lane.0, chip, span: piece.wire_time });
        }
    }

    /// A tail has crossed a lane: the lane is free, and so is what the packet held before it.
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

    /// A tail has left the mesh.
    fn arrive(&mut self, sent: &Sent, now: SimTime, out: &mut Outbox) {
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

/// From a head's leaving one router to its leaving the next, at the earliest.
fn hop_time(settings: &FabricSettings) -> SimSpan {
    settings.mesh_link.latency + settings.own.nossd.router_latency
}

impl Fabric for NoSsd {
    #[allow(clippy::single_range_in_vec_init, reason = "one domain, which is a range of chips")]
    fn domains(&self) -> Vec<Range<u32>> {
        vec![0..self.mesh.routers()]
    }

    #[inline]
    fn domain_of(&self, _chip: ChipId) -> DomainId {
        ALL
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
            Event::Head(packet) => self.request(packet, now, out),
            Event::Tail(lane) => self.tail(lane, now, out),
        }
    }

    fn features(&self) -> Features {
        let by_age = self.injection == Injection::OldestFirst;
        Features {
            data_as_it_comes: !by_age,
            puts_off_chips: by_age && self.reply == Order::YThenX,
            ..Features::default()
        }
    }

    /// Neighbouring pages are of one age and lie in one column, whose lanes their data would cross together: 11 % less
    /// throughput with 16 KiB. Replies that go along their own row first cross column 0 alone.
    #[inline]
    fn puts_off(&self, chip: ChipId) -> bool {
        self.injection == Injection::OldestFirst
            && self.reply == Order::YThenX
            && self.controllers.leaves_row(chip)
            && self.crossing[self.mesh.array().col(chip) as usize] > 0
    }

    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        // The nearest controller is that of the chip's own row.
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
        let served = |way: &Reach| (0..self.mesh.controllers()).any(|row| way.has(row, chip));
        reach.iter().all(|way| if is_home { way.has(home, chip) } else { served(way) })
    }

    fn is_quiet(&self) -> bool {
        self.in_flight == 0
            && self.packets.is_empty()
            && self.controllers.all_free()
            && self.lanes.are_quiet()
    }

    fn counters(&self) -> FabricCounters {
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
            dies: Dies::WithRouters,
            path_rate: link.rate(),
            router_rate: link.rate(),
            ..Wiring::default()
        }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.lanes.busy(now)
    }

    fn way_of(&self, chip: ChipId, _die: DieId, way: &mut Vec<u32>) -> bool {
        let carried = self.carried[chip.index()].as_ref();
        way.extend(carried.map(|carried| 2 * self.mesh.links() + carried.controller));
        true
    }

    fn places(&self) -> Vec<Place> {
        let controller = |number| Place::new(format!("controller {number}"), [Stop::Controller(number)]);
        let lanes = self.lanes.places().into_iter();
        lanes.chain((0..self.mesh.controllers()).map(controller)).collect()
    }
}
