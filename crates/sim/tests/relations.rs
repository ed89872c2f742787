//! Tests of relations that hold for all parameter values: symmetry, bounds, and properties of fabrics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_fabric::{FabricKind, Reservation};
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, Rate, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

/// Creates 4-KiB requests at random pages of a 4 × 4 drive, with the share `reads` of reads.
fn random_pages(settings: &DriveSettings, seed: u64, count: u64, reads: f64) -> Vec<HostRequest> {
    let logical_pages = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(seed, "pages");
    (0..count)
        .map(|_| {
            let op = if random.chance(reads) { Op::Read } else { Op::Write };
            pages(op, random.below(logical_pages), 1, SimTime::ZERO)
        })
        .collect()
}

fn closed(settings: &DriveSettings, depth: u32, requests: Vec<HostRequest>) -> RunOutcome {
    run(settings, LoopMode::Closed { depth }, requests)
}

#[test]
fn the_ideal_fabric_waits_for_no_path() {
    let settings = small_drive(FabricKind::Ideal, 4, 4);
    let report = closed(&settings, 64, random_pages(&settings, 1, 5_000, 0.7)).report;
    assert_eq!(report.path.conflict_pct, Some(0.0));
    assert_eq!(report.path.requests_conflict_pct, Some(0.0));
    assert_eq!(
        (report.breakdown_us["read"]["path_wait"], report.breakdown_us["write"]["path_wait"]),
        (0.0, 0.0)
    );
    assert!(report.breakdown_us["read"]["chip_wait"] > 0.0, "a busy chip still delays");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn one_at_a_time_no_fabric_of_the_same_rate_beats_the_ideal_one(seed in any::<u64>()) {
        // At queue depth one, latencies are those of an idle drive. pSSD is excluded: its doubled channel
        // rate is faster than the ideal fabric on an idle drive (see the closed forms).
        let ideal = small_drive(FabricKind::Ideal, 4, 4);
        let requests = random_pages(&ideal, seed, 200, 0.5);
        let best = closed(&ideal, 1, requests.clone()).latencies();
        for kind in [FabricKind::Bus, FabricKind::PnSsd, FabricKind::Venice, FabricKind::NoSsd] {
            let other = closed(&small_drive(kind, 4, 4), 1, requests.clone()).latencies();
            for (number, (best, other)) in best.iter().zip(&other).enumerate() {
                prop_assert!(best <= other, "{kind}, request {number}: {other} against {best}");
            }
        }
    }

    #[test]
    fn the_order_of_channels_does_not_change_results(seed in any::<u64>(), turn in 1_u64..4) {
        // CWDP: the channel is the page number modulo 4, so this permutes the channels.
        let settings = small_drive(FabricKind::Bus, 4, 4);
        let requests = random_pages(&settings, seed, 300, 0.6);
        let renamed = requests.iter().map(|request| {
            let page = request.start_sector / 8;
            let moved = page / 4 * 4 + (page + turn) % 4;
            HostRequest { start_sector: moved * 8, ..*request }
        });
        let renamed = closed(&settings, 16, renamed.collect()).latencies();
        prop_assert_eq!(closed(&settings, 16, requests).latencies(), renamed);
    }
}

#[test]
fn with_one_chip_and_equal_rates_all_fabrics_have_equal_times() {
    let mut expected = None;
    for &kind in FabricKind::ALL {
        let mut settings = small_drive(kind, 1, 1);
        // A byte per nanosecond on all wires, no headers, scouts with zero duration.
        settings.fabric.bus.rate = Rate::from_mb_per_s(1000.0);
        settings.fabric.own.pssd.speedup = 1;
        settings.fabric.own.pssd.header_bytes = 0;
        settings.fabric.own.nossd.header_bytes = 0;
        settings.fabric.own.nossd.router_latency = SimSpan::ZERO;
        settings.fabric.own.venice.scout_takes_time = false;
        settings.fabric.own.hlnand.rate = Some(settings.fabric.bus.rate);
        settings.fabric.own.decoupled.system_bus = Rate::UNLIMITED;
        let requests = random_pages(&settings, 3, 500, 0.5);
        let latencies = closed(&settings, 4, requests).latencies();
        assert_eq!(*expected.get_or_insert(latencies.clone()), latencies, "{kind}");
    }
}

#[test]
fn filling_a_fresh_drive_once_in_order_writes_nothing_twice() {
    let mut settings = small_drive(FabricKind::Venice, 4, 4);
    settings.ftl.gc_start_free_blocks = 2;
    let logical_pages = Simulation::capacity_sectors(&settings) / 8;
    let writes = (0..logical_pages).map(|page| pages(Op::Write, page, 1, SimTime::ZERO)).collect();
    let report = closed(&settings, 16, writes).report;
    assert_eq!(report.flash.host_programs, logical_pages);
    assert_eq!((report.write_amplification, report.flash.erases), (Some(1.0), 0));
}

