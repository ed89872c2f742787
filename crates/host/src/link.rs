//! Link between host and drive.
//!
//! # What it models
//! Two directions of limited rate, each first come, first served: a message starts when its predecessor has
//! left, takes its bytes at the link rate, and arrives after a fixed latency. A message is sent in
//! back-to-back packets of limited payload, each with a header.
//!
//! # What is left out
//! Credits, acknowledgements, and overtaking of messages.
//!
//! # Source
//! PCI Express Base Specification 3.0, chapter 2 (transaction layer packets).
//!
//! # Parameters
//! `host.link_rate_mb_per_s`, `host.link_latency_ns`, `host.packet_payload_bytes`, `host.packet_header_bytes`

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_params::{declare, number, whole, wire_rate_or};

declare! {
    /// Parameters of one direction of the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LinkSettings in "host." {
        /// Data rate of each direction of the link between host and drive.
        rate as link_rate_mb_per_s: Rate = wire_rate_or("unlimited"),
            unit "MB/s", default "8000", source "Nadig et al., Venice, ISCA 2023, Table 1, §3.1 (PCIe Gen4 x4)";
        /// Time from the end of a message at the sender to its arrival at the receiver, on the link between
        /// host and drive.
        latency as link_latency_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed: MQSim has none";
        /// Maximum payload of a link packet.
        packet_payload_bytes: u32 = whole(1, 65_536), unit "bytes", default "128",
            source "PCI Express; 128 bytes as in MQSim";
        /// Overhead of a link packet in addition to its payload.
        packet_header_bytes: u32 = whole(0, 4096), unit "bytes", default "0",
            source "ours: by default the link's rate is net of packet headers";
    }
}

/// Cost of sending a message of a given length on the link: number of bytes and time. It is stored because
/// its computation needs divisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageCost {
    /// Bytes on the wires, including packet headers.
    bytes: u64,
    time: SimSpan,
}

impl LinkSettings {
    /// Returns the link cost of a message of `bytes` bytes.
    pub fn passage(&self, bytes: u64) -> MessageCost {
        let packets = bytes.div_ceil(u64::from(self.packet_payload_bytes)).max(1);
        let bytes = bytes + packets * u64::from(self.packet_header_bytes);
        MessageCost { bytes, time: self.rate.time_for(bytes) }
    }
}

/// State of one direction of the link.
#[derive(Clone, Copy, Debug)]
pub struct HostLink {
    settings: LinkSettings,
    free_at: SimTime,
    bytes: u64,
    /// Length and link cost of the most recent message. Messages have few different lengths, so the cost is
    /// rarely recomputed.
    last: (u64, MessageCost),
}

impl HostLink {
    /// Creates an idle direction.
    pub fn new(settings: LinkSettings) -> Self {
        Self { settings, free_at: SimTime::ZERO, bytes: 0, last: (0, settings.passage(0)) }
    }

    /// Sends a message of `bytes` bytes after all earlier messages. Returns its arrival time.
    pub fn send(&mut self, bytes: u64, now: SimTime) -> SimTime {
        let passage = self.passage(bytes);
        self.pass(passage, now)
    }

    /// Sends a message of known cost after all earlier messages. Returns its arrival time.
    pub fn pass(&mut self, passage: MessageCost, now: SimTime) -> SimTime {
        self.bytes += passage.bytes;
        let (end, arrival) = self.after(passage, now);
        self.free_at = end;
        arrival
    }

    /// Returns the link cost of a message of `bytes` bytes.
    #[inline]
    pub(super) fn passage(&mut self, bytes: u64) -> MessageCost {
        if bytes != self.last.0 {
            self.last = (bytes, self.settings.passage(bytes));
        }
        self.last.1
    }

    /// Returns the departure and arrival times that a message of this cost would have if it were sent at
    /// `at`.
    pub(super) fn after(&self, passage: MessageCost, at: SimTime) -> (SimTime, SimTime) {
        let end = self.free_at.max(at) + passage.time;
        (end, end + self.settings.latency)
    }

    /// Returns the bytes sent, including packet headers.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: LinkSettings = LinkSettings {
        rate: Rate::from_bytes_per_s(1_000_000_000),
        latency: SimSpan::from_ns(5),
        packet_payload_bytes: 128,
        packet_header_bytes: 0,
    };

    #[test]
    fn messages_follow_each_other_at_the_rate_of_the_link() {
        let mut link = HostLink::new(LINK);
        assert_eq!(link.send(100, SimTime::ZERO), SimTime::from_ps(105_000));
        assert_eq!(link.send(100, SimTime::from_ps(40_000)), SimTime::from_ps(205_000));
        assert_eq!(link.send(1, SimTime::from_ps(900_000)), SimTime::from_ps(906_000));
    }

    #[test]
    fn a_message_takes_as_long_whether_its_passage_was_known_or_not_and_whatever_went_before() {
        let settings = LinkSettings { packet_header_bytes: 28, ..LINK };
        let (mut known, mut new) = (HostLink::new(settings), HostLink::new(settings));
        for bytes in [0, 4096, 4096, 16, 4096] {
            let arrivals =
                (known.pass(settings.passage(bytes), SimTime::ZERO), new.send(bytes, SimTime::ZERO));
            assert_eq!(arrivals.0, arrivals.1);
        }
        assert_eq!(
            (known.bytes(), new.bytes()),
            (15_048, 15_048),
            "three of 4,992, one of 44, and 28 for nothing"
        );
    }

    #[test]
    fn each_packet_pays_for_its_header() {
        let sent = |bytes| {
            let settings = LinkSettings { packet_header_bytes: 28, latency: SimSpan::ZERO, ..LINK };
            HostLink::new(settings).send(bytes, SimTime::ZERO).as_ps()
        };
        assert_eq!(sent(2), 30_000);
        assert_eq!(sent(128), 156_000);
        assert_eq!(sent(129), 185_000);
        assert_eq!(sent(4096), (4096 + 32 * 28) * 1000);
    }
}
