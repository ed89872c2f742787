//! Tests of the contract of fabrics, for all fabrics of the catalogue.

use proptest::prelude::*;
use venice_fabric::testkit::contract::{self, ARRAYS, ContractBench, DIES, TransferOffer};
use venice_fabric::testkit::{FabricBench, paper_settings};
use venice_fabric::{Attachment, ControllerPorts, Direction, FabricKind, FabricSettings, Hold, Switching};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::DieId;
use venice_nand::testkit::cases;

type Bench = (FabricKind, FabricSettings, FabricBench);

/// Returns all fabrics over all supported arrays with paths held for transfers; with paths held for
/// operations and for requests only over arrays of at most sixteen chips, to limit the test time.
fn benches() -> impl Iterator<Item = Bench> {
    let held = ARRAYS
        .into_iter()
        .filter(|&array| is_small(array))
        .flat_map(|array| LONG_HOLDS.into_iter().flat_map(move |hold| benches_over(array, hold)));
    ARRAYS.into_iter().flat_map(|array| benches_over(array, Hold::Transfer)).chain(held)
}

/// Holds of paths beyond a transfer.
const LONG_HOLDS: [Hold; 2] = [Hold::Operation, Hold::Request];

fn is_small((rows, cols): (u32, u32)) -> bool {
    rows * cols <= 16
}

/// Returns all fabrics over an array; over a small one, also the other attachments to Venice's mesh, and
/// NoSSD with circuits.
fn benches_over(array: (u32, u32), hold: Hold) -> impl Iterator<Item = Bench> {
    let paper = FabricSettings { hold, ..paper_settings(array.0, array.1) };
    let mut drawn: Vec<_> = FabricKind::ALL.iter().map(|&kind| (kind, paper.clone())).collect();
    if is_small(array) {
        drawn.extend(ATTACHMENTS.map(|attachment| {
            let mut settings = paper.clone();
            settings.own.venice.attachment = attachment;
            (FabricKind::Venice, settings)
        }));
        drawn.extend(CIRCUITS.map(|switching| {
            let mut settings = paper.clone();
            settings.own.nossd.switching = switching;
            (FabricKind::NoSsd, settings)
        }));
    }
    drawn.into_iter().filter_map(|(kind, settings)| {
        let bench = FabricBench::of(kind, &settings).ok()?;
        Some((kind, settings, bench))
    })
}

/// Kinds of switching with which NoSSD reserves paths.
const CIRCUITS: [Switching; 2] = [Switching::Circuits, Switching::CommittedCircuits];

/// Attachments of controllers to Venice's mesh other than the paper's.
const ATTACHMENTS: [Attachment; 4] = [
    Attachment { ports: ControllerPorts::One, circuits: 1, column_0_links: 2 },
    Attachment { ports: ControllerPorts::Two, circuits: 2, column_0_links: 2 },
    Attachment { ports: ControllerPorts::BothSides, circuits: 2, column_0_links: 1 },
    Attachment { ports: ControllerPorts::BothSides, circuits: 1, column_0_links: 1 },
];

/// Returns the fabrics that hold paths between transfers, over all arrays: all except the packet-switched
/// mesh.
fn holding_benches() -> impl Iterator<Item = Bench> {
    let over = |array| LONG_HOLDS.into_iter().flat_map(move |hold| benches_over(array, hold));
    ARRAYS.into_iter().flat_map(over).filter(holds_paths)
}

fn holds_paths((kind, settings, _): &Bench) -> bool {
    let sends_packets = *kind == FabricKind::NoSsd && settings.own.nossd.switching == Switching::Packets;
    settings.hold != Hold::Transfer && !sends_packets
}

