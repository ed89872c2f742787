//! Venice under random traffic: all transfers are delivered, no link stays reserved, no wake-up is lost;
//! comparison of the two reservation schemes.

use std::fmt::Write;

use venice_fabric::{
    ControllerChoice, Fabric, FabricCounters, FabricSettings, Hold, PathLoops, PortChoice, Reservation,
    Retry, Routing, VeniceSettings,
};
use venice_kernel::SimSpan;
use venice_nand::testkit::cases;

use crate::random_meshes::attachments;
use crate::venice_golden::assert_golden;
use crate::venice_rig::{Load, Outcome, PAPER, Traffic, settings};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const RESERVATIONS: [Reservation; 2] = [Reservation::Atomic, Reservation::CycleLevel];
/// All retry policies, each with its back-off time or delay.
const RETRIES: [(Retry, SimSpan); 6] = [
    (Retry::AtOnce, SimSpan::ZERO),
    (Retry::BackOff, SimSpan::from_ns(200)),
    (Retry::BackOff, SimSpan::ZERO),
    (Retry::OnRelease, SimSpan::ZERO),
    (Retry::NextTransfer, SimSpan::ZERO),
    (Retry::NextTransfer, SimSpan::from_ns(200)),
];
const LOOPS: [PathLoops; 2] = [PathLoops::Kept, PathLoops::Cut];
const CHOICES: [PortChoice; 3] = [PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed];
const HOLDS: [Hold; 2] = [Hold::Transfer, Hold::Operation];

/// Runs `load` to its end and checks the invariants.
fn run(settings: &FabricSettings, load: Load) -> (Outcome, FabricCounters) {
    let mut traffic = Traffic::new(settings, load);
    let outcome = traffic.run();
    let fabric = &traffic.fabric;
    assert!(fabric.is_quiet(), "{:?}", settings.own.venice);
    assert!(fabric.network().is_idle());
    let span = outcome.end.since(venice_kernel::SimTime::ZERO);
    assert_eq!(
        fabric.path_busy(venice_kernel::SimTime::ZERO).len() as u32,
        crate::venice_rig::mesh_of(settings).links()
    );
    assert!(
        fabric.path_busy(outcome.end).into_iter().all(|busy| busy <= span),
        "a link was in use twice at a time"
    );
    let counters = fabric.counters(outcome.end);
    assert!(counters.scouts - counters.scout_failures <= outcome.delivered);
    (outcome, counters)
}

fn every_policy() -> impl Strategy<Value = (Hold, VeniceSettings)> {
    let routing = prop::sample::select(vec![
        Routing::NonMinimalAdaptive,
        Routing::MinimalAdaptive,
        Routing::DimensionOrder,
        Routing::Exhaustive,
    ]);
    let controller = prop::sample::select(vec![
        ControllerChoice::NearestFree,
        ControllerChoice::Home,
        ControllerChoice::LeastLoaded,
    ]);
    let port_choice = prop::sample::select(CHOICES.to_vec());
    let path_loops = prop::sample::select(LOOPS.to_vec());
    let (retry, hold) = (prop::sample::select(RETRIES.to_vec()), prop::sample::select(HOLDS.to_vec()));
    let reservation = prop::sample::select(RESERVATIONS.to_vec());
    let rest = (reservation, any::<bool>(), attachments());
    (routing, controller, port_choice, path_loops, retry, hold, rest).prop_map(
        |(routing, controller, port_choice, path_loops, (retry, back_off), hold, rest)| {
            let (reservation, scout_takes_time, attachment) = rest;
            let venice = VeniceSettings {
                routing,
                port_choice,
                controller,
                retry,
                back_off,
                retry_delay: back_off,
                path_loops,
                reservation,
                scout_takes_time,
                attachment,
                ..PAPER
            };
            (hold, venice)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(30, 400)))]

    #[test]
    fn all_transfers_are_delivered_and_no_reservation_remains(
        (hold, venice) in every_policy(), rows in 1_u32..=9, cols in 1_u32..=9, dies_per_chip in 1_u32..=2,
        pause_us in 0_u64..60, seed in any::<u64>(),
    ) {
        let load = Load { dies_per_chip, operations: 3, pause: SimSpan::from_us(pause_us), seed };
        run(&FabricSettings { hold, ..settings(rows, cols, venice) }, load);
    }
}

/// Checks that skips change no result, and that they happen in enough of the drawn runs.
#[test]
fn skipped_scouts_give_the_same_times_and_counters_as_simulated_ones() {
    let mut runner = TestRunner::deterministic();
    let loads = (1_u32..=5, 1_u32..=5, 1_u32..=2, 0_u64..20, any::<u64>());
    let (mut with_skips, count) = (0, cases(40, 1_500));
    for _ in 0..count {
        let draw = (every_policy(), loads.clone()).new_tree(&mut runner).expect("no draw is rejected");
        let ((hold, venice), (rows, cols, dies_per_chip, pause_us, seed)) = draw.current();
        let venice = VeniceSettings { retry: Retry::AtOnce, reservation: Reservation::CycleLevel, ..venice };
        let settings = FabricSettings { hold, ..settings(rows, cols, venice) };
        let load = Load { dies_per_chip, operations: 4, pause: SimSpan::from_us(pause_us), seed };
        let (simulated, _) = Traffic::new(&settings, load).run_recorded(false);
        let (skipped, span) = Traffic::new(&settings, load).run_recorded(true);
        assert_eq!(skipped, simulated, "{hold:?} {venice:?} {load:?} {rows}x{cols}");
        with_skips += u32::from(!span.is_zero());
    }
    assert!(with_skips > count / 6, "{with_skips} of {count}");
}

