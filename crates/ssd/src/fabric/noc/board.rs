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
//! Which links are bridges see [`super::Bridges`]; in a tree all are.
//!
//! What was found of a region holds until a link of it is taken, or one at its edge is given back: then it grows on from what it was.

use super::{Bridges, Mesh, Port, RouterId, RouterSet, bits};

/// Where a link is on the board: by router first those to the right, then those above, then the second ones above.
#[derive(Clone, Copy, Debug)]
pub struct Place(u32);

impl Place {
    /// The number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The place so much further on.
    #[inline]
    pub const fn behind(router: RouterId, distance: i32) -> Self {
        Self(router.0.wrapping_add_signed(distance))
    }
}

/// The free links of a mesh.
#[derive(Clone, Debug)]
pub struct Board {
    columns: u32,
    /// By router: whether a link to its right is free; behind that, whether one above it is.
    free: Vec<u64>,
    /// The same for a second one; empty where no links are doubled.
    spare: Vec<u64>,
    /// Words for each of the two.
    words: usize,
    bridges: Bridges,
    /// What was found, of which the first `known` are of use.
    regions: Vec<Region>,
    known: usize,
    /// Routers at which a link was taken, or given back, since regions were last looked over.
    taken: RouterSet,
    given_back: RouterSet,
    has_changed: bool,
}

/// Routers that free links join.
#[derive(Clone, Debug)]
struct Region {
    routers: RouterSet,
    /// A link was given back at its edge, or within.
    may_grow: bool,
    /// What a scout that fails in it crosses, once that was asked for.
    failed_hops: Option<u32>,
}

impl Board {
    /// The board of a mesh of which no link is free.
    pub fn new(mesh: Mesh) -> Self {
        let words = mesh.routers().div_ceil(64) as usize;
        Self {
            columns: mesh.array().cols,
            free: vec![0; 2 * words],
            spare: if mesh.doubled_links() > 0 { vec![0; 2 * words] } else { Vec::new() },
            words,
            bridges: Bridges::new(mesh.array()),
            regions: Vec::new(),
            known: 0,
            taken: RouterSet::of_words(words),
            given_back: RouterSet::of_words(words),
            has_changed: false,
        }
    }

    /// How many places there are.
    pub const fn places(&self) -> usize {
        64 * self.words * if self.spare.is_empty() { 2 } else { 3 }
    }

    /// From a router's number to the place of the link behind a port.
    pub const fn distance(&self, port: Port) -> i32 {
        let (all, columns) = (64 * self.words as i32, self.columns.cast_signed());
        match port {
            Port::Right | Port::Chip | Port::Controller | Port::SecondController => 0,
            Port::Left => -1,
            Port::Up => all,
            Port::Down => all - columns,
            Port::SecondUp => 2 * all,
            Port::SecondDown => 2 * all - columns,
        }
    }

    /// The place of the link behind a port of a router.
    pub const fn place(&self, router: RouterId, port: Port) -> Place {
        Place::behind(router, self.distance(port))
    }

    /// The word, and the bit in it. Of two links that join the same routers it is the same.
    #[inline]
    const fn bit(&self, place: Place) -> (usize, u64) {
        let word = place.index() / 64;
        let is_second = word >= 2 * self.words;
        (if is_second { word - self.words } else { word }, 1 << (place.0 % 64))
    }

    /// A link is given back, for the first time when it is made.
    #[inline]
    pub fn give_back(&mut self, place: Place) {
        self.open(place);
        let (lower, upper) = self.ends(place);
        self.given_back.insert(lower);
        self.given_back.insert(upper);
        self.has_changed = true;
    }

    /// A link of a path is given back; [`Self::note_given_back`] follows.
    #[inline]
    pub fn open(&mut self, place: Place) {
        let (word, bit) = self.bit(place);
        if let Some(spare) = self.spare.get_mut(word) {
            *spare |= self.free[word] & bit;
        }
        self.free[word] |= bit;
    }

    /// Links were given back between some of these routers.
    #[inline]
    pub fn note_given_back(&mut self, routers: &RouterSet) {
        self.given_back.add(routers);
        self.has_changed = true;
    }

