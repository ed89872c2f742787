//! MQSim's configuration files: accepted and rejected values, remarks, and the resulting drive.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::float_cmp, reason = "the numbers are those of the file")]

use std::fmt::Write as _;

use venice_config::{Config, ResolvedDrive};
use venice_drive::cache::CacheMode;
use venice_drive::ftl::{GcTrigger, MappingMode, MappingWriteBack, VictimPolicy, WearMeasure};
use venice_fabric::FabricKind;
use venice_host::Protocol;
use venice_kernel::{Rate, SimSpan};
use venice_mqsim::{self as mqsim, Execution, HostInterface, Notice, PlaneOrder, Severity, VictimSelection};
use venice_nand::chip::{CommandTiming, DieWork, PageTypeOrder};

/// Returns the text of a configuration with these tags in its device and flash sets.
fn text(device: &[(&str, &str)], flash: &[(&str, &str)]) -> String {
    let tags = |tags: &[(&str, &str)]| {
        tags.iter().fold(String::new(), |mut text, (tag, value)| {
            let _ = writeln!(text, "<{tag}>{value}</{tag}>");
            text
        })
    };
    format!(
        "<Execution_Parameter_Set>\n<Device_Parameter_Set>\n{}<Flash_Parameter_Set>\n{}</Flash_Parameter_Set>\n\
         </Device_Parameter_Set>\n</Execution_Parameter_Set>\n",
        tags(device),
        tags(flash)
    )
}

fn read(text: &str) -> (Execution, Vec<Notice>) {
    mqsim::parse_config("ssdconfig.xml", text).unwrap()
}

fn error(text: &str) -> String {
    mqsim::parse_config("ssdconfig.xml", text).unwrap_err().to_string()
}

fn drive(text: &str) -> ResolvedDrive {
    mqsim::drive(&read(text).0, None, None, &[], None).unwrap()
}

/// Returns the warnings, one per element.
fn warnings(remarks: &[Notice]) -> Vec<String> {
    let warnings = remarks.iter().filter(|remark| remark.level == Severity::Warning);
    warnings.map(ToString::to_string).collect()
}

#[test]
fn a_missing_tag_takes_mqsims_compiled_in_value_with_a_note() {
    let (execution, remarks) = read("<Execution_Parameter_Set/>");
    assert_eq!(execution.host.pcie_lane_bandwidth.value, 0.4);
    assert_eq!(execution.host.sata_processing_delay.value, 0);
    assert_eq!(execution.host.response_time_logging_period_length.value, 400_000);
    let device = &execution.device;
    assert_eq!((device.seed.value, device.enabled_preconditioning.value), (123, true));
    assert_eq!((device.io_queue_depth.value, device.queue_fetch_size.value), (1024, 512));
    assert_eq!(device.data_cache_capacity.value, 536_870_912);
    assert_eq!(
        (device.data_cache_dram_data_rate.value, device.data_cache_dram_data_burst_size.value),
        (800, 4)
    );
    assert!(!device.ideal_mapping_table.value && device.preemptible_gc_enabled.value);
    assert_eq!(
        (device.channel_transfer_rate.value, device.plane_allocation_scheme.value),
        (300, PlaneOrder("CWDP"))
    );
    assert_eq!(execution.flash.page_metadata_capacity.value, 1872);
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert_eq!(remarks[0].level, Severity::Note);
    let said = remarks[0].to_string();
    assert!(said.starts_with(
        "ssdconfig.xml: absent, so that MQSim's compiled-in values apply: PCIe_Lane_Bandwidth, "
    ));
    assert!(said.ends_with(", Page_Capacity, Page_Metadat_Capacity"), "{said}");
}

#[test]
fn one_setting_selects_all_compiled_in_values_of_mqsim() {
    assert_eq!(read("USE_INTERNAL_PARAMS").0.flash, read("<Execution_Parameter_Set/>").0.flash);
}

#[test]
fn values_are_read_as_they_are_written_whatever_their_capitals() {
    let (execution, _) = read(&text(
        &[
            ("HostInterface_Type", "sata"),
            ("GC_Block_Selection_Policy", "Random_P"),
            ("Ideal_Mapping_Table", "TRUE"),
        ],
        &[("Page_Capacity", " 4096 ")],
    ));
    assert_eq!(execution.device.host_interface_type.value, HostInterface::Sata);
    assert_eq!(execution.device.gc_block_selection_policy.value, VictimSelection::RandomP);
    assert!(execution.device.ideal_mapping_table.value);
    assert_eq!(execution.flash.page_capacity.value, 4096);
}

