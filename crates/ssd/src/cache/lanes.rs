//! Who waits together, and whose turn at the memory it is.
//!
//! # What it models
//! With the advanced mechanism, queues of a partition share a lane, and all lanes one memory. With the simple one, each host queue has
//! a lane and does not wait for the others at the memory.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.mechanism`, `cache.partitions`

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::dram::Dram;
use super::settings::{CacheMechanism, CacheSettings, DramSettings};
use super::write::PendingWrite;
use crate::geometry::{DestageId, remainder};

/// Those who wait together.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    /// Writes that wait for less to be on its way to flash, the one at work first.
    pub(super) waiting: VecDeque<PendingWrite>,
    /// Evicted pages that the memory has still to read out, the next one first.
    pub(super) reading_out: VecDeque<DestageId>,
    /// Of these, how many come with each access, the next one first.
    pub(super) accesses: VecDeque<u32>,
}

/// All lanes, and the memory that they use.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    mechanism: CacheMechanism,
    partitions: u32,
    dram: DramSettings,
    /// One, or with the simple mechanism one for each host queue.
    drams: Vec<Dram>,
    each: Vec<Lane>,
    /// The lane that was served last.
    turn: usize,
}

impl Lanes {
    /// Empty lanes.
    pub(super) fn new(settings: &CacheSettings) -> Self {
        Self {
            mechanism: settings.mechanism,
            partitions: settings.partitions,
            dram: settings.dram,
            drams: vec![Dram::new(settings.dram)],
            each: vec![Lane::default(); settings.partitions as usize],
            turn: 0,
        }
    }

    /// The part of the cache in which a queue's pages have their room.
    #[inline]
    pub(super) fn partition_of(&self, queue: u16) -> u32 {
        match self.mechanism {
            CacheMechanism::Advanced => remainder(queue.into(), self.partitions),
            CacheMechanism::Simple => 0,
        }
    }

    /// Where a queue's writes wait.
    #[inline]
    pub(super) fn lane_of(&mut self, queue: u16) -> usize {
        if self.mechanism == CacheMechanism::Advanced {
            return self.partition_of(queue) as usize;
        }
        let lane = usize::from(queue);
        if lane >= self.each.len() {
            self.each.resize_with(lane + 1, Lane::default);
            self.drams.resize(lane + 1, Dram::new(self.dram));
        }
        lane
    }

    /// A lane.
    #[inline]
    pub(super) fn get_mut(&mut self, lane: usize) -> &mut Lane {
        &mut self.each[lane]
    }

    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// The lane whose turn it is next, with the simple mechanism.
    #[inline]
    pub(super) fn next_turn(&mut self) -> usize {
        self.turn = (self.turn + 1) % self.each.len();
        self.turn
    }

    /// The memory reads or writes so many sectors for a lane. Returns when it is done.
    #[inline]
    pub(super) fn access(&mut self, lane: usize, sectors: u64, now: SimTime) -> SimTime {
        let memory = if self.drams.len() == 1 { 0 } else { lane };
        self.drams[memory].access(sectors, now)
    }
}
