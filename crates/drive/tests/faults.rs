//! Tests of faults on each fabric: remaining function, cost, lost data, and failed requests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_config as config;
use venice_fabric::noc::{LinkId, Mesh, Port, RouterId};
use venice_fabric::testkit::{FabricBench, command_to, data_from, paper_settings, program_to};
use venice_fabric::{
    BusChoice, ControllerChoice, FabricError, FabricKind, FabricSettings, FaultSettings, Routing,
};
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::report::FaultReport;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const PAGE: u32 = 4096;

/// Pseudorandom numbers in a fixed sequence (Vigna, `SplitMix64`).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u32::try_from((z ^ (z >> 31)) % u64::from(bound)).unwrap()
    }
}

fn failing(rows: u32, cols: u32, links: &[[u32; 2]]) -> FabricSettings {
    let links = links.iter().map(|ends| ends.map(ChipId)).collect();
    FabricSettings {
        faults: FaultSettings { links, ..FaultSettings::default() },
        ..paper_settings(rows, cols)
    }
}

fn with_routing(mut settings: FabricSettings, routing: Routing) -> FabricSettings {
    settings.own.venice.routing = routing;
    settings
}

/// Returns the duration of a command to a chip on an otherwise idle mesh.
fn command_time(settings: &FabricSettings, chip: u32) -> SimSpan {
    let mut bench = FabricBench::of(FabricKind::Venice, settings).unwrap();
    bench.submit(command_to(ChipId(chip)), SimTime::ZERO);
    bench.run_to_end();
    bench.ended[0].took
}

/// Returns the time over `links` links: two flits of 1 ns for each hop of the scout in both directions, the
/// time of Equation 1, and 10 ns for the command.
fn over(links: u64) -> SimSpan {
    SimSpan::from_ns(2 * 2 * links + links + 10)
}

#[test]
fn algorithm_1_goes_round_a_broken_link_and_minimal_routing_sends_another_controller() {
    let whole = failing(2, 2, &[]);
    let broken = failing(2, 2, &[[0, 1]]);
    assert_eq!(command_time(&whole, 1), over(1));
    assert_eq!(command_time(&broken, 1), over(3), "up, right, down");
    let minimal = with_routing(broken, Routing::MinimalAdaptive);
    assert_eq!(command_time(&minimal, 1), over(2), "from the controller above");
}

#[test]
fn the_error_names_an_unreachable_chip() {
    let links = [[0, 1]];
    let dimension_order = with_routing(failing(1, 4, &links), Routing::DimensionOrder);
    for (kind, settings) in
        [(FabricKind::Venice, &dimension_order), (FabricKind::NoSsd, &failing(1, 4, &links))]
    {
        let error = kind.validate(settings).unwrap_err();
        let lost = vec![(0, 1), (0, 2), (0, 3)];
        let FabricError::Unreachable { chips, lost: found, .. } = &error else { panic!("{error}") };
        assert_eq!((*chips, found), (4, &lost));
        assert!(error.to_string().contains("3 of 4 chips are unreachable by X-then-Y paths"), "{error}");
    }
}

#[test]
fn a_router_may_fail_whose_chip_holds_no_data() {
    let mut settings = paper_settings(4, 4);
    settings.faults.routers = vec![ChipId(5)];
    assert!(FabricKind::Venice.validate(&settings).is_err());
    settings.faults.unused = vec![ChipId(5)];
    assert!(FabricKind::Venice.validate(&settings).is_ok());
    assert_eq!(command_time(&settings, 6), over(4), "round the dead router, not over it");
    settings.own.venice.controller = ControllerChoice::Home;
    settings.faults.routers = vec![ChipId(4)];
    settings.faults.unused = vec![ChipId(4)];
    let error = FabricKind::Venice.validate(&settings).unwrap_err().to_string();
    assert!(error.contains("3 of 16 chips"), "the row has lost its controller: {error}");
}

/// Returns a random link between neighbouring routers.
fn some_link(mesh: Mesh, draws: &mut Draws) -> [u32; 2] {
    loop {
        let router = RouterId(draws.below(mesh.routers()));
        let port = Port::MESH[draws.below(4) as usize];
        if let Some(neighbour) = mesh.neighbour(router, port) {
            return [router.0, neighbour.0];
        }
    }
}

fn link_between(mesh: Mesh, [one, other]: [u32; 2]) -> LinkId {
    let leads = |port: &Port| mesh.neighbour(RouterId(one), *port) == Some(RouterId(other));
    mesh.link(RouterId(one), Port::MESH.into_iter().find(leads).unwrap()).unwrap()
}

