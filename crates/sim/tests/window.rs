//! Tests of the measured window: contents, treatment of operations across its boundaries, and work after its
//! end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_drive::observe::WarmUp;
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op, Pace};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{Provenance, Report};
use venice_sim::testkit::drive::{run, small_drive};
use venice_sim::testkit::shares::impossible_shares;

const PAGE_BYTES: f64 = 4096.0;

fn at(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

fn cached(kind: FabricKind) -> DriveSettings {
    let mut settings = small_drive(kind, 1, 2);
    settings.cache.mode = CacheMode::Write;
    settings
}

/// Returns the array time in the window and after it, summed over planes, in microseconds.
fn array_us(report: &Report, planes: u32) -> [f64; 2] {
    let after = &report.after_last_completion;
    let time = |share: Option<f64>, us: f64| share.unwrap_or(0.0) / 100.0 * us * f64::from(planes);
    [time(report.utilisation.plane_pct, report.makespan_us), time(after.plane_pct, after.duration_us)]
}

/// Returns the report of a run whose first `warm_up` requests are not measured.
fn after_warm_up(settings: &DriveSettings, requests: Vec<HostRequest>, warm_up: u64) -> Report {
    let options = RunOptions {
        warm_up: WarmUp { requests: warm_up, until: SimTime::ZERO },
        watch_chips: true,
        ..RunOptions::default()
    };
    let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Open);
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    simulation.run().unwrap();
    simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 })
}

#[test]
fn a_write_that_the_cache_answers_is_programmed_after_the_window() {
    let settings = cached(FabricKind::Ideal);
    let report = run(&settings, LoopMode::Open, vec![pages(Op::Write, 0, 1, at(0))]).report;
    let after = &report.after_last_completion;
    assert_eq!(report.flash.programs + after.flash.programs, 1, "an operation counts with its command");
    assert_close(report.makespan_us + after.duration_us, report.energy_window_us, "energy covers both");
    let program_us = settings.flash.array.program[0].as_us();
    let [served, later] = array_us(&report, settings.geometry.planes());
    assert_close(served + later, program_us, "one program");
    assert!(served < 0.2 * program_us && after.duration_us >= 0.8 * program_us, "{served} µs, {after:?}");
}

#[test]
fn a_program_that_crosses_the_end_of_the_window_is_cut_there() {
    for &kind in FabricKind::ALL.iter().filter(|&&kind| kind != FabricKind::PnSsd) {
        let settings = cached(kind);
        // The read ends half-way through the program of the page written before.
        let requests = vec![pages(Op::Write, 0, 1, at(0)), pages(Op::Read, 1, 1, at(70))];
        let report = after_warm_up(&settings, requests, 0);
        let program_us = settings.flash.array.program[0].as_us();
        let read_us = settings.flash.array.read[0].as_us();
        let [served, later] = array_us(&report, settings.geometry.planes());
        assert_close(served + later, program_us + read_us, "a program and a read");
        assert!(served > 0.3 * program_us && later > 0.1 * program_us, "{kind}: {served} and {later} µs");
        assert_eq!(impossible_shares(&report), [""; 0], "{kind}");
        let shares = report.chips.unwrap();
        let chips: f64 = shares.iter().map(|chip| chip.array_pct).sum();
        assert_close(chips / 100.0 * report.makespan_us, served, "the chips' own shares");
    }
}

#[test]
fn a_program_that_crosses_the_start_of_the_window_is_cut_there() {
    let settings = small_drive(FabricKind::Bus, 1, 2);
    let program_us = settings.flash.array.program[0].as_us();
    let read_us = settings.flash.array.read[0].as_us();
    // The write belongs to the warm-up and ends after the measured read, which starts 40 µs before the end of
    // the write.
    let lone = run(&settings, LoopMode::Open, vec![pages(Op::Write, 0, 1, at(0))]).report;
    let start = (lone.makespan_us - 40.0).floor() as u64;
    let requests = vec![pages(Op::Write, 0, 1, at(0)), pages(Op::Read, 1, 1, at(start))];
    let report = after_warm_up(&settings, requests, 1);
    let [served, later] = array_us(&report, settings.geometry.planes());
    assert_close(served, lone.makespan_us - start as f64 + read_us, "the rest of the program, and the read");
    assert_close(later, 0.0, "nothing is left to do");
    assert!(served < program_us);
    assert_eq!(impossible_shares(&report), [""; 0]);
    assert_close(
        report.makespan_us,
        lone.makespan_us - start as f64,
        "the host is served until the last completion",
    );
}

#[test]
fn write_amplification_is_of_bytes_whatever_part_of_a_page_the_host_writes() {
    let settings = small_drive(FabricKind::Bus, 2, 2);
    for sectors in [1, 2, 4, 8] {
        let write = |n: u64| HostRequest { sectors, ..pages(Op::Write, n, 1, at(0)) };
        let report = run(&settings, LoopMode::Closed { depth: 4 }, (0..40).map(write).collect()).report;
        let bytes = f64::from(sectors) * 512.0;
        assert_eq!(
            (report.flash.programs, report.requests.written_bytes),
            (40, 40 * u64::from(sectors) * 512)
        );
        assert_close(report.write_amplification.unwrap(), PAGE_BYTES / bytes, "whole pages are programmed");
        assert_eq!(report.pages_per_written_page, Some(1.0));
    }
}

#[test]
fn writes_that_the_cache_joins_are_programmed_once() {
    let mut settings = cached(FabricKind::Bus);
    settings.cache.pages = 2;
    let same = |n: u64| pages(Op::Write, n % 2, 1, at(n * 2));
    let report = run(&settings, LoopMode::Open, (0..200).map(same).collect()).report;
    let amplification = report.write_amplification.unwrap();
    assert!(amplification < 0.5, "{amplification}");
    let programs = report.flash.programs + report.after_last_completion.flash.programs;
    assert!(programs < 100, "{programs} programs");
}

#[test]
fn the_window_ends_with_the_last_completion_however_flows_end() {
    let settings = cached(FabricKind::Bus);
    let writes = || Box::new(Script::new((0..20).map(|n| pages(Op::Write, n, 1, at(n * 300))).collect()));
    let thinking = Pace { think: SimSpan::from_us(400), ..Pace::default() };
    let flows = [
        Flow::new(writes(), LoopMode::Open),
        Flow::new(writes(), LoopMode::Open).until(at(1000)),
        Flow::new(writes(), LoopMode::Closed { depth: 1 }),
        Flow::new(writes(), LoopMode::Closed { depth: 3 }).at_pace(thinking),
        Flow::new(writes(), LoopMode::Closed { depth: 1 }).at_pace(thinking).until(at(1000)),
    ];
    for (number, flow) in flows.into_iter().enumerate() {
        let mut simulation = Simulation::new(&settings, vec![flow], RunOptions::default()).unwrap();
        simulation.run().unwrap();
        let report = simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 });
        let programs = report.flash.programs + report.after_last_completion.flash.programs;
        assert_eq!(programs, report.requests.writes, "flow {number}");
        assert!(report.after_last_completion.duration_us > 0.0, "flow {number}: the cache answers first");
        assert_eq!(impossible_shares(&report), [""; 0], "flow {number}");
    }
}