#[test]
fn throughput_stays_below_what_wires_and_arrays_can_do_and_comes_close_to_the_wires() {
    for &kind in FabricKind::ALL {
        let settings = small_drive(kind, 4, 4);
        let report = closed(&settings, 256, random_pages(&settings, 5, 20_000, 1.0)).report;
        let found = report.bandwidth_mb_per_s.unwrap();
        // Four controllers or channels; the ideal fabric has sixteen channels.
        let wires = match kind {
            FabricKind::Bus | FabricKind::Decoupled => 4.0 * 1200.0,
            FabricKind::HlNand => 4.0 * 800.0,
            FabricKind::PSsd | FabricKind::PnSsd => 8.0 * 1200.0,
            FabricKind::NoSsd | FabricKind::Venice => 4.0 * 1000.0,
            FabricKind::Ideal => 16.0 * 1200.0,
        };
        // Sixteen dies, each with 3 µs plus transfer time per page (two pages at most, with two planes).
        let arrays = 16.0 * 2.0 * 4096.0 / 3.0;
        let bound = f64::min(wires, arrays);
        assert!(found <= bound, "{kind}: {found} MB/s against {bound}");
        // In NoSSD, reads of a row leave over one lane and their controllers stay reserved meanwhile, longer
        // for consecutive pages of one command; the ideal fabric is limited by chips that execute one command
        // at a time.
        let floor = match kind {
            FabricKind::Ideal => 0.5,
            FabricKind::NoSsd => 0.55,
            _ => 0.75,
        };
        assert!(found >= floor * bound, "{kind}: {found} MB/s against {bound}: where is the rest?");
    }
}

/// Runs a decoupled drive of 4 × 4 chips with enough overwrites for garbage collection.
fn decoupled_that_collects(system_bus: Rate, global_copyback: bool) -> RunOutcome {
    let mut settings = small_drive(FabricKind::Decoupled, 4, 4);
    settings.fabric.own.decoupled.system_bus = system_bus;
    settings.fabric.own.decoupled.global_copyback = global_copyback;
    let count = 3 * Simulation::capacity_sectors(&settings) / 8;
    let requests = random_pages(&settings, 4, count, 0.0);
    closed(&settings, 64, requests)
}

#[test]
fn a_decoupled_drive_whose_system_bus_is_never_short_is_the_bus() {
    let settings = small_drive(FabricKind::Bus, 4, 4);
    let count = 3 * Simulation::capacity_sectors(&settings) / 8;
    let bus = closed(&settings, 64, random_pages(&settings, 4, count, 0.0));
    assert!(bus.report.write_amplification.unwrap() > 1.1, "pages must move");
    for global_copyback in [true, false] {
        let decoupled = decoupled_that_collects(Rate::UNLIMITED, global_copyback);
        assert_eq!(decoupled.latencies(), bus.latencies());
    }
}

#[test]
fn collection_stays_off_the_system_bus_of_a_decoupled_drive() {
    let short = Rate::from_mb_per_s(50.0);
    let [stays, crosses] = [true, false].map(|copyback| decoupled_that_collects(short, copyback).report);
    // The system bus is permanently busy and transfers each host page once, and a relocated page twice or
    // never.
    let page_us = 4096.0 / 50.0;
    let host_us = stays.flash.host_programs as f64 * page_us;
    let moved_us = (crosses.flash.programs - crosses.flash.host_programs) as f64 * page_us;
    assert!(stays.makespan_us >= host_us && stays.makespan_us < host_us * 1.02, "{}", stays.makespan_us);
    // Relocations after the last request do not count, so relocated pages account for between one and two
    // transfers.
    let (once, twice) = (host_us + moved_us, host_us + 2.0 * moved_us);
    assert!(crosses.makespan_us > once && crosses.makespan_us < twice * 1.02, "{}", crosses.makespan_us);
}

#[test]
fn the_same_seed_gives_the_same_report_byte_for_byte() {
    for &kind in FabricKind::ALL {
        let settings = small_drive(kind, 4, 4);
        let report = || {
            let outcome = closed(&settings, 32, random_pages(&settings, 9, 3_000, 0.5));
            serde_json::to_string(&outcome.report).unwrap()
        };
        assert_eq!(report(), report(), "{kind}");
    }
}

#[test]
fn a_transfer_counts_once_however_often_its_search_fails() {
    let mut settings = small_drive(FabricKind::Venice, 4, 4);
    settings.fabric.own.venice.reservation = Reservation::CycleLevel;
    settings.flash.multiplane = false;
    let requests = random_pages(&settings, 9, 2_000, 1.0);
    let path = closed(&settings, 64, requests).report.path;
    assert!(path.scout_retries > 0, "some searches must have failed");
    assert_eq!(path.transfers, 2 * 2_000, "a command and its data for each read");
}

#[test]
fn another_seed_takes_other_paths_through_the_venice_mesh() {
    let mut settings = small_drive(FabricKind::Venice, 4, 4);
    let requests = random_pages(&settings, 9, 3_000, 1.0);
    let first = closed(&settings, 32, requests.clone()).latencies();
    settings.fabric.seed = 2;
    assert_ne!(first, closed(&settings, 32, requests).latencies());
}
