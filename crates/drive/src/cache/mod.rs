//! Data cache: DRAM between the host interface and the flash translation layer.
//!
//! # What it models
//! The cache holds complete or partial pages in DRAM. In the mode `write`, a write completes when the cache
//! has its data, which is destaged (written to flash) later. In the mode `read`, data read from flash is
//! kept; `read_write` does both. A read takes cached sectors from the cache and the others from flash. Each
//! address range has its own mode.
//!
//! # How
//! - [`LowerLayer`]: interface to the translation layer.
//! - [`slots`]: table of the cached pages, and their order of use.
//! - [`dram`]: access times of the DRAM; [`lanes`]: queues of waiting writes, and their order of access to
//!   the DRAM.
//! - [`write`](mod@write): acceptance of writes, limited by the destages in progress.
//! - [`windows`]: detection of frequently written pages.
//! - [`read`]: cache hits, and storage of data read from flash.
//! - [`read_ahead`]: reads of data that sequential reads will request next.
//! - [`destage`]: eviction and destaging.
//! - [`flush`]: flush commands.
//! - [`trim`]: deallocation of cached pages.
//!
//! A page is *clean* (flash has its data), *dirty* (flash does not) or *being written*. A page being written
//! remains visible to reads until flash has it, even after its eviction.
//!
//! # What is left out
//! Preconditioning of the cache, priorities of destages.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: its `ADVANCED` cache, with the differences listed in
//! `docs/models/cache.md`.
//!
//! # Parameters
//! `[cache]`

mod destage;
mod dram;
mod flush;
mod lanes;
mod lower_layer;
mod read;
mod read_ahead;
mod settings;
mod slots;
mod trim;
mod windows;
mod write;

use std::collections::BTreeMap;

use slab::Slab;
use venice_kernel::SimTime;
use venice_nand::geometry::{DestageId, Lpn, RequestId};

use destage::Destage;
use flush::Flushes;
use lanes::WriteLanes;
use read_ahead::ReadAhead;
use slots::CacheSlots;
use trim::PendingTrim;
use windows::Windows;

pub use lower_layer::LowerLayer;

pub use settings::{
    CacheMechanism, CacheMode, CacheParameters, CacheSettings, DramParameters, DramSettings, LongAccess,
};

/// Event that the cache schedules for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheEvent {
    /// End of a part of a request, such as the DRAM access for its cached sectors or the destage of a page
    /// with forced unit access. The request completes with its last part.
    Served(RequestId),
    /// End of the DRAM access that read the oldest evicted pages of this write lane. Their writes to flash
    /// can start.
    ReadOut(u32),
}

venice_kernel::counters! {
    /// Counters of accesses to the data cache, of evictions and of destages.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CacheCounters {
        /// Sectors that reads found in the cache (hits).
        pub read_hit_sectors: u64,
        /// Sectors that reads did not find in the cache (misses).
        pub read_miss_sectors: u64,
        /// Pages or parts of pages that the host wrote to the cache.
        pub writes: u64,
        /// Pages or parts of pages that the host wrote while the page was cached.
        pub write_hits: u64,
        /// Host writes that waited for destages to end.
        pub writes_held_up: u64,
        /// Pages evicted from the cache.
        pub evictions: u64,
        /// Destages (writes of cached pages to flash).
        pub destages: u64,
        /// Flushes that waited for destages.
        pub flushes_waited: u64,
        /// Pages that were read ahead.
        pub read_ahead_pages: u64,
        /// Pages or parts of pages for which host reads waited while they were read ahead.
        pub read_ahead_waits: u64,
    }
}

/// Informs the audit which address ranges have a cache mode whose writes bypass the cache.
fn watch(settings: &CacheSettings, lower_layer: &mut impl LowerLayer) {
    let sectors = u64::from(lower_layer.sectors_per_page());
    let ranges = lower_layer.address_ranges().enumerate();
    let passing = ranges.filter(|(range, _)| !settings.mode_of(*range).takes_writes());
    let passing =
        passing.map(|(_, range)| (range.start / sectors) as u32..(range.end / sectors) as u32).collect();
    let parts = lower_layer.sectors_per_page() / lower_layer.sectors_per_bit();
    if let Some(audit) = lower_layer.audit_mut() {
        audit.watch_cache(parts, passing);
    }
}

