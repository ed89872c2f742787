//! Tests of synthetic workloads: distributions and seeds.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::request::{HostRequest, Op};
use venice_requests::workloads::{OpenedFlow, Pacing, Workload, WorkloadSpec, load_workload, workload_names};

/// Capacity of a 16 GiB drive.
const CAPACITY_SECTORS: u64 = 1 << 25;

const SEED: u64 = 42;

/// Returns a workload defined by the test.
fn defined(read_pct: f64, size: &str, address: &str, pacing: &str) -> WorkloadSpec {
    let text = format!(
        "description = \"a test\"\nsource = \"assumed\"\nsynthetic = true\nrequests = 40_000\n\
         read_pct = {read_pct:?}\nsize = {size}\naddress = {address}\n{pacing}\n"
    );
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("own.toml");
    fs::write(&path, text).unwrap();
    single(path.to_str().unwrap())
}

/// Returns a workload of one flow.
fn single(name: &str) -> WorkloadSpec {
    let workload = load_workload(name).unwrap();
    assert_eq!(workload.flows().len(), 1);
    workload.flows()[0].spec.clone()
}

const FIXED: &str = "{ fixed_bytes = 4096 }";
const MIXED: &str = "{ choices = [ { bytes = 4096, weight = 1 }, { bytes = 20480, weight = 3 } ] }";
const UNIFORM: &str = "{ pattern = 'uniform', footprint = { drive_pct = 100.0 }, align_bytes = 4096 }";
const CLOSED: &str = "closed_loop_depth = 4";

fn address(pattern: &str, footprint_bytes: u64) -> String {
    format!("{{ pattern = {pattern}, footprint = {{ bytes = {footprint_bytes} }}, align_bytes = 4096 }}")
}

fn requests_of(spec: &WorkloadSpec, seed: u64) -> Vec<HostRequest> {
    let mut source = spec.source(CAPACITY_SECTORS, seed).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 1_000).unwrap() > 0 {}
    all
}

fn share(requests: &[HostRequest], holds: impl Fn(&HostRequest) -> bool) -> f64 {
    requests.iter().filter(|request| holds(request)).count() as f64 / requests.len() as f64
}

/// Returns the mean of the gaps in microseconds, and their coefficient of variation.
fn gaps_of(requests: &[HostRequest]) -> (f64, f64) {
    let gaps: Vec<f64> =
        requests.windows(2).map(|pair| pair[1].arrival.since(pair[0].arrival).as_us()).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    (mean, variance.sqrt() / mean)
}

/// Returns the requests of all flows, read in batches of `batch`.
fn flows_of(workload: &Workload, seed: u64, batch: usize) -> Vec<Vec<HostRequest>> {
    let opened = workload.open(CAPACITY_SECTORS, seed).unwrap();
    let drain = |mut flow: OpenedFlow| {
        let mut all = Vec::new();
        while flow.source.fill(&mut all, batch).unwrap() > 0 {}
        assert_eq!(flow.source.fill(&mut all, batch).unwrap(), 0);
        all
    };
    opened.into_iter().map(drain).collect()
}

#[test]
fn every_preset_keeps_the_contract_of_sources() {
    assert_eq!(workload_names().len(), 38);
    for name in workload_names() {
        let workload = load_workload(name).unwrap().with_requests(5_000);
        assert_eq!((workload.label(), workload.requests()), (*name, 5_000));
        for (flow, spec) in workload.open(CAPACITY_SECTORS, SEED).unwrap().iter().zip(workload.flows()) {
            assert!(flow.source.label().starts_with(name) && flow.source.is_synthetic(), "{name}");
            assert_eq!(flow.source.total(), Some(spec.spec.requests()), "{name}");
        }
        let flows = flows_of(&workload, SEED, 1_000);
        assert_eq!(flows.iter().map(Vec::len).sum::<usize>(), 5_000, "{name}");
        for (requests, flow) in flows.iter().zip(workload.flows()) {
            let places = flow.spec.places();
            let on_grid = |request: &HostRequest| request.start_sector % u64::from(places.align_sectors);
            assert!(requests.is_sorted_by_key(|request| request.arrival), "{name}");
            assert_eq!(requests[0].arrival, SimTime::ZERO, "{name}");
            assert!(requests.iter().all(|request| request.end_sector() <= CAPACITY_SECTORS), "{name}");
            assert!(requests.iter().all(|request| request.sectors > 0), "{name}");
            assert!(
                requests.iter().all(|request| on_grid(request) == u64::from(places.offset_sectors)),
                "{name}"
            );
        }
        assert_eq!(flows_of(&workload, SEED, 1), flows, "{name}: the size of a batch changes nothing");
    }
}

