//! MQSim's workload files: scenarios, address spaces, and synthetic or replayed requests.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::float_cmp, reason = "the numbers are those of the file")]

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use venice_drive::cache::{CacheMechanism, CacheMode};
use venice_drive::controller::scheduling::Scheduling;
use venice_drive::ftl::{PageCuts, TableSharing};
use venice_host::Protocol;
use venice_kernel::{SimSpan, SimTime};
use venice_mqsim::{self as mqsim, Execution, FlowPlan, FlowSpace, MqsimWorkload, Notice, Severity};
use venice_nand::geometry::Priority;
use venice_requests::{HostRequest, LoopMode, Op, SourceError};
use venice_sim::assembly::Simulation;

/// 2 channels x 2 chips x 1 die x 2 planes of 64 blocks x 16 pages of 4 KB: 8 planes of 8,192 sectors, 10 %
/// over-provisioning.
const DEVICE: &str = "<Execution_Parameter_Set><Device_Parameter_Set>
<Flash_Channel_Count>2</Flash_Channel_Count><Chip_No_Per_Channel>2</Chip_No_Per_Channel>
<Overprovisioning_Ratio>0.1</Overprovisioning_Ratio><IO_Queue_Depth>32</IO_Queue_Depth>
<Queue_Fetch_Size>16</Queue_Fetch_Size>
<Transaction_Scheduling_Policy>PRIORITY_OUT_OF_ORDER</Transaction_Scheduling_Policy>
<Flash_Parameter_Set>
<Die_No_Per_Chip>1</Die_No_Per_Chip><Plane_No_Per_Die>2</Plane_No_Per_Die><Block_No_Per_Plane>64</Block_No_Per_Plane>
<Page_No_Per_Block>16</Page_No_Per_Block><Page_Capacity>4096</Page_Capacity>
</Flash_Parameter_Set></Device_Parameter_Set></Execution_Parameter_Set>";

/// Sectors of a flow: floor(8,192 × 0.9) for each of 8 planes.
const ONE_FLOW_SECTORS: u64 = 7_372 * 8;

/// Tags of a synthetic flow; tests change single tags.
const SYNTHETIC: &[(&str, &str)] = &[
    ("Priority_Class", "HIGH"),
    ("Device_Level_Data_Caching_Mode", "TURNED_OFF"),
    ("Channel_IDs", "0,1"),
    ("Chip_IDs", "0,1"),
    ("Die_IDs", "0"),
    ("Plane_IDs", "0,1"),
    ("Initial_Occupancy_Percentage", "70"),
    ("Working_Set_Percentage", "50"),
    ("Synthetic_Generator_Type", "QUEUE_DEPTH"),
    ("Read_Percentage", "100"),
    ("Address_Distribution", "RANDOM_UNIFORM"),
    ("Percentage_of_Hot_Region", "0"),
    ("Generated_Aligned_Addresses", "true"),
    ("Address_Alignment_Unit", "16"),
    ("Request_Size_Distribution", "FIXED"),
    ("Average_Request_Size", "8"),
    ("Variance_Request_Size", "0"),
    ("Seed", "798"),
    ("Average_No_of_Reqs_in_Queue", "16"),
    ("Stop_Time", "0"),
    ("Total_Requests_To_Generate", "2000"),
];

const TRACE: &[(&str, &str)] = &[
    ("Priority_Class", "HIGH"),
    ("Device_Level_Data_Caching_Mode", "TURNED_OFF"),
    ("Initial_Occupancy_Percentage", "70"),
    ("File_Path", "input.trace"),
    ("Percentage_To_Be_Executed", "100"),
    ("Relay_Count", "1"),
    ("Time_Unit", "NANOSECOND"),
];

