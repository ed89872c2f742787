//! Packets of the mesh: division of transfers into packets, their time on a link, and their buffer space.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;

use super::super::noc::RouterId;
use super::super::{FabricSettings, MeshLink, Transfer};

/// Buffer space of a command beyond its header: two command and five address cycles of 8 bits (ONFI 5.1, page
/// read: 00h, column and row address, 30h).
pub(super) const COMMAND_BYTES: u32 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneId(pub(super) u32);

/// Format of packets, which determines how transfers are divided into packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketFormat {
    header_bytes: u32,
    max_payload_bytes: u32,
    link: MeshLink,
}

/// Part of a transfer that one packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketSegment {
    /// Buffer space that the packet occupies, in bytes.
    pub(super) bytes: u32,
    /// Time for which the packet occupies each link.
    pub(super) wire_time: SimSpan,
    /// True for the last segment of a transfer.
    pub(super) is_last: bool,
}

/// Packet in the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// Chip of the packet's transfer, which identifies the transfer.
    pub(super) chip: ChipId,
    /// Time at which the packet's transfer was accepted.
    pub(super) injected: SimTime,
    pub(super) piece: PacketSegment,
    /// Router that the head of the packet has reached or, during a hop, will reach next.
    pub(super) router: RouterId,
    /// Lane that leads to the buffer that the packet occupies; `None` if the packet is at its source.
    pub(super) held_behind: Option<LaneId>,
}

/// Remainder of a transfer that has not been divided into packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnsegmentedPart {
    command: Option<SimSpan>,
    bytes: u32,
}

impl PacketFormat {
    /// Returns the parameters of the mesh's links.
    pub(super) const fn link(&self) -> MeshLink {
        self.link
    }

    pub(super) fn new(settings: &FabricSettings) -> Self {
        let nossd = settings.own.nossd;
        Self {
            header_bytes: nossd.header_bytes,
            max_payload_bytes: nossd.max_payload_bytes,
            link: settings.mesh_link,
        }
    }

    /// Returns the time for which all packets of a transfer together occupy a link.
    #[inline]
    pub(super) fn wire_time(&self, transfer: &Transfer) -> SimSpan {
        let whole = u64::from(transfer.bytes / self.max_payload_bytes);
        let whole_time = self.data_time(self.max_payload_bytes) * whole;
        match transfer.bytes % self.max_payload_bytes {
            0 => transfer.command + whole_time,
            rest => transfer.command + whole_time + self.data_time(rest),
        }
    }

    #[inline]
    fn data_time(&self, payload_bytes: u32) -> SimSpan {
        self.link.serialisation(self.header_bytes + payload_bytes)
    }

    /// Returns the smallest port buffer with which the packets of a single transfer follow each other without
    /// gaps.
    ///
    /// A packet occupies buffer space from the departure of its head from one router until its tail has left
    /// the next router. The tail leaves the next router one `hop` after it has left this one. When the next
    /// packet requests space, up to ⌈hop / wire time⌉ full packets and the command may still occupy the
    /// buffer.
    pub(super) fn buffer_for_a_stream(&self, hop: SimSpan) -> u64 {
        let packet_time = self.data_time(self.max_payload_bytes).as_ps().max(1);
        let packets = hop.as_ps().div_ceil(packet_time).saturating_add(1);
        let packet_bytes = u64::from(self.header_bytes) + u64::from(self.max_payload_bytes);
        let command_bytes = u64::from(self.header_bytes) + u64::from(COMMAND_BYTES);
        packets.saturating_mul(packet_bytes).saturating_add(command_bytes)
    }
}

impl UnsegmentedPart {
    /// Creates the remainder of a transfer that has not been divided at all. A transfer without data consists
    /// of a command, whose time may be zero.
    pub(super) fn new(transfer: &Transfer) -> Self {
        let is_command = !transfer.command.is_zero() || transfer.bytes == 0;
        Self { command: is_command.then_some(transfer.command), bytes: transfer.bytes }
    }

    /// Returns the next part of the transfer to be sent in a packet: first the command, then the data in
    /// order.
    #[inline]
    pub(super) fn next(&mut self, format: &PacketFormat) -> Option<PacketSegment> {
        if let Some(wire_time) = self.command.take() {
            let bytes = format.header_bytes + COMMAND_BYTES;
            return Some(PacketSegment { bytes, wire_time, is_last: self.bytes == 0 });
        }
        if self.bytes == 0 {
            return None;
        }
        let payload = self.bytes.min(format.max_payload_bytes);
        self.bytes -= payload;
        let (bytes, wire_time) = (format.header_bytes + payload, format.data_time(payload));
        Some(PacketSegment { bytes, wire_time, is_last: self.bytes == 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{command_to, data_from, paper_settings, program_to};

    fn format() -> PacketFormat {
        PacketFormat::new(&paper_settings(1, 1))
    }

    fn cut(transfer: &Transfer) -> Vec<PacketSegment> {
        let mut uncut = UnsegmentedPart::new(transfer);
        std::iter::from_fn(|| uncut.next(&format())).collect()
    }

    #[test]
    fn a_program_is_a_command_and_as_many_packets_as_its_data_needs() {
        let pieces = cut(&program_to(ChipId(0), 5000));
        let sizes: Vec<u32> = pieces.iter().map(|piece| piece.bytes).collect();
        assert_eq!(sizes, [15, 4104, 912], "headers of 8 bytes, payloads of at most 4096");
        let last: Vec<bool> = pieces.iter().map(|piece| piece.is_last).collect();
        assert_eq!(last, [false, false, true]);
    }

    #[test]
    fn a_bare_command_is_one_packet_that_takes_the_command_s_time() {
        let transfer = command_to(ChipId(0));
        assert_eq!(cut(&transfer), [PacketSegment { bytes: 15, wire_time: transfer.command, is_last: true }]);
    }

    #[test]
    fn a_command_that_takes_no_time_is_still_a_packet() {
        let transfer = Transfer { command: SimSpan::ZERO, ..command_to(ChipId(0)) };
        assert_eq!(cut(&transfer).len(), 1);
    }

    #[test]
    fn the_closed_form_is_the_sum_of_the_packets() {
        for bytes in [0, 1, 4095, 4096, 4097, 8192, 16384, 20_000] {
            for transfer in [program_to(ChipId(0), bytes), data_from(ChipId(0), bytes)] {
                let sum: SimSpan = cut(&transfer).iter().map(|piece| piece.wire_time).sum();
                assert_eq!(format().wire_time(&transfer), sum, "{bytes} bytes");
            }
        }
    }

    #[test]
    fn a_stream_needs_buffers_for_departing_packets() {
        // A full packet takes 4104 ns. Up to this hop time, space for one more packet is required.
        for (hop_ns, packets) in [(0, 1), (1, 2), (4104, 2), (4105, 3)] {
            let need = format().buffer_for_a_stream(SimSpan::from_ns(hop_ns));
            assert_eq!(need, packets * 4104 + 15, "a hop of {hop_ns} ns");
        }
    }
}
