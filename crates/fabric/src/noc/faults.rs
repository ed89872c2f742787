//! Failing links and routers of a mesh, and the chips that each controller reaches.
//!
//! # What it models
//! A failed link carries nothing in either direction; a doubled link fails as a whole. A failed router takes
//! down all of its links, its chip and its controller.
//!
//! # How
//! All faults occur at one instant, which may be the start. Transfers in progress complete; later transfers
//! use only working parts. After the detection delay, a controller serves a chip only if the routing has a
//! working path between them.
//!
//! [`ReachableChips`] is computed by a search from each controller. A router is reachable if a working link
//! leads to it from a reachable router that precedes it on an allowed path.
//!
//! # What is left out
//! Transmission errors, repair, and the loss of transfers in progress.
//!
//! # Source
//! None: the papers do not model failures.
//!
//! # Parameters
//! `failed_links`, `failed_routers`, `fabric.faults`.

use venice_kernel::SimTime;
use venice_nand::geometry::ChipId;

use super::{Mesh, Port, RouterId, RouterOffset};
use crate::{ControllerChoice, FabricSettings, FaultSettings, UnreachableChips};

/// Configured faults of a mesh, and their state: pending, occurred or detected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    at: SimTime,
    /// Instant at which the controllers detect the faults.
    known_at: SimTime,
    has_happened: bool,
    /// True for each failing link, indexed by link.
    broken: Vec<bool>,
    /// True for each failing router, indexed by router.
    dead: Vec<bool>,
}

impl Faults {
    /// Creates the fault state from the settings, or `None` if nothing fails.
    pub fn new(mesh: Mesh, settings: &FaultSettings) -> Option<Self> {
        if settings.links.is_empty() && settings.routers.is_empty() {
            return None;
        }
        let mut faults = Self {
            at: settings.at,
            known_at: settings.known_at(),
            has_happened: false,
            broken: vec![false; mesh.links() as usize],
            dead: vec![false; mesh.routers() as usize],
        };
        for &router in &settings.routers {
            faults.kill(mesh, mesh.router_of(router));
        }
        for &[one, other] in &settings.links {
            faults.break_between(mesh, mesh.router_of(one), mesh.router_of(other));
        }
        Some(faults)
    }

    /// Returns the instant of the next fault event: the failure or, after that, its detection.
    #[inline]
    pub const fn due_at(&self) -> SimTime {
        if self.has_happened { self.known_at } else { self.at }
    }

    /// Records that the faults have occurred. Returns true if they are also detected at `now`.
    pub fn happen(&mut self, now: SimTime) -> bool {
        self.has_happened = true;
        self.known_at <= now
    }

    /// True if the faults have occurred.
    pub const fn has_happened(&self) -> bool {
        self.has_happened
    }

    /// Returns the list of failing links: true for each failing link, indexed by link.
    pub fn broken(&self) -> &[bool] {
        &self.broken
    }

    fn kill(&mut self, mesh: Mesh, router: RouterId) {
        self.dead[router.index()] = true;
        for link in Port::LINKS.into_iter().filter_map(|port| mesh.link(router, port)) {
            self.broken[link.index()] = true;
        }
    }

    fn break_between(&mut self, mesh: Mesh, one: RouterId, other: RouterId) {
        let leads = |port: &Port| mesh.neighbour(one, *port) == Some(other);
        for link in Port::LINKS.into_iter().filter(leads).filter_map(|port| mesh.link(one, port)) {
            self.broken[link.index()] = true;
        }
    }

    fn works(&self, mesh: Mesh, router: RouterId, port: Port) -> bool {
        mesh.link(router, port).is_some_and(|link| !self.broken[link.index()])
    }
}

/// Kinds of paths from a controller to a chip that a routing algorithm can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutablePaths {
    /// The path along the row, then along the column.
    XThenY,
    /// The path along the column, then along the row. On the way back to the controller this is X-then-Y.
    YThenX,
    /// All shortest paths.
    Shortest,
    /// All paths, of any length.
    Any,
}

/// Chips that each controller reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachableChips {
    routers: usize,
    /// True for each reachable chip. The index is the entrance (attachment point of a controller), then the
    /// chip.
    is_reached: Vec<bool>,
}

impl ReachableChips {
    /// Computes the chips that each controller reaches after all faults.
    pub fn new(mesh: Mesh, faults: &Faults, paths: RoutablePaths) -> Self {
        let from = |controller| reached_from(mesh, faults, paths, mesh.entrance(controller));
        let is_reached = (0..mesh.entrances()).flat_map(from).collect();
        Self { routers: mesh.routers() as usize, is_reached }
    }

    /// True if `chip` is reachable from `entrance`, the index of an attachment point of a controller. The
    /// first ports of all controllers come first, in the order of the controllers, then their second ports.
    #[inline]
    pub fn has(&self, entrance: u32, chip: ChipId) -> bool {
        self.is_reached[entrance as usize * self.routers + chip.index()]
    }
}

