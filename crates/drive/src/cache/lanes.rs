//! Lanes: queues in which writes wait for space in the cache, and their order of access to the DRAM.
//!
//! # What it models
//! With the advanced mechanism, the host queues of a partition share a lane, and all lanes share one DRAM.
//! With the simple mechanism, each host queue has a lane and a DRAM of its own, so that its accesses do not
//! wait for those of other queues.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.mechanism`, `cache.partitions`

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_nand::geometry::{DestageId, remainder};

use super::dram::Dram;
use super::settings::{CacheMechanism, CacheSettings, DramSettings};
use super::write::PendingWrite;

/// Queue of writes that wait for space in the cache, and the DRAM accesses that read the pages evicted for
/// these writes.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteLane {
    /// Writes that wait for destages to end, in order of arrival. Some sectors of the first one may already
    /// be in the cache.
    pub(super) waiting: VecDeque<PendingWrite>,
    /// Evicted pages that wait to be read from the DRAM, in order of eviction.
    pub(super) reading_out: VecDeque<DestageId>,
    /// Number of evicted pages that each pending DRAM access reads. The accesses are in order of their start.
    pub(super) accesses: VecDeque<u32>,
}

/// All write lanes and their DRAMs.
#[derive(Clone, Debug)]
pub(super) struct WriteLanes {
    mechanism: CacheMechanism,
    partitions: u32,
    dram: DramSettings,
    /// DRAMs: one for each host queue with the simple mechanism, otherwise one.
    drams: Vec<Dram>,
    each: Vec<WriteLane>,
    /// Write lane that was served last. The simple mechanism serves the lanes in round-robin order.
    turn: usize,
}

impl WriteLanes {
    /// Creates empty write lanes: one for each partition, or, with the simple mechanism, one for each host
    /// queue.
    pub(super) fn new(settings: &CacheSettings) -> Self {
        Self {
            mechanism: settings.mechanism,
            partitions: settings.partitions,
            dram: settings.dram,
            drams: vec![Dram::new(settings.dram)],
            each: vec![WriteLane::default(); settings.partitions as usize],
            turn: 0,
        }
    }

    /// Returns the cache partition that a host queue uses.
    #[inline]
    pub(super) fn partition_of(&self, queue: u16) -> u32 {
        match self.mechanism {
            CacheMechanism::Advanced => remainder(queue.into(), self.partitions),
            CacheMechanism::Simple => 0,
        }
    }

    /// Returns the write lane of a host queue. The lane is created when it is first used.
    #[inline]
    pub(super) fn lane_of(&mut self, queue: u16) -> usize {
        if self.mechanism == CacheMechanism::Advanced {
            return self.partition_of(queue) as usize;
        }
        let lane = usize::from(queue);
        if lane >= self.each.len() {
            self.each.resize_with(lane + 1, WriteLane::default);
            self.drams.resize(lane + 1, Dram::new(self.dram));
        }
        lane
    }

    #[inline]
    pub(super) fn get_mut(&mut self, lane: usize) -> &mut WriteLane {
        &mut self.each[lane]
    }

    /// Returns the number of write lanes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// Returns the write lane that is served next in round-robin order. Used by the simple mechanism.
    #[inline]
    pub(super) fn next_turn(&mut self) -> usize {
        self.turn = (self.turn + 1) % self.each.len();
        self.turn
    }

    /// Reads or writes `sectors` sectors in the DRAM of a write lane. Returns the end of the access.
    #[inline]
    pub(super) fn access(&mut self, lane: usize, sectors: u64, now: SimTime) -> SimTime {
        let memory = if self.drams.len() == 1 { 0 } else { lane };
        self.drams[memory].access(sectors, now)
    }
}
