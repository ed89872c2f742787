//! Conversion of MQSim's device configuration to the table of a drive file.
//!
//! # What it models
//! All parameters that both simulators have. The module `unsupported_features` reports the others.
//!
//! # How
//! Each value cites its tag as its source. Its location is the text of the tag, so an error message shows the
//! tag of a rejected value. MQSim rounds the time of a transfer to whole nanoseconds; if this changes a rate
//! by more than one percent, the configured rate is used instead.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3; the packets of the link follow its `PCIe_Link.h`.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use venice_config::NamedTable;
use venice_params::{PositionedValue, RawField, RawTable, RawValue};
use venice_requests::SECTOR_BYTES;

use super::execution::{
    CachingMechanism, Execution, FlashTechnology, HostInterface, Scheduling, SharingMode,
};
use super::tag_types::{IdList, TagType, TaggedValue};
use super::unsupported_features::REPORTED_RATE_DIFFERENCE;
use super::workload::{CachingMode, FlowParameters, PriorityClass, Scenario};

/// Time that MQSim adds to each read for the ready/busy signal of the chip, in ns.
const READ_BUSY_NS: u64 = 20;
/// Number of free blocks below which MQSim starts garbage collection regardless of the threshold.
const FREE_BLOCKS_MIN: u32 = 10;
const WHOLE_NS_NOTE: &str = "transfer times in whole ns, as in MQSim, if that is within one per cent";
/// Difference of erase counts that triggers wear levelling; a constant in the code of MQSim.
const WEAR_THRESHOLD: u32 = 100;
/// Packet and message sizes of MQSim's PCIe link (`PCIe_Link.h`).
const LINK: &[(&str, u32, &str)] = &[
    ("host.packet_payload_bytes", 128, "MQSim, PCIe_Link.h"),
    (
        "host.packet_header_bytes",
        28,
        "MQSim, PCIe_Link.h: 20 of the transaction, 6 of the data link, 2 of the physical layer",
    ),
    ("host.command_bytes", 72, "the size of MQSim's submission entry, 64 in NVM Express"),
    ("host.completion_bytes", 16, "NVM Express: a completion queue entry"),
    ("host.doorbell_bytes", 2, "MQSim's doorbells have 16 bits"),
    ("host.read_request_bytes", 4, "MQSim, PCIe_Link.h"),
];
/// Timing of ONFI NV-DDR2 as compiled into MQSim, in ns.
const NVDDR2_NS: &[(&str, f64)] = &[
    ("flash.command.t_cs_ns", 20.0),
    ("flash.command.t_wc_ns", 25.0),
    ("flash.command.t_wb_ns", 100.0),
    ("flash.command.t_rr_ns", 20.0),
    ("flash.command.t_dbsy_ns", 500.0),
    ("flash.command.t_adl_ns", 70.0),
    ("flash.command.t_wpst_ns", 6.0),
    ("flash.command.t_wpsth_ns", 15.0),
    ("flash.command.t_cals_ns", 15.0),
];

/// Returns the configuration of the drive. The flows of the scenario determine cache modes, resources and
/// priority classes; without a scenario, the drive has one address range and no data cache.
pub(super) fn table(execution: &Execution, scenario: Option<&Scenario>) -> NamedTable {
    let mut draft = LayerDraft { execution, file: file_name(&execution.document.name), fields: Vec::new() };
    let title =
        Path::new(&draft.file).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into());
    draft.top();
    draft.array();
    draft.flash();
    draft.commands();
    if let Some(scenario) = scenario {
        draft.partitions(scenario);
    }
    draft.ftl(scenario);
    draft.cache(scenario);
    draft.host(scenario);
    let table = RawTable(draft.fields);
    NamedTable { document: Arc::clone(&execution.document), table, title }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Configuration layer under construction.
struct LayerDraft<'a> {
    execution: &'a Execution,
    file: String,
    fields: Vec<RawField>,
}

