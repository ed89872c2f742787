//! Parameters and settings of the flash translation layer.

use venice_kernel::SimSpan;
use venice_nand::chip::{BadBlockParameters, ProgramScheme};
use venice_nand::geometry::{ChipId, Geometry, MappingUnits, Priority};
use venice_params::{Conflict, ParameterKind, choices, declare, number, one_of, whole};
use venice_requests::SECTOR_BYTES;

use crate::controller::scheduling::{SchedulingChoice, SchedulingSettings};

use super::allocation::{Allocation, AllocationParameters};
use super::bad_blocks::FactoryBadBlocks;
use super::collector::RefreshSettings;
use super::collector::settings::{CollectionParameters, LevellingParameters};
pub(super) use super::collector::settings::{GcTrigger, WearMeasure, WriteFrontiers};
use super::gc::{VictimParameters, VictimPolicy};
use super::gc_destination::{DestinationParameters, GcDestination};
use super::idle::IdleCollectionSettings;
use super::mapper::HostBufferSettings;
use super::reads::ReadSharing;
use super::reads::gathers::settings::GatherSettings;
use super::reads::searches::SearchSettings;
use super::restart::RestartParameters;
use super::scrub::ScrubParameters;
use super::slc_cache::settings::{SlcCacheParameters, SlcCacheSettings};
use super::space::GrownBadBlockSettings;
use super::space::frontiers::OpenBlockCounts;
use super::translation::resources::Resources;
use super::writes::TrimParameters;

/// Content of pages that the host has not written in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwrittenData {
    /// Data from before the run, in the plane that static allocation determines. Reads access flash, and
    /// partial writes first read the old data. The data occupies no block of the simulated drive.
    Present,
    /// No data. Reads still access flash, but partial writes need no read.
    Absent,
    /// No data. The first read of a page maps it to a physical page in the plane that static allocation
    /// determines, as if the requested sectors had been programmed there. MQSim does the same.
    MappedOnRead,
}

/// Choice of the plane to which a read maps a page that was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwrittenPlace {
    /// Plane that would be chosen for a write.
    AsWritten,
    /// Another plane of the same die, as in MQSim with the allocation order DWCP: the plane number is read
    /// from the flow's list of dies instead of its list of planes, or is 0 if the list of dies is shorter. If
    /// the flow does not have this plane, the plane for a write is used.
    PlaneByDie,
}

impl UnwrittenData {
    /// Returns true if a page that was never written has no data that a partial write must keep.
    #[inline]
    pub const fn is_absent(self) -> bool {
        !matches!(self, Self::Present)
    }
}

/// Time at which a physical page is allocated to a write and the map changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAllocation {
    /// The page is allocated when the program starts.
    AtStart,
    /// The page is allocated when the write is added to its die's queue. Programs of a block start in page
    /// order.
    AtArrival,
    /// The page is allocated when the write is added to its die's queue. Programs of a block start in any
    /// order, as in MQSim.
    AtArrivalAnyOrder,
}

impl PageAllocation {
    /// Returns true if pages are allocated before their programs start.
    #[inline]
    pub const fn is_early(self) -> bool {
        !matches!(self, Self::AtStart)
    }
}

/// Addresses at which a request is divided into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCuts {
    /// Page boundaries of the simulated drive.
    Pages,
    /// Page boundaries of MQSim's device. There, the first sector of a flow need not be the first sector of a
    /// page.
    Device,
}

/// Representation of the sectors that a host request covers in a page. It applies to pages that are
/// overwritten, or read before their first write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorSets {
    /// Exactly the sectors that the request covers.
    Exact,
    /// Mask of 64 bits as in MQSim. Bits may stand for sectors beyond the end of the page, and a page of 64
    /// sectors has an empty mask.
    Shifted,
}

/// Data sent to the chip when a page is partially overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateTransfer {
    /// The whole page. The controller merges the old sectors, which it has read, with the new ones.
    Merged,
    /// Only the new sectors, as in MQSim.
    NewSectors,
}