#[test]
fn every_policy_survives_every_shape() {
    let shapes = [(1, 1), (1, 12), (12, 1), (4, 16), (16, 4), (8, 8)];
    let load = Load { dies_per_chip: 2, operations: 4, pause: SimSpan::from_us(20), seed: 3 };
    for (rows, cols) in shapes {
        for ((retry, back_off), hold) in RETRIES.into_iter().flat_map(|retry| HOLDS.map(|hold| (retry, hold)))
        {
            for reservation in RESERVATIONS {
                let venice = settings(
                    rows,
                    cols,
                    VeniceSettings { retry, back_off, retry_delay: back_off, reservation, ..PAPER },
                );
                run(&FabricSettings { hold, ..venice }, load);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let load = Load { dies_per_chip: 1, operations: 20, pause: SimSpan::from_us(30), seed: 5 };
    for reservation in RESERVATIONS {
        let once = settings(8, 8, VeniceSettings { reservation, ..PAPER });
        let other = FabricSettings { seed: 2, ..once.clone() };
        assert_eq!(run(&once, load), run(&once, load));
        assert_ne!(run(&once, load), run(&other, load));
    }
}

/// Returns one line of the table.
fn row(name: &str, settings: &FabricSettings, load: Load) -> String {
    let (outcome, counters) = run(settings, load);
    let each = |n: u64, of: u64| n as f64 / of as f64;
    let transfers = outcome.delivered;
    let found = counters.scouts - counters.scout_failures;
    format!(
        "{:5}  {name:26}  {transfers:6}  {:9.3}  {:7.4}  {:7.2}  {:8.4}  {:6.3}\n",
        load.pause.as_us(),
        outcome.end.as_us(),
        each(outcome.waited.as_ps(), transfers) / 1e6,
        100.0 * each(outcome.conflicts, transfers),
        each(counters.scout_failures, transfers),
        each(counters.detour_hops, found),
    )
}

const LEGEND: &str = "\
Venice on an 8x8 mesh, 64 dies, 100 operations each: a third reads (a command, 3 us, 4 KiB), a third
programs of 4 KiB, a third two-plane programs (twice 4 KiB). Eight circuits carry at most 8 GB/s.

pause      longest pause of a die between operations, us; pauses are uniform
end        when the last transfer ended, us
wait       from being ready to delivery beyond the idle time, mean, us
conflict   transfers that got no path at the instant they were ready, %
failures   scouts that came back without a path, per transfer
detour     links beyond the shortest path from the chosen controller, per circuit

pause  reservation                 transfers    end        wait  conflict  failures  detour
";

#[test]
fn atomic_and_cycle_level_reservation_differ_little() {
    let mut table = LEGEND.to_owned();
    for pause_us in [800, 400, 200, 100, 0] {
        let load = Load { dies_per_chip: 1, operations: 100, pause: SimSpan::from_us(pause_us), seed: 11 };
        for (name, reservation) in ["atomic", "cycle-level"].into_iter().zip(RESERVATIONS) {
            let retries = [Retry::AtOnce, Retry::OnRelease, Retry::NextTransfer];
            for (suffix, retry) in ["", ", on release", ", next transfer"].into_iter().zip(retries) {
                let settings = settings(8, 8, VeniceSettings { reservation, retry, ..PAPER });
                table.write_str(&row(&format!("{name}{suffix}"), &settings, load)).expect("strings grow");
            }
        }
    }
    assert_golden("venice_reservation.txt", &table);
}

#[test]
fn each_choice_has_its_price() {
    let load = Load { dies_per_chip: 1, operations: 100, pause: SimSpan::from_us(200), seed: 11 };
    let variants = [
        ("as in the paper", PAPER),
        ("fixed port choice", VeniceSettings { port_choice: PortChoice::Fixed, ..PAPER }),
        ("unbiased port choice", VeniceSettings { port_choice: PortChoice::Unbiased, ..PAPER }),
        ("loops cut", VeniceSettings { path_loops: PathLoops::Cut, ..PAPER }),
        ("next transfer", VeniceSettings { retry: Retry::NextTransfer, ..PAPER }),
        ("minimal adaptive", VeniceSettings { routing: Routing::MinimalAdaptive, ..PAPER }),
        ("dimension order", VeniceSettings { routing: Routing::DimensionOrder, ..PAPER }),
        ("home controller", VeniceSettings { controller: ControllerChoice::Home, ..PAPER }),
        ("hold the operation", PAPER),
        ("back-off of 200 ns", VeniceSettings { retry: Retry::BackOff, back_off: RETRIES[1].1, ..PAPER }),
        ("scouts for free", VeniceSettings { scout_takes_time: false, ..PAPER }),
    ];
    let head = LEGEND.lines().last().expect("the legend ends in the head");
    let mut table = format!("One setting changed at a time; the load of venice_reservation.txt.\n\n{head}\n");
    for (name, venice) in variants {
        let hold = if name == "hold the operation" { Hold::Operation } else { Hold::Transfer };
        let settings = FabricSettings { hold, ..settings(8, 8, venice) };
        table.write_str(&row(name, &settings, load)).expect("strings grow");
    }
    assert_golden("venice_ablations.txt", &table);
}