#[test]
fn a_tag_that_is_none_is_passed_over_with_the_nearest_one() {
    let given = text(&[("Chanel_Transfer_Rate", "100"), ("Colour", "red")], &[]);
    let said = warnings(&read(&given).1);
    assert_eq!(
        said,
        [
            "ssdconfig.xml:3: Chanel_Transfer_Rate is not a parameter of MQSim and is ignored, as in MQSim; \
             did you mean `Channel_Transfer_Rate`?",
            "ssdconfig.xml:4: Colour is not a parameter of MQSim and is ignored, as in MQSim",
        ]
    );
}

#[test]
fn a_refused_file_is_reported_with_its_warnings() {
    let given = text(&[("Chanel_Transfer_Rate", "100"), ("Flash_Channel_Count", "eight")], &[]);
    let error = mqsim::parse_config("ssdconfig.xml", &given).unwrap_err().to_string();
    let (problem, rest) = error.split_once("\nwarning: ").unwrap();
    assert!(problem.starts_with("error: `Flash_Channel_Count`"), "{problem}");
    assert_eq!(
        rest,
        "ssdconfig.xml:3: Chanel_Transfer_Rate is not a parameter of MQSim and is ignored, as in MQSim; \
         did you mean `Channel_Transfer_Rate`?\n1 problem in ssdconfig.xml; nothing was run"
    );
}

#[test]
fn of_a_tag_that_is_given_twice_the_last_one_counts() {
    let (execution, remarks) = read(&text(&[("Seed", "1"), ("Seed", "2")], &[]));
    assert_eq!(execution.device.seed.value, 2);
    assert_eq!(
        warnings(&remarks),
        ["ssdconfig.xml:4: Seed occurs 2 times: the last one applies, as in MQSim"]
    );
}

#[test]
fn every_wrong_value_is_located_with_what_was_expected() {
    let given = text(
        &[
            ("Flash_Channel_Count", "eight"),
            ("GC_Block_Selection_Policy", "GREEDI"),
            ("Overprovisioning_Ratio", "7"),
        ],
        &[("Flash_Technology", "QLC"), ("Die_No_Per_Chip", "")],
    );
    assert_eq!(
        error(&given),
        "\
error: `Flash_Channel_Count` is `eight`, which is of the wrong type
  --> ssdconfig.xml:3:22
   |
 3 | <Flash_Channel_Count>eight</Flash_Channel_Count>
   |                      ^^^^^ not possible
   = expected: a whole number, 1 to 256
error: `GC_Block_Selection_Policy` is `GREEDI`, which is of the wrong type
  --> ssdconfig.xml:4:28
   |
 4 | <GC_Block_Selection_Policy>GREEDI</GC_Block_Selection_Policy>
   |                            ^^^^^^ did you mean `GREEDY`?
   = expected: one of GREEDY, RGA, RANDOM, RANDOM_P, RANDOM_PP, FIFO
error: `Overprovisioning_Ratio` is 7, which is out of range
  --> ssdconfig.xml:5:25
   |
 5 | <Overprovisioning_Ratio>7</Overprovisioning_Ratio>
   |                         ^ not possible
   = expected: a number, 0 to 0.9
error: `Flash_Technology` is `QLC`, which is of the wrong type
  --> ssdconfig.xml:7:19
   |
 7 | <Flash_Technology>QLC</Flash_Technology>
   |                   ^^^ did you mean `SLC`?
   = expected: one of SLC, MLC, TLC
error: `Die_No_Per_Chip` is empty
  --> ssdconfig.xml:8:18
   |
 8 | <Die_No_Per_Chip></Die_No_Per_Chip>
   |                  ^ not possible
   = expected: a whole number, 1 to 16
5 problems in ssdconfig.xml; nothing was run"
    );
}

#[test]
fn a_value_that_we_cannot_simulate_is_shown_where_it_stands() {
    let given = text(&[], &[("Page_Capacity", "5000")]);
    assert_eq!(
        mqsim::drive(&read(&given).0, None, None, &[], None).unwrap_err().to_string(),
        "\
error: `page_bytes` is out of range
  --> ssdconfig.xml:4:16
   |
 4 | <Page_Capacity>5000</Page_Capacity>
   |                ^^^^ not a multiple of 512
   = expected: number of data bytes per page, without the bytes for error correction, 512 to 32768 bytes, a multiple of 512 (no default)
1 problem in ssdconfig.xml; nothing was run"
    );
}

