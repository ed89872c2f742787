//! What the flash translation layer is told.

use venice_nand::geometry::{ChipId, Geometry, Priority};
use venice_params::{Conflict, choices, declare, number, one_of, whole};

use crate::controller::scheduling::{SchedulingChoice, SchedulingSettings};

use super::allocation::{Allocation, AllocationParameters};
use super::collector::settings::{CollectionParameters, LevellingParameters};
pub(super) use super::collector::settings::{GcTrigger, WearMeasure, WriteFrontiers};
use super::gc::{VictimParameters, VictimPolicy};
use super::gc_destination::{DestinationParameters, GcDestination};
use super::reads::gathers::settings::GatherSettings;
use super::space::frontiers::OpenBlockCounts;
use super::translation::resources::Resources;

/// Content of a page that the host never wrote in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwrittenData {
    /// Data from before the run, at the place static allocation gives: reads go to flash, partial
    /// writes read it first. It occupies no block of the simulated drive.
    Present,
    /// Nothing: reads still go to flash, partial writes need not read first.
    Absent,
    /// Nothing, but the first read of a page gives it one of the plane that static allocation says,
    /// as if the sectors that it reads had been programmed there; as in MQSim.
    MappedOnRead,
}

/// Place that the first read of a page gives it if it was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwrittenPlace {
    /// Place that a write would give it.
    AsWritten,
    /// On the same die, on the plane whose number stands at its plane's place in the list of the flow's dies, as in MQSim with the order DWCP; behind
    /// the end of the list, on plane 0.
    PlaneByDie,
}

impl UnwrittenData {
    /// Returns true if such a page has no data that a write must keep.
    #[inline]
    pub const fn is_absent(self) -> bool {
        !matches!(self, Self::Present)
    }
}

/// When a write gets its physical page and the map changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAllocation {
    /// When its program starts.
    AtStart,
    /// When it joins its die's queue. Programs of a block start in the order of its pages.
    AtArrival,
    /// When it joins its die's queue, and programs start in any order, as in MQSim.
    AtArrivalAnyOrder,
}

impl PageAllocation {
    /// Returns true if pages are given out before programs start.
    #[inline]
    pub const fn is_early(self) -> bool {
        !matches!(self, Self::AtStart)
    }
}

/// Boundaries at which requests are cut into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCuts {
    /// Ends of pages.
    Pages,
    /// Ends of pages of MQSim's device, on which flows need not begin at a page.
    Device,
}

/// Sectors of a page that a request of the host is taken to touch when a page is overwritten or first read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorSets {
    /// Those that it touches.
    Exact,
    /// Those that lie beyond a page's end are bits beyond it in a number of 64 bits, and all 64 are none, as in MQSim.
    Shifted,
}

/// Part of an overwritten page that goes to the chip when the write does not cover all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateTransfer {
    /// All of it: what was read of the old page is merged in the controller.
    Merged,
    /// The written sectors alone, as in MQSim.
    NewSectors,
}

/// The class of what a request of the host makes necessary without asking for it: reads of what an update does not cover, and
/// writes of pages that leave the data cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUpClass {
    /// Class of the request.
    Own,
    /// High, as in MQSim.
    High,
}

impl FollowUpClass {
    /// Returns the class of the follow-up work of a request of class `own`.
    #[inline]
    pub(super) const fn of(self, own: Priority) -> Priority {
        match self {
            Self::Own => own,
            Self::High => Priority::High,
        }
    }
}

/// Handling of changed map entries that leave the cached table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingWriteBack {
    /// Their translation page is read and programmed anew.
    Flash,
    /// Their translation page is read and then stays in memory, as in MQSim.
    ReadOnly,
}

/// Whose entries compete for room in the cached table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSharing {
    /// Those of all address ranges.
    Shared,
    /// Those of one address range, which has an equal part of the table.
    Equal,
    /// Those of one address range, which has a table of the full size.
    Whole,
}

