//! MQSim's `ssdconfig.xml`: host link, device, flash chips.
//!
//! # Source
//! Tags, defaults and units are those of MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3.

use std::ops::Range;
use std::sync::Arc;

use super::finding::Findings;
use super::parameters::{parameter_sets, report_compiled_in, report_unknown};
use super::tag_types::{PlaneOrder, TaggedValue, ValueLimits, names};
use super::tree::Element;
use venice_config::Document;

names! {
    /// Host interface protocol.
    HostInterface {
        /// NVMe: submission and completion queues over PCIe.
        Nvme = "NVME",
        /// SATA: one native command queue.
        Sata = "SATA",
    }
    /// Memory technology of the drive.
    MemoryType {
        /// NAND flash.
        Flash = "FLASH",
    }
    /// Design of the data cache.
    CachingMechanism {
        /// Simple cache. MQSim stops with an error if a flow uses it.
        Simple = "SIMPLE",
        /// Data cache in DRAM, which MQSim implements.
        Advanced = "ADVANCED",
    }
    /// Sharing of a resource between the flows of a scenario.
    SharingMode {
        /// All flows share the whole of the resource.
        Shared = "SHARED",
        /// Each flow has an equal part.
        EqualPartitioning = "EQUAL_PARTITIONING",
    }
    /// Granularity of address mapping.
    AddressMapping {
        /// Mapping table with an entry for each page.
        PageLevel = "PAGE_LEVEL",
        /// Mapping of blocks and pages; not implemented in MQSim.
        Hybrid = "HYBRID",
    }
    /// Scheduling policy of flash transactions.
    Scheduling {
        /// Out-of-order scheduling, with reads before writes and writes before erases.
        OutOfOrder = "OUT_OF_ORDER",
        /// Out-of-order scheduling within each priority class, with reads before writes and writes before
        /// erases.
        PriorityOutOfOrder = "PRIORITY_OUT_OF_ORDER",
        /// Scheduling for fairness between flows.
        Flin = "FLIN",
    }
    /// Victim selection of garbage collection.
    VictimSelection {
        /// The victim is the block with the most invalid pages.
        Greedy = "GREEDY",
        /// The victim is the best block of a random sample.
        Rga = "RGA",
        /// The victim is a random block, possibly one without invalid pages.
        Random = "RANDOM",
        /// The victim is a random full block.
        RandomP = "RANDOM_P",
        /// The victim is a random full block with enough invalid pages.
        RandomPp = "RANDOM_PP",
        /// The victim is the block that was opened first.
        Fifo = "FIFO",
    }
    /// Interface protocol of the flash chips.
    FlashProtocol {
        /// ONFI NV-DDR2 interface.
        Nvddr2 = "NVDDR2",
    }
    /// Number of bits per cell.
    FlashTechnology {
        /// One bit per cell (SLC).
        Slc = "SLC",
        /// Two bits per cell (MLC).
        Mlc = "MLC",
        /// Three bits per cell (TLC).
        Tlc = "TLC",
    }
    /// Operations of a chip that can be suspended.
    Suspension {
        /// No operation can be suspended.
        None = "NONE",
        /// Only programs can be suspended.
        Program = "PROGRAM",
        /// Programs and erases can be suspended.
        ProgramErase = "PROGRAM_ERASE",
        /// Only erases can be suspended.
        Erase = "ERASE",
    }
}

