//! Refresh: number of refreshed blocks and of moves in closed form, for old data and for data with bit errors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    Allocation, HierarchyLevel, PageRegion, PreconditionMode, RefreshSettings, WritePattern,
};
use venice_drive::observe::WaitCause;
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::FlashReport;
use venice_sim::testkit::drive::{run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];
const PAGES_PER_BLOCK: u64 = 16;
/// Number of sectors of a page.
const SECTORS: u64 = 8;
/// Age at which blocks are refreshed, in µs. The refresh of all blocks takes a small part of it.
const AGE_US: u64 = 4_000_000;
/// Time between two requests, in µs.
const PACE_US: u64 = 50_000;

/// Converts microseconds to days.
fn days(us: u64) -> f64 {
    us as f64 / 86_400e6
}

/// Returns a drive of two planes, both full of data from before the run, and its number of data pages.
fn full_drive(allocation: Allocation, refresh: RefreshSettings) -> (DriveSettings, u64) {
    let mut settings = small_drive(FabricKind::Bus, 2, 1);
    let geometry = &mut settings.geometry;
    (geometry.planes_per_die, geometry.blocks_per_plane) = (1, 32);
    geometry.pages_per_block = PAGES_PER_BLOCK as u32;
    (settings.ftl.allocation, settings.ftl.refresh) = (allocation, refresh);
    settings.ftl.over_provisioning_ratio = 0.25;
    let data = Simulation::capacity_sectors(&settings) / SECTORS;
    assert_eq!(data % (2 * PAGES_PER_BLOCK), 0, "no block is open");
    settings.precondition.mode = PreconditionMode::Fill;
    settings.precondition.regions = vec![PageRegion {
        pages: 0..data as u32,
        working_set: data as u32,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    }];
    (settings, data)
}

fn of_age(age_us: u64) -> RefreshSettings {
    RefreshSettings { age_days: days(age_us), error_share: 0.0 }
}

/// Reads the first page at regular intervals for `us` microseconds.
fn reads(us: u64) -> Vec<HostRequest> {
    let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * PACE_US);
    (0..=us / PACE_US).map(|n| pages(Op::Read, 0, 1, at(n))).collect()
}

fn flash_after(settings: &DriveSettings, us: u64) -> FlashReport {
    run(settings, LoopMode::Open, reads(us)).whole_flash()
}

#[test]
fn moves_per_time_are_the_valid_pages_by_the_age() {
    for allocation in [Allocation::Static(ORDER), Allocation::Striped(ORDER)] {
        let (settings, data) = full_drive(allocation, of_age(AGE_US));
        for ages in [1, 3] {
            let flash = flash_after(&settings, ages * AGE_US);
            let (moves, blocks) = (flash.refresh_moves.unwrap(), flash.refresh_executions.unwrap());
            // The delays of the last cycles may add up to one more or less superblock.
            let error = moves.abs_diff(ages * data);
            assert!(error <= 2 * PAGES_PER_BLOCK, "{allocation:?}, {ages} ages: {moves} of {data}");
            assert_eq!((moves, blocks), (blocks * PAGES_PER_BLOCK, flash.erases), "{allocation:?}");
            assert_eq!(flash.gc_moves, 0);
        }
    }
}

#[test]
fn drive_that_was_switched_off_for_longer_refreshes_all_data_at_once() {
    let (mut settings, data) = full_drive(Allocation::Static(ORDER), of_age(20 * AGE_US));
    settings.ecc.retention_days = days(20 * AGE_US);
    assert_eq!(flash_after(&settings, AGE_US).refresh_moves, Some(data));
    settings.ecc.retention_days = days(10 * AGE_US);
    let half = flash_after(&settings, PACE_US * 40).refresh_moves.unwrap();
    assert!(half.abs_diff(data / 2) <= 3 * 2 * PAGES_PER_BLOCK, "{half} of {data}");
}