/// A map of which only a part is in the controller's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedMapping {
    /// Entries in memory, at least one.
    pub table_entries: u32,
    /// Entries of a translation page, at least one.
    pub entries_per_page: u32,
    /// Bytes of an entry there.
    pub page_entry_bytes: u32,
    /// Handling of changed entries.
    pub write_back: MappingWriteBack,
    /// Whose entries compete.
    pub sharing: TableSharing,
}

impl CachedMapping {
    /// Translation pages for so many logical pages.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        logical_pages.div_ceil(self.entries_per_page)
    }
}

/// Kind of cost of a look-up, without the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingMode {
    /// Nothing.
    Ideal,
    /// A read of flash when the entry is not in memory.
    Cached,
}

choices! {
    MappingMode, "mapping": "ideal" => Ideal, "cached" => Cached;
    MappingWriteBack, "way of writing the map back": "flash" => Flash, "read_only" => ReadOnly;
    TableSharing, "way of sharing the table": "shared" => Shared, "equal" => Equal, "whole" => Whole;
    PageAllocation, "time to give out pages":
        "at_start" => AtStart,
        "at_arrival" => AtArrival,
        "at_arrival_any_order" => AtArrivalAnyOrder;
    PageCuts, "way of cutting requests": "pages" => Pages, "device" => Device;
    SectorSets, "kind of sector sets": "exact" => Exact, "shifted" => Shifted;
    UpdateTransfer, "transfer of an update": "merged" => Merged, "new_sectors" => NewSectors;
    FollowUpClass, "class of what requests make necessary": "own" => Own, "high" => High;
    UnwrittenData, "kind of unwritten data":
        "present" => Present, "absent" => Absent, "mapped_on_read" => MappedOnRead;
    UnwrittenPlace, "place of unwritten data": "as_written" => AsWritten, "plane_by_die" => PlaneByDie;
}

declare! {
    /// How the map of pages is kept.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MappingParameters in "ftl." {
        /// What it costs to look up a page in the map.
        ///
        /// `ideal`: nothing, the whole map is in memory. `cached`: a part of it is, and what is not is read from
        /// flash, where the map takes pages of every plane.
        mode as mapping: MappingMode = one_of::<MappingMode>(), unit "", default "ideal",
            source "MQSim, Ideal_Mapping_Table; Gupta et al., DFTL, ASPLOS 2009";
        /// Memory for the cached part of the map, with `mapping = "cached"` as all `mapping_` parameters.
        table_bytes as mapping_table_bytes: u64 = whole(1, 1 << 40), unit "bytes", default "2097152",
            source "MQSim, CMT_Capacity = 2 MiB";
        /// Whose entries compete for that memory.
        ///
        /// `shared`: those of all address ranges. `equal`: each range has an equal part. `whole`: each has a table of the
        /// full size.
        table_sharing as mapping_table_sharing: TableSharing = one_of::<TableSharing>(), unit "", default "shared",
            source "ours; MQSim, CMT_Sharing_Mode, whose SHARED makes a whole table for each flow";
        /// Memory that the entry of a logical page takes there.
        table_entry_bytes as mapping_table_entry_bytes: u32 = whole(1, 512), unit "bytes", default "9",
            source "MQSim, Address_Mapping_Unit_Page_Level.cpp: both page numbers and a bit for each sector";
        /// Room that it takes in a page of the map on flash.
        page_entry_bytes as mapping_page_entry_bytes: u32 = whole(1, 512), unit "bytes", default "6",
            source "MQSim, Address_Mapping_Unit_Page_Level.cpp: a page number and a bit for each sector";
        /// What becomes of changed entries that leave memory.
        ///
        /// `flash`: their page of the map is read, changed and programmed. `read_only`: it is read and costs
        /// nothing from then on, and entries of pages read before they were ever written count as changed.
        write_back as mapping_writeback: MappingWriteBack = one_of::<MappingWriteBack>(), unit "", default "flash",
            source "Gupta et al., DFTL, ASPLOS 2009 (flash); MQSim, which never programs them (read_only)";
    }
}