parameter_sets! {
    /// `Host_Parameter_Set`: host link and response-time log.
    HostParameters {
        /// Transfer rate of one PCIe lane, in GB/s.
        pcie_lane_bandwidth: TaggedValue<f64> = "PCIe_Lane_Bandwidth", ValueLimits::within(0.001, 1000.0), default(0.4);
        /// Number of PCIe lanes.
        pcie_lane_count: TaggedValue<u32> = "PCIe_Lane_Count", ValueLimits::within(1, 64), default(4);
        /// Delay of the host's SATA adapter in each direction, in ns; used with `HostInterface_Type` SATA.
        sata_processing_delay: TaggedValue<u64> = "SATA_Processing_Delay", ValueLimits::ANY, default(0);
        /// True if MQSim logs response times; no effect in Venice.
        enable_response_time_logging: TaggedValue<bool> = "Enable_ResponseTime_Logging", ValueLimits::ANY, default(false);
        /// Sampling period of the response-time log, in ns.
        response_time_logging_period_length: TaggedValue<u64> =
            "ResponseTime_Logging_Period_Length", ValueLimits::ANY, default(400_000);
    }

    /// `Device_Parameter_Set`: controller, FTL, and array of chips.
    DeviceParameters {
        /// Seed of the device's random number generators.
        seed: TaggedValue<i32> = "Seed", ValueLimits::ANY, default(123);
        /// True if the drive is preconditioned before the run.
        enabled_preconditioning: TaggedValue<bool> = "Enabled_Preconditioning", ValueLimits::ANY, default(true);
        /// Memory type; `FLASH` is the only value.
        memory_type: TaggedValue<MemoryType> = "Memory_Type", ValueLimits::ANY, default(MemoryType::Flash);
        /// Host interface protocol.
        host_interface_type: TaggedValue<HostInterface> =
            "HostInterface_Type", ValueLimits::ANY, default(HostInterface::Nvme);
        /// Number of entries of each submission and completion queue, one of which is always empty. With
        /// SATA, it applies to the single command queue.
        io_queue_depth: TaggedValue<u16> = "IO_Queue_Depth", ValueLimits::within(2, u16::MAX), default(1024);
        /// Maximum number of commands of one flow that the drive executes concurrently.
        queue_fetch_size: TaggedValue<u16> = "Queue_Fetch_Size", ValueLimits::within(1, u16::MAX), default(512);
        /// Design of the data cache.
        caching_mechanism: TaggedValue<CachingMechanism> =
            "Caching_Mechanism", ValueLimits::ANY, default(CachingMechanism::Advanced);
        /// Sharing of the data cache among flows.
        data_cache_sharing_mode: TaggedValue<SharingMode> =
            "Data_Cache_Sharing_Mode", ValueLimits::ANY, default(SharingMode::Shared);
        /// Capacity of the data cache, in bytes.
        data_cache_capacity: TaggedValue<u64> = "Data_Cache_Capacity", ValueLimits::ANY, default(512 << 20);
        /// Row size of the cache's DRAM, in bytes.
        data_cache_dram_row_size: TaggedValue<u32> =
            "Data_Cache_DRAM_Row_Size", ValueLimits::within(1, u32::MAX), default(8192);
        /// Transfer rate of the cache's DRAM, in MT/s.
        data_cache_dram_data_rate: TaggedValue<u32> =
            "Data_Cache_DRAM_Data_Rate", ValueLimits::within(1, u32::MAX), default(800);
        /// Burst size of the cache's DRAM, in bytes. The tag is misspelt in MQSim.
        data_cache_dram_data_burst_size: TaggedValue<u32> =
            "Data_Cache_DRAM_Data_Busrt_Size", ValueLimits::within(1, u32::MAX), default(4);
        /// tRCD of the cache's DRAM, in ns.
        data_cache_dram_t_rcd: TaggedValue<u64> = "Data_Cache_DRAM_tRCD", ValueLimits::ANY, default(13);
        /// tCL of the cache's DRAM, in ns.
        data_cache_dram_t_cl: TaggedValue<u64> = "Data_Cache_DRAM_tCL", ValueLimits::ANY, default(13);
        /// tRP of the cache's DRAM, in ns.
        data_cache_dram_t_rp: TaggedValue<u64> = "Data_Cache_DRAM_tRP", ValueLimits::ANY, default(13);
        /// Granularity of address mapping.
        address_mapping: TaggedValue<AddressMapping> =
            "Address_Mapping", ValueLimits::ANY, default(AddressMapping::PageLevel);
        /// True if the complete mapping table is in memory.
        ideal_mapping_table: TaggedValue<bool> = "Ideal_Mapping_Table", ValueLimits::ANY, default(false);
        /// Capacity of the cached mapping table, in bytes.
        cmt_capacity: TaggedValue<u64> = "CMT_Capacity", ValueLimits::ANY, default(2 << 20);
        /// Sharing of the cached mapping table among flows: one table, or a part for each flow.
        cmt_sharing_mode: TaggedValue<SharingMode> = "CMT_Sharing_Mode", ValueLimits::ANY, default(SharingMode::Shared);
        /// Striping order of logical pages; the dimension of the first letter varies fastest.
        plane_allocation_scheme: TaggedValue<PlaneOrder> =
            "Plane_Allocation_Scheme", ValueLimits::ANY, default(PlaneOrder("CWDP"));
        /// Scheduling policy of flash transactions.
        transaction_scheduling_policy: TaggedValue<Scheduling> =
            "Transaction_Scheduling_Policy", ValueLimits::ANY, default(Scheduling::OutOfOrder);
        /// Share of the raw capacity reserved for over-provisioning, 0 to 1.
        overprovisioning_ratio: TaggedValue<f64> = "Overprovisioning_Ratio", ValueLimits::within(0.0, 0.9), default(0.07);
        /// Free-block threshold of garbage collection, as a fraction of a plane's blocks.
        gc_exec_threshold: TaggedValue<f64> = "GC_Exec_Threshold", ValueLimits::within(0.0, 0.5), default(0.05);
        /// Victim selection of garbage collection.
        gc_block_selection_policy: TaggedValue<VictimSelection> =
            "GC_Block_Selection_Policy", ValueLimits::ANY, default(VictimSelection::Rga);
        /// True if valid pages are relocated by copyback within a chip.
        use_copyback_for_gc: TaggedValue<bool> = "Use_Copyback_for_GC", ValueLimits::ANY, default(false);
        /// True if host requests precede garbage collection until it is urgent.
        preemptible_gc_enabled: TaggedValue<bool> = "Preemptible_GC_Enabled", ValueLimits::ANY, default(true);
        /// Free-block threshold of urgent garbage collection, as a share of a plane's blocks, 0 to 1.
        gc_hard_threshold: TaggedValue<f64> = "GC_Hard_Threshold", ValueLimits::within(0.0, 0.5), default(0.005);
        /// True for dynamic wear levelling (least worn free block first); MQSim always enables it.
        dynamic_wearleveling_enabled: TaggedValue<bool> = "Dynamic_Wearleveling_Enabled", ValueLimits::ANY, default(true);
        /// True for static wear levelling (relocation of cold blocks); MQSim always enables it.
        static_wearleveling_enabled: TaggedValue<bool> = "Static_Wearleveling_Enabled", ValueLimits::ANY, default(true);
        /// Difference of erase counts that triggers static wear levelling; MQSim always uses 100.
        static_wearleveling_threshold: TaggedValue<u32> = "Static_Wearleveling_Threshold", ValueLimits::ANY, default(100);
        /// Minimum remaining time of an erase for which a read suspends it, in ns. MQSim never suspends.
        preferred_suspend_erase_time_for_read: TaggedValue<u64> =
            "Preferred_suspend_erase_time_for_read", ValueLimits::ANY, default(700_000);
        /// Minimum remaining time of an erase for which a write suspends it, in ns. MQSim never suspends.
        preferred_suspend_erase_time_for_write: TaggedValue<u64> =
            "Preferred_suspend_erase_time_for_write", ValueLimits::ANY, default(700_000);
        /// Minimum remaining time of a program for which a read suspends it, in ns. MQSim never suspends.
        preferred_suspend_write_time_for_read: TaggedValue<u64> =
            "Preferred_suspend_write_time_for_read", ValueLimits::ANY, default(100_000);
        /// Number of channels.
        flash_channel_count: TaggedValue<u32> = "Flash_Channel_Count", ValueLimits::within(1, 256), default(8);
        /// Width of a channel, in bytes.
        flash_channel_width: TaggedValue<u32> = "Flash_Channel_Width", ValueLimits::within(1, 64), default(1);
        /// Transfer rate of a channel, in MT/s.
        channel_transfer_rate: TaggedValue<u32> = "Channel_Transfer_Rate", ValueLimits::within(1, 100_000), default(300);
        /// Number of chips per channel.
        chip_no_per_channel: TaggedValue<u32> = "Chip_No_Per_Channel", ValueLimits::within(1, 256), default(4);
        /// Interface protocol of the flash chips.
        flash_comm_protocol: TaggedValue<FlashProtocol> =
            "Flash_Comm_Protocol", ValueLimits::ANY, default(FlashProtocol::Nvddr2);
    }

    /// `Flash_Parameter_Set`: flash chips.
    FlashParameters {
        /// Number of bits per cell.
        flash_technology: TaggedValue<FlashTechnology> =
            "Flash_Technology", ValueLimits::ANY, default(FlashTechnology::Mlc);
        /// Operations that can be suspended. MQSim never suspends.
        cmd_suspension_support: TaggedValue<Suspension> =
            "CMD_Suspension_Support", ValueLimits::ANY, default(Suspension::Erase);
        /// Array read time of a page of least significant bits (LSB), in ns.
        page_read_latency_lsb: TaggedValue<u64> = "Page_Read_Latency_LSB", ValueLimits::ANY, default(75_000);
        /// Array read time of a page of central bits (CSB), in ns; TLC only.
        page_read_latency_csb: TaggedValue<u64> = "Page_Read_Latency_CSB", ValueLimits::ANY, default(75_000);
        /// Array read time of a page of most significant bits (MSB), in ns; MLC and TLC.
        page_read_latency_msb: TaggedValue<u64> = "Page_Read_Latency_MSB", ValueLimits::ANY, default(75_000);
        /// Array program time of a page of least significant bits (LSB), in ns.
        page_program_latency_lsb: TaggedValue<u64> = "Page_Program_Latency_LSB", ValueLimits::ANY, default(750_000);
        /// Array program time of a page of central bits (CSB), in ns; TLC only.
        page_program_latency_csb: TaggedValue<u64> = "Page_Program_Latency_CSB", ValueLimits::ANY, default(750_000);
        /// Array program time of a page of most significant bits (MSB), in ns; MLC and TLC.
        page_program_latency_msb: TaggedValue<u64> = "Page_Program_Latency_MSB", ValueLimits::ANY, default(750_000);
        /// Block erase time, in ns.
        block_erase_latency: TaggedValue<u64> = "Block_Erase_Latency", ValueLimits::ANY, default(3_800_000);
        /// Endurance in erases per block; MQSim ignores it.
        block_pe_cycles_limit: TaggedValue<u32> = "Block_PE_Cycles_Limit", ValueLimits::ANY, default(10_000);
        /// Time to suspend an erase, in ns; MQSim never suspends.
        suspend_erase_time: TaggedValue<u64> = "Suspend_Erase_Time", ValueLimits::ANY, default(700_000);
        /// Time to suspend a program, in ns; MQSim never suspends.
        suspend_program_time: TaggedValue<u64> = "Suspend_Program_Time", ValueLimits::ANY, default(100_000);
        /// Number of dies per chip.
        die_no_per_chip: TaggedValue<u32> = "Die_No_Per_Chip", ValueLimits::within(1, 16), default(2);
        /// Number of planes per die.
        plane_no_per_die: TaggedValue<u32> = "Plane_No_Per_Die", ValueLimits::within(1, 16), default(2);
        /// Number of blocks per plane.
        block_no_per_plane: TaggedValue<u32> = "Block_No_Per_Plane", ValueLimits::within(1, 1_048_576), default(2048);
        /// Number of pages per block.
        page_no_per_block: TaggedValue<u32> = "Page_No_Per_Block", ValueLimits::within(1, 65_536), default(256);
        /// Data size of a page, in bytes.
        page_capacity: TaggedValue<u32> = "Page_Capacity", ValueLimits::within(1, u32::MAX), default(8192);
        /// Spare area of a page, in bytes. MQSim never transfers it. The tag is misspelt in MQSim.
        page_metadata_capacity: TaggedValue<u32> = "Page_Metadat_Capacity", ValueLimits::ANY, default(1872);
    }
}

const ROOT: &str = "Execution_Parameter_Set";
const HOST: &str = "Host_Parameter_Set";
const DEVICE: &str = "Device_Parameter_Set";
const FLASH: &str = "Flash_Parameter_Set";

/// Misspelt tags that MQSim also accepts. They concern suspension, which MQSim never performs, so their
/// values have no effect.
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
    /// Location of the outermost tag, reported for values that the file omits.
    pub(super) root: Range<usize>,
}

impl Execution {
    /// Name of the outermost tag.
    pub(super) const ROOT: &'static str = ROOT;

    /// Reads the parameter sets of host, device and flash chips. For a missing set, uses MQSim's compiled-in
    /// values.
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

    /// Returns the number of channels, of chips per channel, of dies per chip, and of planes per die.
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
