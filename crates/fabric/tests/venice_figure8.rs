//! Worked example of the paper: 4 rows × 5 columns, three circuits reserved, and controller 3 must reach chip
//! F2 (Nadig et al., Venice, ISCA 2023, Figure 8).

use venice_fabric::noc::{Mesh, RouterId};
use venice_fabric::venice::{
    ControllerId, Lfsr, LfsrClock, LfsrCycle, Network, PathConflict, RoutingRules, Scout, Step,
};
use venice_fabric::{PortChoice, Routing};
use venice_kernel::SimTime;
use venice_nand::geometry::Array;

const T0: SimTime = SimTime::ZERO;
const FC3: ControllerId = ControllerId(3);
const F2: RouterId = RouterId(2);
const ROUTERS: u32 = 20;
/// A scout of two flits takes two cycles per hop, in which the LFSRs advance twice.
const CLOCK: LfsrClock = LfsrClock { start: LfsrCycle::after(0), hop: LfsrCycle::after(2) };

fn routers(path: &[u32]) -> Vec<RouterId> {
    path.iter().copied().map(RouterId).collect()
}

fn figure_8(routing: Routing) -> Network {
    let rules = RoutingRules { routing, port_choice: PortChoice::Random };
    let mut network = Network::new(Mesh::new(Array { rows: 4, cols: 5 }), rules, 0);
    for (controller, path) in [(0, &[0, 1, 6][..]), (1, &[5, 6, 7, 8]), (2, &[10, 11, 12, 7])] {
        network
            .install(ControllerId(controller), &routers(path), T0)
            .expect("the figure's circuits are legal");
    }
    network
}

/// All possible paths of the scout's search, over all 3^20 initial LFSR states.
///
/// The initial state of an LFSR matters only at its first use, so the enumeration branches there; a leaf with
/// k used LFSRs represents 3^(20 - k) combinations.
struct Enumeration<F: FnMut(&Network, &Scout, Step)> {
    combinations: u64,
    leaves: u64,
    at_leaf: F,
}

impl<F: FnMut(&Network, &Scout, Step)> Enumeration<F> {
    fn totals(network: &Network, at_leaf: F) -> (u64, u64) {
        let mut all = Self { combinations: 0, leaves: 0, at_leaf };
        let mut network = network.clone();
        let scout = network.launch(FC3, F2, CLOCK);
        all.explore(&network, scout, &mut vec![false; ROUTERS as usize]);
        (all.combinations, all.leaves)
    }

    fn explore(&mut self, before: &Network, scout: Scout, asked: &mut Vec<bool>) {
        let unknown = (0..ROUTERS).map(RouterId).filter(|router| !asked[router.index()]);
        let matters = |&router: &RouterId| {
            let outcomes = Lfsr::STATES.map(|state| Self::step_with(before, scout, router, state).1);
            outcomes.iter().any(|outcome| *outcome != outcomes[0])
        };
        match unknown.into_iter().find(matters) {
            None => {
                let (mut after, mut moved) = (before.clone(), scout);
                let step = after.step(&mut moved, T0);
                self.go_on(&after, moved, step, asked);
            }
            Some(router) => self.branch(before, scout, router, asked),
        }
    }

    /// Returns the scout's next step if that router's LFSR starts in this state.
    fn step_with(before: &Network, scout: Scout, router: RouterId, state: Lfsr) -> (Network, (Scout, Step)) {
        let (mut after, mut moved) = (before.clone(), scout);
        after.set_lfsr(router, state);
        let step = after.step(&mut moved, T0);
        (after, (moved, step))
    }

    fn branch(&mut self, before: &Network, scout: Scout, router: RouterId, asked: &mut Vec<bool>) {
        asked[router.index()] = true;
        for state in Lfsr::STATES {
            let (after, (moved, step)) = Self::step_with(before, scout, router, state);
            self.go_on(&after, moved, step, asked);
        }
        asked[router.index()] = false;
    }

    fn go_on(&mut self, network: &Network, scout: Scout, step: Step, asked: &mut Vec<bool>) {
        if matches!(step, Step::Forward | Step::Back) {
            return self.explore(network, scout, asked);
        }
        let never_asked = asked.iter().filter(|&&asked| !asked).count();
        self.combinations += 3_u64.pow(never_asked as u32);
        self.leaves += 1;
        (self.at_leaf)(network, &scout, step);
    }
}

/// Returns the links of a path, each as its two routers in ascending order.
fn links_of(path: &[RouterId]) -> Vec<(RouterId, RouterId)> {
    path.windows(2).map(|ends| (ends[0].min(ends[1]), ends[0].max(ends[1]))).collect()
}

fn assert_no_link_is_in_two_circuits(network: &Network) {
    let paths = (0..4).map(|controller| network.path_of(ControllerId(controller)));
    let mut links: Vec<_> = paths.flat_map(|path| links_of(&path)).collect();
    let count = links.len();
    links.sort_unstable();
    links.dedup();
    assert_eq!(links.len(), count, "a link is in two circuits, or twice in one");
}

#[test]
fn the_papers_circuit_meets_no_other() {
    let mut network = figure_8(Routing::NonMinimalAdaptive);
    let path = routers(&[15, 16, 17, 18, 13, 8, 3, 2]);
    network.install(FC3, &path, T0).unwrap();
    assert_eq!(network.path_of(FC3), path);
    assert_no_link_is_in_two_circuits(&network);
}