impl MappingParameters {
    /// Returns the conflict if the cached map has less than one entry for each part of `ranges` address ranges.
    pub fn conflict(&self, ranges: u32) -> Option<Conflict> {
        let (table, entry) = (self.table_bytes, self.table_entry_bytes);
        let parts = if self.table_sharing == TableSharing::Equal { ranges } else { 1 };
        let least = u64::from(entry) * u64::from(parts);
        if self.mode == MappingMode::Ideal || table >= least {
            return None;
        }
        let message = match parts {
            1 => format!("the cached part of the map has {table} bytes, and one entry takes {entry}"),
            _ => format!(
                "the cached part of the map has {table} bytes for {parts} parts, and one entry takes {entry}"
            ),
        };
        let keys = &["ftl.mapping_table_bytes", "ftl.mapping_table_entry_bytes", "ftl.mapping"];
        Some(Conflict { keys, message, note: Some(format!("expected: at least {least} bytes")) })
    }

    /// Returns the cost of a look-up with pages of this size. More entries than can be numbered are as good as that many.
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

/// Cost of looking up a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Nothing: the whole map is in memory.
    Ideal,
    /// A read of flash, if the entry is not in memory.
    Cached(CachedMapping),
}

impl Mapping {
    /// Translation pages for so many logical pages; an ideal map has none.
    pub const fn translation_pages(&self, logical_pages: u32) -> u32 {
        match self {
            Self::Ideal => 0,
            Self::Cached(cached) => cached.translation_pages(logical_pages),
        }
    }
}

declare! {
    /// The flash translation layer.
    pub struct FtlParameters in "ftl." {
        /// Share of the raw pages that the host cannot address.
        over_provisioning_pct: f64 = number(0.0, 90.0), unit "%", default "7",
            source "MQSim, Overprovisioning_Ratio = 0.07";
        with allocation: AllocationParameters;
        with scheduling: SchedulingChoice;
        with mapping: MappingParameters;
        /// When a write gets its physical page and the map changes.
        ///
        /// `at_start`: when its die starts the program. `at_arrival`: when it joins the die's queue; programs of a
        /// block start in the order of its pages. `at_arrival_any_order`: likewise, but they start in any order,
        /// which flash does not take.
        page_allocation: PageAllocation = one_of::<PageAllocation>(), unit "", default "at_start",
            source "ours (at_start); MQSim, Address_Mapping_Unit_Page_Level.cpp (at_arrival_any_order)";
        /// Where requests are cut into pages, with MQSim's files.
        ///
        /// `pages`: where pages end. `device`: where pages of MQSim's device end, in which a flow's sectors may begin within a page; a
        /// piece belongs to the page of the flow in which its first sector lies.
        page_cuts: PageCuts = one_of::<PageCuts>(), unit "", default "pages",
            source "ours (pages); MQSim, Host_Interface_NVMe.cpp (device)";
        /// Which sectors of a page a request is taken to touch when a page is overwritten, or read before it was ever written.
        ///
        /// `exact`: those that it touches. `shifted`: as in a number of 64 bits, all of which are none, and in which what
        /// `page_cuts` puts beyond a page's end stays beyond it, and is lost of pages of 64 sectors. The data cache has exact sets.
        sector_sets: SectorSets = one_of::<SectorSets>(), unit "", default "exact",
            source "ours (exact); MQSim, Host_Interface_NVMe.cpp (shifted)";
        /// What goes to the chip when a write covers part of a page that holds more.
        ///
        /// `merged`: the whole page, with what was read of the old one. `new_sectors`: the written sectors alone, though the
        /// page that is programmed holds the others too.
        update_transfer: UpdateTransfer = one_of::<UpdateTransfer>(), unit "", default "merged",
            source "ours (merged); MQSim, Address_Mapping_Unit_Page_Level.cpp (new_sectors)";
        /// The class of what a request makes necessary without asking for it, for policies that know classes: reads of what an
        /// update does not cover, and writes of pages that leave the data cache.
        ///
        /// `own`: that of the request. `high`: high, whatever that of the request.
        follow_up_class: FollowUpClass = one_of::<FollowUpClass>(), unit "", default "own",
            source "ours (own); MQSim, Address_Mapping_Unit_Page_Level.cpp, TSU_Priority_OutOfOrder.cpp (high)";
        /// Streams of the host's writes: in every plane each fills blocks of its own.
        ///
        /// A write's stream is the number of its host queue modulo this. When no block is free, streams share
        /// those that are open.
        write_streams: u32 = whole(1, 256), unit "streams", default "1",
            source "ours; MQSim, Flash_Block_Manager.cpp: one for each flow";
        /// What a page holds that the host never wrote in this run.
        ///
        /// `present`: data from before the run, where static allocation puts it, so that a partial write reads it
        /// first. `absent`: nothing. `mapped_on_read`: nothing, but the first read of the page gives it one of the
        /// plane's, at no cost, as if the sectors that it reads had been written.
        unwritten_data: UnwrittenData = one_of::<UnwrittenData>(), unit "", default "present",
            source "ours; MQSim, Address_Mapping_Unit_Page_Level.cpp (mapped_on_read)";
        /// Where `unwritten_data = "mapped_on_read"` puts a page.
        ///
        /// `as_written`: where a write of it would go. `plane_by_die`: on the same die, on the plane whose number stands in the list of
        /// dies at the place of the page's own in the list of planes (plane 0 behind the end of the list), if it is one of the flow's.
        unwritten_place: UnwrittenPlace = one_of::<UnwrittenPlace>(), unit "", default "as_written",
            source "ours (as_written); MQSim, Address_Mapping_Unit_Page_Level.cpp, with DWCP (plane_by_die)";
        with collection: CollectionParameters;
        with wear: LevellingParameters;
    }
}

