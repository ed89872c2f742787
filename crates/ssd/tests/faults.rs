//! Links and routers that fail: what still works, what it costs, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_kernel::{SimSpan, SimTime};
use venice_ssd::fabric::noc::{LinkId, Mesh, Port, RouterId};
use venice_ssd::fabric::{ControllerChoice, Fabric, FabricError, FabricSettings, FaultSettings, Routing};
use venice_ssd::geometry::{Array, ChipId};
use venice_ssd::registry::FabricKind;
use venice_ssd::testkit::{FabricBench, command_to, data_from, paper_settings, program_to};

const PAGE: u32 = 4096;

/// Numbers that look random and are the same everywhere (Vigna, SplitMix64).
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
    settings.venice.routing = routing;
    settings
}

/// How long one command to a chip takes on an otherwise idle mesh.
fn command_time(settings: &FabricSettings, chip: u32) -> SimSpan {
    let mut bench = FabricBench::new(FabricKind::Venice.build(settings).unwrap());
    bench.submit(command_to(ChipId(chip)), SimTime::ZERO);
    bench.run_to_end();
    bench.ended[0].took
}

/// Two flits of 1 ns for each hop of the scout, out and back, Equation 1, and 10 ns of command.
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
fn a_chip_that_nobody_reaches_is_named_in_the_refusal() {
    let links = [[0, 1]];
    let dimension_order = with_routing(failing(1, 4, &links), Routing::DimensionOrder);
    for (kind, settings) in
        [(FabricKind::Venice, &dimension_order), (FabricKind::NoSsd, &failing(1, 4, &links))]
    {
        let error = kind.validate(settings).unwrap_err();
        let lost = vec![(0, 1), (0, 2), (0, 3)];
        let FabricError::Unreachable { chips, lost: found, .. } = &error else { panic!("{error}") };
        assert_eq!((*chips, found), (4, &lost));
        assert!(error.to_string().contains("3 of 4 chips cannot be reached by X-then-Y paths"), "{error}");
    }
    assert!(FabricKind::Bus.validate(&failing(1, 4, &links)).is_ok(), "a bus has no such link");
}

#[test]
fn a_router_may_fail_whose_chip_holds_no_data() {
    let mut settings = paper_settings(4, 4);
    settings.faults.routers = vec![ChipId(5)];
    assert!(FabricKind::Venice.validate(&settings).is_err());
    settings.faults.unused = vec![ChipId(5)];
    assert!(FabricKind::Venice.validate(&settings).is_ok());
    assert_eq!(command_time(&settings, 6), over(4), "round the dead router, not over it");
    settings.venice.controller = ControllerChoice::Home;
    settings.faults.routers = vec![ChipId(4)];
    settings.faults.unused = vec![ChipId(4)];
    let error = FabricKind::Venice.validate(&settings).unwrap_err().to_string();
    assert!(error.contains("3 of 16 chips"), "the row has lost its controller: {error}");
}

/// A link between neighbours, drawn at random.
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

/// Programs and reads of random chips, close together.
fn load(bench: &mut FabricBench<impl Fabric>, chips: u32, count: u32, draws: &mut Draws) {
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

/// For each link, the time for which it was in use in either direction.
fn busy(fabric: &impl Fabric, kind: FabricKind) -> Vec<SimSpan> {
    let paths = fabric.path_busy();
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
        let links: Vec<_> = (0..1 + round % 12).map(|_| some_link(mesh, &mut draws)).collect();
        for (design, (kind, routing)) in designs().into_iter().enumerate() {
            let settings = with_routing(failing(4, 5, &links), routing);
            let Ok(fabric) = kind.build(&settings) else {
                refused[design] += 1;
                continue;
            };
            let mut bench = FabricBench::new(fabric);
            load(&mut bench, mesh.routers(), 150, &mut draws);
            bench.run_to_end();
            assert_eq!(bench.ended.len(), 150);
            let busy = busy(&bench.fabric, kind);
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
fn links_that_fail_on_the_way_lose_nothing_and_carry_nothing_new() {
    let at = SimTime::from_ps(20_000_000);
    for (kind, routing) in designs() {
        let mut settings = with_routing(failing(4, 4, &[[5, 6], [9, 13]]), routing);
        settings.faults.at = at;
        if kind.validate(&settings).is_err() {
            continue;
        }
        let mut draws = Draws(7);
        let mut bench = FabricBench::new(kind.build(&settings).unwrap());
        load(&mut bench, 16, 400, &mut draws);
        // What was under way has been delivered some pages later.
        bench.run_until(at + SimSpan::from_us(40));
        let mesh = Mesh::new(Array { rows: 4, cols: 4 });
        let links = [[5, 6], [9, 13]].map(|ends| link_between(mesh, ends).index());
        let then = busy(&bench.fabric, kind);
        bench.run_to_end();
        let finally = busy(&bench.fabric, kind);
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
            let mut bench = FabricBench::new(kind.build(&settings).unwrap());
            load(&mut bench, 16, 200, &mut Draws(3));
            bench.run_to_end();
            bench.ended
        };
        assert_eq!(run(&[]), run(&[[14, 10]]), "{kind}");
    }
}