/// Priority class of the internal transactions of a host request. These are reads of sectors that a partial
/// write does not cover, and writes of pages evicted from the data cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUpClass {
    /// Priority class of the host request.
    Own,
    /// Priority class high, as in MQSim.
    High,
}

impl FollowUpClass {
    /// Returns the priority class of the internal transactions of a host request. `own` is the priority class
    /// of the request.
    #[inline]
    pub(super) const fn of(self, own: Priority) -> Priority {
        match self {
            Self::Own => own,
            Self::High => Priority::High,
        }
    }
}

/// Handling of dirty map entries that are evicted from the cached mapping table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingWriteBack {
    /// The translation page of a dirty entry is read and programmed again.
    Flash,
    /// The translation page of a dirty entry is read, and stays in memory from then on, as in MQSim.
    ReadOnly,
}

/// Sharing of the cached mapping table among address ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSharing {
    /// One table for all address ranges.
    Shared,
    /// A separate, equal part of the table for each address range.
    Equal,
    /// A separate table of the full size for each address range.
    Whole,
}

/// Settings of a map that is only partly in the controller's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedMapping {
    /// Number of entries in memory, at least one.
    pub table_entries: u32,
    /// Number of entries in a translation page, at least one.
    pub entries_per_page: u32,
    /// Number of bytes in an entry of a translation page.
    pub page_entry_bytes: u32,
    /// Handling of dirty entries that are evicted from the table.
    pub write_back: MappingWriteBack,
    /// Sharing of the table among address ranges.
    pub sharing: TableSharing,
}

impl CachedMapping {
    /// Returns the number of translation pages for `logical_pages` logical pages.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        logical_pages.div_ceil(self.entries_per_page)
    }
}

/// Location of the logical-to-physical map: in memory, or partly on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingMode {
    /// The whole map is in memory.
    Ideal,
    /// A part of the map is in memory. A look-up of an entry that is not in memory reads flash.
    Cached,
}

choices! {
    MappingMode, "mapping": "ideal" => Ideal, "cached" => Cached;
    MappingWriteBack, "write-back mode of the map": "flash" => Flash, "read_only" => ReadOnly;
    TableSharing, "sharing mode of the table": "shared" => Shared, "equal" => Equal, "whole" => Whole;
    PageAllocation, "time of page allocation":
        "at_start" => AtStart,
        "at_arrival" => AtArrival,
        "at_arrival_any_order" => AtArrivalAnyOrder;
    PageCuts, "boundary of request splitting": "pages" => Pages, "device" => Device;
    SectorSets, "kind of sector sets": "exact" => Exact, "shifted" => Shifted;
    UpdateTransfer, "transfer of an update": "merged" => Merged, "new_sectors" => NewSectors;
    FollowUpClass, "class of internal transactions": "own" => Own, "high" => High;
    UnwrittenData, "kind of unwritten data":
        "present" => Present, "absent" => Absent, "mapped_on_read" => MappedOnRead;
    UnwrittenPlace, "placement of unwritten data": "as_written" => AsWritten, "plane_by_die" => PlaneByDie;
}

