//! Cores of the controller: waits of M/D/c queues, plateaus, and their figures in the report.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

/// Time of a trim of one unit on a core; a trim of an unwritten unit needs no other time.
pub(super) const COST: SimSpan = SimSpan::from_ns(1_250);

fn drive(cores: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.ftl.trim.base = SimSpan::ZERO;
    settings.ftl.trim.unit = SimSpan::ZERO;
    settings.cores.cores = cores;
    settings.cores.trim_command = SimSpan::from_ns(1_000);
    settings.cores.trim_unit = SimSpan::from_ns(250);
    settings
}

/// Returns trims with exponential gaps that load `cores` cores to `load`.
pub(super) fn poisson(cores: u32, load: f64, count: usize) -> Vec<HostRequest> {
    let mut random = RandomStream::new(7, "arrivals");
    let mean_ps = COST.as_ps() as f64 / f64::from(cores) / load;
    let mut at = SimTime::ZERO;
    let mut next = |_| {
        at = at + SimSpan::from_ps((-(1.0 - random.unit()).ln() * mean_ps) as u64);
        pages(Op::Trim, 0, 1, at)
    };
    (0..count).map(&mut next).collect()
}

/// Returns the mean wait of a run, checked against the report.
fn mean_wait_us(outcome: &RunOutcome) -> f64 {
    let latencies = outcome.latencies();
    let total: f64 = latencies.iter().map(|span| span.as_us()).sum();
    let wait = total / latencies.len() as f64 - COST.as_us();
    let reported = outcome.report.controller.unwrap();
    assert!((reported.mean_wait_us.unwrap() - wait).abs() < 1e-6, "{reported:?} {wait}");
    wait
}

/// Returns the mean wait in an M/M/c queue (Erlang C), in units of the service time.
fn erlang_c(cores: u32, load: f64) -> f64 {
    let offered = f64::from(cores) * load;
    let blocking = (1..=cores).fold(1.0, |b, n| offered * b / (f64::from(n) + offered * b));
    let waiting = blocking / (1.0 - load * (1.0 - blocking));
    waiting / (f64::from(cores) * (1.0 - load))
}

/// Mean wait of M/D/c in services: exact for one core; for several, the approximation of Cosmetatos (1975),
/// which is within 2 % of Crommelin's exact solution at these loads.
pub(super) fn constant_service_wait(cores: u32, load: f64) -> f64 {
    let c = f64::from(cores);
    let correction = (1.0 - load) * (c - 1.0) * ((4.0 + 5.0 * c).sqrt() - 2.0) / (16.0 * load * c);
    erlang_c(cores, load) / 2.0 * (1.0 + correction)
}

#[test]
fn poisson_arrivals_wait_as_in_an_md1_queue() {
    for load in [0.3, 0.6, 0.8] {
        let expected = load / (2.0 * (1.0 - load));
        assert!((constant_service_wait(1, load) - expected).abs() < 1e-12);
        let outcome = run(&drive(1), LoopMode::Open, poisson(1, load, 150_000));
        let found = mean_wait_us(&outcome) / COST.as_us();
        assert!((found / expected - 1.0).abs() < 0.02, "load {load}: {found} for {expected}");
        let busy = outcome.report.controller.unwrap().utilisation_pct.unwrap() / 100.0;
        assert!((busy / load - 1.0).abs() < 0.01, "load {load}: busy {busy}");
    }
}

#[test]
fn poisson_arrivals_wait_as_in_an_mdc_queue() {
    for (cores, load) in [(2, 0.6), (2, 0.8), (4, 0.8), (8, 0.8)] {
        let expected = constant_service_wait(cores, load);
        let outcome = run(&drive(cores), LoopMode::Open, poisson(cores, load, 300_000));
        let found = mean_wait_us(&outcome) / COST.as_us();
        assert!((found / expected - 1.0).abs() < 0.04, "{cores} cores, load {load}: {found} for {expected}");
    }
}

#[test]
fn closed_loop_reaches_the_rate_of_the_cores() {
    for (cores, outstanding) in [(1, 2), (1, 64), (3, 256)] {
        let requests = vec![pages(Op::Trim, 0, 1, SimTime::ZERO); 20_000];
        let outcome = run(&drive(cores), LoopMode::Closed { depth: outstanding }, requests);
        let expected = f64::from(cores) / COST.as_us() * 1e6;
        let found = outcome.report.iops.unwrap();
        assert!((found / expected - 1.0).abs() < 0.001, "{cores} cores: {found} for {expected}");
        assert!(outcome.report.controller.unwrap().utilisation_pct.unwrap() > 99.9);
    }
}

#[test]
fn a_read_takes_its_core_time_and_delay_before_flash() {
    for cache in [CacheMode::Off, CacheMode::ReadWrite] {
        let mut plain = drive(0);
        plain.cache.mode = cache;
        let mut settings = plain.clone();
        settings.cores.cores = 1;
        settings.cores.read_command = SimSpan::from_ns(700);
        settings.cores.read_unit = SimSpan::from_ns(30);
        settings.cores.read_delay = SimSpan::from_ns(2_000);
        let requests = || vec![pages(Op::Read, 0, 3, SimTime::ZERO)];
        let without = run(&plain, LoopMode::Open, requests());
        let with = run(&settings, LoopMode::Open, requests());
        let own = SimSpan::from_ns(700 + 3 * 30 + 2_000);
        assert_eq!(with.latencies()[0], without.latencies()[0] + own);
        let stage = |outcome: &RunOutcome| outcome.report.breakdown_us["read"].get("firmware").copied();
        assert_eq!(stage(&without), None);
        assert!((stage(&with).unwrap() - own.as_us()).abs() < 1e-9);
    }
}

