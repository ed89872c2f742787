//! The mesh: one router beside each chip, and links between neighbours.
//!
//! # What it models
//! R rows × C columns of routers, numbered as their chips. Flash controller *i* is joined to router
//! (row *i*, column 0); each router is joined to its chip.
//!
//! # How
//! Everything follows from the numbers by arithmetic, so a [`Mesh`] is two integers and `Copy`.
//! "Up" is towards higher row numbers, because rows are counted from controller 0's row.
//!
//! Links between routers are undirected and numbered: first the horizontal ones, row by row, then
//! the vertical ones, row by row. An 8×8 mesh has 56 + 56 = 112. The wires between a router and its
//! chip or its controller are no mesh links and have no number.
//!
//! # What is left out
//! Wrap-around links, express links, more than one controller per row.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Figures 5 and 8, Algorithm 1 (the signs of dx and dy).
//!
//! # Parameters
//! `array`: rows and columns.

use crate::geometry::{Array, ChipId};

/// A router: the same number as its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterId(pub u32);

impl RouterId {
    /// The number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An undirected link between two neighbouring routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl LinkId {
    /// The number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A side of a router. In column 0 the controller sits where the left neighbour would be, so a
/// router never has more than five ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// Towards the next higher column.
    Right,
    /// Towards the next lower column.
    Left,
    /// Towards the next higher row.
    Up,
    /// Towards the next lower row.
    Down,
    /// The router's own flash chip (ejection of what came from a controller).
    Chip,
    /// The flash controller of the row (injection); in column 0 only.
    Controller,
}

impl Port {
    /// The ports of a router that do not lead to others.
    pub const LOCAL: [Self; 2] = [Self::Chip, Self::Controller];

    /// The ports that lead to other routers, in the order of their numbers.
    pub const MESH: [Self; 4] = [Self::Right, Self::Left, Self::Up, Self::Down];

    /// Every port, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::Right, Self::Left, Self::Up, Self::Down, Self::Chip, Self::Controller];

    /// The number of the port: its place in the declaration.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The port by which a neighbour sees the same link; the two local ports have no other end.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::Right => Some(Self::Left),
            Self::Left => Some(Self::Right),
            Self::Up => Some(Self::Down),
            Self::Down => Some(Self::Up),
            Self::Chip | Self::Controller => None,
        }
    }
}

/// How far one router lies from another, in columns and rows, with signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Columns to go: positive is right.
    pub dx: i32,
    /// Rows to go: positive is up.
    pub dy: i32,
}

impl Offset {
    /// The links of a shortest path.
    #[inline]
    pub const fn hops(self) -> u32 {
        self.dx.unsigned_abs() + self.dy.unsigned_abs()
    }
}

/// A mesh over an array of chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    array: Array,
}

impl Mesh {
    /// The mesh whose routers sit beside the chips of `array`.
    pub const fn new(array: Array) -> Self {
        Self { array }
    }

    /// The array it was made for.
    pub const fn array(self) -> Array {
        self.array
    }

    /// How many routers there are.
    #[inline]
    pub const fn routers(self) -> u32 {
        self.array.chips()
    }

    /// How many flash controllers there are: one per row.
    #[inline]
    pub const fn controllers(self) -> u32 {
        self.array.rows
    }

    /// How many links join two routers.
    #[inline]
    pub const fn links(self) -> u32 {
        self.horizontal_links() + self.array.cols * (self.array.rows - 1)
    }

    const fn horizontal_links(self) -> u32 {
        self.array.rows * (self.array.cols - 1)
    }

    /// The router beside a chip.
    #[inline]
    pub const fn router_of(self, chip: ChipId) -> RouterId {
        RouterId(chip.0)
    }

    /// The router that flash controller `controller` feeds: the leftmost of its row.
    #[inline]
    pub const fn entrance(self, controller: u32) -> RouterId {
        RouterId(controller * self.array.cols)
    }

    /// (row, column) of a router.
    #[inline]
    pub const fn position(self, router: RouterId) -> (u32, u32) {
        (router.0 / self.array.cols, router.0 % self.array.cols)
    }

    /// The router behind a port, if the port is joined to one.
    #[inline]
    pub const fn neighbour(self, router: RouterId, port: Port) -> Option<RouterId> {
        let (row, col) = self.position(router);
        match port {
            Port::Right if col + 1 < self.array.cols => Some(RouterId(router.0 + 1)),
            Port::Left if col > 0 => Some(RouterId(router.0 - 1)),
            Port::Up if row + 1 < self.array.rows => Some(RouterId(router.0 + self.array.cols)),
            Port::Down if row > 0 => Some(RouterId(router.0 - self.array.cols)),
            _ => None,
        }
    }