/// Returns the XML text of a flow: `base` with some tags changed, added, or (with an empty value) removed;
/// one tag per line.
fn flow(base: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let kind = if base == TRACE { "Trace_Based" } else { "Synthetic" };
    let mut tags: Vec<(&str, &str)> = base.to_vec();
    for change in changes {
        match tags.iter_mut().find(|(tag, _)| *tag == change.0) {
            Some(tag) => *tag = *change,
            None => tags.push(*change),
        }
    }
    let mut text = format!("<IO_Flow_Parameter_Set_{kind}>\n");
    for (tag, value) in tags.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "<{tag}>{value}</{tag}>");
    }
    format!("{text}</IO_Flow_Parameter_Set_{kind}>\n")
}

fn workload_text(scenarios: &[&[String]]) -> String {
    let scenario = |flows: &&[String]| format!("<IO_Scenario>\n{}</IO_Scenario>\n", flows.concat());
    format!(
        "<MQSim_IO_Scenarios>\n{}</MQSim_IO_Scenarios>\n",
        scenarios.iter().map(scenario).collect::<String>()
    )
}

fn device() -> Execution {
    mqsim::parse_config("ssdconfig.xml", DEVICE).unwrap().0
}

fn read(text: &str, folder: &Path) -> (MqsimWorkload, Vec<Notice>) {
    mqsim::parse_workload("workload.xml", text, folder, &device()).unwrap()
}

fn one_flow(base: &[(&str, &str)], changes: &[(&str, &str)]) -> MqsimWorkload {
    read(&workload_text(&[&[flow(base, changes)]]), Path::new(".")).0
}

fn error(text: &str) -> String {
    mqsim::parse_workload("workload.xml", text, Path::new("."), &device()).unwrap_err().to_string()
}

fn ranges(workload: &MqsimWorkload) -> Vec<Range<u64>> {
    let drive = mqsim::drive(&device(), workload.scenarios.first(), None, &[], None).unwrap();
    Simulation::address_ranges(drive.settings())
}

fn plans(workload: &MqsimWorkload, list: Option<&Path>) -> Result<Vec<FlowPlan>, SourceError> {
    mqsim::flows(&device(), workload, &workload.scenarios[0], &ranges(workload), list, PageCuts::Pages)
}

fn drained(plan: &mut FlowPlan, at_most: usize) -> Vec<HostRequest> {
    let mut all = Vec::new();
    while plan.source.fill(&mut all, 1).unwrap() > 0 && all.len() < at_most {}
    all
}

fn requests(base: &[(&str, &str)], changes: &[(&str, &str)]) -> Vec<HostRequest> {
    drained(&mut plans(&one_flow(base, changes), None).unwrap()[0], 100_000)
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn warnings(remarks: &[Notice]) -> Vec<String> {
    remarks.iter().filter(|remark| remark.level == Severity::Warning).map(ToString::to_string).collect()
}

#[test]
fn scenarios_and_flows_are_read_in_their_order() {
    let read_80 = flow(SYNTHETIC, &[("Read_Percentage", "80")]);
    let (workload, remarks) =
        read(&workload_text(&[&[flow(SYNTHETIC, &[]), flow(TRACE, &[])], &[read_80]]), Path::new("."));
    assert_eq!(remarks, []);
    let flows: Vec<usize> = workload.scenarios.iter().map(|scenario| scenario.flows.len()).collect();
    assert_eq!(flows, [2, 1]);
    assert!(matches!(workload.scenarios[0].flows[1].origin, mqsim::FlowOrigin::Trace(_)));
}

#[test]
fn what_mqsim_would_leave_to_chance_is_assumed_with_a_warning_or_refused() {
    let text = workload_text(&[&[flow(SYNTHETIC, &[("Priority_Class", ""), ("Intensity", "32768")])]]);
    let (_, remarks) = read(&text, Path::new("."));
    let said: Vec<String> = remarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "workload.xml:24: Intensity has no effect in MQSim and here; the rate of a flow is <Bandwidth>",
            "workload.xml:3: Priority_Class is missing, and MQSim has no default: HIGH is assumed",
        ]
    );
    assert_eq!(
        error(&workload_text(&[&[flow(SYNTHETIC, &[("Read_Percentage", "")])]])),
        "\
error: `Read_Percentage` is missing
  --> workload.xml:3:2
   = expected: <Read_Percentage>, a whole number, 0 to 100
1 problem in workload.xml; nothing was run"
    );
}

