//! What the data cache is told.

use venice_kernel::{Rate, SimSpan};

use super::below::Below;
use crate::geometry::{Geometry, Lpn, SECTOR_BYTES};
use crate::parameters::{Conflict, LONGEST_NS, choices, declare, names_of, number, one_of, whole};

/// Which data the cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// There is no cache.
    Off,
    /// Written data, until it is on flash.
    Write,
    /// Data that was read from flash.
    Read,
    /// Both.
    ReadWrite,
}

impl CacheMode {
    /// Whether writes are answered once the cache has them.
    pub const fn takes_writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }

    /// Whether data that was read from flash is kept.
    pub const fn keeps_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }
}

/// How long an access of more than a row takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongAccess {
    /// As long as its rows one after another.
    EveryRow,
    /// As long as MQSim takes it to be.
    Mqsim,
}

/// How the cache treats its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMechanism {
    /// Partitions, each with its own room and its own writes that wait; one memory for all.
    Advanced,
    /// A buffer for writes, shared by all; queues whose writes wait take turns, and do not wait for each other at the
    /// memory.
    Simple,
}

choices! {
    CacheMode, "cache mode":
        "off" => Off, "write" => Write, "read" => Read, "read_write" => ReadWrite;
    LongAccess, "length of an access": "every_row" => EveryRow, "mqsim" => Mqsim;
    CacheMechanism, "cache mechanism": "advanced" => Advanced, "simple" => Simple;
}

declare! {
    /// The memory behind the cache, as it is stated.
    pub struct DramParameters in "cache." {
        /// Transfers each second on the memory's data wires.
        dram_rate_mt_per_s: f64 = number(1.0, 1e5), unit "MT/s", default "200",
            source "MQSim, Data_Cache_DRAM_Data_Rate = 100, each of which makes two transfers";
        /// Bytes that the memory moves in a transfer.
        dram_burst_bytes: u32 = whole(1, 4096), unit "bytes", default "1",
            source "MQSim, Data_Cache_DRAM_Data_Busrt_Size = 1";
        /// Bytes of a row of the memory.
        dram_row_bytes: u32 = whole(512, 16_777_216), unit "bytes", default "8192",
            source "MQSim, Data_Cache_DRAM_Row_Size = 8192";
        /// How long an access of more than a row takes.
        ///
        /// `every_row`: its rows one after another. `mqsim`: MQSim's formula, which takes every second row for
        /// nothing and nearly all of what is left over; for comparison with it.
        dram_long_access: LongAccess = one_of::<LongAccess>(), unit "", default "every_row",
            source "ours; MQSim, Data_Cache_Manager_Base.h";
        /// From opening a row to its read or write command (tRCD).
        t_rcd as t_rcd_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tRCD = 13";
        /// From that command to the data (tCL).
        t_cl as t_cl_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tCL = 13";
        /// Closing a row before the next one (tRP).
        t_rp as t_rp_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tRP = 13";
    }
}

declare! {
    /// The data cache: DRAM between the host interface and the flash translation layer.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CacheParameters in "cache." {
        /// Which data the cache keeps.
        ///
        /// `off`: there is no cache. `write`: written data until it is on flash; a write is answered when the cache has
        /// it. `read`: data that was read from flash. `read_write`: both.
        mode: CacheMode = one_of::<CacheMode>(), unit "", default "off",
            source "ours; MQSim, Device_Level_Data_Caching_Mode";
        /// The mode of each address range of `[partition]`, the first one first.
        ///
        /// A range that the list does not reach has `mode`.
        modes: Vec<CacheMode> = names_of::<CacheMode>(), unit "", default "[]",
            source "MQSim, Device_Level_Data_Caching_Mode";
        /// How the cache treats its users.
        ///
        /// `advanced`: parts with their own room, one memory for all. `simple`: a buffer for writes, shared by all queues,
        /// which take turns when it is full and do not wait for each other at the memory.
        mechanism: CacheMechanism = one_of::<CacheMechanism>(), unit "", default "advanced",
            source "MQSim, Caching_Mechanism = ADVANCED";
        /// Size of the cache, in whole pages.
        capacity_bytes: u64 = whole(512, 1_099_511_627_776), unit "bytes", default "268435456",
            source "MQSim, Data_Cache_Capacity = 268435456";
        /// Equal parts of the cache: 1 is shared by all host queues.
        ///
        /// With more, a queue's pages are in the part of its number modulo this.
        partitions: u32 = whole(1, 65_536), unit "parts", default "1",
            source "MQSim, Data_Cache_Sharing_Mode = SHARED";
        /// Pages of each plane that may be on their way from the cache to flash before writes have to wait.
        ///
        /// Counted in sectors, and over all planes together: times the planes of the drive.
        in_flight_pages_per_plane: u32 = whole(1, 1024), unit "pages", default "1",
            source "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one page for each plane";
        /// Windows of time: a page that is written in one for the first time goes to flash at once.
        ///
        /// Written again in the same window, it stays in the cache until its room is needed.
        hot_window as hot_window_ms: SimSpan = whole(10, 1_000_000_000), unit "ms", default "1000",
            source "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one second";
        with dram: DramParameters;
    }
}

