//! Path search of scouts against exhaustive search, on meshes of many shapes and states.

use std::fmt::Write;

use venice_fabric::noc::{Mesh, Port, PortSet, RouterId};
use venice_fabric::venice::{
    ControllerId, LfsrClock, LfsrCycle, Network, RoutingRules, Scout, Step, minimal, shortest_free_path,
};
use venice_fabric::{Attachment, ControllerPorts, PortChoice, Routing};
use venice_kernel::{RandomStream, SimTime};
use venice_nand::geometry::Array;
use venice_nand::testkit::cases;

use crate::venice_golden::assert_golden;
use proptest::prelude::*;

const T0: SimTime = SimTime::ZERO;
const ROUTINGS: [Routing; 3] =
    [Routing::NonMinimalAdaptive, Routing::MinimalAdaptive, Routing::DimensionOrder];

/// Obstacles in the way of a scout.
#[derive(Clone, Copy, Debug)]
enum Obstacles {
    /// A share of the links, in %, each chosen independently.
    LinksPct(u64),
    /// Circuits to random chips from a share of the other controllers, in %.
    CircuitsPct(u64),
}

/// State of a network, with a controller and its destination chip.
struct Problem {
    network: Network,
    controller: ControllerId,
    goal: RouterId,
    /// LFSR cycle at the departure of the scout.
    turn: u64,
}

impl Problem {
    fn new(array: Array, routing: (Routing, PortChoice), obstacles: Obstacles, seed: u64) -> Self {
        Self::over(Mesh::new(array), routing, obstacles, seed)
    }

    fn over(mesh: Mesh, routing: (Routing, PortChoice), obstacles: Obstacles, seed: u64) -> Self {
        let mut chance = RandomStream::new(seed, "search");
        let rules = RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: PortChoice::Random };
        let mut network = Network::new(mesh, rules, seed);
        let controller = ControllerId(chance.below(u64::from(mesh.entrances())) as u32);
        match obstacles {
            Obstacles::LinksPct(pct) => block_links(&mut network, pct, &mut chance),
            Obstacles::CircuitsPct(pct) => lay_circuits(&mut network, pct, controller, &mut chance),
        }
        let free = |chip: &RouterId| network.free_ports(*chip).contains(Port::Chip);
        let goals: Vec<RouterId> = (0..mesh.routers()).map(RouterId).filter(free).collect();
        let goal = goals[chance.below(goals.len() as u64) as usize];
        network.set_rules(RoutingRules { routing: routing.0, port_choice: routing.1 });
        Self { network, controller, goal, turn: seed % LfsrCycle::ROUND }
    }

    fn entrance(&self) -> RouterId {
        self.network.mesh().entrance(self.controller.0)
    }

    /// Returns the length of the shortest free path that this routing permits.
    fn shortest(&self, routing: Routing) -> Option<u32> {
        let mesh = self.network.mesh();
        let closer = |at| minimal(mesh.offset(at, self.goal));
        let allowed = |at| match routing {
            Routing::NonMinimalAdaptive | Routing::Exhaustive => PortSet::MESH,
            Routing::MinimalAdaptive => closer(at).with_seconds(),
            Routing::DimensionOrder => closer(at).iter().take(1).collect::<PortSet>().with_seconds(),
        };
        let open = |at| self.network.free_ports(at).and(allowed(at));
        let path = shortest_free_path(mesh, open, self.entrance(), self.goal);
        path.map(|path| path.len() as u32 - 1)
    }

    fn clock(&self) -> LfsrClock {
        LfsrClock { start: LfsrCycle::after(self.turn), hop: LfsrCycle::after(2) }
    }

    /// Runs the scout and checks each step.
    fn search(&mut self) -> (Scout, Step) {
        let mesh = self.network.mesh();
        let mut scout = self.network.launch(self.controller, self.goal, self.clock());
        let mut entered = vec![0_u32; mesh.routers() as usize];
        loop {
            let step = self.network.step(&mut scout, T0);
            match step {
                Step::Forward => entered[scout.at().index()] += 1,
                Step::Back => {}
                Step::Arrived | Step::Failed => {
                    let most = 4 + 2 * u32::from(mesh.doubled_links() > 0);
                    assert!(entered.iter().all(|&times| times <= most), "once through each link");
                    return (scout, step);
                }
            }
            assert!(scout.travelled_hops() <= 2 * Network::forward_hop_bound(mesh), "the search goes on");
        }
    }
}

