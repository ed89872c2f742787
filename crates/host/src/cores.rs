//! Processor cores of the host, on which requests are submitted.
//!
//! # What it models
//! The host's software spends processor time on every request: system call, block layer, I/O scheduler, driver,
//! interrupt, and change of process. The cores are a queueing station in front of the host's I/O queue and the
//! drive's queues, with one queue and `host.cores` equal servers. A request takes the core that is free first,
//! in order of issue, for `host.core_request_ns`. With Poisson arrivals the station is an M/D/c queue; in a
//! closed loop it limits the rate to `host.cores` / `host.core_request_ns`.
//!
//! A lock that all cores need, such as that of some I/O schedulers of Linux, is a station of one core.
//!
//! # How
//! All requests take the same time, so they leave the cores in order of issue, and the core that is free first
//! is always the next one in turn.
//!
//! # What is left out
//! The time of a completion is part of its request's time. Processes that share a core take turns for each
//! request; time slices of several milliseconds are not modelled.
//!
//! # Source
//! Ren et al., "BFQ, Multiqueue-Deadline, or Kyber? Performance Characterization of Linux Storage Schedulers in
//! the `NVMe` Era" (ICPE 2024): one core submits some 350,000 requests a second without an I/O scheduler.
//!
//! # Parameters
//! `host.cores`, `host.core_request_ns`

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};

/// Maximum number of cores.
const MOST_CORES: u64 = 4_096;

declare! {
    /// Processor cores of the host, and the time that a request takes there.
    pub struct HostCoreParameters in "host." {
        /// Number of processor cores of the host that submit requests.
        ///
        /// 0: submission takes no time.
        cores: u32 = whole(0, MOST_CORES), unit "cores", default "0", source "ours: MQSim has none";
        /// Time for which a request occupies a core of the host before it goes to the drive.
        core_request as core_request_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
    }
}

/// Cores of the host.
#[derive(Clone, Debug)]
pub(super) struct HostCores {
    request: SimSpan,
    /// Instant at which each core has submitted all requests accepted so far.
    free_at: Vec<SimTime>,
    /// Index of the core that is free first.
    next: usize,
}

impl HostCores {
    /// Creates idle cores. Returns `None` for a host whose requests take no processor time.
    pub(super) fn new(parameters: HostCoreParameters) -> Option<Self> {
        let HostCoreParameters { cores, core_request } = parameters;
        let free_at = vec![SimTime::ZERO; cores as usize];
        (cores > 0 && !core_request.is_zero()).then_some(Self { request: core_request, free_at, next: 0 })
    }

    /// Accepts a request issued at `now`. Returns the instant at which it leaves its core.
    pub(super) fn accept(&mut self, now: SimTime) -> SimTime {
        let free_at = &mut self.free_at[self.next];
        *free_at = now.max(*free_at) + self.request;
        let left = *free_at;
        self.next = (self.next + 1) % self.free_at.len();
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(cores: u32, request_ps: u64) -> Option<HostCores> {
        HostCores::new(HostCoreParameters { cores, core_request: SimSpan::from_ps(request_ps) })
    }

    #[test]
    fn requests_take_the_core_that_is_free_first() {
        let mut two = cores(2, 10).expect("cores");
        let left = [0, 4, 5, 5, 40, 41].map(|at| two.accept(SimTime::from_ps(at)).as_ps());
        assert_eq!(left, [10, 14, 20, 24, 50, 51]);
    }

    #[test]
    fn requests_without_processor_time_need_no_station() {
        assert!(cores(0, 10).is_none() && cores(4, 0).is_none());
    }
}
