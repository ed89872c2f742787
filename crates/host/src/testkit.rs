//! Hosts and requests for tests, and checks of the contract of host schedulers.

pub mod contract;

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_requests::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};

use crate::{ArbitrationSettings, HostCoreParameters, HostSettings, LinkSettings, MessageSizes, Protocol};

/// Returns the settings of a host with an infinitely fast link, for a drive that accepts any number of
/// requests.
pub fn free_host() -> HostSettings {
    HostSettings {
        link: LinkSettings {
            rate: Rate::UNLIMITED,
            latency: SimSpan::ZERO,
            packet_payload_bytes: 128,
            packet_header_bytes: 0,
        },
        protocol: Protocol::Direct,
        sizes: MessageSizes {
            command_bytes: 0,
            completion_bytes: 0,
            doorbell_bytes: 0,
            read_request_bytes: 0,
        },
        queue_entries: 65_536,
        queue_depth: 65_535,
        drive_depth: u32::MAX,
        arbitration: ArbitrationSettings::default(),
        priorities: Vec::new(),
        scheduler: None,
        adapter_delay: SimSpan::ZERO,
        cores: HostCoreParameters::default(),
        seed: 1,
    }
}

/// Creates a request for whole pages of 4 KiB, issued at `arrival`.
pub fn pages(op: Op, first_page: u64, pages: u32, arrival: SimTime) -> HostRequest {
    let per_page = 4096 / SECTOR_BYTES;
    HostRequest {
        arrival,
        op,
        start_sector: first_page * u64::from(per_page),
        sectors: pages * per_page,
        queue: 0,
        pattern_set: 0,
    }
}

/// Request source that issues a given list of requests.
pub struct Script(std::vec::IntoIter<HostRequest>);

impl Script {
    /// Creates a source that issues `requests` in the given order.
    pub fn new(requests: Vec<HostRequest>) -> Self {
        Self(requests.into_iter())
    }
}

impl RequestSource for Script {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        into.extend(self.0.by_ref().take(at_most));
        Ok(into.len() - before)
    }

    fn label(&self) -> &'static str {
        "script"
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
