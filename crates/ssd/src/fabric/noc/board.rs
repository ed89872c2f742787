//! The free links of a mesh as bits, and what can be reached over them.
//!
//! # What it models
//! What a scout that may take any path finds, without sending it: which routers it can reach, and how many links it
//! crosses if its goal is not among them.
//!
//! # How
//! One bit a router for the link to its right and one for the link above it. A region grows from a router by shifting
//! its bits along free links until nothing is added: an 8×8 mesh is one word.
//!
//! A scout that reserves each output port of a router at most once, and fails, crosses a link of its region at most once in
//! each direction, and a bridge, by which alone what lies behind it is reached, forward once: it comes back over it in
//! cancel mode only. Each crossing forward is undone. So it makes at most 2 (2 · links − bridges) hops, and that is what
//! a failed scout is charged with where it is not walked. Some scouts spare themselves a few ports, which are their own
//! path whenever they pass; which ones depends on the registers. `tests/venice_search.rs` says how far the two are apart.
//! Which links are bridges is found once for each state of the board, see [`super::Bridges`].

use super::{Bridges, Mesh, RouterId, RouterSet, bits};

/// Where a link is on the board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place(u32);

/// The free links of a mesh.
#[derive(Clone, Debug)]
pub struct Board {
    columns: u32,
    /// By router: whether the link to its right is free; behind that, whether the link above it is.
    free: Vec<u64>,
    /// Words for each of the two.
    words: usize,
    bridges: Bridges,
    /// Whether no link has changed since the bridges were found.
    knows_bridges: bool,
    /// Regions, of which the first `known` were found since a link last changed: controllers share them.
    regions: Vec<RouterSet>,
    known: usize,
}

impl Board {
    /// The board of a mesh of which no link is free.
    pub fn new(mesh: Mesh) -> Self {
        let words = mesh.routers().div_ceil(64) as usize;
        Self {
            columns: mesh.array().cols,
            free: vec![0; 2 * words],
            words,
            bridges: Bridges::new(mesh.array()),
            knows_bridges: false,
            regions: Vec::new(),
            known: 0,
        }
    }

    /// The place of the link to the right of a router, or above it.
    pub const fn place(&self, router: RouterId, is_above: bool) -> Place {
        Place(router.0 + if is_above { 64 * self.words as u32 } else { 0 })
    }

    /// A free link is taken, or a taken one given back.
    #[inline]
    pub fn flip(&mut self, place: Place) {
        self.free[place.0 as usize / 64] ^= 1 << (place.0 % 64);
        (self.knows_bridges, self.known) = (false, 0);
    }

    /// All that can be reached from a router.
    #[inline]
    pub fn region(&mut self, start: RouterId) -> &RouterSet {
        let found = self.regions[..self.known].iter().position(|region| region.contains(start));
        let place = found.unwrap_or_else(|| self.find_region(start));
        &self.regions[place]
    }

    fn find_region(&mut self, start: RouterId) -> usize {
        let place = self.known;
        if place == self.regions.len() {
            self.regions.push(RouterSet::of_words(self.words));
        }
        self.known += 1;
        let region = &mut self.regions[place];
        region.clear();
        region.insert(start);
        let (right, up) = self.free.split_at(self.words);
        bits::grow(region.words_mut(), right, up, self.columns);
        place
    }

    /// The most links that a failed scout crosses, there and back, whose region this is.
    pub fn failed_hops(&mut self, region: &RouterSet) -> u32 {
        let (right, up) = self.free.split_at(self.words);
        if !self.knows_bridges {
            self.bridges.find(right, up);
            self.knows_bridges = true;
        }
        let count = |links: &[u64]| -> u32 {
            links.iter().zip(region.words()).map(|(links, region)| (links & region).count_ones()).sum()
        };
        let links = count(right) + count(up);
        let bridges = count(self.bridges.right()) + count(self.bridges.up());
        2 * (2 * links - bridges)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Port;
    use super::*;
    use crate::geometry::Array;

    /// The board of a mesh with these links, each from a router to the right or up.
    fn board(rows: u32, cols: u32, links: &[(u32, Port)]) -> Board {
        let mut board = Board::new(Mesh::new(Array { rows, cols }));
        for &(router, port) in links {
            board.flip(board.place(RouterId(router), port == Port::Up));
        }
        board
    }

    #[test]
    fn a_region_is_what_free_links_join() {
        use Port::{Right, Up};
        for (rows, cols) in [(4, 4), (9, 9), (2, 70), (70, 2)] {
            let corner = (rows - 1) * cols;
            let mut board = board(rows, cols, &[(0, Right), (1, Up), (corner, Right)]);
            let region = board.region(RouterId(0)).clone();
            let shared = [1, 1 + cols].map(|router| board.region(RouterId(router)).clone());
            assert_eq!(shared, [region.clone(), region.clone()]);
            for router in 0..rows * cols {
                let expected = [0, 1, 1 + cols].contains(&router);
                let expected = expected || (rows == 2 && router == corner);
                assert_eq!(region.contains(RouterId(router)), expected, "{router} of {rows}x{cols}");
            }
        }
    }

    #[test]
    fn a_link_that_is_taken_again_joins_nothing() {
        let mut board = board(2, 2, &[(0, Port::Right)]);
        assert!(board.region(RouterId(0)).contains(RouterId(1)));
        board.flip(board.place(RouterId(0), false));
        assert!(!board.region(RouterId(0)).contains(RouterId(1)));
    }

    #[test]
    fn links_on_a_round_way_count_twice_and_bridges_once() {
        use Port::{Right, Up};
        let hops = |links: &[(u32, Port)]| {
            let mut board = board(3, 3, links);
            let region = board.region(RouterId(0)).clone();
            board.failed_hops(&region)
        };
        assert_eq!(hops(&[]), 0);
        assert_eq!(hops(&[(0, Right)]), 2);
        assert_eq!(hops(&[(0, Right), (1, Right), (1, Up)]), 6, "a tree: each link there and back");
        let square = [(0, Right), (1, Up), (3, Right), (0, Up)];
        assert_eq!(hops(&square), 16, "a square: each link both ways, there and back");
        assert_eq!(hops(&[&square[..], &[(4, Right), (5, Up)]].concat()), 20, "and two bridges");
    }
}
