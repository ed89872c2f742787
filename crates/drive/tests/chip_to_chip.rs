//! Tests of moves to other planes and between chips: rules of fabrics, and exact times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, GcDestination, HierarchyLevel, PageAllocation};
use venice_fabric::testkit::{FabricBench, data_from, idle_time_of_copy, paper_settings, program_to};
use venice_fabric::{CopyId, FabricKind, FabricSettings, Hold, Offer, Reservation, Retry};
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, Geometry};
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{run as run_and_report, small_drive};

use crate::timed_chip::{Bench, Ran, T_ERASE, T_PROGRAM, T_READ, at, us};
use proptest::prelude::*;

const COPYING: [FabricKind; 2] = [FabricKind::PnSsd, FabricKind::Venice];

fn settings(side: u32, copy_id: CopyId) -> FabricSettings {
    let mut settings = paper_settings(side, side);
    settings.chip_to_chip = true;
    settings.own.venice.copy_id = copy_id;
    settings
}

fn bench(kind: FabricKind, side: u32, copy_id: CopyId) -> FabricBench {
    FabricBench::of(kind, &settings(side, copy_id)).unwrap()
}

fn now() -> SimTime {
    SimTime::ZERO
}

/// Rule 8 of fabrics, on an idle fabric.
#[test]
fn on_an_idle_fabric_a_copy_is_taken_and_takes_exactly_its_idle_time() {
    for (kind, copy_id) in COPYING.into_iter().flat_map(|kind| [(kind, CopyId::Own), (kind, CopyId::Lent)]) {
        let mut bench = bench(kind, 4, copy_id);
        let pairs = (0..16).flat_map(|from| (0..16).map(move |to| (ChipId(from), ChipId(to))));
        let fabric = bench.fabric.clone();
        let mut copies = 0;
        for (from, to) in pairs.filter(|&(from, to)| fabric.capabilities().joins(from, to)) {
            let (copy, offered) = (program_to(to, 4096), bench.now());
            assert_eq!(bench.offer_copy(&copy, from, offered), Offer::Accepted, "{kind}: {from:?} to {to:?}");
            assert!(!bench.fabric.is_quiet(), "{kind} is quiet while it copies");
            bench.run_to_end();
            copies += 1;
            let took = bench.ended.last().unwrap().took;
            assert_eq!(took, idle_time_of_copy(&*bench.fabric, &copy, from), "{kind}: {from:?} to {to:?}");
        }
        assert_eq!(bench.ended.len(), copies);
        assert_eq!(copies, if kind == FabricKind::Venice { 16 * 15 } else { 16 * 3 }, "{kind}");
    }
}

#[test]
fn a_circuit_between_chips_takes_the_scouts_way_there_and_back_and_equation_1() {
    // Three links: six hops of a scout of two flits, then 3 + 4096 cycles for the links, and the command.
    let mut bench = bench(FabricKind::Venice, 4, CopyId::Own);
    assert_eq!(bench.offer_copy(&program_to(ChipId(6), 4096), ChipId(0), now()), Offer::Accepted);
    bench.run_to_end();
    assert_eq!(bench.ended[0].took, SimSpan::from_ns(12 + 3 + 4096) + COMMAND);
    assert_eq!(bench.ended[0].delivery.hops, 3);
}

#[test]
fn a_column_copy_takes_the_time_of_a_program_on_the_columns_bus_alone() {
    let mut bench = bench(FabricKind::PnSsd, 4, CopyId::Own);
    assert!(!bench.fabric.capabilities().joins(ChipId(0), ChipId(1)), "chips of a row are not joined");
    let copy = program_to(ChipId(12), 4096);
    assert_eq!(bench.offer_copy(&copy, ChipId(0), now()), Offer::Accepted);
    assert_eq!(
        bench.offer_copy(&program_to(ChipId(4), 4096), ChipId(8), now()),
        Offer::PathBusy,
        "the bus is in use"
    );
    assert_eq!(
        bench.offer_copy(&program_to(ChipId(5), 4096), ChipId(9), now()),
        Offer::Accepted,
        "another column's"
    );
    assert_eq!(bench.offer(&data_from(ChipId(4), 4096), now()), Offer::Accepted, "by the row");
    bench.run_to_end();
    let took = bench.ended.iter().find(|ended| ended.transfer == copy).unwrap().took;
    assert_eq!(took, bench.fabric.idle_time(&copy));
}