#[test]
fn values_that_make_no_flow_are_refused() {
    for (changes, said) in [
        (&[("Total_Requests_To_Generate", "0")][..], "the flow has no requests: `Stop_Time` and"),
        (&[("Average_No_of_Reqs_in_Queue", "")], "`Average_No_of_Reqs_in_Queue` is missing or 0"),
        (&[("Synthetic_Generator_Type", "BANDWIDTH")], "`Bandwidth` is missing or 0"),
        (&[("Address_Distribution", "RANDOM_HOTCOLD")], "`Percentage_of_Hot_Region` leaves one region empty"),
        (&[("Channel_IDs", "0,2")], "`Channel_IDs` contains 2, but the drive has 2"),
        (&[("Read_Percentage", "101")], "`Read_Percentage` is 101, which is out of range"),
        (&[("Average_Request_Size", "0")], "`Average_Request_Size` is 0, which is out of range"),
    ] {
        let found = error(&workload_text(&[&[flow(SYNTHETIC, changes)]]));
        assert!(found.starts_with(&format!("error: {said}")), "{changes:?}: {found}");
    }
    assert!(error(&workload_text(&[])).starts_with("error: the file has no scenario\n"));
    assert!(error(&workload_text(&[&[]])).starts_with("error: the scenario has no flow\n"));
}

#[test]
fn flows_share_the_drive_as_in_mqsim_but_for_parts_of_pages() {
    let spaces = |flows: &[String]| {
        let (workload, _) = read(&workload_text(&[flows]), Path::new("."));
        mqsim::spaces(&device(), &workload.scenarios[0], &ranges(&workload))
    };
    let all = || flow(SYNTHETIC, &[]);
    // 921 whole pages of each plane.
    let (mqsim_start_sector, start_sector) = (0, 0);
    let capacity_sectors = 921 * 8 * 8;
    assert_eq!(
        spaces(&[all()]),
        [FlowSpace { mqsim_start_sector, sectors: ONE_FLOW_SECTORS, start_sector, capacity_sectors }]
    );
    // floor(8,192 x 0.9 / 2) = 3,686 sectors of each of 8 planes, or 460 whole pages.
    let (sectors, capacity_sectors) = (29_488, 460 * 8 * 8);
    assert_eq!(
        spaces(&[all(), all()]),
        [
            FlowSpace { mqsim_start_sector, sectors, start_sector, capacity_sectors },
            FlowSpace {
                mqsim_start_sector: sectors,
                sectors,
                start_sector: capacity_sectors,
                capacity_sectors
            },
        ]
    );
    let left = flow(SYNTHETIC, &[("Channel_IDs", "0")]);
    let sectors: Vec<u64> = spaces(&[left, all()]).iter().map(|space| space.sectors).collect();
    assert_eq!(sectors, [3_686 * 4, 3_686 * 4 + 7_372 * 4], "the other half is the second flow's alone");
}

#[test]
fn a_flow_driven_by_depth_stays_in_its_working_set_and_on_its_alignment() {
    let plan = &mut plans(&one_flow(SYNTHETIC, &[]), None).unwrap()[0];
    assert_eq!((plan.mode, plan.stop), (LoopMode::Closed { depth: 16 }, None));
    assert_eq!(plan.name, "workload.xml, flow 0");
    let requests = drained(plan, 100_000);
    assert_eq!(requests.len(), 2_000);
    assert!(requests.iter().all(|request| request.op == Op::Read && request.sectors == 8));
    assert!(requests.iter().all(|request| request.start_sector.is_multiple_of(16)));
    let furthest = requests.iter().map(HostRequest::end_sector).max().unwrap();
    assert!((ONE_FLOW_SECTORS * 45 / 100..=ONE_FLOW_SECTORS / 2).contains(&furthest), "{furthest}");
}