/// Submits programs and reads of random chips in short intervals.
fn load(bench: &mut FabricBench, chips: u32, count: u32, draws: &mut Draws) {
    for number in 0..count {
        let chip = ChipId(draws.below(chips));
        let transfer = match number % 3 {
            0 => command_to(chip),
            1 => program_to(chip, PAGE),
            _ => data_from(chip, PAGE),
        };
        bench.submit(transfer, SimTime::from_ps(u64::from(number) * 300_000));
    }
}

/// Returns the busy time of each link in each direction.
fn busy(bench: &FabricBench, kind: FabricKind) -> Vec<SimSpan> {
    let paths = bench.fabric.path_busy(bench.now());
    match kind {
        FabricKind::NoSsd => paths.chunks(2).map(|lanes| lanes[0] + lanes[1]).collect(),
        _ => paths,
    }
}

fn designs() -> Vec<(FabricKind, Routing)> {
    let routings = [Routing::NonMinimalAdaptive, Routing::MinimalAdaptive, Routing::DimensionOrder];
    let mut designs: Vec<_> = routings.map(|routing| (FabricKind::Venice, routing)).into();
    designs.push((FabricKind::NoSsd, Routing::DimensionOrder));
    designs
}

#[test]
fn what_is_not_refused_is_delivered_and_broken_links_carry_nothing() {
    let (mut draws, mut refused) = (Draws(1), [0; 4]);
    for round in 0..36 {
        let mesh = Mesh::new(Array { rows: 4, cols: 5 });
        let links: Vec<_> = (0..=round % 12).map(|_| some_link(mesh, &mut draws)).collect();
        for (design, (kind, routing)) in designs().into_iter().enumerate() {
            let settings = with_routing(failing(4, 5, &links), routing);
            let Ok(mut bench) = FabricBench::of(kind, &settings) else {
                refused[design] += 1;
                continue;
            };
            load(&mut bench, mesh.routers(), 150, &mut draws);
            bench.run_to_end();
            assert_eq!(bench.ended.len(), 150);
            let busy = busy(&bench, kind);
            for &link in &links {
                assert_eq!(busy[link_between(mesh, link).index()], SimSpan::ZERO, "{kind} over {link:?}");
            }
        }
    }
    let [any, minimal, straight, nossd] = refused;
    assert!(any < minimal && minimal < straight, "{refused:?}: more paths reach more chips");
    assert!(straight <= nossd && nossd < 36, "{refused:?}: packets come back by another path");
}

#[test]
fn links_failing_during_transfers_lose_no_data_and_carry_no_new_transfer() {
    let at = SimTime::from_ps(20_000_000);
    for (kind, routing) in designs() {
        let mut settings = with_routing(failing(4, 4, &[[5, 6], [9, 13]]), routing);
        settings.faults.at = at;
        if kind.validate(&settings).is_err() {
            continue;
        }
        let mut draws = Draws(7);
        let mut bench = FabricBench::of(kind, &settings).unwrap();
        load(&mut bench, 16, 400, &mut draws);
        // Transfers that were in progress have ended after the time of some pages.
        bench.run_until(at + SimSpan::from_us(40));
        let mesh = Mesh::new(Array { rows: 4, cols: 4 });
        let links = [[5, 6], [9, 13]].map(|ends| link_between(mesh, ends).index());
        let then = busy(&bench, kind);
        bench.run_to_end();
        let finally = busy(&bench, kind);
        assert_eq!(bench.ended.len(), 400);
        for link in links {
            assert!(then[link] > SimSpan::ZERO, "{kind}: it worked before");
            assert_eq!(then[link], finally[link], "{kind}: nothing new crosses it");
        }
    }
}

#[test]
fn a_failure_after_the_end_changes_nothing() {
    for (kind, routing) in designs() {
        let run = |links: &[[u32; 2]]| {
            let mut settings = with_routing(failing(4, 4, links), routing);
            settings.faults.at = SimTime::from_ps(1 << 50);
            let mut bench = FabricBench::of(kind, &settings).unwrap();
            load(&mut bench, 16, 200, &mut Draws(3));
            bench.run_to_end();
            bench.ended
        };
        assert_eq!(run(&[]), run(&[[14, 10]]), "{kind}");
    }
}

