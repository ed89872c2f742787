//! Bad blocks: space that they take from a drive, and drives that become read-only.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, FactoryBadBlocks, GrownBadBlockSettings, HierarchyLevel};
use venice_drive::observe::StopGoal;
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{GrownBadBlockReport, Provenance};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const BLOCKS: u32 = 24;
const LOGICAL_BLOCKS: u32 = 14;
const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];

/// Returns a drive with `blocks` blocks per plane, of which data fills `LOGICAL_BLOCKS`.
fn drive(blocks: u32, bad_blocks: FactoryBadBlocks, allocation: Allocation) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.geometry.blocks_per_plane = blocks;
    let pages = |blocks: u32| f64::from(blocks * settings.geometry.pages_per_block);
    settings.ftl.over_provisioning_ratio = 1.0 - (pages(LOGICAL_BLOCKS) + 0.5) / pages(blocks);
    (settings.ftl.bad_blocks, settings.ftl.allocation) = (bad_blocks, allocation);
    settings
}

fn random_pages(settings: &DriveSettings, op: Op, count: u32) -> Vec<HostRequest> {
    let mut random = RandomStream::new(5, "pages");
    let all = Simulation::capacity_sectors(settings) / 8;
    (0..count).map(|_| pages(op, random.below(all), 1, SimTime::ZERO)).collect()
}

fn random_writes(settings: &DriveSettings) -> RunOutcome {
    run(settings, LoopMode::Closed { depth: 16 }, random_pages(settings, Op::Write, 6_000))
}

/// Returns a drive whose erases fail, with a reserve of this number of blocks per plane.
fn failing(erase_failure: f64, reserve_blocks: u32, allocation: Allocation) -> DriveSettings {
    let mut settings = drive(BLOCKS + reserve_blocks, FactoryBadBlocks::None, allocation);
    settings.ftl.grown_bad_blocks = Some(GrownBadBlockSettings { erase_failure, reserve_blocks });
    settings
}

fn grown(outcome: &RunOutcome) -> &GrownBadBlockReport {
    let blocks = outcome.report.protection.bad_blocks.as_ref();
    blocks.and_then(|blocks| blocks.grown.as_ref()).expect("erases can fail")
}

#[test]
fn drive_with_bad_blocks_is_as_fast_as_one_with_fewer_blocks() {
    for allocation in [Allocation::Static(ORDER), Allocation::Dynamic(ORDER), Allocation::Striped(ORDER)] {
        let bad = random_writes(&drive(BLOCKS, FactoryBadBlocks::PerPlane(4), allocation));
        let fewer = random_writes(&drive(BLOCKS - 4, FactoryBadBlocks::None, allocation));
        let more = random_writes(&drive(BLOCKS, FactoryBadBlocks::None, allocation));
        assert_eq!(bad.latencies(), fewer.latencies(), "{allocation:?}");
        let programs = [&bad, &more].map(|outcome| outcome.whole_flash().programs);
        assert!(programs[0] > programs[1], "{allocation:?}: {programs:?}");
    }
}

#[test]
fn capacity_does_not_depend_on_bad_blocks() {
    let sectors = |share| {
        let bad = FactoryBadBlocks::of_share(share);
        Simulation::capacity_sectors(&drive(BLOCKS, bad, Allocation::Static(ORDER)))
    };
    assert_eq!(sectors(0.0), sectors(0.05));
}

#[test]
fn lines_leave_blocks_of_planes_with_fewer_bad_ones_unused() {
    let settings = drive(BLOCKS, FactoryBadBlocks::of_share(0.05), Allocation::Striped(ORDER));
    let report = random_writes(&settings).report;
    let bad = report.protection.bad_blocks.expect("the drive has bad blocks");
    let block_bytes = u64::from(settings.geometry.pages_per_block * settings.geometry.page_bytes);
    let planes = u64::from(settings.geometry.planes());
    assert_eq!(bad.unused_bytes, u64::from(bad.most_factory_blocks_of_plane) * planes * block_bytes);
    assert!(bad.factory_blocks < u64::from(bad.most_factory_blocks_of_plane) * planes);
}

/// Failed blocks are replaced, so that garbage collection finds as many blocks as on a drive without a reserve.
#[test]
fn erases_fail_at_the_stated_rate_and_a_reserve_hides_them() {
    for allocation in [Allocation::Static(ORDER), Allocation::Dynamic(ORDER), Allocation::Striped(ORDER)] {
        let failed = random_writes(&failing(0.02, 20, allocation));
        let (blocks, erases) = (grown(&failed).failed_blocks as f64, failed.whole_flash().erases as f64);
        let expected = 0.02 * erases;
        assert!((blocks - expected).abs() < 4.0 * expected.sqrt(), "{blocks} of {erases} erases");
        assert!(blocks > 10.0 && !grown(&failed).is_read_only);
        let without = random_writes(&drive(BLOCKS, FactoryBadBlocks::None, allocation));
        assert_eq!(failed.latencies(), without.latencies(), "{allocation:?}");
    }
}

/// Each plane can lose two blocks; the audit compares all reads with what was written.
#[test]
fn read_only_drive_refuses_writes_and_still_reads_all_data() {
    for allocation in [Allocation::Static(ORDER), Allocation::Dynamic(ORDER), Allocation::Striped(ORDER)] {
        let settings = failing(0.2, 2, allocation);
        let mut requests = random_pages(&settings, Op::Write, 6_000);
        requests.extend(random_pages(&settings, Op::Trim, 10));
        requests.extend(random_pages(&settings, Op::Read, 500));
        let outcome = run(&settings, LoopMode::Closed { depth: 16 }, requests);
        let grown = grown(&outcome);
        assert!(grown.is_read_only && grown.available_spare_pct == 0.0, "{allocation:?}: {grown:?}");
        let first = outcome.rows.iter().filter(|row| row.has_failed).map(|row| row.number).min();
        let first = first.expect("the drive refuses writes");
        for row in outcome.rows.iter().filter(|row| row.number >= first + 16) {
            assert_eq!(row.has_failed, row.number < 6_010, "{allocation:?}: request {}", row.number);
        }
    }
}

#[test]
fn run_to_the_steady_state_ends_when_the_drive_becomes_read_only() {
    let mut settings = failing(0.5, 1, Allocation::Static(ORDER));
    settings.host.link.latency = SimSpan::from_us(1);
    let writes = random_pages(&settings, Op::Write, 200_000);
    let flow = Flow::new(Box::new(Script::new(writes)), LoopMode::Closed { depth: 16 });
    let options = RunOptions { until: Some(StopGoal::Steady), ..RunOptions::default() };
    let mut simulation = Simulation::new(&settings, vec![flow], options).unwrap();
    simulation.run().unwrap();
    let report = simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 });
    let blocks = report.protection.bad_blocks.and_then(|blocks| blocks.grown).unwrap();
    assert!(blocks.is_read_only && blocks.requests_failed <= 16, "{blocks:?}");
    assert!(!report.until.unwrap().reached);
}
