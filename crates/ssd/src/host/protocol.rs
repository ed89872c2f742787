//! Which messages a command exchanges over the link.
//!
//! # What it models
//! `direct`: the command goes in, with its data if it is a write, and the completion comes back, with
//! its data if it is a read. `nvme`: the host rings a doorbell, the drive fetches the submission
//! entry, and, for a write, the data; the data of a read and the completion entry come back, and the
//! host rings the completion queue's doorbell. `sata`: the same messages on the one queue of the host's adapter.
//!
//! # What is left out
//! Lists of physical pages (PRP, SGL), interrupts, time in the host's software. One doorbell stands
//! for one command. Frames (FIS) of SATA: its commands take the messages of NVMe, as in MQSim.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; message for message as Tavakkol et al., "MQSim", FAST
//! 2018, counts them.
//!
//! # Parameters
//! `host.protocol` and the numbers of bytes in `[host]`

use venice_requests::Op;

use crate::parameters::{choices, declare, whole};

use super::link::{LinkSettings, Passage};

/// Which messages a command exchanges over the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// One message in, one message out; no rings.
    Direct,
    /// Doorbells, fetched entries, data and completions as messages of their own; a pair of rings for each queue.
    Nvme,
    /// The same messages; one pair of rings for all queues, behind an adapter.
    Sata,
}

choices! {
    Protocol, "protocol": "direct" => Direct, "nvme" => Nvme, "sata" => Sata;
}

/// Messages of a command that have arrived when the drive knows of it and may fetch it.
pub(super) const ANNOUNCED: u8 = 1;
/// Messages that have arrived when the drive has the submission entry.
pub(super) const FETCHED: u8 = 3;

declare! {
    /// Bytes of the messages, packet overheads apart.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MessageSizes in "host." {
        /// Bytes of a doorbell, with `protocol = "nvme"` or `"sata"`.
        doorbell_bytes: u32 = whole(0, 4096), unit "bytes", default "4",
            source "NVM Express: doorbell registers have 32 bits";
        /// Bytes of the drive's request to read the host's memory, with `protocol = "nvme"`.
        read_request_bytes: u32 = whole(0, 4096), unit "bytes", default "4", source "MQSim, PCIe_Link.h";
        /// Link bytes that a command costs besides its data.
        command_bytes: u32 = whole(0, 65_536), unit "bytes", default "64",
            source "NVM Express: a submission queue entry";
        /// Link bytes that a completion costs besides its data.
        completion_bytes: u32 = whole(0, 65_536), unit "bytes", default "16",
            source "NVM Express: a completion queue entry";
    }
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the host to the drive.
    In,
    /// From the drive to the host.
    Out,
}

impl Protocol {
    /// Whether commands and completions lie in rings.
    #[inline]
    pub(super) const fn has_rings(self) -> bool {
        !matches!(self, Self::Direct)
    }

    /// The messages of commands, one after another.
    pub(super) fn scripts(self, sizes: &MessageSizes, link: &LinkSettings) -> Scripts {
        let of =
            |way, bytes: u32| Message { way, bytes, passage: link.passage(bytes.into()), has_data: false };
        let message = |way, bytes| Some(of(way, bytes));
        let command = of(Way::In, sizes.command_bytes);
        let data = Message { has_data: true, ..of(Way::In, 0) };
        let [mut reads, mut writes] = [[None; MOST_MESSAGES]; 2];
        if self.has_rings() {
            let asks = message(Way::Out, sizes.read_request_bytes);
            let fetch = [message(Way::In, sizes.doorbell_bytes), asks, Some(command)];
            reads[..3].copy_from_slice(&fetch);
            writes[..3].copy_from_slice(&fetch);
            writes[3..5].copy_from_slice(&[asks, Some(data)]);
        } else {
            reads[0] = Some(command);
            writes[0] = Some(Message { has_data: true, ..command });
        }
        Scripts(
            [Op::Read, Op::Write, Op::Gather].map(|op| if op.side() == Op::Write { writes } else { reads }),
        )
    }
}

/// Most messages before a command, and a write's data, are in the drive; and one more, which is none.
const MOST_MESSAGES: usize = 6;

/// A message of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) way: Way,
    /// Besides data.
    pub(super) bytes: u32,
    /// Without data.
    pub(super) passage: Passage,
    /// Whether it takes a write's data along.
    pub(super) has_data: bool,
}

/// By operation: a table, because commands in flight are at different steps and no branch would be foreseen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scripts([[Option<Message>; MOST_MESSAGES]; 3]);

impl Scripts {
    /// The message that follows when `step` messages of a command have arrived; none when the
    /// command, and a write's data, are in the drive.
    #[inline]
    pub(super) const fn message(&self, step: u8, op: Op) -> Option<&Message> {
        self.0[op as usize][step as usize].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::{Rate, SimSpan};

    use super::*;

    const SIZES: MessageSizes =
        MessageSizes { command_bytes: 64, completion_bytes: 16, doorbell_bytes: 4, read_request_bytes: 8 };

    const LINK: LinkSettings = LinkSettings {
        rate: Rate::UNLIMITED,
        latency: SimSpan::ZERO,
        packet_payload_bytes: 128,
        packet_header_bytes: 0,
    };

    /// With the bytes of each, 4096 of data among them.
    fn messages(protocol: Protocol, op: Op) -> Vec<(Way, u32)> {
        let scripts = protocol.scripts(&SIZES, &LINK);
        let all = (0..).map_while(|step| scripts.message(step, op));
        all.map(|message| (message.way, message.bytes + if message.has_data { 4096 } else { 0 })).collect()
    }

    #[test]
    fn a_direct_command_is_one_message() {
        assert_eq!(messages(Protocol::Direct, Op::Read), [(Way::In, 64)]);
        assert_eq!(messages(Protocol::Direct, Op::Write), [(Way::In, 64 + 4096)]);
    }

    #[test]
    fn a_command_in_a_ring_is_announced_fetched_and_its_data_fetched() {
        for protocol in [Protocol::Nvme, Protocol::Sata] {
            let fetched = [(Way::In, 4), (Way::Out, 8), (Way::In, 64)];
            assert_eq!(messages(protocol, Op::Read), fetched);
            assert_eq!(messages(protocol, Op::Gather), fetched, "it brings nothing along");
            let data = [(Way::Out, 8), (Way::In, 4096)];
            assert_eq!(messages(protocol, Op::Write), [&fetched[..], &data[..]].concat());
        }
    }
}
