//! The data cache: memory between the host interface and the flash translation layer.
//!
//! # What it models
//! Pages in DRAM, whole or in part. With `write`, a write is answered when the memory has it and goes to
//! flash later; with `read`, data that came from flash is kept; with `read_write`, both. Reads take
//! from the cache what it has, and only the rest from flash. Each address range has a mode of its own.
//!
//! # How
//! - [`Below`]: what it asks of the translation layer.
//! - [`slots`]: which pages are here, by logical page, and which was used longest ago.
//! - [`dram`]: one memory, one access at a time; [`lanes`]: whose turn at it is.
//! - [`write`](mod@write): taking writes, as long as not too much is on its way to flash.
//! - [`windows`]: which pages are written often.
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

mod below;
mod destage;
mod dram;
mod lanes;
mod read;
mod settings;
mod slots;
mod windows;
mod write;

use slab::Slab;
use venice_kernel::SimTime;

use crate::geometry::{DestageId, Lpn, RequestId};

use destage::Destage;
use lanes::Lanes;
use slots::Slots;
use windows::Windows;

pub use below::Below;

pub use settings::{
    CacheMechanism, CacheMode, CacheParameters, CacheSettings, DramParameters, DramSettings, LongAccess,
};

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

/// The audit learns where writes go to flash past the cache.
fn watch(settings: &CacheSettings, below: &mut impl Below) {
    let sectors = u64::from(below.sectors_per_page());
    let ranges = below.address_ranges().enumerate();
    let passing = ranges.filter(|(range, _)| !settings.mode_of(*range).takes_writes());
    let passing =
        passing.map(|(_, range)| (range.start / sectors) as u32..(range.end / sectors) as u32).collect();
    if let Some(audit) = below.audit_mut() {
        audit.watch_cache(passing);
    }
}

/// The data cache of one drive.
#[derive(Clone, Debug)]
pub struct Cache {
    settings: CacheSettings,
    sectors_per_page: u32,
    slots: Slots,
    lanes: Lanes,
    windows: Windows,
    /// By partition: sectors on their way to flash.
    in_flight: Vec<u32>,
    destages: Slab<Destage>,
    /// Pages that were evicted last and that no access to the memory was asked for yet.
    to_read_out: Vec<DestageId>,
    /// First writes of pages, which go to flash at once, of the write that is being taken.
    write_through: Vec<DestageId>,
    counters: CacheCounters,
    scheduled: Vec<(SimTime, CacheEvent)>,
}

impl Cache {
    /// An empty cache in front of what lies below; none if the settings say so.
    pub fn new(settings: &CacheSettings, below: &mut impl Below) -> Option<Self> {
        let ranges = below.address_ranges().len();
        if (0..ranges).all(|range| settings.mode_of(range) == CacheMode::Off) {
            return None;
        }
        watch(settings, below);
        let sectors = below.address_ranges().last().map_or(0, |range| range.end);
        let pages = (sectors / u64::from(below.sectors_per_page())) as usize;
        Some(Self {
            sectors_per_page: below.sectors_per_page(),
            slots: Slots::new(settings.partitions),
            lanes: Lanes::new(settings),
            windows: Windows::new(settings.hot_window, pages),
            in_flight: vec![0; settings.partitions as usize],
            destages: Slab::new(),
            to_read_out: Vec::new(),
            write_through: Vec::new(),
            counters: CacheCounters::default(),
            scheduled: Vec::new(),
            settings: settings.clone(),
        })
    }

    /// Requests for these pages will come soon: what is known of their last writes is fetched.
    pub fn foresee(&self, lpns: &[Lpn]) {
        self.windows.foresee(lpns);
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
    pub fn write_all_at_once(&mut self, below: &mut impl Below) {
        for (lpn, sectors) in self.slots.take_dirty() {
            below.write_at_once(lpn, sectors);
        }
    }
}
