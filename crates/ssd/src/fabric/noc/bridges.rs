//! The links of a mesh without which what lies behind them is cut off.
//!
//! # How
//! A mesh is drawn without crossings, so its links are walls between cells: the squares of four routers, and the outside.
//! A missing link is a gap in a wall, by which the cells on both sides are one room. A link is a bridge exactly if the same
//! room lies on both sides of it: the dual of a bridge is a loop (R. Diestel, "Graph Theory", §4.6). Only the links of one region are walls, so that there
//! are as few rooms as it has round ways, and most walls stand in the outside, which grows over bits as regions do. Of the cells that
//! are left those of one room are given one name, a cell at a time (Rosenfeld and Pfaltz, "Sequential Operations in Digital Picture
//! Processing", J. ACM 1966).

use super::bits::{self, moved_down, moved_up, ones};
use crate::geometry::Array;

/// All bridges among the links of a mesh. A cell, as a link, has the number of the router at its lower left.
#[derive(Clone, Debug)]
pub struct Bridges {
    columns: u32,
    shape: Shape,
    /// The cells whose right, and whose upper, neighbour is in the same room.
    joined: Links,
    /// The cells that are one room with the outside.
    outside: Vec<u64>,
    /// The other cells, but for those that are a room each.
    inside: Vec<u64>,
    /// By cell of these: itself, or another of its room that stands for it.
    names: Vec<u32>,
    walls: Links,
    found: Links,
}

/// By router: whether the link, or gap, to the right of it, and above it, is one of these.
#[derive(Clone, Debug)]
struct Links {
    right: Vec<u64>,
    up: Vec<u64>,
}

/// Parts of the grid.
#[derive(Clone, Debug)]
struct Shape {
    cells: Vec<u64>,
    /// Routers of the first and the last row and column.
    first_row: Vec<u64>,
    last_row: Vec<u64>,
    first_column: Vec<u64>,
    last_column: Vec<u64>,
}

impl Shape {
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
    /// None found yet, in a mesh of this shape.
    pub fn new(array: Array) -> Self {
        let shape = Shape::new(array);
        let none = vec![0; shape.cells.len()];
        let links = Links { right: none.clone(), up: none.clone() };
        Self {
            columns: array.cols,
            shape,
            joined: links.clone(),
            outside: none.clone(),
            inside: none,
            names: vec![0; array.chips() as usize],
            walls: links.clone(),
            found: links,
        }
    }

    /// The bridges found, by router: the link to its right.
    #[inline]
    pub fn right(&self) -> &[u64] {
        &self.found.right
    }

    /// The bridges found, by router: the link above it.
    #[inline]
    pub fn up(&self) -> &[u64] {
        &self.found.up
    }

    /// Finds the bridges of a region, where the mesh's links, by router, go to the right and up.
    pub fn find(&mut self, region: &[u64], right: &[u64], up: &[u64]) {
        for (index, region) in region.iter().enumerate() {
            self.walls.right[index] = right[index] & region;
            self.walls.up[index] = up[index] & region;
        }
        // What follows is compiled by itself for the two usual shapes.
        match (self.outside.len(), self.columns) {
            (1, 8) => self.find_of(1, 8),
            (4, 16) => self.find_of(4, 16),
            (words, columns) => self.find_of(words, columns),
        }
    }

    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn find_of(&mut self, words: usize, columns: u32) {
        self.join_cells(words, columns);
        self.find_outside(words, columns);
        if self.find_walls_inside(words, columns) {
            self.name_rooms(words, columns);
            self.find_inside(words, columns);
        }
    }

    /// Cells with no wall between them are in one room; those with a gap to the outside are where that begins.
    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn join_cells(&mut self, words: usize, columns: u32) {
        let Links { right, up } = &self.walls;
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

    /// The outside is one room, and has no cell beyond the last router of a row or column.
    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn find_outside(&mut self, words: usize, columns: u32) {
        bits::grow(&mut self.outside, &self.joined.right, &self.joined.up, columns);
        let Links { right, up } = &self.walls;
        let (shape, outside) = (&self.shape, &self.outside);
        for index in 0..words {
            let below = moved_up(outside, columns, index) | shape.first_row[index];
            let left = moved_up(outside, 1, index) | shape.first_column[index];
            self.found.right[index] = right[index] & below & (outside[index] | shape.last_row[index]);
            self.found.up[index] = up[index] & left & (outside[index] | shape.last_column[index]);
        }
    }

    /// Leaves only walls between cells inside. Whether there are any.
    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn find_walls_inside(&mut self, words: usize, columns: u32) -> bool {
        let Links { right: joined_right, up: joined_up } = &self.joined;
        for index in 0..words {
            let in_large_room = joined_right[index]
                | joined_up[index]
                | moved_up(joined_right, 1, index)
                | moved_up(joined_up, columns, index);
            self.inside[index] = in_large_room & !self.outside[index];
        }
        let (inside, mut all) = (&self.inside, 0);
        for index in 0..words {
            self.walls.right[index] &= inside[index] & moved_up(inside, columns, index);
            self.walls.up[index] &= inside[index] & moved_up(inside, 1, index);
            all |= self.walls.right[index] | self.walls.up[index];
        }
        all != 0
    }

    /// Cells of one room come to have one name.
    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn name_rooms(&mut self, words: usize, columns: u32) {
        for index in 0..words {
            let joined_left = moved_up(&self.joined.right, 1, index);
            let joined_below = moved_up(&self.joined.up, columns, index);
            for bit in ones(self.inside[index]) {
                let cell = 64 * index as u32 + bit;
                self.names[cell as usize] = cell;
                // Without a branch for each way, which would be guessed wrong as often as not.
                let left = cell - (joined_left >> bit & 1) as u32;
                let below = cell - columns * (joined_below >> bit & 1) as u32;
                let (left, below) = (self.name(left), self.name(below));
                let name = left.min(below);
                self.names[left.max(below) as usize] = name;
                self.names[cell as usize] = name;
            }
        }
    }

    /// The name of a cell's room.
    #[inline]
    fn name(&self, mut cell: u32) -> u32 {
        while self.names[cell as usize] != cell {
            cell = self.names[cell as usize];
        }
        cell
    }

    /// A wall with one room on both sides is a bridge.
    #[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
    #[inline(always)]
    fn find_inside(&mut self, words: usize, columns: u32) {
        for index in 0..words {
            let in_one_room = |walls: u64, step: u32| {
                ones(walls).fold(0, |found, bit| {
                    let cell = 64 * index as u32 + bit;
                    found | u64::from(self.name(cell) == self.name(cell - step)) << bit
                })
            };
            let right = in_one_room(self.walls.right[index], columns);
            let up = in_one_room(self.walls.up[index], 1);
            self.found.right[index] |= right;
            self.found.up[index] |= up;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Board, Mesh, Port, RouterId, RouterSet};
    use super::*;

    const SHAPES: [(u32, u32); 9] =
        [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (8, 8), (9, 9), (16, 16), (2, 70)];

    /// The links of a mesh, each from a router to the right or up.
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

    /// Without the link its two ends are not joined.
    fn is_bridge(mesh: Mesh, links: &[(RouterId, Port)], link: (RouterId, Port)) -> bool {
        let mut board = Board::new(mesh);
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
