//! Bad blocks: space that they take from a drive.

use venice_drive::ftl::{Allocation, FactoryBadBlocks, HierarchyLevel};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const BLOCKS: u32 = 24;
const LOGICAL_BLOCKS: u32 = 14;
const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];

/// Returns a drive with `blocks` blocks per plane, of which data fills `LOGICAL_BLOCKS`.
fn drive(blocks: u32, bad_blocks: FactoryBadBlocks, allocation: Allocation) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.geometry.blocks_per_plane = blocks;
    settings.ftl.over_provisioning_ratio = 1.0 - f64::from(LOGICAL_BLOCKS) / f64::from(blocks);
    (settings.ftl.bad_blocks, settings.ftl.allocation) = (bad_blocks, allocation);
    settings
}

fn random_writes(settings: &DriveSettings) -> RunOutcome {
    let mut random = RandomStream::new(5, "pages");
    let all = Simulation::capacity_sectors(settings) / 8;
    let requests: Vec<HostRequest> =
        (0..6_000).map(|_| pages(Op::Write, random.below(all), 1, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth: 16 }, requests)
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