declare! {
    /// Parameters of the logical-to-physical map.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MappingParameters in "ftl." {
        /// Location of the logical-to-physical map, which determines the cost of a look-up.
        ///
        /// `ideal`: the whole map is in memory, and look-ups take no time. `cached`: a part of the map is
        /// in memory. The map is stored in flash pages of every plane, from which missing entries are
        /// read.
        mode as mapping: MappingMode = one_of::<MappingMode>(), unit "", default "ideal",
            source "MQSim, Ideal_Mapping_Table; Gupta et al., DFTL, ASPLOS 2009";
        /// Memory for the cached part of the map, for `mapping = "cached"`.
        ///
        /// All `mapping_` parameters apply only to this mode.
        table_bytes as mapping_table_bytes: u64 = whole(1, 1 << 40), unit "bytes", default "2097152",
            source "MQSim, CMT_Capacity = 2 MiB";
        /// Sharing of the cached table among address ranges.
        ///
        /// `shared`: one table for all ranges. `equal`: a separate, equal part for each range. `whole`: a
        /// separate table of the full size for each range.
        table_sharing as mapping_table_sharing: TableSharing = one_of::<TableSharing>(), unit "", default "shared",
            source "ours; MQSim, CMT_Sharing_Mode, whose SHARED makes a whole table for each flow";
        /// Size of a logical page's entry in the cached table.
        table_entry_bytes as mapping_table_entry_bytes: u32 = whole(1, 512), unit "bytes", default "9",
            source "MQSim, Address_Mapping_Unit_Page_Level.cpp: both page numbers and a bit for each sector";
        /// Size of a logical page's entry in a translation page on flash.
        page_entry_bytes as mapping_page_entry_bytes: u32 = whole(1, 512), unit "bytes", default "6",
            source "MQSim, Address_Mapping_Unit_Page_Level.cpp: a page number and a bit for each sector";
        /// Host memory buffer for the map: memory of the host that holds a further part of the map.
        ///
        /// A look-up that misses the cached table reads the host's memory in a round trip over the link,
        /// or flash if the entry is not there either. The buffer holds sectors of translation pages, and
        /// evicts the least recently used sector. 0: no buffer.
        host_buffer_bytes as mapping_host_memory_buffer_bytes: u64 = whole(0, 1 << 40), unit "bytes", default "0",
            source "ours: none; NVM Express 2.0, host memory buffer; 64 MiB in client drives";
        /// Handling of dirty map entries that are evicted from the cached table.
        ///
        /// `flash`: the translation page is read, changed and programmed. `read_only`: the translation page
        /// is read once and then stays in memory; entries of pages that are read before their first write
        /// count as dirty.
        write_back as mapping_writeback: MappingWriteBack = one_of::<MappingWriteBack>(), unit "", default "flash",
            source "Gupta et al., DFTL, ASPLOS 2009 (flash); MQSim, which never programs them (read_only)";
    }
}

impl MappingParameters {
    /// Returns an error if the cached table would have no entry for one of `ranges` address ranges.
    pub fn conflict(&self, ranges: u32) -> Option<Conflict> {
        let (table, entry) = (self.table_bytes, self.table_entry_bytes);
        let parts = if self.table_sharing == TableSharing::Equal { ranges } else { 1 };
        let least = u64::from(entry) * u64::from(parts);
        if self.mode == MappingMode::Ideal || table >= least {
            return None;
        }
        let message = match parts {
            1 => format!("the mapping cache has {table} bytes, but one entry takes {entry}"),
            _ => format!(
                "the mapping cache has {table} bytes for {parts} partitions, but one entry takes {entry}"
            ),
        };
        let keys = &["ftl.mapping_table_bytes", "ftl.mapping_table_entry_bytes", "ftl.mapping"];
        Some(Conflict { keys, message, note: Some(format!("expected: at least {least} bytes")) })
    }

    /// Returns the settings of the host memory buffer, which is read in the time `round_trip`, if the drive has one.
    pub fn host_buffer(&self, round_trip: SimSpan) -> Option<HostBufferSettings> {
        let segments = u32::try_from(self.host_buffer_bytes / u64::from(SECTOR_BYTES)).unwrap_or(u32::MAX);
        let is_used = self.mode == MappingMode::Cached && segments > 0;
        let entries_per_segment = (SECTOR_BYTES / self.page_entry_bytes).max(1);
        is_used.then_some(HostBufferSettings { segments, entries_per_segment, round_trip })
    }

    /// Returns the location of the map (in memory, or partly on flash) and the sizes of its parts, for pages
    /// of `page_bytes` bytes. The number of entries saturates at `u32::MAX`.
    pub fn costs(&self, page_bytes: u32) -> Mapping {
        let entries = self.table_bytes / u64::from(self.table_entry_bytes);
        match self.mode {
            MappingMode::Ideal => Mapping::Ideal,
            MappingMode::Cached => Mapping::Cached(CachedMapping {
                table_entries: u32::try_from(entries).unwrap_or(u32::MAX),
                entries_per_page: page_bytes / self.page_entry_bytes,
                page_entry_bytes: self.page_entry_bytes,
                write_back: self.write_back,
                sharing: self.table_sharing,
            }),
        }
    }
}