#[test]
fn without_the_setting_and_on_other_fabrics_no_chips_are_joined() {
    for &kind in FabricKind::ALL {
        let copies = COPYING.contains(&kind);
        for (chip_to_chip, expected) in [(false, false), (true, copies)] {
            let fabric = kind.build(&FabricSettings { chip_to_chip, ..settings(4, CopyId::Own) }).unwrap();
            assert_eq!(
                (fabric.capabilities().copies.is_some(), fabric.capabilities().joins(ChipId(0), ChipId(4))),
                (expected, expected),
                "{kind}"
            );
        }
    }
}

#[test]
fn a_lent_id_takes_a_controller_and_an_own_one_takes_none() {
    for (copy_id, left) in [(CopyId::Own, 2), (CopyId::Lent, 1)] {
        let mut bench = bench(FabricKind::Venice, 2, copy_id);
        assert_eq!(bench.offer_copy(&program_to(ChipId(3), 4096), ChipId(1), now()), Offer::Accepted);
        let taken = [0, 2].map(|chip| bench.offer(&data_from(ChipId(chip), 4096), now()) == Offer::Accepted);
        assert_eq!(taken.iter().filter(|&&taken| taken).count(), left, "{copy_id:?}");
    }
}

#[test]
fn a_chip_that_sends_or_takes_a_page_takes_no_transfer() {
    let mut bench = bench(FabricKind::Venice, 4, CopyId::Own);
    assert_eq!(bench.offer_copy(&program_to(ChipId(3), 4096), ChipId(1), now()), Offer::Accepted);
    for chip in [1, 3].map(ChipId) {
        assert!(bench.is_refused(chip));
        let told =
            bench.fabric.clone().offer(&data_from(chip, 1), now(), &mut venice_fabric::Outbox::default());
        assert_eq!(told, Offer::PathBusy);
    }
    bench.run_to_end();
    assert!(!bench.is_refused(ChipId(1)));
}

/// A circuit crosses the only row of links, so that the page has no path and its transfer is refused.
#[test]
fn a_copy_whose_scout_finds_no_path_is_refused_and_leaves_nothing_reserved() {
    let mut settings = paper_settings(1, 4);
    settings.chip_to_chip = true;
    let mut bench = FabricBench::of(FabricKind::Venice, &settings).unwrap();
    assert_eq!(bench.offer(&data_from(ChipId(2), 4096), now()), Offer::Accepted);
    assert_eq!(bench.offer_copy(&program_to(ChipId(3), 4096), ChipId(1), now()), Offer::PathBusy);
    assert_eq!(bench.counters().scout_failures, 1);
    bench.run_to_end();
    assert_eq!(bench.offer_copy(&program_to(ChipId(3), 4096), ChipId(1), bench.now()), Offer::Accepted);
    bench.run_to_end();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The bench panics if a transfer ends twice, never or too early, or if the fabric is in use at the end.
    #[test]
    fn copies_and_transfers_of_all_kinds_end_once_and_leave_the_fabric_quiet(
        seed in any::<u64>(),
        lent in any::<bool>(),
        cycle_level in any::<bool>(),
        hold in any::<bool>(),
        retry in prop::sample::select(vec![
            Retry::AtOnce, Retry::OnRelease, Retry::NextTransfer, Retry::BackOff,
        ]),
    ) {
        for kind in COPYING {
            let mut settings = settings(4, if lent { CopyId::Lent } else { CopyId::Own });
            settings.own.venice.retry = retry;
            settings.own.venice.reservation = if cycle_level { Reservation::CycleLevel } else { Reservation::Atomic };
            settings.hold = if hold { Hold::Operation } else { Hold::Transfer };
            let mut bench = FabricBench::of(kind, &settings).unwrap();
            let mut random = RandomStream::new(seed, "copies");
            for _ in 0..200 {
                let when = bench.now() + SimSpan::from_ns(random.below(800));
                let (from, to) = (ChipId(random.below(16) as u32), ChipId(random.below(16) as u32));
                bench.run_until(when);
                let waits = |chip| bench.refused().any(|transfer| transfer.chip == chip);
                let free = |chip| !bench.is_in_flight(chip) && !waits(chip);
                if random.chance(0.5) && free(from) && free(to) && bench.fabric.capabilities().joins(from, to) {
                    bench.offer_copy(&program_to(to, 4096), from, when);
                } else if !bench.is_in_flight(to) {
                    bench.submit(data_from(to, 1000), when);
                }
            }
            bench.run_to_end();
        }
    }
}