fn job() -> impl Strategy<Value = TransferOffer> {
    let what = prop_oneof![
        Just((Direction::ToChip, SimSpan::from_ns(10), 0)),
        (1_u32..20_000).prop_map(|bytes| (Direction::ToChip, SimSpan::from_ns(10), bytes)),
        prop_oneof![Just(4096), Just(16384), 1_u32..20_000].prop_map(|bytes| (
            Direction::FromChip,
            SimSpan::ZERO,
            bytes
        )),
    ];
    let gap = prop_oneof![Just(0), 0_u64..2_000_000].prop_map(SimSpan::from_ps);
    let moved_from = prop::option::of(any::<u32>());
    let array = prop::option::of((0_u64..4_000_000).prop_map(SimSpan::from_ps));
    (any::<u32>(), 0..DIES, what, moved_from, gap, array).prop_map(
        |(chip, die, (direction, command, bytes), moved_from, gap, array)| TransferOffer {
            chip,
            die,
            direction,
            command,
            bytes,
            moved_from,
            gap,
            array,
        },
    )
}

fn jobs() -> impl Strategy<Value = Vec<TransferOffer>> {
    prop::collection::vec(job(), 1..120)
}

/// Checks that each fabric with paths is tested under each hold, and NoSSD with each kind of switching.
#[test]
fn each_fabric_and_each_switching_is_checked_under_each_hold() {
    for hold in [Hold::Transfer, Hold::Operation, Hold::Request] {
        let tested: Vec<_> = benches().filter(|(_, settings, _)| settings.hold == hold).collect();
        for kind in FabricKind::ALL {
            assert!(tested.iter().any(|bench| bench.0 == *kind), "{kind} {hold:?}");
        }
        for switching in [Switching::Packets, Switching::Circuits, Switching::CommittedCircuits] {
            let of_nossd = |bench: &&Bench| bench.0 == FabricKind::NoSsd;
            let mut nossd = tested.iter().filter(of_nossd);
            assert!(nossd.any(|bench| bench.1.own.nossd.switching == switching), "{switching:?} {hold:?}");
        }
    }
}

#[test]
fn there_are_fabrics_to_check_and_each_allows_the_paper_s_array() {
    let on_8x8: Vec<&str> = benches()
        .filter(|(_, settings, _)| settings.array.rows == 8)
        .map(|(kind, _, _)| kind.name())
        .collect();
    assert_eq!(on_8x8, FabricKind::NAMES);
}

// The checks are documented in `testkit::contract`.
proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(8, 24)))]

    #[test]
    fn every_transfer_is_delivered_exactly_once_and_then_all_is_quiet(jobs in jobs()) {
        rigs().for_each(|rig| contract::every_transfer_is_delivered_exactly_once_and_then_all_is_quiet(rig, &jobs));
    }

    #[test]
    fn the_same_offers_get_the_same_answers(jobs in jobs()) {
        rigs().zip(rigs()).for_each(|(rig, again)| contract::the_same_offers_get_the_same_answers(rig, again, &jobs));
    }

    #[test]
    fn the_use_of_a_path_never_grows_faster_than_the_clock(jobs in jobs()) {
        rigs().for_each(|rig| contract::the_use_of_a_path_never_grows_faster_than_the_clock(rig, &jobs));
    }

    #[test]
    fn a_fabric_that_has_become_idle_is_as_good_as_new(jobs in jobs(), chip in any::<u32>()) {
        rigs().for_each(|rig| contract::a_fabric_that_has_become_idle_is_as_good_as_new(rig, &jobs, chip));
    }

    #[test]
    fn a_refusal_stands_until_the_domain_is_woken(jobs in jobs()) {
        rigs().for_each(|rig| contract::a_refusal_stands_until_the_domain_is_woken(rig, &jobs));
    }

    #[test]
    fn domain_busy_means_that_no_chip_of_the_domain_can_be_reached(jobs in jobs()) {
        rigs().for_each(|rig| contract::domain_busy_means_that_no_chip_of_the_domain_can_be_reached(rig, &jobs));
    }

    #[test]
    fn a_full_domain_refuses_every_offer(jobs in jobs()) {
        rigs().for_each(|rig| contract::a_full_domain_refuses_every_offer(rig, &jobs));
    }

    #[test]
    fn a_refused_chip_gets_no_path(jobs in jobs()) {
        rigs().for_each(|rig| contract::a_refused_chip_gets_no_path(rig, &jobs));
    }

    #[test]
    fn occupied_paths_are_named(jobs in jobs()) {
        rigs().for_each(|rig| contract::occupied_paths_are_named(rig, &jobs));
    }

    #[test]
    fn capabilities_are_constant(jobs in jobs()) {
        rigs().for_each(|rig| contract::capabilities_are_constant(rig, &jobs));
    }

    #[test]
    fn a_held_path_is_reserved_for_its_die(jobs in jobs()) {
        holding_rigs_of_small_arrays().for_each(|rig| contract::a_held_path_is_reserved_for_its_die(rig, &jobs));
    }

    #[test]
    fn an_offer_never_affects_another_domain(jobs in jobs(), probe in job()) {
        rigs().for_each(|rig| contract::an_offer_never_affects_another_domain(rig, &jobs, &probe));
    }
}