/// Returns the settings of a square array in which the channels, buses or ring links `paths` have failed.
fn losing(rows: u32, paths: &[u32]) -> FabricSettings {
    let mut settings = paper_settings(rows, rows);
    settings.faults.paths = paths.to_vec();
    settings
}

fn lost(kind: FabricKind, settings: &FabricSettings) -> Vec<u32> {
    kind.loss(settings).chips.into_iter().map(|chip| chip.0).collect()
}

#[test]
fn a_channel_that_fails_takes_its_chips_with_it_and_no_other() {
    for kind in [FabricKind::Bus, FabricKind::PSsd, FabricKind::Decoupled] {
        assert_eq!(lost(kind, &losing(4, &[2])), [8, 9, 10, 11], "{kind}");
    }
    assert_eq!(lost(FabricKind::Ideal, &losing(4, &[6])), [6]);
    let error = FabricKind::Bus.validate(&losing(4, &[2])).unwrap_err().to_string();
    assert!(error.contains("4 of 16 chips are unreachable by their channel"), "{error}");
}

#[test]
fn a_drive_that_may_do_without_some_chips_is_not_refused_and_one_without_any_is() {
    let mut settings = losing(2, &[1]);
    settings.faults.degraded_mode = true;
    assert!(FabricKind::Bus.validate(&settings).is_ok());
    settings.faults.paths.push(0);
    assert!(FabricKind::Bus.validate(&settings).is_err());
}

#[test]
fn chips_of_a_row_bus_that_fails_are_reached_by_the_buses_of_their_columns() {
    // Paths 0 to 3 are the buses of rows, paths 4 to 7 those of columns.
    for choice in [BusChoice::Free, BusChoice::ByChip, BusChoice::ByContent] {
        let mut settings = losing(4, &[0]);
        settings.own.pnssd.path_choice = choice;
        assert!(lost(FabricKind::PnSsd, &settings).is_empty());
        let mut bench = FabricBench::of(FabricKind::PnSsd, &settings).unwrap();
        for chip in 0..4 {
            bench.submit(data_from(ChipId(chip), PAGE), SimTime::ZERO);
        }
        bench.run_to_end();
        let (alone, busy) = (bench.ended[0].took, bench.fabric.path_busy(bench.now()));
        assert!(bench.ended.iter().all(|ended| ended.took == alone), "four columns, four buses");
        assert_eq!((busy[0], busy[4]), (SimSpan::ZERO, alone));
    }
    assert_eq!(lost(FabricKind::PnSsd, &losing(4, &[1, 3, 6])), [6, 14], "where both have failed");
}

#[test]
fn a_cut_ring_is_lost_whole_unless_its_links_turn() {
    // Ring 1 of four chips has links 5 to 9.
    assert_eq!(lost(FabricKind::HlNand, &losing(4, &[7])), [4, 5, 6, 7]);
    let turning = |paths: &[u32]| {
        let mut settings = losing(4, paths);
        settings.own.hlnand.links_turn = true;
        settings
    };
    assert!(lost(FabricKind::HlNand, &turning(&[7])).is_empty());
    assert_eq!(lost(FabricKind::HlNand, &turning(&[6, 8])), [5, 6], "between two cuts");
    let mut bench = FabricBench::of(FabricKind::HlNand, &turning(&[7])).unwrap();
    let (whole, hop) = (FabricKind::HlNand.build(&losing(4, &[])).unwrap(), SimSpan::from_ns(5));
    let to_last = program_to(ChipId(7), PAGE);
    assert_eq!(whole.idle_time(&to_last) - bench.fabric.idle_time(&to_last), hop * 3, "from behind");
    let both_ways = [data_from(ChipId(7), PAGE), program_to(ChipId(7), PAGE)];
    let [out, into] = both_ways.map(|transfer| bench.fabric.idle_time(&transfer));
    assert_eq!(into - out, SimSpan::from_ns(10), "the command; the way is the same");
    // Chips 4 and 5 are on the segment before the cut, chips 6 and 7 on the one after it. The two segments
    // work in parallel.
    for chip in 4..8 {
        bench.submit(data_from(ChipId(chip), PAGE), SimTime::ZERO);
    }
    bench.run_to_end();
    let busy = bench.fabric.path_busy(bench.now());
    let page = whole.idle_time(&data_from(ChipId(7), PAGE));
    assert_eq!(busy[5..10], [page * 2, page, SimSpan::ZERO, page, page * 2]);
    let last = bench.ended.iter().map(|ended| ended.at).max().unwrap();
    assert!(last >= SimTime::ZERO + page * 2 && last <= SimTime::ZERO + page * 2 + hop * 2, "{last}");
}