    /// A free link is taken.
    #[inline]
    pub fn take(&mut self, place: Place) {
        self.close(place);
        self.note_taken(self.ends(place).0);
    }

    /// A link of a path is taken; [`Self::note_taken`] follows, for one of its ends.
    #[inline]
    pub fn close(&mut self, place: Place) {
        let (word, bit) = self.bit(place);
        let link = match self.spare.get_mut(word) {
            Some(spare) if *spare & bit != 0 => spare,
            _ => &mut self.free[word],
        };
        *link &= !bit;
    }

    /// A link of this router was taken.
    #[inline]
    pub fn note_taken(&mut self, router: RouterId) {
        self.taken.insert(router);
        self.has_changed = true;
    }

    #[inline]
    fn ends(&self, place: Place) -> (RouterId, RouterId) {
        let all = 64 * self.words as u32;
        let (lower, step) = (place.0 % all, if place.0 < all { 1 } else { self.columns });
        (RouterId(lower), RouterId(lower + step))
    }

    /// All that can be reached from a router.
    #[inline]
    pub fn region(&mut self, start: RouterId) -> &RouterSet {
        let place = self.find(start);
        &self.regions[place].routers
    }

    /// The most links that a failed scout which set out from this router crosses, there and back.
    pub fn failed_hops(&mut self, start: RouterId) -> u32 {
        let place = self.find(start);
        if let Some(hops) = self.regions[place].failed_hops {
            return hops;
        }
        let hops = self.count_failed_hops(place);
        self.regions[place].failed_hops = Some(hops);
        hops
    }

    fn find(&mut self, start: RouterId) -> usize {
        if self.has_changed {
            self.look_over();
        }
        match self.regions[..self.known].iter().position(|region| region.routers.contains(start)) {
            Some(place) if self.regions[place].may_grow => self.grow(place),
            Some(place) => place,
            None => {
                let place = self.begin(start);
                self.grow(place)
            }
        }
    }

    /// Drops the regions in which a link was taken, and notes which may grow.
    fn look_over(&mut self) {
        let mut place = 0;
        while place < self.known {
            let region = &mut self.regions[place];
            if region.routers.meets(&self.taken) {
                self.known -= 1;
                self.regions.swap(place, self.known);
                continue;
            }
            if region.routers.meets(&self.given_back) {
                (region.may_grow, region.failed_hops) = (true, None);
            }
            place += 1;
        }
        self.taken.clear();
        self.given_back.clear();
        self.has_changed = false;
    }

    /// A region of one router.
    fn begin(&mut self, start: RouterId) -> usize {
        let place = self.known;
        if place == self.regions.len() {
            let routers = RouterSet::of_words(self.words);
            self.regions.push(Region { routers, may_grow: true, failed_hops: None });
        }
        self.known += 1;
        let region = &mut self.regions[place];
        region.routers.clear();
        region.routers.insert(start);
        region.failed_hops = None;
        place
    }

    /// Lets a region grow, into others that were apart from it, too: its place.
    fn grow(&mut self, place: usize) -> usize {
        let (right, up) = self.free.split_at(self.words);
        let region = &mut self.regions[place];
        bits::grow(region.routers.words_mut(), right, up, self.columns);
        region.may_grow = false;
        self.regions.swap(0, place);
        let (grown, others) = self.regions.split_at_mut(1);
        let mut other = 0;
        while other + 1 < self.known {
            if others[other].may_grow && others[other].routers.meets(&grown[0].routers) {
                self.known -= 1;
                others.swap(other, self.known - 1);
            } else {
                other += 1;
            }
        }
        0
    }

