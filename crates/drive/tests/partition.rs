//! Tests of address ranges with separate planes: sizes, isolation, and shared planes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    Allocation, FilledSectors, HierarchyLevel, PageRegion, PreconditionMode, PreconditionSettings, Resources,
    WritePattern,
};
use venice_fabric::FabricKind;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];

fn channels(channels: &[u32]) -> Resources {
    Resources { channels: channels.to_vec(), ..Resources::default() }
}

fn ways(ways: &[u32]) -> Resources {
    Resources { ways: ways.to_vec(), ..Resources::default() }
}

fn drive(kind: FabricKind, partitions: Vec<Resources>) -> DriveSettings {
    let mut settings = small_drive(kind, 4, 4);
    settings.ftl.partitions = partitions;
    settings
}

/// Creates reads and writes of whole pages of one address range, in short intervals.
fn traffic(settings: &DriveSettings, range: usize, count: u64, gap_us: u64) -> Vec<HostRequest> {
    let sectors = Simulation::address_ranges(settings)[range].clone();
    let mut random = RandomStream::new(range as u64, "traffic");
    let request = |n: u64| HostRequest {
        arrival: SimTime::ZERO + SimSpan::from_us(gap_us) * n,
        op: if random.chance(0.3) { Op::Read } else { Op::Write },
        start_sector: sectors.start + random.below((sectors.end - sectors.start) / 8) * 8,
        sectors: 8,
        queue: range as u16,
        pattern_set: 0,
    };
    (0..count).map(request).collect()
}

fn both(one: &[HostRequest], other: &[HostRequest]) -> Vec<HostRequest> {
    let mut all = [one, other].concat();
    all.sort_by_key(|request| request.arrival);
    all
}

/// Returns the completion times of a queue's requests in the order of issue.
fn completions(outcome: &RunOutcome, queue: u16) -> Vec<(u64, SimTime)> {
    let mut rows: Vec<_> = outcome.rows.iter().filter(|row| row.queue == queue).collect();
    rows.sort_by_key(|row| row.number);
    rows.iter().map(|row| (row.start_sector, row.completed)).collect()
}

#[test]
fn ranges_are_as_large_as_their_share_and_add_up_to_the_drive() {
    let sectors = |partitions| {
        let ranges = Simulation::address_ranges(&drive(FabricKind::Bus, partitions));
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranges:?}");
        assert_eq!(ranges[0].start, 0);
        ranges.iter().map(|range| (range.end - range.start) / 8).collect::<Vec<_>>()
    };
    // The drive has 32 planes with 96 host pages each.
    assert_eq!(sectors(vec![]), [32 * 96]);
    assert_eq!(sectors(vec![channels(&[0]), channels(&[1, 2, 3])]), [8 * 96, 24 * 96]);
    assert_eq!(sectors(vec![channels(&[]); 3]), [32 * 32; 3]);
    assert_eq!(sectors(vec![channels(&[3])]), [8 * 96], "what nobody names is nobody's");
    assert_eq!(sectors(vec![channels(&[0]), channels(&[0, 1])]), [8 * 48, 8 * 48 + 8 * 96]);
}

#[test]
fn flows_on_their_own_channels_do_not_notice_each_other_not_even_while_they_collect() {
    for dynamic in [false, true] {
        let mut settings = drive(FabricKind::Bus, vec![channels(&[0, 2]), channels(&[1, 3])]);
        if dynamic {
            settings.ftl.allocation = Allocation::Dynamic(ORDER);
        }
        let (mine, others) = (traffic(&settings, 0, 6000, 40), traffic(&settings, 1, 6000, 17));
        let alone = run(&settings, LoopMode::Open, mine.clone());
        let beside = run(&settings, LoopMode::Open, both(&mine, &others));
        assert!(alone.report.flash.gc_moves > 0, "collection had to work");
        assert!(beside.report.flash.gc_moves > alone.report.flash.gc_moves);
        assert_eq!(completions(&alone, 0), completions(&beside, 0), "dynamic: {dynamic}");
    }
}