/// Location of the logical-to-physical map, with the sizes of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// The whole map is in memory.
    Ideal,
    /// A part of the map is in memory. A look-up of an entry that is not in memory reads flash.
    Cached(CachedMapping),
}

impl Mapping {
    /// Returns the number of translation pages for `logical_pages` logical pages; 0 if the whole map is in
    /// memory.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        match self {
            Self::Ideal => 0,
            Self::Cached(cached) => cached.translation_pages(logical_pages),
        }
    }
}

declare! {
    /// Parameters of the flash translation layer.
    pub struct FtlParameters in "ftl." {
        /// Share of the raw pages that the host cannot address.
        over_provisioning_pct: f64 = number(0.0, 90.0), unit "%", default "7",
            source "MQSim, Overprovisioning_Ratio = 0.07";
        /// Size of a mapping unit, the unit of the logical-to-physical map.
        ///
        /// 0 stands for `flash.page_bytes`. A unit smaller than a page must divide the page size; such
        /// units are packed into pages in the order of their writes. A unit of several pages lies in
        /// consecutive pages of a block.
        mapping_unit_bytes: u32 = ParameterKind::Integer { min: 0, max: 65_536, step: 512 }, unit "bytes", default "0",
            source "ours (the page); client and enterprise drives map 4 KiB within pages of 16 KiB; storage-next maps 512 B";
        /// Maximum time that mapping units wait in the controller for further units to fill their page.
        ///
        /// After this time, the page is queued for its die. It accepts further units until its program
        /// starts. Applies to `mapping_unit_bytes` smaller than a page, and to pages that are programmed
        /// together (`flash.program_pages`). With 0, a page is queued with its first unit. This time also
        /// limits the wait of a full page for pages in other planes (`program_min_planes`).
        page_fill_wait_us: SimSpan = number(0.0, 1e6), unit "µs", default "100", source "assumed: a fast program";
        /// Minimum number of planes of a die with a full page of host data before the pages are queued for the die.
        ///
        /// At most `flash.planes_per_die`. A page waits for other planes for at most `page_fill_wait_us`, and not at
        /// all if this is 0. Flushes and writes with forced unit access end the wait of all pages.
        program_min_planes: u32 = whole(1, 16), unit "planes", default "1", source "ours: a full page does not wait";
        /// Joining of reads of mapping units that are in the same page.
        ///
        /// For a joined read, the page is sensed once, and its mapping units are transferred together.
        /// `all`: a read joins any waiting read of its page. `request`: it joins only reads of the same
        /// host request, so that each request has separate flash commands. Applies to
        /// `mapping_unit_bytes` smaller than a page.
        read_sharing: ReadSharing = one_of::<ReadSharing>(), unit "", default "all", source "ours";
        /// Size of a codeword of the error correction. Reads transfer whole codewords, since each is decoded
        /// as a whole.
        ///
        /// A transfer is at most a page. 0: only the sectors that are needed. Transfers of garbage collection
        /// and of translation pages are whole mapping units in any case.
        read_codeword_bytes: u32 = ParameterKind::Integer { min: 0, max: 65_536, step: 512 }, unit "bytes", default "0",
            source "MQSim: only the sectors that are needed; codewords of 1 to 4 KiB in real drives";
        with allocation: AllocationParameters;
        with scheduling: SchedulingChoice;
        with mapping: MappingParameters;
        /// Time at which a write is assigned its physical page and the map changes.
        ///
        /// `at_start`: when its die starts the program. `at_arrival`: when it joins the die's queue; programs
        /// of a block start in page order. `at_arrival_any_order`: when it joins the die's queue; programs
        /// start in any order, which real flash does not permit.
        page_allocation: PageAllocation = one_of::<PageAllocation>(), unit "", default "at_start",
            source "ours (at_start); MQSim, Address_Mapping_Unit_Page_Level.cpp (at_arrival_any_order)";
        /// Addresses at which requests are divided into pages, for runs of MQSim's files.
        ///
        /// `pages`: page boundaries of the simulated drive. `device`: page boundaries of MQSim's device,
        /// where a flow need not begin at a page boundary.
        page_cuts: PageCuts = one_of::<PageCuts>(), unit "", default "pages",
            source "ours (pages); MQSim, Host_Interface_NVMe.cpp (device)";
        /// Representation of the sectors that a request covers in a page.
        ///
        /// `exact`: the covered sectors. `shifted`: MQSim's mask of 64 bits, in which a request for all 64
        /// sectors of a page covers none, and in which sectors may lie beyond the end of their page with
        /// `page_cuts = "device"`. The setting applies to pages that are overwritten, or read before their
        /// first write. The data cache always uses exact sets.
        sector_sets: SectorSets = one_of::<SectorSets>(), unit "", default "exact",
            source "ours (exact); MQSim, Host_Interface_NVMe.cpp (shifted)";
        /// Data sent to the chip for a write that covers only a part of a page.
        ///
        /// `merged`: the whole page, including the old sectors, which were read. `new_sectors`: only the
        /// written sectors, although the programmed page also holds the old ones.
        update_transfer: UpdateTransfer = one_of::<UpdateTransfer>(), unit "", default "merged",
            source "ours (merged); MQSim, Address_Mapping_Unit_Page_Level.cpp (new_sectors)";
        /// Priority class of the internal transactions of a host request, for scheduling policies with
        /// classes.
        ///
        /// These transactions are reads of sectors that a partial write does not cover, and writes of pages
        /// evicted from the data cache. `own`: the class of the request. `high`: high for every request.
        follow_up_class: FollowUpClass = one_of::<FollowUpClass>(), unit "", default "own",
            source "ours (own); MQSim, Address_Mapping_Unit_Page_Level.cpp, TSU_Priority_OutOfOrder.cpp (high)";
        /// Number of streams of host writes.
        ///
        /// Each stream fills separate blocks in every plane. The stream of a write is the number of its host
        /// queue modulo this value. Without a free block, streams share the open blocks.
        write_streams: u32 = whole(1, 256), unit "streams", default "1",
            source "ours; MQSim, Flash_Block_Manager.cpp: one for each flow";
        /// Content of pages that the host has not written in this run.
        ///
        /// `present`: data from before the run, in the plane that static allocation determines; a partial
        /// write reads it first. `absent`: no data. `mapped_on_read`: no data until the first read of a page,
        /// which maps it to a physical page of that plane at no cost, as if the read sectors had been
        /// written.
        unwritten_data: UnwrittenData = one_of::<UnwrittenData>(), unit "", default "present",
            source "ours; MQSim, Address_Mapping_Unit_Page_Level.cpp (mapped_on_read)";
        /// Plane to which `unwritten_data = "mapped_on_read"` maps a page.
        ///
        /// `as_written`: the plane that would be chosen for a write. `plane_by_die`: MQSim's choice with the
        /// allocation order DWCP, which takes the plane number from the flow's list of dies instead of its
        /// list of planes (0 if the list of dies is shorter). If the flow does not have this plane, the plane
        /// for a write is used.
        unwritten_place: UnwrittenPlace = one_of::<UnwrittenPlace>(), unit "", default "as_written",
            source "ours (as_written); MQSim, Address_Mapping_Unit_Page_Level.cpp, with DWCP (plane_by_die)";
        /// Parity across dies (RAIN): number of data units per parity unit.
        ///
        /// A unit is a program unit. The N data units of a stripe and its parity unit are on N + 1 dies, at
        /// the same position of a superblock. One die in each group of N + 1 dies contains only parity, so
        /// that the capacity is N/(N + 1) of that without parity. With 0, there is no parity. Requires
        /// `placement = "superblock"`, and a number of dies that N + 1 divides.
        rain_data_units: u32 = whole(0, 255), unit "units", default "0",
            source "ours: no parity; Micron, RAIN (2013): 7 or 15 data elements in typical drives";
        with trim: TrimParameters;
        with scrub: ScrubParameters;
        with restart: RestartParameters;
        with collection: CollectionParameters;
        with wear: LevellingParameters;
        with slc: SlcCacheParameters;
    }
}