/// Creates four chips with one plane of eight blocks of two pages, four of which are logical pages.
fn drive(kind: FabricKind, chip_to_chip: bool) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.geometry =
        Geometry { planes_per_die: 1, blocks_per_plane: 8, pages_per_block: 2, ..settings.geometry };
    settings.ftl.over_provisioning_ratio = 0.75;
    settings.ftl.gc_start_free_blocks = 6;
    settings.ftl.gc_yields_to_host = false;
    settings.ftl.gc_destination = GcDestination::LeastBusyPlane;
    settings.fabric.chip_to_chip = chip_to_chip;
    settings
}

/// Time between two writes of [`fill_and_read`].
const PAUSE: SimSpan = us(200);

/// Writes pages 0, 4, 0, 8, 0, all of them on chip 0. Block 0 then contains valid data of page 4, which is
/// moved after the last write. The destination is read between its allocation and its program.
fn fill_and_read(settings: DriveSettings) -> (Bench, Ran) {
    let bench = Bench::new(settings, 0);
    let write = |(n, page)| pages(Op::Write, page, 1, at(PAUSE * n));
    let mut requests: Vec<_> = (0..).zip([0, 4, 0, 8, 0]).map(write).collect();
    requests.push(pages(Op::Read, 4, 1, at(PAUSE * 4) + bench.write() + us(50)));
    let ran = bench.run(requests);
    (bench, ran)
}

#[test]
fn a_page_moves_to_another_chip_in_a_read_a_copy_and_a_program() {
    for &kind in FabricKind::ALL {
        for chip_to_chip in [false, true] {
            let (bench, ran) = fill_and_read(drive(kind, chip_to_chip));
            // The least busy plane, searched in allocation order, is that of chip 2 in the other row.
            let fabric = kind.build(&bench.settings.fabric).unwrap();
            let there = Bench { page: 1, chip: ChipId(2), settings: bench.settings.clone() };
            let way = if chip_to_chip && COPYING.contains(&kind) {
                idle_time_of_copy(&*fabric, &program_to(ChipId(2), 4096), ChipId(0))
            } else if kind == FabricKind::Decoupled {
                // The page crosses one link between flash controllers.
                bench.data_out() + there.program_transfer(1) + bench.settings.fabric.own.decoupled.hop
            } else {
                bench.data_out() + there.program_transfer(1)
            };
            let moved = bench.command(COMMAND) + T_READ + way + T_PROGRAM;
            assert_eq!(ran.latency(5), moved - us(50) + there.read(), "{kind}, {chip_to_chip}");
            assert_eq!(ran.plane_busy, T_PROGRAM * 6 + T_READ * 2 + T_ERASE, "{kind}: a page was moved");
        }
    }
}

#[test]
fn a_page_that_goes_from_chip_to_chip_crosses_the_fabric_once() {
    for kind in COPYING {
        let (_, by_controller) = fill_and_read(drive(kind, false));
        let (_, copied) = fill_and_read(drive(kind, true));
        assert_eq!(copied.transfers + 1, by_controller.transfers, "{kind}");
    }
}

/// Creates overwrites of all pages in random order, with reads between them.
fn overwrites(settings: &DriveSettings) -> Vec<HostRequest> {
    let logical = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(11, "overwrites");
    let one = |n| {
        let op = if n % 3 == 2 { Op::Read } else { Op::Write };
        pages(op, random.below(logical), 1, SimTime::ZERO)
    };
    (0..4 * logical).map(one).collect()
}