#[test]
fn flows_that_share_channels_do_notice_each_other() {
    let settings = drive(FabricKind::Bus, vec![ways(&[0, 1]), ways(&[2, 3])]);
    let (mine, others) = (traffic(&settings, 0, 2000, 40), traffic(&settings, 1, 2000, 5));
    let alone = run(&settings, LoopMode::Open, mine.clone());
    let beside = run(&settings, LoopMode::Open, both(&mine, &others));
    assert_ne!(completions(&alone, 0), completions(&beside, 0));
}

#[test]
fn ranges_filled_to_the_brim_are_overwritten_on_every_fabric_without_a_stall() {
    let partitions = [
        vec![channels(&[0]), channels(&[]), ways(&[1, 2])],
        vec![ways(&[3, 0]), ways(&[1])],
        vec![Resources { planes: vec![1], ..Resources::default() }, channels(&[2])],
    ];
    for &kind in FabricKind::ALL {
        for (partitions, dynamic) in partitions.iter().zip([true, false, true]) {
            let mut settings = drive(kind, partitions.clone());
            settings.ftl.over_provisioning_ratio = 0.1;
            if dynamic {
                settings.ftl.allocation = Allocation::Dynamic(ORDER);
            }
            let pages = Simulation::capacity_sectors(&settings) / 8;
            let mut random = RandomStream::new(3, "overwrite");
            let overwrites: Vec<u64> = (0..2 * pages).map(|_| random.below(pages)).collect();
            let write = |page| HostRequest {
                arrival: SimTime::ZERO,
                op: Op::Write,
                start_sector: page * 8,
                sectors: 8,
                queue: 0,
                pattern_set: 0,
            };
            let requests: Vec<_> = (0..pages).chain(overwrites).map(write).collect();
            let outcome = run(&settings, LoopMode::Closed { depth: 64 }, requests);
            assert_eq!(outcome.report.requests.completed, 3 * pages, "{kind}");
            assert!(outcome.report.flash.gc_moves > 0, "{kind}");
        }
    }
}

#[test]
fn ranges_that_were_filled_before_the_run_are_found_and_overwritten_where_they_live() {
    for mode in [PreconditionMode::Fill, PreconditionMode::SteadyState, PreconditionMode::Mqsim] {
        let mut settings = drive(FabricKind::Bus, vec![channels(&[0]), channels(&[1, 2]), channels(&[3])]);
        let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
        let region = PageRegion {
            pages: 0..all,
            working_set: all,
            occupancy: 0.9,
            pattern: WritePattern::Uniform,
            drawn: None,
            traffic: 1.0,
        };
        settings.precondition = PreconditionSettings {
            mode,
            filled: FilledSectors::WholePage,
            regions: vec![region],
            settling_turns: 4.0,
            gc_pace: venice_drive::ftl::GcPace::AtOnce,
            seed: 1,
        };
        let options = RunOptions { audit: true, ..RunOptions::default() };
        let mut filled = Simulation::new(&settings, Vec::new(), options).unwrap();
        filled.run().unwrap();
        let mapped = filled.device().ftl().translation().mapped_pages() as f64;
        // MQSim fills pages block by block, and the share of each plane is limited by its blocks, so that a
        // small part stays empty.
        let most_left_out = if mode == PreconditionMode::Mqsim { 0.06 } else { 0.01 };
        let share = mapped / (f64::from(all) * 0.9);
        assert!((1.0 - most_left_out..1.01).contains(&share), "{mode:?}: {mapped} of {all}");
        let traffic = both(&traffic(&settings, 0, 600, 20), &traffic(&settings, 1, 600, 20));
        let outcome = run(&settings, LoopMode::Open, traffic);
        assert_eq!(outcome.report.requests.completed, 1200, "{mode:?}");
    }
}
