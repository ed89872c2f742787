//! Bridges of a mesh: links whose removal disconnects their ends.
//!
//! # How
//! A mesh is a plane graph. Each square of four routers is called a *cell*. Each link is a *wall* between two
//! cells, or between a cell and the outside. Where a link is missing, the cells on both sides belong to one
//! face of the graph. A link is a bridge exactly if the same face is on both of its sides (the dual of a
//! bridge is a loop; R. Diestel, "Graph Theory", §4.6). Only links between routers of the examined region
//! count as walls. There are therefore few faces, and most walls lie inside the outer face, which is found by
//! flood fill.
//!
//! Under load few links are free, so the outer face covers most of the grid and decides most walls. Only
//! inner faces with at least four cells can have walls between two of their own cells. These faces are found
//! one by one, each from an undecided wall. Every step processes all cells of a word at once.

use venice_nand::geometry::Array;

use super::bits::{self, moved_down, moved_up, moved_up_within};

/// Finder of the bridges of a mesh: links whose removal disconnects routers. A cell or link has the number of
/// the router at its lower left.
#[derive(Clone, Debug)]
pub struct Bridges {
    columns: u32,
    shape: GridShape,
    /// Two bits for each cell: the first is set if the cell and its right neighbour belong to the same face,
    /// the second if the cell and its upper neighbour do.
    joined: GridLinks,
    /// Cells of the outer face.
    outside: Vec<u64>,
    /// Cells of inner faces with at least four cells.
    inside: Vec<u64>,
    /// Scratch space for a set of cells.
    middle: Vec<u64>,
    walls: GridLinks,
    found: GridLinks,
}

/// Set of links, or of missing links, of a grid. Each router has one bit for the link to its right and one
/// for the link above it.
#[derive(Clone, Debug)]
struct GridLinks {
    right: Vec<u64>,
    up: Vec<u64>,
}

/// Masks of the first and last row and column of the grid.
#[derive(Clone, Debug)]
struct GridShape {
    cells: Vec<u64>,
    /// Bit set of the routers in the first row. The fields for the last row and for the outer columns have
    /// the same form.
    first_row: Vec<u64>,
    last_row: Vec<u64>,
    first_column: Vec<u64>,
    last_column: Vec<u64>,
}

impl GridShape {
    fn new(array: Array) -> Self {
        let Array { rows, cols } = array;
        let places = |is_it: &dyn Fn(u32, u32) -> bool| {
            let mut words = vec![0; (rows * cols).div_ceil(64) as usize];
            for place in (0..rows * cols).filter(|place| is_it(place / cols, place % cols)) {
                words[place as usize / 64] |= 1 << (place % 64);
            }
            words
        };
        Self {
            cells: places(&|row, col| row + 1 < rows && col + 1 < cols),
            first_row: places(&|row, _| row == 0),
            last_row: places(&|row, _| row + 1 == rows),
            first_column: places(&|_, col| col == 0),
            last_column: places(&|_, col| col + 1 == cols),
        }
    }
}

impl Bridges {
    /// Creates a finder for a mesh of this shape.
    pub fn new(array: Array) -> Self {
        let shape = GridShape::new(array);
        let none = vec![0; shape.cells.len()];
        let links = GridLinks { right: none.clone(), up: none.clone() };
        Self {
            columns: array.cols,
            shape,
            joined: links.clone(),
            outside: none.clone(),
            inside: none.clone(),
            middle: none,
            walls: links.clone(),
            found: links,
        }
    }

    /// Returns the bridges to the right of routers that [`Self::find`] has found, as a bit set of routers.
    #[inline]
    pub fn right(&self) -> &[u64] {
        &self.found.right
    }

    /// Returns the bridges above routers that [`Self::find`] has found, as a bit set of routers.
    #[inline]
    pub fn up(&self) -> &[u64] {
        &self.found.up
    }

