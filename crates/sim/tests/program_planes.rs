//! Programs that wait for full pages in several planes of their die (`ftl.program_min_planes`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, HierarchyLevel, UnwrittenData};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run, small_drive};

const PLANES: u32 = 4;
const WAIT: SimSpan = SimSpan::from_us(700);

/// Returns an erased drive whose consecutive pages fill the planes of one die.
fn drive(kind: FabricKind, min_planes: u32) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.geometry.planes_per_die = PLANES;
    settings.flash = venice_nand::testkit::paper_flash(PLANES);
    settings.ftl.unwritten_data = UnwrittenData::Absent;
    settings.ftl.allocation = Allocation::InTurn([
        HierarchyLevel::Plane,
        HierarchyLevel::Channel,
        HierarchyLevel::Way,
        HierarchyLevel::Die,
    ]);
    (settings.ftl.program_min_planes, settings.ftl.page_fill_wait) = (min_planes, WAIT);
    settings
}

/// Returns writes of one page each, all at the start.
fn writes(count: u64) -> Vec<HostRequest> {
    (0..count).map(|page| pages(Op::Write, page, 1, SimTime::ZERO)).collect()
}

fn longest(settings: &DriveSettings, count: u64) -> SimSpan {
    run(settings, LoopMode::Open, writes(count)).latencies().into_iter().max().unwrap()
}

#[test]
fn pages_of_a_die_take_one_program_if_the_first_waits_for_the_others() {
    for &kind in FabricKind::ALL {
        let t_prog = drive(kind, 1).flash.array.program[0];
        let alone = longest(&drive(kind, 1), 1) - t_prog;
        for (min_planes, programs) in [(1, 2), (2, 2), (PLANES, 1)] {
            let found = longest(&drive(kind, min_planes), u64::from(PLANES));
            let overhead = found - t_prog * programs;
            assert!(overhead < alone * u64::from(3 * PLANES), "{kind:?}, {min_planes}: {overhead:?}");
        }
    }
}

#[test]
fn page_waits_for_other_planes_for_the_longest_time_at_most() {
    let expected = longest(&drive(FabricKind::Bus, 1), 1);
    assert_eq!(longest(&drive(FabricKind::Bus, 2), 1), expected + WAIT);
    let mut settings = drive(FabricKind::Bus, PLANES);
    settings.ftl.page_fill_wait = SimSpan::ZERO;
    assert_eq!(longest(&settings, 1), expected, "without this time, pages do not wait");
}

#[test]
fn groups_of_several_dies_wait_independently() {
    let settings = drive(FabricKind::Bus, PLANES);
    let latencies = run(&settings, LoopMode::Open, writes(u64::from(PLANES) + 1)).latencies();
    let t_prog = settings.flash.array.program[0];
    let (last, first) = latencies.split_last().unwrap();
    assert!(first.iter().all(|&latency| latency < t_prog * 2), "{first:?}");
    assert!(*last >= WAIT + t_prog && *last < WAIT + t_prog * 2, "{last:?}");
}
