//! Mesh topology: one router at each chip, and links between neighbours.
//!
//! # What it models
//! R rows × C columns of routers, numbered like their chips. Flash controller *i* connects to router (row
//! *i*, column 0); each router connects to its chip.
//!
//! # How
//! Neighbours and links are computed from the numbers of routers, so a [`Mesh`] consists of a few integers
//! and is `Copy`. "Up" is towards higher row numbers, because rows are counted from controller 0's row.
//!
//! Links between routers are undirected and numbered: first the horizontal ones, row by row, then the
//! vertical ones, row by row. An 8×8 mesh has 56 + 56 = 112 links. The wires between a router and its chip or
//! controller are not links and have no number.
//!
//! With an [`Attachment`] other than the paper's, controllers may have second ports, in column 0 or in the
//! last column, and the vertical links of column 0 may be doubled. *Entrances* are the attachment points of
//! controllers: first the first ports of all controllers, then their second ports. The second links of
//! doubled links are numbered after all other links.
//!
//! # What is left out
//! Wrap-around links, express links, more than one controller per row.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Figures 5 and 8, Algorithm 1 (the signs of dx and dy).
//!
//! # Parameters
//! `array` (rows and columns), `attachment`.

use venice_nand::geometry::{Array, ChipId};

use crate::{Attachment, ControllerPorts};

/// Number of a router, which equals the number of its chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterId(pub u32);

impl RouterId {
    /// Returns the router number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of an undirected link between two neighbouring routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl LinkId {
    /// Returns the link number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Port of a router. In column 0 the controller takes the place of the left neighbour, so a router of the
/// Venice paper (Nadig et al., ISCA 2023) has at most five ports. Second ports exist only with additional
/// controller connections (see [`Attachment`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// Port towards the next higher column.
    Right,
    /// Port towards the next lower column.
    Left,
    /// Port towards the next higher row.
    Up,
    /// Port towards the next lower row.
    Down,
    /// Port to the router's flash chip, through which packets for the chip leave the mesh.
    Chip,
    /// Port to the flash controller of the row, through which its packets enter the mesh. Column 0 only.
    Controller,
    /// Port towards the next higher row over the second link of column 0.
    SecondUp,
    /// Port towards the next lower row over the second link of column 0.
    SecondDown,
    /// Port to the second port of the row's flash controller: an additional port in column 0, or in the last
    /// column in place of the right neighbour.
    SecondController,
}

impl Port {
    /// Ports that do not lead to other routers.
    pub const LOCAL: [Self; 3] = [Self::Chip, Self::Controller, Self::SecondController];

    /// Ports of the four directions, without second ports, in numerical order.
    pub const MESH: [Self; 4] = [Self::Right, Self::Left, Self::Up, Self::Down];

    /// All ports of links to other routers, in numerical order.
    pub const LINKS: [Self; 6] =
        [Self::Right, Self::Left, Self::Up, Self::Down, Self::SecondUp, Self::SecondDown];

    /// Ports to the right and upwards. Each link of the mesh belongs to exactly one of these ports of one
    /// router.
    pub const OWN_LINKS: [Self; 3] = [Self::Right, Self::Up, Self::SecondUp];

    /// Ports of routers in the Venice paper, in numerical order.
    pub const PAPER: [Self; 6] =
        [Self::Right, Self::Left, Self::Up, Self::Down, Self::Chip, Self::Controller];

    /// All ports, in numerical order.
    pub const ALL: [Self; 9] = [
        Self::Right,
        Self::Left,
        Self::Up,
        Self::Down,
        Self::Chip,
        Self::Controller,
        Self::SecondUp,
        Self::SecondDown,
        Self::SecondController,
    ];

    /// Returns the number of the port, which is its position in the declaration of [`Port`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the port at the other end of the link, or `None` for local ports.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Option<Self> {
        match self {
            Self::Right => Some(Self::Left),
            Self::Left => Some(Self::Right),
            Self::Up => Some(Self::Down),
            Self::Down => Some(Self::Up),
            Self::SecondUp => Some(Self::SecondDown),
            Self::SecondDown => Some(Self::SecondUp),
            Self::Chip | Self::Controller | Self::SecondController => None,
        }
    }
}

/// Signed distance between two routers, in columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterOffset {
    /// Distance in columns; positive to the right.
    pub dx: i32,
    /// Distance in rows; positive upwards.
    pub dy: i32,
}

impl RouterOffset {
    /// Offset between a router and itself.
    pub const NONE: Self = Self { dx: 0, dy: 0 };

