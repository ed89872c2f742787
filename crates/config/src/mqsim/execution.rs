//! MQSim's `ssdconfig.xml`: host link, device, flash chips.
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
    /// Host interface protocol.
    HostInterface {
        /// NVMe: submission and completion queues over PCIe.
        Nvme = "NVME",
        /// SATA: one native command queue.
        Sata = "SATA",
    }
    /// Memory technology.
    MemoryType {
        /// NAND flash.
        Flash = "FLASH",
    }
    /// Manager of the data cache.
    CachingMechanism {
        /// Not functional: with a cache in use MQSim stops.
        Simple = "SIMPLE",
        /// A cache in DRAM.
        Advanced = "ADVANCED",
    }
    /// Sharing of a resource between flows.
    SharingMode {
        /// All flows share the whole resource.
        Shared = "SHARED",
        /// Each flow has an equal partition.
        EqualPartitioning = "EQUAL_PARTITIONING",
    }
    /// Unit of address mapping.
    AddressMapping {
        /// Page.
        PageLevel = "PAGE_LEVEL",
        /// Hybrid of blocks and pages; its methods are empty in MQSim.
        Hybrid = "HYBRID",
    }
    /// Scheduling policy of flash transactions.
    Scheduling {
        /// Reads before writes before erases.
        OutOfOrder = "OUT_OF_ORDER",
        /// Reads before writes before erases, within each priority class.
        PriorityOutOfOrder = "PRIORITY_OUT_OF_ORDER",
        /// Fairness between flows.
        Flin = "FLIN",
    }
    /// Victim selection of garbage collection.
    VictimSelection {
        /// Block with the most invalid pages.
        Greedy = "GREEDY",
        /// Best block of a random sample.
        Rga = "RGA",
        /// Random block.
        Random = "RANDOM",
        /// Random full block.
        RandomP = "RANDOM_P",
        /// Random full block with enough invalid pages.
        RandomPp = "RANDOM_PP",
        /// Block that was opened first.
        Fifo = "FIFO",
    }
    /// Interface protocol of the flash chips.
    FlashProtocol {
        /// ONFI NV-DDR2.
        Nvddr2 = "NVDDR2",
    }
    /// Number of bits per cell.
    FlashTechnology {
        /// One.
        Slc = "SLC",
        /// Two.
        Mlc = "MLC",
        /// Three.
        Tlc = "TLC",
    }
    /// Operations of a chip that can be suspended.
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
    /// `Host_Parameter_Set`: host link and response-time log.
    HostParameters {
        /// Data rate of one PCIe lane, in GB/s.
        pcie_lane_bandwidth: Setting<f64> = "PCIe_Lane_Bandwidth", Limits::within(0.001, 1000.0), default(0.4);
        /// Number of PCIe lanes.
        pcie_lane_count: Setting<u32> = "PCIe_Lane_Count", Limits::within(1, 64), default(4);
        /// Delay of the host's SATA adapter in each direction, in ns; used with `HostInterface_Type` SATA.
        sata_processing_delay: Setting<u64> = "SATA_Processing_Delay", Limits::ANY, default(0);
        /// True if response times are logged.
        enable_response_time_logging: Setting<bool> = "Enable_ResponseTime_Logging", Limits::ANY, default(false);
        /// Sampling period of the response-time log, in ns.
        response_time_logging_period_length: Setting<u64> =
            "ResponseTime_Logging_Period_Length", Limits::ANY, default(400_000);
    }

    /// `Device_Parameter_Set`: controller, FTL, and array of chips.
    DeviceParameters {
        /// Seed of the device's random choices.
        seed: Setting<i32> = "Seed", Limits::ANY, default(123);
        /// True if the drive is preconditioned before the run.
        enabled_preconditioning: Setting<bool> = "Enabled_Preconditioning", Limits::ANY, default(true);
        /// Memory technology.
        memory_type: Setting<MemoryType> = "Memory_Type", Limits::ANY, default(MemoryType::Flash);
        /// Host interface protocol.
        host_interface_type: Setting<HostInterface> =
            "HostInterface_Type", Limits::ANY, default(HostInterface::Nvme);
        /// Entries of a submission or completion queue, one of them always empty; with SATA, of the command
        /// queue.
        io_queue_depth: Setting<u16> = "IO_Queue_Depth", Limits::within(2, u16::MAX), default(1024);
        /// Maximum number of commands of one flow in progress in the drive.
        queue_fetch_size: Setting<u16> = "Queue_Fetch_Size", Limits::within(1, u16::MAX), default(512);
        /// Manager of the data cache.
        caching_mechanism: Setting<CachingMechanism> =
            "Caching_Mechanism", Limits::ANY, default(CachingMechanism::Advanced);
        /// Sharing of the data cache between flows.
        data_cache_sharing_mode: Setting<SharingMode> =
            "Data_Cache_Sharing_Mode", Limits::ANY, default(SharingMode::Shared);
        /// Capacity of the data cache, in bytes.
        data_cache_capacity: Setting<u64> = "Data_Cache_Capacity", Limits::ANY, default(512 << 20);
        /// Row size of the cache's DRAM, in bytes.
        data_cache_dram_row_size: Setting<u32> =
            "Data_Cache_DRAM_Row_Size", Limits::within(1, u32::MAX), default(8192);
        /// Transfer rate of the cache's DRAM, in MT/s.
        data_cache_dram_data_rate: Setting<u32> =
            "Data_Cache_DRAM_Data_Rate", Limits::within(1, u32::MAX), default(800);
        /// Burst size of the cache's DRAM, in bytes; the tag has this spelling.
        data_cache_dram_data_burst_size: Setting<u32> =
            "Data_Cache_DRAM_Data_Busrt_Size", Limits::within(1, u32::MAX), default(4);
        /// tRCD of the cache's DRAM, in ns.
        data_cache_dram_t_rcd: Setting<u64> = "Data_Cache_DRAM_tRCD", Limits::ANY, default(13);
        /// tCL of the cache's DRAM, in ns.
        data_cache_dram_t_cl: Setting<u64> = "Data_Cache_DRAM_tCL", Limits::ANY, default(13);
        /// tRP of the cache's DRAM, in ns.
        data_cache_dram_t_rp: Setting<u64> = "Data_Cache_DRAM_tRP", Limits::ANY, default(13);
        /// Unit of address mapping.
        address_mapping: Setting<AddressMapping> =
            "Address_Mapping", Limits::ANY, default(AddressMapping::PageLevel);
        /// True if the complete mapping table is in memory.
        ideal_mapping_table: Setting<bool> = "Ideal_Mapping_Table", Limits::ANY, default(false);
        /// Capacity of the cached mapping table, in bytes.
        cmt_capacity: Setting<u64> = "CMT_Capacity", Limits::ANY, default(2 << 20);
        /// Sharing of the cached mapping table between flows.
        cmt_sharing_mode: Setting<SharingMode> = "CMT_Sharing_Mode", Limits::ANY, default(SharingMode::Shared);
        /// Striping order of logical pages; the dimension of the first letter varies fastest.
        plane_allocation_scheme: Setting<PlaneOrder> =
            "Plane_Allocation_Scheme", Limits::ANY, default(PlaneOrder("CWDP"));
        /// Scheduling policy of flash transactions.
        transaction_scheduling_policy: Setting<Scheduling> =
            "Transaction_Scheduling_Policy", Limits::ANY, default(Scheduling::OutOfOrder);
        /// Share of the raw capacity reserved for over-provisioning, 0 to 1.
        overprovisioning_ratio: Setting<f64> = "Overprovisioning_Ratio", Limits::within(0.0, 0.9), default(0.07);
        /// Free-block threshold of garbage collection, as a share of a plane's blocks, 0 to 1.
        gc_exec_threshold: Setting<f64> = "GC_Exec_Threshold", Limits::within(0.0, 0.5), default(0.05);
        /// Victim selection of garbage collection.
        gc_block_selection_policy: Setting<VictimSelection> =
            "GC_Block_Selection_Policy", Limits::ANY, default(VictimSelection::Rga);
        /// True if valid pages are relocated by copyback within a chip.
        use_copyback_for_gc: Setting<bool> = "Use_Copyback_for_GC", Limits::ANY, default(false);
        /// True if host requests precede garbage collection until it is urgent.
        preemptible_gc_enabled: Setting<bool> = "Preemptible_GC_Enabled", Limits::ANY, default(true);
        /// Free-block threshold of urgent garbage collection, as a share of a plane's blocks, 0 to 1.
        gc_hard_threshold: Setting<f64> = "GC_Hard_Threshold", Limits::within(0.0, 0.5), default(0.005);
        /// True for dynamic wear levelling (least worn free block first); MQSim always enables it.
        dynamic_wearleveling_enabled: Setting<bool> = "Dynamic_Wearleveling_Enabled", Limits::ANY, default(true);
        /// True for static wear levelling (relocation of cold blocks); MQSim always enables it.
        static_wearleveling_enabled: Setting<bool> = "Static_Wearleveling_Enabled", Limits::ANY, default(true);
        /// Difference of erase counts that triggers static wear levelling; MQSim always uses 100.
        static_wearleveling_threshold: Setting<u32> = "Static_Wearleveling_Threshold", Limits::ANY, default(100);
        /// Minimum time of an erase before a read may suspend it, in ns; MQSim never suspends.
        preferred_suspend_erase_time_for_read: Setting<u64> =
            "Preferred_suspend_erase_time_for_read", Limits::ANY, default(700_000);
        /// Minimum time of an erase before a write may suspend it, in ns; MQSim never suspends.
        preferred_suspend_erase_time_for_write: Setting<u64> =
            "Preferred_suspend_erase_time_for_write", Limits::ANY, default(700_000);
        /// Minimum time of a program before a read may suspend it, in ns; MQSim never suspends.
        preferred_suspend_write_time_for_read: Setting<u64> =
            "Preferred_suspend_write_time_for_read", Limits::ANY, default(100_000);
        /// Number of channels.
        flash_channel_count: Setting<u32> = "Flash_Channel_Count", Limits::within(1, 256), default(8);
        /// Width of a channel, in bytes.
        flash_channel_width: Setting<u32> = "Flash_Channel_Width", Limits::within(1, 64), default(1);
        /// Transfer rate of a channel, in MT/s.
        channel_transfer_rate: Setting<u32> = "Channel_Transfer_Rate", Limits::within(1, 100_000), default(300);
        /// Number of chips per channel.
        chip_no_per_channel: Setting<u32> = "Chip_No_Per_Channel", Limits::within(1, 256), default(4);
        /// Interface protocol of the flash chips.
        flash_comm_protocol: Setting<FlashProtocol> =
            "Flash_Comm_Protocol", Limits::ANY, default(FlashProtocol::Nvddr2);
    }

    /// `Flash_Parameter_Set`: flash chips.
    FlashParameters {
        /// Number of bits per cell.
        flash_technology: Setting<FlashTechnology> =
            "Flash_Technology", Limits::ANY, default(FlashTechnology::Mlc);
        /// Operations that can be suspended; MQSim never suspends.
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
        /// Endurance in erases per block; MQSim ignores it.
        block_pe_cycles_limit: Setting<u32> = "Block_PE_Cycles_Limit", Limits::ANY, default(10_000);
        /// Time to suspend an erase, in ns; MQSim never suspends.
        suspend_erase_time: Setting<u64> = "Suspend_Erase_Time", Limits::ANY, default(700_000);
        /// Time to suspend a program, in ns; MQSim never suspends.
        suspend_program_time: Setting<u64> = "Suspend_Program_Time", Limits::ANY, default(100_000);
        /// Number of dies per chip.
        die_no_per_chip: Setting<u32> = "Die_No_Per_Chip", Limits::within(1, 16), default(2);
        /// Number of planes per die.
        plane_no_per_die: Setting<u32> = "Plane_No_Per_Die", Limits::within(1, 16), default(2);
        /// Number of blocks per plane.
        block_no_per_plane: Setting<u32> = "Block_No_Per_Plane", Limits::within(1, 1_048_576), default(2048);
        /// Number of pages per block.
        page_no_per_block: Setting<u32> = "Page_No_Per_Block", Limits::within(1, 65_536), default(256);
        /// Data size of a page, in bytes.
        page_capacity: Setting<u32> = "Page_Capacity", Limits::within(1, u32::MAX), default(8192);
        /// Spare area of a page, in bytes; the tag has this spelling, and MQSim never transfers the spare
        /// area.
        page_metadata_capacity: Setting<u32> = "Page_Metadat_Capacity", Limits::ANY, default(1872);
    }
}