/// Inputs of the layer from other modules.
#[derive(Clone, Debug)]
pub struct FtlContext {
    /// Counts of chips, dies, planes, blocks and pages.
    pub geometry: Geometry,
    /// Weights of the classes high, medium and low.
    pub weights: [u32; 3],
    /// Resources of each address range.
    pub partitions: Vec<Resources>,
    /// Chips that are out of reach from the start.
    pub lost_chips: Vec<ChipId>,
    /// Settings of gathers.
    pub gather: GatherSettings,
    /// Seed of the run.
    pub seed: u64,
}

/// The flash translation layer.
#[derive(Clone, Debug, PartialEq)]
pub struct FtlSettings {
    /// Share of the raw pages that the host cannot address, 0 to 1.
    pub over_provisioning_ratio: f64,
    /// Cost of a look-up.
    pub mapping: Mapping,
    /// Choice of the plane that a page is written to.
    pub allocation: Allocation,
    /// When pages are given out.
    pub page_allocation: PageAllocation,
    /// Sectors before a page's end at which requests are cut, by address range; empty for the end itself.
    pub page_cuts: Vec<u32>,
    /// Sectors of a page that a request is taken to touch.
    pub sector_sets: SectorSets,
    /// Data that a write sends to the chip if it does not cover its page.
    pub update_transfer: UpdateTransfer,
    /// The class of what requests make necessary.
    pub follow_up_class: FollowUpClass,
    /// Sharing of blocks between the host and garbage collection.
    pub write_frontiers: WriteFrontiers,
    /// Streams of the host's writes, at least one, each with open blocks of its own. A host queue's
    /// stream is its number modulo this.
    pub write_streams: u16,
    /// Order of transactions.
    pub scheduling: SchedulingSettings,
    /// Resources of each address range; one range over everything if there is none.
    pub partitions: Vec<Resources>,
    /// Chips that are out of reach from the start; each of the ranges is without them.
    pub lost_chips: Vec<ChipId>,
    /// Content of pages from before the run.
    pub unwritten_data: UnwrittenData,
    /// Place of such a page when it is read.
    pub unwritten_place: UnwrittenPlace,
    /// Victim policy.
    pub victim: VictimPolicy,
    /// Parameters of each victim policy.
    pub victim_parameters: VictimParameters,
    /// Collection starts in a plane that has fewer free blocks than this.
    pub gc_start_free_blocks: u32,
    /// Trigger of garbage collection.
    pub gc_trigger: GcTrigger,
    /// Writes of the host to a plane wait while it has fewer free blocks than this and collects.
    pub gc_stop_free_blocks: u32,
    /// True if erases and moves wait for host commands of the same die, as long as the plane has at least as
    /// many free blocks as the hard threshold.
    pub gc_yields_to_host: bool,
    /// The hard threshold: in a plane that has fewer free blocks, collection goes before the host.
    pub gc_hard_free_blocks: u32,
    /// Most moves of a collection in flight at a time.
    pub gc_moves_in_flight: u32,
    /// True if moved pages stay inside their plane, without crossing the fabric.
    pub gc_copyback: bool,
    /// Destination policy of moved pages.
    pub gc_destination: GcDestination,
    /// Parameters of each destination policy.
    pub destination_parameters: DestinationParameters,
    /// Settings of the host's gathers.
    pub gather: GatherSettings,
    /// True if the least worn free block is opened next, rather than the one erased first.
    pub dynamic_wear_levelling: bool,
    /// The difference of erase counts in a plane from which a cold block is moved; none: never.
    pub static_wear_levelling: Option<u32>,
    /// Measure of wear that static wear levelling compares.
    pub wear_measure: WearMeasure,
    /// Seed of the layer's random choices.
    pub seed: u64,
}