    /// Returns the number of links of a shortest path with this offset.
    #[inline]
    pub const fn hops(self) -> u32 {
        self.dx.unsigned_abs() + self.dy.unsigned_abs()
    }
}

/// Mesh over an array of chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    array: Array,
    ports: ControllerPorts,
    doubles_column_0: bool,
}

impl Mesh {
    /// Creates the mesh over `array` with the paper's attachment of controllers.
    pub const fn new(array: Array) -> Self {
        Self::with(array, Attachment::PAPER)
    }

    /// Creates the mesh over `array` with the given attachment of controllers.
    pub const fn with(array: Array, attachment: Attachment) -> Self {
        Self { array, ports: attachment.ports, doubles_column_0: attachment.column_0_links > 1 }
    }

    /// Returns the array of chips that the mesh connects.
    pub const fn array(self) -> Array {
        self.array
    }

    /// Returns the number of routers, one for each chip.
    #[inline]
    pub const fn routers(self) -> u32 {
        self.array.chips()
    }

    /// Returns the number of flash controllers, one per row.
    #[inline]
    pub const fn controllers(self) -> u32 {
        self.array.rows
    }

    /// Returns the number and the location of each controller's ports.
    pub const fn controller_ports(self) -> ControllerPorts {
        self.ports
    }

    /// Returns the number of attachment points of controllers.
    #[inline]
    pub const fn entrances(self) -> u32 {
        match self.ports {
            ControllerPorts::One => self.array.rows,
            ControllerPorts::Two | ControllerPorts::BothSides => 2 * self.array.rows,
        }
    }

    /// Returns the controller of an entrance (an attachment point of a controller).
    #[inline]
    pub const fn controller_at(self, entrance: u32) -> u32 {
        entrance % self.array.rows
    }

    /// Returns the column of the controllers' second ports.
    pub const fn second_column(self) -> u32 {
        match self.ports {
            ControllerPorts::One | ControllerPorts::Two => 0,
            ControllerPorts::BothSides => self.array.cols - 1,
        }
    }

    /// Returns the number of links between routers.
    #[inline]
    pub const fn links(self) -> u32 {
        self.single_links() + self.doubled_links()
    }

    const fn single_links(self) -> u32 {
        self.horizontal_links() + self.array.cols * (self.array.rows - 1)
    }

    /// Returns the two routers of each link, first the one in the lower column or row.
    pub fn link_ends(self) -> Vec<[RouterId; 2]> {
        let mut ends = vec![[RouterId(0); 2]; self.links() as usize];
        for here in (0..self.routers()).map(RouterId) {
            for port in Port::OWN_LINKS {
                let both = self.link(here, port).zip(self.neighbour(here, port));
                if let Some((link, there)) = both {
                    ends[link.index()] = [here, there];
                }
            }
        }
        ends
    }

    /// Returns the number of second links in column 0; zero if its links are not doubled.
    pub const fn doubled_links(self) -> u32 {
        if self.doubles_column_0 { self.array.rows - 1 } else { 0 }
    }

    const fn horizontal_links(self) -> u32 {
        self.array.rows * (self.array.cols - 1)
    }

    /// Returns the router of a chip.
    #[inline]
    pub const fn router_of(self, chip: ChipId) -> RouterId {
        RouterId(chip.0)
    }

    /// Returns the router of an entrance (an attachment point of a controller). For a first port, this is the
    /// leftmost router of the controller's row.
    #[inline]
    pub const fn entrance(self, number: u32) -> RouterId {
        if number < self.array.rows {
            RouterId(number * self.array.cols)
        } else {
            RouterId((number - self.array.rows) * self.array.cols + self.second_column())
        }
    }

    /// Returns the port by which an entrance (an attachment point of a controller) is connected to its
    /// router.
    #[inline]
    pub const fn entry_port(self, number: u32) -> Port {
        if number < self.array.rows { Port::Controller } else { Port::SecondController }
    }

    /// Returns the number of links between a router and the nearest controller port in its row.
    #[inline]
    pub fn nearest(self, router: RouterId) -> u32 {
        let col = self.position(router).1;
        match self.ports {
            ControllerPorts::BothSides => col.min(self.array.cols - 1 - col),
            ControllerPorts::One | ControllerPorts::Two => col,
        }
    }

    /// Returns the row and the column of a router.
    #[inline]
    pub const fn position(self, router: RouterId) -> (u32, u32) {
        (router.0 / self.array.cols, router.0 % self.array.cols)
    }