#[test]
fn every_preset_file_is_in_the_list_and_describes_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/workloads");
    let stem = |entry: fs::DirEntry| entry.path().file_stem().unwrap().to_string_lossy().into_owned();
    let mut files: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| stem(entry.unwrap())).collect();
    files.sort();
    let mut names = workload_names().to_vec();
    names.sort_unstable();
    assert_eq!(files, names);
    for name in names {
        let spec = load_workload(name).unwrap();
        assert!(!spec.description().is_empty() && !spec.provenance().is_empty(), "{name}");
    }
}

#[test]
fn equal_seeds_give_equal_requests_and_other_seeds_other_requests() {
    for name in workload_names() {
        let workload = load_workload(name).unwrap().with_requests(500);
        let requests = flows_of(&workload, SEED, 100);
        assert_eq!(requests, flows_of(&workload, SEED, 100), "{name}");
        if !["search", "sequential-read"].contains(name) {
            assert_ne!(requests, flows_of(&workload, SEED + 1, 100), "{name}");
        }
    }
}

#[test]
fn draws_of_a_seed_never_change() {
    // A change of these values changes every published result with a workload and a seed.
    let spec = single("bursty-oltp").with_requests(4);
    let zipf = single("zipf-mixed").with_requests(4);
    let shown =
        |request: &HostRequest| (request.arrival.as_ps(), request.op, request.start_sector, request.sectors);
    let bursty: Vec<_> = requests_of(&spec, 1).iter().map(shown).collect();
    let expected = [
        (0, Op::Read, 179_968, 16),
        (3_965_243, Op::Write, 879_704, 16),
        (4_285_041, Op::Read, 115_536, 8),
        (11_464_448, Op::Read, 1_657_624, 16),
    ];
    assert_eq!(bursty, expected);
    let zipf: Vec<_> = requests_of(&zipf, 1).iter().map(shown).collect();
    let expected = [
        (0, Op::Read, 7_973_184, 8),
        (0, Op::Write, 10_507_696, 8),
        (0, Op::Read, 11_933_936, 8),
        (0, Op::Read, 9_311_488, 8),
    ];
    assert_eq!(zipf, expected);
}

#[test]
fn the_read_share_is_the_stated_one() {
    for pct in [0.0, 30.0, 67.0, 100.0] {
        let requests = requests_of(&defined(pct, FIXED, UNIFORM, CLOSED), SEED);
        let reads_pct = 100.0 * share(&requests, |request| request.op == Op::Read);
        // Four standard deviations of 40,000 draws are at most one per cent.
        assert!((reads_pct - pct).abs() < 1.0, "{reads_pct} of {pct}");
    }
    let none = requests_of(&defined(0.0, FIXED, UNIFORM, CLOSED), SEED);
    assert!(none.iter().all(|request| request.op == Op::Write), "none means none");
}

#[test]
fn sizes_come_by_weight_and_with_the_stated_mean() {
    let spec = defined(50.0, MIXED, UNIFORM, CLOSED);
    let requests = requests_of(&spec, SEED);
    assert!((share(&requests, |request| request.sectors == 8) - 0.25).abs() < 0.01);
    assert!(requests.iter().all(|request| [8, 40].contains(&request.sectors)));
    let bytes: f64 = requests.iter().map(|request| f64::from(request.sectors) * 512.0).sum();
    assert!((spec.sizes().mean_bytes() - 16_384.0).abs() < 1e-9);
    assert!((bytes / requests.len() as f64 / spec.sizes().mean_bytes() - 1.0).abs() < 0.01);
}

#[test]
fn a_closed_loop_states_its_depth_and_leaves_arrivals_at_zero() {
    let spec = defined(50.0, FIXED, UNIFORM, CLOSED);
    assert_eq!(spec.pacing(), Pacing::ClosedLoop { depth: 4, think: SimSpan::ZERO, think_requests: 1 });
    assert!(requests_of(&spec, SEED).iter().all(|request| request.arrival == SimTime::ZERO));
}