#[test]
fn what_needs_a_failed_part_waits_until_controllers_know_and_then_goes_another_way() {
    let ways = [(FabricKind::PnSsd, 0, 0), (FabricKind::HlNand, 1, 0), (FabricKind::NoSsd, 0, 1)];
    for (kind, path, chip) in ways {
        let mut settings = losing(4, &[path]);
        settings.own.pnssd.path_choice = BusChoice::ByChip;
        settings.own.hlnand.links_turn = true;
        settings.own.nossd.reply = venice_fabric::Reply::Retrace;
        if kind == FabricKind::NoSsd {
            (settings.faults.paths, settings.faults.links) = (Vec::new(), vec![[ChipId(0), ChipId(1)]]);
        }
        settings.faults.at = SimTime::ZERO + SimSpan::from_us(20);
        settings.faults.detection = SimSpan::from_us(10);
        let known = settings.faults.known_at();
        let mut bench = FabricBench::of(kind, &settings).unwrap();
        bench.expect_faults(&settings.faults);
        let data = data_from(ChipId(chip), PAGE);
        let alone = bench.fabric.idle_time(&data);
        bench.submit(data, SimTime::ZERO);
        bench.submit(data, SimTime::ZERO + SimSpan::from_us(25));
        bench.run_to_end();
        assert_eq!(bench.ended[0].took, alone, "{kind}");
        let (then, at) = (bench.ended[1].took, bench.ended[1].at);
        assert_eq!(at, known + then, "{kind}: accepted when controllers knew");
        // For chip 0 of four, the other end of the ring is closer: one link instead of four hops to the left.
        let expected = alone + SimSpan::from_ns(if kind == FabricKind::NoSsd { 2 } else { 0 });
        let expected = if kind == FabricKind::HlNand { alone - SimSpan::from_ns(15) } else { expected };
        assert_eq!(then, expected, "{kind}");
    }
}

/// Creates a drive of two channels with two chips each. One channel fails after 1 ms, and 0.1 ms later its
/// chips are no longer used.
fn degraded(kind: FabricKind, path: u32) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.fabric.faults = FaultSettings {
        paths: vec![path],
        at: SimTime::ZERO + SimSpan::from_us(1000),
        detection: SimSpan::from_us(100),
        degraded_mode: true,
        ..FaultSettings::default()
    };
    settings
}

fn at_us(us: u64, op: Op, page: u64) -> HostRequest {
    pages(op, page, 1, SimTime::ZERO + SimSpan::from_us(us))
}

fn faults(outcome: &RunOutcome) -> &FaultReport {
    outcome.report.faults.as_ref().unwrap()
}

#[test]
fn what_lies_on_lost_chips_is_an_error_until_it_is_written_anew_elsewhere() {
    // Pages with even numbers are on channel 0.
    let script = vec![
        at_us(500, Op::Read, 0),
        at_us(1050, Op::Read, 0),
        at_us(2000, Op::Read, 0),
        at_us(2500, Op::Read, 1),
        at_us(3000, Op::Write, 0),
        at_us(6000, Op::Read, 0),
    ];
    for kind in [FabricKind::Bus, FabricKind::PSsd, FabricKind::Decoupled, FabricKind::HlNand] {
        let outcome = run(&degraded(kind, 0), LoopMode::Open, script.clone());
        let faults = faults(&outcome);
        assert_eq!(faults.chips_lost, [(0, 0), (0, 1)], "{kind}");
        assert_eq!((faults.page_reads_failed, faults.requests_failed), (2, 2), "{kind}");
        assert_eq!(outcome.report.requests.completed, 4, "{kind}: errors are no service");
        // Half of the 768 logical pages were on the lost channel.
        assert_eq!(faults.pages_lost, 384, "{kind}");
        assert_eq!(faults.raw_capacity_lost_bytes, 4 * 128 * 4096, "{kind}");
        assert_eq!(faults.raw_capacity_bytes, faults.raw_capacity_lost_bytes, "{kind}");
        let waited = outcome.latencies()[1];
        assert!(waited >= SimSpan::from_us(50) && waited < SimSpan::from_us(60), "{kind}: {waited:?}");
    }
}