    /// Finds the bridges among the links of `region`. The bits in `right` and `up` mark routers with a link
    /// to their right or upwards.
    pub fn find(&mut self, region: &[u64], right: &[u64], up: &[u64]) {
        for (index, region) in region.iter().enumerate() {
            self.walls.right[index] = right[index] & region;
            self.walls.up[index] = up[index] & region;
        }
        // Compiled separately for the two usual mesh sizes.
        match (self.outside.len(), self.columns) {
            (1, 8) => self.find_of(1, 8),
            (4, 16) => self.find_of(4, 16),
            (words, columns) => self.find_of(words, columns),
        }
    }

    fn find_of(&mut self, words: usize, columns: u32) {
        self.join_cells(words, columns);
        if self.find_outside(words, columns) {
            self.find_large_rooms(words, columns);
            if self.find_walls_inside(words, columns) {
                self.find_inside(words, columns);
            }
        }
    }

    /// Joins neighbouring cells without a wall between them. Sets the outer face to the cells that are open
    /// to the outside.
    fn join_cells(&mut self, words: usize, columns: u32) {
        let GridLinks { right, up } = &self.walls;
        let shape = &self.shape;
        for index in 0..words {
            let cells = shape.cells[index];
            let no_wall_right = cells & !moved_down(up, 1, index);
            let no_wall_above = cells & !moved_down(right, columns, index);
            let has_neighbour_right = moved_down(&shape.cells, 1, index);
            let has_neighbour_above = moved_down(&shape.cells, columns, index);
            self.joined.right[index] = no_wall_right & has_neighbour_right;
            self.joined.up[index] = no_wall_above & has_neighbour_above;
            let no_wall_left = cells & shape.first_column[index] & !up[index];
            let no_wall_below = cells & shape.first_row[index] & !right[index];
            self.outside[index] = no_wall_left
                | no_wall_below
                | no_wall_right & !has_neighbour_right
                | no_wall_above & !has_neighbour_above;
        }
    }

    /// Extends the outer face, which includes everything beyond the last row and column. Returns true if
    /// there are walls that do not touch this face.
    fn find_outside(&mut self, words: usize, columns: u32) -> bool {
        bits::grow(&mut self.outside, &self.joined.right, &self.joined.up, columns);
        let GridLinks { right, up } = &self.walls;
        let (shape, outside, mut inside) = (&self.shape, &self.outside, 0);
        for index in 0..words {
            let below = moved_up(outside, columns, index) | shape.first_row[index];
            let left = moved_up(outside, 1, index) | shape.first_column[index];
            let above = outside[index] | shape.last_row[index];
            let to_right = outside[index] | shape.last_column[index];
            self.found.right[index] = right[index] & below & above;
            self.found.up[index] = up[index] & left & to_right;
            inside |= right[index] & !(below | above) | up[index] & !(left | to_right);
        }
        inside != 0
    }

    /// Finds the cells of inner faces with at least four cells. Smaller faces have no wall between two of
    /// their own cells.
    fn find_large_rooms(&mut self, words: usize, columns: u32) {
        let Self { joined: GridLinks { right, up }, inside, outside, middle, .. } = self;
        // Cells with at least two neighbours in their face.
        for index in 0..words {
            let (left, down) = (moved_up(right, 1, index), moved_up(up, columns, index));
            let (across, along) = (right[index] | left, up[index] | down);
            inside[index] = right[index] & left | up[index] & down | across & along;
        }
        // A face has at least four cells if two such cells are adjacent, or if a cell has three neighbours in
        // it.
        for index in 0..words {
            let (left, down) = (moved_up(right, 1, index), moved_up(up, columns, index));
            let three = right[index] & left & (up[index] | down) | up[index] & down & (right[index] | left);
            let beside = right[index] & moved_down(inside, 1, index)
                | moved_up_within(inside, right, 1, index)
                | up[index] & moved_down(inside, columns, index)
                | moved_up_within(inside, up, columns, index);
            middle[index] = three | inside[index] & beside;
        }
        for index in 0..words {
            let beside = right[index] & moved_down(middle, 1, index)
                | moved_up_within(middle, right, 1, index)
                | up[index] & moved_down(middle, columns, index)
                | moved_up_within(middle, up, columns, index);
            inside[index] = (middle[index] | beside) & !outside[index];
        }
    }

