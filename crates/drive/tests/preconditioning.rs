//! Tests that compare preconditioned drives with drives on which the writes were simulated.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    CachedMapping, FilledSectors, GcPace, Mapping, MappingWriteBack, PageRegion, PreconditionMode,
    PreconditionSettings, TableSharing, VictimPolicy, WritePattern,
};
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::testkit::paper_flash;
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::Provenance;
use venice_sim::testkit::drive::small_drive;

/// Number of concurrent writes. It is smaller than the number of open pages of the planes, but large enough
/// to keep dies busy.
const DEPTH: u32 = 8;

fn audited() -> RunOptions {
    RunOptions { audit: true, ..RunOptions::default() }
}

/// Creates a drive of two planes with 128 blocks of 64 pages.
fn drive(victim: VictimPolicy, over_provisioning_ratio: f64) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.blocks_per_plane = 128;
    settings.geometry.pages_per_block = 64;
    settings.flash = paper_flash(2);
    settings.ftl.over_provisioning_ratio = over_provisioning_ratio;
    settings.ftl.gc_start_free_blocks = 3;
    settings.ftl.gc_yields_to_host = false;
    settings.ftl.dynamic_wear_levelling = true;
    settings.ftl.victim = victim;
    settings
}

/// Increases the number of blocks, so that the number of free blocks that garbage collection leaves does not
/// matter. Preconditioning collects at once, while a plane in a run uses some free blocks before its die is
/// free.
fn with_many_blocks(mut settings: DriveSettings) -> DriveSettings {
    settings.geometry.blocks_per_plane = 512;
    settings
}

fn logical_pages(settings: &DriveSettings) -> u32 {
    (Simulation::capacity_sectors(settings) / 8) as u32
}

/// Returns a region that covers the whole drive.
fn everything(settings: &DriveSettings, occupancy: f64, pattern: WritePattern) -> PageRegion {
    let all = logical_pages(settings);
    PageRegion { pages: 0..all, working_set: all, occupancy, pattern, drawn: None, traffic: 1.0 }
}

fn preconditioned(settings: &DriveSettings, region: PageRegion) -> DriveSettings {
    let mode = PreconditionMode::SteadyState;
    DriveSettings {
        precondition: PreconditionSettings {
            mode,
            filled: FilledSectors::WholePage,
            regions: vec![region],
            settling_turns: 4.0,
            gc_pace: GcPace::Measured { requests: 20_000 },
            seed: 5,
        },
        ..settings.clone()
    }
}

/// Creates overwrites in which the first pages, a share `hot` of all pages, receive the share `traffic` of
/// the writes.
fn overwrites(all: u32, hot: f64, traffic: f64, count: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(11, "pages");
    let border = (f64::from(all) * hot) as u64;
    let mut page = || {
        if random.chance(traffic) {
            random.below(border)
        } else {
            border + random.below(u64::from(all) - border)
        }
    };
    (0..count).map(|_| pages(Op::Write, page(), 1, SimTime::ZERO)).collect()
}

/// Returns the number of programs for each host write, from the write number `skipped` on.
fn amplification(settings: &DriveSettings, requests: Vec<HostRequest>, skipped: u64) -> f64 {
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth: DEPTH });
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    let counted = |simulation: &Simulation| {
        let counters = simulation.device().ftl().stats().counters();
        (counters.programs, counters.host_programs)
    };
    while counted(&simulation).1 < skipped {
        simulation.step(1000).unwrap();
    }
    let before = counted(&simulation);
    simulation.run().unwrap();
    let after = counted(&simulation);
    (after.0 - before.0) as f64 / (after.1 - before.1) as f64
}

