//! `ssdconfig.xml`: the host's link, the device, its flash chips.
//!
//! # Source
//! Tags, defaults and units are those of MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3.

use std::ops::Range;
use std::sync::Arc;

use super::super::document::Document;
use super::finding::Findings;
use super::parameters::{parameter_sets, report_compiled_in, report_unknown};
use super::tagged::{Limits, PlaneOrder, Setting, names};
use super::tree::Element;

names! {
    /// How the host talks to the drive.
    HostInterface {
        /// Submission and completion queues over PCIe.
        Nvme = "NVME",
        /// One native command queue.
        Sata = "SATA",
    }
    /// What the cells are.
    MemoryType {
        /// NAND flash.
        Flash = "FLASH",
    }
    /// Which manager looks after the data cache.
    CachingMechanism {
        /// None that works: with a cache in use MQSim stops.
        Simple = "SIMPLE",
        /// A cache in DRAM.
        Advanced = "ADVANCED",
    }
    /// Whether flows share a resource.
    SharingMode {
        /// All flows use all of it.
        Shared = "SHARED",
        /// Each flow has an equal part.
        EqualPartitioning = "EQUAL_PARTITIONING",
    }
    /// The unit in which addresses are mapped.
    AddressMapping {
        /// Each page.
        PageLevel = "PAGE_LEVEL",
        /// Blocks and pages; its methods are empty in MQSim.
        Hybrid = "HYBRID",
    }
    /// How flash transactions are ordered.
    Scheduling {
        /// Reads before writes before erases.
        OutOfOrder = "OUT_OF_ORDER",
        /// The same, by priority class.
        PriorityOutOfOrder = "PRIORITY_OUT_OF_ORDER",
        /// Fairness between flows.
        Flin = "FLIN",
    }
    /// Which block is collected.
    VictimSelection {
        /// The one with most invalid pages.
        Greedy = "GREEDY",
        /// The best of a random few.
        Rga = "RGA",
        /// Any.
        Random = "RANDOM",
        /// Any that is full.
        RandomP = "RANDOM_P",
        /// Any that is full and has enough invalid pages.
        RandomPp = "RANDOM_PP",
        /// The one that was taken into use first.
        Fifo = "FIFO",
    }
    /// The interface of the flash chips.
    FlashProtocol {
        /// ONFI NV-DDR2.
        Nvddr2 = "NVDDR2",
    }
    /// Bits in a cell.
    FlashTechnology {
        /// One.
        Slc = "SLC",
        /// Two.
        Mlc = "MLC",
        /// Three.
        Tlc = "TLC",
    }
    /// Which operations of a chip may be suspended.
    Suspension {
        /// None.
        None = "NONE",
        /// Programs.
        Program = "PROGRAM",
        /// Programs and erases.
        ProgramErase = "PROGRAM_ERASE",
        /// Erases.
        Erase = "ERASE",
    }
}

