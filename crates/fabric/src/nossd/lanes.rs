//! Lanes. A lane is one direction of a link, together with the buffer at its end (downstream buffer). An
//! ejection port, by which packets leave the mesh, is also a lane.
//!
//! A packet waits for a lane until the lane is free and the downstream buffer has room for the whole packet
//! (virtual cut-through). The buffer space is released when the packet's tail has left that buffer. Ejection
//! ports always accept: a controller or chip receives only packets that it expects.
//!
//! # Numbers
//! Link *n* towards higher columns or rows is lane 2 *n*, the opposite direction is lane 2 *n* + 1. The chip
//! ports follow, then the controller ports.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;

use super::super::noc::{Mesh, Port, RouterId};
use super::super::{Arbitration, NamedPath};
use super::packet::LaneId;
use super::slots::{PacketId, PacketQueue, Packets};

/// Order of dimensions on a route. All routes are shortest routes with at most one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DimensionOrder {
    /// Along the row first, then along the column.
    XThenY,
    /// Along the column first, then along the row.
    YThenX,
}

/// Packet that a lane carries, with the data that is needed when the packet's tail has crossed the lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LanePacket {
    /// Chip of the packet's transfer, which identifies the transfer.
    pub(super) chip: ChipId,
    /// Number of bytes that the packet frees in the buffer behind it.
    pub(super) bytes: u32,
    /// Lane that leads to the buffer that the packet frees; `None` if the packet comes from its source.
    pub(super) left: Option<LaneId>,
    /// True if the packet is the last of its transfer.
    pub(super) is_last: bool,
}

#[derive(Clone, Debug)]
struct MeshLane {
    crossing: Option<LanePacket>,
    waiting: PacketQueue,
    /// Free bytes of the downstream buffer; `None` at an ejection port, which accepts every packet.
    room_bytes: Option<u32>,
    /// Router at the end of the lane; `None` at an ejection port.
    far_end: Option<RouterId>,
    /// Accumulated busy time. The full time of a packet is added when its head enters the lane.
    busy: SimSpan,
    /// Instant at which the tail of the last packet has crossed or will have crossed the lane.
    free_at: SimTime,
}

/// All lanes of a mesh.
#[derive(Clone, Debug)]
pub(super) struct MeshLanes {
    mesh: Mesh,
    port_buffer_bytes: u32,
    arbitration: Arbitration,
    all: Vec<MeshLane>,
}

/// Returns the lane from a router through `port` to its neighbour.
fn lane_over(mesh: Mesh, router: RouterId, port: Port) -> Option<LaneId> {
    let backwards = matches!(port, Port::Left | Port::Down);
    mesh.link(router, port).map(|link| LaneId(2 * link.0 + u32::from(backwards)))
}

impl MeshLanes {
    pub(super) fn new(mesh: Mesh, port_buffer_bytes: u32, arbitration: Arbitration) -> Self {
        let links = 2 * mesh.links();
        let lane = |is_link: bool| MeshLane {
            crossing: None,
            waiting: PacketQueue::default(),
            room_bytes: is_link.then_some(port_buffer_bytes),
            far_end: None,
            busy: SimSpan::ZERO,
            free_at: SimTime::ZERO,
        };
        let count = links + mesh.routers() + mesh.controllers();
        let mut lanes: Vec<MeshLane> = (0..count).map(|number| lane(number < links)).collect();
        for router in (0..mesh.routers()).map(RouterId) {
            for port in Port::MESH {
                let Some(LaneId(number)) = lane_over(mesh, router, port) else { continue };
                lanes[number as usize].far_end = mesh.neighbour(router, port);
            }
        }
        Self { mesh, port_buffer_bytes, arbitration, all: lanes }
    }

