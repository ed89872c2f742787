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
//! Bridges are found by depth-first search: R. E. Tarjan, "A note on finding the bridges of a graph", Information
//! Processing Letters 2(6), 1974.

use super::{Mesh, Port, RouterId, RouterSet};

/// The free links of a mesh.
#[derive(Clone, Debug)]
pub struct Board {
    columns: u32,
    /// By router: whether the link to its right is free.
    right: Vec<u64>,
    /// By router: whether the link above it is free.
    up: Vec<u64>,
    search: Bridges,
}

impl Board {
    /// The board of a mesh of which no link is free.
    pub fn new(mesh: Mesh) -> Self {
        let words = vec![0; mesh.routers().div_ceil(64) as usize];
        let search = Bridges { order: vec![0; mesh.routers() as usize], ..Bridges::default() };
        Self { columns: mesh.array().cols, right: words.clone(), up: words, search }
    }

    /// Says whether the link behind a mesh port of a router is free.
    #[inline]
    pub fn set(&mut self, router: RouterId, port: Port, free: bool) {
        let (bits, lower) = match port {
            Port::Right => (&mut self.right, router.0),
            Port::Left => (&mut self.right, router.0 - 1),
            Port::Up => (&mut self.up, router.0),
            Port::Down => (&mut self.up, router.0 - self.columns),
            Port::Chip | Port::Controller => return,
        };
        let (word, bit) = (&mut bits[lower as usize / 64], 1 << (lower % 64));
        *word = if free { *word | bit } else { *word & !bit };
    }

    /// Makes of `region`, which has some routers, all that can be reached from them.
    pub fn grow(&self, region: &mut RouterSet) {
        let region = region.words_mut();
        if let ([bits], [right], [up]) = (&mut *region, &self.right[..], &self.up[..]) {
            return grow_word(bits, *right, *up, self.columns);
        }
        while self.grow_once(region) {}
    }

    /// Whether a step along every free link added a router.
    fn grow_once(&self, region: &mut [u64]) -> bool {
        let mut has_grown = false;
        for index in 0..region.len() {
            let from_left = shifted_up(region, &self.right, 1, index);
            let from_below = shifted_up(region, &self.up, self.columns, index);
            let from_right = self.right[index] & shifted_down(region, 1, index);
            let from_above = self.up[index] & shifted_down(region, self.columns, index);
            let grown = region[index] | from_left | from_below | from_right | from_above;
            has_grown |= grown != region[index];
            region[index] = grown;
        }
        has_grown
    }

    /// The most links that a failed scout crosses, there and back, whose region this is and begins at `start`.
    pub fn failed_hops(&mut self, region: &RouterSet, start: RouterId) -> u32 {
        let count = |free: &[u64]| -> u32 {
            free.iter().zip(region.words()).map(|(free, region)| (free & region).count_ones()).sum()
        };
        let links = count(&self.right) + count(&self.up);
        if links < 2 {
            return 2 * links;
        }
        let (right, up, columns) = (&self.right, &self.up, self.columns);
        let has = |bits: &[u64], router: u32| bits[router as usize / 64] & (1 << (router % 64)) != 0;
        let bridges = self.search.count(start.0, |router, way| match way {
            0 => has(right, router).then(|| router + 1),
            1 => (router > 0 && has(right, router - 1)).then(|| router - 1),
            2 => has(up, router).then(|| router + columns),
            _ => (router >= columns && has(up, router - columns)).then(|| router - columns),
        });
        2 * (2 * links - bridges)
    }
}

fn grow_word(region: &mut u64, right: u64, up: u64, columns: u32) {
    loop {
        let across = *region | (*region & right) << 1 | (*region >> 1) & right;
        let along = across | shl(across & up, columns) | shr(across, columns) & up;
        if along == *region {
            return;
        }
        *region = along;
    }
}

fn shl(bits: u64, by: u32) -> u64 {
    bits.checked_shl(by).unwrap_or(0)
}

fn shr(bits: u64, by: u32) -> u64 {
    bits.checked_shr(by).unwrap_or(0)
}

/// One word of (`bits` and `mask`), each bit moved up by `by` places.
fn shifted_up(bits: &[u64], mask: &[u64], by: u32, index: usize) -> u64 {
    let word = |back: usize| index.checked_sub(back).map_or(0, |at| bits[at] & mask[at]);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) << part | if part == 0 { 0 } else { word(whole + 1) >> (64 - part) }
}