/// Settings of other modules that the flash translation layer needs.
#[derive(Clone, Debug)]
pub struct FtlContext {
    /// Geometry of the drive.
    pub geometry: Geometry,
    /// Weights of the priority classes high, medium and low.
    pub weights: [u32; 3],
    /// Channels, ways, dies and planes of each address range.
    pub partitions: Vec<Resources>,
    /// Chips that are unreachable from the start of the run.
    pub lost_chips: Vec<ChipId>,
    /// Settings of gathers, which combine pages from several chips on one chip.
    pub gather: GatherSettings,
    /// Settings of searches, which look for patterns in pages.
    pub search: SearchSettings,
    /// Number of pages that chips program together.
    pub program_pages: u32,
    /// Bad blocks of the chips.
    pub bad_blocks: BadBlockParameters,
    /// Number of passes in which word lines are programmed.
    pub program_scheme: ProgramScheme,
    /// Time of a read of the host's memory: a round trip over the link.
    pub host_round_trip: SimSpan,
    /// Seed of the run.
    pub seed: u64,
}

/// Settings of the flash translation layer.
#[derive(Clone, Debug, PartialEq)]
pub struct FtlSettings {
    /// Share of the raw pages that the host cannot address, from 0 to 1.
    pub over_provisioning_ratio: f64,
    /// Size of the mapping units, relative to pages.
    pub units: MappingUnits,
    /// Number of passes in which word lines are programmed.
    pub program_scheme: ProgramScheme,
    /// Maximum time that mapping units wait for further mapping units to fill their page.
    pub page_fill_wait: SimSpan,
    /// Minimum number of planes of a die with a full page of host data before the pages are queued.
    pub program_min_planes: u32,
    /// Reads of mapping units in one page that are served by one array operation.
    pub read_sharing: ReadSharing,
    /// Size of a codeword in bytes. Each transfer of a read consists of whole codewords; with 0, only the
    /// requested sectors are transferred.
    pub read_codeword_bytes: u32,
    /// Location of the map, in memory or partly on flash.
    pub mapping: Mapping,
    /// Host memory buffer for the map, if the drive has one.
    pub host_buffer: Option<HostBufferSettings>,
    /// Choice of the plane to which a page is written.
    pub allocation: Allocation,
    /// Time at which physical pages are allocated.
    pub page_allocation: PageAllocation,
    /// Distance, in sectors, between an address at which requests are divided and the end of the page that
    /// contains it, for each address range. Empty if requests are divided at the ends of pages.
    pub page_cuts: Vec<u32>,
    /// Representation of the sectors that a host request covers in a page.
    pub sector_sets: SectorSets,
    /// Data sent to the chip when a page is partially overwritten.
    pub update_transfer: UpdateTransfer,
    /// Priority class of the internal transactions of a host request.
    pub follow_up_class: FollowUpClass,
    /// Separation of host writes and pages moved by garbage collection into different blocks.
    pub write_frontiers: WriteFrontiers,
    /// Number of streams of host writes, at least one. Each stream has separate open blocks. Host queue n
    /// writes to stream n modulo this value.
    pub write_streams: u16,
    /// Scheduling policy of transactions.
    pub scheduling: SchedulingSettings,
    /// Channels, ways, dies and planes of each address range. Empty for one range on the whole drive.
    pub partitions: Vec<Resources>,
    /// Chips that are unreachable from the start of the run. No address range uses them.
    pub lost_chips: Vec<ChipId>,
    /// Content of pages that the host has not written in this run.
    pub unwritten_data: UnwrittenData,
    /// Choice of the plane to which a read maps a page that was never written.
    pub unwritten_place: UnwrittenPlace,
    /// Number of data units for each parity unit; 0 without parity.
    pub rain_data_units: u32,
    /// Parameters of trims.
    pub trim: TrimParameters,
    /// Parameters of a restart after a loss of power.
    pub restart: RestartParameters,
    /// Victim policy of garbage collection.
    pub victim: VictimPolicy,
    /// Parameters of each victim policy.
    pub victim_parameters: VictimParameters,
    /// Start threshold of garbage collection (GC): number of free blocks in a plane below which GC starts.
    pub gc_start_free_blocks: u32,
    /// Trigger of garbage collection.
    pub gc_trigger: GcTrigger,
    /// Garbage collection in idle time; `None` if there is none.
    pub gc_idle: Option<IdleCollectionSettings>,
    /// Write stop threshold: number of free blocks in a plane below which its host writes wait for a GC in
    /// progress.
    pub gc_stop_free_blocks: u32,
    /// True if GC commands wait for host commands of their die while the plane is not below the hard
    /// threshold.
    pub gc_yields_to_host: bool,
    /// Hard threshold: number of free blocks in a plane below which GC precedes host commands.
    pub gc_hard_free_blocks: u32,
    /// Maximum number of pages of a victim that are moved at the same time.
    pub gc_moves_in_flight: u32,
    /// True if pages are moved by copyback, inside their plane and without crossing the fabric.
    pub gc_copyback: bool,
    /// Destination policy for moved pages.
    pub gc_destination: GcDestination,
    /// Parameters of each destination policy.
    pub destination_parameters: DestinationParameters,
    /// Settings of gathers, which combine pages from several chips on one chip.
    pub gather: GatherSettings,
    /// Settings of searches, which look for patterns in pages.
    pub search: SearchSettings,
    /// True if a plane opens its least worn free block next, false if it opens the free block that was erased
    /// first.
    pub dynamic_wear_levelling: bool,
    /// Minimum difference between the erase counts of a plane at which static wear levelling moves a block;
    /// `None` if it is off.
    pub static_wear_levelling: Option<u32>,
    /// Measure of wear by which static wear levelling compares blocks.
    pub wear_measure: WearMeasure,
    /// Settings of the pSLC cache; `None` for a drive without one.
    pub slc: Option<SlcCacheSettings>,
    /// Factory bad blocks.
    pub bad_blocks: FactoryBadBlocks,
    /// Number of reads after which the data of a block is moved (read reclaim); 0 for never.
    pub read_reclaim_reads: u32,
    /// Refresh of old data and of data with many bit errors.
    pub refresh: RefreshSettings,
    /// Number of pages that scrub reads per second; 0 for a drive without scrub.
    pub scrub_pages_per_s: f64,
    /// Failures of erases; `None` if erases always succeed.
    pub grown_bad_blocks: Option<GrownBadBlockSettings>,
    /// Seed of all random choices of the flash translation layer.
    pub seed: u64,
}