fn block_links(network: &mut Network, pct: u64, chance: &mut RandomStream) {
    let second = (network.mesh().doubled_links() > 0).then_some(Port::SecondUp);
    for router in (0..network.mesh().routers()).map(RouterId) {
        for port in [Port::Right, Port::Up].into_iter().chain(second) {
            if chance.below(100) < pct {
                network.retire(router, port);
            }
        }
    }
}

fn lay_circuits(network: &mut Network, pct: u64, spared: ControllerId, chance: &mut RandomStream) {
    let mesh = network.mesh();
    for other in (0..mesh.entrances()).map(ControllerId).filter(|&other| other != spared) {
        let chip = RouterId(chance.below(u64::from(mesh.routers())) as u32);
        let is_free = |chip: RouterId| network.free_ports(chip).contains(Port::Chip);
        // One chip stays free, as the destination of the search.
        let others_are = (0..mesh.routers()).map(RouterId).any(|other| other != chip && is_free(other));
        if chance.below(100) < pct && is_free(chip) && others_are {
            let mut scout = network.launch(other, chip, LfsrClock::default());
            network.run(&mut scout, T0);
        }
    }
}

/// Returns the free ports of all routers, which a failed scout must leave unchanged.
fn free_ports(network: &Network) -> Vec<PortSet> {
    (0..network.mesh().routers()).map(|router| network.free_ports(RouterId(router))).collect()
}

fn problems() -> impl Strategy<Value = (Array, Obstacles, u64)> {
    let obstacles = prop_oneof![
        (0_u64..70).prop_map(Obstacles::LinksPct),
        (0_u64..=100).prop_map(Obstacles::CircuitsPct)
    ];
    ((1_u32..=16, 1_u32..=16).prop_map(|(rows, cols)| Array { rows, cols }), obstacles, any::<u64>())
}

