//! What lies behind the ports of a mesh's routers.
//!
//! # What it models
//! The links, and the routers at their other ends.
//!
//! # How
//! Routers and links are numbered by rows, so what a hop through a port changes is the same at every router: a few sums in place of
//! a table for each router, which a large mesh would not keep in the processor's nearest memory.
//!
//! A scout's next step waits for the last one, so what counts is how many looks into memory follow each other: the register's pick and
//! what a hop through the picked port changes are one look.
//!
//! # What is left out
//! Whether there is a link at all, which free ports say.
//!
//! # Source
//! Ours.
//!
//! # Parameters
//! `array`, `port_choice`.

use super::{Lfsr, Picks, Turn, minimal};
use crate::fabric::noc::{Board, Mesh, Offset, Place, Port, PortSet, RouterId};

/// The link behind a port, and its far end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) place: Place,
    pub(super) router: RouterId,
    pub(super) port: Port,
}

/// What a hop through a port changes for a scout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// From a router's number to that of the next one.
    step: i32,
    /// To what is still to go, as [`Towards`] numbers it.
    pub(super) nearer: i32,
    /// All ports but that by which it begins, and the port by which it ends.
    pub(super) others: PortSet,
    pub(super) entries: PortSet,
    /// The ports by which a scout may go on behind it: those that do not lead back.
    pub(super) onward: PortSet,
    /// The port by which it begins.
    pub(super) exit: Port,
}

impl Hop {
    /// Of a scout that has no port to go on by.
    pub(super) const NONE: Self = Self {
        step: 0,
        nearer: 0,
        others: PortSet::ALL,
        entries: PortSet::EMPTY,
        onward: PortSet::EMPTY,
        exit: Port::Chip,
    };

    /// Whether there is one.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.others != PortSet::ALL
    }

    /// The router to which it leads from this one.
    #[inline]
    pub(super) const fn from(&self, router: RouterId) -> RouterId {
        RouterId(router.0.wrapping_add_signed(self.step))
    }

    /// The router from which it leads to this one.
    #[inline]
    pub(super) const fn origin(&self, router: RouterId) -> RouterId {
        RouterId(router.0.wrapping_add_signed(-self.step))
    }
}

/// What a hop through a port changes. None through those that lead to no router. Its size is a power of two, as its places in a table are
/// found at each link of a path.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Move {
    pub(super) hop: Hop,
    /// From a router's number to the place of the link.
    distance: i32,
    /// The port by which it begins, as a set.
    pub(super) exits: PortSet,
    /// The port by which it ends.
    entry: Port,
}

impl Move {
    /// Where the link behind the port of this router is.
    #[inline]
    pub(super) const fn place(&self, router: RouterId) -> Place {
        Place::behind(router, self.distance)
    }

    /// The link behind the port of this router.
    #[inline]
    pub(super) const fn from(&self, router: RouterId) -> End {
        End { place: self.place(router), router: self.hop.from(router), port: self.entry }
    }
}

/// By port: what a hop through it changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves([Move; Port::ALL.len()]);

impl Moves {
    /// Those of a mesh whose links are on this board.
    pub(super) fn new(mesh: Mesh, board: &Board) -> Self {
        let columns = mesh.array().cols.cast_signed();
        Self(Port::ALL.map(|port| {
            let (dx, dy) = match port {
                Port::Right => (1, 0),
                Port::Left => (-1, 0),
                Port::Up | Port::SecondUp => (0, 1),
                Port::Down | Port::SecondDown => (0, -1),
                Port::Chip | Port::Controller | Port::SecondController => (0, 0),
            };
            let entry = port.opposite().unwrap_or(port);
            let hop = Hop {
                step: dx + columns * dy,
                nearer: -dx - dy * Towards::stride(columns),
                others: PortSet::ALL.without(port),
                entries: PortSet::EMPTY.with(entry),
                onward: PortSet::MESH.minus(PortSet::beside(entry)),
                exit: port,
            };
            Move { hop, distance: board.distance(port), exits: PortSet::EMPTY.with(port), entry }
        }))
    }

    /// Through this port.
    #[inline]
    pub(super) const fn through(&self, port: Port) -> &Move {
        &self.0[port.index()]
    }
}

/// The hop through the port that a register picks: by the bits of the ports, and by its place and turn together. In this order, since
/// what is asked for in a mesh without second ports lies in two kilobytes that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Hops([Hop; 256 * Picks::STATES]);

impl Hops {
    /// Those of a mesh whose registers pick so.
    pub(super) fn new(moves: &Moves, picks: &Picks) -> Box<Self> {
        let hop = |number: usize| {
            let picked = picks.of_bits(number % Picks::STATES, (number / Picks::STATES) as u8);
            picked.map_or(Hop::NONE, |port| moves.through(port).hop)
        };
        Box::new(Self(std::array::from_fn(hop)))
    }

