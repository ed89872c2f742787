//! Tests of channel-based fabrics: exact times, and relations between fabrics.

use proptest::prelude::*;
use venice_fabric::testkit::{
    DeliveredTransfer, FabricBench, command_to, data_from, paper_settings, program_to,
};
use venice_fabric::{
    Bus, BusChoice, Fabric, FabricError, FabricKind, FabricSettings, Hold, Ideal, Offer, PSsd, PnSsd,
    Transfer,
};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::ChipId;

/// 4,096 bytes at 1.2 GB/s: 4096 × 2500 / 3 ps, rounded up.
const PAGE_AT_1200: SimTime = SimTime::from_ps(3_413_334);
/// 8 + 4,096 bytes at 2.4 GB/s: 4104 × 1250 / 3 ps.
const PAGE_AT_2400: SimTime = SimTime::from_ps(1_710_000);
const START: SimTime = SimTime::ZERO;

const fn ns(ns: u64) -> SimTime {
    SimTime::from_ps(ns * 1000)
}

fn page(chip: u32) -> Transfer {
    data_from(ChipId(chip), 4096)
}

#[test]
fn the_second_transfer_of_a_row_waits_for_the_bus() {
    let mut bench = FabricBench::new(Bus::new(&paper_settings(2, 4)));
    assert_eq!(bench.offer(&page(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(3), START), Offer::DomainBusy);
    bench.assert_earliest_ready(&page(3), PAGE_AT_1200);
    bench.assert_delivered(0, ChipId(0), PAGE_AT_1200);
}

#[test]
fn the_next_row_has_a_bus_of_its_own() {
    let mut bench = FabricBench::new(Bus::new(&paper_settings(2, 4)));
    assert_eq!(bench.offer(&page(3), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(4), START), Offer::Accepted);
}

#[test]
fn a_command_occupies_the_bus_for_its_own_time_only() {
    let mut bench = FabricBench::new(Bus::new(&paper_settings(1, 2)));
    assert_eq!(bench.offer(&command_to(ChipId(0)), START), Offer::Accepted);
    bench.assert_earliest_ready(&command_to(ChipId(1)), ns(10));
}

#[test]
fn command_and_data_of_a_program_follow_each_other_on_the_bus() {
    let mut bench = FabricBench::new(Bus::new(&paper_settings(1, 2)));
    assert_eq!(bench.offer(&program_to(ChipId(0), 4096), START), Offer::Accepted);
    bench.assert_earliest_ready(&page(1), PAGE_AT_1200 + SimSpan::from_ns(10));
}

#[test]
fn a_released_bus_wakes_its_own_row() {
    let settings = paper_settings(2, 4);
    let mut bench = FabricBench::new(Bus::new(&settings));
    bench.offer(&page(5), START);
    bench.run_to_end();
    let row_1 = bench.domain_of(ChipId(5));
    assert_eq!(bench.woken, [(PAGE_AT_1200, row_1)]);
    assert_eq!(bench.fabric.path_busy(bench.now()), [SimSpan::ZERO, PAGE_AT_1200.since(START)]);
}

#[test]
fn pssd_sends_header_and_data_at_twice_the_rate() {
    let mut bench = FabricBench::new(PSsd::new(&paper_settings(1, 2)));
    assert_eq!(bench.offer(&page(0), START), Offer::Accepted);
    bench.assert_earliest_ready(&page(1), PAGE_AT_2400);
}

#[test]
fn pssd_puts_no_header_before_a_bare_command() {
    let mut bench = FabricBench::new(PSsd::new(&paper_settings(1, 2)));
    assert_eq!(bench.offer(&command_to(ChipId(0)), START), Offer::Accepted);
    bench.assert_earliest_ready(&command_to(ChipId(1)), ns(10));
}

#[test]
fn pnssd_takes_the_vertical_bus_when_the_row_is_busy() {
    let mut bench = FabricBench::new(PnSsd::new(&paper_settings(4, 4)));
    assert_eq!(bench.offer(&page(4), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(5), START), Offer::Accepted);
    bench.run_to_end();
    let in_use: Vec<usize> =
        (0..8).filter(|&bus| !bench.fabric.path_busy(bench.now())[bus].is_zero()).collect();
    assert_eq!(in_use, [1, 4 + 1], "row bus 1, then column bus 1");
}

#[test]
fn pnssd_refuses_a_chip_when_its_row_and_its_column_are_busy() {
    let mut bench = FabricBench::new(PnSsd::new(&paper_settings(4, 4)));
    // Chip 1 uses row bus 0, chip 2 column bus 2, chip 3 column bus 3.
    for chip in [1, 2, 3] {
        assert_eq!(bench.offer(&page(chip), ns(u64::from(chip))), Offer::Accepted);
    }
    // Row bus 1 is free, so chips 6 and 7 have a path; chip 7 uses it, chip 6 then has none.
    assert_eq!(bench.offer(&page(7), ns(4)), Offer::Accepted);
    assert_eq!(bench.offer(&page(6), ns(4)), Offer::PathBusy);
    // Column bus 2 is the first of chip 6's two buses to become free.
    bench.assert_earliest_ready(&page(6), PAGE_AT_1200 + SimSpan::from_ns(2));
}

#[test]
fn pnssd_reports_domain_busy_only_if_every_bus_is_busy() {
    let mut bench = FabricBench::new(PnSsd::new(&paper_settings(3, 3)));
    // Row buses 0, 1, 2, then column buses 0 and 1; column bus 2 does not reach chip 7.
    for chip in [1, 3, 6, 0, 4] {
        assert_eq!(bench.offer(&page(chip), START), Offer::Accepted);
    }
    assert_eq!(bench.offer(&page(7), START), Offer::PathBusy);
    assert_eq!(bench.offer(&page(2), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(7), START), Offer::DomainBusy);
}

#[test]
fn pnssd_is_refused_where_rows_and_columns_differ() {
    let error = FabricKind::PnSsd.validate(&paper_settings(4, 16)).unwrap_err();
    assert_eq!(error, FabricError::NotSquare { rows: 4, cols: 16 });
    assert_eq!(
        error.to_string(),
        "pnSSD needs equal numbers of rows and columns, since each controller drives one row bus and one column \
         bus (found 4 rows × 16 columns)"
    );
}

/// Returns the transfers of a one-page read with an array time of 3 µs: command and data.
fn read(chip: u32) -> [(SimSpan, Transfer); 2] {
    let command = Transfer { keeps_path: true, ..command_to(ChipId(chip)) };
    [(SimSpan::ZERO, command), (SimSpan::from_us(3), page(chip))]
}

/// Returns the end times of reads from these chips in ascending order. All reads are ready at time zero.
fn ends_of_reads(
    fabric: impl Fabric + Clone + 'static,
    chips: &[u32],
) -> (Vec<(ChipId, SimTime)>, FabricBench) {
    let mut bench = FabricBench::new(fabric);
    for &chip in chips {
        bench.submit_operation(read(chip), START);
    }
    bench.run_to_end();
    let data = bench.ended.iter().filter(|ended| ended.transfer.bytes > 0);
    (data.map(|ended| (ended.transfer.chip, ended.at)).collect(), bench)
}

fn holding(rows: u32, cols: u32) -> FabricSettings {
    FabricSettings { hold: Hold::Operation, ..paper_settings(rows, cols) }
}

/// 10 ns + 3 µs + the page.
const READ_AT_1200: SimSpan = SimSpan::from_ps(10_000 + 3_000_000 + 3_413_334);
const READ_AT_2400: SimSpan = SimSpan::from_ps(10_000 + 3_000_000 + 1_710_000);

#[test]
fn held_for_a_transfer_arrays_on_one_bus_work_at_once_and_held_for_an_operation_in_turn() {
    let (ends, bench) = ends_of_reads(Bus::new(&paper_settings(2, 4)), &[0, 3]);
    // The second command follows the first; the data of the second read wait for those of the first.
    let first = START + READ_AT_1200;
    assert_eq!(ends, [(ChipId(0), first), (ChipId(3), first + PAGE_AT_1200.since(START))]);
    assert_eq!(bench.counters().paths_kept, SimSpan::ZERO);

    let (ends, bench) = ends_of_reads(Bus::new(&holding(2, 4)), &[0, 3]);
    assert_eq!(ends, [(ChipId(0), first), (ChipId(3), first + READ_AT_1200)]);
    assert_eq!(
        bench.fabric.path_busy(bench.now()),
        [READ_AT_1200 * 2, SimSpan::ZERO],
        "in use while the array works"
    );
    assert_eq!(bench.counters().paths_kept, SimSpan::from_us(6), "and silent then");
}

#[test]
fn pssd_and_the_ideal_drive_hold_their_channels_too() {
    let (ends, _) = ends_of_reads(PSsd::new(&holding(2, 4)), &[0, 3]);
    assert_eq!(ends, [(ChipId(0), START + READ_AT_2400), (ChipId(3), START + READ_AT_2400 * 2)]);
    let (ends, bench) = ends_of_reads(Ideal::new(&holding(2, 4)), &[0, 3]);
    assert_eq!(ends, [(ChipId(0), START + READ_AT_1200), (ChipId(3), START + READ_AT_1200)]);
    assert_eq!(bench.fabric.path_busy(bench.now())[3], READ_AT_1200);
}

#[test]
fn a_program_uses_no_bus_that_is_held_for_another_die() {
    let mut bench = FabricBench::new(Bus::new(&holding(1, 3)));
    bench.submit_operation(read(0), START);
    bench.submit(program_to(ChipId(1), 4096), START);
    bench.run_to_end();
    bench.assert_delivered(
        2,
        ChipId(1),
        START + READ_AT_1200 + SimSpan::from_ns(10) + PAGE_AT_1200.since(START),
    );
}

#[test]
fn pnssd_holds_the_bus_that_the_command_took() {
    // Chips 0 and 1 of row 0: row bus 0, then column bus 1. Chip 2 finds row bus 0 busy and uses column bus
    // 2.
    let (ends, bench) = ends_of_reads(PnSsd::new(&holding(4, 4)), &[0, 1, 2]);
    assert!(ends.iter().all(|&(_, at)| at == START + READ_AT_1200), "{ends:?}");
    let busy = bench.fabric.path_busy(bench.now());
    let in_use: Vec<usize> = (0..8).filter(|&bus| busy[bus] == READ_AT_1200).collect();
    assert_eq!(in_use, [0, 4 + 1, 4 + 2], "{busy:?}");
}

fn pnssd(choice: BusChoice, transfers_per_controller: u32) -> FabricSettings {
    let mut settings = paper_settings(4, 4);
    settings.own.pnssd.path_choice = choice;
    settings.own.pnssd.transfers_per_controller = transfers_per_controller;
    settings
}

#[test]
fn pnssd_by_chip_gives_each_bus_half_of_the_chips_on_it() {
    let settings = pnssd(BusChoice::ByChip, 2);
    let mut served = [0; 8];
    for chip in 0..16 {
        let mut bench = FabricBench::new(PnSsd::new(&settings));
        assert_eq!(bench.offer(&page(chip), START), Offer::Accepted);
        bench.run_to_end();
        let bus = (0..8).find(|&bus| !bench.fabric.path_busy(bench.now())[bus].is_zero()).unwrap();
        assert!([chip as usize / 4, 4 + chip as usize % 4].contains(&bus), "chip {chip} went by bus {bus}");
        served[bus] += 1;
    }
    assert_eq!(served, [2; 8]);
}

#[test]
fn pnssd_by_chip_waits_for_the_chip_s_own_bus_though_the_other_is_free() {
    let mut bench = FabricBench::new(PnSsd::new(&pnssd(BusChoice::ByChip, 2)));
    // Chips 0 and 2 use row bus 0, since 0 + 0 and 0 + 2 are even; chip 1 uses column bus 1.
    assert_eq!(bench.offer(&page(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(1), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(2), START), Offer::PathBusy);
    bench.assert_earliest_ready(&page(2), PAGE_AT_1200);
}

#[test]
fn pnssd_by_content_sends_commands_on_the_column_bus_and_data_on_the_row_bus() {
    let mut bench = FabricBench::new(PnSsd::new(&pnssd(BusChoice::ByContent, 2)));
    assert_eq!(bench.offer(&page(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(1), START), Offer::PathBusy, "row bus 0 carries data");
    assert_eq!(bench.offer(&command_to(ChipId(1)), START), Offer::Accepted);
    assert_eq!(bench.offer(&command_to(ChipId(5)), START), Offer::PathBusy, "column bus 1 carries a command");
    assert_eq!(bench.offer(&command_to(ChipId(6)), START), Offer::Accepted);
    bench.run_to_end();
    let busy = bench.fabric.path_busy(bench.now());
    let (page, command) = (PAGE_AT_1200.since(START), SimSpan::from_ns(10));
    assert_eq!([busy[0], busy[4], busy[5], busy[6]], [page, SimSpan::ZERO, command, command]);
}

/// Chips 0 and 4 share column bus 0, chips 0 and 1 row bus 0.
#[test]
fn pnssd_by_content_holds_the_row_bus_from_the_command_on() {
    let mut settings = holding(4, 4);
    settings.own.pnssd.path_choice = BusChoice::ByContent;
    let command = SimSpan::from_ns(10);
    let (ends, bench) = ends_of_reads(PnSsd::new(&settings), &[0, 4]);
    assert_eq!(ends, [(ChipId(0), START + READ_AT_1200), (ChipId(4), START + command + READ_AT_1200)]);
    let busy = bench.fabric.path_busy(bench.now());
    assert_eq!([busy[0], busy[1], busy[4]], [READ_AT_1200, READ_AT_1200, command * 2]);
    let (ends, _) = ends_of_reads(PnSsd::new(&settings), &[0, 1]);
    assert_eq!(ends, [(ChipId(0), START + READ_AT_1200), (ChipId(1), START + READ_AT_1200 * 2)]);
}

/// Controller 0 drives both buses of chip 0, and controllers 0 and 1 those of chip 1.
#[test]
fn pnssd_by_content_sends_a_command_on_the_held_bus_if_its_controller_may_use_no_other() {
    let busy = |chip: u32| {
        let mut settings = holding(4, 4);
        settings.own.pnssd.path_choice = BusChoice::ByContent;
        settings.own.pnssd.transfers_per_controller = 1;
        let (ends, bench) = ends_of_reads(PnSsd::new(&settings), &[chip]);
        assert_eq!(ends, [(ChipId(chip), START + READ_AT_1200)]);
        let busy = bench.fabric.path_busy(bench.now());
        [busy[0], busy[4 + chip as usize]]
    };
    assert_eq!(busy(0), [READ_AT_1200, SimSpan::ZERO]);
    assert_eq!(busy(1), [READ_AT_1200, SimSpan::from_ns(10)]);
}

#[test]
fn a_controller_of_pnssd_with_one_transfer_drives_its_row_or_its_column() {
    let mut bench = FabricBench::new(PnSsd::new(&pnssd(BusChoice::Free, 1)));
    // Chip 1 is reachable over row bus 0 from controller 0, or over column bus 1 from controller 1.
    assert_eq!(bench.offer(&page(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(1), START), Offer::Accepted);
    // Controllers 0 and 1 are busy: row bus 1 and column bus 0 are free but have no free controller.
    assert_eq!(bench.offer(&page(4), ns(1)), Offer::PathBusy);
    assert_eq!(bench.offer(&page(10), ns(1)), Offer::Accepted);
    assert_eq!(bench.offer(&page(15), ns(1)), Offer::Accepted);
    assert_eq!(bench.offer(&page(4), ns(1)), Offer::DomainBusy, "four controllers, four transfers");
    bench.assert_earliest_ready(&page(4), PAGE_AT_1200);
}

#[test]
fn the_ideal_drive_reaches_all_chips_at_once() {
    let mut bench = FabricBench::new(Ideal::new(&paper_settings(8, 8)));
    for chip in 0..64 {
        assert_eq!(bench.offer(&page(chip), START), Offer::Accepted);
    }
    bench.run_to_end();
    assert_eq!(bench.ended.len(), 64);
    assert!(bench.ended.iter().all(|ended| ended.at == PAGE_AT_1200));
}

/// Generates random transfers of two kinds, as (chip, bytes, time in ns); zero bytes is a command without
/// data.
fn work() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    prop::collection::vec((any::<u32>(), prop_oneof![Just(0), 1_u32..20_000], 0_u64..100_000), 1..100)
}

fn deliveries(mut bench: FabricBench, chips: u32, work: &[(u32, u32, u64)]) -> Vec<DeliveredTransfer> {
    for &(chip, bytes, at_ns) in work {
        let chip = ChipId(chip % chips);
        let transfer = if bytes.is_multiple_of(2) { program_to(chip, bytes) } else { data_from(chip, bytes) };
        bench.submit(transfer, ns(at_ns));
    }
    bench.run_to_end();
    bench.ended
}

/// Returns settings with equal byte times of channel and link, and without headers.
fn equal_rates(rows: u32, cols: u32) -> FabricSettings {
    let mut settings = paper_settings(rows, cols);
    settings.bus.rate = Rate::from_mb_per_s(1000.0);
    settings.own.pssd.speedup = 1;
    settings.own.pssd.header_bytes = 0;
    settings.own.nossd.header_bytes = 0;
    settings.own.hlnand.rate = Some(settings.bus.rate);
    settings
}

fn bench(name: &str, settings: &FabricSettings) -> FabricBench {
    let kind = FabricKind::from_name(name).expect("a name of the registry");
    FabricBench::of(kind, settings).expect("settings that every fabric allows")
}

proptest! {
    #[test]
    fn with_one_chip_and_equal_rates_all_fabrics_without_scouts_have_equal_times(work in work()) {
        let settings = equal_rates(1, 1);
        let expected = deliveries(bench("bus", &settings), 1, &work);
        for name in ["pssd", "pnssd", "nossd", "ideal", "hlnand", "decoupled"] {
            prop_assert_eq!(&deliveries(bench(name, &settings), 1, &work), &expected, "{}", name);
        }
    }

    #[test]
    fn pssd_without_speedup_and_header_is_the_bus(work in work()) {
        let settings = equal_rates(4, 4);
        let bus = deliveries(FabricBench::new(Bus::new(&settings)), 16, &work);
        prop_assert_eq!(deliveries(FabricBench::new(PSsd::new(&settings)), 16, &work), bus);
    }

    #[test]
    fn with_one_chip_in_each_row_the_bus_is_the_ideal_drive(work in work()) {
        let settings = paper_settings(6, 1);
        let ideal = deliveries(FabricBench::new(Ideal::new(&settings)), 6, &work);
        prop_assert_eq!(deliveries(FabricBench::new(Bus::new(&settings)), 6, &work), ideal);
    }

    #[test]
    fn turning_the_array_upside_down_changes_no_instant_of_the_bus(work in work()) {
        let settings = paper_settings(4, 4);
        let turned: Vec<_> = work.iter().map(|&(chip, bytes, at)| (15 - chip % 16, bytes, at)).collect();
        let instants = |work: &[_]| -> Vec<SimTime> {
            deliveries(FabricBench::new(Bus::new(&settings)), 16, work).iter().map(|ended| ended.at).collect()
        };
        prop_assert_eq!(instants(&turned), instants(&work));
    }
}
