//! The parameter table: every parameter of a drive, once.
//!
//! A line says the key, the field's type, the accepted values, the unit, the default (or that every
//! drive has to say) and the source of meaning and default. Ranges are wide enough for any drive
//! somebody might imagine and narrow enough that no product of them overflows.

use std::sync::LazyLock;

use crate::cache::CacheParameters;
use crate::chip::{CommandParameters, FlashParameters, SuspendParameters};
use crate::controller::scheduling::{Scheduling, SchedulingParameters};
use crate::fabric::{FabricKind, FabricParameters, FaultParameters, FirstOnPath, Hold, MeshParameters};
use crate::ftl::{
    DestinationParameters, FollowUpClass, GatherSettings, GcDestination, GcTrigger, MappingParameters,
    PageAllocation, PageCuts, PreconditionParameters, SectorSets, UnwrittenData, UnwrittenPlace,
    UpdateTransfer, VictimParameters, VictimPolicy, WearMeasure, WriteFrontiers,
};
use crate::host::HostParameters;
use crate::host::scheduler::IoQueueParameters;
use crate::pif::{PifParameters, WearParameters};
use crate::power::{AreaSettings, PowerSettings};

use super::choice::{AllocationMode, AllocationOrder};
use super::declare::parameters;
use crate::parameters::{
    Declared, Field, Kind, Parameter, Section, Value, Values, joined, number, one_of, section_name, total,
    whole, wire_rate,
};

