//! Garbage collection in idle time: free blocks and moves in closed form, and its end at a host request.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, HierarchyLevel, IdleCollectionSettings, UnwrittenData};
use venice_fabric::FabricKind;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::testkit::paper_flash;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];
const PAGES_PER_BLOCK: u64 = 16;
/// Blocks that the host's data fills in a plane of 64 blocks.
const DATA_BLOCKS: u64 = 48;
/// Number of free blocks below which garbage collection starts.
const START: u32 = 3;
const READ: SimSpan = SimSpan::from_us(40);
const PROGRAM: SimSpan = SimSpan::from_us(600);
const WAIT: SimSpan = SimSpan::from_us(50_000);
/// Time between two requests of a drive of one plane, in µs.
const PACE_US: u64 = 1_000;

/// Returns an erased drive of `channels` planes, which collects garbage in idle time up to `free_blocks`.
fn drive(channels: u32, allocation: Allocation, free_blocks: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, channels, 1);
    let geometry = &mut settings.geometry;
    (geometry.planes_per_die, geometry.blocks_per_plane) = (1, 64);
    geometry.pages_per_block = PAGES_PER_BLOCK as u32;
    settings.flash = paper_flash(1);
    (settings.flash.array.read, settings.flash.array.program) = (vec![READ], vec![PROGRAM]);
    let ftl = &mut settings.ftl;
    ftl.allocation = allocation;
    ftl.over_provisioning_ratio = 0.25;
    (ftl.gc_start_free_blocks, ftl.gc_hard_free_blocks, ftl.gc_moves_in_flight) = (START, 2, 1);
    ftl.unwritten_data = UnwrittenData::Absent;
    ftl.gc_idle = (free_blocks > 0).then_some(IdleCollectionSettings { wait: WAIT, free_blocks });
    settings
}

fn at(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

/// Writes all pages, then every second page of the first half of the blocks. Every plane then has four free
/// blocks, and 24 blocks that are half valid. Returns the requests and their end, in µs.
fn half_valid_blocks(planes: u64) -> (Vec<HostRequest>, u64) {
    let all = 0..DATA_BLOCKS * PAGES_PER_BLOCK * planes;
    let again =
        (0..DATA_BLOCKS / 2 * PAGES_PER_BLOCK * planes).filter(|page| (page / planes).is_multiple_of(2));
    let pace = PACE_US / planes;
    let requests: Vec<_> = all
        .chain(again)
        .enumerate()
        .map(|(n, page)| venice_host::testkit::pages(Op::Write, page, 1, at(n as u64 * pace)))
        .collect();
    let end = requests.len() as u64 * pace;
    (requests, end)
}

/// Time from the arrival of the last requests, which arrive together, to their end.
fn burst_time(outcome: &RunOutcome, from: SimTime) -> SimSpan {
    let of_burst = outcome.rows.iter().filter(|row| row.arrival >= from);
    of_burst.map(|row| row.completed.since(from)).max().unwrap()
}

/// Runs a drive with half-valid blocks, then a burst of `burst` pages per plane after a long pause.
fn burst(allocation: Allocation, free_blocks: u32, burst: u64) -> (RunOutcome, SimSpan) {
    let planes = 4;
    let (mut requests, _) = half_valid_blocks(planes);
    let from = at(10_000_000);
    let pages = 0..burst * planes;
    requests.extend(pages.map(|page| venice_host::testkit::pages(Op::Write, page, 1, from)));
    let outcome = run(&drive(planes as u32, allocation, free_blocks), LoopMode::Open, requests);
    let time = burst_time(&outcome, from);
    (outcome, time)
}

/// A plane gains a block when half-valid victims of two blocks fill another one. The gain of `target` − 4 blocks
/// thus moves as many pages as it frees. The host then opens blocks until `START` are free.
#[test]
fn burst_after_idle_time_finds_the_target_of_free_blocks() {
    for allocation in [Allocation::Static(ORDER), Allocation::Striped(ORDER)] {
        let (target, free) = (10, 4);
        let promised = u64::from(target - START) * PAGES_PER_BLOCK;
        let (outcome, time) = burst(allocation, target, promised);
        let flash = outcome.whole_flash();
        let moved = u64::from(target - free) * PAGES_PER_BLOCK * 4;
        assert_eq!(
            (flash.idle_moves, flash.idle_executions),
            (Some(moved), Some(moved / 8)),
            "{allocation:?}"
        );
        assert_eq!(outcome.report.flash.gc_executions, 0, "{allocation:?}: the burst fits");
        let fastest = promised as f64 * PROGRAM.as_us();
        let transfers = 1.05;
        assert!((1.0..transfers).contains(&(time.as_us() / fastest)), "{allocation:?}: {time:?}");
        let (slow, slow_time) = burst(allocation, 0, promised);
        assert_eq!((slow.whole_flash().idle_moves, slow.whole_flash().idle_executions), (None, None));
        assert!(slow.report.flash.gc_executions > 0 && slow_time > time, "{allocation:?}");
    }
}

/// Moves one page after another: read, program, and the erase of a half-valid block after half its pages. The requests after the first
/// one leave no pause as long as the wait.
#[test]
fn idle_collection_stops_within_a_page_move_of_a_request() {
    let (mut requests, end) = half_valid_blocks(1);
    let settings = drive(1, Allocation::Static(ORDER), 16);
    let idle_for = 20_000;
    let last_end = end - PACE_US + PROGRAM.as_us() as u64 + WAIT.as_us() as u64;
    let from = last_end + idle_for;
    let reads = 100;
    requests
        .extend((0..reads).map(|n| venice_host::testkit::pages(Op::Read, 500 + n, 1, at(from + n * 5_000))));
    let outcome = run(&settings, LoopMode::Open, requests);
    let moved = outcome.whole_flash().idle_moves.unwrap() as f64;
    let per_move = (READ + PROGRAM).as_us();
    let erase = settings.flash.array.erase.as_us() / (PAGES_PER_BLOCK / 2) as f64;
    let most = idle_for as f64 / (per_move + erase) + 1.0;
    assert!((most * 0.93..most).contains(&moved), "{moved} moves, at most {most}");
    assert_eq!(outcome.whole_flash().gc_moves, 0);
    let waits: Vec<f64> =
        outcome.latencies().iter().rev().take(reads as usize).map(|it| it.as_us()).collect();
    let delayed = waits.iter().filter(|&&wait| wait > 1.5 * READ.as_us()).count();
    assert!(delayed <= 1 && waits.iter().all(|&wait| wait < 1.1 * (per_move + READ.as_us())), "{waits:?}");
}