#[test]
fn on_an_idle_fabric_every_transfer_takes_exactly_the_idle_time() {
    rigs().for_each(contract::on_an_idle_fabric_every_transfer_takes_exactly_the_idle_time);
}

#[test]
fn domains_are_contiguous_in_order_and_cover_every_chip() {
    rigs().for_each(contract::domains_are_contiguous_in_order_and_cover_every_chip);
}

#[test]
fn a_new_fabric_is_quiet_and_has_used_no_path() {
    rigs().for_each(contract::a_new_fabric_is_quiet_and_has_used_no_path);
}

fn rigs() -> impl Iterator<Item = ContractBench> {
    benches().map(rig)
}

/// Returns benches on small arrays, with paths held for operations and for requests.
fn holding_rigs_of_small_arrays() -> impl Iterator<Item = ContractBench> {
    benches().filter(holds_paths).map(rig)
}

fn rig((kind, settings, bench): Bench) -> ContractBench {
    let switching = settings.own.nossd.switching;
    let name = format!("{kind} ({switching:?}, {:?}) over {:?}", settings.hold, settings.array);
    ContractBench { name, settings, bench }
}

/// Rules 6 and 8 of the contract. With a held path, a two-plane read takes the sum of its idle times and the
/// array time. A second read of the chip's other die, or of another chip on the path, starts after the first
/// one.
#[test]
fn a_read_that_holds_its_path_takes_the_sum_of_its_parts_and_so_does_the_next() {
    for (kind, settings, mut bench) in holding_benches() {
        let array = SimSpan::from_us(3);
        let read = |die| {
            let gap = SimSpan::ZERO;
            let (direction, command, bytes) = (Direction::FromChip, SimSpan::ZERO, 4096);
            let array = Some(array);
            TransferOffer { chip: 0, die, direction, command, bytes, moved_from: None, gap, array }
                .operation(1)
        };
        let [command, _, data] = [0, 1, 2].map(|part| bench.fabric.idle_time(&read(0)[part].1));
        for die in 0..DIES {
            bench.submit_operation(read(die), SimTime::ZERO);
        }
        bench.run_to_end();
        let ends: Vec<(DieId, SimTime)> = bench.ended.iter().map(|end| (end.transfer.die, end.at)).collect();
        let first = command + array + data * 2;
        // With pnSSD the other die uses the other bus, and its array works in the meantime; both dies share
        // the chip's pins.
        let expected = match kind {
            FabricKind::PnSsd => [command + array + data * 3, command + array + data * 4],
            _ => [first, first * 2],
        };
        let expected = expected.map(|span| SimTime::ZERO + span);
        let lasts = [0, 1].map(|die| ends.iter().rfind(|(of, _)| of.0 == die).map(|end| end.1));
        assert_eq!(lasts, expected.map(Some), "{kind} {:?} {:?}: {ends:?}", settings.hold, settings.array);
    }
}
