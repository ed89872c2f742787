//! Parity across dies (RAIN): programs, capacity and write amplification in closed form.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    Allocation, HierarchyLevel, PageRegion, PreconditionMode, UnwrittenData, VictimPolicy, WritePattern,
    pages_per_written_page,
};
use venice_ecc::channel::SoftReads;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];
const PAGE_SECTORS: u64 = 8;

/// Returns a drive of eight chips of two planes with parity for every `data_units` data units.
fn drive(data_units: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 4, 2);
    settings.geometry.blocks_per_plane = 32;
    settings.ftl.allocation = Allocation::Striped(ORDER);
    settings.ftl.unwritten_data = UnwrittenData::Absent;
    settings.ftl.rain_data_units = data_units;
    settings
}

fn pages_of(settings: &DriveSettings) -> u64 {
    Simulation::capacity_sectors(settings) / PAGE_SECTORS
}

fn write_pages(settings: &DriveSettings, numbers: impl Iterator<Item = u64>) -> RunOutcome {
    let requests: Vec<HostRequest> = numbers.map(|page| pages(Op::Write, page, 1, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth: 32 }, requests)
}

#[test]
fn capacity_is_that_of_the_data_dies() {
    let whole = pages_of(&drive(0));
    for units in [1, 3, 7] {
        assert_eq!(pages_of(&drive(units)) * u64::from(units + 1), whole * u64::from(units));
    }
}

#[test]
fn one_parity_unit_is_programmed_for_each_full_stripe() {
    for units in [1, 3, 7] {
        let settings = drive(units);
        let outcome = write_pages(&settings, 0..pages_of(&settings));
        let flash = outcome.whole_flash();
        let data = flash.programs - flash.parity_programs.unwrap();
        assert_eq!(data, pages_of(&settings));
        let expected = data as f64 / f64::from(units);
        assert!((flash.parity_programs.unwrap() as f64 / expected - 1.0).abs() < 1e-3, "{flash:?}");
        let report = &outcome.report;
        let amplification = [
            report.write_amplification.unwrap(),
            report.protection.parity.as_ref().unwrap().write_amplification_of_data.unwrap(),
        ];
        assert!((amplification[0] / amplification[1] - f64::from(units + 1) / f64::from(units)).abs() < 0.01);
    }
}

#[test]
fn parity_of_several_pages_is_programmed_together() {
    let mut settings = drive(3);
    settings.geometry.pages_per_block = 24;
    settings.flash.array.program_pages = 3;
    settings.ftl.units = settings.ftl.units.programmed_in(3);
    let count = pages_of(&settings) / 9 * 9;
    let flash = write_pages(&settings, 0..count).whole_flash();
    let data = flash.programs - flash.parity_programs.unwrap();
    assert!((flash.parity_programs.unwrap() as f64 / (data as f64 / 3.0) - 1.0).abs() < 0.02, "{flash:?}");
    assert!(flash.parity_programs.unwrap().is_multiple_of(3));
}

#[test]
fn parity_takes_the_time_of_its_programs() {
    let settings = drive(7);
    // The drive is limited by the programs of its dies.
    let rate = |units| {
        let settings = drive(units);
        let outcome = write_pages(&settings, 0..pages_of(&drive(7)));
        outcome.report.requests.completed as f64 / outcome.report.makespan_us
    };
    assert!((rate(7) / rate(0) - 7.0 / 8.0).abs() < 0.02, "{} {}", rate(7), rate(0));
    assert!(pages_of(&settings) > 1_000);
}