/// One word of `bits`, each bit moved down by `by` places.
fn shifted_down(bits: &[u64], by: u32, index: usize) -> u64 {
    let word = |ahead: usize| bits.get(index + ahead).copied().unwrap_or(0);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) >> part | if part == 0 { 0 } else { word(whole + 1) << (64 - part) }
}

/// A router on the way of the search for bridges.
#[derive(Clone, Copy, Debug)]
struct Visit {
    router: u32,
    /// The way by which it was entered, seen from here; 4 at the start.
    back: u8,
    /// The next way to be tried.
    next: u8,
    /// The earliest router that it or what lies behind it is joined to, not counting the way back.
    low: u32,
}

/// The search for bridges, with its memory.
#[derive(Clone, Debug, Default)]
struct Bridges {
    /// By router: when it was entered in the latest search, counting on from search to search.
    order: Vec<u32>,
    clock: u32,
    way: Vec<Visit>,
}

impl Bridges {
    /// The bridges of what is reached from `start`; `neighbour` is asked for each router's ways 0 to 3, of which 0 and 1
    /// lead opposite ways, and so do 2 and 3.
    fn count(&mut self, start: u32, neighbour: impl Fn(u32, u8) -> Option<u32>) -> u32 {
        if self.clock > u32::MAX / 2 {
            self.clock = 0;
            self.order.fill(0);
        }
        let (before, mut bridges) = (self.clock, 0);
        self.enter(start, 4);
        while let Some(visit) = self.way.last_mut() {
            if visit.next == 4 {
                bridges += self.leave();
                continue;
            }
            let (way, router) = (visit.next, visit.router);
            visit.next += 1;
            if way == visit.back {
                continue;
            }
            let Some(other) = neighbour(router, way) else { continue };
            let entered = self.order[other as usize];
            if entered > before {
                visit.low = visit.low.min(entered);
            } else {
                self.enter(other, way ^ 1);
            }
        }
        bridges
    }

    fn enter(&mut self, router: u32, back: u8) {
        self.clock += 1;
        self.order[router as usize] = self.clock;
        self.way.push(Visit { router, back, next: 0, low: self.clock });
    }

    /// Leaves the router at the end of the way: 1 if the link back from it is a bridge.
    fn leave(&mut self) -> u32 {
        let Some(done) = self.way.pop() else { return 0 };
        let Some(before) = self.way.last_mut() else { return 0 };
        before.low = before.low.min(done.low);
        u32::from(done.low == self.order[done.router as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Array;

    /// The board of a mesh with these links, each from a router to the right or up.
    fn board(rows: u32, cols: u32, links: &[(u32, Port)]) -> Board {
        let mut board = Board::new(Mesh::new(Array { rows, cols }));
        for &(router, port) in links {
            board.set(RouterId(router), port, true);
        }
        board
    }

    fn region(board: &Board, routers: u32, start: u32) -> RouterSet {
        let mut region = RouterSet::none(routers);
        region.insert(RouterId(start));
        board.grow(&mut region);
        region
    }

    #[test]
    fn a_region_is_what_free_links_join() {
        use Port::{Right, Up};
        for (rows, cols) in [(4, 4), (9, 9), (2, 70), (70, 2)] {
            let corner = (rows - 1) * cols;
            let board = board(rows, cols, &[(0, Right), (1, Up), (corner, Right)]);
            let region = region(&board, rows * cols, 0);
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
        board.set(RouterId(1), Port::Left, false);
        assert!(!region(&board, 4, 0).contains(RouterId(1)));
    }

    #[test]
    fn links_on_a_round_way_count_twice_and_bridges_once() {
        use Port::{Right, Up};
        let hops = |links: &[(u32, Port)]| {
            let mut board = board(3, 3, links);
            let region = region(&board, 9, 0);
            board.failed_hops(&region, RouterId(0))
        };
        assert_eq!(hops(&[]), 0);
        assert_eq!(hops(&[(0, Right)]), 2);
        assert_eq!(hops(&[(0, Right), (1, Right), (1, Up)]), 6, "a tree: each link there and back");
        let square = [(0, Right), (1, Up), (3, Right), (0, Up)];
        assert_eq!(hops(&square), 16, "a square: each link both ways, there and back");
        assert_eq!(hops(&[&square[..], &[(4, Right), (5, Up)]].concat()), 20, "and two bridges");
    }
}
