//! Parameters and settings of the data cache.

use venice_kernel::{Rate, SimSpan};
use venice_nand::geometry::{Geometry, Lpn};
use venice_params::{Conflict, LONGEST_NS, ParameterKind, choices, declare, names_of, number, one_of, whole};
use venice_requests::SECTOR_BYTES;

use super::lower_layer::LowerLayer;

/// Data that the cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// No cache.
    Off,
    /// Written data only, until it is on flash.
    Write,
    /// Data read from flash only.
    Read,
    /// Written data and data read from flash.
    ReadWrite,
}

impl CacheMode {
    /// Returns true if the cache buffers writes. A write then completes when the cache holds its data.
    pub const fn takes_writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }

    /// Returns true if data read from flash is kept in the cache.
    pub const fn keeps_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite)
    }
}

/// Formula for the duration of a DRAM access that crosses rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongAccess {
    /// Sum of the times of all rows that the access covers.
    EveryRow,
    /// Formula of MQSim, which counts the time of only every second row.
    Mqsim,
}

/// Sharing of the cache among host queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMechanism {
    /// Partitions with separate space and separate queues of waiting writes, on one DRAM.
    Advanced,
    /// One write buffer shared by all host queues. Queues whose writes wait for space take turns. DRAM
    /// accesses of different queues do not wait for each other.
    Simple,
}

choices! {
    CacheMode, "cache mode":
        "off" => Off, "write" => Write, "read" => Read, "read_write" => ReadWrite;
    LongAccess, "access length": "every_row" => EveryRow, "mqsim" => Mqsim;
    CacheMechanism, "cache mechanism": "advanced" => Advanced, "simple" => Simple;
}

declare! {
    /// Parameters of the data cache's DRAM.
    pub struct DramParameters in "cache." {
        /// Transfer rate of the cache's DRAM; each transfer moves `dram_burst_bytes`.
        dram_rate_mt_per_s: f64 = number(1.0, 1e5), unit "MT/s", default "200",
            source "MQSim, Data_Cache_DRAM_Data_Rate = 100, each of which makes two transfers";
        /// Number of bytes that the cache's DRAM moves per transfer.
        dram_burst_bytes: u32 = whole(1, 4096), unit "bytes", default "1",
            source "MQSim, Data_Cache_DRAM_Data_Busrt_Size = 1";
        /// Row size of the cache's DRAM.
        dram_row_bytes: u32 = whole(512, 16_777_216), unit "bytes", default "8192",
            source "MQSim, Data_Cache_DRAM_Row_Size = 8192";
        /// Model of the duration of a cache access that covers several DRAM rows.
        ///
        /// `every_row`: the sum of the times of all rows. `mqsim`: MQSim's formula, which omits every second
        /// row and most of the remaining bytes; for comparison with MQSim.
        dram_long_access: LongAccess = one_of::<LongAccess>(), unit "", default "every_row",
            source "ours; MQSim, Data_Cache_Manager_Base.h";
        /// Time from opening a DRAM row to its read or write command (tRCD).
        t_rcd as t_rcd_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tRCD = 13";
        /// Time from a DRAM read or write command to its data (tCL).
        t_cl as t_cl_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tCL = 13";
        /// Time to close a DRAM row before the next one is opened (tRP).
        t_rp as t_rp_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "13", source "MQSim, Data_Cache_DRAM_tRP = 13";
    }
}

