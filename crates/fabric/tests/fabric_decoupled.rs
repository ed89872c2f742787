//! Tests of the fabric `decoupled`: channels, shared system bus, and network of controllers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::testkit::{FabricBench, command_to, data_from, paper_settings, program_to};
use venice_fabric::{Decoupled, Fabric, FabricSettings, Offer, RelocatedData, Transfer};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::ChipId;

const START: SimTime = SimTime::ZERO;
/// Page time at a channel rate of 1 GB/s: a byte per nanosecond.
const PAGE: SimSpan = SimSpan::from_ns(4096);
const PROGRAM: SimSpan = SimSpan::from_ns(4106);
/// Time of 4,096 bytes over the system bus of [`settings`].
const ON_SYSTEM_BUS: SimSpan = SimSpan::from_ns(2048);
/// Time of 4,096 bytes over a link of the network, and of one hop.
const ON_LINK: SimSpan = SimSpan::from_ns(8192);
const HOP: SimSpan = SimSpan::from_ns(2);

/// Returns settings with four channels of 1 GB/s, a system bus of 2 GB/s, and links of 0.5 GB/s.
fn settings() -> FabricSettings {
    let mut settings = paper_settings(4, 2);
    settings.bus.rate = Rate::from_mb_per_s(1000.0);
    settings.own.decoupled.system_bus = Rate::from_mb_per_s(2000.0);
    settings.own.decoupled.link = Some(Rate::from_mb_per_s(500.0));
    settings.own.decoupled.hop = HOP;
    settings
}

fn bench() -> FabricBench {
    FabricBench::new(Decoupled::new(&settings()))
}

fn without_copyback() -> FabricBench {
    let mut settings = settings();
    settings.own.decoupled.global_copyback = false;
    FabricBench::new(Decoupled::new(&settings))
}

/// Returns the first chip of a row.
fn in_row(row: u32) -> ChipId {
    ChipId(2 * row)
}

fn read(row: u32) -> Transfer {
    data_from(in_row(row), 4096)
}

fn page_of(row: u32) -> RelocatedData {
    RelocatedData { bytes: 4096, from: in_row(row) }
}

/// Returns the transfer of a relocated page to its destination chip.
fn copy(from_row: u32, to_row: u32) -> Transfer {
    Transfer { moved: Some(page_of(from_row)), ..program_to(in_row(to_row), 4096) }
}

/// Returns the transfer of a relocated page from its source chip.
fn copied(row: u32) -> Transfer {
    Transfer { moved: Some(page_of(row)), ..read(row) }
}

/// Offers all transfers at the same time. Returns their durations and waits, in the order of the offers.
fn all_at_once(mut bench: FabricBench, transfers: &[Transfer]) -> Vec<(SimSpan, SimSpan)> {
    for transfer in transfers {
        assert_eq!(bench.offer(transfer, START), Offer::Accepted);
    }
    bench.run_to_end();
    let found = |transfer: &Transfer| {
        let ended = bench.ended.iter().find(|ended| ended.transfer == *transfer).unwrap();
        (ended.took, ended.delivery.path_wait)
    };
    transfers.iter().map(found).collect()
}

#[test]
fn a_single_transfer_takes_its_time_on_the_bus() {
    assert_eq!(all_at_once(bench(), &[read(0)]), [(PAGE, SimSpan::ZERO)]);
    assert_eq!(all_at_once(bench(), &[program_to(in_row(1), 4096)]), [(PROGRAM, SimSpan::ZERO)]);
    assert_eq!(all_at_once(bench(), &[command_to(in_row(2))]), [(SimSpan::from_ns(10), SimSpan::ZERO)]);
}