/// Returns the chips that no controller reaches after all faults. A chip counts as reached only if it has
/// every kind of path in `ways`.
pub fn loss(
    mesh: Mesh,
    settings: &FabricSettings,
    choice: ControllerChoice,
    ways: &[RoutablePaths],
    name: &'static str,
) -> UnreachableChips {
    let Some(faults) = Faults::new(mesh, &settings.faults) else {
        return UnreachableChips { chips: Vec::new(), ways: name };
    };
    let reaches: Vec<ReachableChips> =
        ways.iter().map(|&paths| ReachableChips::new(mesh, &faults, paths)).collect();
    let is_served = |chip: ChipId| {
        let serves = |reach: &ReachableChips| match choice {
            ControllerChoice::Home => (0..mesh.entrances())
                .any(|it| mesh.controller_at(it) == mesh.array().row(chip) && reach.has(it, chip)),
            ControllerChoice::NearestFree | ControllerChoice::LeastLoaded => {
                (0..mesh.entrances()).any(|it| reach.has(it, chip))
            }
        };
        reaches.iter().all(serves)
    };
    UnreachableChips::of(settings.array, name, |chip| !is_served(chip))
}

/// Returns true for each router that is reachable from `from`, indexed by router.
fn reached_from(mesh: Mesh, faults: &Faults, paths: RoutablePaths, from: RouterId) -> Vec<bool> {
    let mut reached = vec![false; mesh.routers() as usize];
    if faults.dead[from.index()] {
        return reached;
    }
    reached[from.index()] = true;
    if paths == RoutablePaths::Any {
        flood(mesh, faults, from, &mut reached);
        return reached;
    }
    let mut others: Vec<RouterId> = (0..mesh.routers()).map(RouterId).filter(|&it| it != from).collect();
    others.sort_by_key(|&router| mesh.distance(from, router));
    for router in others {
        let back = mesh.offset(router, from);
        reached[router.index()] = steps_back(paths, back).into_iter().flatten().any(|port| {
            faults.works(mesh, router, port)
                && mesh.neighbour(router, port).is_some_and(|before| reached[before.index()])
        });
    }
    reached
}

/// Returns the ports by which allowed paths lead from a router one hop back towards the controller. `back` is
/// the offset from the router to the controller.
fn steps_back(paths: RoutablePaths, back: RouterOffset) -> [Option<Port>; 2] {
    let x = match back.dx {
        0 => None,
        1.. => Some(Port::Right),
        _ => Some(Port::Left),
    };
    let y = match back.dy {
        0 => None,
        1.. => Some(Port::Up),
        _ => Some(Port::Down),
    };
    match paths {
        RoutablePaths::XThenY => [y.or(x), None],
        RoutablePaths::YThenX => [x.or(y), None],
        RoutablePaths::Shortest | RoutablePaths::Any => [x, y],
    }
}

fn flood(mesh: Mesh, faults: &Faults, from: RouterId, reached: &mut [bool]) {
    let mut frontier = vec![from];
    while let Some(at) = frontier.pop() {
        for port in Port::MESH.into_iter().filter(|&port| faults.works(mesh, at, port)) {
            if let Some(next) = mesh.neighbour(at, port).filter(|next| !reached[next.index()]) {
                reached[next.index()] = true;
                frontier.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::*;

    fn mesh() -> Mesh {
        Mesh::new(Array { rows: 3, cols: 4 })
    }

    fn chip(row: u32, col: u32) -> ChipId {
        ChipId(row * 4 + col)
    }

    fn broken(links: &[[ChipId; 2]], routers: &[ChipId]) -> Faults {
        let settings =
            FaultSettings { links: links.to_vec(), routers: routers.to_vec(), ..FaultSettings::default() };
        Faults::new(mesh(), &settings).unwrap()
    }

    fn reached(faults: &Faults, paths: RoutablePaths, controller: u32) -> Vec<ChipId> {
        let reach = ReachableChips::new(mesh(), faults, paths);
        (0..12).map(ChipId).filter(|&chip| reach.has(controller, chip)).collect()
    }

    #[test]
    fn nothing_fails_by_default() {
        assert_eq!(Faults::new(mesh(), &FaultSettings::default()), None);
    }

    #[test]
    fn a_link_that_fails_cuts_off_what_lies_behind_it_on_the_only_path() {
        let faults = broken(&[[chip(0, 1), chip(0, 2)]], &[]);
        let x_first = reached(&faults, RoutablePaths::XThenY, 0);
        let lost: Vec<ChipId> = (0..12).map(ChipId).filter(|chip| !x_first.contains(chip)).collect();
        let columns = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 2), (2, 3)].map(|(row, col)| chip(row, col));
        assert_eq!(lost, columns);
        assert_eq!(reached(&faults, RoutablePaths::YThenX, 0).len(), 10, "only its own row is cut");
        assert_eq!(
            reached(&faults, RoutablePaths::Shortest, 0).len(),
            10,
            "a straight line has no second path"
        );
        assert_eq!(reached(&faults, RoutablePaths::Any, 0).len(), 12);
        assert_eq!(reached(&faults, RoutablePaths::Shortest, 1).len(), 12);
    }

    #[test]
    fn a_dead_router_takes_its_chip_and_its_controller_with_it() {
        let faults = broken(&[], &[chip(1, 0)]);
        assert!(reached(&faults, RoutablePaths::Any, 1).is_empty());
        let others = reached(&faults, RoutablePaths::Any, 0);
        assert_eq!((others.len(), others.contains(&chip(1, 0))), (11, false));
    }

    #[test]
    fn a_corner_without_links_is_alone() {
        let corner = [[chip(2, 3), chip(2, 2)], [chip(1, 3), chip(2, 3)]];
        let faults = broken(&corner, &[]);
        assert!((0..3).all(|row| !reached(&faults, RoutablePaths::Any, row).contains(&chip(2, 3))));
    }
}
