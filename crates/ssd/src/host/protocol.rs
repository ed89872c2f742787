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

use crate::parameters::{choices, declare, whole};

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

impl Protocol {
    /// Whether commands and completions lie in rings.
    #[inline]
    pub(super) const fn has_rings(self) -> bool {
        !matches!(self, Self::Direct)
    }
}