impl LayerDraft<'_> {
    fn top(&mut self) {
        let span = self.execution.root.clone();
        let source = format!("{}, a configuration of MQSim (Tavakkol et al., FAST 2018)", self.file);
        self.fields.push(field("source", span, RawValue::Text(source)));
    }

    fn array(&mut self) {
        let device = &self.execution.device;
        self.copy("array.rows", &device.flash_channel_count, |&n| whole(n));
        self.copy("array.cols", &device.chip_no_per_channel, |&n| whole(n));
        self.constant("fabric.name", RawValue::Text("bus".to_owned()), "channels are shared buses");
        let note = "read data has priority on a channel";
        self.constant("fabric.first_on_path", RawValue::Text("data".to_owned()), note);
        let width = device.flash_channel_width.value;
        let note = format!(" MT/s, {width} bytes wide, {WHOLE_NS_NOTE}");
        self.derive("fabric.channel_rate_mb_per_s", &device.channel_transfer_rate, &note, |&rate| {
            RawValue::Float(effective_rate(rate) * f64::from(width))
        });
    }

    fn flash(&mut self) {
        let flash = &self.execution.flash;
        self.copy("flash.dies_per_chip", &flash.die_no_per_chip, |&n| whole(n));
        self.copy("flash.planes_per_die", &flash.plane_no_per_die, |&n| whole(n));
        self.copy("flash.blocks_per_plane", &flash.block_no_per_plane, |&n| whole(n));
        self.copy("flash.pages_per_block", &flash.page_no_per_block, |&n| whole(n));
        self.copy("flash.page_bytes", &flash.page_capacity, |&n| whole(n));
        let reads =
            [&flash.page_read_latency_lsb, &flash.page_read_latency_csb, &flash.page_read_latency_msb];
        let programs = [
            &flash.page_program_latency_lsb,
            &flash.page_program_latency_csb,
            &flash.page_program_latency_msb,
        ];
        let (mut reads, mut programs) = (self.by_page_type(reads), self.by_page_type(programs));
        if is_uniform(&reads) && is_uniform(&programs) {
            reads.truncate(1);
            programs.truncate(1);
        }
        let note = format!(" ns, and {READ_BUSY_NS} ns that MQSim's chips add to every read");
        self.page_times("flash.t_read_us", &reads, READ_BUSY_NS, &note);
        self.page_times("flash.t_prog_us", &programs, 0, " ns");
        let note = "the order of page types that is compiled into MQSim, Flash_Chip.h";
        self.constant("flash.page_type_order", RawValue::Text("mqsim".to_owned()), note);
        self.derive("flash.t_bers_us", &flash.block_erase_latency, " ns", |&ns| microseconds(ns));
        self.constant(
            "flash.multiplane",
            RawValue::Boolean(true),
            "planes of a die form multi-plane commands",
        );
        let note = "multi-plane transactions have the same page offset";
        self.constant("flash.multiplane_same_offset", RawValue::Boolean(true), note);
        let note = "MQSim's chips take no command before the last one of any of their dies is finished";
        self.constant("flash.die_work", RawValue::Text("one_at_a_time".to_owned()), note);
        let note = "MQSim's schedulers never suspend, regardless of CMD_Suspension_Support";
        self.constant("flash.suspend.operations", RawValue::Text("none".to_owned()), note);
    }

    /// Returns the latencies that exist for the cell type: MLC has no central (CSB) pages, and SLC has only
    /// one kind of page.
    fn by_page_type<'s>(&self, [lsb, csb, msb]: [&'s TaggedValue<u64>; 3]) -> Vec<&'s TaggedValue<u64>> {
        match self.execution.flash.flash_technology.value {
            FlashTechnology::Slc => vec![lsb],
            FlashTechnology::Mlc => vec![lsb, msb],
            FlashTechnology::Tlc => vec![lsb, csb, msb],
        }
    }

    fn page_times(&mut self, key: &str, times: &[&TaggedValue<u64>], more_ns: u64, note: &str) {
        let values = times.iter().map(|time| PositionedValue {
            span: self.span(time),
            value: microseconds(time.value.saturating_add(more_ns)),
        });
        let value = RawValue::List(values.collect());
        let tags: Vec<&str> = times.iter().map(|time| time.tag).collect();
        let texts: Vec<String> = times.iter().map(|time| time.value.to_string()).collect();
        let source = format!("{}, {} = {}{note}", self.file, tags.join(", "), texts.join(", "));
        self.push(key, self.span(times[0]), value, source);
    }

    fn commands(&mut self) {
        let protocol = &self.execution.device.flash_comm_protocol;
        self.copy("flash.command.timing", protocol, |_| RawValue::Text("nvddr2".to_owned()));
        for (key, ns) in NVDDR2_NS {
            self.constant(key, RawValue::Float(*ns), "compiled into MQSim, ONFI_Channel_NVDDR2.h");
        }
        for key in ["flash.command.t_rpre_ns", "flash.command.t_dqsre_ns"] {
            self.constant(
                key,
                RawValue::Float(0.0),
                "MQSim computes the time before data output and does not apply it",
            );
        }
    }

    /// Adds an address range for each flow, with the flow's resources. With SATA there is only one range.
    fn partitions(&mut self, scenario: &Scenario) {
        if self.is_sata() {
            return;
        }
        let flows = scenario.flows.len() as u32;
        self.constant("partition.count", whole(flows), "MQSim: each flow has a range of addresses");
        let lists = |flow: &FlowParameters| {
            let common = flow.common.clone();
            [common.channel_ids, common.chip_ids, common.die_ids, common.plane_ids]
        };
        let keys = ["partition.channels", "partition.ways", "partition.dies", "partition.planes"];
        let tags = ["Channel_IDs", "Chip_IDs", "Die_IDs", "Plane_IDs"];
        for (level, count) in self.execution.shape().into_iter().enumerate() {
            let all: Vec<u32> = (0..count).collect();
            let of_flow = |flow| lists(flow)[level].as_ref().map_or(all.clone(), |list| numbers(&list.value));
            let named: Vec<Vec<u32>> = scenario.flows.iter().map(of_flow).collect();
            if named.iter().any(|list| *list != all) {
                self.lists(keys[level], &named, &format!("workload.xml, {} of each flow", tags[level]));
            }
        }
    }

    fn lists(&mut self, key: &str, lists: &[Vec<u32>], source: &str) {
        let span = self.execution.root.clone();
        let raw = |value| PositionedValue { span: span.clone(), value };
        let list = |list: &Vec<u32>| raw(RawValue::List(list.iter().map(|&n| raw(whole(n))).collect()));
        self.constant(key, RawValue::List(lists.iter().map(list).collect()), source);
    }

    fn names(&mut self, key: &str, names: impl Iterator<Item = &'static str>, source: &str) {
        let span = self.execution.root.clone();
        let raw = |name: &str| PositionedValue { span: span.clone(), value: RawValue::Text(name.to_owned()) };
        self.constant(key, RawValue::List(names.map(raw).collect()), source);
    }

    fn is_sata(&self) -> bool {
        self.execution.device.host_interface_type.value == HostInterface::Sata
    }

    fn ftl(&mut self, scenario: Option<&Scenario>) {
        let device = &self.execution.device;
        self.derive("ftl.over_provisioning_pct", &device.overprovisioning_ratio, "", |&ratio| percent(ratio));
        self.copy("ftl.allocation", &device.plane_allocation_scheme, |order| {
            RawValue::Text(order.0.to_owned())
        });
        self.constant(
            "ftl.allocation_mode",
            RawValue::Text("static".to_owned()),
            "MQSim's 24 orders are static",
        );
        self.copy("ftl.scheduling", &device.transaction_scheduling_policy, |policy| {
            let by_class = *policy == Scheduling::PriorityOutOfOrder;
            RawValue::Text(if by_class { "priority_out_of_order" } else { "out_of_order" }.to_owned())
        });
        self.map();
        self.pages(scenario);
        // Without flows the footprint is unknown, so unwritten data counts as present.
        let (fills, has_flows) = (&device.enabled_preconditioning, scenario.is_some());
        self.copy("ftl.unwritten_data", fills, |&filled| {
            RawValue::Text(if filled && !has_flows { "present" } else { "mapped_on_read" }.to_owned())
        });
        self.copy("precondition.mode", fills, |&filled| {
            RawValue::Text(if filled && has_flows { "mqsim" } else { "none" }.to_owned())
        });
        let note = "MQSim marks one sector of each page of a request, FTL.cpp";
        self.constant("precondition.filled_sectors", RawValue::Text("first_of_pieces".to_owned()), note);
        self.copy("ftl.victim", &device.gc_block_selection_policy, |policy| {
            RawValue::Text(policy.text().to_ascii_lowercase())
        });
        self.derive("ftl.gc_start_free_blocks_pct", &device.gc_exec_threshold, "", |&ratio| percent(ratio));
        let least = FREE_BLOCKS_MIN.min(self.execution.flash.block_no_per_plane.value / 2).max(2);
        let note = "MQSim always collects below 10 free blocks; here at most half of the plane's";
        self.constant("ftl.gc_start_free_blocks_min", whole(least), note);
        self.copy("ftl.gc_yields_to_host", &device.preemptible_gc_enabled, |&flag| RawValue::Boolean(flag));
        self.derive("ftl.gc_hard_free_blocks_pct", &device.gc_hard_threshold, "", |&ratio| percent(ratio));
        let note = "one block in MQSim; here the last free block is reserved for garbage collection anyway";
        self.constant("ftl.gc_hard_free_blocks_min", whole(2), note);
        let note = "all moves of a victim are issued together";
        self.constant("ftl.gc_moves_in_flight", whole(65_535), note);
        self.copy("ftl.gc_copyback", &device.use_copyback_for_gc, |&flag| RawValue::Boolean(flag));
        let note = "MQSim collects one block for each that becomes full, Flash_Block_Manager.cpp";
        self.constant("ftl.gc_trigger", RawValue::Text("full_block".to_owned()), note);
        let note = "MQSim's writes wait below 10 free blocks; here at most half of the plane's";
        self.constant("ftl.gc_stop_free_blocks", whole(least), note);
        self.wear();
    }

    /// Adds wear levelling, which is always enabled: MQSim's constructor ignores the switches in the file.
    fn wear(&mut self) {
        let note = "MQSim always levels wear, regardless of the file, SSD_Device.cpp";
        self.constant("ftl.dynamic_wear_levelling", RawValue::Boolean(true), note);
        self.constant("ftl.static_wear_levelling", RawValue::Boolean(true), note);
        let note = "compiled into MQSim, regardless of the file";
        self.constant("ftl.static_wear_levelling_threshold", whole(WEAR_THRESHOLD), note);
        let note = "MQSim compares the numbers of blocks, Flash_Block_Manager_Base.cpp";
        self.constant("ftl.wear_measure", RawValue::Text("block_numbers".to_owned()), note);
    }

    /// Adds the settings for page allocation: its time, and the blocks from which pages are taken.
    fn pages(&mut self, scenario: Option<&Scenario>) {
        let note = "MQSim allocates a page when it translates the write, and its scheduler overtakes pages";
        self.constant("ftl.page_allocation", RawValue::Text("at_arrival_any_order".to_owned()), note);
        let note = "MQSim splits requests at the page boundaries of the device, and numbers pages from the start of the flow";
        self.constant("ftl.page_cuts", RawValue::Text("device".to_owned()), note);
        let note = "MQSim reads the rest of an overwritten page and transfers only the new sectors";
        self.constant("ftl.update_transfer", RawValue::Text("new_sectors".to_owned()), note);
        let note = "MQSim assigns internal transactions of a request to the class high";
        self.constant("ftl.follow_up_class", RawValue::Text("high".to_owned()), note);
        if !self.is_sata() {
            let flows = scenario.map_or(1, |scenario| scenario.flows.len() as u32);
            let note = "each flow of MQSim fills separate blocks";
            self.constant("ftl.write_streams", whole(flows), note);
        }
    }

    /// Adds the mapping table and its cached part. Entries have the size of MQSim's: the minimum number of
    /// bits for a page number, plus one bit for each sector of a page.
    fn map(&mut self) {
        let device = &self.execution.device;
        let is_ideal = device.ideal_mapping_table.value;
        let mode = if is_ideal { "ideal" } else { "cached" };
        self.copy("ftl.mapping", &device.ideal_mapping_table, |_| RawValue::Text(mode.to_owned()));
        if !is_ideal || device.cmt_capacity.value > 0 {
            let capacity = &device.cmt_capacity;
            self.copy("ftl.mapping_table_bytes", capacity, |&bytes| RawValue::Integer(bytes.into()));
        }
        let note = ", which creates a whole table per flow if shared, and parts of one otherwise";
        self.derive("ftl.mapping_table_sharing", &device.cmt_sharing_mode, note, |&sharing| {
            let name = match sharing {
                SharingMode::Shared => "whole",
                SharingMode::EqualPartitioning => "equal",
            };
            RawValue::Text(name.to_owned())
        });
        let entry = |page_numbers| whole(entry_bytes(self.execution, page_numbers));
        let (in_memory, on_flash) = (entry(2.0), entry(1.0));
        let note = "two page numbers and a bit for each sector, as in Address_Mapping_Unit_Page_Level.cpp";
        self.constant("ftl.mapping_table_entry_bytes", in_memory, note);
        let note = "a page number and a bit for each sector, as in Address_Mapping_Unit_Page_Level.cpp";
        self.constant("ftl.mapping_page_entry_bytes", on_flash, note);
        let note = "MQSim's scheduler never serves the writes of its map";
        self.constant("ftl.mapping_writeback", RawValue::Text("read_only".to_owned()), note);
    }

    /// Adds the data cache. Capacity 0 means no cache and is accepted if no flow uses the cache.
    fn cache(&mut self, scenario: Option<&Scenario>) {
        let mode = self.cache_modes(scenario);
        let device = &self.execution.device;
        if mode != CachingMode::TurnedOff || device.data_cache_capacity.value > 0 {
            self.cache_capacity(scenario);
        }
        let keeps_reads = !matches!(mode, CachingMode::TurnedOff | CachingMode::WriteCache);
        let is_simple = device.caching_mechanism.value == CachingMechanism::Simple && !keeps_reads;
        self.copy("cache.mechanism", &device.caching_mechanism, |_| {
            RawValue::Text(if is_simple { "simple" } else { "advanced" }.to_owned())
        });
        let (flows, is_sata) = (flow_count(scenario), self.is_sata());
        let note = ", one part per flow if not shared";
        self.derive("cache.partitions", &device.data_cache_sharing_mode, note, |&sharing| match sharing {
            SharingMode::EqualPartitioning if !is_simple && !is_sata => whole(flows),
            _ => whole(1),
        });
        let note = ", each with two transfers";
        self.derive("cache.dram_rate_mt_per_s", &device.data_cache_dram_data_rate, note, |&rate| {
            RawValue::Float(2.0 * f64::from(rate))
        });
        self.copy("cache.dram_burst_bytes", &device.data_cache_dram_data_burst_size, |&bytes| whole(bytes));
        self.copy("cache.dram_row_bytes", &device.data_cache_dram_row_size, |&bytes| whole(bytes));
        let note = "MQSim's formula affects all results of a cache with requests longer than a row";
        self.constant("cache.dram_long_access", RawValue::Text("mqsim".to_owned()), note);
        let times =
            [&device.data_cache_dram_t_rcd, &device.data_cache_dram_t_cl, &device.data_cache_dram_t_rp];
        for (key, time) in ["cache.t_rcd_ns", "cache.t_cl_ns", "cache.t_rp_ns"].into_iter().zip(times) {
            self.copy(key, time, |&ns| RawValue::Integer(ns.into()));
        }
    }

    /// Adds the capacity of the data cache. With SATA, MQSim attributes all requests to the first flow and
    /// leaves the cache partitions of the others unused.
    fn cache_capacity(&mut self, scenario: Option<&Scenario>) {
        let device = &self.execution.device;
        let is_divided = device.data_cache_sharing_mode.value == SharingMode::EqualPartitioning;
        let unused = self.is_sata() && is_divided;
        let users = if unused { flow_count(scenario) } else { 1 };
        let note = if unused { ", of which SATA uses one flow's part" } else { "" };
        self.derive("cache.capacity_bytes", &device.data_cache_capacity, note, |&bytes| {
            RawValue::Integer(i128::from(bytes) / i128::from(users))
        });
    }

    /// Adds the cache mode of each flow. With SATA this is the mode of the first flow, as in MQSim. Returns
    /// the combination of all modes.
    fn cache_modes(&mut self, scenario: Option<&Scenario>) -> CachingMode {
        let Some(scenario) = scenario else {
            let source = "ours: in MQSim each flow of workload.xml chooses";
            self.constant("cache.mode", RawValue::Text("off".to_owned()), source);
            return CachingMode::TurnedOff;
        };
        let modes: Vec<CachingMode> =
            scenario.flows.iter().map(|flow| flow.common.caching_mode.value).collect();
        let first = modes.first().copied().unwrap_or(CachingMode::TurnedOff);
        let source = format!("workload.xml, Device_Level_Data_Caching_Mode = {} of flow 0", first.text());
        self.constant("cache.mode", RawValue::Text(cache_mode(first).to_owned()), &source);
        if self.is_sata() || modes.iter().all(|mode| *mode == first) {
            return first;
        }
        let source = "workload.xml, Device_Level_Data_Caching_Mode of each flow";
        self.names("cache.modes", modes.iter().map(|&mode| cache_mode(mode)), source);
        scenario.caching_mode()
    }

    fn host(&mut self, scenario: Option<&Scenario>) {
        let (host, device) = (&self.execution.host, &self.execution.device);
        self.copy("host.protocol", &device.host_interface_type, |interface| {
            RawValue::Text(interface.text().to_ascii_lowercase())
        });
        self.derive("host.adapter_delay_ns", &host.sata_processing_delay, " ns", |&ns| {
            RawValue::Integer(ns.into())
        });
        let lanes = host.pcie_lane_count.value;
        let note = format!(" GB/s on each of {lanes} lanes");
        self.derive("host.link_rate_mb_per_s", &host.pcie_lane_bandwidth, &note, |&bandwidth| {
            RawValue::Float(rounded(bandwidth * f64::from(lanes) * 1e3))
        });
        self.constant(
            "host.link_latency_ns",
            RawValue::Float(0.0),
            "MQSim's link has no delay apart from the transfer",
        );
        for (key, bytes, source) in LINK {
            self.constant(key, whole(*bytes), source);
        }
        self.copy("host.queue_entries", &device.io_queue_depth, |&entries| whole(u32::from(entries)));
        if self.is_sata() {
            self.constant(
                "host.queue_depth",
                whole(u32::from(u16::MAX)),
                "MQSim accepts all requests of its adapter",
            );
        } else {
            self.copy("host.queue_depth", &device.queue_fetch_size, |&depth| whole(u32::from(depth)));
        }
        if let Some(scenario) = scenario {
            let classes = scenario.flows.iter().map(|flow| priority(flow.common.priority_class.value));
            self.names("host.queue_priorities", classes, "workload.xml, Priority_Class of each flow");
        }
        self.copy("run.seed", &device.seed, |&seed| RawValue::Integer(i128::from(seed.unsigned_abs())));
    }

    /// Adds a value copied from a parameter of MQSim's file.
    fn copy<T: TagType>(&mut self, key: &str, from: &TaggedValue<T>, convert: impl Fn(&T) -> RawValue) {
        self.derive(key, from, "", convert);
    }

    /// Adds a value computed from a parameter of MQSim's file. `note` describes the computation; it follows
    /// the parameter's name in the cited source.
    fn derive<T: TagType>(
        &mut self,
        key: &str,
        from: &TaggedValue<T>,
        note: &str,
        convert: impl Fn(&T) -> RawValue,
    ) {
        let origin = if from.span.is_some() { "" } else { " (MQSim's compiled-in value)" };
        let source = format!("{}, {} = {}{note}{origin}", self.file, from.tag, from.value.text());
        self.push(key, self.span(from), convert(&from.value), source);
    }

    /// Adds a value that is not in MQSim's file.
    fn constant(&mut self, key: &str, value: RawValue, source: &str) {
        self.push(key, self.execution.root.clone(), value, source.to_owned());
    }

    fn push(&mut self, key: &str, span: Range<usize>, value: RawValue, source: String) {
        let part = |name: &str, value| field(name, span.clone(), value);
        let both = vec![part("value", value), part("source", RawValue::Text(source))];
        self.fields.push(part(key, RawValue::Table(RawTable(both))));
    }

    fn span<T>(&self, setting: &TaggedValue<T>) -> Range<usize> {
        setting.span.clone().unwrap_or_else(|| self.execution.root.clone())
    }
}

