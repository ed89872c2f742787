//! Tests that compare the write amplification of uniform random writes with analytical models, and tests of
//! drives with little over-provisioning.
//!
//! # Models
//! A plane of B blocks of N pages contains L logical pages, all of which are in use. Apart from N, the models
//! depend on one number α, the number of physical pages for each logical page. Pages without data, valid or
//! invalid, do not count:
//!
//! - If garbage collection (GC) starts only when the host has no free page (smallest threshold, 2), the
//!   reserved block and half of the open GC block do not count: α = (B − 1½) N / L. The open block of the
//!   host is full when a victim is chosen. If host and GC share a block (`WriteFrontiers::Shared`), this
//!   block is full as well: α = (B − 1) N / L.
//! - If GC starts with fewer than T free blocks and precedes the host, T − 1 free blocks do not count, and
//!   neither does half of each of the two open blocks: α = (B − T) N / L.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{GcDestination, PageAllocation, VictimPolicy, WriteFrontiers};
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimTime};
use venice_nand::testkit::{is_nightly, paper_flash};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::FlashReport;
use venice_sim::testkit::drive::{run, small_drive};

const PAGES: u32 = 64;
/// All times at which pages can be allocated.
const WHENEVER: [PageAllocation; 3] =
    [PageAllocation::AtStart, PageAllocation::AtArrival, PageAllocation::AtArrivalAnyOrder];

/// Creates a drive with one plane of `blocks` blocks and this over-provisioning.
fn plane(blocks: u32, over_provisioning_ratio: f64) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.planes_per_die = 1;
    settings.geometry.blocks_per_plane = blocks;
    settings.geometry.pages_per_block = PAGES;
    settings.flash = paper_flash(1);
    settings.ftl.over_provisioning_ratio = over_provisioning_ratio;
    settings.ftl.gc_start_free_blocks = 2;
    settings
}

fn logical_pages(settings: &DriveSettings) -> u64 {
    Simulation::capacity_sectors(settings) / 8
}

/// Creates one sequential write of each of the first `logical` pages, then random writes, `times_over` for
/// each page on average.
fn writes(logical: u64, times_over: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(11, "pages");
    let over = (0..times_over * logical).map(|_| random.below(logical));
    (0..logical).chain(over).map(|page| pages(Op::Write, page, 1, SimTime::ZERO)).collect()
}

/// Returns the number of programs for each host write. The drive is filled, overwritten randomly for two
/// rounds, and measured over two more rounds.
fn measured(settings: &DriveSettings) -> f64 {
    let logical = logical_pages(settings);
    let options = RunOptions::default();
    let script = Box::new(Script::new(writes(logical, 4)));
    let flow = Flow::new(script, LoopMode::Closed { depth: 16 });
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    let counted = |simulation: &Simulation| {
        let counters = simulation.device().ftl().stats().counters();
        (counters.programs, counters.host_programs)
    };
    while counted(&simulation).1 < 3 * logical {
        simulation.step(1000).unwrap();
    }
    let before = counted(&simulation);
    simulation.run().unwrap();
    let after = counted(&simulation);
    (after.0 - before.0) as f64 / (after.1 - before.1) as f64
}

/// Write amplification as a function of α.
type Model = fn(f64) -> f64;

/// Greedy: Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012.
///
/// Blocks lose valid pages one by one, from N to the number X at which they are collected, at rates
/// proportional to their number of valid pages, so that α = N (ln(N + ½) − ln(X − ½)) / (N − X + 1). Each
/// collection frees N − X + 1 pages. The paper solves for X by Lambert's W function, this code by bisection.
fn greedy(alpha: f64) -> f64 {
    let (block, top) = (f64::from(PAGES), f64::from(PAGES) + 0.5);
    let (mut low, mut high) = (1e-9, block / alpha);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let spread = block * (top / middle).ln() / (top - middle);
        if spread > alpha { low = middle } else { high = middle }
    }
    block / (top - low)
}

/// FIFO: a page is still valid when its block is collected with the probability p = exp(−α (1 − p)). Sources:
/// Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012 (LRU); Xiang, Kurkoski, "An improved
/// analytical expression for write amplification in NAND flash", ICNC 2012.
fn fifo(alpha: f64) -> f64 {
    let valid = (0..2000).fold(0.5_f64, |valid, _| (-alpha * (1.0 - valid)).exp());
    1.0 / (1.0 - valid)
}

/// Random choice among blocks with an invalid page: the mean field model of Van Houdt, "A mean field model
/// for a class of garbage collection algorithms", SIGMETRICS 2013.
///
/// Blocks with i valid pages lose one at a rate proportional to i, and are collected at the rate x unless i =
/// N. The number of these blocks is therefore n(i) = n(i + 1) (i + 1) / (i + x), and x follows from the ratio
/// α of pages to valid pages. (If blocks with i = N were also collected, the result would be 1 / (1 − 1/α).)
fn random(alpha: f64) -> f64 {
    let (mut low, mut high) = (1e-6, 1e6);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if random_field(middle).0 > alpha { low = middle } else { high = middle }
    }
    random_field(low).1
}

