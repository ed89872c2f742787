//! From warm-up to measurement.
//!
//! # The rule
//!
//! A request belongs to the phase in which the host issues it. The measured phase begins at the instant at
//! which the first request is issued that is no longer warm-up, and ends with the completion of the last such
//! request. What is counted from that instant on belongs to it, whichever request it is for: requests in
//! flight then finish their work in the measured phase, as any drive in steady state has others' work in hand,
//! but their latencies are in neither phase's figures. An array operation counts where it begins, a transfer
//! where its fabric books it; the time for which chips are active is cut at the boundary.

use venice_kernel::{SimSpan, SimTime};

use crate::cache::CacheCounters;
use crate::fabric::{Fabric, FabricCounters};
use crate::ftl::FtlCounters;
use crate::observe::Probe;

use super::Device;

/// What had been counted when the measured phase began.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline {
    ftl: FtlCounters,
    fabric: FabricCounters,
    cache: CacheCounters,
    path_busy: Vec<SimSpan>,
    link_bytes: u64,
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Notices a request about to be issued: is it the first that is measured?
    #[inline]
    pub(super) fn note_issue(&mut self, now: SimTime) {
        if self.probes.recorder.ends_warm_up(self.host.submitted(), now) {
            self.begin_measuring(now);
        }
        self.probes.on_issue(now);
    }

    #[cold]
    fn begin_measuring(&mut self, now: SimTime) {
        self.probes.on_measuring(self.host.submitted(), now);
        self.host.begin_measuring(now);
        self.ftl.queues.begin_measuring(now);
        self.chips.begin_measuring(now);
        self.baseline = Baseline {
            ftl: *self.ftl.counters(),
            fabric: self.fabric.counters(),
            cache: self.cache.as_ref().map(|cache| *cache.counters()).unwrap_or_default(),
            path_busy: self.fabric.path_busy(),
            link_bytes: self.host.link_bytes(),
        };
    }

    /// What the FTL counted in the measured phase.
    pub fn ftl_counters(&self) -> FtlCounters {
        *self.ftl.counters() - self.baseline.ftl
    }

    /// What the fabric counted in the measured phase.
    pub fn fabric_counters(&self) -> FabricCounters {
        self.fabric.counters() - self.baseline.fabric
    }

    /// What the data cache, if there is one, counted in the measured phase.
    pub fn cache_counters(&self) -> Option<CacheCounters> {
        self.cache.as_ref().map(|cache| *cache.counters() - self.baseline.cache)
    }

    /// Time that each of the fabric's paths was in use in the measured phase.
    pub fn path_busy(&self) -> Vec<SimSpan> {
        let mut busy = self.fabric.path_busy();
        for (span, before) in busy.iter_mut().zip(&self.baseline.path_busy) {
            *span = *span - *before;
        }
        busy
    }

    /// Bytes over the host link in the measured phase, both ways.
    pub fn link_bytes(&self) -> u64 {
        self.host.link_bytes() - self.baseline.link_bytes
    }
}