/// Returns the write amplification in steady state: after a sequential fill and `settling` rounds of
/// overwrites, measured over two more rounds.
fn simulated(settings: &DriveSettings, hot: f64, traffic: f64, settling: u64) -> f64 {
    let all = logical_pages(settings);
    let first = (0..u64::from(all)).map(|page| pages(Op::Write, page, 1, SimTime::ZERO));
    let turns = u64::from(all) * (settling + 2);
    let requests = first.chain(overwrites(all, hot, traffic, turns)).collect();
    amplification(settings, requests, u64::from(all) * (settling + 1))
}

/// Tolerance between the first half of a round after preconditioning and the steady state.
const TOLERANCE: f64 = 0.05;

fn assert_alike(what: &str, settings: &DriveSettings, region: PageRegion, (hot, traffic): (f64, f64)) {
    let (all, end) = (logical_pages(settings), region.pages.end);
    assert!(end == all, "the long run writes everything");
    let filled = preconditioned(settings, region);
    let first = amplification(&filled, overwrites(all, hot, traffic, u64::from(all) / 2), 0);
    let long_run = simulated(settings, hot, traffic, 3);
    assert!(
        (first / long_run - 1.0).abs() < TOLERANCE,
        "{what}: {first} at first, {long_run} in the long run"
    );
}

#[test]
fn the_first_writes_after_preconditioning_are_amplified_as_in_the_long_run() {
    let settings = with_many_blocks(drive(VictimPolicy::Greedy, 0.10));
    let region = everything(&settings, 1.0, WritePattern::Uniform);
    assert_alike("Greedy", &settings, region, (0.5, 0.5));
}

#[test]
#[ignore = "long; `make nightly` runs it"]
fn so_are_those_of_drives_with_other_policies() {
    use VictimPolicy::{CostBenefit, Fifo, Random, RandomP, RandomPp, Rga};
    for victim in [Rga, Fifo, CostBenefit, Random, RandomP, RandomPp] {
        let settings = with_many_blocks(drive(victim, 0.10));
        let region = everything(&settings, 1.0, WritePattern::Uniform);
        assert_alike(&format!("{victim:?}"), &settings, region, (0.5, 0.5));
    }
}

#[test]
fn hot_and_cold_data_lie_as_they_come_to_lie_in_the_long_run() {
    for victim in [VictimPolicy::Greedy, VictimPolicy::CostBenefit] {
        let settings = drive(victim, 0.15);
        for (region, traffic) in [(0.2, 0.8), (0.5, 1.0)] {
            let region_of_all = everything(&settings, 1.0, WritePattern::HotCold { region, traffic });
            assert_alike(
                &format!("{victim:?} {region} {traffic}"),
                &settings,
                region_of_all,
                (region, traffic),
            );
        }
    }
}

#[test]
fn thresholds_and_yielding_count_as_in_a_run() {
    let mut early = drive(VictimPolicy::Greedy, 0.2);
    early.ftl.gc_start_free_blocks = 9;
    let mut yielding = early.clone();
    yielding.ftl.gc_yields_to_host = true;
    for (what, settings) in [("early", early), ("yielding", yielding)] {
        assert_alike(what, &settings, everything(&settings, 1.0, WritePattern::Uniform), (0.5, 0.5));
    }
}

#[test]
fn a_map_on_flash_counts_as_in_a_run() {
    let mut on_flash = drive(VictimPolicy::Greedy, 0.2);
    on_flash.ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries: 200,
        entries_per_page: 64,
        page_entry_bytes: 8,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    });
    assert_alike("on flash", &on_flash, everything(&on_flash, 1.0, WritePattern::Uniform), (0.5, 0.5));
}

/// Creates a simulation without requests on a preconditioned drive.
fn filled(settings: &DriveSettings, mode: PreconditionMode, region: PageRegion) -> Simulation {
    let mut settings = preconditioned(settings, region);
    settings.precondition.mode = mode;
    let mut simulation = Simulation::new(&settings, Vec::new(), audited()).unwrap();
    simulation.run().unwrap();
    simulation
}