#[test]
fn writes_go_elsewhere_as_far_as_there_is_room_and_fail_then() {
    let mut settings = degraded(FabricKind::Bus, 0);
    settings.fabric.faults.detection = SimSpan::ZERO;
    let script = (0..384).map(|page| at_us(2000 + page * 1500, Op::Write, 2 * page)).collect();
    let outcome = run(&settings, LoopMode::Open, script);
    // A plane of 16 blocks of 8 pages can have 119 pages without a deadlock of garbage collection; 96 of them
    // are its own.
    let room = 4 * (119 - 96);
    assert_eq!(outcome.report.requests.completed, room);
    assert_eq!(faults(&outcome).writes_without_room, 384 - room);
    assert_eq!(faults(&outcome).requests_failed, 384 - room);
}

#[test]
fn writes_that_wait_for_a_chip_when_it_is_lost_go_elsewhere() {
    // Shortly before the fault, more writes are issued to channel 0 than its dies can take at once.
    let script = (0..16).map(|page| at_us(990, Op::Write, 2 * page)).collect();
    let outcome = run(&degraded(FabricKind::Bus, 0), LoopMode::Open, script);
    assert!(faults(&outcome).writes_sent_elsewhere > 0);
    assert_eq!((outcome.report.requests.completed, faults(&outcome).requests_failed), (16, 0));
}

fn loaded(fabric: &str, sets: &[&str]) -> Result<DriveSettings, String> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let loaded = config::load("venice-performance", Some(fabric), &sets, None);
    loaded.map(|drive| drive.settings().clone()).map_err(|error| error.to_string())
}

#[test]
fn what_fails_before_the_start_makes_a_degraded_drive_smaller() {
    let whole = Simulation::capacity_sectors(&loaded("bus", &[]).unwrap());
    let sets = ["fabric.faults.channels=[[3]]", "fabric.faults.degraded_mode=true"];
    let smaller = Simulation::capacity_sectors(&loaded("bus", &sets).unwrap());
    assert_eq!(smaller * 8, whole * 7);
    assert!(
        loaded("bus", &sets[..1]).unwrap_err().contains("8 of 64 chips are unreachable by their channel")
    );
}

#[test]
fn failures_of_parts_that_a_fabric_lacks_are_refused_with_the_valid_parts() {
    for kind in FabricKind::ALL {
        let ours = match kind {
            FabricKind::Bus | FabricKind::PSsd | FabricKind::Decoupled => "fabric.faults.channels",
            FabricKind::PnSsd => "fabric.faults.row_buses",
            FabricKind::HlNand => "fabric.faults.ring_links",
            FabricKind::Ideal => "fabric.faults.chip_channels",
            FabricKind::NoSsd | FabricKind::Venice => "fabric.mesh.failed_links",
        };
        let parts = [
            ("fabric.faults.channels", "[[0]]"),
            ("fabric.faults.row_buses", "[[0]]"),
            ("fabric.faults.ring_links", "[[0,1]]"),
            ("fabric.faults.chip_channels", "[[0,1]]"),
            ("fabric.mesh.failed_links", "[[0,1,1,1]]"),
        ];
        for (key, value) in parts {
            let set = format!("{key}={value}");
            let answer = loaded(kind.name(), &[&set, "fabric.faults.degraded_mode=true"]);
            if key == ours {
                assert_eq!(answer.err(), None, "{kind}");
            } else {
                let message = answer.unwrap_err();
                assert!(message.contains(&format!("`{key}` applies to ")), "{message}");
                assert!(message.contains(&format!("expected: `{ours}`")), "{message}");
                assert!(message.contains(&format!(" for {kind}, or another `fabric.name`")), "{message}");
            }
        }
    }
}

#[test]
fn parts_that_are_not_there_and_two_instants_are_refused() {
    for (fabric, set, found) in [
        (
            "bus",
            "fabric.faults.channels=[[8]]",
            "contains [8], which is outside an array of 8 rows × 8 columns",
        ),
        ("hlnand", "fabric.faults.ring_links=[[0,9]]", "contains [0, 9], which is outside"),
        ("ideal", "fabric.faults.chip_channels=[[3]]", "expected: row and column of a chip"),
        ("pnssd", "fabric.faults.column_buses=[[9]]", "expected: numbers of columns"),
    ] {
        let message = loaded(fabric, &[set]).unwrap_err();
        assert!(message.contains(found), "{message}");
    }
    let both = ["fabric.mesh.failed_links=[[0,1,0,2]]", "fabric.mesh.fail_at_us=5", "fabric.faults.at_us=6"];
    assert!(loaded("venice", &both).unwrap_err().contains("both set the time of the fault"));
}
