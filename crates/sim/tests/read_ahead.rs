//! Read-ahead: latency of a hit on every fabric, rate of sequential reads in closed form, and reads that wait for
//! a page on its way.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

/// Number of sectors of a page.
const SECTORS: u64 = 8;
const T_READ: SimSpan = SimSpan::from_us(100);
/// Time to send a page over the bus, at one byte per nanosecond.
const PAGE_ON_BUS: SimSpan = SimSpan::from_ns(4096);
/// Time to read or write 4 KiB in the cache's DRAM: 13 + 13 + 4096 / 4 ns.
const PAGE_IN_DRAM: SimSpan = SimSpan::from_ns(1_050);
const FLASH_READ: SimSpan = SimSpan::from_ps(COMMAND.as_ps() + T_READ.as_ps() + PAGE_ON_BUS.as_ps());

/// Returns a drive of chips with one plane, which reads `window` pages ahead.
fn drive(kind: FabricKind, rows: u32, cols: u32, window: u64) -> DriveSettings {
    let mut settings = small_drive(kind, rows, cols);
    settings.geometry.planes_per_die = 1;
    settings.flash = venice_nand::testkit::paper_flash(1);
    settings.flash.array.read = vec![T_READ];
    settings.fabric.bus.rate = Rate::from_mb_per_s(1000.0);
    settings.cache.mode = CacheMode::Write;
    settings.cache.dram.rate = Rate::from_mb_per_s(4000.0);
    settings.cache.read_ahead_sectors = window * SECTORS;
    settings
}

/// Returns sequential reads of a page, one every `pace_us`.
fn sequential(count: u64, pace_us: u64) -> Vec<HostRequest> {
    let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * pace_us);
    (0..count).map(|n| pages(Op::Read, n, 1, at(n))).collect()
}

fn counters(outcome: &RunOutcome) -> (u64, u64) {
    let cache = outcome.report.cache.unwrap();
    (cache.read_ahead_pages.unwrap_or(0), cache.read_ahead_waits.unwrap_or(0))
}

#[test]
fn a_hit_takes_an_access_to_the_memory_on_every_fabric() {
    for &kind in FabricKind::ALL {
        let outcome = run(&drive(kind, 4, 4, 4), LoopMode::Open, sequential(40, 500));
        let latencies = outcome.latencies();
        assert!(latencies[..2].iter().all(|latency| *latency > T_READ), "{kind:?} {latencies:?}");
        assert_eq!(latencies[2..], [PAGE_IN_DRAM; 38], "{kind:?}");
        assert_eq!(counters(&outcome), (42, 0), "{kind:?}");
    }
}

#[test]
fn sequential_reads_of_one_outstanding_request_take_the_read_time_over_the_window_and_one() {
    for window in [0_u64, 1, 3, 7] {
        let outcome =
            run(&drive(FabricKind::Bus, 16, 1, window), LoopMode::Closed { depth: 1 }, sequential(400, 0));
        let last = outcome.rows.iter().map(|row| row.completed).max().unwrap();
        // A page is requested when the read `window` pages before it is accepted. When it arrives, it is written to
        // the memory and read from there.
        let period = if window == 0 { FLASH_READ } else { FLASH_READ + PAGE_IN_DRAM * 2 };
        let expected = period.as_us() * 400.0 / (window + 1) as f64;
        let found = last.since(SimTime::ZERO).as_us();
        assert!((found / expected - 1.0).abs() < 0.05, "{window} pages: {found} us, expected {expected} us");
    }
}

#[test]
fn a_read_waits_for_its_page_on_its_way_and_does_not_read_it_again() {
    // The second read makes page 2 due, which the third read requests 40 us later.
    let reads = [(0, 0), (1, 200), (2, 240)];
    let requests = reads.map(|(page, us)| pages(Op::Read, page, 1, SimTime::ZERO + SimSpan::from_us(us)));
    let outcome = run(&drive(FabricKind::Bus, 8, 1, 1), LoopMode::Open, requests.to_vec());
    let arrives = FLASH_READ + PAGE_IN_DRAM * 2;
    assert_eq!(outcome.latencies(), [FLASH_READ, FLASH_READ, arrives - SimSpan::from_us(40)]);
    assert_eq!(counters(&outcome), (2, 1));
    assert_eq!(outcome.whole_flash().reads, 4);
}

#[test]
fn two_streams_need_two_entries() {
    let both =
        |n: u64| [n, n + 100].map(|page| pages(Op::Read, page, 1, SimTime::ZERO + SimSpan::from_us(n * 500)));
    for (streams, expected) in [(1, 0), (2, 2 * (4 + 18))] {
        let mut settings = drive(FabricKind::Bus, 8, 1, 4);
        settings.cache.read_ahead_streams = streams;
        let outcome = run(&settings, LoopMode::Open, (0..20).flat_map(both).collect());
        assert_eq!(counters(&outcome).0, expected, "{streams} streams");
    }
}

#[test]
fn a_write_limits_read_ahead_for_the_configured_time() {
    // The write follows read 9, which has read ahead up to page 13. For 4 ms, until read 18, reads do not read ahead.
    for (after_write_us, expected) in [(0, 2), (4_000, 2 + 5)] {
        let mut settings = drive(FabricKind::Bus, 8, 1, 4);
        settings.cache.read_ahead_shared_sectors = 0;
        settings.cache.read_ahead_after_write = SimSpan::from_us(after_write_us);
        let mut requests = sequential(40, 500);
        requests.insert(10, pages(Op::Write, 300, 1, SimTime::ZERO + SimSpan::from_us(4_900)));
        let outcome = run(&settings, LoopMode::Open, requests);
        let slow = outcome.latencies().iter().filter(|latency| **latency > T_READ).count();
        assert_eq!(slow, expected, "{after_write_us} us after a write");
        assert_eq!(outcome.whole_flash().reads, 40 + 4, "every page is read once");
    }
}