#[test]
fn write_amplification_of_data_follows_the_closed_form() {
    for (victim, spare) in
        [(VictimPolicy::Greedy, 0.15), (VictimPolicy::Greedy, 0.28), (VictimPolicy::Fifo, 0.15)]
    {
        let mut settings = drive(3);
        (settings.geometry.blocks_per_plane, settings.ftl.victim) = (200, victim);
        settings.ftl.over_provisioning_ratio = 1.0 - 1.0 / (1.0 + spare);
        settings.ftl.gc_start_free_blocks = 2;
        settings.precondition.mode = PreconditionMode::None;
        let (all, mut random) = (pages_of(&settings), RandomStream::new(3, "pages"));
        let writes = (0..all).chain((0..4 * all).map(|_| random.below(all)));
        let outcome = write_pages(&settings, writes);
        let flash = outcome.whole_flash();
        let first = (0..all).chain((0..2 * all).map({
            let mut random = RandomStream::new(3, "pages");
            move |_| random.below(all)
        }));
        let before = write_pages(&settings, first).whole_flash();
        let of_data =
            |flash: &venice_sim::report::FlashReport| flash.programs - flash.parity_programs.unwrap();
        let measured = (of_data(&flash) - of_data(&before)) as f64 / (2 * all) as f64;
        let space = venice_drive::ftl::SpareSpace::of(&settings.geometry, &settings.ftl);
        let units = settings.ftl.units_per_victim(&settings.geometry);
        let expected = pages_per_written_page(victim, space.alpha(all as f64, 0.0), units).unwrap();
        assert!((measured / expected - 1.0).abs() < 0.03, "{victim:?} {spare}: {measured} {expected}");
    }
}

/// Fills a drive with data before the run.
fn fill(settings: &mut DriveSettings) {
    let all = pages_of(settings) as u32;
    settings.precondition.mode = PreconditionMode::Fill;
    settings.precondition.regions = vec![PageRegion {
        pages: 0..all,
        working_set: all,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    }];
}

/// Returns a drive of `chips` chips on one channel with parity, whose pages are sometimes uncorrectable.
fn worn_drive(chips: u32, retention_days: f64) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, chips);
    settings.ftl.allocation = Allocation::Striped(ORDER);
    settings.ftl.unwritten_data = UnwrittenData::Absent;
    settings.ftl.rain_data_units = chips - 1;
    (settings.ecc.decoders, settings.ecc.retries, settings.ecc.soft_reads) = (1, 0, SoftReads::None);
    settings.ecc.pe_cycles = if retention_days > 0.0 { 2_000.0 } else { 0.0 };
    settings.ecc.retention_days = retention_days;
    fill(&mut settings);
    settings
}

fn reads(numbers: impl Iterator<Item = u64>) -> Vec<HostRequest> {
    numbers.map(|page| pages(Op::Read, page, 1, SimTime::ZERO)).collect()
}

#[test]
fn uncorrectable_page_is_rebuilt_from_the_other_pages_of_its_stripe() {
    for chips in [2, 4] {
        let settings = worn_drive(chips, 365.0);
        let all = pages_of(&settings);
        let outcome = run(&settings, LoopMode::Closed { depth: 1 }, reads(0..all));
        let parity = outcome.report.protection.parity.as_ref().unwrap();
        assert!(parity.rebuilt_pages > 10, "{parity:?}");
        let rebuilds = parity.rebuilt_pages + parity.failed_rebuilds;
        assert_eq!(parity.rebuild_reads, rebuilds * u64::from(chips - 1));
        assert_eq!(outcome.whole_flash().reads, all + parity.rebuild_reads);
        let ecc = outcome.report.ecc.as_ref().unwrap();
        assert_eq!(ecc.requests_failed, parity.failed_rebuilds, "the host gets the data of rebuilt pages");
    }
}

#[test]
fn rebuild_takes_as_long_as_simultaneous_reads_of_the_other_dies() {
    let chips = 4;
    let settings = worn_drive(chips, 365.0);
    let outcome = run(&settings, LoopMode::Closed { depth: 1 }, reads(0..pages_of(&settings)));
    // A drive without errors and parity, whose first pages are on different chips.
    let mut sound = worn_drive(chips, 0.0);
    sound.ftl.rain_data_units = 0;
    fill(&mut sound);
    let of_planes = u64::from(sound.geometry.planes_per_die);
    let first = run(&sound, LoopMode::Closed { depth: 1 }, reads(0..1)).latencies()[0];
    let together = (0..u64::from(chips - 1)).map(|chip| chip * of_planes);
    let others = run(&sound, LoopMode::Closed { depth: chips }, reads(together)).latencies();
    let slowest = others.into_iter().max().unwrap();
    let mut found = outcome.latencies();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, [first, first + slowest]);
}