#[test]
fn an_exhaustive_search_reserves_a_shortest_free_path_at_the_first_attempt() {
    let array = Array { rows: 6, cols: 7 };
    let mut detours = 0;
    for seed in 0..300 {
        let routing = (Routing::Exhaustive, PortChoice::Random);
        let mut problem = Problem::new(array, routing, Obstacles::LinksPct(35), seed);
        let shortest = problem.shortest(Routing::Exhaustive);
        let distance = problem.network.mesh().distance(problem.entrance(), problem.goal);
        let (scout, step) = problem.search();
        assert_eq!(shortest.is_some(), step == Step::Arrived, "seed {seed}");
        let Some(shortest) = shortest else { continue };
        assert_eq!((scout.path_hops(), scout.travelled_hops()), (shortest, shortest), "seed {seed}");
        detours += u32::from(shortest > distance);
    }
    assert!(detours > 10, "some shortest free paths are detours: {detours}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200, 2_000)))]

    #[test]
    fn a_scout_finds_a_path_exactly_when_its_routing_has_one(
        (array, obstacles, seed) in problems(), routing in prop::sample::select(&ROUTINGS[..]),
        choice in prop::sample::select(vec![PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed]),
        cut in any::<bool>(), attachment in prop::sample::select(&ATTACHMENTS[..]),
    ) {
        let mesh = Mesh::with(array, attachment);
        let mut problem = Problem::over(mesh, (routing, choice), obstacles, seed);
        let would_arrive = problem.network.would_arrive(problem.controller, problem.goal);
        let would_enter = problem.network.entered(problem.controller).clone();
        let failed_hops = problem.network.failed_hops(problem.controller, problem.goal);
        let (before, exists) = (free_ports(&problem.network), problem.shortest(routing));
        let (scout, step) = problem.search();
        prop_assert_eq!(step == Step::Arrived, exists.is_some());
        prop_assert_eq!(would_arrive, exists.is_some(), "it is known without a scout");
        if step == Step::Failed {
            let walked = scout.travelled_hops();
            prop_assert!(walked <= failed_hops, "{walked} of {failed_hops} hops");
            prop_assert!(routing == Routing::NonMinimalAdaptive || walked == failed_hops);
            prop_assert_eq!(&would_enter, problem.network.entered(problem.controller));
        }
        if step == Step::Arrived {
            let hops = if cut { problem.network.cut_loops(problem.controller, T0) } else { scout.path_hops() };
            let path = problem.network.path_of(problem.controller);
            prop_assert_eq!(path.len() as u32, hops + 1);
            prop_assert!(!cut || path.iter().all(|at| path.iter().filter(|&other| at == other).count() == 1));
            prop_assert_eq!((path[0], path[path.len() - 1]), (problem.entrance(), problem.goal));
            prop_assert!(exists.is_some_and(|shortest| shortest <= hops));
            problem.network.release(problem.controller, T0);
        }
        prop_assert_eq!(free_ports(&problem.network), before, "everything is given back");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100, 1_000)))]

    #[test]
    fn atomic_and_stepwise_scouts_leave_equal_reservations(
        (array, obstacles, seed) in problems(), routing in prop::sample::select(&ROUTINGS[..]),
        choice in prop::sample::select(vec![PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed]),
        cut in any::<bool>(), attachment in prop::sample::select(&ATTACHMENTS[..]),
    ) {
        let mesh = Mesh::with(array, attachment);
        let mut problem = Problem::over(mesh, (routing, choice), obstacles, seed);
        let mut at_once = problem.network.clone().with_loops_cut(cut);
        let (controller, goal) = (problem.controller, problem.goal);
        let (scout, step) = problem.search();
        match at_once.reserve(controller, goal, problem.clock(), T0) {
            Ok(found) => {
                prop_assert_eq!(step, Step::Arrived);
                prop_assert_eq!(found.travelled_hops(), scout.travelled_hops());
                prop_assert!(found.path_hops() == scout.path_hops() || cut);
                prop_assert_eq!(found.path_hops() as usize, at_once.links_of(controller).len());
            }
            Err(hops) => {
                prop_assert_eq!(step, Step::Failed);
                prop_assert!(hops == scout.travelled_hops() || routing == Routing::NonMinimalAdaptive);
            }
        }
        if cut && step == Step::Arrived {
            problem.network.cut_loops(controller, T0);
        }
        prop_assert_eq!(at_once.links_of(controller), problem.network.links_of(controller));
        for is_over in [false, true] {
            prop_assert_eq!(free_ports(&at_once), free_ports(&problem.network));
            at_once.set_rules(RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: choice });
            problem.network.set_rules(RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: choice });
            for other in (0..mesh.entrances()).map(ControllerId) {
                let arrives = at_once.would_arrive(other, goal);
                prop_assert_eq!(arrives, problem.network.would_arrive(other, goal));
                let hops = at_once.failed_hops(other, goal);
                prop_assert_eq!(hops, problem.network.failed_hops(other, goal));
            }
            if step == Step::Arrived && !is_over {
                at_once.forget_freed();
                problem.network.forget_freed();
                at_once.release(controller, T0);
                problem.network.release(controller, T0);
                prop_assert_eq!(at_once.freed(), problem.network.freed());
            }
        }
    }
}

const ATTACHMENTS: [Attachment; 4] = [
    Attachment::PAPER,
    Attachment { ports: ControllerPorts::One, circuits: 1, column_0_links: 2 },
    Attachment { ports: ControllerPorts::Two, circuits: 2, column_0_links: 2 },
    Attachment { ports: ControllerPorts::BothSides, circuits: 2, column_0_links: 1 },
];

