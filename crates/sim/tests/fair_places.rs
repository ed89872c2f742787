//! Tests of fairness under uniform load: all rows and columns of the array have similar service times, on all
//! fabrics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimTime};
use venice_requests::{LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::report::Report;
use venice_sim::testkit::drive::{run, small_drive};

/// Runs reads of random pages of an 8 × 8 array at this queue depth.
fn reads(settings: &DriveSettings, depth: u32) -> Report {
    some_reads(settings, depth, 12_000)
}

fn some_reads(settings: &DriveSettings, depth: u32, count: u32) -> Report {
    let mut random = RandomStream::new(5, "pages");
    let page = |_| pages(Op::Read, random.below(64 * 40), 1, SimTime::ZERO);
    run(settings, LoopMode::Closed { depth }, (0..count).map(page).collect()).report
}

fn drive(kind: FabricKind) -> DriveSettings {
    let mut settings = small_drive(kind, 8, 8);
    settings.geometry.blocks_per_plane = 16;
    settings.geometry.pages_per_block = 8;
    settings
}

/// Returns the ratio of the slowest mean to the fastest.
fn spread(means: &[Option<f64>]) -> f64 {
    let means = means.iter().map(|mean| mean.unwrap());
    let (least, most) = means.fold((f64::MAX, 0.0_f64), |(least, most), us| (least.min(us), most.max(us)));
    most / least
}

/// Returns the ratio of the slowest to the fastest column.
fn unevenness(report: &Report) -> f64 {
    spread(&report.page_reads.by_column_us)
}

/// With 256 outstanding requests all chips have queues, and requests accumulate at a position with slightly
/// slower service. Fabrics with independent channels are excluded: a closed loop spreads over equal servers
/// at random.
#[test]
fn no_column_or_row_gathers_what_waits_when_four_pages_wait_for_each_chip() {
    for &kind in FabricKind::ALL {
        let report = some_reads(&drive(kind), 256, 40_000);
        let found = unevenness(&report);
        assert!(found < 1.5, "{kind}: {found:.2}, columns {:?}", report.page_reads.by_column_us);
        if matches!(kind, FabricKind::PnSsd | FabricKind::NoSsd | FabricKind::Venice) {
            let found = spread(&report.page_reads.by_row_us);
            assert!(found < 1.5, "{kind}: {found:.2}, rows {:?}", report.page_reads.by_row_us);
        }
    }
}

#[test]
fn no_column_is_half_as_slow_again_as_another_under_uniform_load() {
    for &kind in FabricKind::ALL {
        // Far from saturation, and at saturation.
        for depth in [16, 64] {
            let report = reads(&drive(kind), depth);
            let found = unevenness(&report);
            assert!(found < 1.5, "{kind}, {depth}: {found:.2}, {:?}", report.page_reads.by_column_us);
        }
    }
}

#[test]
fn the_far_end_of_a_ring_does_not_starve_and_the_ring_loses_nothing() {
    let report = reads(&drive(FabricKind::HlNand), 256);
    assert!(unevenness(&report) < 1.3, "{:?}", report.page_reads.by_column_us);
    // Eight rings of 800 MB/s; the last requests leave some of them idle.
    assert!(report.bandwidth_mb_per_s.unwrap() > 0.9 * 8.0 * 800.0, "{:?}", report.bandwidth_mb_per_s);
}

#[test]
fn page_reads_are_reported_by_position() {
    let settings = drive(FabricKind::Bus);
    // CWDP: page 9 is on channel 1, way 1.
    let report = run(&settings, LoopMode::Open, vec![pages(Op::Read, 9, 1, SimTime::ZERO)]).report;
    let there = |means: &[Option<f64>]| means.iter().position(Option::is_some);
    assert_eq!(there(&report.page_reads.by_row_us), Some(1));
    assert_eq!(there(&report.page_reads.by_column_us), Some(1));
    assert!((report.page_reads.by_row_us[1].unwrap() - report.makespan_us).abs() < 1e-9);
}