#[test]
fn the_configured_number_of_pages_holds_data() {
    use PreconditionMode::{Fill, Mqsim, SteadyState};
    let settings = drive(VictimPolicy::Rga, 0.10);
    let all = logical_pages(&settings);
    for mode in [Fill, SteadyState, Mqsim] {
        for (occupancy, pages) in [(0.25, 0..all), (0.5, 0..all), (0.75, all / 2..all), (0.8, 0..all)] {
            let wanted = f64::from(pages.end - pages.start) * occupancy;
            let pattern = WritePattern::Uniform;
            let working_set = pages.end - pages.start;
            let region = PageRegion { pages, working_set, occupancy, pattern, drawn: None, traffic: 1.0 };
            let mapped = filled(&settings, mode, region).device().ftl().translation().mapped_pages() as f64;
            assert!((mapped - wanted).abs() <= 4.0, "{mode:?} {occupancy}: {mapped} of {wanted}");
        }
    }
}

#[test]
fn the_same_seed_fills_the_same_drive_and_another_one_another() {
    let settings = drive(VictimPolicy::Rga, 0.10);
    let run = |seed| {
        let mut filled = preconditioned(&settings, everything(&settings, 0.9, WritePattern::Uniform));
        filled.precondition.seed = seed;
        let requests = overwrites(logical_pages(&settings), 0.5, 0.5, 3000);
        let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth: DEPTH });
        let mut simulation = Simulation::new(&filled, vec![flow], audited()).unwrap();
        simulation.run().unwrap();
        (*simulation.device().ftl().stats().counters(), simulation.now_us().to_bits())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_drive_that_was_filled_in_order_collects_nothing_until_it_is_overwritten() {
    let settings = drive(VictimPolicy::Greedy, 0.28);
    let mut filled = preconditioned(&settings, everything(&settings, 1.0, WritePattern::Sequential));
    filled.precondition.mode = PreconditionMode::Fill;
    let all = logical_pages(&settings);
    let untouched = amplification(&filled, overwrites(all, 0.5, 0.5, u64::from(all) / 8), 0);
    assert!((untouched - 1.0).abs() < 1e-12, "{untouched}");
    let later = amplification(&filled, overwrites(all, 0.5, 0.5, u64::from(all) * 2), u64::from(all));
    assert!(later > 1.5, "{later}");
}

fn checked_reads(simulation: &mut Simulation) -> u64 {
    let provenance = Provenance { config: serde_json::Value::Null, seed: 0, wall_s: 0.0 };
    simulation.report(provenance).audit.unwrap().reads_checked
}

/// Reads all pages in order. Each page must be where preconditioning has placed it.
#[test]
fn every_page_of_a_filled_drive_is_read_where_it_is() {
    for mode in [PreconditionMode::Fill, PreconditionMode::SteadyState, PreconditionMode::Mqsim] {
        let settings = drive(VictimPolicy::Fifo, 0.2);
        let mut filled = preconditioned(&settings, everything(&settings, 0.9, WritePattern::Uniform));
        filled.precondition.mode = mode;
        let all = u64::from(logical_pages(&settings));
        let reads = (0..all).map(|page| pages(Op::Read, page, 1, SimTime::ZERO)).collect();
        let flow = Flow::new(Box::new(Script::new(reads)), LoopMode::Closed { depth: DEPTH });
        let mut simulation = Simulation::new(&filled, vec![flow], audited()).unwrap();
        simulation.run().unwrap();
        let checked = checked_reads(&mut simulation);
        assert_eq!(checked, all, "{mode:?}");
    }
}