    /// The link behind a port, if the port is joined to another router.
    #[inline]
    pub const fn link(self, router: RouterId, port: Port) -> Option<LinkId> {
        let (row, col) = self.position(router);
        match port {
            Port::Right if col + 1 < self.array.cols => Some(self.horizontal(row, col)),
            Port::Left if col > 0 => Some(self.horizontal(row, col - 1)),
            Port::Up if row + 1 < self.array.rows => Some(self.vertical(row, col)),
            Port::Down if row > 0 => Some(self.vertical(row - 1, col)),
            _ => None,
        }
    }

    /// The link between (row, col) and (row, col + 1).
    const fn horizontal(self, row: u32, col: u32) -> LinkId {
        LinkId(row * (self.array.cols - 1) + col)
    }

    /// The link between (row, col) and (row + 1, col).
    const fn vertical(self, row: u32, col: u32) -> LinkId {
        LinkId(self.horizontal_links() + row * self.array.cols + col)
    }

    /// From `here` to `there`: dx = there mod C − here mod C, dy = there div C − here div C.
    #[inline]
    pub const fn offset(self, here: RouterId, there: RouterId) -> Offset {
        let (row, col) = self.position(here);
        let (to_row, to_col) = self.position(there);
        Offset { dx: to_col.cast_signed() - col.cast_signed(), dy: to_row.cast_signed() - row.cast_signed() }
    }

    /// The links of a shortest path between two routers (Manhattan distance).
    #[inline]
    pub const fn distance(self, here: RouterId, there: RouterId) -> u32 {
        self.offset(here, there).hops()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(rows: u32, cols: u32) -> Mesh {
        Mesh::new(Array { rows, cols })
    }

    const SHAPES: [(u32, u32); 8] = [(1, 1), (1, 7), (7, 1), (2, 2), (4, 5), (4, 16), (16, 4), (8, 8)];

    #[test]
    fn an_8x8_mesh_has_112_links() {
        assert_eq!(mesh(8, 8).links(), 112);
        assert_eq!(mesh(1, 1).links(), 0);
        assert_eq!(mesh(1, 5).links(), 4);
        assert_eq!(mesh(5, 1).links(), 4);
    }

    #[test]
    fn every_link_has_one_number_and_two_ends() {
        for (rows, cols) in SHAPES {
            let mesh = mesh(rows, cols);
            let mut ends = vec![0; mesh.links() as usize];
            for router in (0..mesh.routers()).map(RouterId) {
                for port in Port::MESH {
                    let (link, neighbour) = (mesh.link(router, port), mesh.neighbour(router, port));
                    assert_eq!(link.is_some(), neighbour.is_some());
                    let (Some(link), Some(neighbour)) = (link, neighbour) else { continue };
                    ends[link.index()] += 1;
                    let back = port.opposite().unwrap();
                    assert_eq!(mesh.link(neighbour, back), Some(link));
                    assert_eq!(mesh.neighbour(neighbour, back), Some(router));
                }
            }
            assert!(ends.iter().all(|&n| n == 2), "{rows}x{cols}: {ends:?}");
        }
    }

    #[test]
    fn local_ports_lead_to_no_router() {
        let mesh = mesh(3, 3);
        for port in [Port::Chip, Port::Controller] {
            assert_eq!(mesh.neighbour(RouterId(4), port), None);
            assert_eq!(mesh.link(RouterId(4), port), None);
            assert_eq!(port.opposite(), None);
        }
    }

    #[test]
    fn up_leads_to_the_next_higher_row() {
        let mesh = mesh(4, 5);
        assert_eq!(mesh.neighbour(RouterId(7), Port::Up), Some(RouterId(12)));
        assert_eq!(mesh.neighbour(RouterId(7), Port::Down), Some(RouterId(2)));
        assert_eq!(mesh.neighbour(RouterId(7), Port::Right), Some(RouterId(8)));
        assert_eq!(mesh.neighbour(RouterId(7), Port::Left), Some(RouterId(6)));
        assert_eq!(mesh.entrance(3), RouterId(15));
    }

    #[test]
    fn offsets_have_the_signs_of_algorithm_1() {
        let mesh = mesh(4, 5);
        assert_eq!(mesh.offset(RouterId(15), RouterId(2)), Offset { dx: 2, dy: -3 });
        assert_eq!(mesh.offset(RouterId(4), RouterId(5)), Offset { dx: -4, dy: 1 });
        assert_eq!(mesh.distance(RouterId(15), RouterId(2)), 5);
        assert_eq!(mesh.distance(RouterId(9), RouterId(9)), 0);
    }
}