#[test]
fn every_destination_keeps_its_promise_on_every_fabric_and_chips_copy_where_they_can() {
    const CWDP: [HierarchyLevel; 4] =
        [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];
    for &kind in FabricKind::ALL {
        for &destination in GcDestination::ALL {
            for allocation in [Allocation::Static(CWDP), Allocation::Dynamic(CWDP)] {
                for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
                    let mut settings = small_drive(kind, 3, 3);
                    settings.ftl.gc_destination = destination;
                    (settings.ftl.allocation, settings.ftl.page_allocation) = (allocation, page_allocation);
                    settings.fabric.chip_to_chip = true;
                    let outcome =
                        run_and_report(&settings, LoopMode::Closed { depth: 4 }, overwrites(&settings));
                    let flash = outcome.whole_flash();
                    let told =
                        format!("{kind}, {destination:?}, {allocation:?}, {page_allocation:?}: {flash:?}");
                    let leaves = destination.leaves();
                    assert!(flash.gc_moves > 0, "{told}");
                    assert_eq!(flash.host_programs + flash.gc_moves, flash.programs, "{told}");
                    assert_eq!(flash.moves_elsewhere.is_some(), leaves, "{told}");
                    let elsewhere = flash.moves_elsewhere.unwrap_or(0);
                    assert_eq!(elsewhere > flash.gc_moves / 4, leaves, "{told}");
                    assert_eq!(flash.copies_between_chips.is_some(), COPYING.contains(&kind), "{told}");
                    if COPYING.contains(&kind) && leaves {
                        let copies = flash.copies_between_chips.unwrap();
                        assert!(copies > elsewhere / 50 && copies <= elsewhere, "{told}");
                    }
                }
            }
        }
    }
}

/// Garbage collection reads pages of two planes by one command. The first page may be sent through a
/// controller, and the second to a chip that has become idle. A path held for the second page would never be
/// released. Debug assertions in the controller check that no such path is held.
#[test]
fn no_path_is_kept_for_a_page_that_may_go_to_another_chip() {
    for kind in COPYING {
        for seed in 0..3 {
            let mut settings = small_drive(kind, 3, 3);
            settings.fabric.hold = Hold::Operation;
            settings.fabric.own.pnssd.transfers_per_controller = 1;
            settings.fabric.chip_to_chip = true;
            settings.ftl.gc_destination = GcDestination::LeastBusyOfColumn;
            (settings.geometry.dies_per_chip, settings.geometry.planes_per_die) = (1, 2);
            let logical = Simulation::capacity_sectors(&settings) / 8;
            let mut random = RandomStream::new(seed, "overwrites");
            let writes = (0..4 * logical)
                .map(|_| pages(Op::Write, random.below(logical), 1, SimTime::ZERO))
                .collect::<Vec<_>>();
            let asked = writes.len() as u64;
            let report = run_and_report(&settings, LoopMode::Closed { depth: 1 }, writes).report;
            assert_eq!(report.requests.completed, asked, "{kind}, seed {seed}");
            assert!(report.flash.copies_between_chips > Some(0), "{kind}, seed {seed}");
        }
    }
}

#[test]
fn wear_levelling_keeps_pages_in_their_plane() {
    let mut settings = small_drive(FabricKind::Venice, 2, 2);
    settings.ftl.gc_destination = GcDestination::LeastBusyPlane;
    settings.ftl.static_wear_levelling = Some(2);
    // One page in eight is overwritten again and again.
    let logical = Simulation::capacity_sectors(&settings) / 8;
    let first = (0..logical).map(|page| pages(Op::Write, page, 1, SimTime::ZERO));
    let again = (0..20 * logical).map(|n| pages(Op::Write, n * 7 % (logical / 8), 1, SimTime::ZERO));
    let requests: Vec<_> = first.chain(again).collect();
    let flash = run_and_report(&settings, LoopMode::Closed { depth: 8 }, requests).report.flash;
    assert!(flash.wear_moves > 0, "{flash:?}");
    assert!(flash.moves_elsewhere.unwrap() <= flash.gc_moves, "{flash:?}");
}
