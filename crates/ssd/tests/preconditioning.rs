//! Preconditioned drives against drives that were really written.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_kernel::{RandomStream, SimTime};
use venice_ssd::assembly::{DriveSettings, RunOptions, Simulation};
use venice_ssd::ftl::{PreconditionMode, PreconditionSettings, Region, VictimPolicy, WritePattern};
use venice_ssd::host::{Flow, HostRequest, LoopMode, Op};
use venice_ssd::registry::FabricKind;
use venice_ssd::testkit::drive::{Script, pages, paper_flash, small_drive};

/// Writes in flight together: fewer than the planes have open pages, many enough that dies have work.
const DEPTH: u32 = 16;

/// A drive of four planes of 128 blocks of 64 pages.
fn drive(victim: VictimPolicy, over_provisioning_ratio: f64) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 1);
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

fn logical_pages(settings: &DriveSettings) -> u32 {
    (Simulation::capacity_sectors(settings) / 8) as u32
}

/// The whole drive as one region.
fn everything(settings: &DriveSettings, occupancy: f64, pattern: WritePattern) -> Region {
    let all = logical_pages(settings);
    Region { pages: 0..all, working_set: all, occupancy, pattern, traffic: 1.0 }
}

fn preconditioned(settings: &DriveSettings, region: Region) -> DriveSettings {
    let mode = PreconditionMode::SteadyState;
    DriveSettings {
        precondition: PreconditionSettings { mode, regions: vec![region], seed: 5 },
        ..settings.clone()
    }
}

/// Page numbers: the first `hot` of all get `traffic` of the writes.
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

/// Programs for each write of the host, from the `skipped`-th write on.
fn amplification(settings: &DriveSettings, requests: Vec<HostRequest>, skipped: u64) -> f64 {
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth: DEPTH });
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    let counted = |simulation: &Simulation| {
        let counters = simulation.device().ftl().counters();
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

/// In the long run, after writing every page in order and then `settling` turns of overwrites; over two more turns.
fn simulated(settings: &DriveSettings, hot: f64, traffic: f64, settling: u64) -> f64 {
    let all = logical_pages(settings);
    let first = (0..u64::from(all)).map(|page| pages(Op::Write, page, 1, SimTime::ZERO));
    let turns = u64::from(all) * (settling + 2);
    let requests = first.chain(overwrites(all, hot, traffic, turns)).collect();
    amplification(settings, requests, u64::from(all) * (settling + 1))
}

#[test]
fn the_first_writes_after_preconditioning_are_amplified_as_in_the_long_run() {
    for &victim in VictimPolicy::ALL {
        for spare in [0.10, 0.28] {
            let settings = drive(victim, spare);
            let filled = preconditioned(&settings, everything(&settings, 1.0, WritePattern::Uniform));
            let all = logical_pages(&settings);
            let first = amplification(&filled, overwrites(all, 0.5, 0.5, u64::from(all) / 2), 0);
            let long_run = simulated(&settings, 0.5, 0.5, 3);
            eprintln!("{victim:?} {spare} {first:.3} {long_run:.3} {:.3}", first / long_run);
            assert!((first / long_run - 1.0).abs() < 0.05, "{victim:?} at {spare}: {first} and {long_run}");
        }
    }
}