    /// Returns the next lane on the way from `here` to `there`, or `None` if both are the same router.
    #[inline]
    pub(super) fn towards(&self, here: RouterId, there: RouterId, order: DimensionOrder) -> Option<LaneId> {
        let offset = self.mesh.offset(here, there);
        let along_row = match offset.dx.signum() {
            1 => Some(Port::Right),
            -1 => Some(Port::Left),
            _ => None,
        };
        let along_column = match offset.dy.signum() {
            1 => Some(Port::Up),
            -1 => Some(Port::Down),
            _ => None,
        };
        let port = match order {
            DimensionOrder::XThenY => along_row.or(along_column),
            DimensionOrder::YThenX => along_column.or(along_row),
        };
        lane_over(self.mesh, here, port?)
    }

    /// Returns the ejection port of a chip.
    #[inline]
    pub(super) fn chip_port(&self, chip: ChipId) -> LaneId {
        LaneId(2 * self.mesh.links() + chip.0)
    }

    /// Returns the ejection port of a controller.
    #[inline]
    pub(super) fn controller_port(&self, controller: u32) -> LaneId {
        LaneId(2 * self.mesh.links() + self.mesh.routers() + controller)
    }

    /// Returns the router at the end of a lane, or `None` for an ejection port.
    #[inline]
    pub(super) fn far_end(&self, lane: LaneId) -> Option<RouterId> {
        self.all[lane.0 as usize].far_end
    }

    #[inline]
    fn lane(&mut self, lane: LaneId) -> &mut MeshLane {
        &mut self.all[lane.0 as usize]
    }

    #[inline]
    pub(super) fn enqueue(&mut self, lane: LaneId, packet: PacketId, packets: &mut Packets) {
        let waiting = &mut self.all[lane.0 as usize].waiting;
        match self.arbitration {
            Arbitration::FirstCome => waiting.push(packet, packets),
            Arbitration::OldestFirst => waiting.push_by_age(packet, packets),
        }
    }

    /// Grants the lane to the first waiting packet if the lane is free and the downstream buffer has room.
    #[inline]
    pub(super) fn grant(&mut self, lane: LaneId, packets: &mut Packets, now: SimTime) -> Option<PacketId> {
        let lane = self.lane(lane);
        let id = lane.waiting.first().filter(|_| lane.crossing.is_none())?;
        let packet = packets[id];
        let piece = packet.piece;
        if let Some(room_bytes) = &mut lane.room_bytes {
            *room_bytes = room_bytes.checked_sub(piece.bytes)?;
        }
        lane.waiting.pop(packets);
        lane.busy += piece.wire_time;
        lane.free_at = now + piece.wire_time;
        let (chip, left) = (packet.chip, packet.held_behind);
        lane.crossing = Some(LanePacket { chip, bytes: piece.bytes, left, is_last: piece.is_last });
        Some(id)
    }

    /// Frees a lane after the tail of its packet has crossed it. Returns the packet.
    #[inline]
    pub(super) fn finish(&mut self, lane: LaneId) -> LanePacket {
        self.lane(lane).crossing.take().expect("a tail crosses a lane that is in use")
    }

    /// Releases `bytes` bytes in the downstream buffer of `lane`, after the tail of a packet has left that
    /// buffer.
    #[inline]
    pub(super) fn give_back(&mut self, lane: LaneId, bytes: u32) {
        let room = &mut self.lane(lane).room_bytes;
        *room = room.map(|free| free + bytes);
    }

    /// True if no lane is in use and every buffer is empty.
    pub(super) fn are_quiet(&self) -> bool {
        self.all.iter().all(|lane| {
            lane.crossing.is_none()
                && lane.waiting.first().is_none()
                && lane.room_bytes.is_none_or(|free| free == self.port_buffer_bytes)
        })
    }

    /// True if a packet waits for a lane.
    pub(super) fn have_waiting(&self) -> bool {
        self.all.iter().any(|lane| lane.waiting.first().is_some())
    }

    /// Returns the busy time of the ejection ports, summed over ports.
    pub(super) fn ejecting(&self) -> SimSpan {
        let ports = &self.all[2 * self.mesh.links() as usize..];
        ports.iter().map(|lane| lane.busy).sum()
    }