#[test]
fn a_flow_driven_by_bandwidth_arrives_at_its_mean_rate() {
    let changes = [("Synthetic_Generator_Type", "BANDWIDTH"), ("Bandwidth", "4096000")];
    let plan = &mut plans(&one_flow(SYNTHETIC, &changes), None).unwrap()[0];
    assert_eq!(plan.mode, LoopMode::Open);
    let requests = drained(plan, 100_000);
    let span_us = requests.last().unwrap().arrival.as_us() - requests[0].arrival.as_us();
    let mean_gap_us = span_us / 1_999.0;
    assert!((mean_gap_us / 1_000.0 - 1.0).abs() < 0.1, "4,096 bytes at 4,096,000 bytes/s: {mean_gap_us}");
}

#[test]
fn the_hot_region_is_small_and_has_the_rest_of_the_requests() {
    let changes = [
        ("Address_Distribution", "RANDOM_HOTCOLD"),
        ("Percentage_of_Hot_Region", "20"),
        ("Working_Set_Percentage", "100"),
    ];
    let hot_end = ONE_FLOW_SECTORS / 5;
    let hot =
        mean(requests(SYNTHETIC, &changes).iter().map(|r| f64::from(u8::from(r.start_sector < hot_end))));
    assert!((hot - 0.8).abs() < 0.04, "{hot}");
}

#[test]
fn streaming_begins_where_mqsim_draws_it_and_goes_on_where_the_request_before_ended() {
    let changes = [("Address_Distribution", "STREAMING"), ("Address_Alignment_Unit", "8")];
    let starts: Vec<u64> = requests(SYNTHETIC, &changes).iter().take(4).map(|r| r.start_sector).collect();
    assert_eq!(
        starts,
        [14_824, 14_832, 14_840, 14_848],
        "what MQSim draws with the seed 799 of 29,488 sectors"
    );
}

/// Returns the folder of recorded MQSim runs, whose request lists are in the order of issue; `None` if it
/// does not exist.
fn reference() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("VENICE_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join("reference/mqsim-random")).filter(|folder| folder.is_dir())
}