parameters! {
    /// What the drive is, and what it is made from.
    section drive "" DriveConfig {
        /// Name of the drive, as reports print it.
        ///
        /// Without one, the name of the preset or file.
        name: String = Kind::Text, unit "", default "", source "ours";
        /// What the drive is, for people.
        description: String = Kind::Text, unit "", default "", source "ours";
        /// Where the drive's numbers come from.
        source: String = Kind::Text, unit "", default "", source "ours";
        /// Preset or file that this drive changes.
        ///
        /// A preset's name, or a path relative to the file that says it. Only in a file.
        extends: String = Kind::Text, unit "", default "", source "ours";
        /// Chip preset or file that the `[flash]` tables begin with.
        ///
        /// A preset's name, or a path relative to the file that says it.
        chip: String = Kind::Text, unit "", default "", source "ours";
    }

    /// The array of flash chips.
    section array "array." ArrayConfig {
        /// Rows of chips.
        ///
        /// One flash controller sits at the left end of each row. On a shared bus a row is a channel.
        rows: u32 = whole(1, 256), unit "rows", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
        /// Chips in a row.
        cols: u32 = whole(1, 256), unit "chips", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
    }

    /// The flash chips: how they are built and how long their arrays take.
    section flash: FlashParameters;

    /// How long the command cycles occupy the path to a chip.
    section flash_command: CommandParameters;

    /// Programs and erases that are suspended for others.
    section flash_suspend: SuspendParameters;

    /// What joins the chips to the flash controllers.
    section fabric "fabric." FabricConfig {
        /// Which fabric.
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        /// Data rate of a channel: of a bus, and of each chip's own channel in `ideal`.
        channel_rate_mb_per_s: f64 = wire_rate(), unit "MB/s", default "1200",
            source "Nadig et al., Venice, ISCA 2023, Table 1";
        /// Whether chips send pages that collection moves, and operands of gathers, to each other, without a controller, where the
        /// fabric can.
        ///
        /// `venice`: over a circuit from chip to chip. `pnssd`: between chips of a column, over its bus. Others cannot. Collection
        /// moves pages to other chips with `ftl.gc_destination` only.
        chip_to_chip: bool = Kind::Boolean, unit "", default "false",
            source "Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO 2022";
        /// What a path is held for: a channel, a bus, a ring, a circuit.
        ///
        /// `transfer`: for one transfer, so that a read takes a path twice and others use it while its array works.
        /// `operation`: from a read's command to the end of its data. The packets of `nossd` hold no path.
        hold: Hold = one_of::<Hold>(), unit "", default "transfer",
            source "Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer); §4.2, §6.5 (operation: for each I/O request)";
        /// What goes first of several transfers that wait for a path.
        ///
        /// `data`: data that was read, then commands, as in MQSim. `commands`: commands without data, then data that was
        /// read, then commands with data. They take no time to speak of and set arrays to work, so that more chips have
        /// data waiting and fewer paths stay unused; every fabric carries more for it under a saturating load of reads.
        first_on_path: FirstOnPath = one_of::<FirstOnPath>(), unit "", default "data",
            source "Tavakkol et al., MQSim, FAST 2018 (data); ours (commands): the papers do not say";
    }

    /// The sections that fabrics declare in their files.
    section fabrics: FabricParameters;
    /// The links between routers, and which of them fail.
    section fabric_mesh: MeshParameters;
    /// What else fails, and what follows.
    section fabric_faults: FaultParameters;

    /// The address ranges into which the drive is divided, and what each of them lives on.
    section partition "partition." PartitionConfig {
        /// Address ranges.
        ///
        /// The requests of a queue go to the range of its number modulo this. Ranges that name the same plane have equal
        /// shares of it. The following lists have an entry for each range, or are empty: then each range has everything.
        count: u32 = whole(1, 256), unit "ranges", default "1", source "MQSim: each flow has a range of its own";
        /// The channels (rows) that hold a range's pages: a list of numbers for each range.
        channels: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Channel_IDs";
        /// The ways (places of chips in their rows) that do, likewise.
        ways: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "MQSim, Chip_IDs";
        /// The dies of each of these chips, likewise.
        dies: Vec<Vec<u32>> = Kind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Die_IDs";
        /// The planes of each of these dies, likewise.
        planes: Vec<Vec<u32>> = Kind::Lists { max: 15 }, unit "", default "[]", source "MQSim, Plane_IDs";
    }

    /// The flash translation layer.
    section ftl "ftl." FtlConfig {
        /// Share of the raw pages that the host cannot address.
        over_provisioning_pct: f64 = number(0.0, 90.0), unit "%", default "7",
            source "MQSim, Overprovisioning_Ratio = 0.07";
        /// Order in which consecutive logical pages are spread over channel (C), way (W), die (D) and plane (P).
        ///
        /// The first letter varies fastest. The way is the chip's place in its row.
        allocation: AllocationOrder = one_of::<AllocationOrder>(), unit "", default "CWDP",
            source "MQSim, Plane_Allocation_Scheme = CWDP";
        /// What decides the plane of a logical page.
        ///
        /// `static`: its number alone. `dynamic`: the least busy plane when the page is written, looked for in
        /// the order that `allocation` gives. `in_turn`: the next plane in that order, in which pages come to be written: a log,
        /// which fills the planes of a die together if they stand first.
        allocation_mode: AllocationMode = one_of::<AllocationMode>(), unit "", default "static",
            source "MQSim, Plane_Allocation_Scheme = CWDP";
        /// In which order a die serves what waits for it.
        scheduling: Scheduling = one_of::<Scheduling>(), unit "", default "out_of_order",
            source "MQSim, Transaction_Scheduling_Policy; Jung et al., PAQ, ISCA 2012";
        with scheduling_parameters: SchedulingParameters;
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
        /// How a garbage collection victim is chosen.
        ///
        /// Among a plane's full blocks with an invalid page.
        victim: VictimPolicy = one_of::<VictimPolicy>(), unit "", default "greedy",
            source "Gao et al., PIQ, TCAD 2017, §V-A; MQSim, GC_Block_Selection_Policy; each policy's own file";
        with victim_parameters: VictimParameters;
        /// Share of a plane's blocks; with fewer free ones, collection starts.
        ///
        /// Rounded down to whole blocks, but never below `gc_start_free_blocks_min`. As long as the host has
        /// room, a plane waits whose invalid pages could not make up what is missing.
        gc_start_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "5",
            source "MQSim, GC_Exec_Threshold = 0.05";
        /// Fewest free blocks of a plane below which collection starts.
        ///
        /// With 2, it starts when the host has no room left.
        gc_start_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "2",
            source "ours: one block for the host's writes and one for the collection's moves";
        /// Whether the host's writes and the moves of collection fill blocks of their own.
        ///
        /// `separate`: they do, as long as a plane has three blocks to spare: when the host has no block left, it waits until
        /// collection has made it one. `shared`: it fills what collection's open block can spare, so that data that was just
        /// written and data that has rested share blocks. It is so wherever `gc_destination` lets moves leave their plane.
        write_frontiers: WriteFrontiers = one_of::<WriteFrontiers>(), unit "", default "separate",
            source "Van Houdt, Performance Evaluation 70 (2013); MQSim, Flash_Block_Manager.cpp: Data_wf, GC_wf";
        /// What makes a plane collect that has too few free blocks.
        ///
        /// `shortage`: that it has; it collects until it does not. `full_block`: that a block became full, which happens to
        /// collection's own too; it collects one for each, and opens the next block at once.
        gc_trigger: GcTrigger = one_of::<GcTrigger>(), unit "", default "shortage",
            source "ours (shortage); MQSim, Flash_Block_Manager.cpp (full_block)";
        /// With fewer free blocks than this, the host's writes to a plane wait for a collection that is on its way.
        gc_stop_free_blocks: u32 = whole(0, 1024), unit "blocks", default "0",
            source "ours: as long as there is room; MQSim, GC_and_WL_Unit_Base.cpp: 10";
        /// Whether collection waits for host commands of its die while the plane has enough free blocks.
        ///
        /// Enough is `gc_hard_free_blocks_pct`.
        gc_yields_to_host: bool = Kind::Boolean, unit "", default "false",
            source "MQSim, Preemptible_GC_Enabled = false";
        /// Share of a plane's blocks; with fewer free ones, its collection goes before the host, for `gc_yields_to_host`.
        ///
        /// Rounded down to whole blocks, but never below `gc_hard_free_blocks_min`.
        gc_hard_free_blocks_pct: f64 = number(0.0, 50.0), unit "%", default "0.5",
            source "MQSim, GC_Hard_Threshold = 0.005";
        /// Fewest free blocks of a plane below which its collection goes before the host.
        ///
        /// With 2, it does when the host has no free block left.
        gc_hard_free_blocks_min: u32 = whole(2, 1024), unit "blocks", default "2",
            source "ours: the last free block is collection's";
        /// Whether collection moves pages inside their plane, without crossing the fabric (copyback).
        ///
        /// Such a page is not checked for errors on its way.
        gc_copyback: bool = Kind::Boolean, unit "", default "false",
            source "ONFI (copyback); MQSim, Use_Copyback_for_GC = false";
        /// Where collection moves the pages of a victim.
        ///
        /// Moves for wear and of pages of the map stay.
        gc_destination: GcDestination = one_of::<GcDestination>(), unit "", default "same_plane",
            source "MQSim, GC_and_WL_Unit_Page_Level.cpp; Kim et al., Decoupled SSD, ISCA 2023; Kim et al., Networked SSD, MICRO 2022; Stoica, Ailamaki, PVLDB 2013";
        with destination_parameters: DestinationParameters;
        /// Whether a plane opens its least worn free block next, rather than the one erased first.
        dynamic_wear_levelling: bool = Kind::Boolean, unit "", default "true",
            source "MQSim, Dynamic_Wearleveling_Enabled = true";
        /// Whether a full block that has worn much less than others of its plane is moved and erased.
        static_wear_levelling: bool = Kind::Boolean, unit "", default "true",
            source "MQSim, Static_Wearleveling_Enabled = true";
        /// Difference of erase counts in a plane from which a block is moved, for `static_wear_levelling`.
        static_wear_levelling_threshold: u32 = whole(1, 1_000_000), unit "erases", default "100",
            source "MQSim, Static_Wearleveling_Threshold = 100";
        /// What static wear levelling compares.
        ///
        /// `erases`: the erase counts of a plane's blocks. `block_numbers`: the numbers of its first and its first most worn
        /// block, and moves only the former, once.
        wear_measure: WearMeasure = one_of::<WearMeasure>(), unit "", default "erases",
            source "Chang, Hsieh, Kuo, DAC 2007 (erases); MQSim, Flash_Block_Manager_Base.cpp (block_numbers)";
    }

    /// Gathers: requests that have a chip combine pages from all over the drive.
    section gather: GatherSettings;

    /// What the drive holds before the run.
    section precondition: PreconditionParameters;

    /// The data cache: DRAM between the host interface and the flash translation layer.
    section cache: CacheParameters;

    /// The link between host and drive, and the drive's command queue.
    section host: HostParameters;

    /// The scheduler between the host's I/O queue and the drive.
    section host_scheduler: IoQueueParameters;

    /// What the drive's parts take: power while they work, power at any time, energy of each byte.
    section power: PowerSettings;

    /// Areas on the drive's board.
    section area: AreaSettings;

    /// Raw bit errors of the flash cells, read by searching drives: floor + cycling · PE^a + retention · PE^b · days^c +
    /// disturb · PE^d · reads^e.
    section flash_wear: WearParameters;

    /// Processing in flash: what searching drives have been through and are made of. Other runs do not look at it.
    section pif: PifParameters;

    /// The run itself.
    section run "run." RunConfig {
        /// Seed of every random choice.
        seed: u64 = whole(0, i64::MAX as u64), unit "", default "1", source "ours";
    }
}