#[test]
fn other_xml_and_invalid_xml_have_different_errors() {
    assert_eq!(
        error("<MQSim_IO_Scenarios></MQSim_IO_Scenarios>"),
        "\
error: the tag `Execution_Parameter_Set` is missing
  --> ssdconfig.xml:1:2
   = expected: <Execution_Parameter_Set> as the outermost tag
1 problem in ssdconfig.xml; nothing was run"
    );
    assert!(
        error("<Execution_Parameter_Set>")
            .starts_with("error: this is not valid XML\n  --> ssdconfig.xml:1:2\n")
    );
    assert!(error("").starts_with("error: the tag `Execution_Parameter_Set` is missing\n"));
}

#[test]
fn a_closing_tag_of_another_name_is_read_as_mqsim_reads_it() {
    let given = text(&[("Seed", "7")], &[]).replace("</Seed>", "</<Seed>");
    let (execution, remarks) = read(&given);
    assert_eq!(execution.device.seed.value, 7);
    assert_eq!(warnings(&remarks), ["ssdconfig.xml:3: the closing tag is read as </Seed>, as in MQSim"]);
}

/// Asserts the flash timing that results from the configuration of `the_device_becomes_a_drive_of_ours`.
fn assert_times_are_those_stated(config: &Config) {
    let array = &config.flash.array;
    assert_eq!(
        array.read,
        [10_020, 12_020].map(SimSpan::from_ns),
        "20 ns that the chips add; no central pages"
    );
    assert_eq!(array.program, [100, 120].map(SimSpan::from_us));
    assert_eq!(array.erase, SimSpan::from_us(900));
    assert_eq!(config.flash_command.timing, CommandTiming::Nvddr2);
    assert_eq!((config.flash_command.rpre, config.flash_command.dqsre), (SimSpan::ZERO, SimSpan::ZERO));
}

/// All values differ from each other and from all defaults, so that exchanged values are detected.
#[test]
fn the_device_becomes_a_drive_of_ours() {
    let given = text(
        &[
            ("Seed", "5"),
            ("Enabled_Preconditioning", "false"),
            ("Queue_Fetch_Size", "64"),
            ("Ideal_Mapping_Table", "true"),
            ("Plane_Allocation_Scheme", "PDWC"),
            ("Overprovisioning_Ratio", "0.1"),
            ("GC_Exec_Threshold", "0.06"),
            ("GC_Block_Selection_Policy", "RANDOM_PP"),
            ("Static_Wearleveling_Enabled", "false"),
            ("Static_Wearleveling_Threshold", "7"),
            ("Preemptible_GC_Enabled", "true"),
            ("Flash_Channel_Count", "3"),
            ("Flash_Channel_Width", "2"),
            ("Channel_Transfer_Rate", "500"),
            ("Chip_No_Per_Channel", "5"),
        ],
        &[
            ("Flash_Technology", "MLC"),
            ("Page_Read_Latency_LSB", "10000"),
            ("Page_Read_Latency_CSB", "11000"),
            ("Page_Read_Latency_MSB", "12000"),
            ("Page_Program_Latency_LSB", "100000"),
            ("Page_Program_Latency_MSB", "120000"),
            ("Block_Erase_Latency", "900000"),
            ("Die_No_Per_Chip", "1"),
            ("Plane_No_Per_Die", "4"),
            ("Block_No_Per_Plane", "100"),
            ("Page_No_Per_Block", "60"),
            ("Page_Capacity", "16384"),
        ],
    );
    let resolved = drive(&given);
    let config = resolved.config();
    assert_eq!((config.array.rows, config.array.cols), (3, 5));
    assert_eq!((config.fabric.name, config.fabric.bus.rate), (FabricKind::Bus, Rate::from_mb_per_s(1000.0)));
    let flash = &config.flash;
    assert_eq!((flash.dies_per_chip, flash.planes_per_die), (1, 4));
    assert_eq!((flash.blocks_per_plane, flash.pages_per_block, flash.page_bytes), (100, 60, 16384));
    assert_times_are_those_stated(config);
    let (gc, wear) = (&config.ftl.collection, &config.ftl.wear);
    assert_eq!((config.ftl.over_provisioning_pct, gc.gc_start_free_blocks_pct), (10.0, 6.0));
    assert_eq!((gc.gc_start_free_blocks_min, gc.gc_yields_to_host), (10, true));
    assert_eq!((gc.victim, flash.die_work), (VictimPolicy::RandomPp, DieWork::OneAtATime));
    assert_eq!((wear.dynamic_wear_levelling, wear.static_wear_levelling), (true, true), "as in MQSim");
    assert_eq!((wear.static_wear_levelling_threshold, wear.wear_measure), (100, WearMeasure::BlockNumbers));
    assert_eq!((gc.gc_trigger, gc.gc_stop_free_blocks), (GcTrigger::FullBlock, 10));
    let host = &config.host;
    assert_eq!(
        (host.protocol, host.link.rate),
        (Protocol::Nvme, Rate::from_mb_per_s(1600.0)),
        "0.4 GB/s x 4"
    );
    assert_eq!((host.link.packet_payload_bytes, host.link.packet_header_bytes), (128, 28));
    assert_eq!((host.sizes.command_bytes, host.sizes.completion_bytes, host.queue_depth), (72, 16, 64));
    assert_eq!((config.run.seed, config.drive.name.as_str()), (5, "ssdconfig"));
}