parameter_sets! {
    /// `Host_Parameter_Set`: the link, and logging.
    HostParameters {
        /// Data rate of one PCIe lane, in GB/s.
        pcie_lane_bandwidth: Setting<f64> = "PCIe_Lane_Bandwidth", Limits::within(0.001, 1000.0), default(0.4);
        /// PCIe lanes.
        pcie_lane_count: Setting<u32> = "PCIe_Lane_Count", Limits::within(1, 64), default(4);
        /// Time in the host's SATA adapter, each way, in ns; used with `HostInterface_Type` SATA.
        sata_processing_delay: Setting<u64> = "SATA_Processing_Delay", Limits::ANY, default(0);
        /// Whether response times are logged.
        enable_response_time_logging: Setting<bool> = "Enable_ResponseTime_Logging", Limits::ANY, default(false);
        /// Time between two entries of that log, in ns.
        response_time_logging_period_length: Setting<u64> =
            "ResponseTime_Logging_Period_Length", Limits::ANY, default(400_000);
    }

    /// `Device_Parameter_Set`: the controller, its FTL, and the array of chips.
    DeviceParameters {
        /// Seed of the device's random choices.
        seed: Setting<i32> = "Seed", Limits::ANY, default(123);
        /// Whether the drive is filled before the run.
        enabled_preconditioning: Setting<bool> = "Enabled_Preconditioning", Limits::ANY, default(true);
        /// What the cells are.
        memory_type: Setting<MemoryType> = "Memory_Type", Limits::ANY, default(MemoryType::Flash);
        /// How the host talks to the drive.
        host_interface_type: Setting<HostInterface> =
            "HostInterface_Type", Limits::ANY, default(HostInterface::Nvme);
        /// Entries of a submission or completion queue, of which one stays empty; with SATA, of the command queue.
        io_queue_depth: Setting<u16> = "IO_Queue_Depth", Limits::within(2, u16::MAX), default(1024);
        /// Commands of one flow that the drive works on at once.
        queue_fetch_size: Setting<u16> = "Queue_Fetch_Size", Limits::within(1, u16::MAX), default(512);
        /// Which manager looks after the data cache.
        caching_mechanism: Setting<CachingMechanism> =
            "Caching_Mechanism", Limits::ANY, default(CachingMechanism::Advanced);
        /// Whether flows share the data cache.
        data_cache_sharing_mode: Setting<SharingMode> =
            "Data_Cache_Sharing_Mode", Limits::ANY, default(SharingMode::Shared);
        /// Size of the data cache, in bytes.
        data_cache_capacity: Setting<u64> = "Data_Cache_Capacity", Limits::ANY, default(512 << 20);
        /// Row of the cache's DRAM, in bytes.
        data_cache_dram_row_size: Setting<u32> =
            "Data_Cache_DRAM_Row_Size", Limits::within(1, u32::MAX), default(8192);
        /// Rate of the cache's DRAM, in 10^6 transfers each second.
        data_cache_dram_data_rate: Setting<u32> =
            "Data_Cache_DRAM_Data_Rate", Limits::within(1, u32::MAX), default(800);
        /// Bytes of a burst of the cache's DRAM; the tag is spelt so.
        data_cache_dram_data_burst_size: Setting<u32> =
            "Data_Cache_DRAM_Data_Busrt_Size", Limits::within(1, u32::MAX), default(4);
        /// tRCD of the cache's DRAM, in ns.
        data_cache_dram_t_rcd: Setting<u64> = "Data_Cache_DRAM_tRCD", Limits::ANY, default(13);
        /// tCL of the cache's DRAM, in ns.
        data_cache_dram_t_cl: Setting<u64> = "Data_Cache_DRAM_tCL", Limits::ANY, default(13);
        /// tRP of the cache's DRAM, in ns.
        data_cache_dram_t_rp: Setting<u64> = "Data_Cache_DRAM_tRP", Limits::ANY, default(13);
        /// The unit in which addresses are mapped.
        address_mapping: Setting<AddressMapping> =
            "Address_Mapping", Limits::ANY, default(AddressMapping::PageLevel);
        /// Whether the whole map is in memory.
        ideal_mapping_table: Setting<bool> = "Ideal_Mapping_Table", Limits::ANY, default(false);
        /// Size of the cached mapping table, in bytes.
        cmt_capacity: Setting<u64> = "CMT_Capacity", Limits::ANY, default(2 << 20);
        /// Whether flows share the cached mapping table.
        cmt_sharing_mode: Setting<SharingMode> = "CMT_Sharing_Mode", Limits::ANY, default(SharingMode::Shared);
        /// The order in which logical pages are spread; the first letter varies fastest.
        plane_allocation_scheme: Setting<PlaneOrder> =
            "Plane_Allocation_Scheme", Limits::ANY, default(PlaneOrder("CWDP"));
        /// How flash transactions are ordered.
        transaction_scheduling_policy: Setting<Scheduling> =
            "Transaction_Scheduling_Policy", Limits::ANY, default(Scheduling::OutOfOrder);
        /// Share of the raw capacity that the host cannot address, 0 to 1.
        overprovisioning_ratio: Setting<f64> = "Overprovisioning_Ratio", Limits::within(0.0, 0.9), default(0.07);
        /// Share of a plane's blocks, 0 to 1; with fewer free ones, collection starts.
        gc_exec_threshold: Setting<f64> = "GC_Exec_Threshold", Limits::within(0.0, 0.5), default(0.05);
        /// Which block is collected.
        gc_block_selection_policy: Setting<VictimSelection> =
            "GC_Block_Selection_Policy", Limits::ANY, default(VictimSelection::Rga);
        /// Whether pages are moved inside a chip.
        use_copyback_for_gc: Setting<bool> = "Use_Copyback_for_GC", Limits::ANY, default(false);
        /// Whether host requests go before collection until it is urgent.
        preemptible_gc_enabled: Setting<bool> = "Preemptible_GC_Enabled", Limits::ANY, default(true);
        /// Share of a plane's blocks, 0 to 1; with fewer free ones, collection is urgent.
        gc_hard_threshold: Setting<f64> = "GC_Hard_Threshold", Limits::within(0.0, 0.5), default(0.005);
        /// Whether the least worn free block is taken first; MQSim does so in any case.
        dynamic_wearleveling_enabled: Setting<bool> = "Dynamic_Wearleveling_Enabled", Limits::ANY, default(true);
        /// Whether cold blocks are moved; MQSim does so in any case.
        static_wearleveling_enabled: Setting<bool> = "Static_Wearleveling_Enabled", Limits::ANY, default(true);
        /// Difference of erase counts that moves a cold block; MQSim uses 100 in any case.
        static_wearleveling_threshold: Setting<u32> = "Static_Wearleveling_Threshold", Limits::ANY, default(100);
        /// How long an erase goes on before a read may suspend it, in ns; MQSim never suspends.
        preferred_suspend_erase_time_for_read: Setting<u64> =
            "Preferred_suspend_erase_time_for_read", Limits::ANY, default(700_000);
        /// How long an erase goes on before a write may suspend it, in ns; MQSim never suspends.
        preferred_suspend_erase_time_for_write: Setting<u64> =
            "Preferred_suspend_erase_time_for_write", Limits::ANY, default(700_000);
        /// How long a program goes on before a read may suspend it, in ns; MQSim never suspends.
        preferred_suspend_write_time_for_read: Setting<u64> =
            "Preferred_suspend_write_time_for_read", Limits::ANY, default(100_000);
        /// Channels.
        flash_channel_count: Setting<u32> = "Flash_Channel_Count", Limits::within(1, 256), default(8);
        /// Width of a channel, in bytes.
        flash_channel_width: Setting<u32> = "Flash_Channel_Width", Limits::within(1, 64), default(1);
        /// Rate of a channel, in 10^6 transfers each second.
        channel_transfer_rate: Setting<u32> = "Channel_Transfer_Rate", Limits::within(1, 100_000), default(300);
        /// Chips of a channel.
        chip_no_per_channel: Setting<u32> = "Chip_No_Per_Channel", Limits::within(1, 256), default(4);
        /// The interface of the flash chips.
        flash_comm_protocol: Setting<FlashProtocol> =
            "Flash_Comm_Protocol", Limits::ANY, default(FlashProtocol::Nvddr2);
    }

    /// `Flash_Parameter_Set`: the chips.
    FlashParameters {
        /// Bits in a cell.
        flash_technology: Setting<FlashTechnology> =
            "Flash_Technology", Limits::ANY, default(FlashTechnology::Mlc);
        /// Which operations may be suspended; MQSim never suspends.
        cmd_suspension_support: Setting<Suspension> =
            "CMD_Suspension_Support", Limits::ANY, default(Suspension::Erase);
        /// Array read time of a least significant page, in ns.
        page_read_latency_lsb: Setting<u64> = "Page_Read_Latency_LSB", Limits::ANY, default(75_000);
        /// Array read time of a central page, in ns; TLC only.
        page_read_latency_csb: Setting<u64> = "Page_Read_Latency_CSB", Limits::ANY, default(75_000);
        /// Array read time of a most significant page, in ns; MLC and TLC.
        page_read_latency_msb: Setting<u64> = "Page_Read_Latency_MSB", Limits::ANY, default(75_000);
        /// Array program time of a least significant page, in ns.
        page_program_latency_lsb: Setting<u64> = "Page_Program_Latency_LSB", Limits::ANY, default(750_000);
        /// Array program time of a central page, in ns; TLC only.
        page_program_latency_csb: Setting<u64> = "Page_Program_Latency_CSB", Limits::ANY, default(750_000);
        /// Array program time of a most significant page, in ns; MLC and TLC.
        page_program_latency_msb: Setting<u64> = "Page_Program_Latency_MSB", Limits::ANY, default(750_000);
        /// Block erase time, in ns.
        block_erase_latency: Setting<u64> = "Block_Erase_Latency", Limits::ANY, default(3_800_000);
        /// Erases that a block survives; MQSim never looks.
        block_pe_cycles_limit: Setting<u32> = "Block_PE_Cycles_Limit", Limits::ANY, default(10_000);
        /// Time to suspend an erase, in ns; MQSim never suspends.
        suspend_erase_time: Setting<u64> = "Suspend_Erase_Time", Limits::ANY, default(700_000);
        /// Time to suspend a program, in ns; MQSim never suspends.
        suspend_program_time: Setting<u64> = "Suspend_Program_Time", Limits::ANY, default(100_000);
        /// Dies of a chip.
        die_no_per_chip: Setting<u32> = "Die_No_Per_Chip", Limits::within(1, 16), default(2);
        /// Planes of a die.
        plane_no_per_die: Setting<u32> = "Plane_No_Per_Die", Limits::within(1, 16), default(2);
        /// Blocks of a plane.
        block_no_per_plane: Setting<u32> = "Block_No_Per_Plane", Limits::within(1, 1_048_576), default(2048);
        /// Pages of a block.
        page_no_per_block: Setting<u32> = "Page_No_Per_Block", Limits::within(1, 65_536), default(256);
        /// Data bytes of a page.
        page_capacity: Setting<u32> = "Page_Capacity", Limits::within(1, u32::MAX), default(8192);
        /// Spare bytes of a page; the tag is spelt so, and MQSim never moves them.
        page_metadata_capacity: Setting<u32> = "Page_Metadat_Capacity", Limits::ANY, default(1872);
    }
}

