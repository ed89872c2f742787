//! Processes that share cores of the host: waits for time slices, order of processes, polling and locks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::observe::{RequestRow, WarmUp};
use venice_fabric::FabricKind;
use venice_host::HostCoreParameters;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{Flow, LoopMode, Op};
use venice_sim::testkit::drive::{RunOutcome, small_drive, try_run_flows};

use super::controller_cores::COST;

const SLICE: SimSpan = SimSpan::from_us(100);

fn parameters(cores: u32) -> HostCoreParameters {
    HostCoreParameters { cores, core_request: COST, core_slice: SLICE, ..HostCoreParameters::default() }
}

/// Runs a flow of trims, which take no time in the drive, for each process.
fn run(cores: HostCoreParameters, flows: Vec<Flow>) -> RunOutcome {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    (settings.ftl.trim.base, settings.ftl.trim.unit) = (SimSpan::ZERO, SimSpan::ZERO);
    settings.host.cores = cores;
    try_run_flows(WarmUp::default(), &settings, flows, &[]).unwrap()
}

/// Returns closed loops of trims, one for each process.
fn loops(processes: u16, depth: u32, requests: usize) -> Vec<Flow> {
    let flow = |queue| {
        let trims = vec![pages(Op::Trim, 0, 1, SimTime::ZERO); requests];
        Flow::new(Box::new(Script::new(trims)), LoopMode::Closed { depth }).on_queue(queue)
    };
    (0..processes).map(flow).collect()
}

/// Returns the latencies in ascending order [µs], without those of the last requests of each process.
fn latencies_us(outcome: &RunOutcome, processes: u16, requests: usize) -> Vec<f64> {
    let measured = |row: &&RequestRow| row.number < u64::from(processes) * requests as u64 * 9 / 10;
    let latency = |row: &RequestRow| row.completed.since(row.arrival).as_us();
    let mut all: Vec<f64> = outcome.rows.iter().filter(measured).map(latency).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// In each slice, the outstanding requests of a process wait for the slices of all others.
#[test]
fn outstanding_requests_wait_for_the_slices_of_other_processes() {
    for (processes, depth) in [(2_u16, 8_u32), (3, 16)] {
        let latencies = latencies_us(&run(parameters(1), loops(processes, depth, 20_000)), processes, 20_000);
        let pass = f64::from(depth) * COST.as_us();
        let others = f64::from(processes - 1) * SLICE.as_us();
        let long = latencies.iter().filter(|&&latency| latency > others).count();
        let share = long as f64 / latencies.len() as f64;
        assert!((share / (pass / SLICE.as_us()) - 1.0).abs() < 0.03, "{processes} x {depth}: {share}");
        let last = latencies.last().unwrap();
        assert!(*last > others + 0.9 * pass && *last < others + 1.3 * pass, "{processes} x {depth}: {last}");
        let found = mean(&latencies);
        let expected = f64::from(processes) * pass;
        assert!((found / expected - 1.0).abs() < 0.02, "{processes} x {depth}: {found} for {expected}");
        let median = latencies[latencies.len() / 2];
        assert!((median - pass).abs() < 1e-6, "{processes} x {depth}: {median} for {pass}");
    }
}

/// A process waits for n times the time of its last request, of which a share is exponentially distributed.
#[test]
fn latency_of_processes_with_one_request_varies_as_its_own_time() {
    for (variation_pct, processes) in [(25.0, 32_u16), (50.0, 64)] {
        let cores = HostCoreParameters { variation_pct, ..parameters(1) };
        let ratios = |cores: HostCoreParameters| {
            let latencies = latencies_us(&run(cores, loops(processes, 1, 3_000)), processes, 3_000);
            let mean_us = mean(&latencies);
            (mean_us, latencies[latencies.len() * 99 / 100] / mean_us)
        };
        let (mean_us, found) = ratios(cores);
        let expected = 1.0 + variation_pct / 100.0 * (100.0_f64.ln() - 1.0);
        assert!((found / expected - 1.0).abs() < 0.04, "{processes}: {found} for {expected}");
        let round = f64::from(processes) * COST.as_us();
        assert!((mean_us / round - 1.0).abs() < 0.01, "{processes}: {mean_us} for {round}");
        let (_, in_order) = ratios(HostCoreParameters { core_slice: SimSpan::ZERO, ..cores });
        assert!(in_order < 1.2, "{processes}: {in_order}");
    }
}

/// A request finds its process running half of the time, and otherwise waits for half a slice on average.
#[test]
fn requests_of_processes_that_poll_wait_for_their_slice_even_if_the_core_is_idle() {
    let mut random = RandomStream::new(5, "arrivals");
    let mut flow = |queue| {
        let mut at = SimTime::ZERO;
        let next = |_| {
            at = at + SimSpan::from_us(500 + random.below(500));
            pages(Op::Trim, 0, 1, at)
        };
        Flow::new(Box::new(Script::new((0..4_000).map(next).collect())), LoopMode::Open).on_queue(queue)
    };
    let flows = vec![flow(0), flow(1)];
    let outcome = run(HostCoreParameters { core_polling: true, ..parameters(1) }, flows);
    let latencies = latencies_us(&outcome, 2, 4_000);
    let found = mean(&latencies) - COST.as_us();
    let expected = SLICE.as_us() / 4.0;
    assert!((found / expected - 1.0).abs() < 0.04, "{found} for {expected}");
    let last = *latencies.last().unwrap();
    assert!(last > 0.98 * SLICE.as_us() && last <= SLICE.as_us() + 2.0 * COST.as_us(), "{last}");
    let blocking = mean(&latencies_us(&run(parameters(1), vec![flow(0), flow(1)]), 2, 4_000));
    assert!(blocking < 1.01 * COST.as_us(), "{blocking}");
}

#[test]
fn cores_that_share_a_lock_serve_one_request_at_a_time() {
    for (core_lock, rate) in [(false, 3.0), (true, 1.0)] {
        let cores = HostCoreParameters { core_lock, ..parameters(3) };
        let found = run(cores, loops(6, 8, 8_000)).report.iops.unwrap() * COST.as_us() / 1e6;
        assert!((found / rate - 1.0).abs() < 0.01, "{core_lock}: {found} for {rate}");
    }
}