#[test]
fn every_value_cites_its_tag_and_its_line() {
    let resolved = drive(&text(&[("Flash_Channel_Count", "8")], &[]));
    let rows = resolved.origin("array.rows").unwrap();
    assert_eq!(rows.place.as_deref(), Some("ssdconfig.xml:3"));
    assert_eq!(rows.cited.as_deref(), Some("ssdconfig.xml, Flash_Channel_Count = 8"));
    let cols = resolved.origin("array.cols").unwrap();
    assert_eq!(
        cols.cited.as_deref(),
        Some("ssdconfig.xml, Chip_No_Per_Channel = 4 (MQSim's compiled-in value)")
    );
    let times = resolved.origin("flash.t_read_us").unwrap().cited.unwrap();
    assert!(times.starts_with("ssdconfig.xml, Page_Read_Latency_LSB = 75000 ns, and 20 ns"), "{times}");
}

#[test]
fn a_transfer_takes_whole_nanoseconds_as_in_mqsim_where_that_means_nearly_the_stated_rate() {
    let rate = |stated: &str| {
        drive(&text(&[("Channel_Transfer_Rate", stated)], &[])).to_json()["fabric"]["channel_rate_mb_per_s"]
            .as_f64()
            .unwrap()
    };
    assert!((rate("333") - 1e3 / 3.0).abs() < 1e-9);
    assert!((rate("1000") - 1e3).abs() < 1e-9);
    // Transfer times of 1.25 ns and 0.83 ns are not rounded to 1 ns and 0.
    assert!((rate("800") - 800.0).abs() < 1e-9);
    assert!((rate("1200") - 1200.0).abs() < 1e-9);
}

#[test]
fn an_imported_drive_is_the_same_drive() {
    let resolved = drive(&text(&[("Channel_Transfer_Rate", "333")], &[("Page_Read_Latency_LSB", "60000")]));
    let again = venice_config::load_text("drive.toml", &resolved.to_toml(), &[]).unwrap();
    assert_eq!(again.settings(), resolved.settings());
}

#[test]
fn options_win_over_the_file() {
    let (execution, _) = read(&text(&[("Flash_Channel_Count", "4")], &[]));
    let sets = ["flash.t_bers_us=1".to_owned()];
    let resolved = mqsim::drive(&execution, None, Some("venice"), &sets, Some(9)).unwrap();
    assert_eq!(resolved.config().fabric.name, FabricKind::Venice);
    assert_eq!((resolved.config().flash.array.erase, resolved.config().run.seed), (SimSpan::from_us(1), 9));
}

/// Unsupported features, each with the first words of its warning.
const ASKED_IN_VAIN: &[(&str, &str, &str)] = &[
    ("Address_Mapping", "HYBRID", "the mapping granularity is one page"),
    ("Transaction_Scheduling_Policy", "FLIN", "transactions of all flows are scheduled out of order"),
    ("Channel_Transfer_Rate", "400", "transfers have their exact duration"),
    ("GC_Block_Selection_Policy", "FIFO", "the block that became full first is collected"),
];