/// True if MQSim's size generator starts with an uninitialized number, usually close to zero, so that the first
/// size is the mean unless the number is exactly zero.
fn starts_with_what_memory_held(
    flow: &mqsim::FlowParameters,
    ours: &[HostRequest],
    theirs: &[HostRequest],
) -> bool {
    let mqsim::FlowOrigin::Synthetic(synthetic) = &flow.origin else { return false };
    let is_normal = synthetic.size_distribution.value == mqsim::SizeDistribution::Normal;
    let mean = synthetic.average_request_size.value;
    is_normal && theirs[0].sectors == mean && ours[0].sectors != mean
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn flows_draw_the_very_requests_that_mqsim_served() {
    let Some(folder) = reference() else {
        eprintln!("skipped: no reference runs here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    let mut compared = 0;
    for case in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok((execution, _)) = mqsim::read_config(&case.join("ssdconfig.xml")) else { continue };
        let (workload, _) = mqsim::read_workload(&case.join("workload.xml"), &execution).unwrap();
        let scenario = &workload.scenarios[0];
        let drive = mqsim::drive(&execution, Some(scenario), None, &[], None).unwrap();
        let ranges = Simulation::address_ranges(drive.settings());
        let list = case.join("requests.csv.zst");
        let cuts = PageCuts::Device;
        let served = mqsim::flows(&execution, &workload, scenario, &ranges, Some(&list), cuts).unwrap();
        for mut recorded in served {
            let flow = &scenario.flows[usize::from(recorded.queue)];
            if !matches!(flow.origin, mqsim::FlowOrigin::Synthetic(_)) {
                continue;
            }
            let mut drawn =
                mqsim::flow(&execution, &workload, scenario, &ranges, recorded.queue, cuts).unwrap();
            let (ours, theirs) = (drained(&mut drawn, 100_000), drained(&mut recorded, 100_000));
            let what = format!("{}, flow {}", case.display(), recorded.queue);
            if starts_with_what_memory_held(flow, &ours, &theirs) {
                let sizes = |all: &[HostRequest]| all.iter().map(|r| r.sectors).collect::<Vec<u32>>();
                assert_eq!(sizes(&ours)[..ours.len() - 1], sizes(&theirs)[1..], "{what}");
                continue;
            }
            let key = |request: &HostRequest| (request.op, request.start_sector, request.sectors);
            let first = ours.iter().zip(&theirs).position(|(ours, theirs)| key(ours) != key(theirs));
            let shown = first.map(|place| (place, ours[place], theirs[place]));
            assert_eq!((shown, ours.len()), (None, theirs.len()), "{what}");
            compared += 1;
        }
    }
    assert!(compared >= 14, "{compared} flows compared");
}

#[test]
fn normal_sizes_have_their_mean_and_deviation_and_are_never_empty() {
    let changes = |deviation| {
        [
            ("Request_Size_Distribution", "NORMAL"),
            ("Average_Request_Size", "64"),
            ("Variance_Request_Size", deviation),
            ("Total_Requests_To_Generate", "20000"),
        ]
    };
    let sizes =
        |deviation| requests(SYNTHETIC, &changes(deviation)).into_iter().map(|r| f64::from(r.sectors));
    let centre = mean(sizes("10"));
    let deviation = mean(sizes("10").map(|size| (size - centre).powi(2))).sqrt();
    assert!((centre - 64.5).abs() < 0.5, "rounded up, half a sector more: {centre}");
    assert!((deviation - 10.0).abs() < 0.5, "{deviation}");
    assert!(sizes("60").all(|size| (1.0..=64.0 + 360.0).contains(&size)));
}

#[test]
fn a_flow_that_ends_by_its_stop_time_has_requests_for_as_long() {
    let changes = [("Stop_Time", "10000000"), ("Total_Requests_To_Generate", "0")];
    let plan = &mut plans(&one_flow(SYNTHETIC, &changes), None).unwrap()[0];
    assert_eq!(plan.stop, Some(SimTime::from_ps(10_000_000_000)));
    assert_eq!(drained(plan, 5_000).len(), 5_000);
}

#[test]
fn a_trace_is_replayed_for_the_configured_rounds_and_share() {
    let folder = TempDir::new().unwrap();
    let lines: Vec<String> = (0..10).map(|n| format!("{} 0 {} 8 {}\n", 100 + n * 10, n * 8, n % 2)).collect();
    fs::write(folder.path().join("input.trace"), lines.concat()).unwrap();
    let replayed = |changes| {
        let (workload, _) = read(&workload_text(&[&[flow(TRACE, changes)]]), folder.path());
        let plan = &mut plans(&workload, None).unwrap()[0];
        assert_eq!(plan.mode, LoopMode::Open);
        drained(plan, 100_000)
    };
    let once = replayed(&[]);
    assert_eq!((once.len(), once[0].arrival.as_us(), once[0].op), (10, 0.1, Op::Write));
    assert_eq!(replayed(&[("Percentage_To_Be_Executed", "35")]).len(), 3);
    let twice = replayed(&[("Relay_Count", "2"), ("Percentage_To_Be_Executed", "35")]);
    assert_eq!((twice.len(), twice[10].arrival.as_us()), (20, 0.29), "190 ns + 100 ns; all of it, each time");
}

#[test]
fn a_missing_trace_is_reported_with_the_paths_that_were_tried() {
    let flow = flow(TRACE, &[("File_Path", r"traces\t.trace")]);
    let (workload, _) = read(&workload_text(&[&[flow]]), Path::new("files"));
    let Err(error) = plans(&workload, None) else { panic!("there is no such trace") };
    assert_eq!(
        error.to_string(),
        "trace file not found\n  --> traces\\t.trace\n   = searched: `files/traces\\t.trace`, `traces\\t.trace`, `files/traces/t.trace`, \
         `traces/t.trace`"
    );
}

#[test]
fn a_trace_path_with_backslashes_is_found() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("traces")).unwrap();
    fs::write(folder.path().join("traces/t.trace"), "0 0 8 8 1\n").unwrap();
    let flow = flow(TRACE, &[("File_Path", r"traces\t.trace")]);
    let (workload, _) = read(&workload_text(&[&[flow]]), folder.path());
    assert_eq!(drained(&mut plans(&workload, None).unwrap()[0], 10).len(), 1);
}

