//! Runs with a shared preconditioned drive: equal reports, and one preconditioning for equal initial states.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;

use venice_drive::ftl::{GcPace, PageRegion, PreconditionMode, VictimPolicy, WritePattern};
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, PreparedDrives, RunOptions, Simulation};
use venice_sim::report::Provenance;
use venice_sim::testkit::drive::{run, small_drive, whole_flash};
use venice_sim::testkit::shares::impossible_shares;

fn requests() -> Vec<HostRequest> {
    let mut random = RandomStream::new(3, "mixed");
    let one = |random: &mut RandomStream| {
        let op = if random.chance(0.4) { Op::Read } else { Op::Write };
        pages(op, random.below(300), 1, SimTime::ZERO)
    };
    (0..600).map(|_| one(&mut random)).collect()
}

fn flow() -> Vec<Flow> {
    vec![Flow::new(Box::new(Script::new(requests())), LoopMode::Closed { depth: 8 })]
}

fn drive(kind: FabricKind, policy: VictimPolicy, seed: u64) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.precondition.mode = PreconditionMode::SteadyState;
    settings.ftl.victim = policy;
    (settings.seed, settings.ftl.seed) = (seed, seed);
    settings
}

fn told(mut simulation: Simulation) -> String {
    simulation.run().unwrap();
    let report = simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 });
    serde_json::to_string(&report).unwrap()
}

#[test]
fn a_run_among_others_is_the_run_alone() {
    let preparations = PreparedDrives::new(u64::MAX);
    for policy in VictimPolicy::ALL.iter().copied() {
        for kind in FabricKind::ALL.iter().copied() {
            let settings = drive(kind, policy, 1);
            let alone = Simulation::new(&settings, flow(), RunOptions::default()).unwrap();
            let among =
                Simulation::prepared_among(&preparations, &settings, flow(), RunOptions::default()).unwrap();
            assert_eq!(told(among), told(alone), "{} with {}", kind.name(), policy.name());
        }
    }
    assert_eq!(preparations.count(), VictimPolicy::ALL.len());
}

#[test]
fn the_least_recently_used_drive_is_dropped_first() {
    let greedy = |seed| drive(FabricKind::Bus, VictimPolicy::Greedy, seed);
    let bytes = greedy(1).geometry.pages() * 6 / 5;
    let preparations = PreparedDrives::new(2 * bytes);
    let count = |seed| {
        let simulation =
            Simulation::prepared_among(&preparations, &greedy(seed), flow(), RunOptions::default());
        simulation.map(|_| preparations.count()).unwrap()
    };
    assert_eq!([1, 2, 1, 3].map(count), [1, 2, 2, 2]);
    let none = PreparedDrives::new(0);
    Simulation::prepared_among(&none, &greedy(1), flow(), RunOptions::default()).unwrap();
    assert_eq!(none.count(), 1, "the last one is kept in any case");
}

#[test]
fn runs_with_equal_preconditioning_are_prepared_once_for_any_fabric() {
    let preparations = PreparedDrives::new(u64::MAX);
    let count = |settings: &[DriveSettings]| {
        thread::scope(|scope| {
            for settings in settings {
                scope.spawn(|| {
                    Simulation::prepared_among(&preparations, settings, flow(), RunOptions::default())
                        .map(|_| ())
                });
            }
        });
        preparations.count()
    };
    let greedy = |kind| drive(kind, VictimPolicy::Greedy, 1);
    assert_eq!(count(&FabricKind::ALL.iter().map(|&kind| greedy(kind)).collect::<Vec<_>>()), 1);
    assert_eq!(count(&[drive(FabricKind::Bus, VictimPolicy::Greedy, 2)]), 2, "another seed");
    assert_eq!(count(&[drive(FabricKind::Bus, VictimPolicy::Fifo, 1)]), 3, "another policy");
    assert_eq!(count(&[greedy(FabricKind::Bus)]), 3, "the first again");
    let mut erased = greedy(FabricKind::Bus);
    erased.precondition.mode = PreconditionMode::None;
    assert_eq!(count(&[erased]), 3, "an erased drive is made as fast as copied");
}

#[test]
fn collection_resumes_with_the_first_request_even_after_an_earlier_failure() {
    let mut settings = drive(FabricKind::Ideal, VictimPolicy::Greedy, 1);
    let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
    settings.precondition.regions = vec![PageRegion {
        pages: 0..all,
        working_set: all,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    }];
    settings.precondition.gc_pace = GcPace::MovesPerWrite { waiting: 1.5, pressed: 1.5 };
    settings.fabric.faults.paths = vec![3];
    settings.fabric.faults.at = SimTime::ZERO + SimSpan::from_us(1);
    settings.fabric.faults.degraded_mode = true;
    let read = pages(Op::Read, 0, 1, SimTime::ZERO + SimSpan::from_us(10_000));
    let report = run(&settings, LoopMode::Open, vec![read]).report;
    assert!(whole_flash(&report).gc_executions > 0, "planes are short of free blocks from the start");
    assert_eq!(impossible_shares(&report), [""; 0]);
}
