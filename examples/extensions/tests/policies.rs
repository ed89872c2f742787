//! Tests of the policies: contracts, behaviour, names in reports.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_config::{self as config, ResolvedDrive};
use venice_drive::ftl::{Candidate, Candidates, VictimSelection};
use venice_drive::testkit::contract::victim;
use venice_extensions::{OldestFirst, ShortestFirst, TwoBuses, run};
use venice_fabric::testkit::{FabricBench, data_from, paper_settings};
use venice_fabric::{Hold, Offer};
use venice_host::scheduler::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters,
};
use venice_host::testkit::contract::queued;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;
use venice_requests::Op;
use venice_sim::assembly::{ExternalPolicies, SimulationError};
use venice_sim::report::Report;

const PATIENCE: SimSpan = SimSpan::from_us(1_000);

fn drive(sets: &[&str]) -> ResolvedDrive {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    config::load("venice-performance", None, &sets, None).unwrap()
}

/// Returns a drive that is small enough for garbage collection after a few thousand writes, with a host I/O
/// queue.
fn small() -> ResolvedDrive {
    drive(&[
        "array.rows=2",
        "array.cols=2",
        "flash.blocks_per_plane=16",
        "flash.pages_per_block=16",
        "ftl.over_provisioning_pct=30",
        "host.scheduler.scheme=noop",
    ])
}

fn served(own: ExternalPolicies) -> Report {
    run(&small(), own, "mixed-70-30", 6_000).unwrap().report
}

/// Returns the error message of a run that a policy aborts.
fn refused(drive: &ResolvedDrive, own: ExternalPolicies) -> String {
    let wrong = run(drive, own, "mixed-70-30", 6_000).unwrap_err();
    assert!(matches!(wrong.downcast_ref(), Some(SimulationError::ExternalPolicy { .. })), "{wrong:?}");
    wrong.to_string()
}

#[test]
fn the_fabric_keeps_its_contract() {
    venice_fabric::testkit::contract::check("two_buses", TwoBuses::new);
}

#[test]
fn the_host_scheduler_keeps_its_contract() {
    venice_host::testkit::contract::check("shortest_first", |_| ShortestFirst::new(PATIENCE));
}

#[test]
fn the_victim_policy_keeps_its_contract() {
    victim::check("oldest_first", |_, _| OldestFirst::new(8));
}

#[test]
fn a_row_carries_two_transfers_and_not_a_third() {
    let mut bench = FabricBench::new(TwoBuses::new(&paper_settings(2, 4)).unwrap());
    let mut offered = |chip| bench.offer(&data_from(ChipId(chip), 4096), SimTime::ZERO);
    let told = [offered(0), offered(1), offered(2), offered(4)];
    assert_eq!(told, [Offer::Accepted, Offer::Accepted, Offer::DomainBusy, Offer::Accepted]);
    assert_eq!(bench.domain_of(ChipId(4)).0, 1);
}

#[test]
fn the_fabric_refuses_to_hold_paths() {
    let mut settings = paper_settings(2, 2);
    settings.hold = Hold::Operation;
    assert!(TwoBuses::new(&settings).unwrap_err().to_string().contains("fabric.hold"));
}

#[test]
fn the_shortest_goes_first_until_the_oldest_has_waited_long_enough() {
    let mut scheduler = ShortestFirst::new(PATIENCE);
    for (number, pages) in [(0, 8), (1, 1), (2, 2)] {
        scheduler.add(queued(number, Op::Read, 0, pages, SimTime::ZERO));
    }
    let mut at = |us| {
        let now = SimTime::ZERO + SimSpan::from_us(us);
        scheduler.next(now, &DriveCapacity::unlimited()).map(|queued| queued.id.0)
    };
    assert_eq!([at(0), at(1_000), at(1_000), at(1_000)], [Some(1), Some(0), Some(2), None]);
}

#[test]
fn the_emptiest_of_the_oldest_is_collected_and_an_emptier_one_that_is_younger_is_not() {
    let block = |(index, &(valid, age)): (u32, &(u32, u64))| Candidate { index, valid, age, erases: 0 };
    let blocks: Vec<Candidate> = (0..).zip(&[(1, 1), (5, 9), (4, 8)]).map(block).collect();
    assert_eq!(OldestFirst::new(2).choose(&blocks, false), Some(2));
}

#[test]
fn a_report_names_what_is_from_outside_and_the_catalogue_s_members_otherwise() {
    let own = ExternalPolicies::default()
        .fabric("two_buses", TwoBuses::new)
        .host_scheduler("shortest_first", |_| ShortestFirst::new(PATIENCE))
        .victim("oldest_first", |_, _| OldestFirst::new(8));
    let named = |report: Report| {
        let config = |key| report.config.pointer(key).unwrap().as_str().unwrap().to_owned();
        let in_config = ["/fabric/name", "/host/scheduler/scheme", "/ftl/victim"].map(config);
        assert!(report.audit.is_some() && report.flash.erases > 0, "it collects, and is audited");
        (report.fabric.clone(), report.scheduler.as_ref().unwrap().scheme.clone(), in_config)
    };
    let [two_buses, shortest, oldest] = ["two_buses", "shortest_first", "oldest_first"].map(str::to_owned);
    let in_config = [two_buses.clone(), shortest.clone(), oldest];
    assert_eq!(named(served(own)), (two_buses, shortest, in_config));
    let [bus, noop, greedy] = ["bus", "noop", "greedy"].map(str::to_owned);
    assert_eq!(named(served(ExternalPolicies::default())), (bus.clone(), noop.clone(), [bus, noop, greedy]));
}

