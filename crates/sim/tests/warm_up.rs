//! Tests that warm-up requests are served but excluded from all figures.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_drive::observe::WarmUp;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation, SimulationError};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive, try_run_after};

const CLOSED: LoopMode = LoopMode::Closed { depth: 16 };

fn after(requests: u64) -> WarmUp {
    WarmUp { requests, until: SimTime::ZERO }
}

/// Creates reads and writes of one to three pages, at least a millisecond apart if `spaced`.
fn random_requests(settings: &DriveSettings, count: u64, spaced: bool) -> Vec<HostRequest> {
    let logical_pages = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(5, "requests");
    let mut request = |number: u64| {
        let op = if random.chance(0.6) { Op::Read } else { Op::Write };
        let arrival = if spaced { SimTime::ZERO + SimSpan::from_us(20_000 * number) } else { SimTime::ZERO };
        pages(op, random.below(logical_pages - 3), 1 + random.below(3) as u32, arrival)
    };
    (0..count).map(&mut request).collect()
}

/// Returns sums over a run, which are comparable between runs with different measured phases.
fn sums(outcome: &RunOutcome) -> Vec<(&'static str, f64)> {
    let report = &outcome.report;
    let spans = report.makespan_us;
    let total_us =
        |triple: &venice_sim::report::LatencyReport| triple.mean.unwrap_or(0.0) * triple.count as f64;
    vec![
        ("requests", report.requests.completed as f64),
        ("reads", report.requests.reads as f64),
        ("latency", total_us(&report.latency_us.all)),
        ("device latency", total_us(&report.device_latency_us.all)),
        ("flash reads", report.flash.reads as f64),
        ("programs", report.flash.programs as f64),
        ("erases", report.flash.erases as f64),
        ("transfers", report.path.transfers as f64),
        ("look-ups", (report.mapping.hits + report.mapping.misses) as f64),
        ("chips busy", report.utilisation.chip_pct.unwrap_or(0.0) * spans),
        ("planes busy", report.utilisation.plane_pct.unwrap_or(0.0) * spans),
        ("paths busy", report.utilisation.channel_pct.unwrap_or(0.0) * spans),
        ("link energy", report.energy_uj["host_link"]),
    ]
}

#[test]
fn on_an_idle_boundary_warm_up_and_measured_phase_add_up_to_the_run() {
    for &kind in FabricKind::ALL {
        let settings = small_drive(kind, 4, 4);
        let requests = random_requests(&settings, 300, true);
        let whole = run(&settings, LoopMode::Open, requests.clone());
        let first = run(&settings, LoopMode::Open, requests[..120].to_vec());
        let measured = try_run_after(after(120), &settings, LoopMode::Open, requests).unwrap();
        for ((what, all), ((_, before), (_, after))) in
            sums(&whole).into_iter().zip(sums(&first).into_iter().zip(sums(&measured)))
        {
            assert!(
                (before + after - all).abs() <= 1e-9 * all.abs(),
                "{kind:?}, {what}: {before} + {after}, {all}"
            );
        }
        assert!(
            sums(&measured)
                .iter()
                .all(|(what, sum)| *sum > 0.0 || *what == "erases" || *what == "link energy")
        );
    }
}

#[test]
fn phases_meet_at_the_issue_of_the_first_measured_request() {
    let settings = small_drive(FabricKind::Bus, 4, 4);
    let requests = random_requests(&settings, 500, false);
    let outcome = try_run_after(after(200), &settings, CLOSED, requests).unwrap();
    let measured: Vec<_> = outcome.rows.iter().filter(|row| row.number >= 200).collect();
    let began = measured.iter().map(|row| row.arrival).min().unwrap();
    let ended = measured.iter().map(|row| row.completed).max().unwrap();
    let [warm_up, measure] = &outcome.report.phases[..] else { panic!("two phases") };
    assert_eq!(
        (warm_up.name, warm_up.requests, measure.name, measure.requests),
        ("warmup", 200, "measure", 300)
    );
    assert_eq!((warm_up.start_us, warm_up.end_us), (0.0, began.as_us()));
    assert_eq!((measure.start_us, measure.end_us), (began.as_us(), ended.as_us()));
    assert!((outcome.report.makespan_us - ended.since(began).as_us()).abs() < 1e-9);
}