#[test]
fn no_minimal_path_is_left_so_minimal_routing_fails_whatever_the_registers_say() {
    let network = figure_8(Routing::MinimalAdaptive);
    let (combinations, _) = Enumeration::totals(&network, |after, _, step| {
        assert_eq!(step, Step::Failed);
        assert!(after.path_of(FC3).is_empty());
    });
    assert_eq!(combinations, 3_u64.pow(ROUTERS));
}

#[test]
fn dimension_order_fails_too() {
    let mut network = figure_8(Routing::DimensionOrder);
    let mut scout = network.launch(FC3, F2, CLOCK);
    assert_eq!(network.run(&mut scout, T0), Step::Failed);
}

#[test]
fn algorithm_1_finds_a_conflict_free_circuit_for_every_state_of_the_registers() {
    let network = figure_8(Routing::NonMinimalAdaptive);
    let mut lengths = vec![];
    let (combinations, leaves) = Enumeration::totals(&network, |after, scout, step| {
        assert_eq!(step, Step::Arrived);
        assert_no_link_is_in_two_circuits(after);
        let path = after.path_of(FC3);
        assert_eq!((path.first(), path.last()), (Some(&RouterId(15)), Some(&F2)));
        assert_eq!(path.len() as u32, scout.path_hops() + 1);
        assert!(path.contains(&RouterId(12)), "the paper's path does not: from F17 the way up is minimal");
        lengths.push((scout.path_hops(), scout.travelled_hops()));
    });
    assert_eq!(combinations, 3_u64.pow(ROUTERS), "every combination of first states is covered once");
    let least = lengths.iter().min().copied();
    let most = lengths.iter().max().copied();
    assert_eq!((leaves, least, most), (9, Some((7, 7)), Some((7, 17))), "(leaves, (path, travelled) hops)");
}

#[test]
fn the_enumeration_agrees_with_two_thousand_seeds_run_one_by_one() {
    let fresh = figure_8(Routing::NonMinimalAdaptive);
    for seed in 0..2_000 {
        let mut network = fresh.clone();
        for router in (0..ROUTERS).map(RouterId) {
            network.set_lfsr(router, Lfsr::seeded(seed, router));
        }
        let mut scout = network.launch(FC3, F2, CLOCK);
        assert_eq!(network.run(&mut scout, T0), Step::Arrived, "seed {seed}");
        assert_eq!(scout.path_hops(), 7, "seed {seed}");
        assert!(scout.travelled_hops() <= 17, "seed {seed}");
    }
}

#[test]
fn the_course_of_a_scout_is_a_walk_over_free_links_whose_length_it_has_travelled() {
    let fresh = figure_8(Routing::NonMinimalAdaptive);
    for seed in 0..200 {
        let (mut network, mut other) = (fresh.clone(), fresh.clone());
        for router in (0..ROUTERS).map(RouterId) {
            network.set_lfsr(router, Lfsr::seeded(seed, router));
            other.set_lfsr(router, Lfsr::seeded(seed, router));
        }
        let mut scout = other.launch(FC3, F2, CLOCK);
        other.run(&mut scout, T0);
        let course = network.follow(FC3, F2, CLOCK, T0);
        assert_eq!(course.len() as u32, scout.travelled_hops() + 1, "seed {seed}");
        assert_eq!((course.first(), course.last()), (Some(&RouterId(15)), Some(&F2)), "seed {seed}");
        assert_eq!(network.path_of(FC3), other.path_of(FC3), "seed {seed}");
        let taken: Vec<_> = (0..3).flat_map(|it| links_of(&network.path_of(ControllerId(it)))).collect();
        assert!(links_of(&course).iter().all(|link| !taken.contains(link)), "seed {seed}");
    }
}

#[test]
fn the_course_of_a_scout_that_fails_ends_where_it_began() {
    let mut network = figure_8(Routing::MinimalAdaptive);
    let course = network.follow(FC3, F2, CLOCK, T0);
    assert_eq!((course.first(), course.last()), (Some(&RouterId(15)), Some(&RouterId(15))));
    assert!(course.len() > 1, "minimal routing searches before it fails");
    assert!(network.path_of(FC3).is_empty());
}

#[test]
fn what_cannot_be_laid_by_hand_is_refused_with_its_reason() {
    let mut network = figure_8(Routing::NonMinimalAdaptive);
    let mut lay = |controller, path: &[u32]| network.install(ControllerId(controller), &routers(path), T0);
    assert_eq!(lay(3, &[]), Err(PathConflict::WrongEntrance));
    assert_eq!(lay(3, &[10, 11]), Err(PathConflict::WrongEntrance));
    assert_eq!(lay(2, &[10]), Err(PathConflict::ControllerReserved));
    let broken = PathConflict::NoFreeLink { from: RouterId(15), to: RouterId(17) };
    assert_eq!(lay(3, &[15, 17]), Err(broken));
    let taken = PathConflict::NoFreeLink { from: RouterId(10), to: RouterId(11) };
    assert_eq!(lay(3, &[15, 10, 11]), Err(taken));
    assert_eq!(lay(3, &[15, 16, 17, 18, 13, 8]), Err(PathConflict::ChipReserved));
    assert_eq!(lay(3, &[15, 16]), Ok(()), "refused paths left nothing behind");
}
