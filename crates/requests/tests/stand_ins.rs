//! Tests that the synthetic stand-ins for the workloads of the Venice paper have the figures of its Tables 2
//! and 3.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use venice_requests::request::{HostRequest, Op};
use venice_requests::workloads::load_workload;

/// Capacity of a 64 GiB drive.
const CAPACITY_SECTORS: u64 = 1 << 27;

const REQUESTS: u64 = 100_000;
const SEEDS: [u64; 3] = [1, 42, 20_230_617];
const TOLERANCE: f64 = 0.02;

/// Name, reads in %, mean size in KB, mean gap in µs: Nadig et al., "Venice", ISCA 2023, Table 2.
const TABLE_2: [(&str, f64, f64, f64); 19] = [
    ("hm_0", 36.0, 8.8, 58.0),
    ("mds_0", 12.0, 9.6, 268.0),
    ("proj_3", 95.0, 9.6, 19.0),
    ("prxy_0", 3.0, 7.2, 242.0),
    ("rsrch_0", 9.0, 9.6, 129.0),
    ("src1_0", 56.0, 43.2, 49.0),
    ("src2_1", 98.0, 59.2, 50.0),
    ("usr_0", 40.0, 22.8, 98.0),
    ("wdev_0", 20.0, 9.2, 162.0),
    ("web_1", 54.0, 29.6, 67.0),
    ("YCSB_B", 99.0, 65.7, 13.0),
    ("YCSB_D", 99.0, 62.0, 14.0),
    ("jenkins", 94.0, 33.4, 615.0),
    ("postgres", 82.0, 13.3, 382.0),
    ("LUN0", 76.0, 20.4, 218.0),
    ("LUN2", 73.0, 16.0, 320.0),
    ("LUN3", 7.0, 7.7, 3127.0),
    ("ssd-00", 91.0, 90.0, 5.0),
    ("ssd-10", 99.0, 11.5, 2.0),
];

/// Name, flows, mean gap in µs: Table 3.
const TABLE_3: [(&str, &[&str], f64); 6] = [
    ("mix1", &["src2_1", "proj_3"], 5.8),
    ("mix2", &["src2_1", "proj_3", "YCSB_D"], 8.4),
    ("mix3", &["prxy_0", "rsrch_0"], 93.0),
    ("mix4", &["prxy_0", "rsrch_0", "mds_0"], 56.0),
    ("mix5", &["prxy_0", "src2_1"], 5.0),
    ("mix6", &["prxy_0", "src2_1", "usr_0"], 3.0),
];

/// Returns the requests of each flow of a workload.
fn flows_of(name: &str, seed: u64) -> Vec<Vec<HostRequest>> {
    let workload = load_workload(name).unwrap().with_requests(REQUESTS);
    let opened = workload.open(CAPACITY_SECTORS, seed).unwrap();
    let drained = opened.into_iter().map(|mut flow| {
        assert!(flow.source.is_synthetic());
        let mut all = Vec::new();
        while flow.source.fill(&mut all, 4096).unwrap() > 0 {}
        all
    });
    drained.collect()
}

/// Returns reads in %, mean size in KB and mean gap in µs, over all flows.
fn figures(flows: &[Vec<HostRequest>]) -> [f64; 3] {
    let all = || flows.iter().flatten();
    let count = all().count() as f64;
    assert_eq!(count as u64, REQUESTS);
    let reads = all().filter(|request| request.op == Op::Read).count() as f64;
    let sectors: f64 = all().map(|request| f64::from(request.sectors)).sum();
    let last_us = all().map(|request| request.arrival.as_us()).fold(0.0, f64::max);
    [100.0 * reads / count, sectors / 2.0 / count, last_us / (count - 1.0)]
}

fn assert_figures(name: &str, expected: [f64; 3]) {
    for seed in SEEDS {
        let found = figures(&flows_of(name, seed));
        for (found, expected) in found.into_iter().zip(expected) {
            let off = (found / expected - 1.0).abs();
            assert!(off < TOLERANCE, "{name}, seed {seed}: {found} where the table has {expected}");
        }
    }
}

#[test]
fn the_nineteen_have_the_figures_of_table_2() {
    for (name, read_pct, mean_kb, mean_gap_us) in TABLE_2 {
        assert_figures(name, [read_pct, mean_kb, mean_gap_us]);
    }
}

#[test]
fn the_six_mixes_have_the_gaps_of_table_3_and_their_flows_proportions() {
    for (name, flows, mean_gap_us) in TABLE_3 {
        let rows: Vec<_> =
            flows.iter().map(|flow| TABLE_2.iter().find(|row| row.0 == *flow).unwrap()).collect();
        let rate: f64 = rows.iter().map(|row| 1.0 / row.3).sum();
        let read_pct = rows.iter().map(|row| row.1 / row.3).sum::<f64>() / rate;
        let mean_kb = rows.iter().map(|row| row.2 / row.3).sum::<f64>() / rate;
        assert_figures(name, [read_pct, mean_kb, mean_gap_us]);
    }
}

#[test]
fn flows_of_a_mix_keep_to_parts_of_the_drive_of_their_own_and_end_together() {
    for (name, parts, _) in TABLE_3 {
        let flows = flows_of(name, 1);
        assert_eq!(flows.len(), parts.len());
        let mut floor = 0;
        let ends_us: Vec<f64> = flows.iter().map(|flow| flow.last().unwrap().arrival.as_us()).collect();
        for flow in &flows {
            assert!(flow.iter().map(|request| request.start_sector).min().unwrap() >= floor, "{name}");
            floor = flow.iter().map(HostRequest::end_sector).max().unwrap();
        }
        for end_us in &ends_us {
            assert!((end_us / ends_us[0] - 1.0).abs() < 0.05, "{name}: {ends_us:?}");
        }
    }
}

#[test]
fn flows_of_a_mix_draw_chances_of_their_own() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("twice.toml");
    let text = "description = 'twice'\nsource = 'assumed'\nsynthetic = true\nrequests = 2000\n\
                flows = ['hm_0', 'hm_0']\n";
    std::fs::write(&path, text).unwrap();
    let flows = flows_of(path.to_str().unwrap(), 1);
    let differ = flows[0].iter().zip(&flows[1]).filter(|(one, other)| one.arrival != other.arrival).count();
    assert!(differ > flows[0].len() * 9 / 10, "{differ}");
}