#[test]
fn latencies_are_those_of_requests_issued_after_the_warm_up() {
    let settings = small_drive(FabricKind::Venice, 4, 4);
    let requests = random_requests(&settings, 500, false);
    let outcome = try_run_after(after(200), &settings, CLOSED, requests).unwrap();
    assert_eq!(outcome.rows.len(), 500, "the log has all of them");
    let latencies_us: Vec<f64> = outcome
        .rows
        .iter()
        .filter(|row| row.number >= 200)
        .map(|row| row.completed.since(row.arrival).as_us())
        .collect();
    let (report, count) = (&outcome.report.latency_us.all, latencies_us.len() as f64);
    assert_eq!(report.count, 300);
    assert!((report.mean.unwrap() - latencies_us.iter().sum::<f64>() / count).abs() < 1e-6);
    assert_eq!(report.max, latencies_us.iter().copied().max_by(f64::total_cmp));
    let parts_us: f64 = outcome
        .report
        .breakdown_us
        .iter()
        .map(|(op, stages)| {
            let count =
                if op == &"read" { outcome.report.requests.reads } else { outcome.report.requests.writes };
            stages.values().sum::<f64>() * count as f64
        })
        .sum();
    assert!((parts_us / count - report.mean.unwrap()).abs() < 1e-6, "the parts are of the same requests");
}

#[test]
fn a_warm_up_does_not_change_the_drives_work() {
    let settings = small_drive(FabricKind::Venice, 4, 4);
    let requests = random_requests(&settings, 400, false);
    let plain = run(&settings, CLOSED, requests.clone());
    let warmed = try_run_after(after(150), &settings, CLOSED, requests).unwrap();
    assert_eq!(plain.rows, warmed.rows);
    assert_eq!(plain.report.phases.len(), 1);
}

#[test]
fn a_drive_that_is_never_idle_is_busy_for_the_whole_measured_phase_and_no_longer() {
    // One chip that is never idle: the time before the phase boundary does not belong to the measured phase.
    let settings = small_drive(FabricKind::Ideal, 1, 1);
    let requests = (0..400).map(|page| pages(Op::Read, page % 64, 1, SimTime::ZERO)).collect();
    let outcome = try_run_after(after(300), &settings, CLOSED, requests).unwrap();
    let chip_pct = outcome.report.utilisation.chip_pct.unwrap();
    assert!((90.0..=100.0).contains(&chip_pct), "{chip_pct}");
}

#[test]
fn a_warm_up_by_time_ends_with_the_first_request_at_that_time() {
    let settings = small_drive(FabricKind::Bus, 4, 4);
    let requests = random_requests(&settings, 100, true);
    let until = requests[40].arrival;
    let by_time = |requests_at_least, until| {
        let warm_up = WarmUp { requests: requests_at_least, until };
        let outcome = try_run_after(warm_up, &settings, LoopMode::Open, requests.clone()).unwrap();
        outcome.report.phases[0].requests
    };
    assert_eq!(by_time(0, until), 40, "a request at that very instant is measured");
    assert_eq!(by_time(0, until + SimSpan::from_ps(1)), 41);
    assert_eq!(by_time(55, until), 55, "both must be over");
    assert_eq!(by_time(10, until), 40);
}

#[test]
fn the_cache_counts_the_measured_phase_alone() {
    let mut settings = small_drive(FabricKind::Bus, 4, 4);
    settings.cache.mode = CacheMode::ReadWrite;
    let requests = random_requests(&settings, 200, true);
    let count = |outcome: RunOutcome| {
        let cache = outcome.report.cache.unwrap();
        [cache.read_hit_sectors, cache.read_miss_sectors, cache.writes, cache.destages]
    };
    let whole = count(run(&settings, LoopMode::Open, requests.clone()));
    let first = count(run(&settings, LoopMode::Open, requests[..80].to_vec()));
    let measured = count(try_run_after(after(80), &settings, LoopMode::Open, requests).unwrap());
    for part in 0..3 {
        assert_eq!(first[part] + measured[part], whole[part]);
    }
    assert!(measured[3] <= whole[3] && measured[2] > 0);
}

#[test]
fn a_run_that_ends_during_the_warm_up_is_an_error() {
    let settings = small_drive(FabricKind::Bus, 4, 4);
    let requests = random_requests(&settings, 50, true);
    let error = try_run_after(after(50), &settings, LoopMode::Open, requests).err().unwrap();
    assert!(matches!(error, SimulationError::OnlyWarmUp { served: 50, .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("after 50 requests") && text.ends_with("expected: a shorter warm-up or more requests")
    );
}