impl FtlParameters {
    fn units(&self, geometry: &Geometry, program_pages: u32) -> MappingUnits {
        MappingUnits::of(self.mapping_unit_bytes, geometry.page_bytes).programmed_in(program_pages)
    }
}

impl FtlSettings {
    /// Returns true if blocks may be collected for read reclaim or refresh, although their data is valid.
    pub fn has_due_blocks(&self) -> bool {
        self.read_reclaim_reads > 0 || self.refresh.is_some()
    }

    /// Converts the declared parameters of the flash translation layer to settings. `context` holds the
    /// settings of other modules that it needs.
    pub fn of(stated: &FtlParameters, context: FtlContext) -> Self {
        let FtlParameters { collection, wear, .. } = stated;
        let geometry = context.geometry;
        let units = stated.units(&geometry, context.program_pages);
        Self {
            mapping: stated.mapping.costs(units.slots(&geometry).page_bytes),
            host_buffer: stated.mapping.host_buffer(context.host_round_trip),
            units,
            program_scheme: context.program_scheme,
            page_fill_wait: stated.page_fill_wait_us,
            program_min_planes: stated.program_min_planes,
            read_sharing: stated.read_sharing,
            read_codeword_bytes: stated.read_codeword_bytes,
            over_provisioning_ratio: stated.over_provisioning_pct / 100.0,
            allocation: stated.allocation.allocation(),
            page_allocation: stated.page_allocation,
            // Only the flows of MQSim's files begin inside a page; the reader of these files sets this field.
            page_cuts: Vec::new(),
            sector_sets: stated.sector_sets,
            update_transfer: stated.update_transfer,
            follow_up_class: stated.follow_up_class,
            write_streams: stated.write_streams as u16,
            scheduling: SchedulingSettings::of(&stated.scheduling, context.weights),
            partitions: context.partitions,
            lost_chips: context.lost_chips,
            unwritten_data: stated.unwritten_data,
            unwritten_place: stated.unwritten_place,
            rain_data_units: stated.rain_data_units,
            trim: stated.trim,
            restart: stated.restart,
            victim: collection.victim,
            victim_parameters: collection.victim_parameters,
            gc_start_free_blocks: collection.start_free_blocks(geometry.blocks_per_plane),
            gc_trigger: collection.gc_trigger,
            gc_idle: collection.idle(geometry.blocks_per_plane),
            gc_stop_free_blocks: collection.gc_stop_free_blocks,
            read_reclaim_reads: collection.read_reclaim_reads,
            refresh: collection.refresh.settings(),
            scrub_pages_per_s: stated.scrub.scrub_pages_per_s,
            gc_yields_to_host: collection.gc_yields_to_host,
            gc_hard_free_blocks: collection.hard_free_blocks(geometry.blocks_per_plane),
            gc_moves_in_flight: collection.gc_moves_in_flight,
            gc_copyback: collection.gc_copyback,
            gc_destination: collection.gc_destination,
            destination_parameters: collection.destination_parameters,
            gather: context.gather,
            search: context.search,
            write_frontiers: collection.write_frontiers,
            dynamic_wear_levelling: wear.dynamic_wear_levelling,
            static_wear_levelling: wear.threshold(),
            wear_measure: wear.wear_measure,
            slc: stated.slc.settings(&geometry),
            bad_blocks: FactoryBadBlocks::of_share(context.bad_blocks.factory_pct / 100.0),
            grown_bad_blocks: GrownBadBlockSettings::of(&context.bad_blocks, geometry.blocks_per_plane),
            seed: context.seed,
        }
    }

