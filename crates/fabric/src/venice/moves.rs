//! Precomputed effects of a hop through each router port.
//!
//! # How
//! Routers and links are numbered row by row. A hop through a given port therefore changes these numbers by
//! the same amounts at every router, and one table of these amounts serves all routers. Separate tables for
//! the routers of a large mesh would not fit into the first-level cache.
//!
//! Each step of a scout depends on the previous one, so dependent memory accesses determine the computing
//! time. The port that the LFSR selects and the effect of the hop are therefore stored together and read in
//! one access.
//!
//! The table does not state which links exist. The set of free ports of each router contains this
//! information.

use super::{Lfsr, LfsrCycle, PortSelections, minimal};
use crate::noc::{FreeLinks, LinkIndex, Mesh, Port, PortSet, RouterId, RouterOffset};

/// Link at a port, and the router at its far end.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEnd {
    pub(super) place: LinkIndex,
    pub(super) router: RouterId,
    pub(super) port: Port,
}

/// Effect of a hop through a port on the state of a scout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// Difference between the numbers of the next router and the current one.
    step: i32,
    /// Change of the index in the table of [`MinimalPorts`] by the hop.
    pub(super) nearer: i32,
    /// Set of all ports except the exit port of the hop.
    pub(super) others: PortSet,
    pub(super) entries: PortSet,
    /// Ports through which the scout may leave the next router: all ports that do not lead back.
    pub(super) onward: PortSet,
    pub(super) exit: Port,
}

impl Hop {
    /// Placeholder for the missing hop of a scout that has no available port.
    pub(super) const NONE: Self = Self {
        step: 0,
        nearer: 0,
        others: PortSet::ALL,
        entries: PortSet::EMPTY,
        onward: PortSet::EMPTY,
        exit: Port::Chip,
    };

    /// False for the placeholder [`Self::NONE`].
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.others != PortSet::ALL
    }

    /// Returns the router that the hop reaches from `router`.
    #[inline]
    pub(super) const fn from(&self, router: RouterId) -> RouterId {
        RouterId(router.0.wrapping_add_signed(self.step))
    }

    /// Returns the router from which the hop reaches `router`.
    #[inline]
    pub(super) const fn origin(&self, router: RouterId) -> RouterId {
        RouterId(router.0.wrapping_add_signed(-self.step))
    }
}

/// Effect of a hop through a port on the numbers of routers and links. A port without a neighbour has no
/// effect. The size of the struct is a power of two, which makes the table's index computation fast.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Move {
    pub(super) hop: Hop,
    /// Difference between the index of the link at this port and the number of its router.
    distance: i32,
    /// Set that contains only the exit port.
    pub(super) exits: PortSet,
    /// Port through which the hop enters the next router.
    entry: Port,
}

impl Move {
    /// Returns the index of the link at this port of `router`.
    #[inline]
    pub(super) const fn place(&self, router: RouterId) -> LinkIndex {
        LinkIndex::behind(router, self.distance)
    }

    /// Returns the link at this port of `router` and its far end.
    #[inline]
    pub(super) const fn from(&self, router: RouterId) -> LinkEnd {
        LinkEnd { place: self.place(router), router: self.hop.from(router), port: self.entry }
    }
}

/// Table of the effects of a hop through each port, common to all routers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves([Move; Port::ALL.len()]);

impl Moves {
    /// Computes the table for `mesh`. `board` determines the numbers of the links.
    pub(super) fn new(mesh: Mesh, board: &FreeLinks) -> Self {
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
                nearer: -dx - dy * MinimalPorts::stride(columns),
                others: PortSet::ALL.without(port),
                entries: PortSet::EMPTY.with(entry),
                onward: PortSet::MESH.minus(PortSet::beside(entry)),
                exit: port,
            };
            Move { hop, distance: board.distance(port), exits: PortSet::EMPTY.with(port), entry }
        }))
    }

    /// Returns the effect of a hop through `port`.
    #[inline]
    pub(super) const fn through(&self, port: Port) -> &Move {
        &self.0[port.index()]
    }
}

/// Table of the hops through the ports that the LFSR selects. The first index is the set of candidate ports
/// as bits, the second one is the LFSR state. In this order, a mesh without second ports uses only two
/// contiguous kilobytes.
#[derive(Clone, Debug)]
pub(super) struct Hops([Hop; 256 * PortSelections::STATES]);

