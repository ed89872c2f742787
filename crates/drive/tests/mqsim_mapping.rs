//! Comparison of demand-paged mapping with MQSim, for the same requests.
//!
//! The reference is the output of MQSim (Tavakkol et al., FAST 2018, commit 7ec40e3) for a drive with a
//! cached mapping table of 64 KiB under 20,000 random requests of 8 KiB, 70 % of them reads, at queue depth
//! 16. The files are read from the folder in `VENICE_SHARED`, or from `shared` beside the repository. Without
//! these files the test prints a message and passes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use venice_config as config;
use venice_kernel::SimTime;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::report::Report;
use venice_sim::testkit::drive::run;

const CASE: &str = "reference/mqsim/p06_cmt_64k_mixed70";

fn case() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("VENICE_SHARED").map_or(beside, PathBuf::from);
    let case = shared.join(CASE);
    case.is_dir().then_some(case)
}

fn requests(case: &Path) -> Vec<HostRequest> {
    let file = File::open(case.join("requests.csv.zst")).unwrap();
    let text = String::from_utf8(zstd::decode_all(file).unwrap()).unwrap();
    let requests: Vec<HostRequest> = text.lines().skip(1).map(request).collect();
    assert_eq!(requests.len(), 20_000);
    requests
}

/// Parses a line `flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors`.
fn request(line: &str) -> HostRequest {
    let fields: Vec<&str> = line.split(',').collect();
    HostRequest {
        arrival: SimTime::ZERO,
        op: if fields[1] == "R" { Op::Read } else { Op::Write },
        start_sector: fields[5].parse().unwrap(),
        sectors: fields[6].parse().unwrap(),
        queue: 0,
        pattern_set: 0,
    }
}

fn replay(case: &Path) -> Report {
    let sets = [
        "ftl.mapping=cached",
        "ftl.mapping_table_bytes=65536",
        "ftl.mapping_writeback=read_only",
        "ftl.unwritten_data=mapped_on_read",
        "ftl.page_allocation=at_arrival_any_order",
    ];
    let drive = config::load("mqsim-default", None, &sets.map(str::to_owned), None).unwrap();
    run(drive.settings(), LoopMode::Closed { depth: 16 }, requests(case)).report
}

fn assert_close(what: &str, ours: f64, mqsim: f64, within_pct: f64) {
    let off_pct = (ours / mqsim - 1.0) * 100.0;
    assert!(off_pct.abs() <= within_pct, "{what}: {ours} against {mqsim}, {off_pct:+.2} %");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn a_small_mapping_table_costs_as_much_as_in_mqsim() {
    let Some(case) = case() else {
        eprintln!("skipped: no reference runs here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    let expected: Json =
        serde_json::from_str(&fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
    let report = replay(&case);
    let counted = |key: &str| expected["ftl"][key].as_str().unwrap().parse::<f64>().unwrap();
    let flow = &expected["flows"]["0"];
    for (name, ours) in [("read", &report.device_latency_us.read), ("write", &report.device_latency_us.write)]
    {
        let mqsim = |key: &str| flow[name]["device_response_ns"][key].as_f64().unwrap() / 1e3;
        assert_close(&format!("{name} mean"), ours.mean.unwrap(), mqsim("mean"), 3.0);
        assert_close(&format!("{name} p99"), ours.p99.unwrap(), mqsim("p99"), 5.0);
    }
    assert_close("makespan", report.makespan_us, expected["makespan_ns"].as_f64().unwrap() / 1e3, 2.0);
    let flash = &report.flash;
    let commands = |prefix: &str| {
        counted(&format!("Issued_Flash_{prefix}_CMD"))
            + counted(&format!("Issued_Flash_Multiplane_{prefix}_CMD"))
    };
    let read_commands = flash.reads - flash.multiplane_reads;
    assert_close("read commands", read_commands as f64, commands("Read"), 1.0);
    let program_commands = flash.programs - flash.multiplane_programs;
    assert_close("program commands", program_commands as f64, commands("Program"), 1.0);
    let mapping_reads = counted("Issued_Flash_Read_CMD_For_Mapping");
    assert_close("mapping reads", flash.mapping_reads as f64, mapping_reads, 5.0);
}