#[test]
fn the_second_transfer_of_a_row_waits_for_the_channel() {
    let mut bench = bench();
    assert_eq!(bench.offer(&read(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&command_to(ChipId(1)), START), Offer::DomainBusy);
    bench.assert_earliest_ready(&command_to(ChipId(1)), START + PAGE);
}

#[test]
fn more_channels_than_the_system_bus_carries_wait_for_it_in_turn() {
    // Two channels of 1 GB/s saturate a bus of 2 GB/s; the third and the fourth are delayed by their own
    // shares.
    let found = all_at_once(bench(), &[read(0), read(1), read(2), read(3)]);
    let late = |share: u64| (PAGE + ON_SYSTEM_BUS * share, ON_SYSTEM_BUS * share);
    assert_eq!(found, [late(0), late(0), late(1), late(2)]);
}

#[test]
fn a_channel_is_kept_while_its_transfer_waits_for_the_system_bus_and_not_counted_as_in_use() {
    let mut bench = bench();
    for row in 0..3 {
        bench.offer(&read(row), START);
    }
    bench.assert_earliest_ready(&command_to(ChipId(5)), START + PAGE + ON_SYSTEM_BUS);
    bench.run_to_end();
    let command = SimSpan::from_ns(10);
    assert_eq!(bench.fabric.path_busy(bench.now()), [PAGE, PAGE, PAGE + command, SimSpan::ZERO]);
}

#[test]
fn a_command_needs_no_system_bus() {
    let found = all_at_once(bench(), &[read(0), read(1), command_to(in_row(2))]);
    assert_eq!(found[2], (SimSpan::from_ns(10), SimSpan::ZERO));
}

#[test]
fn a_moved_page_leaves_the_system_bus_to_the_host() {
    let all = [read(0), read(1), copied(2), copy(3, 3)];
    let found = all_at_once(bench(), &all);
    let never = SimSpan::ZERO;
    assert_eq!(found, [(PAGE, never), (PAGE, never), (PAGE, never), (PROGRAM, never)]);
    let found = all_at_once(without_copyback(), &all);
    assert_eq!(found[2], (PAGE + ON_SYSTEM_BUS, ON_SYSTEM_BUS), "into memory");
    assert_eq!(
        found[3],
        (PAGE + ON_SYSTEM_BUS * 2, ON_SYSTEM_BUS * 2 - SimSpan::from_ns(10)),
        "and out of it"
    );
}

#[test]
fn a_page_that_goes_to_another_controller_takes_the_links_between_them() {
    for (from, to) in [(0, 1), (3, 0), (1, 3)] {
        let mut bench = bench();
        bench.offer(&copy(from, to), START);
        bench.run_to_end();
        let links = from.abs_diff(to);
        bench.assert_delivered(0, in_row(to), START + ON_LINK + HOP * u64::from(links));
        assert_eq!(bench.ended[0].delivery.hops, links);
        assert_eq!(bench.counters().paths_used, ON_LINK * u64::from(links + 1));
    }
}

#[test]
fn pages_wait_for_each_other_on_links_they_share_and_on_no_others() {
    let alone = (ON_LINK + HOP, SimSpan::ZERO);
    // 0 → 1 and 2 → 3 share no link; 1 → 0 is the opposite direction of the first.
    assert_eq!(all_at_once(bench(), &[copy(0, 1), copy(2, 3), copy(1, 0)]), [alone; 3]);
    // The transfer 0 → 2 crosses the link of 0 → 1 after the transfer 0 → 1.
    let found = all_at_once(bench(), &[copy(0, 1), copy(0, 2)]);
    assert_eq!(found, [alone, (ON_LINK * 2 + HOP, ON_LINK - HOP)]);
}

#[test]
fn a_command_with_a_page_of_the_host_and_a_moved_one_takes_the_system_bus_for_the_first() {
    let mixed = Transfer { bytes: 8192, ..copied(2) };
    let found = all_at_once(bench(), &[read(0), read(1), read(3), mixed]);
    assert_eq!(
        found[3],
        (PAGE * 2, SimSpan::ZERO),
        "its share of the bus comes before its channel is through"
    );
    let found = all_at_once(bench(), &[read(0), mixed, read(1), read(3)]);
    assert_eq!(
        found[2..],
        [(PAGE + ON_SYSTEM_BUS, ON_SYSTEM_BUS), (PAGE + ON_SYSTEM_BUS * 2, ON_SYSTEM_BUS * 2)]
    );
}

#[test]
fn without_copyback_a_page_takes_the_system_bus_wherever_it_goes() {
    let mut bench = without_copyback();
    bench.offer(&copy(0, 3), START);
    bench.run_to_end();
    bench.assert_delivered(0, in_row(3), START + PROGRAM);
    assert_eq!(bench.ended[0].delivery.hops, 0);
}

#[test]
fn on_the_board_it_is_the_bus() {
    let wiring = Decoupled::new(&settings()).wiring();
    assert_eq!((wiring.channels, wiring.links, wiring.routers), (4, 0, 0));
}
