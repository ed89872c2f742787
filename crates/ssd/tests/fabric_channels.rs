//! The fabrics made of channels, rule by rule: exact instants, and relations between fabrics.

use proptest::prelude::*;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_ssd::fabric::{Bus, Fabric, FabricError, FabricSettings, Ideal, Offer, PSsd, PnSsd, Transfer};
use venice_ssd::geometry::ChipId;
use venice_ssd::registry::{AnyFabric, FabricKind};
use venice_ssd::testkit::{Ended, FabricBench, command_to, data_from, paper_settings, program_to};

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
    let row_1 = bench.fabric.domain_of(ChipId(5));
    assert_eq!(bench.woken, [(PAGE_AT_1200, row_1)]);
    assert_eq!(bench.fabric.path_busy(), [SimSpan::ZERO, PAGE_AT_1200.since(START)]);
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
    let in_use: Vec<usize> = (0..8).filter(|&bus| !bench.fabric.path_busy()[bus].is_zero()).collect();
    assert_eq!(in_use, [1, 4 + 1], "row bus 1, then column bus 1");
}

#[test]
fn pnssd_refuses_a_chip_when_its_row_and_its_column_are_busy() {
    let mut bench = FabricBench::new(PnSsd::new(&paper_settings(4, 4)));
    // Chip 1 takes row bus 0, chip 2 column bus 2, chip 3 column bus 3.
    for chip in [1, 2, 3] {
        assert_eq!(bench.offer(&page(chip), ns(u64::from(chip))), Offer::Accepted);
    }
    // Row 1 is free, so chips 6 and 7 still have a path; chip 7 takes it, chip 6 has none left.
    assert_eq!(bench.offer(&page(7), ns(4)), Offer::Accepted);
    assert_eq!(bench.offer(&page(6), ns(4)), Offer::PathBusy);
    // Column bus 2 is the first of chip 6's two buses to be free again.
    bench.assert_earliest_ready(&page(6), PAGE_AT_1200 + SimSpan::from_ns(2));
}

#[test]
fn pnssd_says_domain_busy_only_when_every_bus_is_busy() {
    let mut bench = FabricBench::new(PnSsd::new(&paper_settings(3, 3)));
    // Row buses 0, 1, 2, then column buses 0 and 1; column bus 2 is of no use to chip 7.
    for chip in [1, 3, 6, 0, 4] {
        assert_eq!(bench.offer(&page(chip), START), Offer::Accepted);
    }
    assert_eq!(bench.offer(&page(7), START), Offer::PathBusy);
    assert_eq!(bench.offer(&page(2), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(7), START), Offer::DomainBusy);
}

#[test]
fn pnssd_is_refused_where_rows_and_columns_differ() {
    let error = FabricKind::from_name("pnssd").unwrap().build(&paper_settings(4, 16)).unwrap_err();
    assert_eq!(error, FabricError::NotSquare { rows: 4, cols: 16 });
    assert_eq!(
        error.to_string(),
        "pnSSD needs as many rows as columns: each controller drives one row bus and one column bus; \
         got 4 rows × 16 columns"
    );
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

/// Random transfers of two kinds, as (chip, bytes, instant in ns); zero bytes is a bare command.
fn work() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    prop::collection::vec((any::<u32>(), prop_oneof![Just(0), 1_u32..20_000], 0_u64..100_000), 1..100)
}

fn deliveries<F: Fabric>(fabric: F, chips: u32, work: &[(u32, u32, u64)]) -> Vec<Ended> {
    let mut bench = FabricBench::new(fabric);
    for &(chip, bytes, at_ns) in work {
        let chip = ChipId(chip % chips);
        let transfer = if bytes.is_multiple_of(2) { program_to(chip, bytes) } else { data_from(chip, bytes) };
        bench.submit(transfer, ns(at_ns));
    }
    bench.run_to_end();
    bench.ended
}

/// Settings in which a channel and a link carry a byte in the same time and nothing has a header.
fn equal_rates(rows: u32, cols: u32) -> FabricSettings {
    let mut settings = paper_settings(rows, cols);
    settings.bus.rate = Rate::from_mb_per_s(1000.0);
    settings.pssd.speedup = 1;
    settings.pssd.header_bytes = 0;
    settings.nossd.header_bytes = 0;
    settings.hlnand.rate = settings.bus.rate;
    settings
}

fn build(name: &str, settings: &FabricSettings) -> AnyFabric {
    let kind = FabricKind::from_name(name).expect("a name of the registry");
    kind.build(settings).expect("settings that every fabric allows")
}

proptest! {
    #[test]
    fn with_one_chip_and_equal_rates_all_fabrics_without_scouts_deliver_alike(work in work()) {
        let settings = equal_rates(1, 1);
        let expected = deliveries(build("bus", &settings), 1, &work);
        for name in ["pssd", "pnssd", "nossd", "ideal", "hlnand", "decoupled"] {
            prop_assert_eq!(&deliveries(build(name, &settings), 1, &work), &expected, "{}", name);
        }
    }

    #[test]
    fn pssd_without_speedup_and_header_is_the_bus(work in work()) {
        let settings = equal_rates(4, 4);
        let bus = deliveries(Bus::new(&settings), 16, &work);
        prop_assert_eq!(deliveries(PSsd::new(&settings), 16, &work), bus);
    }

    #[test]
    fn with_one_chip_in_each_row_the_bus_is_the_ideal_drive(work in work()) {
        let settings = paper_settings(6, 1);
        let ideal = deliveries(Ideal::new(&settings), 6, &work);
        prop_assert_eq!(deliveries(Bus::new(&settings), 6, &work), ideal);
    }

    #[test]
    fn turning_the_array_upside_down_changes_no_instant_of_the_bus(work in work()) {
        let settings = paper_settings(4, 4);
        let turned: Vec<_> = work.iter().map(|&(chip, bytes, at)| (15 - chip % 16, bytes, at)).collect();
        let instants = |work: &[_]| -> Vec<SimTime> {
            deliveries(Bus::new(&settings), 16, work).iter().map(|ended| ended.at).collect()
        };
        prop_assert_eq!(instants(&turned), instants(&work));
    }
}
