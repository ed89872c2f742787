//! Messages of a command on the link, for each host protocol.
//!
//! # What it models
//! `direct`: the command is sent with its data if it is a write; the completion returns with its data if it
//! is a read. `nvme`: the host rings a doorbell, the drive fetches the submission entry and, for a write, the
//! data; the drive then sends the data of a read and the completion entry, and the host rings the completion
//! queue doorbell. `sata`: the messages of `nvme`, on the single queue of the host's adapter.
//!
//! # What is left out
//! Physical page lists (PRP, SGL), interrupts and time in the host's software are not modelled. Each command
//! has its own doorbell, although NVMe permits one for several commands. SATA commands use the messages of
//! NVMe, as in MQSim, instead of SATA frames (FIS).
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.1; messages as counted by Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `host.protocol` and the message sizes in `[host]`

use venice_params::{choices, declare, whole};

/// Host protocol, which determines the messages of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// One message in each direction, without submission and completion rings.
    Direct,
    /// Separate messages for doorbells, fetched entries, data and completions; one pair of rings per queue.
    Nvme,
    /// SATA: messages of NVMe on one pair of rings for all queues, behind an adapter.
    Sata,
}

choices! {
    Protocol, "protocol": "direct" => Direct, "nvme" => Nvme, "sata" => Sata;
}

declare! {
    /// Sizes of the messages, without packet overhead.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MessageSizes in "host." {
        /// Size of a doorbell, with `protocol = "nvme"` or `"sata"`.
        doorbell_bytes: u32 = whole(0, 4096), unit "bytes", default "4",
            source "NVM Express: doorbell registers have 32 bits";
        /// Size of the message with which the drive requests a read of host memory, with `protocol = "nvme"`
        /// or `"sata"`.
        read_request_bytes: u32 = whole(0, 4096), unit "bytes", default "4", source "MQSim, PCIe_Link.h";
        /// Size of a command on the link, without its data.
        command_bytes: u32 = whole(0, 65_536), unit "bytes", default "64",
            source "NVM Express: a submission queue entry";
        /// Size of a completion on the link, without its data.
        completion_bytes: u32 = whole(0, 65_536), unit "bytes", default "16",
            source "NVM Express: a completion queue entry";
    }
}

/// Bytes of one range in the list of an NVMe dataset management command.
const NVME_RANGE_BYTES: u64 = 16;
/// Bytes of a block in the list of an ATA DATA SET MANAGEMENT command, and its number of ranges.
const ATA_BLOCK_BYTES: u64 = 512;
const ATA_BLOCK_RANGES: u64 = 64;

impl Protocol {
    /// Returns the size of the list of a trim's ranges in bytes. The list crosses the link like the data of a
    /// write.
    #[inline]
    pub(super) const fn range_list_bytes(self, ranges: u64) -> u64 {
        match self {
            Self::Direct | Self::Nvme => ranges * NVME_RANGE_BYTES,
            Self::Sata => ranges.div_ceil(ATA_BLOCK_RANGES) * ATA_BLOCK_BYTES,
        }
    }

    /// True if commands and completions are exchanged through rings in host memory.
    #[inline]
    pub(super) const fn has_rings(self) -> bool {
        !matches!(self, Self::Direct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_list_of_nvme_grows_by_range_and_that_of_ata_by_block() {
        let sizes = |protocol: Protocol| [1, 64, 65, 256].map(|ranges| protocol.range_list_bytes(ranges));
        assert_eq!(sizes(Protocol::Nvme), [16, 1024, 1040, 4096]);
        assert_eq!(sizes(Protocol::Sata), [512, 512, 1024, 2048]);
    }
}
