//! Cores of the host: waits of M/D/c queues, plateaus, and the order of cores, I/O queue and drive.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::FabricKind;
use venice_host::HostCoreParameters;
use venice_host::scheduler::{IoQueueParameters, SchedulerChoice};
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_params::Choice;
use venice_requests::{LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

use super::controller_cores::{COST, constant_service_wait, poisson};

/// Returns a drive whose trims take no time, with a host of `cores` cores.
fn drive(cores: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    (settings.ftl.trim.base, settings.ftl.trim.unit) = (SimSpan::ZERO, SimSpan::ZERO);
    settings.host.cores = HostCoreParameters { cores, core_request: COST, ..HostCoreParameters::default() };
    settings
}

fn mean_us(outcome: &RunOutcome) -> f64 {
    let latencies = outcome.latencies();
    latencies.iter().map(|span| span.as_us()).sum::<f64>() / latencies.len() as f64
}

#[test]
fn poisson_requests_wait_for_a_core_as_in_an_mdc_queue() {
    for (cores, load, bound) in [(1, 0.6, 0.02), (1, 0.8, 0.02), (4, 0.8, 0.04)] {
        let expected = constant_service_wait(cores, load);
        let outcome = run(&drive(cores), LoopMode::Open, poisson(cores, load, 150_000));
        let found = mean_us(&outcome) / COST.as_us() - 1.0;
        assert!((found / expected - 1.0).abs() < bound, "{cores} cores, {load}: {found} for {expected}");
    }
}

/// The wait is that of an M/D/1 queue, multiplied by 1 + c² (Pollaczek-Khinchine).
#[test]
fn requests_with_random_times_wait_for_a_core_as_in_an_mg1_queue() {
    let load = 0.7;
    for variation_pct in [50.0, 100.0] {
        let mut settings = drive(1);
        settings.host.cores.variation_pct = variation_pct;
        let expected = constant_service_wait(1, load) * (1.0 + (variation_pct / 100.0_f64).powi(2));
        let outcome = run(&settings, LoopMode::Open, poisson(1, load, 300_000));
        let found = mean_us(&outcome) / COST.as_us() - 1.0;
        assert!((found / expected - 1.0).abs() < 0.05, "{variation_pct}: {found} for {expected}");
    }
}

#[test]
fn closed_loop_reaches_the_rate_of_the_cores() {
    for (cores, outstanding) in [(1, 64), (3, 256)] {
        let requests = vec![pages(Op::Trim, 0, 1, SimTime::ZERO); 20_000];
        let report = run(&drive(cores), LoopMode::Closed { depth: outstanding }, requests).report;
        let expected = f64::from(cores) / COST.as_us() * 1e6;
        let found = report.iops.unwrap();
        assert!((found / expected - 1.0).abs() < 0.001, "{cores} cores: {found} for {expected}");
    }
}

#[test]
fn read_takes_its_core_time_before_drive_and_scheduler() {
    for scheme in ["none", "noop"] {
        let mut plain = small_drive(FabricKind::Bus, 2, 2);
        let scheme = SchedulerChoice::from_name(scheme).unwrap();
        plain.host.scheduler =
            IoQueueParameters { scheme, ..IoQueueParameters::default() }.settings(&plain.geometry);
        let mut settings = plain.clone();
        settings.host.cores =
            HostCoreParameters { cores: 1, core_request: COST, ..HostCoreParameters::default() };
        let requests = || vec![pages(Op::Read, 0, 3, SimTime::ZERO)];
        let without = run(&plain, LoopMode::Open, requests());
        let with = run(&settings, LoopMode::Open, requests());
        assert_eq!(with.latencies()[0], without.latencies()[0] + COST);
        let queue_us = |outcome: &RunOutcome| {
            outcome.report.breakdown_us["read"].get("queue").copied().unwrap_or_default()
        };
        assert!((queue_us(&with) - queue_us(&without) - COST.as_us()).abs() < 1e-9, "{scheme:?}");
    }
}

#[test]
fn times_on_cores_count_as_times_with_outstanding_requests() {
    let mut settings = drive(1);
    let scheme = SchedulerChoice::from_name("noop").unwrap();
    settings.host.scheduler =
        IoQueueParameters { scheme, ..IoQueueParameters::default() }.settings(&settings.geometry);
    let requests = vec![pages(Op::Read, 0, 1, SimTime::ZERO); 100];
    let report = run(&settings, LoopMode::Closed { depth: 1 }, requests).report;
    let scheduler = report.scheduler.unwrap();
    assert!(
        (scheduler.busy_us / report.makespan_us - 1.0).abs() < 1e-9,
        "{} of {}",
        scheduler.busy_us,
        report.makespan_us
    );
    let on_core = 100.0 * COST.as_us() / report.makespan_us;
    assert!(on_core > 0.01, "{on_core} of the run on the core");
    let by_run = report.utilisation.chip_pct.unwrap();
    assert!((scheduler.chip_while_busy_pct.unwrap() / by_run - 1.0).abs() < 1e-9, "{by_run}");
}

#[test]
fn a_core_sends_requests_that_waited_in_the_io_queue_before_it_submits_others() {
    let core_dispatch = SimSpan::from_us(10_000);
    for (drive_slots, dispatched) in [(1, 25.0), (2, 0.0)] {
        let mut settings = small_drive(FabricKind::Bus, 2, 2);
        let scheme = SchedulerChoice::from_name("noop").unwrap();
        settings.host.scheduler = IoQueueParameters { scheme, drive_slots, ..IoQueueParameters::default() }
            .settings(&settings.geometry);
        settings.host.cores = HostCoreParameters {
            cores: 1,
            core_request: SimSpan::from_ns(10),
            core_dispatch,
            ..HostCoreParameters::default()
        };
        let reads = vec![pages(Op::Read, 0, 1, SimTime::ZERO); 50];
        let report = run(&settings, LoopMode::Closed { depth: 2 }, reads).report;
        // With one slot, every other request waits for the one before it.
        let found = report.makespan_us / core_dispatch.as_us();
        assert!((found - dispatched).abs() < 1.5, "{drive_slots} slots: {found} for {dispatched}");
    }
}
