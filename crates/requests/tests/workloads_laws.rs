//! Tests of the distributions of synthetic flows against closed forms.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::collections::BTreeMap;

use venice_kernel::SimTime;
use venice_requests::request::{HostRequest, Op};
use venice_requests::workloads::parse_workload;

const CAPACITY_SECTORS: u64 = 1 << 25;
const CLOSED: &str = "closed_loop_depth = 4";
const UNIFORM: &str = "pattern = 'uniform'\nfootprint = { bytes = 4_096_000 }\nalign_bytes = 4096";

/// Requests of a definition: top-level keys, address table, remaining tables.
fn requests(count: u64, whole: &str, address: &str, rest: &str) -> Vec<HostRequest> {
    let text = format!(
        "description = 'a test'\nsource = 'assumed'\nsynthetic = true\nrequests = {count}\n{whole}\n\
         [address]\n{address}\n{rest}\n"
    );
    let spec = parse_workload(&text, "own").unwrap();
    let mut source = spec.source(CAPACITY_SECTORS, 7).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 1_000).unwrap() > 0 {}
    all
}

fn at_places(count: u64, pattern: &str, places: u64) -> Vec<u64> {
    let address =
        format!("pattern = {pattern}\nfootprint = {{ bytes = {} }}\nalign_bytes = 4096", places * 4096);
    let whole = format!("read_pct = 50.0\nsize = {{ fixed_bytes = 4096 }}\n{CLOSED}");
    requests(count, &whole, &address, "").iter().map(|request| request.start_sector / 8).collect()
}

/// Returns the gaps between arrivals relative to their configured mean.
fn gaps(count: u64, whole: &str, law: &str) -> Vec<f64> {
    let whole = format!("read_pct = 50.0\nsize = {{ fixed_bytes = 4096 }}\n{whole}");
    let rest = format!("[open_loop]\nmean_gap_us = 10.0\ngaps = {law}");
    let all = requests(count, &whole, UNIFORM, &rest);
    all.windows(2).map(|pair| pair[1].arrival.since(pair[0].arrival).as_us() / 10.0).collect()
}

fn moments(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    (mean, numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count)
}

#[test]
fn a_permutation_visits_every_place_once_a_round_and_each_round_in_another_order() {
    let places = at_places(3_000, "'permutation'", 1_000);
    let rounds: Vec<&[u64]> = places.chunks(1_000).collect();
    for round in &rounds {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1_000).collect::<Vec<_>>());
    }
    assert_ne!(rounds[0], rounds[1]);
    assert_ne!(rounds[1], rounds[2]);
}

#[test]
fn pareto_gives_the_first_share_of_places_its_complement_of_requests_again_and_again() {
    for h in [0.2, 0.4] {
        let places = at_places(100_000, &format!("{{ pareto = {{ h = {h} }} }}"), 1_000);
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for place in places {
            *counts.entry(place).or_default() += 1;
        }
        let mut counts: Vec<u64> = counts.into_values().collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        for level in 1..=2 {
            let hottest = (1_000.0 * f64::powi(h, level)).round() as usize;
            let share = counts[..hottest].iter().sum::<u64>() as f64 / 1e5;
            let expected = f64::powi(1.0 - h, level);
            assert!((share - expected).abs() < 0.01, "h {h}, level {level}: {share}, {expected}");
        }
    }
}

#[test]
fn normal_places_have_their_mean_in_the_middle_and_the_stated_deviation() {
    let places = at_places(40_000, "{ normal = { deviation_pct = 10.0 } }", 10_000);
    let (mean, variance) = moments(&places.iter().map(|&place| place as f64).collect::<Vec<_>>());
    assert!((mean / 5_000.0 - 1.0).abs() < 0.01, "{mean}");
    assert!((variance.sqrt() / 1_000.0 - 1.0).abs() < 0.02, "{variance}");
    assert!(at_places(5_000, "{ normal = { deviation_pct = 60.0 } }", 100).iter().all(|&place| place < 100));
}