impl FtlSettings {
    /// Returns the settings that parameters give in this context.
    pub fn of(stated: &FtlParameters, context: FtlContext) -> Self {
        let FtlParameters { collection, wear, .. } = stated;
        let FtlContext { geometry, weights, partitions, lost_chips, gather, seed } = context;
        Self {
            mapping: stated.mapping.costs(geometry.page_bytes),
            over_provisioning_ratio: stated.over_provisioning_pct / 100.0,
            allocation: stated.allocation.allocation(),
            page_allocation: stated.page_allocation,
            // Only flows of MQSim begin within a page; what cuts theirs says where.
            page_cuts: Vec::new(),
            sector_sets: stated.sector_sets,
            update_transfer: stated.update_transfer,
            follow_up_class: stated.follow_up_class,
            write_streams: stated.write_streams as u16,
            scheduling: SchedulingSettings::of(&stated.scheduling, weights),
            partitions,
            lost_chips,
            unwritten_data: stated.unwritten_data,
            unwritten_place: stated.unwritten_place,
            victim: collection.victim,
            victim_parameters: collection.victim_parameters,
            gc_start_free_blocks: collection.start_free_blocks(geometry.blocks_per_plane),
            gc_trigger: collection.gc_trigger,
            gc_stop_free_blocks: collection.gc_stop_free_blocks,
            gc_yields_to_host: collection.gc_yields_to_host,
            gc_hard_free_blocks: collection.hard_free_blocks(geometry.blocks_per_plane),
            gc_moves_in_flight: collection.gc_moves_in_flight,
            gc_copyback: collection.gc_copyback,
            gc_destination: collection.gc_destination,
            destination_parameters: collection.destination_parameters,
            gather,
            write_frontiers: collection.write_frontiers,
            dynamic_wear_levelling: wear.dynamic_wear_levelling,
            static_wear_levelling: wear.threshold(),
            wear_measure: wear.wear_measure,
            seed,
        }
    }

    /// Returns true if moves of garbage collection may leave their plane. A copyback never does.
    pub const fn moves_leave(&self) -> bool {
        self.gc_destination.leaves() && !self.gc_copyback
    }

    /// Returns the number of blocks that a plane has open for new data. As in MQSim, which alone gives translation pages places without a
    /// program, each stream then has one for its part of the map.
    pub(super) fn streams(&self) -> OpenBlockCounts {
        let is_read_only = |mapping: &CachedMapping| mapping.write_back == MappingWriteBack::ReadOnly;
        let apart = self.page_allocation.is_early()
            && matches!(&self.mapping, Mapping::Cached(mapping) if is_read_only(mapping));
        OpenBlockCounts { host: self.write_streams, map: if apart { self.write_streams } else { 1 } }
    }
}