    /// Returns true if word lines are programmed in two passes.
    pub fn has_two_passes(&self) -> bool {
        self.program_scheme == ProgramScheme::TwoPass
    }

    /// Returns true if moved pages may leave their plane. With copyback, moved pages never leave their plane.
    pub const fn moves_leave(&self) -> bool {
        self.gc_destination.leaves() && !self.gc_copyback
    }

    /// Returns the number of mapping units in a victim, which is a block or a line (superblock).
    pub fn units_per_victim(&self, flash: &Geometry) -> u32 {
        let slots = self.units.slots(flash);
        slots.pages_per_block * if self.allocation.is_striped() { self.data_planes(&slots) } else { 1 }
    }

    /// Returns the number of open blocks for new data in a plane.
    ///
    /// Streams have separate open blocks for translation pages only if pages are allocated before their
    /// programs start and the mapping table is read-only, as in MQSim. Translation pages then get physical
    /// pages without being programmed.
    pub(super) fn streams(&self) -> OpenBlockCounts {
        let is_read_only = |mapping: &CachedMapping| mapping.write_back == MappingWriteBack::ReadOnly;
        let apart = self.page_allocation.is_early()
            && matches!(&self.mapping, Mapping::Cached(mapping) if is_read_only(mapping));
        OpenBlockCounts { host: self.write_streams, map: if apart { self.write_streams } else { 1 } }
    }
}