#[test]
fn each_settling_turn_writes_the_pages_once_more() {
    let settings = drive(VictimPolicy::Greedy, 0.2);
    let erases = |settling_turns: f64| {
        let mut settings = preconditioned(&settings, everything(&settings, 1.0, WritePattern::Uniform));
        settings.precondition.settling_turns = settling_turns;
        let simulation = Simulation::new(&settings, Vec::new(), RunOptions::default()).unwrap();
        let blocks = simulation.device().ftl().space().blocks().table.blocks_by_erases();
        let (sum, count) = blocks.iter().fold((0, 0), |(sum, count), (&erases, &blocks)| {
            (sum + u64::from(erases) * blocks, count + blocks)
        });
        sum as f64 / count as f64
    };
    // In steady state, all rounds have the same number of erases.
    let [four, eight, twelve] = [4.0, 8.0, 12.0].map(erases);
    let (first, second) = (eight - four, twelve - eight);
    assert!(first > 4.0 && (second / first - 1.0).abs() < 0.05, "{four} {eight} {twelve}");
}

/// Write amplification and number of free blocks per plane, over a part of a run.
#[derive(Debug)]
struct Stretch {
    amplification: f64,
    free_blocks: f64,
}

/// Returns the results of both halves of a run of `writes` random writes on a preconditioned drive of eight
/// planes. The writes arrive in intervals of `gap`.
fn halves(settings: &DriveSettings, writes: u64, gap: SimSpan) -> [Stretch; 2] {
    let all = logical_pages(settings);
    let mut random = RandomStream::new(3, "arrivals");
    let mut at = SimTime::ZERO;
    let requests = overwrites(all, 0.5, 0.5, writes).into_iter().map(|request| {
        at = at + SimSpan::from_ps(random.below(2 * gap.as_ps()));
        HostRequest { arrival: at, ..request }
    });
    let flow = Flow::new(Box::new(Script::new(requests.collect())), LoopMode::Open);
    let mut simulation = Simulation::new(settings, vec![flow], RunOptions::default()).unwrap();
    let mut stretch = |until: u64| {
        let counted = |simulation: &Simulation| {
            let counters = simulation.device().ftl().stats().counters();
            (counters.programs as f64, counters.host_programs as f64)
        };
        let before = counted(&simulation);
        let (mut free_blocks, mut looks) = (0.0, 0.0);
        while simulation.device().ftl().stats().counters().host_programs < until {
            simulation.step(1000).unwrap();
            free_blocks += simulation.device().ftl().space().blocks().planes.free_blocks() as f64;
            looks += 1.0;
        }
        let after = counted(&simulation);
        let planes = f64::from(settings.geometry.planes());
        Stretch {
            amplification: (after.0 - before.0) / (after.1 - before.1),
            free_blocks: free_blocks / looks / planes,
        }
    };
    [stretch(writes / 2), stretch(writes)]
}

#[test]
fn a_prepared_drive_is_in_the_steady_state_of_the_run_s_own_load() {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.geometry.blocks_per_plane = 128;
    settings.geometry.pages_per_block = 256;
    settings.flash = paper_flash(2);
    settings.ftl.over_provisioning_ratio = 0.15;
    (settings.ftl.gc_start_free_blocks, settings.ftl.gc_hard_free_blocks) = (6, 3);
    settings.ftl.gc_yields_to_host = true;
    settings.ftl.gc_moves_in_flight = 2;
    let settings = preconditioned(&settings, everything(&settings, 1.0, WritePattern::Uniform));
    // A plane of a die needs about 600 µs for a write and the moves that it causes.
    let loads = [("light", 400, 5.0..6.1), ("heavy", 200, 4.0..5.9), ("more than it takes", 25, 1.0..3.6)];
    for (load, gap_us, free_blocks) in loads {
        let [first, second] = halves(&settings, 8 * 256 * 8, SimSpan::from_us(gap_us));
        let change = second.amplification / first.amplification - 1.0;
        assert!(change.abs() < 0.05, "{load}: {first:?}, then {second:?}");
        assert!((second.free_blocks - first.free_blocks).abs() < 0.25, "{load}: {first:?}, then {second:?}");
        assert!(free_blocks.contains(&first.free_blocks), "{load}: {first:?}");
    }
}