/// First come, first served, as in the catalogue.
#[derive(Default)]
struct Fifo(std::collections::VecDeque<QueuedRequest>);

impl HostScheduler for Fifo {
    fn add(&mut self, queued: QueuedRequest) {
        self.0.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        self.0.front().filter(|queued| room.takes(queued))?;
        self.0.pop_front()
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.0.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}

/// Greedy victim policy, as in the catalogue.
#[derive(Clone)]
struct Emptiest;

impl VictimSelection for Emptiest {
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        let order = |block: &Candidate| (block.valid, std::cmp::Reverse(block.age));
        candidates.all().min_by_key(order).map(|block| block.index)
    }
}

/// Returns the report without the fields that name the policies.
fn figures(report: &Report) -> serde_json::Value {
    let mut figures = serde_json::to_value(report).unwrap();
    figures["config"].take();
    figures["scheduler"]["scheme"].take();
    figures
}

#[test]
fn a_policy_of_the_catalogue_written_outside_gives_the_same_report() {
    let own = ExternalPolicies::default()
        .host_scheduler("my_noop", |_| Fifo::default())
        .victim("my_greedy", |_, _| Emptiest);
    assert_eq!(figures(&served(own)), figures(&served(ExternalPolicies::default())));
    let other = ExternalPolicies::default().victim("oldest_first", |_, _| OldestFirst::new(1));
    assert_ne!(figures(&served(other)), figures(&served(ExternalPolicies::default())));
}

/// Host scheduler, first come, first served, that loses or repeats every tenth request.
struct Careless {
    fifo: Fifo,
    loses: bool,
    given: Vec<QueuedRequest>,
}

impl Careless {
    fn new(loses: bool) -> Self {
        Self { fifo: Fifo::default(), loses, given: Vec::new() }
    }
}

impl HostScheduler for Careless {
    fn add(&mut self, queued: QueuedRequest) {
        if !self.loses || !queued.start_sector.is_multiple_of(80) {
            self.fifo.add(queued);
        }
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if !self.loses
            && let Some(again) = self.given.pop()
        {
            return Some(again);
        }
        let goes = self.fifo.next(now, room)?;
        self.given.push(goes);
        Some(goes)
    }

    fn completed(&mut self, _done: CompletedRequest, _now: SimTime) {}

    fn waiting(&self) -> usize {
        self.fifo.waiting()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}

/// Victim policy that always selects the same block, which may not exist, or none.
#[derive(Clone)]
struct Blind(Option<u32>);

impl VictimSelection for Blind {
    fn choose(&mut self, _candidates: &impl Candidates, _must: bool) -> Option<u32> {
        self.0
    }
}

#[test]
fn who_breaks_the_contract_is_named_with_what_it_did() {
    let careless =
        |loses| ExternalPolicies::default().host_scheduler("careless", move |_| Careless::new(loses));
    let blind = |names| ExternalPolicies::default().victim("blind", move |_, _| Blind(names));
    let told =
        [careless(true), careless(false), blind(Some(99)), blind(None)].map(|own| refused(&small(), own));
    let expected = [
        ("the host scheduler `careless`: ", "it never dispatched"),
        ("the host scheduler `careless`: ", "which is not waiting"),
        ("the victim policy `blind`: ", "block 99"),
        ("the victim policy `blind`: ", "no block although a candidate"),
    ];
    for (told, (who, what)) in told.iter().zip(expected) {
        assert!(told.starts_with(who) && told.contains(what), "{told}");
    }
}

#[test]
fn the_checks_of_the_contracts_find_who_breaks_them() {
    let fails = |check: fn()| std::panic::catch_unwind(check).is_err();
    assert!(fails(|| venice_host::testkit::contract::check("careless", |_| Careless::new(true))));
    assert!(fails(|| venice_host::testkit::contract::check("careless", |_| Careless::new(false))));
    assert!(fails(|| victim::check("blind", |_, _| Blind(Some(3)))));
    assert!(fails(|| venice_fabric::testkit::contract::check("none", |_| {
        Err::<TwoBuses, _>(venice_fabric::FabricError::External("never".to_owned()))
    })));
}

#[test]
fn what_does_not_suit_a_drive_is_refused() {
    let scheduler = |name: &str| ExternalPolicies::default().host_scheduler(name, |_| Fifo::default());
    let without_queue = drive(&["array.rows=2", "array.cols=2"]);
    assert!(refused(&without_queue, scheduler("mine")).contains("host.scheduler.scheme"));
    assert!(refused(&small(), scheduler("noop")).contains("name"));
    assert!(refused(&small(), scheduler("")).contains("name"));
    let failing = drive(&[
        "array.rows=2",
        "array.cols=2",
        "fabric.faults.channels=[[0]]",
        "fabric.faults.degraded_mode=true",
    ]);
    assert!(
        refused(&failing, ExternalPolicies::default().fabric("two_buses", TwoBuses::new))
            .contains("catalogue")
    );
}