#[test]
fn a_list_replaces_generators_and_traces_and_its_addresses_are_the_drives() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("requests.csv");
    let rows = "flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors\n\
                0,W,1,1,900,16,8\n1,R,5,5,900,29488,8\n1,R,7,7,900,29504,16\n";
    fs::write(&list, rows).unwrap();
    let depth = flow(SYNTHETIC, &[("Stop_Time", "1")]);
    let (workload, _) = read(&workload_text(&[&[depth, flow(TRACE, &[])]]), Path::new("."));
    let mut found = plans(&workload, Some(&list)).unwrap();
    let modes: Vec<LoopMode> = found.iter().map(|plan| plan.mode).collect();
    assert_eq!(modes, [LoopMode::Closed { depth: 16 }, LoopMode::Open]);
    assert!(found.iter().all(|plan| plan.stop.is_none()), "the list says where a flow ends");
    let starts =
        |plan: &mut FlowPlan| -> Vec<u64> { drained(plan, 9).iter().map(|r| r.start_sector).collect() };
    assert_eq!(starts(&mut found[0]), [16]);
    assert_eq!(
        starts(&mut found[1]),
        [29_440, 29_456],
        "the first sector of flow 1 there and here, and its third page"
    );
}

/// Tags of a device with a data cache, which is partitioned equally by default.
const CACHE: &str = "<Data_Cache_Capacity>1048576</Data_Cache_Capacity>
<Data_Cache_Sharing_Mode>EQUAL_PARTITIONING</Data_Cache_Sharing_Mode>
<Data_Cache_DRAM_Data_Rate>50</Data_Cache_DRAM_Data_Rate><Data_Cache_DRAM_Data_Busrt_Size>2</Data_Cache_DRAM_Data_Busrt_Size>
<Data_Cache_DRAM_Row_Size>4096</Data_Cache_DRAM_Row_Size><Data_Cache_DRAM_tRCD>1</Data_Cache_DRAM_tRCD>
<Data_Cache_DRAM_tCL>2</Data_Cache_DRAM_tCL><Data_Cache_DRAM_tRP>3</Data_Cache_DRAM_tRP>
<Caching_Mechanism>SIMPLE</Caching_Mechanism>";

