//! The data cache: memory between the host interface and the flash translation layer.
//!
//! # What it models
//! Pages in DRAM, whole or in part. With `write`, a write is answered when the memory has it and goes to
//! flash later; with `read`, data that came from flash is kept; with `read_write`, both. Reads take
//! from the cache what it has, and only the rest from flash.
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
use crate::geometry::{DestageId, RequestId, SparseTable};

use destage::Destage;
use dram::Dram;
use slots::Slots;
use write::{PendingWrite, written_pages};

pub use settings::{CacheMode, CacheSettings, DramSettings, LongAccess};

/// What happens in the cache at an instant that was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheEvent {
    /// The memory has taken the last of a write, or given all that a read found.
    Served(RequestId),
    /// This many evicted pages have been read from the memory and may go to flash.
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

/// A host queue's part of the cache.
#[derive(Clone, Debug, Default)]
struct Partition {
    /// Sectors on their way to flash.
    in_flight: u32,
    /// Writes that wait for that to become less, the one at work first.
    waiting: VecDeque<PendingWrite>,
}

/// The data cache of one drive.
#[derive(Clone, Debug)]
pub struct Cache {
    settings: CacheSettings,
    sectors_per_page: u32,
    slots: Slots,
    dram: Dram,
    partitions: Vec<Partition>,
    destages: Slab<Destage>,
    /// Evicted pages that the memory has still to read out, the next one first.
    reading_out: VecDeque<DestageId>,
    /// The last of these that no access to the memory was asked for yet: how many, and their sectors.
    to_read_out: (u32, u64),
    /// First writes of pages, which go to flash at once, of the write that is being taken.
    write_through: Vec<DestageId>,
    /// Logical pages there are.
    pages: usize,
    /// Those that were written in the present window of time, one bit each.
    written: SparseTable<u64>,
    /// When the window ends.
    window_end: SimTime,
    counters: CacheCounters,
    scheduled: Vec<(SimTime, CacheEvent)>,
}

impl Cache {
    /// An empty cache in front of `ftl`; none if the settings say so.
    pub fn new(settings: &CacheSettings, ftl: &mut Ftl) -> Option<Self> {
        if settings.mode == CacheMode::Off {
            return None;
        }
        if let Some(audit) = ftl.audit_mut() {
            audit.watch_cache(!settings.mode.takes_writes());
        }
        if settings.mode.keeps_reads() {
            ftl.remember_blank_pages();
        }
        let pages = (ftl.capacity_sectors() / u64::from(ftl.sectors_per_page())) as usize;
        Some(Self {
            sectors_per_page: ftl.sectors_per_page(),
            slots: Slots::new(pages, settings.partitions),
            dram: Dram::new(settings.dram),
            partitions: vec![Partition::default(); settings.partitions as usize],
            destages: Slab::new(),
            reading_out: VecDeque::new(),
            to_read_out: (0, 0),
            write_through: Vec::new(),
            pages,
            written: written_pages(pages),
            window_end: SimTime::ZERO + settings.hot_window,
            counters: CacheCounters::default(),
            scheduled: Vec::new(),
            settings: *settings,
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

    fn partition_of(&self, queue: u16) -> u32 {
        u32::from(queue) % self.settings.partitions
    }

    fn schedule(&mut self, at: SimTime, event: CacheEvent) {
        self.scheduled.push((at, event));
    }
}