/// Tags of a device without unsupported features.
const PLAIN: &[(&str, &str)] = &[
    ("Enabled_Preconditioning", "false"),
    ("Ideal_Mapping_Table", "true"),
    ("Preemptible_GC_Enabled", "false"),
    ("Channel_Transfer_Rate", "500"),
];

#[test]
fn a_plain_configuration_has_no_warnings_and_one_note_on_unused_parameters() {
    let remarks = mqsim::remarks(&read(&text(PLAIN, &[])).0, None);
    assert_eq!(warnings(&remarks), [""; 0]);
    let notes: Vec<String> = remarks.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("parameters without effect, as in MQSim: Block_PE_Cycles_Limit, "));
}

#[test]
fn unsupported_settings_are_reported_with_value_and_replacement() {
    for (tag, value, instead) in ASKED_IN_VAIN {
        let mut device: Vec<(&str, &str)> = PLAIN.iter().copied().filter(|(plain, _)| plain != tag).collect();
        device.insert(0, (tag, value));
        let said = warnings(&mqsim::remarks(&read(&text(&device, &[])).0, None));
        assert_eq!(said.len(), 1, "{tag}: {said:?}");
        assert!(said[0].starts_with(&format!("ssdconfig.xml:3: {tag} = {value}: {instead}")), "{said:?}");
    }
}

#[test]
fn three_bit_cells_have_mqsims_order_of_page_types_and_nothing_is_suspended() {
    let flash = [
        ("Flash_Technology", "TLC"),
        ("Page_Read_Latency_MSB", "90000"),
        ("CMD_Suspension_Support", "PROGRAM_ERASE"),
    ];
    let given = text(PLAIN, &flash);
    assert_eq!(warnings(&mqsim::remarks(&read(&given).0, None)), [""; 0]);
    let resolved = drive(&given);
    assert_eq!(resolved.config().flash.array.page_types, PageTypeOrder::Mqsim);
    assert_eq!(resolved.settings().flash.array.read.len(), 3);
    assert_eq!(resolved.settings().flash.suspension, None, "as in MQSim, which never does");
}

#[test]
fn collection_has_mqsims_hard_threshold_and_its_copyback() {
    let device = [
        ("Preemptible_GC_Enabled", "true"),
        ("GC_Hard_Threshold", "0.03"),
        ("Use_Copyback_for_GC", "true"),
        ("Enabled_Preconditioning", "false"),
        ("Channel_Transfer_Rate", "500"),
    ];
    let given = text(&device, &[("Block_No_Per_Plane", "1000")]);
    assert_eq!(warnings(&mqsim::remarks(&read(&given).0, None)), [""; 0]);
    let ftl = drive(&given).settings().ftl.clone();
    assert_eq!((ftl.gc_yields_to_host, ftl.gc_hard_free_blocks, ftl.gc_copyback), (true, 30, true));
    let plain = drive(&text(PLAIN, &[("Block_No_Per_Plane", "100")])).settings().ftl.clone();
    assert_eq!((plain.gc_hard_free_blocks, plain.gc_copyback), (2, false));
}

/// The drive has 2^26 pages of 16 sectors. Entries take (2 × 26 + 16) / 8 and (26 + 16) / 8 bytes, rounded
/// up.
#[test]
fn the_map_has_entries_of_mqsims_sizes() {
    let resolved = drive(&text(&[("Ideal_Mapping_Table", "false"), ("CMT_Capacity", "65536")], &[]));
    let map = resolved.config().ftl.mapping;
    assert_eq!((map.mode, map.table_bytes), (MappingMode::Cached, 65_536));
    assert_eq!((map.table_entry_bytes, map.page_entry_bytes), (9, 6));
    assert_eq!(map.write_back, MappingWriteBack::ReadOnly);
    let ideal = drive(&text(&[("Ideal_Mapping_Table", "true"), ("CMT_Capacity", "0")], &[]));
    assert_eq!(ideal.config().ftl.mapping.mode, MappingMode::Ideal);
}

#[test]
fn a_cache_of_size_zero_is_disabled() {
    let resolved = drive(&text(&[("Data_Cache_Capacity", "0")], &[]));
    assert_eq!(resolved.config().cache.mode, CacheMode::Off);
}