#[test]
fn the_data_cache_does_what_the_flows_ask_for() {
    let text = DEVICE.replace("<Flash_Parameter_Set>", &format!("{CACHE}<Flash_Parameter_Set>"));
    let (execution, _) = mqsim::parse_config("ssdconfig.xml", &text).unwrap();
    let mode = |mode| flow(SYNTHETIC, &[("Device_Level_Data_Caching_Mode", mode)]);
    let cache = |flows: &[String]| {
        let (workload, _) = read(&workload_text(&[flows]), Path::new("."));
        let drive = mqsim::drive(&execution, workload.scenarios.first(), None, &[], None).unwrap();
        let remarks = mqsim::remarks(&execution, Some((&workload, &[0])));
        (drive.config().cache.clone(), warnings(&remarks[mqsim::remarks(&execution, None).len()..]))
    };
    let (off, said) = cache(&[mode("TURNED_OFF")]);
    assert_eq!((off.mode, off.capacity_bytes, said), (CacheMode::Off, 1_048_576, Vec::new()));
    let (on, said) = cache(&[mode("WRITE_CACHE"), mode("READ_CACHE")]);
    assert_eq!((on.mechanism, on.capacity_bytes, on.partitions), (CacheMechanism::Advanced, 1_048_576, 2));
    assert_eq!(on.modes, [CacheMode::Write, CacheMode::Read]);
    let dram = on.dram;
    assert_eq!((dram.dram_rate_mt_per_s, dram.dram_burst_bytes, dram.dram_row_bytes), (100.0, 2, 4096));
    assert_eq!(
        (dram.t_rcd, dram.t_cl, dram.t_rp),
        (SimSpan::from_ns(1), SimSpan::from_ns(2), SimSpan::from_ns(3))
    );
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("Caching_Mechanism = SIMPLE: the cache works as with ADVANCED"), "{said:?}");
    let (buffer, said) = cache(&[mode("WRITE_CACHE"), mode("TURNED_OFF")]);
    assert_eq!((buffer.mechanism, buffer.partitions), (CacheMechanism::Simple, 1));
    assert_eq!(buffer.modes, [CacheMode::Write, CacheMode::Off]);
    assert!(said[0].contains("= SIMPLE: writes are buffered; MQSim stops at the first request"), "{said:?}");
}

#[test]
fn each_flow_has_a_range_on_its_resources_a_table_and_a_class() {
    let flows = [flow(SYNTHETIC, &[("Chip_IDs", "1"), ("Priority_Class", "LOW")]), flow(SYNTHETIC, &[])];
    let (workload, _) = read(&workload_text(&[&flows]), Path::new("."));
    let drive = mqsim::drive(&device(), workload.scenarios.first(), None, &[], None).unwrap();
    let (partition, ftl, host) = (&drive.config().partition, &drive.config().ftl, &drive.config().host);
    assert_eq!((partition.count, &partition.ways), (2, &vec![vec![1], vec![0, 1]]));
    assert!(partition.channels.is_empty() && partition.dies.is_empty() && partition.planes.is_empty());
    assert_eq!(ftl.mapping.table_sharing, TableSharing::Whole, "MQSim's SHARED");
    assert_eq!(host.priorities, [Priority::Low, Priority::High]);
    assert_eq!(ftl.scheduling.kind, Scheduling::PriorityOutOfOrder);
    assert_eq!((host.queue_entries, host.queue_depth), (32, 16));
    // Way 0: 921 pages of each of 4 planes, all for the second flow; way 1: 460 pages of each plane for both
    // flows.
    let sectors: Vec<u64> = ranges(&workload).iter().map(|range| (range.end - range.start) / 8).collect();
    assert_eq!(sectors, [460 * 4, 460 * 4 + 921 * 4]);
}