declare! {
    /// Parameters of the data cache, a DRAM between the host interface and the flash translation layer.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CacheParameters in "cache." {
        /// Data that the cache keeps.
        ///
        /// `off`: no cache. `write`: written data until it is in flash; a write completes when the cache
        /// holds it. `read`: data read from flash. `read_write`: both.
        mode: CacheMode = one_of::<CacheMode>(), unit "", default "off",
            source "ours; MQSim, Device_Level_Data_Caching_Mode";
        /// Cache mode of each address range of `[partition]`, in order, with the values of `mode`.
        ///
        /// Ranges without an entry use `mode`.
        modes: Vec<CacheMode> = names_of::<CacheMode>(), unit "", default "[]",
            source "MQSim, Device_Level_Data_Caching_Mode";
        /// Sharing of the cache among host queues.
        ///
        /// `advanced`: the cache is divided into `partitions` parts with separate space, which share one
        /// DRAM. `simple`: all queues share one write buffer and take turns when it is full; DRAM
        /// accesses of different queues do not wait for each other.
        mechanism: CacheMechanism = one_of::<CacheMechanism>(), unit "", default "advanced",
            source "MQSim, Caching_Mechanism = ADVANCED";
        /// Size of the cache, rounded to whole pages.
        capacity_bytes: u64 = whole(512, 1_099_511_627_776), unit "bytes", default "268435456",
            source "MQSim, Data_Cache_Capacity = 268435456";
        /// Number of equal partitions of the cache.
        ///
        /// With 1, all host queues share the cache. Otherwise host queue n uses partition n modulo this
        /// value.
        partitions: u32 = whole(1, 65_536), unit "parts", default "1",
            source "MQSim, Data_Cache_Sharing_Mode = SHARED";
        /// Maximum mean number of concurrent programs of cached pages (destages) per plane.
        ///
        /// The limit applies to all planes together: a cache partition may have this value times the number
        /// of planes in progress, on any planes. Further destages wait.
        in_flight_pages_per_plane: u32 = whole(1, 1024), unit "pages", default "1",
            source "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one page for each plane";
        /// Length of the time windows in which the cache distinguishes hot pages from cold ones.
        ///
        /// The first write of a page in a window goes to flash at once, since the page is assumed to be cold.
        /// A page that is written again in the same window stays in the cache until its space is needed.
        hot_window as hot_window_ms: SimSpan = whole(10, 1_000_000_000), unit "ms", default "1000",
            source "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one second";
        /// If true, the cache keeps a page of which it has only some sectors, instead of writing it to
        /// flash.
        ///
        /// The page stays until further writes complete it, its space is needed, or a flush or forced
        /// unit access (FUA) requires its data. Its first completion in a window of `hot_window_ms`
        /// counts as its first write. A page of the cache is a mapping unit.
        coalesce_writes: bool = ParameterKind::Boolean, unit "", default "false",
            source "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: the first write of a page goes to flash at once";
        /// Power-loss protection of the cache, by capacitors.
        ///
        /// If true, a flush completes at once, and forced unit access (FUA) has no effect.
        power_loss_protection: bool = ParameterKind::Boolean, unit "", default "false", source "assumed: a volatile cache";
        /// Read-ahead: amount of data after the end of a sequential read that the drive reads into the cache.
        ///
        /// A read that begins where an earlier read ended is sequential. Data on its way from flash is not read a
        /// second time. With 0, there is no read-ahead.
        read_ahead_bytes: u64 = whole(0, 1 << 30), unit "bytes", default "0", source "ours: none; MQSim has none";
        /// Read-ahead: number of sequential streams of reads that the drive distinguishes.
        ///
        /// A read that continues no stream replaces the least recently used one.
        read_ahead_streams: u32 = whole(1, 64), unit "streams", default "1", source "assumed";
        /// Read-ahead: upper limit of `read_ahead_bytes` while reads of several streams alternate.
        ///
        /// The limit does not apply to a stream if the last `read_ahead_streams` reads all belonged to it.
        read_ahead_shared_bytes: u64 = whole(0, 1 << 30), unit "bytes", default "1073741824",
            source "ours: no limit; 4 KiB on the WD ZN540 (Doekemeijer et al., CLUSTER 2023)";
        /// Read-ahead: time after a host write during which `read_ahead_shared_bytes` limits the amount
        /// read ahead.
        ///
        /// Writes of any address count. With 0, writes do not limit read-ahead.
        read_ahead_after_write as read_ahead_after_write_ms: SimSpan = whole(0, 1_000_000), unit "ms", default "0",
            source "ours: none; more than 12 ms on the WD ZN540 (Doekemeijer et al., CLUSTER 2023)";
        with dram: DramParameters;
    }
}

impl CacheParameters {
    /// Returns an error if `mechanism = "simple"` is combined with a mode other than `write`, or if
    /// read-ahead is on without a cache for its data.
    pub fn conflict(&self) -> Option<Conflict> {
        self.mechanism_conflict().or_else(|| self.read_ahead_conflict())
    }

    /// Returns an error if there is read-ahead, but no cache for its data.
    fn read_ahead_conflict(&self) -> Option<Conflict> {
        let has_cache = self.mode != CacheMode::Off || self.modes.iter().any(|mode| *mode != CacheMode::Off);
        if self.read_ahead_bytes == 0 || (has_cache && self.mechanism == CacheMechanism::Advanced) {
            return None;
        }
        let message = "read-ahead has no data cache in which it could keep its data".to_owned();
        let keys = &["cache.read_ahead_bytes", "cache.mode", "cache.modes", "cache.mechanism"];
        let note =
            "expected: the mechanism `advanced` and a cache mode other than `off`, or read_ahead_bytes = 0";
        Some(Conflict { keys, message, note: Some(note.to_owned()) })
    }

    fn mechanism_conflict(&self) -> Option<Conflict> {
        let keeps_reads = self.mode.keeps_reads() || self.modes.iter().any(|mode| mode.keeps_reads());
        if self.mechanism == CacheMechanism::Advanced || !(keeps_reads || self.partitions > 1) {
            return None;
        }
        let message = if keeps_reads {
            "the mechanism `simple` cannot be combined with a cache mode for reads: it buffers writes only"
                .to_owned()
        } else {
            format!(
                "the mechanism `simple` cannot be combined with {} partitions: all queues share its buffer",
                self.partitions
            )
        };
        let keys = &["cache.mechanism", "cache.mode", "cache.modes", "cache.partitions"];
        let note =
            "expected: modes `off` and `write` and 1 partition, or the mechanism `advanced`".to_owned();
        Some(Conflict { keys, message, note: Some(note) })
    }
}