#[test]
fn constant_gaps_are_constant() {
    let pacing = "open_loop = { mean_gap_us = 12.5, gaps = 'constant' }";
    let requests = requests_of(&defined(50.0, FIXED, UNIFORM, pacing), SEED);
    for (number, request) in (0..).zip(&requests) {
        assert_eq!(request.arrival, SimTime::from_ps(number * 12_500_000));
    }
}

#[test]
fn exponential_gaps_have_the_stated_mean_and_vary_by_as_much() {
    let pacing = "open_loop = { mean_gap_us = 20.0, gaps = 'exponential' }";
    let (mean, variation) = gaps_of(&requests_of(&defined(50.0, FIXED, UNIFORM, pacing), SEED));
    assert!((mean / 20.0 - 1.0).abs() < 0.02, "{mean}");
    assert!((variation - 1.0).abs() < 0.03, "{variation}");
}

#[test]
fn constant_bursts_leave_their_pauses_empty_and_keep_the_mean() {
    let pacing = "open_loop = { mean_gap_us = 20.0, gaps = 'exponential', \
                  bursts = { on_us = 500.0, off_us = 2000.0, lengths = 'constant' } }";
    let requests = requests_of(&defined(50.0, FIXED, UNIFORM, pacing), SEED);
    let phase_us = |request: &HostRequest| request.arrival.as_us() % 2_500.0;
    assert!(requests.iter().all(|request| phase_us(request) < 500.0));
    let (mean, _) = gaps_of(&requests);
    assert!((mean / 20.0 - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn exponential_bursts_keep_the_mean_and_vary_more_than_no_bursts() {
    let spec = single("bursty-oltp").with_requests(400_000);
    let (mean, variation) = gaps_of(&requests_of(&spec, SEED));
    assert!((mean / 20.0 - 1.0).abs() < 0.05, "{mean}");
    assert!(variation > 3.0, "{variation}");
}

#[test]
fn uniform_places_are_even_and_reach_both_ends() {
    // 16 places of 4 KiB; chi-square with 15 degrees of freedom exceeds 37.7 once in a thousand.
    let requests = requests_of(&defined(50.0, FIXED, &address("'uniform'", 16 * 4_096), CLOSED), SEED);
    let mut counts = [0_u32; 16];
    for request in &requests {
        counts[(request.start_sector / 8) as usize] += 1;
    }
    let expected = requests.len() as f64 / 16.0;
    let chi_square: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    assert!(chi_square < 37.7, "{counts:?} gives {chi_square}");
}

#[test]
fn sequential_requests_adjoin_and_wrap() {
    // Ten sectors of 512 bytes do not fill the second 4-KiB step, so starts skip to the next one.
    let size = "{ fixed_bytes = 5120 }";
    let requests = requests_of(&defined(50.0, size, &address("'sequential'", 50 * 512), CLOSED), SEED);
    let starts: Vec<u64> = requests.iter().take(7).map(|request| request.start_sector).collect();
    assert_eq!(starts, [0, 16, 32, 0, 16, 32, 0]);
}

#[test]
fn no_pattern_leaves_the_footprint_whatever_the_sizes() {
    let footprint_bytes = 20_480 + 3 * 4_096 + 512;
    for pattern in [
        "'uniform'",
        "'sequential'",
        "{ zipf = { theta = 1.0 } }",
        "{ hot_cold = { hot_access_pct = 90.0, hot_space_pct = 1.0 } }",
    ] {
        let requests = requests_of(&defined(50.0, MIXED, &address(pattern, footprint_bytes), CLOSED), SEED);
        assert!(requests.iter().all(|request| request.end_sector() <= footprint_bytes / 512), "{pattern}");
        assert!(requests.iter().any(|request| request.start_sector > 0), "{pattern}");
    }
}

#[test]
fn zipf_places_follow_the_exact_law_and_the_popular_ones_are_scattered() {
    const PLACES: usize = 200;
    let pattern = "{ zipf = { theta = 0.9 } }";
    let requests = requests_of(&defined(50.0, FIXED, &address(pattern, PLACES as u64 * 4_096), CLOSED), SEED);
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for request in &requests {
        *counts.entry(request.start_sector / 8).or_default() += 1;
    }
    let mut popular: Vec<(u64, u32)> = counts.into_iter().collect();
    popular.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let weights: f64 = (1..=PLACES).map(|rank| (rank as f64).powf(-0.9)).sum();
    for (rank, &(_, count)) in (1..=5).zip(&popular) {
        let expected = requests.len() as f64 * f64::from(rank).powf(-0.9) / weights;
        let deviation = (f64::from(count) - expected).abs() / expected.sqrt();
        assert!(deviation < 4.0, "rank {rank}: {count} requests, {expected} expected");
    }
    let places: Vec<u64> = popular.iter().take(10).map(|&(place, _)| place).collect();
    assert!(places.iter().max().unwrap() - places.iter().min().unwrap() > PLACES as u64 / 2, "{places:?}");
}

#[test]
fn the_hot_part_of_the_space_gets_the_hot_share_of_requests() {
    let pattern = "{ hot_cold = { hot_access_pct = 80.0, hot_space_pct = 20.0 } }";
    let requests = requests_of(&defined(50.0, FIXED, &address(pattern, 1_000 * 4_096), CLOSED), SEED);
    let hot = share(&requests, |request| request.start_sector < 200 * 8);
    assert!((hot - 0.8).abs() < 0.01, "{hot}");
    let first_half_of_hot = share(&requests, |request| request.start_sector < 100 * 8);
    assert!((first_half_of_hot - 0.4).abs() < 0.01, "{first_half_of_hot}");
}

#[test]
fn another_read_share_leaves_places_and_times_alone() {
    let pacing = "open_loop = { mean_gap_us = 20.0, gaps = 'exponential' }";
    let places = |read_pct| -> Vec<_> {
        let requests = requests_of(&defined(read_pct, MIXED, UNIFORM, pacing), SEED);
        requests.iter().map(|request| (request.arrival, request.start_sector, request.sectors)).collect()
    };
    assert_eq!(places(10.0), places(90.0));
}

#[test]
fn the_error_of_a_workload_beyond_the_clock_names_the_request() {
    let pacing = "open_loop = { mean_gap_us = 1e9, gaps = 'constant' }";
    let mut source = defined(50.0, FIXED, UNIFORM, pacing).source(CAPACITY_SECTORS, SEED).unwrap();
    let mut all = Vec::new();
    let text = source.fill(&mut all, 40_000).unwrap_err().to_string();
    assert_eq!(all.len(), 18_447, "2^64 ps hold that many steps of 1000 s");
    assert!(text.starts_with("request 18448 arrives more than 213 days after the first"), "{text}");
    assert_eq!(source.fill(&mut all, 1).unwrap(), 0);
}

#[test]
fn reads_and_writes_may_have_lengths_of_their_own() {
    let both = format!("{{ by_operation = {{ read = {FIXED}, write = {MIXED} }} }}");
    let spec = defined(25.0, &both, UNIFORM, CLOSED);
    let (reads, writes): (Vec<_>, Vec<_>) =
        requests_of(&spec, SEED).into_iter().partition(|request| request.op == Op::Read);
    assert!(reads.iter().all(|request| request.sectors == 8));
    let long = share(&writes, |request| request.sectors == 40);
    assert!((long - 0.75).abs() < 0.01 && share(&writes, |request| request.sectors == 8) > 0.24, "{long}");
    assert_eq!(spec.longest_sectors(), 40);
    // A mean request has 0.25 × 4,096 + 0.75 × 16,384 bytes.
    let paced = defined(25.0, &both, UNIFORM, "open_loop = { mb_per_s = 1331.2, gaps = 'constant' }");
    let Pacing::OpenLoop(open_loop) = paced.pacing() else { panic!("it is an open loop") };
    assert_eq!(open_loop.mean_gap, SimSpan::from_ns(10_000));
}

#[test]
fn lengths_of_writes_leave_reads_where_they_were() {
    let reads = |size: &str| {
        let all = requests_of(&defined(50.0, size, UNIFORM, CLOSED), SEED);
        all.into_iter()
            .filter(|request| request.op == Op::Read)
            .map(|request| request.start_sector)
            .collect::<Vec<_>>()
    };
    let both = format!("{{ by_operation = {{ read = {FIXED}, write = {FIXED} }} }}");
    assert_eq!(reads(&both), reads(FIXED));
}