    /// The hop through the port that this register picks in a turn.
    #[inline]
    pub(super) fn pick(&self, lfsr: Lfsr, turn: Turn, ports: PortSet) -> &Hop {
        let number = usize::from(ports.links_bits()) * Picks::STATES + lfsr.state(turn);
        &self.0[number % (256 * Picks::STATES)]
    }
}

/// The ports that lead closer, by what is still to go.
#[derive(Clone, Debug)]
pub(super) struct Towards {
    columns: i32,
    /// By rows and columns to go, from the most downwards and to the left on.
    ports: Vec<PortSet>,
    /// The number of nothing to go.
    centre: i32,
}

impl Towards {
    /// Those of a mesh.
    pub(super) fn new(mesh: Mesh) -> Self {
        let (rows, columns) = (mesh.array().rows.cast_signed(), mesh.array().cols.cast_signed());
        let all = (1 - rows..rows).flat_map(|dy| (1 - columns..columns).map(move |dx| Offset { dx, dy }));
        let centre = (rows - 1) * Self::stride(columns) + columns - 1;
        let ports = all.map(|offset| minimal(offset).with_seconds()).collect();
        Self { columns, ports, centre }
    }

    /// From one row to go to two.
    const fn stride(columns: i32) -> i32 {
        2 * columns - 1
    }

    /// The number of what is still to go.
    pub(super) const fn number(&self, Offset { dx, dy }: Offset) -> i32 {
        self.centre + dx + dy * Self::stride(self.columns)
    }

    /// The ports that lead closer, none at the destination, where this is still to go.
    #[inline]
    #[cfg(test)]
    fn ports(&self, number: i32) -> PortSet {
        self.ports[number as usize]
    }

    /// By number of what is still to go: the ports that lead closer, none at the destination.
    pub(super) fn all_ports(&self) -> &[PortSet] {
        &self.ports
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Attachment, PortChoice};
    use crate::geometry::Array;

    fn meshes() -> impl Iterator<Item = Mesh> {
        let doubled = Attachment { column_0_links: 2, ..Attachment::PAPER };
        let shapes = [(1, 5), (5, 1), (3, 4), (9, 9)].map(|(rows, cols)| Array { rows, cols });
        shapes.into_iter().flat_map(move |array| [Mesh::new(array), Mesh::with(array, doubled)])
    }

    #[test]
    fn a_move_ends_at_the_neighbour_and_every_link_has_its_own_place() {
        for mesh in meshes() {
            let board = Board::new(mesh);
            let moves = Moves::new(mesh, &board);
            let mut links = vec![None; board.places()];
            for router in (0..mesh.routers()).map(RouterId) {
                for port in Port::LINKS {
                    let Some(neighbour) = mesh.neighbour(router, port) else { continue };
                    let end = moves.through(port).from(router);
                    assert_eq!((end.router, Some(end.port)), (neighbour, port.opposite()));
                    assert_eq!(moves.through(port).hop.origin(neighbour), router);
                    let link = links[end.place.index()].get_or_insert(mesh.link(router, port));
                    assert_eq!(*link, mesh.link(router, port));
                }
            }
            assert_eq!(links.iter().flatten().count(), mesh.links() as usize);
        }
    }

    #[test]
    fn moves_keep_the_number_of_what_is_still_to_go() {
        for mesh in meshes() {
            let (towards, moves) = (Towards::new(mesh), Moves::new(mesh, &Board::new(mesh)));
            let goal = RouterId(mesh.routers() / 2);
            for router in (0..mesh.routers()).map(RouterId) {
                let number = towards.number(mesh.offset(router, goal));
                assert_eq!(towards.ports(number), minimal(mesh.offset(router, goal)).with_seconds());
                for port in Port::LINKS {
                    let Some(there) = mesh.neighbour(router, port) else { continue };
                    let nearer = number + moves.through(port).hop.nearer;
                    assert_eq!(nearer, towards.number(mesh.offset(there, goal)));
                }
            }
        }
    }

    #[test]
    fn the_hop_of_a_pick_is_that_through_the_picked_port() {
        for mesh in meshes() {
            let moves = Moves::new(mesh, &Board::new(mesh));
            for choice in [PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed] {
                let hops = Hops::new(&moves, Picks::of(choice));
                for (lfsr, cycle) in
                    Lfsr::STATES.into_iter().flat_map(|lfsr| (0..6).map(move |it| (lfsr, it)))
                {
                    for bits in 0..=u8::MAX {
                        let (ports, turn) = (PortSet::of_links_bits(bits), Turn::after(cycle));
                        let hop = hops.pick(lfsr, turn, ports);
                        let picked = lfsr.pick(ports, turn, Picks::of(choice));
                        assert_eq!(hop.is_some().then_some(hop.exit), picked);
                    }
                }
            }
        }
    }
}