    /// Keeps only walls between two cells of large inner faces (four or more cells). Returns true if there
    /// are any.
    fn find_walls_inside(&mut self, words: usize, columns: u32) -> bool {
        let (inside, mut all) = (&self.inside, 0);
        for index in 0..words {
            self.walls.right[index] &= inside[index] & moved_up(inside, columns, index);
            self.walls.up[index] &= inside[index] & moved_up(inside, 1, index);
            all |= self.walls.right[index] | self.walls.up[index];
        }
        all != 0
    }

    /// Marks the links (walls) that have the same inner face on both sides as bridges. These faces are found
    /// one by one, each from one of the remaining walls.
    fn find_inside(&mut self, words: usize, columns: u32) {
        let Self { walls, joined, found, middle: room, .. } = self;
        for first in 0..words {
            while let left = walls.right[first] | walls.up[first]
                && left != 0
            {
                room.fill(0);
                room[first] = left & left.wrapping_neg();
                bits::grow(room, &joined.right, &joined.up, columns);
                for index in first..words {
                    let (below, left) = (moved_up(room, columns, index), moved_up(room, 1, index));
                    let (right, up) = (&mut walls.right[index], &mut walls.up[index]);
                    found.right[index] |= *right & room[index] & below;
                    found.up[index] |= *up & room[index] & left;
                    (*right, *up) = (*right & !(room[index] | below), *up & !(room[index] | left));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FreeLinks, Mesh, Port, RouterId, RouterSet};
    use super::*;

    const SHAPES: [(u32, u32); 9] =
        [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (8, 8), (9, 9), (16, 16), (2, 70)];

    /// Returns the links of a mesh, each by the router at its left or lower end and that router's port.
    fn links(mesh: Mesh) -> Vec<(RouterId, Port)> {
        let routers = (0..mesh.routers()).map(RouterId);
        let ways = routers.flat_map(|router| [Port::Right, Port::Up].map(|port| (router, port)));
        ways.filter(|&(router, port)| mesh.neighbour(router, port).is_some()).collect()
    }

    fn words(mesh: Mesh, links: &[(RouterId, Port)], port: Port) -> Vec<u64> {
        let mut bits = RouterSet::none(mesh.routers());
        links.iter().filter(|link| link.1 == port).for_each(|link| bits.insert(link.0));
        bits.words().to_vec()
    }

    /// True if removal of the link would disconnect the routers at its ends.
    fn is_bridge(mesh: Mesh, links: &[(RouterId, Port)], link: (RouterId, Port)) -> bool {
        let mut board = FreeLinks::new(mesh);
        for &(router, port) in links.iter().filter(|&&other| other != link) {
            board.give_back(board.place(router, port));
        }
        !board.region(link.0).contains(mesh.neighbour(link.0, link.1).expect("a link joins two routers"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_link_is_a_bridge_if_its_ends_are_apart_without_it(
            shape in proptest::sample::select(&SHAPES[..]),
            seed in any::<[u64; 4]>(),
            density in 1_u64..16,
        ) {
            let array = Array { rows: shape.0, cols: shape.1 };
            let mesh = Mesh::new(array);
            let mut all = links(mesh);
            let mut place = 0_u32;
            all.retain(|_| {
                place += 1;
                let bits = seed[place as usize % 4].rotate_left(place * 7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (bits >> 60) < density
            });
            let mut bridges = Bridges::new(array);
            let everywhere = vec![u64::MAX; words(mesh, &all, Port::Up).len()];
            bridges.find(&everywhere, &words(mesh, &all, Port::Right), &words(mesh, &all, Port::Up));
            let expected: Vec<_> = all.iter().copied().filter(|&link| is_bridge(mesh, &all, link)).collect();
            prop_assert_eq!(bridges.right(), words(mesh, &expected, Port::Right));
            prop_assert_eq!(bridges.up(), words(mesh, &expected, Port::Up));
        }
    }
}
