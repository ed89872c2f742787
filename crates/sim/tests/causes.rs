//! Attribution of waits for chips and for cache space to causes: closed forms, and sums over random loads.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_drive::cache::CacheMode;
use venice_drive::observe::{CAUSES, HOST_CAUSES, RequestRow, WaitCause};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, Rate, SimSpan, SimTime};
use venice_nand::latency::Stage;
use venice_nand::testkit::{COMMAND, paper_flash};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::report::Report;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const T_READ: SimSpan = SimSpan::from_us(3);
/// Transfer time of a page at one byte per nanosecond.
const PAGE: SimSpan = SimSpan::from_ns(4096);

/// Creates a drive with one row of chips of one die and plane each, on one bus or on separate channels.
fn row_of_chips(kind: FabricKind, cols: u32) -> DriveSettings {
    let mut settings = small_drive(kind, 1, cols);
    settings.geometry.dies_per_chip = 1;
    settings.geometry.planes_per_die = 1;
    settings.flash = paper_flash(1);
    settings.fabric.bus.rate = Rate::from_mb_per_s(1000.0);
    settings
}

/// Reads these pages, all at time zero.
fn reads_at_once(settings: &DriveSettings, of: &[u64]) -> Vec<RequestRow> {
    let reads = of.iter().map(|&page| pages(Op::Read, page, 1, SimTime::ZERO)).collect();
    let mut rows = run(settings, LoopMode::Open, reads).rows;
    rows.sort_by_key(|row| row.number);
    rows
}

fn behind(row: &RequestRow, cause: WaitCause) -> SimSpan {
    row.behind.spans[cause as usize]
}

#[test]
fn a_read_waits_behind_the_array_and_the_transfers_of_the_one_before_it() {
    let rows = reads_at_once(&row_of_chips(FabricKind::Bus, 1), &[0, 1]);
    assert_eq!(behind(&rows[1], WaitCause::HostArray), T_READ);
    assert_eq!(behind(&rows[1], WaitCause::HostTransfer), COMMAND + PAGE);
    assert_eq!(rows[1].behind.total(), rows[1].stages[Stage::ChipWait as usize]);
}

#[test]
fn data_that_waits_for_a_channel_keeps_its_chip_from_the_next_read() {
    // Even pages are on one chip, odd ones on the other; one of the two is transferred first.
    let rows_on = |kind| reads_at_once(&row_of_chips(kind, 2), &[0, 1, 2, 3]);
    let held =
        |rows: &[RequestRow]| behind(&rows[2], WaitCause::PathHeld) + behind(&rows[3], WaitCause::PathHeld);
    let on_bus = rows_on(FabricKind::Bus);
    let waited: SimSpan = on_bus[..2].iter().map(|row| row.stages[Stage::PathWait as usize]).sum();
    assert!(waited >= PAGE - COMMAND, "one of the first two waits for the other's data");
    assert_eq!(held(&on_bus), waited, "so does the next read of its chip");
    assert_eq!(held(&rows_on(FabricKind::Ideal)), SimSpan::ZERO);
}

/// Creates requests at random pages with the share `reads` of reads.
fn random_pages(settings: &DriveSettings, seed: u64, count: u64, reads: f64) -> Vec<HostRequest> {
    let logical_pages = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(seed, "pages");
    (0..count)
        .map(|_| {
            let op = if random.chance(reads) { Op::Read } else { Op::Write };
            pages(op, random.below(logical_pages), 1, SimTime::ZERO)
        })
        .collect()
}

fn loaded(settings: &DriveSettings, seed: u64, count: u64) -> RunOutcome {
    run(settings, LoopMode::Closed { depth: 48 }, random_pages(settings, seed, count, 0.5))
}