/// Settings of the data cache's DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramSettings {
    /// Data rate of the DRAM's wires.
    pub rate: Rate,
    /// Bytes per DRAM burst; an access consists of whole bursts.
    pub burst_bytes: u32,
    /// Bytes per DRAM row.
    pub row_bytes: u32,
    /// Time from opening a row to its read or write command (tRCD).
    pub t_rcd: SimSpan,
    /// Time from the read or write command to the data (tCL).
    pub t_cl: SimSpan,
    /// Time to close a row before the next one is opened (tRP).
    pub t_rp: SimSpan,
    /// Model of the duration of an access that crosses rows.
    pub long_access: LongAccess,
}

/// Settings of the data cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// Sharing of the cache among host queues.
    pub mechanism: CacheMechanism,
    /// Data that the cache keeps.
    pub mode: CacheMode,
    /// Mode of each address range; unlisted ranges use `mode`.
    pub modes: Vec<CacheMode>,
    /// Capacity in pages, the sum over all partitions.
    pub pages: u32,
    /// Number of equal partitions. Host queue n uses partition n modulo this value.
    pub partitions: u32,
    /// Limit on the number of sectors being destaged in a partition. While it is reached, further writes to
    /// the partition wait.
    pub in_flight_sectors: u32,
    /// Length of the time windows in which hot pages are detected. A page is hot if it is written again in
    /// the same window.
    pub hot_window: SimSpan,
    /// True if the first write in a time window destages a page only when all sectors of the page are cached.
    /// An incomplete page then stays in the cache until its space is needed.
    pub coalesces_writes: bool,
    /// True if data in the cache survives a loss of power.
    pub power_loss_protection: bool,
    /// Number of sectors after the end of a sequential read that are read ahead; 0 without read-ahead.
    pub read_ahead_sectors: u64,
    /// Maximum number of sectors that are read ahead while reads of several streams alternate.
    pub read_ahead_shared_sectors: u64,
    /// Maximum number of sequential streams of reads that are tracked at the same time.
    pub read_ahead_streams: u32,
    /// Time after a host write during which `read_ahead_shared_sectors` limits read-ahead.
    pub read_ahead_after_write: SimSpan,
    /// Settings of the cache's DRAM.
    pub dram: DramSettings,
}

impl DramSettings {
    /// Converts the declared parameters of the DRAM to settings.
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
    /// Converts the declared parameters to settings. `unit_bytes` is the size of a mapping unit, which is one
    /// page of the cache.
    pub fn of(stated: &CacheParameters, geometry: &Geometry, unit_bytes: u32) -> Self {
        let plane_sectors = stated.in_flight_pages_per_plane * (geometry.page_bytes / SECTOR_BYTES);
        let in_flight = u64::from(geometry.planes()) * u64::from(plane_sectors);
        Self {
            mechanism: stated.mechanism,
            mode: stated.mode,
            modes: stated.modes.clone(),
            pages: (stated.capacity_bytes / u64::from(unit_bytes)) as u32,
            partitions: stated.partitions,
            in_flight_sectors: u32::try_from(in_flight).unwrap_or(u32::MAX),
            hot_window: stated.hot_window,
            coalesces_writes: stated.coalesce_writes,
            power_loss_protection: stated.power_loss_protection,
            read_ahead_sectors: stated.read_ahead_bytes / u64::from(SECTOR_BYTES),
            read_ahead_shared_sectors: stated.read_ahead_shared_bytes / u64::from(SECTOR_BYTES),
            read_ahead_streams: stated.read_ahead_streams,
            read_ahead_after_write: stated.read_ahead_after_write,
            dram: DramSettings::of(&stated.dram),
        }
    }

    /// Returns true if writes to any address range go through the cache.
    pub fn takes_writes(&self) -> bool {
        self.mode.takes_writes() || self.modes.iter().any(|mode| mode.takes_writes())
    }

    /// Returns the mode of an address range.
    #[inline]
    pub fn mode_of(&self, range: usize) -> CacheMode {
        self.modes.get(range).copied().unwrap_or(self.mode)
    }

    #[inline]
    pub(super) fn mode_of_page(&self, lpn: Lpn, lower_layer: &impl LowerLayer) -> CacheMode {
        if self.modes.is_empty() { self.mode } else { self.mode_of(lower_layer.range_of(lpn)) }
    }

    /// Returns the end (exclusive) of the sectors in `start..end` that are in the same address range as
    /// `start`, and the cache mode of this range.
    pub(super) fn same_mode(
        &self,
        start: u64,
        end: u64,
        sectors_per_page: u32,
        lower_layer: &impl LowerLayer,
    ) -> (u64, CacheMode) {
        if self.modes.is_empty() {
            return (end, self.mode);
        }
        let range = lower_layer.range_of(Lpn((start / u64::from(sectors_per_page)) as u32));
        let until = lower_layer.address_ranges().nth(range).map_or(end, |range| range.end);
        (until.min(end), self.mode_of(range))
    }
}