impl Hops {
    /// Computes the hops for the given port selections.
    pub(super) fn new(moves: &Moves, picks: &PortSelections) -> Box<Self> {
        let hop = |number: usize| {
            let picked =
                picks.of_bits(number % PortSelections::STATES, (number / PortSelections::STATES) as u8);
            picked.map_or(Hop::NONE, |port| moves.through(port).hop)
        };
        Box::new(Self(std::array::from_fn(hop)))
    }

    /// Returns the hop through the port that `lfsr` selects in the given cycle.
    #[inline]
    pub(super) fn pick(&self, lfsr: Lfsr, turn: LfsrCycle, ports: PortSet) -> &Hop {
        let number = usize::from(ports.links_bits()) * PortSelections::STATES + lfsr.state(turn);
        &self.0[number % (256 * PortSelections::STATES)]
    }
}

/// Table of minimal ports (ports on shortest paths), by offset to the destination.
#[derive(Clone, Debug)]
pub(super) struct MinimalPorts {
    columns: i32,
    /// Minimal ports, by offset in rows and columns to the destination, in ascending order of the signed
    /// offsets.
    ports: Vec<PortSet>,
    /// Index of the zero offset.
    centre: i32,
}

impl MinimalPorts {
    /// Computes the minimal ports of a mesh.
    pub(super) fn new(mesh: Mesh) -> Self {
        let (rows, columns) = (mesh.array().rows.cast_signed(), mesh.array().cols.cast_signed());
        let all =
            (1 - rows..rows).flat_map(|dy| (1 - columns..columns).map(move |dx| RouterOffset { dx, dy }));
        let centre = (rows - 1) * Self::stride(columns) + columns - 1;
        let ports = all.map(|offset| minimal(offset).with_seconds()).collect();
        Self { columns, ports, centre }
    }

    /// Returns the difference between the indices of two offsets that differ by one row.
    const fn stride(columns: i32) -> i32 {
        2 * columns - 1
    }

    /// Returns the table index of an offset to the destination.
    pub(super) const fn number(&self, RouterOffset { dx, dy }: RouterOffset) -> i32 {
        self.centre + dx + dy * Self::stride(self.columns)
    }

    /// Returns the ports on shortest paths for an entry of the table; none for the entry of the destination itself.
    #[inline]
    #[cfg(test)]
    fn ports(&self, number: i32) -> PortSet {
        self.ports[number as usize]
    }

    /// Returns the minimal ports of all offsets to the destination, by table index.
    pub(super) fn all_ports(&self) -> &[PortSet] {
        &self.ports
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::*;
    use crate::{Attachment, PortChoice};

    fn meshes() -> impl Iterator<Item = Mesh> {
        let doubled = Attachment { column_0_links: 2, ..Attachment::PAPER };
        let shapes = [(1, 5), (5, 1), (3, 4), (9, 9)].map(|(rows, cols)| Array { rows, cols });
        shapes.into_iter().flat_map(move |array| [Mesh::new(array), Mesh::with(array, doubled)])
    }

    #[test]
    fn a_move_ends_at_the_neighbour_and_every_link_has_its_own_place() {
        for mesh in meshes() {
            let board = FreeLinks::new(mesh);
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
            let (towards, moves) = (MinimalPorts::new(mesh), Moves::new(mesh, &FreeLinks::new(mesh)));
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
            let moves = Moves::new(mesh, &FreeLinks::new(mesh));
            for choice in [PortChoice::Random, PortChoice::Unbiased, PortChoice::Fixed] {
                let hops = Hops::new(&moves, PortSelections::of(choice));
                for (lfsr, cycle) in
                    Lfsr::STATES.into_iter().flat_map(|lfsr| (0..6).map(move |it| (lfsr, it)))
                {
                    for bits in 0..=u8::MAX {
                        let (ports, turn) = (PortSet::of_links_bits(bits), LfsrCycle::after(cycle));
                        let hop = hops.pick(lfsr, turn, ports);
                        let picked = lfsr.pick(ports, turn, PortSelections::of(choice));
                        assert_eq!(hop.is_some().then_some(hop.exit), picked);
                    }
                }
            }
        }
    }
}