/// Returns the sum of a stage's causes, and the stage, for an operation.
fn sum_and_stage(report: &Report, op: &str, stage: &str) -> (f64, f64) {
    let causes = match stage {
        "cache" => report.cache_causes_us.as_ref(),
        _ => report.chip_wait_causes_us.as_ref(),
    };
    (causes.unwrap()[op].values().sum(), report.breakdown_us[op][stage])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_causes_of_each_request_add_up_to_its_wait_whatever_the_fabric(
        seed in any::<u64>(), fabric in 0..FabricKind::ALL.len(), dies in 1..3_u32,
    ) {
        let mut settings = small_drive(FabricKind::ALL[fabric], 4, 4);
        settings.geometry.dies_per_chip = dies;
        let outcome = loaded(&settings, seed, 1500);
        for row in &outcome.rows {
            prop_assert_eq!(row.behind.total(), row.stages[Stage::ChipWait as usize]);
            prop_assert_eq!(row.owed().map(|(_, span)| span).sum::<SimSpan>(), row.latency());
        }
        for op in ["read", "write"] {
            let (sum, stage) = sum_and_stage(&outcome.report, op, "chip_wait");
            prop_assert!((sum - stage).abs() < 1e-6 * stage.max(1.0), "{op}: {sum} {stage}");
        }
    }

    #[test]
    fn where_no_path_is_missing_no_chip_is_held_for_one(seed in any::<u64>(), dies in 1..3_u32) {
        let mut settings = small_drive(FabricKind::Ideal, 4, 4);
        settings.geometry.dies_per_chip = dies;
        for row in &loaded(&settings, seed, 1500).rows {
            prop_assert_eq!(row.stages[Stage::PathWait as usize], SimSpan::ZERO);
            prop_assert_eq!(behind(row, WaitCause::PathHeld), SimSpan::ZERO);
        }
    }

    #[test]
    fn a_wait_for_cache_space_is_attributed_to_the_causes_that_delay_destages(seed in any::<u64>()) {
        let mut settings = small_drive(FabricKind::Bus, 2, 2);
        settings.cache.mode = CacheMode::Write;
        settings.cache.in_flight_sectors = 64;
        let outcome = run(
            &settings,
            LoopMode::Closed { depth: 48 },
            random_pages(&settings, seed, 4000, 0.1),
        );
        let mut waited = false;
        for row in outcome.rows.iter().filter(|row| row.op == Op::Write) {
            prop_assert!(row.behind.total() <= row.stages[Stage::Cache as usize]);
            waited |= !row.behind.total().is_zero();
        }
        prop_assert!(waited, "the load fills the cache");
        let (sum, stage) = sum_and_stage(&outcome.report, "write", "cache");
        prop_assert!((sum - stage).abs() < 1e-6 * stage, "{sum} {stage}");
        let causes = &outcome.report.cache_causes_us.as_ref().unwrap()["write"];
        prop_assert!(causes["host_array"] > 0.0);
    }
}

#[test]
fn collection_is_the_cause_of_waits_for_room_in_the_cache_of_a_full_drive() {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.cache.mode = CacheMode::Write;
    settings.cache.in_flight_sectors = 64;
    let logical_pages = Simulation::capacity_sectors(&settings) / 8;
    let count = 3 * logical_pages;
    let writes = random_pages(&settings, 7, count, 0.0);
    let report = run(&settings, LoopMode::Closed { depth: 48 }, writes).report;
    assert!(report.flash.gc_moves > 0, "the drive collects");
    let causes = &report.cache_causes_us.as_ref().unwrap()["write"];
    let own_work: f64 = CAUSES[HOST_CAUSES..].iter().filter_map(|(_, name)| causes.get(name)).sum();
    assert!(causes["collection_programs"] > 0.0 && own_work > 0.0, "{causes:?}");
    let behind: f64 = report.chip_wait_behind_us.as_ref().unwrap()["write"].values().sum();
    assert!((behind - own_work).abs() < 1e-6 * behind, "{behind} {own_work}");
    let listed = CAUSES.iter().filter(|(cause, _)| !cause.is_rare()).count();
    assert_eq!(report.chip_wait_causes_us.unwrap()["write"].len(), listed);
}