    /// Returns the neighbour at a port, if there is one.
    #[inline]
    pub const fn neighbour(self, router: RouterId, port: Port) -> Option<RouterId> {
        let (row, col) = self.position(router);
        match port {
            Port::Right if col + 1 < self.array.cols => Some(RouterId(router.0 + 1)),
            Port::Left if col > 0 => Some(RouterId(router.0 - 1)),
            Port::Up if row + 1 < self.array.rows => Some(RouterId(router.0 + self.array.cols)),
            Port::Down if row > 0 => Some(RouterId(router.0 - self.array.cols)),
            Port::SecondUp if self.has_second(col) && row + 1 < self.array.rows => {
                Some(RouterId(router.0 + self.array.cols))
            }
            Port::SecondDown if self.has_second(col) && row > 0 => Some(RouterId(router.0 - self.array.cols)),
            _ => None,
        }
    }

    const fn has_second(self, col: u32) -> bool {
        self.doubles_column_0 && col == 0
    }

    /// Returns the link at a port, if there is one.
    #[inline]
    pub const fn link(self, router: RouterId, port: Port) -> Option<LinkId> {
        let (row, col) = self.position(router);
        match port {
            Port::Right if col + 1 < self.array.cols => Some(self.horizontal(row, col)),
            Port::Left if col > 0 => Some(self.horizontal(row, col - 1)),
            Port::Up if row + 1 < self.array.rows => Some(self.vertical(row, col)),
            Port::Down if row > 0 => Some(self.vertical(row - 1, col)),
            Port::SecondUp if self.has_second(col) && row + 1 < self.array.rows => {
                Some(LinkId(self.single_links() + row))
            }
            Port::SecondDown if self.has_second(col) && row > 0 => {
                Some(LinkId(self.single_links() + row - 1))
            }
            _ => None,
        }
    }

    /// Returns the link between (row, col) and (row, col + 1).
    const fn horizontal(self, row: u32, col: u32) -> LinkId {
        LinkId(row * (self.array.cols - 1) + col)
    }

    /// Returns the link between (row, col) and (row + 1, col).
    const fn vertical(self, row: u32, col: u32) -> LinkId {
        LinkId(self.horizontal_links() + row * self.array.cols + col)
    }

    /// Returns the offset from `here` to `there`: dx = there mod C − here mod C, dy = there div C − here div
    /// C.
    #[inline]
    pub const fn offset(self, here: RouterId, there: RouterId) -> RouterOffset {
        let (row, col) = self.position(here);
        let (to_row, to_col) = self.position(there);
        RouterOffset {
            dx: to_col.cast_signed() - col.cast_signed(),
            dy: to_row.cast_signed() - row.cast_signed(),
        }
    }

    /// Returns the number of links of a shortest path (Manhattan distance).
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
        let double = Attachment { column_0_links: 2, ..Attachment::PAPER };
        let meshes = SHAPES.map(|(rows, cols)| Mesh::with(Array { rows, cols }, double));
        for mesh in meshes.into_iter().chain(SHAPES.map(|(rows, cols)| mesh(rows, cols))) {
            let Array { rows, cols } = mesh.array();
            let mut ends = vec![0; mesh.links() as usize];
            for router in (0..mesh.routers()).map(RouterId) {
                for port in Port::LINKS {
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
    fn second_ports_are_beside_the_first_or_at_the_other_end_of_the_row() {
        let with = |ports| Mesh::with(Array { rows: 3, cols: 4 }, Attachment { ports, ..Attachment::PAPER });
        let (two, both) = (with(ControllerPorts::Two), with(ControllerPorts::BothSides));
        assert_eq!((two.entrances(), both.entrances()), (6, 6));
        assert_eq!((two.entrance(4), both.entrance(4)), (RouterId(4), RouterId(7)));
        assert_eq!(
            (both.entrance(1), both.controller_at(4), both.entry_port(4)),
            (RouterId(4), 1, Port::SecondController)
        );
        assert_eq!([4, 5, 6, 7].map(|router| both.nearest(RouterId(router))), [0, 1, 1, 0]);
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
        assert_eq!(mesh.offset(RouterId(15), RouterId(2)), RouterOffset { dx: 2, dy: -3 });
        assert_eq!(mesh.offset(RouterId(4), RouterId(5)), RouterOffset { dx: -4, dy: 1 });
        assert_eq!(mesh.distance(RouterId(15), RouterId(2)), 5);
        assert_eq!(mesh.distance(RouterId(9), RouterId(9)), 0);
    }
}