/// Returns the transfer rate in transfers per microsecond. MQSim truncates the time of a transfer, 1000 /
/// `rate` ns, to whole nanoseconds. The resulting rate is used if it is close to `rate`.
fn effective_rate(rate: u32) -> f64 {
    let stated = f64::from(rate);
    let meant = 1e3 / f64::from(1000 / rate);
    if (meant / stated - 1.0).abs() <= REPORTED_RATE_DIFFERENCE { meant } else { stated }
}

/// Returns the size in bytes of a mapping entry, given the number of page numbers.
fn entry_bytes(execution: &Execution, page_numbers: f64) -> u32 {
    let flash = &execution.flash;
    let planes: f64 = execution.shape().iter().map(|&count| f64::from(count)).product();
    let pages = planes * f64::from(flash.block_no_per_plane.value) * f64::from(flash.page_no_per_block.value);
    let bits = page_numbers * pages.log2() + f64::from(flash.page_capacity.value / SECTOR_BYTES);
    (bits / 8.0).ceil().max(1.0) as u32
}

fn flow_count(scenario: Option<&Scenario>) -> u32 {
    scenario.map_or(1, |scenario| scenario.flows.len() as u32)
}

fn numbers(list: &IdList) -> Vec<u32> {
    list.0.iter().map(|&id| u32::from(id)).collect()
}

