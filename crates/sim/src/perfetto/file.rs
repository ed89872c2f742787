//! Writer of the trace file, which creates its packets in file order.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use prost::Message as _;
use venice_drive::observe::{ResourceActivity, Slice};
use venice_kernel::SimTime;

use super::lanes::{TrackLane, lanes_of};
use super::proto::{
    BOOTTIME, Clock, ClockSnapshot, DebugAnnotation, InternedData, InternedName, NEEDS_STATE, OWN_CLOCK,
    SLICE_BEGIN, SLICE_END, STATE_CLEARED, Trace, TracePacket, TracePacketDefaults, TrackDescriptor,
    TrackEvent,
};
use super::tracks::{RowNames, tracks_of};

/// Identifier of the packet sequence in a trace file, which has only one sequence.
const SEQUENCE: u32 = 1;
/// Interned identifier of the debug annotation that contains the request number.
const REQUEST: u64 = 1;
/// Minimum number of bytes of packets that are compressed together.
const PART: usize = 1 << 19;
const PS_PER_NS: u64 = 1000;

/// Start or end of a slice.
struct SliceEdge {
    at_ns: u64,
    slice: u32,
    lane: u32,
    is_end: bool,
}

/// Returns the trace file of the slices `slices`, with rows named by `names`.
pub fn file_of(slices: &[Slice], names: &RowNames) -> Vec<u8> {
    let lanes = lanes_of(slices);
    let (numbers, descriptors) = tracks_of(&lanes, names);
    let mut file = File::default();
    file.add(first_packet());
    for descriptor in descriptors {
        file.add(described(descriptor));
    }
    let mut last_ns = 0;
    for edge in edges_of(slices, &lanes) {
        let passed_ns = edge.at_ns - last_ns;
        last_ns = edge.at_ns;
        file.add(event(&slices[edge.slice as usize], numbers[edge.lane as usize], edge.is_end, passed_ns));
    }
    file.end()
}

const fn ns(at: SimTime) -> u64 {
    at.as_ps() / PS_PER_NS
}

/// Returns the starts and ends of all slices in order of time. Starts and ends of one lane (slices that do
/// not overlap) at the same time remain in the order of the lane.
fn edges_of(slices: &[Slice], lanes: &[TrackLane]) -> Vec<SliceEdge> {
    let mut edges = Vec::with_capacity(2 * slices.len());
    for (lane, of_lane) in (0..).zip(lanes) {
        for &slice in &of_lane.slices {
            let one = &slices[slice as usize];
            edges.push(SliceEdge { at_ns: ns(one.begin), slice, lane, is_end: false });
            edges.push(SliceEdge { at_ns: ns(one.end()), slice, lane, is_end: true });
        }
    }
    edges.sort_by_key(|edge| edge.at_ns);
    edges
}

fn packet() -> TracePacket {
    TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), ..TracePacket::default() }
}

/// Returns the first packet, which defines clocks, defaults and interned names for all other packets.
fn first_packet() -> TracePacket {
    let own = Clock { id: Some(OWN_CLOCK), timestamp: Some(0), is_incremental: Some(true) };
    let trace = Clock { id: Some(BOOTTIME), timestamp: Some(0), is_incremental: None };
    let name = |iid, name: &str| InternedName { iid: Some(iid), name: Some(name.to_owned()) };
    let interned = InternedData {
        event_names: ResourceActivity::ALL.iter().map(|&what| name(iid(what), what.name())).collect(),
        debug_annotation_names: vec![name(REQUEST, "request")],
    };
    TracePacket {
        sequence_flags: Some(STATE_CLEARED),
        clock_snapshot: Some(ClockSnapshot { clocks: vec![own, trace] }),
        defaults: Some(TracePacketDefaults { timestamp_clock_id: Some(OWN_CLOCK) }),
        interned_data: Some(interned),
        ..packet()
    }
}

const fn iid(what: ResourceActivity) -> u64 {
    what as u64 + 1
}

fn described(track: TrackDescriptor) -> TracePacket {
    TracePacket { track_descriptor: Some(track), ..packet() }
}

fn event(slice: &Slice, track: u64, is_end: bool, passed_ns: u64) -> TracePacket {
    let mut event = TrackEvent { kind: Some(SLICE_END), track_uuid: Some(track), ..TrackEvent::default() };
    if !is_end {
        event.kind = Some(SLICE_BEGIN);
        event.name_iid = Some(iid(slice.what));
        if slice.request != Slice::NONE {
            let number = Some(u64::from(slice.request));
            event.debug_annotations.push(DebugAnnotation { name_iid: Some(REQUEST), uint_value: number });
        }
    }
    TracePacket {
        timestamp: Some(passed_ns),
        sequence_flags: Some(NEEDS_STATE),
        track_event: Some(event),
        ..packet()
    }
}

/// Trace file under construction.
#[derive(Default)]
struct File {
    whole: Vec<u8>,
    /// Packets that have not been compressed yet.
    part: Vec<u8>,
}

impl File {
    fn add(&mut self, packet: TracePacket) {
        append(&Trace { packet: vec![packet] }, &mut self.part);
        if self.part.len() >= PART {
            self.compress();
        }
    }

    fn compress(&mut self) {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(&self.part).and_then(|()| encoder.finish());
        self.part.clear();
        let packed = packed.expect("memory takes all that is written to it");
        let packet = TracePacket { compressed_packets: Some(packed), ..TracePacket::default() };
        append(&Trace { packet: vec![packet] }, &mut self.whole);
    }

    fn end(mut self) -> Vec<u8> {
        self.compress();
        self.whole
    }
}

fn append(trace: &Trace, bytes: &mut Vec<u8>) {
    trace.encode(bytes).expect("a vector grows as it has to");
}