#[test]
fn the_hidden_part_limits_the_rate_alone() {
    let mut settings = drive(1);
    settings.cores.hidden_pct = 100.0;
    let one = run(&settings, LoopMode::Open, vec![pages(Op::Trim, 0, 1, SimTime::ZERO)]);
    assert_eq!(one.latencies(), [SimSpan::ZERO]);
    let many = vec![pages(Op::Trim, 0, 1, SimTime::ZERO); 20_000];
    let iops = run(&settings, LoopMode::Closed { depth: 4 }, many).report.iops.unwrap();
    assert!((iops * COST.as_us() / 1e6 - 1.0).abs() < 0.001, "{iops}");
}

#[test]
fn busy_cores_take_energy() {
    let mut settings = drive(2);
    settings.power.controller_core_mw = 400.0;
    let requests = vec![pages(Op::Trim, 0, 1, SimTime::ZERO); 1_000];
    let report = run(&settings, LoopMode::Closed { depth: 8 }, requests).report;
    let expected = 0.4 * 1_000.0 * COST.as_us();
    assert!((report.energy_uj["controller"] / expected - 1.0).abs() < 1e-9, "{:?}", report.energy_uj);
}

/// Time of one token of the rate limit.
const TOKEN: SimSpan = SimSpan::from_us(100);

/// Returns a drive whose writes end in the data cache, behind a rate limit of `burst` tokens.
fn limited(burst: u32) -> DriveSettings {
    let mut settings = drive(1);
    settings.cache.mode = CacheMode::Write;
    settings.cores.admission.write_admission_unit = TOKEN;
    settings.cores.admission.write_admission_burst = burst;
    settings
}

/// Returns writes of one page with exponential gaps that take `load` of the tokens.
fn poisson_writes(load: f64, count: usize) -> Vec<HostRequest> {
    let mut random = RandomStream::new(11, "arrivals");
    let mut at = SimTime::ZERO;
    let mut next = |_| {
        at = at + SimSpan::from_ps((-(1.0 - random.unit()).ln() * TOKEN.as_ps() as f64 / load) as u64);
        pages(Op::Write, 0, 1, at)
    };
    (0..count).map(&mut next).collect()
}

/// Returns the probability that the wait in an M/D/1 queue is at most `wait` services (Erlang, 1909).
fn md1_wait_at_most(load: f64, wait: f64) -> f64 {
    let term = |i: u32| {
        let x = load * (f64::from(i) - wait);
        (1..=i).fold((-x).exp(), |product, n| product * x / f64::from(n))
    };
    (1.0 - load) * (0..=wait as u32).map(term).sum::<f64>()
}

/// Returns the mean of max(0, W - `tokens`) for the wait W in an M/D/1 queue, in services.
fn mean_wait_beyond(load: f64, tokens: u32) -> f64 {
    const STEPS: u32 = 200;
    let exceeds = |wait: f64| 1.0 - md1_wait_at_most(load, wait);
    // The mean wait less the integral of P(W > w) from zero to `tokens`, by midpoints.
    let before = (0..tokens * STEPS).map(|step| exceeds((f64::from(step) + 0.5) / f64::from(STEPS)));
    load / (2.0 * (1.0 - load)) - before.sum::<f64>() / f64::from(STEPS)
}

#[test]
fn writes_wait_for_tokens_as_in_an_md1_queue_less_the_burst() {
    for (load, burst) in [(0.6, 1), (0.8, 1), (0.6, 2), (0.8, 4), (0.9, 3)] {
        let outcome = run(&limited(burst), LoopMode::Open, poisson_writes(load, 200_000));
        let report = outcome.report.controller.unwrap().write_admission.unwrap();
        let found = report.mean_wait_us.unwrap() / TOKEN.as_us();
        let expected = mean_wait_beyond(load, burst - 1);
        assert_eq!(report.writes, 200_000);
        assert!((found / expected - 1.0).abs() < 0.04, "load {load}, {burst} tokens: {found} for {expected}");
    }
}

#[test]
fn saturated_writes_reach_the_rate_of_tokens() {
    let requests = vec![pages(Op::Write, 0, 1, SimTime::ZERO); 20_000];
    let outcome = run(&limited(8), LoopMode::Closed { depth: 64 }, requests);
    let (found, expected) = (outcome.report.iops.unwrap(), 1e6 / TOKEN.as_us());
    assert!((found / expected - 1.0).abs() < 0.002, "{found} for {expected}");
}

#[test]
fn rate_limit_delays_no_reads() {
    let requests = || vec![pages(Op::Read, 0, 1, SimTime::ZERO); 50];
    let run_with =
        |settings: &DriveSettings| run(settings, LoopMode::Closed { depth: 8 }, requests()).latencies();
    let mut without = limited(1);
    without.cores.admission.write_admission_unit = SimSpan::ZERO;
    assert_eq!(run_with(&limited(1)), run_with(&without));
}
