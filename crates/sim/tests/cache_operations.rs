//! Tests of cache program and cache read: throughput in closed form, and order of a die's commands.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::{FabricKind, FirstOnPath};
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const PAGE_BYTES: u64 = 4096;
const REQUESTS: u64 = 1200;

/// Returns a drive of one channel with this many chips and dies of a chip, one plane each, whose transfer of a page
/// takes `transfer_us`.
fn drive((chips, dies): (u32, u32), transfer_us: u64) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, chips);
    settings.geometry.dies_per_chip = dies;
    settings.geometry.planes_per_die = 1;
    settings.geometry.blocks_per_plane = 1024;
    settings.fabric.bus.rate = Rate::from_ps_per_bytes(transfer_us * 1_000_000, PAGE_BYTES);
    settings
}

fn with_cache_operations(mut settings: DriveSettings) -> DriveSettings {
    settings.flash.cache_operations.program = true;
    settings.flash.cache_operations.read = true;
    settings.fabric.first_on_path = FirstOnPath::Commands;
    settings
}

/// Accesses pages in sequence, with more requests outstanding than the dies can have in progress.
fn sequence(settings: &DriveSettings, op: Op) -> RunOutcome {
    let depth = 8 * settings.geometry.dies();
    let requests: Vec<HostRequest> = (0..REQUESTS).map(|page| pages(op, page, 1, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth }, requests)
}

/// Returns the mean time between two pages.
fn us_per_page(settings: &DriveSettings, op: Op) -> f64 {
    sequence(settings, op).report.makespan_us / REQUESTS as f64
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found} µs a page for {expected}");
}

/// Transfer times in µs, shorter and longer than tR = 3 µs and tPROG = 100 µs.
const TRANSFERS_US: [u64; 4] = [1, 2, 40, 160];

#[test]
fn cached_programs_take_the_longer_of_program_and_transfers() {
    for (chips, dies) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1)] {
        for transfer_us in TRANSFERS_US {
            let plain = drive((chips, dies), transfer_us);
            let (command, dies_count) = (COMMAND.as_us(), f64::from(chips * dies));
            let (program, transfer) = (100.0, transfer_us as f64 + command);
            let what = format!("{chips} chips of {dies} dies, {transfer_us} µs");
            let cached = us_per_page(&with_cache_operations(plain.clone()), Op::Write);
            assert_near(cached, (program / dies_count).max(transfer), &format!("cached, {what}"));
            let plain = us_per_page(&plain, Op::Write);
            assert_near(plain, ((program + transfer) / dies_count).max(transfer), &what);
        }
    }
}

#[test]
fn cached_reads_take_the_longer_of_sensing_and_transfers() {
    for transfer_us in TRANSFERS_US {
        let mut plain = drive((1, 1), transfer_us);
        plain.flash.array.read = vec![SimSpan::from_us(30)];
        let (sense, transfer, command) = (30.0, transfer_us as f64, COMMAND.as_us());
        let what = format!("{transfer_us} µs");
        let cached = us_per_page(&with_cache_operations(plain.clone()), Op::Read);
        // The next read's command is sent between the data of two pages, while the array is idle.
        assert_near(cached, command + f64::max(sense, transfer), &what);
        assert_near(us_per_page(&plain, Op::Read), command + sense + transfer, &what);
    }
}

#[test]
fn read_precedes_the_next_program_of_its_die() {
    let settings = with_cache_operations(drive((1, 1), 10));
    let of = |op, page, at_us: u64| pages(op, page, 1, SimTime::from_ps(at_us * 1_000_000));
    // The data of the third write could be sent at 110 µs, but a read has waited since 50 µs.
    let requests = vec![of(Op::Write, 0, 0), of(Op::Write, 1, 0), of(Op::Read, 5, 50), of(Op::Write, 2, 60)];
    let latencies = run(&settings, LoopMode::Open, requests).latencies();
    let us: Vec<f64> = latencies.iter().map(|latency| latency.as_us()).collect();
    let command = COMMAND.as_us();
    // Writes: 10 + 100, then 100; the read senses 3 µs after 210 µs, 10 µs of data.
    let expected = [110.0 + command, 210.0 + command, 173.0 + 2.0 * command];
    for (found, expected) in us.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{us:?}");
    }
    assert!(us[3] > 250.0, "{us:?}");
}

#[test]
fn cache_operations_keep_every_page_and_count_the_same_work() {
    for op in [Op::Read, Op::Write] {
        let (plain, cached) =
            (sequence(&drive((1, 2), 5), op), sequence(&with_cache_operations(drive((1, 2), 5)), op));
        let (plain_flash, cached_flash) = (plain.whole_flash(), cached.whole_flash());
        assert_eq!(plain_flash.reads, cached_flash.reads);
        assert_eq!(plain_flash.programs, cached_flash.programs);
        assert!(cached.report.makespan_us < plain.report.makespan_us);
    }
}