#[test]
fn two_circuits_go_up_column_0_side_by_side_where_its_links_are_doubled_and_only_there() {
    let rules = RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: PortChoice::Random };
    for column_0_links in [1, 2] {
        let attachment = Attachment { ports: ControllerPorts::Two, circuits: 2, column_0_links };
        let mut network = Network::new(Mesh::with(Array { rows: 3, cols: 1 }, attachment), rules, 1);
        let (first, second) = (ControllerId(0), ControllerId(3));
        assert!(network.reserve(first, RouterId(1), LfsrClock::default(), T0).is_ok());
        let found = network.reserve(second, RouterId(2), LfsrClock::default(), T0).is_ok();
        assert_eq!(found, column_0_links == 2);
        if found {
            assert_eq!(network.path_of(second), [0, 1, 2].map(RouterId));
            assert_ne!(network.links_of(first)[0], network.links_of(second)[0]);
            network.release(second, T0);
        }
        network.release(first, T0);
        assert!(network.is_idle());
    }
}

/// Results counted over many problems of one kind.
#[derive(Default)]
struct Tally {
    trials: u32,
    reachable: u32,
    found: [u32; 3],
    missed: [u32; 3],
    detour_hops: u32,
    wasted_hops: u32,
    most_forward: u32,
}

impl Tally {
    fn of(array: Array, obstacles: Obstacles, trials: u32) -> Self {
        let mut tally = Self { trials, ..Self::default() };
        for seed in 0..trials {
            for (index, routing) in ROUTINGS.into_iter().enumerate() {
                tally.add(
                    index,
                    &mut Problem::new(array, (routing, PortChoice::Random), obstacles, seed.into()),
                );
            }
        }
        tally
    }

    fn add(&mut self, index: usize, problem: &mut Problem) {
        let shortest = problem.shortest(ROUTINGS[index]);
        let (scout, step) = problem.search();
        let found = u32::from(step == Step::Arrived);
        self.found[index] += found;
        self.missed[index] += u32::from(shortest.is_some()) - found;
        if ROUTINGS[index] == Routing::NonMinimalAdaptive {
            self.reachable += u32::from(shortest.is_some());
            self.detour_hops += shortest.map_or(0, |shortest| scout.path_hops() - shortest);
            self.wasted_hops += if found == 1 { scout.travelled_hops() - scout.path_hops() } else { 0 };
            self.most_forward = self.most_forward.max(scout.travelled_hops().midpoint(scout.path_hops()));
        }
    }

    fn row(&self, array: Array, obstacles: Obstacles) -> String {
        let pct = |n: u32| 100.0 * f64::from(n) / f64::from(self.trials);
        let each = |n: u32| f64::from(n) / f64::from(self.reachable.max(1));
        let name = match obstacles {
            Obstacles::LinksPct(pct) => format!("links {pct:3} %"),
            Obstacles::CircuitsPct(pct) => format!("FCs   {pct:3} %"),
        };
        let shape = format!("{}x{}", array.rows, array.cols);
        let bound = Network::forward_hop_bound(Mesh::new(array));
        let [adaptive, minimal, xy] = self.found.map(pct);
        let missed = self.missed.iter().sum::<u32>();
        let (detour, wasted) = (each(self.detour_hops), each(self.wasted_hops));
        format!(
            "{shape:>5}  {name}  {:6.2}  {adaptive:6.2}  {minimal:6.2}  {xy:6.2}  {missed:6}  {detour:6.2}  {wasted:6.2}  {:4}  {bound:5}\n",
            pct(self.reachable),
            self.most_forward,
        )
    }
}

const LEGEND: &str = "\
Which paths a scout finds, against exhaustive search; 1,000 random problems in each row.