const ROOT: &str = "Execution_Parameter_Set";
const HOST: &str = "Host_Parameter_Set";
const DEVICE: &str = "Device_Parameter_Set";
const FLASH: &str = "Flash_Parameter_Set";

/// Spellings that MQSim reads but does not write. Since MQSim never suspends, the values have no effect.
const ODD_SPELLINGS: &[&str] = &["Prefered_suspend_erase_time_for_read"];

/// Content of `ssdconfig.xml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// Host link and response-time log.
    pub host: HostParameters,
    /// Controller and array of chips.
    pub device: DeviceParameters,
    /// Flash chips.
    pub flash: FlashParameters,
    /// Source file.
    pub(super) document: Arc<Document>,
    /// Place of values that the file omits: the name of the outermost tag.
    pub(super) root: Range<usize>,
}

impl Execution {
    /// Name of the outermost tag.
    pub(super) const ROOT: &'static str = ROOT;

    /// Reads all three parameter sets; a missing set has MQSim's compiled-in values.
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

    /// Returns the numbers of channels, chips per channel, dies per chip, and planes per die.
    pub(super) fn shape(&self) -> [u32; 4] {
        [
            self.device.flash_channel_count.value,
            self.device.chip_no_per_channel.value,
            self.flash.die_no_per_chip.value,
            self.flash.plane_no_per_die.value,
        ]
    }
}

/// Returns the tags that the file omits.
fn left_out(sets: &[&Element; 3]) -> Vec<String> {
    let tags = [HostParameters::TAGS, DeviceParameters::TAGS, FlashParameters::TAGS];
    let absent = |(set, tags): (&&Element, &&[&'static str])| {
        let is_absent = |tag: &&&str| set.named(tag).next().is_none();
        tags.iter().filter(is_absent).map(|tag| (*tag).to_owned()).collect::<Vec<_>>()
    };
    sets.iter().zip(&tags).flat_map(absent).collect()
}