#[test]
fn hyperexponential_gaps_have_the_moments_of_their_two_phases() {
    let (long, short) = (0.2, 0.1);
    let gaps = gaps(400_000, "", "{ hyperexponential = { long_pct = 20.0, short_mean_pct = 10.0 } }");
    let long_mean = (1.0 - (1.0 - long) * short) / long;
    let expected = 2.0 * ((1.0 - long) * short * short + long * long_mean * long_mean) - 1.0;
    let (mean, variance) = moments(&gaps);
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!((variance / expected - 1.0).abs() < 0.03, "{variance}, {expected}");
    // Nearly all gaps below a hundredth of the long mean are short ones.
    let below = gaps.iter().filter(|&&gap| gap < 0.05).count() as f64 / gaps.len() as f64;
    let expected =
        (1.0 - long) * (1.0 - f64::exp(-0.05 / short)) + long * (1.0 - f64::exp(-0.05 / long_mean));
    assert!((below - expected).abs() < 0.005, "{below}, {expected}");
}

#[test]
fn pareto_gaps_have_the_stated_tail_and_mean() {
    let shape: f64 = 3.0;
    let gaps = gaps(400_000, "", "{ pareto = { shape = 3.0 } }");
    let least = (shape - 1.0) / shape;
    assert!(gaps.iter().all(|&gap| gap >= least * 0.999_999));
    assert!((moments(&gaps).0 - 1.0).abs() < 0.01);
    for times in [1.5_f64, 3.0] {
        let above = gaps.iter().filter(|&&gap| gap > least * times).count() as f64 / gaps.len() as f64;
        assert!((above - times.powf(-shape)).abs() < 0.003, "{times}: {above}");
    }
}

