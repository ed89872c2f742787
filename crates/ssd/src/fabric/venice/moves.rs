//! What lies behind the ports of a mesh's routers.
//!
//! # What it models
//! The links, and the routers at their other ends.
//!
//! # How
//! Routers and links are numbered by rows, so what a hop through a port changes is the same at every router: a few sums in place of
//! a table for each router, which a large mesh would not keep in the processor's nearest memory.
//!
//! # What is left out
//! Whether there is a link at all, which free ports say.
//!
//! # Source
//! Ours.
//!
//! # Parameters
//! `array`.

use crate::fabric::noc::{Board, Mesh, Offset, Place, Port, PortSet, RouterId};

use super::minimal;

/// The link behind a port, and its far end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) place: Place,
    pub(super) router: RouterId,
    pub(super) port: Port,
}

/// What a hop through a port changes. None through those that lead to no router.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// From a router's number to that of the next one.
    step: i32,
    /// From a router's number to the place of the link.
    distance: i32,
    /// To what is still to go, as [`Towards`] numbers it.
    pub(super) nearer: i32,
    /// The port by which it ends.
    pub(super) entry: Port,
    /// The port by which it begins, and that by which it ends, as sets.
    pub(super) exits: PortSet,
    pub(super) entries: PortSet,
    /// The ports that lead back.
    pub(super) back: PortSet,
}

impl Move {
    /// The link behind the port of this router.
    #[inline]
    pub(super) const fn from(&self, router: RouterId) -> End {
        let there = RouterId(router.0.wrapping_add_signed(self.step));
        End { place: Place::behind(router, self.distance), router: there, port: self.entry }
    }

    /// The router from which it leads to this one.
    #[inline]
    pub(super) const fn origin(&self, router: RouterId) -> RouterId {
        RouterId(router.0.wrapping_add_signed(-self.step))
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
            Move {
                step: dx + columns * dy,
                distance: board.distance(port),
                nearer: -dx - dy * Towards::stride(columns),
                entry,
                exits: PortSet::EMPTY.with(port),
                entries: PortSet::EMPTY.with(entry),
                back: PortSet::beside(entry),
            }
        }))
    }

    /// Through this port.
    #[inline]
    pub(super) const fn through(&self, port: Port) -> &Move {
        &self.0[port.index()]
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
        Self { columns, ports: all.map(|offset| minimal(offset).with_seconds()).collect(), centre }
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
    pub(super) fn ports(&self, number: i32) -> PortSet {
        self.ports[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Attachment;
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
                    assert_eq!(moves.through(port).origin(neighbour), router);
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
                    let nearer = number + moves.through(port).nearer;
                    assert_eq!(nearer, towards.number(mesh.offset(there, goal)));
                }
            }
        }
    }
}
