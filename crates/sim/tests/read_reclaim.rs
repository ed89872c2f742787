//! Read reclaim: number of reclaimed blocks and of moves in closed form.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, HierarchyLevel};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];
const PAGES_PER_BLOCK: u64 = 16;
const READS: u64 = 1_000;
/// Time between two requests, in µs; longer than all moves of a block take.
const PACE_US: u64 = 50_000;

/// Returns an erased drive of two planes, whose blocks are collected after `most_reads` reads.
fn drive(allocation: Allocation, most_reads: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 1);
    (settings.geometry.planes_per_die, settings.geometry.pages_per_block) = (1, PAGES_PER_BLOCK as u32);
    (settings.ftl.allocation, settings.ftl.read_reclaim_reads) = (allocation, most_reads);
    settings
}

/// Fills four blocks of each plane, then reads one page again and again.
fn read_one_page(settings: &DriveSettings) -> RunOutcome {
    let writes = (0..8 * PAGES_PER_BLOCK).map(|page| (Op::Write, page));
    let reads = (0..READS).map(|_| (Op::Read, 0));
    let requests: Vec<HostRequest> = (0..)
        .zip(writes.chain(reads))
        .map(|(n, (op, page))| pages(op, page, 1, SimTime::ZERO + SimSpan::from_us(n * PACE_US)))
        .collect();
    run(settings, LoopMode::Open, requests)
}

#[test]
fn block_is_reclaimed_after_each_limit_of_reads() {
    // With lines, a block of each of the two planes is reclaimed.
    for (allocation, blocks) in [(Allocation::Static(ORDER), 1), (Allocation::Striped(ORDER), 2)] {
        for most_reads in [50, 300] {
            let flash = read_one_page(&drive(allocation, most_reads)).whole_flash();
            let times = READS / u64::from(most_reads);
            assert_eq!(flash.reclaim_executions, Some(times * blocks), "{allocation:?}");
            assert_eq!(flash.reclaim_moves, Some(times * blocks * PAGES_PER_BLOCK), "{allocation:?}");
            assert_eq!((flash.erases, flash.gc_moves), (times * blocks, 0), "{allocation:?}");
        }
    }
}

#[test]
fn drive_without_the_setting_reclaims_nothing() {
    let flash = read_one_page(&drive(Allocation::Static(ORDER), 0)).whole_flash();
    assert_eq!((flash.reclaim_executions, flash.reclaim_moves, flash.erases), (None, None, 0));
}

#[test]
fn open_block_waits_until_it_is_full() {
    let settings = drive(Allocation::Static(ORDER), 20);
    let mut ops = vec![(Op::Write, 0)];
    ops.extend([(Op::Read, 0); 30]);
    ops.extend((1..PAGES_PER_BLOCK).map(|page| (Op::Write, 2 * page)));
    let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * PACE_US);
    let requests = |ops: &[(Op, u64)]| -> Vec<HostRequest> {
        (0..).zip(ops).map(|(n, &(op, page))| pages(op, page, 1, at(n))).collect()
    };
    let open = run(&settings, LoopMode::Open, requests(&ops)).whole_flash();
    assert_eq!(open.reclaim_executions, Some(0));
    ops.push((Op::Read, 0));
    let full = run(&settings, LoopMode::Open, requests(&ops)).whole_flash();
    assert_eq!((full.reclaim_executions, full.reclaim_moves), (Some(1), Some(PAGES_PER_BLOCK)));
}
