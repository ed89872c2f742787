//! Comparison of the data cache with that of MQSim: 20,000 writes of 4 KiB to random 8-KiB pages, at queue
//! depth 16.
//!
//! MQSim's requests are read from the folder in `VENICE_SHARED`, or from `../shared` beside the repository;
//! without this folder the comparison is skipped. MQSim's results are for an ideal mapping table, so that
//! only cache and flash are compared.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says when it is skipped"
)]

use std::fs::File;
use std::path::{Path, PathBuf};

use venice_config as config;
use venice_kernel::SimTime;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::testkit::drive::run;

/// Results of MQSim (commit 7ec40e3) for `p07_write_cache_4k` with `Ideal_Mapping_Table` true, with
/// tolerances in %.
struct Answer {
    /// Settings that are changed on the drive.
    sets: &'static [&'static str],
    /// Mean response time in µs, and its tolerance.
    mean: (f64, f64),
    /// 99th percentile of the response time in µs, and its tolerance.
    p99: (f64, f64),
    /// Makespan in µs, and its tolerance.
    makespan: (f64, f64),
}

/// Expected number of page programs, one for each written page.
const PROGRAMS: u64 = 19_992;

/// Dies with one plane, so that no multi-plane commands are used.
const ONE_PLANE: Answer = Answer {
    sets: &["flash.planes_per_die=1", "flash.blocks_per_plane=4096"],
    mean: (428.566, 0.05),
    p99: (578.095, 0.05),
    makespan: (535_861.469, 0.05),
};

/// Default drive of MQSim. MQSim allocates pages when writes arrive, this simulator when programs start, so
/// that different writes have equal page offsets: MQSim uses 1,044 two-plane commands, this simulator 728.
const TWO_PLANES: Answer =
    Answer { sets: &[], mean: (371.565, 3.0), p99: (475.565, 5.0), makespan: (464_626.366, 3.0) };

fn requests() -> Option<Vec<HostRequest>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("VENICE_SHARED").map_or(beside, PathBuf::from);
    let file = File::open(shared.join("reference/mqsim/p07_write_cache_4k/requests.csv.zst")).ok()?;
    let text = String::from_utf8(zstd::decode_all(file).unwrap()).unwrap();
    Some(text.lines().skip(1).map(request).collect())
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

#[track_caller]
fn assert_within(what: &str, found: f64, (expected, pct): (f64, f64)) {
    let off = (found / expected - 1.0) * 100.0;
    assert!(off.abs() <= pct, "{what}: {found} against {expected}, {off:+.3} %");
}

#[test]
fn cached_writes_take_as_long_as_in_mqsim() {
    let Some(requests) = requests() else {
        eprintln!("skipped: MQSim's requests are not here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    assert_eq!(requests.len(), 20_000);
    for answer in [ONE_PLANE, TWO_PLANES] {
        let sets: Vec<String> =
            ["cache.mode=write"].iter().chain(answer.sets).map(|&set| set.to_owned()).collect();
        let drive = config::load("mqsim-default", None, &sets, None).unwrap();
        let outcome = run(drive.settings(), LoopMode::Closed { depth: 16 }, requests.clone());
        let report = &outcome.report;
        let writes = &report.device_latency_us.write;
        assert_within("mean", writes.mean.unwrap(), answer.mean);
        assert_within("p99", writes.p99.unwrap(), answer.p99);
        assert_within("makespan", report.makespan_us, answer.makespan);
        assert_eq!(outcome.whole_flash().programs, PROGRAMS);
    }
}