impl CacheParameters {
    /// The simple mechanism is a buffer for writes.
    pub(crate) fn conflict(&self) -> Option<Conflict> {
        let keeps_reads = self.mode.keeps_reads() || self.modes.iter().any(|mode| mode.keeps_reads());
        if self.mechanism == CacheMechanism::Advanced || !(keeps_reads || self.partitions > 1) {
            return None;
        }
        let message = if keeps_reads {
            "the `simple` cache is a buffer for writes and keeps nothing that was read".to_owned()
        } else {
            format!("the `simple` cache is shared by all queues and has no {} parts", self.partitions)
        };
        let keys = &["cache.mechanism", "cache.mode", "cache.modes", "cache.partitions"];
        let note =
            "expected: modes `off` and `write` and 1 partition, or the mechanism `advanced`".to_owned();
        Some(Conflict { keys, message, note: Some(note) })
    }
}

/// The memory behind the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramSettings {
    /// Data rate on its wires.
    pub rate: Rate,
    /// Bytes that are transferred at once: an access moves whole bursts.
    pub burst_bytes: u32,
    /// Bytes of a row.
    pub row_bytes: u32,
    /// tRCD: from opening a row to the command that reads or writes it.
    pub t_rcd: SimSpan,
    /// tCL: from that command to the data.
    pub t_cl: SimSpan,
    /// tRP: closing a row before the next one is opened.
    pub t_rp: SimSpan,
    /// What an access of more than a row takes.
    pub long_access: LongAccess,
}

/// The data cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// How it treats its users.
    pub mechanism: CacheMechanism,
    /// Which data it keeps.
    pub mode: CacheMode,
    /// By address range, which data it keeps of it; of one that is not listed, as `mode` says.
    pub modes: Vec<CacheMode>,
    /// Pages it holds, all partitions together.
    pub pages: u32,
    /// Equal parts it is divided into; a host queue has the part of its number modulo this.
    pub partitions: u32,
    /// Sectors on their way to flash from which on a partition takes no further write.
    pub in_flight_sectors: u32,
    /// Windows of time within which a page that is written again counts as hot.
    pub hot_window: SimSpan,
    /// The memory.
    pub dram: DramSettings,
}

impl DramSettings {
    /// What is stated.
    fn of(stated: &DramParameters) -> Self {
        Self {
            rate: Rate::from_mb_per_s(stated.dram_rate_mt_per_s * f64::from(stated.dram_burst_bytes)),
            burst_bytes: stated.dram_burst_bytes,
            row_bytes: stated.dram_row_bytes,
            t_rcd: stated.t_rcd,
            t_cl: stated.t_cl,
            t_rp: stated.t_rp,
            long_access: stated.dram_long_access,
        }
    }
}

impl CacheSettings {
    /// What is stated, in whole pages of a drive of this shape.
    pub fn of(stated: &CacheParameters, geometry: &Geometry) -> Self {
        let plane_sectors = stated.in_flight_pages_per_plane * (geometry.page_bytes / SECTOR_BYTES);
        let in_flight = u64::from(geometry.planes()) * u64::from(plane_sectors);
        Self {
            mechanism: stated.mechanism,
            mode: stated.mode,
            modes: stated.modes.clone(),
            pages: (stated.capacity_bytes / u64::from(geometry.page_bytes)) as u32,
            partitions: stated.partitions,
            in_flight_sectors: u32::try_from(in_flight).unwrap_or(u32::MAX),
            hot_window: stated.hot_window,
            dram: DramSettings::of(&stated.dram),
        }
    }

    /// Whether it takes writes of any address range.
    pub fn takes_writes(&self) -> bool {
        self.mode.takes_writes() || self.modes.iter().any(|mode| mode.takes_writes())
    }

    /// Which data it keeps of an address range.
    #[inline]
    pub fn mode_of(&self, range: usize) -> CacheMode {
        self.modes.get(range).copied().unwrap_or(self.mode)
    }

    /// Which data it keeps of a page.
    #[inline]
    pub(super) fn mode_of_page(&self, lpn: Lpn, below: &impl Below) -> CacheMode {
        if self.modes.is_empty() { self.mode } else { self.mode_of(below.range_of(lpn)) }
    }

    /// Returns how far from `start` on, at most to `end`, all sectors are of one address range, and the mode of that range.
    pub(super) fn same_mode(
        &self,
        start: u64,
        end: u64,
        sectors_per_page: u32,
        below: &impl Below,
    ) -> (u64, CacheMode) {
        if self.modes.is_empty() {
            return (end, self.mode);
        }
        let range = below.range_of(Lpn((start / u64::from(sectors_per_page)) as u32));
        let until = below.address_ranges().nth(range).map_or(end, |range| range.end);
        (until.min(end), self.mode_of(range))
    }
}