/// Keys that people try to set although they follow from others: the key's last part, and from what.
pub(super) const DERIVED: &[(&str, &str)] = &[
    ("total_pages", "the geometry"),
    ("total_blocks", "the geometry"),
    ("pages_per_plane", "`blocks_per_plane` and `pages_per_block`"),
    ("raw_bytes", "the geometry"),
    ("capacity_bytes", "the geometry and `ftl.over_provisioning_pct`"),
    ("logical_pages", "the geometry and `ftl.over_provisioning_pct`"),
    ("chips", "`array.rows` and `array.cols`"),
    ("controllers", "`array.rows`"),
    ("channels", "`array.rows`"),
    ("chips_per_channel", "`array.cols`"),
];

/// The order of the sections of fabrics, where files list them; of a fabric that is not named here, behind these.
const ORDER_OF_FABRICS: &[&str] = &[
    "fabric.pssd",
    "fabric.pnssd",
    "fabric.mesh",
    "fabric.faults",
    "fabric.nossd",
    "fabric.hlnand",
    "fabric.decoupled",
    "fabric.venice",
];

/// Every parameter of a drive, by section, in the order in which files list them.
pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections = declared_sections();
    let is_of_fabric = |section: &Section| section.name.starts_with("fabric.");
    let first = sections.iter().position(is_of_fabric).unwrap_or(0);
    let count = sections[first..].iter().take_while(|section| is_of_fabric(section)).count();
    let place = |section: &Section| ORDER_OF_FABRICS.iter().position(|name| *name == section.name);
    sections[first..first + count].sort_by_key(|section| place(section).unwrap_or(usize::MAX));
    sections
});

/// Every parameter, in the table's order; a parameter's place in it is its index everywhere.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    SECTIONS.iter().flat_map(|section| section.parameters)
}

/// The index and the declaration of a full key.
pub(super) fn find(key: &str) -> Option<(usize, &'static Parameter)> {
    parameters().enumerate().find(|(_, parameter)| parameter.key == key)
}

/// Whether `name` is a table of a drive file, or leads to one (`fabric` leads to `fabric.mesh`).
pub(super) fn is_section(name: &str) -> bool {
    !name.is_empty() && SECTIONS.iter().any(|section| section.name == name)
}