#[test]
fn data_written_in_the_run_ages_from_the_first_program_of_its_block() {
    let (mut settings, _) = full_drive(Allocation::Static(ORDER), of_age(AGE_US));
    settings.precondition.mode = PreconditionMode::None;
    // Each plane has a full block, programmed from 0 and 0.05 s to 1.55 s.
    let writes = (0..2 * PAGES_PER_BLOCK).map(|page| (Op::Write, page));
    let count = |us: u64| {
        let more = us / PACE_US - 2 * PAGES_PER_BLOCK;
        let requests = (0..).zip(writes.clone().chain((0..more).map(|_| (Op::Read, 0))));
        let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * PACE_US);
        let requests = requests.map(|(n, (op, page))| pages(op, page, 1, at(n))).collect();
        run(&settings, LoopMode::Open, requests).whole_flash().refresh_executions
    };
    assert_eq!([AGE_US - PACE_US, AGE_US + 4 * PACE_US].map(count), [Some(0), Some(2)]);
    assert_eq!([2 * AGE_US - PACE_US, 2 * AGE_US + 4 * PACE_US].map(count), [Some(2), Some(4)]);
}

#[test]
fn each_block_with_bit_errors_is_refreshed_once() {
    let refresh = RefreshSettings { age_days: 0.0, error_share: 0.5 };
    let (mut settings, data) = full_drive(Allocation::Static(ORDER), refresh);
    settings.ecc.decoders = 1;
    // All codewords of old data have far more than 43 raw bit errors, and those of new data far fewer.
    (settings.ecc.pe_cycles, settings.ecc.retention_days) = (1_800.0, 300.0);
    settings.wear.cells.cycling = 0.0;
    let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * PACE_US);
    let requests = (0..2 * data).map(|n| pages(Op::Read, n % data, 1, at(n))).collect();
    let flash = run(&settings, LoopMode::Open, requests).whole_flash();
    assert_eq!(flash.refresh_executions, Some(data / PAGES_PER_BLOCK));
    assert_eq!(flash.refresh_moves, Some(data));
}

#[test]
fn waits_for_refresh_are_a_cause_of_their_own() {
    let (mut settings, data) = full_drive(Allocation::Static(ORDER), of_age(AGE_US));
    settings.ecc.retention_days = days(AGE_US);
    let requests = |pace_us: u64| -> Vec<HostRequest> {
        let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * pace_us);
        (0..data).map(|n| pages(Op::Read, n, 1, at(n))).collect()
    };
    let outcome = run(&settings, LoopMode::Open, requests(500));
    let of = |cause: WaitCause| -> SimSpan {
        outcome.rows.iter().map(|row| row.behind.spans[cause as usize]).sum()
    };
    assert!(of(WaitCause::Refresh) > SimSpan::from_us(1_000), "{}", of(WaitCause::Refresh).as_us());
    for other in [WaitCause::CollectionRead, WaitCause::CollectionProgram, WaitCause::Erase] {
        assert_eq!(of(other), SimSpan::ZERO, "{other:?}");
    }
}

#[test]
fn host_reads_precede_refresh_under_all_settings() {
    for allocation in [Allocation::Static(ORDER), Allocation::Striped(ORDER)] {
        for yields in [true, false] {
            // All data is due at the start of the run.
            let (mut settings, data) = full_drive(allocation, of_age(AGE_US));
            settings.ecc.retention_days = days(AGE_US);
            settings.ftl.gc_yields_to_host = yields;
            let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * 500);
            let requests = (0..data).map(|n| pages(Op::Read, n, 1, at(n))).collect();
            let outcome = run(&settings, LoopMode::Open, requests);
            let longest = outcome.rows.iter().map(|row| row.completed.since(row.arrival)).max().unwrap();
            // A read waits for an operation of the array that has begun, never for the next one.
            let array = &settings.flash.array;
            assert!(longest < array.erase + SimSpan::from_us(100), "{allocation:?}, {yields}: {longest:?}");
            assert!(outcome.whole_flash().refresh_moves.unwrap() > data / 2);
        }
    }
}

#[test]
fn refresh_ends_with_the_requests_of_the_host() {
    let (settings, _) = full_drive(Allocation::Static(ORDER), of_age(AGE_US));
    let flow = Flow::new(Box::new(Script::new(reads(AGE_US / 2))), LoopMode::Open);
    let mut simulation = Simulation::new(&settings, vec![flow], RunOptions::default()).unwrap();
    simulation.run().unwrap();
    let end = AGE_US / 2 + PACE_US;
    assert!(simulation.now_us() < end as f64, "{}", simulation.now_us());
}

#[test]
fn drive_without_the_setting_refreshes_nothing() {
    let (settings, _) = full_drive(Allocation::Static(ORDER), RefreshSettings::default());
    let flash = flash_after(&settings, AGE_US);
    assert_eq!((flash.refresh_executions, flash.refresh_moves, flash.erases), (None, None, 0));
}