const ROOT: &str = "Execution_Parameter_Set";
const HOST: &str = "Host_Parameter_Set";
const DEVICE: &str = "Device_Parameter_Set";
const FLASH: &str = "Flash_Parameter_Set";

/// MQSim reads this spelling and writes the other; since it never suspends, neither counts.
const ODD_SPELLINGS: &[&str] = &["Prefered_suspend_erase_time_for_read"];

/// The whole of `ssdconfig.xml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The link, and logging.
    pub host: HostParameters,
    /// The controller and the array of chips.
    pub device: DeviceParameters,
    /// The chips.
    pub flash: FlashParameters,
    /// The file.
    pub(super) document: Arc<Document>,
    /// Where a value stands that the file does not give: the name of the outermost tag.
    pub(super) root: Range<usize>,
}

impl Execution {
    /// The name of the outermost tag.
    pub(super) const ROOT: &'static str = ROOT;

    /// Reads all three sets; a set that is missing has its compiled-in values.
    pub(super) fn read(root: &Element, document: &Arc<Document>, findings: &mut Findings) -> Option<Self> {
        let nothing = Element { name_span: root.name_span.clone(), ..Element::default() };
        let host = root.named(HOST).last().unwrap_or(&nothing);
        let device = root.named(DEVICE).last().unwrap_or(&nothing);
        let flash = device.named(FLASH).last().unwrap_or(&nothing);
        report_unknown(root, &[&[HOST, DEVICE]], findings);
        report_unknown(host, &[HostParameters::TAGS], findings);
        report_unknown(device, &[DeviceParameters::TAGS, &[FLASH], ODD_SPELLINGS], findings);
        report_unknown(flash, &[FlashParameters::TAGS], findings);
        report_compiled_in(&left_out(&[host, device, flash]), findings);
        let host = HostParameters::read(host, findings);
        let device = DeviceParameters::read(device, findings);
        let flash = FlashParameters::read(flash, findings);
        let (document, root) = (Arc::clone(document), root.name_span.clone());
        Some(Self { host: host?, device: device?, flash: flash?, document, root })
    }

    /// Planes of the drive, lowest level last: channels, chips of a channel, dies of a chip, planes of a die.
    pub(super) fn shape(&self) -> [u32; 4] {
        [
            self.device.flash_channel_count.value,
            self.device.chip_no_per_channel.value,
            self.flash.die_no_per_chip.value,
            self.flash.plane_no_per_die.value,
        ]
    }
}

/// The tags that the file does not give.
fn left_out(sets: &[&Element; 3]) -> Vec<String> {
    let tags = [HostParameters::TAGS, DeviceParameters::TAGS, FlashParameters::TAGS];
    let absent = |(set, tags): (&&Element, &&[&'static str])| {
        let is_absent = |tag: &&&str| set.named(tag).next().is_none();
        tags.iter().filter(is_absent).map(|tag| (*tag).to_owned()).collect::<Vec<_>>()
    };
    sets.iter().zip(&tags).flat_map(absent).collect()
}
