//! The data cache: memory between the host interface and the flash translation layer.
//!
//! # What it models
//! Pages in DRAM, whole or in part. With `write`, a write is answered when the memory has it and goes to
//! flash later; with `read`, data that came from flash is kept; with `read_write`, both. Reads take
//! from the cache what it has, and only the rest from flash. Each address range has a mode of its own.
//!
//! # How
//! - [`slots`]: which pages are here, by logical page, and which was used longest ago.
//! - [`dram`]: one memory, one access at a time.
//! - [`write`](mod@write): taking writes, as long as not too much is on its way to flash.
//! - [`read`]: what a read finds, and keeping what came from flash.
//! - [`destage`]: making room, and writing pages to flash.
//!
//! A page is *clean* (flash has it), *dirty* (it does not) or *being written*. What is being written stays
//! to be found until flash has it, even if its room has been given to another page.
//!
//! # What is left out
//! Loss of power, filling the cache before the run, priorities of the writes to flash.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: its `ADVANCED` cache, with the differences that
//! `docs/models/cache.md` lists.
//!
//! # Parameters
//! `[cache]`

mod destage;
mod dram;
mod read;
mod settings;
mod slots;
mod write;

use std::collections::VecDeque;

use slab::Slab;
use venice_kernel::SimTime;

use crate::ftl::Ftl;
use crate::geometry::{DestageId, Lpn, RequestId, SparseTable};

use destage::Destage;
use dram::Dram;
use slots::Slots;
use write::{PendingWrite, written_pages};

pub use settings::{CacheMechanism, CacheMode, CacheSettings, DramSettings, LongAccess};

/// What happens in the cache at an instant that was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheEvent {
    /// The memory has taken the last of a write, or given all that a read found.
    Served(RequestId),
    /// The pages of this lane that were evicted longest ago have been read from the memory and may go to flash.
    ReadOut(u32),
}

venice_kernel::counters! {
    /// What the cache counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CacheCounters {
        /// Sectors that reads found.
        pub read_hit_sectors: u64,
        /// Sectors that reads had to get from flash.
        pub read_miss_sectors: u64,
        /// Writes of a page, or of part of one, that the cache took.
        pub writes: u64,
        /// Of these, those to a page that it had.
        pub write_hits: u64,
        /// Requests that waited because too much was on its way to flash.
        pub writes_held_up: u64,
        /// Pages that lost their room to others.
        pub evictions: u64,
        /// Pages written to flash.
        pub destages: u64,
    }
}

/// Those who wait together. With the advanced mechanism, a partition; with the simple one, a host queue.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Writes that wait for less to be on its way to flash, the one at work first.
    waiting: VecDeque<PendingWrite>,
    /// Evicted pages that the memory has still to read out, the next one first.
    reading_out: VecDeque<DestageId>,
    /// Of these, how many come with each access, the next one first.
    accesses: VecDeque<u32>,
}

/// The audit learns where writes go to flash past the cache.
fn watch(settings: &CacheSettings, ftl: &mut Ftl) {
    let sectors = u64::from(ftl.translation().sectors_per_page());
    let ranges = ftl.translation().address_ranges().enumerate();
    let passing = ranges.filter(|(range, _)| !settings.mode_of(*range).takes_writes());
    let passing =
        passing.map(|(_, range)| (range.start / sectors) as u32..(range.end / sectors) as u32).collect();
    if let Some(audit) = ftl.audit_mut() {
        audit.watch_cache(passing);
    }
}

/// The data cache of one drive.
#[derive(Clone, Debug)]
pub struct Cache {
    settings: CacheSettings,
    sectors_per_page: u32,
    slots: Slots,
    /// One, or with the simple mechanism one for each host queue.
    drams: Vec<Dram>,
    lanes: Vec<Lane>,
    /// The lane that was served last.
    turn: usize,
    /// By partition: sectors on their way to flash.
    in_flight: Vec<u32>,
    destages: Slab<Destage>,
    /// Pages that were evicted last and that no access to the memory was asked for yet.
    to_read_out: Vec<DestageId>,
    /// First writes of pages, which go to flash at once, of the write that is being taken.
    write_through: Vec<DestageId>,
    /// Logical pages there are.
    pages: usize,
    /// Those that were written in the present window of time, one bit each.
    written: SparseTable<u64>,
    /// When the window ends; none before the first write.
    window_end: Option<SimTime>,
    counters: CacheCounters,
    scheduled: Vec<(SimTime, CacheEvent)>,
}

impl Cache {
    /// An empty cache in front of `ftl`; none if the settings say so.
    pub fn new(settings: &CacheSettings, ftl: &mut Ftl) -> Option<Self> {
        let ranges = ftl.translation().address_ranges().len();
        if (0..ranges).all(|range| settings.mode_of(range) == CacheMode::Off) {
            return None;
        }
        watch(settings, ftl);
        let pages =
            (ftl.translation().capacity_sectors() / u64::from(ftl.translation().sectors_per_page())) as usize;
        Some(Self {
            sectors_per_page: ftl.translation().sectors_per_page(),
            slots: Slots::new(pages, settings.partitions),
            drams: vec![Dram::new(settings.dram)],
            lanes: vec![Lane::default(); settings.partitions as usize],
            turn: 0,
            in_flight: vec![0; settings.partitions as usize],
            destages: Slab::new(),
            to_read_out: Vec::new(),
            write_through: Vec::new(),
            pages,
            written: written_pages(pages),
            window_end: None,
            counters: CacheCounters::default(),
            scheduled: Vec::new(),
            settings: settings.clone(),
        })
    }

    /// What was counted so far.
    pub fn counters(&self) -> &CacheCounters {
        &self.counters
    }

    /// What was scheduled since the last call.
    #[inline]
    pub fn scheduled(&mut self) -> impl Iterator<Item = (SimTime, CacheEvent)> + '_ {
        self.scheduled.drain(..)
    }

    /// Writes all dirty pages to flash, without time.
    pub fn write_all_at_once(&mut self, ftl: &mut Ftl) {
        for (lpn, sectors) in self.slots.take_dirty() {
            ftl.write_at_once(lpn, sectors);
        }
    }

    /// The part of the cache in which a queue's pages have their room.
    #[inline]
    fn partition_of(&self, queue: u16) -> u32 {
        match self.settings.mechanism {
            CacheMechanism::Advanced => u32::from(queue) % self.settings.partitions,
            CacheMechanism::Simple => 0,
        }
    }

    /// Where a queue's writes wait.
    #[inline]
    fn lane_of(&mut self, queue: u16) -> usize {
        if self.settings.mechanism == CacheMechanism::Advanced {
            return self.partition_of(queue) as usize;
        }
        let lane = usize::from(queue);
        if lane >= self.lanes.len() {
            self.lanes.resize_with(lane + 1, Lane::default);
            self.drams.resize(lane + 1, Dram::new(self.settings.dram));
        }
        lane
    }

    /// The memory reads or writes so many sectors for a lane. Returns when it is done.
    #[inline]
    fn access(&mut self, lane: usize, sectors: u64, now: SimTime) -> SimTime {
        let memory = if self.drams.len() == 1 { 0 } else { lane };
        self.drams[memory].access(sectors, now)
    }

    #[inline]
    fn mode_of(&self, lpn: Lpn, ftl: &Ftl) -> CacheMode {
        if self.settings.modes.is_empty() {
            self.settings.mode
        } else {
            self.settings.mode_of(ftl.translation().range_of(lpn))
        }
    }

    fn schedule(&mut self, at: SimTime, event: CacheEvent) {
        self.scheduled.push((at, event));
    }
}