/// Data cache of a drive.
#[derive(Clone, Debug)]
pub struct Cache {
    settings: CacheSettings,
    sectors_per_page: u32,
    /// Number of sectors that each bit of a page's sector mask represents.
    sectors_per_bit: u32,
    slots: CacheSlots,
    lanes: WriteLanes,
    windows: Windows,
    /// Number of sectors being destaged in each partition.
    in_flight: Vec<u32>,
    destages: Slab<Destage>,
    /// Evicted pages whose DRAM read has not been started yet.
    to_read_out: Vec<DestageId>,
    /// Destages of pages of the current write that start at once, concurrently with the write to the cache.
    /// No other destage of these pages is in progress.
    write_through: Vec<DestageId>,
    /// Deallocations that wait until no destage of their page is in progress.
    trims: Vec<PendingTrim>,
    flushes: Flushes,
    /// Read-ahead; `None` if it is off.
    read_ahead: Option<ReadAhead>,
    counters: CacheCounters,
    scheduled: Vec<(SimTime, CacheEvent)>,
}

impl Cache {
    /// Creates an empty cache above `lower_layer`, or `None` if all modes are off.
    pub fn new(settings: &CacheSettings, lower_layer: &mut impl LowerLayer) -> Option<Self> {
        let ranges = lower_layer.address_ranges().len();
        if (0..ranges).all(|range| settings.mode_of(range) == CacheMode::Off) {
            return None;
        }
        watch(settings, lower_layer);
        let sectors = lower_layer.address_ranges().last().map_or(0, |range| range.end);
        let pages = (sectors / u64::from(lower_layer.sectors_per_page())) as usize;
        Some(Self {
            sectors_per_page: lower_layer.sectors_per_page(),
            sectors_per_bit: lower_layer.sectors_per_bit(),
            slots: CacheSlots::new(settings.partitions),
            lanes: WriteLanes::new(settings),
            windows: Windows::new(settings.hot_window, pages),
            in_flight: vec![0; settings.partitions as usize],
            destages: Slab::new(),
            to_read_out: Vec::new(),
            write_through: Vec::new(),
            trims: Vec::new(),
            flushes: Flushes::new(settings.partitions),
            read_ahead: ReadAhead::new(settings),
            counters: CacheCounters::default(),
            scheduled: Vec::new(),
            settings: settings.clone(),
        })
    }

    /// Prefetches data of the pages `lpns` into the CPU cache, to speed up the simulation: the bits that mark
    /// pages as written in the current time window.
    pub fn foresee(&self, lpns: &[Lpn]) {
        self.windows.foresee(lpns);
    }

    /// Returns the counters of the cache.
    pub fn counters(&self) -> &CacheCounters {
        &self.counters
    }

    /// Removes and returns the cache events scheduled since the last call, each with its time.
    #[inline]
    pub fn scheduled(&mut self) -> impl Iterator<Item = (SimTime, CacheEvent)> + '_ {
        self.scheduled.drain(..)
    }

    /// Returns true if data in the cache survives a loss of power.
    pub const fn is_protected(&self) -> bool {
        self.settings.power_loss_protection
    }

    /// Returns the number of sectors in the sector mask `sectors`.
    #[inline]
    const fn count(&self, sectors: u64) -> u32 {
        sectors.count_ones() * self.sectors_per_bit
    }

    /// Returns the number of sectors that each bit of the masks in [`Self::volatile_data`] represents.
    pub const fn sectors_per_bit(&self) -> u32 {
        self.sectors_per_bit
    }

    /// Returns the data that would be lost in a power failure: for each affected logical page, a bit mask of
    /// the sectors that are not on flash.
    pub fn volatile_data(&self) -> BTreeMap<u32, u64> {
        self.slots.volatile().collect()
    }

    /// Returns the number of cached pages whose newest data is not on flash.
    pub fn volatile_pages(&self) -> u64 {
        self.slots.volatile_pages()
    }

    /// Writes all dirty pages of the cache to flash in zero simulated time, as at a clean shutdown.
    pub fn write_all_at_once(&mut self, lower_layer: &mut impl LowerLayer) {
        for (lpn, sectors) in self.slots.take_dirty() {
            lower_layer.write_at_once(lpn, sectors);
        }
    }
}