fn priority(class: PriorityClass) -> &'static str {
    match class {
        PriorityClass::Urgent => "urgent",
        PriorityClass::High => "high",
        PriorityClass::Medium => "medium",
        PriorityClass::Low => "low",
    }
}

fn cache_mode(mode: CachingMode) -> &'static str {
    match mode {
        CachingMode::TurnedOff => "off",
        CachingMode::WriteCache => "write",
        CachingMode::ReadCache => "read",
        CachingMode::WriteReadCache => "read_write",
    }
}

fn is_uniform(times: &[&TaggedValue<u64>]) -> bool {
    times.iter().all(|time| time.value == times[0].value)
}

fn field(name: &str, span: Range<usize>, value: RawValue) -> RawField {
    RawField { name: name.to_owned(), span: span.clone(), raw: PositionedValue { span, value } }
}

fn whole(n: u32) -> RawValue {
    RawValue::Integer(i128::from(n))
}

fn microseconds(ns: u64) -> RawValue {
    RawValue::Float(ns as f64 / 1e3)
}

fn percent(ratio: f64) -> RawValue {
    RawValue::Float(rounded(ratio * 100.0))
}

/// Returns `x` rounded to nine decimals, which removes artefacts of binary fractions: 0.07 becomes 7 %, not
/// 7.000000000000001 %.
fn rounded(x: f64) -> f64 {
    (x * 1e9).round() / 1e9
}