/// Returns α and the write amplification for the collection rate `x`.
fn random_field(x: f64) -> (f64, f64) {
    let block = f64::from(PAGES);
    let (mut density, mut blocks, mut valid) = (1.0, 0.0, 0.0);
    for i in (0..PAGES).rev().map(f64::from) {
        density *= (i + 1.0) / (i + x);
        (blocks, valid) = (blocks + density, valid + i * density);
    }
    (block * (blocks + 1.0) / (valid + block), block / (block - valid / blocks))
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = found / expected - 1.0;
    assert!(error.abs() < tolerance, "{what}: {found:.3} measured, {expected:.3} expected");
}

#[test]
fn write_amplification_agrees_with_the_models_of_the_policies() {
    let models: [(VictimPolicy, Model); 3] =
        [(VictimPolicy::Greedy, greedy), (VictimPolicy::Fifo, fifo), (VictimPolicy::RandomP, random)];
    for (victim, model) in models {
        for ratio in [0.07, 0.15, 0.28] {
            let mut settings = plane(256, ratio);
            settings.ftl.victim = victim;
            let alpha = 254.5 * f64::from(PAGES) / logical_pages(&settings) as f64;
            assert_near(measured(&settings), model(alpha), 0.03, &format!("{victim:?}, {ratio}"));
        }
    }
}

#[test]
fn one_write_frontier_leaves_uniform_writes_half_a_block_more() {
    for ratio in [0.07, 0.15, 0.28] {
        let mut settings = plane(256, ratio);
        settings.ftl.write_frontiers = WriteFrontiers::Shared;
        let alpha = f64::from(255 * PAGES) / logical_pages(&settings) as f64;
        assert_near(measured(&settings), greedy(alpha), 0.02, &format!("{ratio}"));
    }
}

#[test]
fn blocks_kept_free_ahead_of_the_host_are_lost_to_over_provisioning() {
    for (least_free, ratio) in [(6, 0.07), (6, 0.15), (12, 0.15), (12, 0.28)] {
        let mut settings = plane(256, ratio);
        settings.ftl.gc_start_free_blocks = least_free;
        settings.ftl.gc_yields_to_host = false;
        let alpha = f64::from((256 - least_free) * PAGES) / logical_pages(&settings) as f64;
        assert_near(measured(&settings), greedy(alpha), 0.06, &format!("{least_free} blocks, {ratio}"));
    }
}

#[test]
fn giving_out_pages_early_amplifies_writes_no_more() {
    for page_allocation in WHENEVER {
        let mut settings = plane(256, 0.15);
        settings.ftl.page_allocation = page_allocation;
        let alpha = 254.5 * f64::from(PAGES) / logical_pages(&settings) as f64;
        assert_near(measured(&settings), greedy(alpha), 0.03, &format!("{page_allocation:?}"));
    }
}

#[test]
fn a_threshold_that_a_full_plane_cannot_reach_amplifies_no_more_than_the_least_one() {
    // Five of 64 blocks are spare, so the plane never has 6 free blocks, and garbage collection that aimed at
    // this would have no effect.
    let mut settings = plane(64, 0.07);
    let least = measured(&settings);
    settings.ftl.gc_start_free_blocks = 6;
    settings.ftl.gc_yields_to_host = false;
    assert_near(measured(&settings), least, 0.02, "6 blocks");
}

/// Creates one write of each page in order, then `times_over` writes for each page on average. Their pages
/// follow Zipf's law with the exponent 0.99, with ranks in random order.
fn skewed_writes(logical: u64, times_over: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(11, "pages");
    let mut order: Vec<u64> = (0..logical).collect();
    (1..logical as usize).rev().for_each(|last| order.swap(last, random.below(last as u64 + 1) as usize));
    let mut sum = 0.0;
    let weight = |rank: u64| (rank as f64).powf(-0.99);
    let sums: Vec<f64> = (1..=logical).map(|rank| (sum += weight(rank), sum).1).collect();
    let mut draw = || {
        let share = random.below(1 << 52) as f64 / (1_u64 << 52) as f64;
        order[sums.partition_point(|&below| below <= share * sum)]
    };
    let over: Vec<u64> = (0..times_over * logical).map(|_| draw()).collect();
    (0..logical).chain(over).map(|page| pages(Op::Write, page, 1, SimTime::ZERO)).collect()
}

/// At the smallest threshold, garbage collection starts when the host has no free block. With one open block,
/// cold data in a block that the host also fills is soon moved again. Erase counts are then 49 to 107,
/// against 69 to 85 without wear levelling.
#[test]
fn levelling_narrows_the_spread_under_skewed_writes_at_the_smallest_threshold() {
    let mut settings = plane(64, 0.28);
    let writes = skewed_writes(logical_pages(&settings), 40);
    for frontiers in [WriteFrontiers::Separate, WriteFrontiers::Shared] {
        settings.ftl.write_frontiers = frontiers;
        let [off, on] = [None, Some(4)].map(|threshold| {
            settings.ftl.static_wear_levelling = threshold;
            run(&settings, LoopMode::Closed { depth: 16 }, writes.clone()).report.flash
        });
        let spread = |flash: &FlashReport| flash.max_block_erases - flash.min_block_erases;
        let moved = |flash: &FlashReport| flash.gc_moves + flash.wear_moves;
        let found = format!("{frontiers:?}: {off:?}, {on:?}");
        assert!(off.wear_moves == 0 && on.wear_moves > 0, "{found}");
        assert!(spread(&off) > 12 && spread(&on) <= 5, "{found}");
        assert!(moved(&on) * 100 <= moved(&off) * 101, "{found}");
    }
}