obstacles  share of links blocked one by one, or of the other controllers that have a circuit
exists     problems in which some free path exists, %
adaptive   found by Algorithm 1, %
minimal    found by minimal routing with backtracking, %
xy         found by dimension order, %
missed     paths that a routing allows and its scout did not find, over all three routings
detour     Algorithm 1: links beyond the shortest free path, mean
wasted     Algorithm 1: links crossed in dead ends, there and back, mean over scouts that arrived
most       Algorithm 1: most forward hops of any scout
bound      forward hops that the visit rule allows

shape  obstacles     exists  adaptive minimal   xy     missed  detour  wasted  most  bound
";

#[test]
fn no_routing_misses_a_path_that_it_allows() {
    let shapes = [(2, 2), (4, 4), (4, 16), (16, 4), (8, 8), (16, 16), (1, 16), (16, 1)];
    let obstacles = [10, 30, 50].map(Obstacles::LinksPct).into_iter();
    let obstacles: Vec<Obstacles> = obstacles.chain([50, 100].map(Obstacles::CircuitsPct)).collect();
    let mut table = LEGEND.to_owned();
    for array in shapes.map(|(rows, cols)| Array { rows, cols }) {
        for &obstacles in &obstacles {
            let tally = Tally::of(array, obstacles, 1_000);
            assert_eq!(tally.missed, [0; 3], "{array:?} {obstacles:?}");
            table.write_str(&tally.row(array, obstacles)).expect("strings grow");
        }
    }
    assert_golden("venice_reachability.txt", &table);
}

/// Returns the hops of failed scouts of Algorithm 1 relative to the maximum that the model assumes, and the
/// number of scouts for which the model assumes too many.
fn walked_of_charged(obstacles: Obstacles) -> (f64, f64) {
    let routing = (Routing::NonMinimalAdaptive, PortChoice::Random);
    let (mut walked, mut charged, mut failed, mut apart) = (0, 0, 0, 0);
    for seed in 0..4_000 {
        let mut problem = Problem::new(Array { rows: 8, cols: 8 }, routing, obstacles, seed);
        let most = problem.network.failed_hops(problem.controller, problem.goal);
        let (scout, step) = problem.search();
        if step == Step::Failed {
            (walked, charged) = (walked + scout.travelled_hops(), charged + most);
            (failed, apart) = (failed + 1, apart + u32::from(scout.travelled_hops() != most));
        }
    }
    assert!(failed > 100, "{failed} scouts failed");
    (f64::from(walked) / f64::from(charged), f64::from(apart) / f64::from(failed))
}

#[test]
fn a_failed_scout_is_charged_with_little_more_than_it_walks() {
    for (obstacles, least, most_apart) in
        [(Obstacles::CircuitsPct(100), 0.92, 0.2), (Obstacles::LinksPct(50), 0.9, 0.5)]
    {
        let (share, apart) = walked_of_charged(obstacles);
        assert!((least..1.0).contains(&share) && apart < most_apart, "{obstacles:?}: {share} {apart}");
    }
}

#[test]
fn a_scout_that_fails_at_its_first_router_has_not_moved() {
    let array = Array { rows: 2, cols: 2 };
    let mut problem =
        Problem::new(array, (Routing::NonMinimalAdaptive, PortChoice::Random), Obstacles::LinksPct(100), 0);
    problem.goal = RouterId(if problem.entrance() == RouterId(3) { 0 } else { 3 });
    let (scout, step) = problem.search();
    assert_eq!((step, scout.travelled_hops()), (Step::Failed, 0));
    assert!(problem.network.is_idle());
}

#[test]
#[should_panic(expected = "one path at most")]
fn a_controller_sends_one_scout_at_a_time() {
    let rules = RoutingRules { routing: Routing::NonMinimalAdaptive, port_choice: PortChoice::Random };
    let mut network = Network::new(Mesh::new(Array { rows: 2, cols: 2 }), rules, 0);
    let mut scout = network.launch(ControllerId(0), RouterId(3), LfsrClock::default());
    network.run(&mut scout, T0);
    network.launch(ControllerId(0), RouterId(1), LfsrClock::default());
}