#[test]
fn strata_keep_the_means_within_a_thousandth_in_every_block() {
    let law = "{ hyperexponential = { long_pct = 5.0, short_mean_pct = 5.0 } }";
    let by_strata = gaps(20_001, "strata = 1000", law);
    let free = gaps(20_001, "", law);
    let worst =
        |gaps: &[f64]| gaps.chunks(1_000).map(|block| (moments(block).0 - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst(&by_strata) < 0.06 && worst(&free) > 0.2, "{} {}", worst(&by_strata), worst(&free));
    let whole = format!("read_pct = 3.0\nstrata = 1000\nsize = {{ fixed_bytes = 4096 }}\n{CLOSED}");
    for block in requests(5_000, &whole, UNIFORM, "").chunks(1_000) {
        assert_eq!(block.iter().filter(|request| request.op == Op::Read).count(), 30);
    }
}

#[test]
fn bandwidth_gives_the_mean_gap_of_a_mean_request() {
    let whole = "read_pct = 0.0\nsize = { choices = [ { bytes = 4096, weight = 1 }, { bytes = 12288, weight = 1 } ] }";
    let all = requests(1_001, whole, UNIFORM, "[open_loop]\nmb_per_s = 81.92\ngaps = 'constant'");
    // 8,192 bytes at 81.92 bytes per microsecond.
    assert_eq!(all[1_000].arrival, SimTime::from_ps(100_000_000_000));
}

#[test]
fn starts_shift_every_arrival() {
    let whole = "read_pct = 0.0\nsize = { fixed_bytes = 4096 }\nstart_us = 500.0\nstop_us = 600.0";
    let all = requests(3, whole, UNIFORM, "[open_loop]\nmean_gap_us = 2.0\ngaps = 'constant'");
    let arrivals: Vec<f64> = all.iter().map(|request| request.arrival.as_us()).collect();
    assert_eq!(arrivals, [500.0, 502.0, 504.0]);
}

#[test]
fn runs_have_the_stated_mean_length_and_adjoin() {
    let address =
        "pattern = 'uniform'\nfootprint = { drive_pct = 100.0 }\nalign_bytes = 4096\nrun_requests = 4.0";
    let whole = format!("read_pct = 50.0\nsize = {{ fixed_bytes = 8192 }}\n{CLOSED}");
    let all = requests(40_000, &whole, address, "");
    let adjoining = all.windows(2).filter(|pair| pair[1].start_sector == pair[0].end_sector()).count();
    let mean = 40_000.0 / (40_000 - adjoining) as f64;
    assert!((mean / 4.0 - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn runs_by_operation_go_on_from_the_same_operation() {
    let address = "pattern = 'sequential'\nfootprint = { bytes = 409_600_000 }\nalign_bytes = 512\nruns_by_operation = true";
    let whole = format!("read_pct = 30.0\nsize = {{ fixed_bytes = 4096 }}\n{CLOSED}");
    let all = requests(1_000, &whole, address, "");
    for op in [Op::Read, Op::Write] {
        let own: Vec<u64> =
            all.iter().filter(|request| request.op == op).map(|request| request.start_sector).collect();
        assert!(own.iter().zip(0..).all(|(&start, number)| start == 8 * number), "{op:?}");
    }
}

#[test]
fn offsets_move_the_grid_and_nothing_leaves_the_footprint() {
    for (pattern, runs) in [("'uniform'", 1.0), ("'sequential'", 1.0), ("{ zipf = { theta = 0.9 } }", 3.0)] {
        let address = format!(
            "pattern = {pattern}\nfootprint = {{ bytes = 65536 }}\nalign_bytes = 4096\nalign_offset_bytes = 3584\n\
             run_requests = {runs:?}"
        );
        let whole = format!("read_pct = 50.0\nsize = {{ fixed_bytes = 6144 }}\n{CLOSED}");
        let all = requests(2_000, &whole, &address, "");
        assert!(
            all.iter().all(|request| request.start_sector % 8 == 7 && request.end_sector() <= 128),
            "{pattern}"
        );
        assert!(all.iter().any(|request| request.start_sector > 7), "{pattern}");
    }
}

#[test]
fn gathers_are_as_many_as_stated_and_leave_the_reads_share_of_the_others() {
    let whole =
        |gathers: &str| format!("read_pct = 70.0\n{gathers}\nsize = {{ fixed_bytes = 4096 }}\n{CLOSED}");
    let all = requests(40_000, &whole("gather_pct = 20.0"), UNIFORM, "");
    let share = |op| all.iter().filter(|request| request.op == op).count() as f64 / 40_000.0;
    assert!((share(Op::Gather) - 0.2).abs() < 0.006, "{}", share(Op::Gather));
    assert!((share(Op::Read) - 0.56).abs() < 0.008, "{}", share(Op::Read));
    let without = requests(40_000, &whole(""), UNIFORM, "");
    assert!(without.iter().all(|request| request.op != Op::Gather));
    let places =
        |requests: &[HostRequest]| -> Vec<u64> { requests.iter().map(|it| it.start_sector).collect() };
    assert_eq!(places(&all), places(&without), "gathers touch no place that others would not");
}

#[test]
fn reads_after_writes_repeat_one_of_the_last_writes_as_often_as_stated() {
    let whole = format!(
        "read_pct = 50.0\nsize = {{ fixed_bytes = 4096 }}\nread_after_write = {{ pct = 40.0, within_writes = 8 }}\n{CLOSED}"
    );
    let address = "pattern = 'uniform'\nfootprint = { drive_pct = 100.0 }\nalign_bytes = 4096";
    let all = requests(40_000, &whole, address, "");
    let mut writes: Vec<u64> = Vec::new();
    let (mut reads, mut repeats) = (0, 0);
    for request in &all {
        if request.op == Op::Write {
            writes.push(request.start_sector);
        } else {
            reads += 1;
            let last = &writes[writes.len().saturating_sub(8)..];
            repeats += u32::from(last.contains(&request.start_sector));
        }
    }
    let share = f64::from(repeats) / f64::from(reads);
    assert!((share - 0.4).abs() < 0.015, "{share}");
}

#[test]
fn a_footprint_of_at_most_so_much_is_the_drive_where_that_is_smaller() {
    let whole = format!("read_pct = 50.0\nsize = {{ fixed_bytes = 4096 }}\n{CLOSED}");
    let reach = |bytes: u64| {
        let address =
            format!("pattern = 'uniform'\nfootprint = {{ at_most_bytes = {bytes} }}\nalign_bytes = 4096");
        requests(20_000, &whole, &address, "").iter().map(HostRequest::end_sector).max().unwrap()
    };
    assert!((32_000..=32_768).contains(&reach(16 << 20)));
    let all = CAPACITY_SECTORS;
    assert!((all * 99 / 100..=all).contains(&reach(1 << 40)));
}

#[test]
fn the_first_request_of_a_closed_loop_s_source_arrives_at_zero() {
    let whole =
        format!("read_pct = 50.0\nsize = {{ fixed_bytes = 4096 }}\nthink_us = 5.0\nstart_us = 9.0\n{CLOSED}");
    assert!(requests(10, &whole, UNIFORM, "").iter().all(|request| request.arrival == SimTime::ZERO));
}