    /// Returns the named paths of the mesh, one for each direction of a link, indexed by lane.
    pub(super) fn paths(&self) -> Vec<NamedPath> {
        let ways = self.mesh.link_ends().into_iter().flat_map(|[from, to]| [[from, to], [to, from]]);
        ways.map(|ends| NamedPath::link(format!("link {}-{}", ends[0].0, ends[1].0), ends.map(|end| end.0)))
            .collect()
    }

    /// Returns the busy time of each direction of each link up to `now`, indexed by lane.
    pub(super) fn busy(&self, now: SimTime) -> Vec<SimSpan> {
        let links = &self.all[..2 * self.mesh.links() as usize];
        links.iter().map(|lane| lane.busy - lane.free_at.max(now).since(now)).collect()
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::super::packet::{Packet, PacketSegment};
    use super::*;

    fn mesh(rows: u32, cols: u32) -> Mesh {
        Mesh::new(Array { rows, cols })
    }

    fn packet(bytes: u32) -> Packet {
        let piece = PacketSegment { bytes, wire_time: SimSpan::from_ns(u64::from(bytes)), is_last: false };
        Packet { chip: ChipId(0), injected: SimTime::ZERO, piece, router: RouterId(0), held_behind: None }
    }

    fn route(lanes: &MeshLanes, from: RouterId, to: RouterId, order: DimensionOrder) -> Vec<LaneId> {
        let mut here = from;
        std::iter::from_fn(|| {
            let lane = lanes.towards(here, to, order)?;
            here = lanes.far_end(lane)?;
            Some(lane)
        })
        .collect()
    }

    #[test]
    fn a_route_turns_once_and_takes_a_shortest_way() {
        let (mesh, router) = (mesh(4, 5), |row: u32, col: u32| RouterId(row * 5 + col));
        let lanes = MeshLanes::new(mesh, 1, Arbitration::FirstCome);
        let by_row = [(0, Port::Right), (1, Port::Up), (6, Port::Up)];
        let by_column = [(0, Port::Up), (5, Port::Up), (10, Port::Right)];
        for (order, expected) in [(DimensionOrder::XThenY, by_row), (DimensionOrder::YThenX, by_column)] {
            let expected = expected.map(|(number, port)| lane_over(mesh, RouterId(number), port).unwrap());
            assert_eq!(route(&lanes, router(0, 0), router(2, 1), order), expected);
            for from in (0..mesh.routers()).map(RouterId) {
                for to in (0..mesh.routers()).map(RouterId) {
                    assert_eq!(route(&lanes, from, to, order).len() as u32, mesh.distance(from, to));
                }
            }
        }
    }

    #[test]
    fn a_reply_column_first_goes_back_over_the_routers_of_its_command() {
        let mesh = mesh(4, 5);
        let lanes = MeshLanes::new(mesh, 1, Arbitration::FirstCome);
        let back = |LaneId(number)| LaneId(number ^ 1);
        for chip in (0..mesh.routers()).map(RouterId) {
            for controller in (0..mesh.controllers()).map(|row| mesh.entrance(row)) {
                let command = route(&lanes, controller, chip, DimensionOrder::XThenY);
                let mut reply = route(&lanes, chip, controller, DimensionOrder::YThenX);
                reply.reverse();
                assert_eq!(reply, command.into_iter().map(back).collect::<Vec<_>>());
            }
        }
    }

    /// Checks the channel dependency graph. Lanes are the vertices; an arc means that a packet that holds one
    /// lane may wait for the other. The graph is acyclic if repeated removal of vertices without incoming
    /// arcs removes all of them (Dally and Seitz, IEEE TC 1987).
    #[test]
    fn no_circle_of_lanes_can_wait_for_each_other() {
        for (rows, cols) in [(1, 1), (2, 2), (4, 4), (3, 7), (8, 8), (4, 16), (16, 4)] {
            for replies in [&BOTH[..1], &BOTH[1..], &BOTH] {
                let waits_for = dependencies(mesh(rows, cols), &[DimensionOrder::XThenY], replies);
                assert_eq!(left_in_circles(&waits_for), 0, "{rows}x{cols}, replies {replies:?}");
            }
        }
    }

    #[test]
    fn were_commands_to_go_both_ways_too_there_would_be_circles() {
        assert_ne!(left_in_circles(&dependencies(mesh(3, 3), &BOTH, &BOTH)), 0);
    }

    const BOTH: [DimensionOrder; 2] = [DimensionOrder::XThenY, DimensionOrder::YThenX];

    /// Returns, for each lane, the lanes for which a packet may wait while it holds this lane.
    fn dependencies(mesh: Mesh, commands: &[DimensionOrder], replies: &[DimensionOrder]) -> Vec<Vec<u32>> {
        let lanes = MeshLanes::new(mesh, 1, Arbitration::FirstCome);
        let mut waits_for = vec![Vec::new(); 2 * mesh.links() as usize];
        for chip in (0..mesh.routers()).map(RouterId) {
            for controller in (0..mesh.controllers()).map(|row| mesh.entrance(row)) {
                let to_chip = commands.iter().map(|&order| route(&lanes, controller, chip, order));
                let from_chip = replies.iter().map(|&order| route(&lanes, chip, controller, order));
                for route in to_chip.chain(from_chip) {
                    route.windows(2).for_each(|pair| waits_for[pair[0].0 as usize].push(pair[1].0));
                }
            }
        }
        waits_for
    }

    fn left_in_circles(arcs: &[Vec<u32>]) -> usize {
        let mut left: Vec<bool> = vec![true; arcs.len()];
        loop {
            let is_entered = |vertex: usize| {
                arcs.iter().zip(&left).any(|(to, &left)| left && to.contains(&(vertex as u32)))
            };
            let free: Vec<usize> = (0..arcs.len()).filter(|&v| left[v] && !is_entered(v)).collect();
            if free.is_empty() {
                return left.iter().filter(|&&left| left).count();
            }
            for vertex in free {
                left[vertex] = false;
            }
        }
    }

    #[test]
    fn a_packet_waits_until_the_buffer_behind_the_lane_has_room_for_all_of_it() {
        let (mut lanes, mut packets) =
            (MeshLanes::new(mesh(1, 2), 100, Arbitration::FirstCome), Packets::default());
        let lane = LaneId(0);
        let [first, second, third] = [60, 41, 40].map(|bytes| packets.insert(packet(bytes)));
        for id in [first, second, third] {
            lanes.enqueue(lane, id, &mut packets);
        }
        assert_eq!(lanes.grant(lane, &mut packets, SimTime::ZERO), Some(first));
        assert_eq!(lanes.grant(lane, &mut packets, SimTime::ZERO), None, "the lane is in use");
        lanes.finish(lane);
        assert_eq!(
            lanes.grant(lane, &mut packets, SimTime::ZERO),
            None,
            "40 bytes are free; the next in line needs 41"
        );
        lanes.give_back(lane, 1);
        assert_eq!(lanes.grant(lane, &mut packets, SimTime::ZERO), Some(second));
    }

    #[test]
    fn lanes_are_quiet_only_when_every_byte_of_room_was_given_back() {
        let (mut lanes, mut packets) =
            (MeshLanes::new(mesh(1, 2), 100, Arbitration::FirstCome), Packets::default());
        let id = packets.insert(packet(60));
        lanes.enqueue(LaneId(1), id, &mut packets);
        assert!(!lanes.are_quiet());
        lanes.grant(LaneId(1), &mut packets, SimTime::ZERO);
        lanes.finish(LaneId(1));
        assert!(!lanes.are_quiet());
        lanes.give_back(LaneId(1), 60);
        assert!(lanes.are_quiet());
        assert_eq!(lanes.busy(SimTime::ZERO + SimSpan::from_ns(60)), [SimSpan::ZERO, SimSpan::from_ns(60)]);
    }
}