#[test]
fn behind_sata_flows_are_one_for_the_drive() {
    let text = DEVICE.replace(
        "<Flash_Channel_Count>",
        "<HostInterface_Type>SATA</HostInterface_Type><Data_Cache_Capacity>1048576</Data_Cache_Capacity>
         <Data_Cache_Sharing_Mode>EQUAL_PARTITIONING</Data_Cache_Sharing_Mode><Flash_Channel_Count>",
    );
    let text = text.replace(
        "<Execution_Parameter_Set>",
        "<Execution_Parameter_Set><Host_Parameter_Set><SATA_Processing_Delay>400000</SATA_Processing_Delay>
         </Host_Parameter_Set>",
    );
    let (execution, _) = mqsim::parse_config("ssdconfig.xml", &text).unwrap();
    let of = |chips, mode| flow(SYNTHETIC, &[("Chip_IDs", chips), ("Device_Level_Data_Caching_Mode", mode)]);
    let flows = [of("1", "WRITE_CACHE"), of("0,1", "READ_CACHE")];
    let (workload, _) = read(&workload_text(&[&flows]), Path::new("."));
    let drive = mqsim::drive(&execution, workload.scenarios.first(), None, &[], None).unwrap();
    let (host, cache) = (&drive.config().host, &drive.config().cache);
    assert_eq!(
        (host.protocol, host.queue_entries, host.adapter_delay),
        (Protocol::Sata, 32, SimSpan::from_us(400))
    );
    assert_eq!(drive.config().ftl.write_streams, 1);
    assert_eq!((cache.mode, cache.modes.len(), cache.partitions), (CacheMode::Write, 0, 1));
    assert_eq!(cache.capacity_bytes, 524_288, "the first flow's part");
    let ranges = Simulation::address_ranges(drive.settings());
    assert_eq!((ranges.len(), &ranges[0]), (1, &(0..921 * 8 * 8)));
    let spaces = mqsim::spaces(&execution, &workload.scenarios[0], &ranges);
    let starts: Vec<_> = spaces.iter().map(|space| (space.mqsim_start_sector, space.start_sector)).collect();
    assert_eq!(starts, [(0, 0), (29_488, 29_488)]);
    let said = warnings(&mqsim::remarks(&execution, Some((&workload, &[0]))));
    assert!(
        said.iter().any(|text| text.contains("Chip_IDs = 1: with SATA, the flow's pages are distributed")),
        "{said:?}"
    );
}

#[test]
fn unsupported_features_of_flows_are_reported_with_their_line() {
    let said = |flows: &[String]| {
        let (workload, _) = read(&workload_text(&[flows]), Path::new("."));
        let of_device = mqsim::remarks(&device(), None);
        let all = mqsim::remarks(&device(), Some((&workload, &[0])));
        warnings(&all[of_device.len()..])
    };
    assert_eq!(said(&[flow(SYNTHETIC, &[])]), [""; 0]);
    let found = said(&[flow(SYNTHETIC, &[("Working_Set_Percentage", "0")])]);
    assert_eq!(found.len(), 1, "{found:?}");
    let instead = "Working_Set_Percentage = 0: 100 is assumed";
    assert!(found[0].starts_with("workload.xml:") && found[0].contains(instead), "{found:?}");
    let found = said(&[flow(SYNTHETIC, &[]), flow(SYNTHETIC, &[("Priority_Class", "LOW")])]);
    assert!(
        found.len() == 1 && found[0].contains("Priority_Class = LOW: classes share a die by weight"),
        "{found:?}"
    );
    let spread = |deviation| {
        let size = [("Request_Size_Distribution", "NORMAL"), ("Variance_Request_Size", deviation)];
        said(&[flow(SYNTHETIC, &[size[0], size[1], ("Average_Request_Size", "16")])])
    };
    assert_eq!(spread("5"), [""; 0]);
    assert!(spread("6")[0].contains("Variance_Request_Size = 6: sizes below one sector become one sector"));
    let found = said(&[flow(SYNTHETIC, &[("Chip_IDs", "1")]), flow(SYNTHETIC, &[])]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(
            "workload.xml:6: Channel_IDs = 0,1: planes of a flow have shares of different sizes"
        ),
        "{found:?}"
    );
    let small = || flow(SYNTHETIC, &[("Working_Set_Percentage", "0")]);
    let found = said(&[small(), small()]);
    assert!(
        found[0].starts_with("workload.xml:11,34: Working_Set_Percentage = 0: "),
        "the same of two lines is one: {found:?}"
    );
    let found = said(&[flow(TRACE, &[("Time_Unit", "MICROSECOND")])]);
    assert!(found[0].contains("Time_Unit = MICROSECOND: times are in nanoseconds"), "{found:?}");
}