    fn count_failed_hops(&mut self, place: usize) -> u32 {
        let routers = &self.regions[place].routers;
        let within = |links: &[u64]| -> u32 {
            links
                .iter()
                .zip(routers.words().iter().cycle())
                .map(|(links, it)| (links & it).count_ones())
                .sum()
        };
        let (single, spare) = (within(&self.free), within(&self.spare));
        let is_tree = spare == 0 && single + 1 == routers.len();
        if is_tree {
            return 2 * single;
        }
        let (right, up) = self.free.split_at(self.words);
        self.bridges.find(routers.words(), right, up);
        let spare_up = self.spare.get(self.words..).unwrap_or_default();
        let of_one = |links: &[u64]| -> u32 { links.iter().map(|links| links.count_ones()).sum() };
        let doubled: u32 =
            self.bridges.up().iter().zip(spare_up).map(|(links, it)| (links & it).count_ones()).sum();
        let bridges = of_one(self.bridges.right()) + of_one(self.bridges.up()) - doubled;
        2 * (2 * (single + spare) - bridges)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use venice_kernel::RandomStream;

    use super::*;
    use crate::fabric::Attachment;
    use crate::geometry::Array;

    /// The board of a mesh with these links, each from a router to the right or up.
    fn board(rows: u32, cols: u32, links: &[(u32, Port)]) -> Board {
        // Links of column 0 may be double.
        let attachment = Attachment { column_0_links: 2, ..Attachment::PAPER };
        let mut board = Board::new(Mesh::with(Array { rows, cols }, attachment));
        for &(router, port) in links {
            board.give_back(board.place(RouterId(router), port));
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
        board.take(board.place(RouterId(0), Port::Right));
        assert!(!board.region(RouterId(0)).contains(RouterId(1)));
    }

    #[test]
    fn links_on_a_round_way_count_twice_and_bridges_once() {
        use Port::{Right, Up};
        let hops = |links: &[(u32, Port)]| {
            let mut board = board(3, 3, links);
            board.failed_hops(RouterId(0))
        };
        assert_eq!(hops(&[]), 0);
        assert_eq!(hops(&[(0, Right)]), 2);
        assert_eq!(hops(&[(0, Right), (1, Right), (1, Up)]), 6, "a tree: each link there and back");
        let square = [(0, Right), (1, Up), (3, Right), (0, Up)];
        assert_eq!(hops(&square), 16, "a square: each link both ways, there and back");
        assert_eq!(hops(&[&square[..], &[(4, Right), (5, Up)]].concat()), 20, "and two bridges");
    }

    #[test]
    fn of_two_links_between_the_same_routers_one_may_be_taken_and_neither_is_a_bridge() {
        let (lower, upper) = (RouterId(0), RouterId(2));
        let mut board = board(2, 2, &[(0, Port::Up), (0, Port::Up)]);
        assert_eq!(board.failed_hops(lower), 8, "both, both ways, there and back");
        let place = board.place(lower, Port::Up);
        board.take(place);
        assert!(board.region(lower).contains(upper));
        assert_eq!(board.failed_hops(lower), 2);
        board.take(place);
        assert!(!board.region(lower).contains(upper));
        board.give_back(place);
        assert!(board.region(lower).contains(upper));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn what_is_remembered_of_regions_is_what_is_found_afresh(
            shape in proptest::sample::select(&[(4, 4), (8, 8), (16, 16), (9, 9)][..]),
            seed in any::<u64>(),
        ) {
            let (mesh, mut chance) = (Mesh::new(Array { rows: shape.0, cols: shape.1 }), RandomStream::new(seed, "board"));
            let mut links: Vec<(u32, Port, bool)> = (0..mesh.routers())
                .flat_map(|router| [(router, Port::Right, false), (router, Port::Up, false)])
                .filter(|&(router, port, _)| mesh.neighbour(RouterId(router), port).is_some())
                .collect();
            let mut board = Board::new(mesh);
            for _ in 0..200 {
                for _ in 0..=chance.below(12) {
                    let which = chance.below(links.len() as u64) as usize;
                    let (router, port, is_free) = &mut links[which];
                    let place = board.place(RouterId(*router), *port);
                    if *is_free { board.take(place) } else { board.give_back(place) }
                    *is_free = !*is_free;
                }
                let mut fresh = Board::new(mesh);
                for &(router, port, _) in links.iter().filter(|link| link.2) {
                    fresh.give_back(fresh.place(RouterId(router), port));
                }
                for _ in 0..3 {
                    let start = RouterId(chance.below(u64::from(mesh.routers())) as u32);
                    prop_assert_eq!(board.region(start), fresh.region(start));
                    prop_assert_eq!(board.failed_hops(start), fresh.failed_hops(start));
                }
            }
        }
    }
}