/// Van Houdt, SIGMETRICS 2013: one choice is equivalent to `random_p` if all blocks are full. With more
/// choices, the write amplification approaches that of the greedy policy.
#[test]
fn more_choices_amplify_less_and_many_as_little_as_greedy() {
    let amplification = |victim, rga_choices| {
        let mut settings = plane(256, 0.15);
        settings.ftl.victim = victim;
        settings.ftl.victim_parameters.rga.rga_choices = rga_choices;
        measured(&settings)
    };
    let [two, four, by_logarithm, many] = [2, 4, 0, 250].map(|d| amplification(VictimPolicy::Rga, d));
    let greedy = amplification(VictimPolicy::Greedy, 0);
    let found = format!("{two:.3}, {four:.3}, {by_logarithm:.3}, {many:.3}, {greedy:.3}");
    assert!(two > 1.02 * four && four > 1.02 * by_logarithm && by_logarithm > many, "{found}");
    assert!((many - greedy).abs() < 0.01 * greedy, "{found}");
}

/// Under skewed writes, cold data that is moved together with warmer data is soon moved again; separating it
/// saves 5.6 % of the moves. Under uniform writes no data is cold, and the third open block of a plane of 64
/// costs 4 % more moves.
#[test]
fn cold_data_apart_is_moved_less_under_skewed_writes_and_a_third_frontier_costs_little_under_even_ones() {
    let moved = |writes: &[HostRequest], settings: &DriveSettings| {
        run(settings, LoopMode::Closed { depth: 16 }, writes.to_vec()).report.flash.gc_moves
    };
    let mut together = plane(64, 0.28);
    together.ftl.gc_destination = GcDestination::SamePlane;
    let mut apart = together.clone();
    apart.ftl.gc_destination = GcDestination::ColdApart;
    let skewed = skewed_writes(logical_pages(&together), 20);
    let [one, two] = [&together, &apart].map(|settings| moved(&skewed, settings));
    assert!(two * 100 < one * 96 && two * 100 > one * 92, "{one}, {two}");
    let even = writes(logical_pages(&together), 20);
    let [one, two] = [&together, &apart].map(|settings| moved(&even, settings));
    assert!(two * 100 < one * 106 && two * 100 > one * 102, "{one}, {two}");
}

#[test]
fn policies_rank_as_their_models_do() {
    let amplification = |victim| {
        let mut settings = plane(256, 0.15);
        settings.ftl.victim = victim;
        measured(&settings)
    };
    let greedy = amplification(VictimPolicy::Greedy);
    // Van Houdt: d-choices approaches the greedy policy for d of about ten (here eight), and Random++ is
    // worse than FIFO for blocks of 64 pages and more.
    let rga = amplification(VictimPolicy::Rga);
    assert!(greedy <= rga && rga < 1.1 * greedy, "{greedy:.3}, {rga:.3}");
    let fifo = amplification(VictimPolicy::Fifo);
    let random_pp = amplification(VictimPolicy::RandomPp);
    let random = amplification(VictimPolicy::Random);
    assert!(
        greedy < fifo && fifo < random_pp && random_pp < random,
        "{fifo:.3}, {random_pp:.3}, {random:.3}"
    );
    // Without hot and cold data, age does not matter, and cost-benefit lies between greedy and FIFO.
    let cost_benefit = amplification(VictimPolicy::CostBenefit);
    assert!(greedy <= cost_benefit && cost_benefit <= fifo, "{cost_benefit:.3}");
}

#[test]
fn small_drives_with_little_spare_space_serve_all_requests() {
    for victim in VictimPolicy::ALL {
        for &blocks in if is_nightly() { &[16, 24, 32, 64][..] } else { &[16] } {
            let rooms = [(2, 0.9), (2, 1.0), (6, 0.9), (6, 1.0)];
            let cases = rooms.into_iter().flat_map(|room| WHENEVER.map(|choice| (room, choice)));
            for ((least_free, occupied), page_allocation) in cases {
                let mut settings = plane(blocks, 0.07);
                settings.ftl.page_allocation = page_allocation;
                settings.ftl.victim = *victim;
                settings.ftl.gc_start_free_blocks = least_free;
                settings.ftl.gc_yields_to_host = false;
                let logical = (logical_pages(&settings) as f64 * occupied) as u64;
                let report = run(&settings, LoopMode::Closed { depth: 8 }, writes(logical, 1)).report;
                assert_eq!(report.requests.completed, 2 * logical, "{victim:?}, {blocks} blocks");
            }
        }
    }
}
