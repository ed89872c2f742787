//! Free links of a mesh as bit sets, and connectivity over them.
//!
//! # What it models
//! The outcome of a scout (a packet that searches and reserves a path) with unrestricted routing. It consists
//! of the routers that the scout can reach, and of its number of hops if it fails. The route is not
//! simulated.
//!
//! # How
//! Each router has one bit for its link to the right and one for its link upwards. A region of connected
//! routers is found by shifting the bits along free links until no router is added. An 8×8 mesh fits into one
//! word.
//!
//! A failing scout reserves each output port of a router at most once. It therefore crosses each link of its
//! region at most once in each direction. A bridge is the only link to the routers on its far side. The scout
//! therefore crosses it forward only once, and returns over it only in cancel mode. Each forward crossing is
//! undone by one hop back, so the scout makes at most 2 (2 · links − bridges) hops. A failed search that is
//! not simulated is assumed to take this maximum. Simulated scouts sometimes take fewer hops, because they do
//! not try ports that their own path uses. The number of these ports depends on the LFSR states;
//! `tests/venice_search.rs` measures the difference. [`super::Bridges`] finds the bridges.
//!
//! A cached region is valid until one of its links is taken or a link at its edge is released. A released
//! path merges the regions at its routers; the merged region is extended on demand. A reachability query
//! extends a region only until it contains the queried router. Such an incomplete region is marked, and can
//! be extended until one of its links is taken.

use super::bits::{self, moved_up};
use super::{Bridges, Mesh, Port, RouterId, RouterSet};

/// Index of a link. First come the links to the right and the links upwards, each in the order of their
/// routers. The second links of doubled links, which lead upwards, come last.
#[derive(Clone, Copy, Debug)]
pub struct LinkIndex(u32);

impl LinkIndex {
    /// Returns the link number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index of a link of `router`. `distance` is the result of [`FreeLinks::distance`] for the
    /// link's port.
    #[inline]
    pub const fn behind(router: RouterId, distance: i32) -> Self {
        Self(router.0.wrapping_add_signed(distance))
    }
}

/// Links of a path, and the routers at their ends.
#[derive(Clone, Debug)]
pub struct PathLinks {
    /// Bit set of link indices.
    links: Vec<u64>,
    routers: RouterSet,
}

impl PathLinks {
    /// Replaces the path by the links at `places`. The routers at their ends are computed only when the links
    /// are taken.
    #[inline]
    pub fn follow(&mut self, places: impl Iterator<Item = LinkIndex>) {
        let links = &mut self.links[..];
        links.fill(0);
        places.for_each(|place| links[place.index() / 64] |= 1 << (place.0 % 64));
    }

    /// Returns the routers at the ends of the links, computed when the links were last taken.
    #[inline]
    pub const fn routers(&self) -> &RouterSet {
        &self.routers
    }
}

/// Set of free links of a mesh.
#[derive(Clone, Debug)]
pub struct FreeLinks {
    columns: u32,
    /// Number of 64-bit words that hold one bit per router.
    words: usize,
    /// Bit set of the free links, by link index.
    free: Vec<u64>,
    /// Scratch space for meshes with doubled links: routers with a free link upwards. One free link of a pair
    /// suffices.
    above: Vec<u64>,
    bridges: Bridges,
    /// Cached regions, of which the first `known` are valid.
    regions: Vec<RouterRegion>,
    known: usize,
}

/// Region of routers that are connected by free links.
#[derive(Clone, Debug)]
struct RouterRegion {
    routers: RouterSet,
    /// True if the region may be incomplete: a link inside it or at its edge was released, or the search
    /// stopped early.
    may_grow: bool,
    /// Number of hops of a failed scout in the region; `None` until it has been computed.
    failed_hops: Option<u32>,
}

impl FreeLinks {
    /// Creates the link set of a mesh. Initially no link is free.
    pub fn new(mesh: Mesh) -> Self {
        let words = mesh.routers().div_ceil(64) as usize;
        let is_doubled = mesh.doubled_links() > 0;
        Self {
            columns: mesh.array().cols,
            words,
            free: vec![0; if is_doubled { 3 * words } else { 2 * words }],
            above: vec![0; if is_doubled { words } else { 0 }],
            bridges: Bridges::new(mesh.array()),
            regions: Vec::new(),
            known: 0,
        }
    }

    /// Returns the number of link indices.
    pub const fn places(&self) -> usize {
        64 * self.free.len()
    }

    /// Returns the difference between the index of a router's link at `port` and the router's number. It
    /// depends only on the port.
    pub const fn distance(&self, port: Port) -> i32 {
        let (all, columns) = ((64 * self.words as u32).cast_signed(), self.columns.cast_signed());
        match port {
            Port::Right | Port::Chip | Port::Controller | Port::SecondController => 0,
            Port::Left => -1,
            Port::Up => all,
            Port::Down => all - columns,
            Port::SecondUp => 2 * all,
            Port::SecondDown => 2 * all - columns,
        }
    }

    /// Returns the index of the link at `port` of `router`.
    pub const fn place(&self, router: RouterId, port: Port) -> LinkIndex {
        LinkIndex::behind(router, self.distance(port))
    }

    /// Marks a link as free. In a new set, all working links are marked in this way.
    pub fn give_back(&mut self, place: LinkIndex) {
        self.open(place);
        let (lower, upper) = self.ends(place);
        self.join(
            |routers| routers.contains(lower) || routers.contains(upper),
            |routers| {
                routers.insert(lower);
                routers.insert(upper);
            },
        );
    }

    #[inline]
    fn open(&mut self, place: LinkIndex) {
        self.free[place.index() / 64] |= 1 << (place.0 % 64);
    }

    /// Releases all links of a path.
    pub fn give_back_all(&mut self, path: &PathLinks) {
        self.free.iter_mut().zip(&path.links).for_each(|(free, links)| *free |= links);
        let path = &path.routers;
        self.join(|routers| routers.meets(path), |routers| routers.add(path));
    }

    /// Marks a free link as taken.
    pub fn take(&mut self, place: LinkIndex) {
        self.close(place);
        let lower = self.ends(place).0;
        self.forget(|routers| routers.contains(lower));
    }

    #[inline]
    fn close(&mut self, place: LinkIndex) {
        self.free[place.index() / 64] &= !(1 << (place.0 % 64));
    }

    /// Returns a path without links.
    pub fn no_links(&self) -> PathLinks {
        PathLinks { links: vec![0; self.free.len()], routers: RouterSet::of_words(self.words) }
    }

    /// Marks all links of a path as taken. The links must be free.
    pub fn take_all(&mut self, path: &mut PathLinks) {
        self.free.iter_mut().zip(&path.links).for_each(|(free, links)| *free &= !links);
        self.find_ends(path);
        self.forget(|routers| routers.meets(&path.routers));
    }

    /// Computes the routers at the ends of a path's links.
    pub fn find_ends(&self, path: &mut PathLinks) {
        // Compiled separately for the two usual mesh sizes.
        match (path.links.len(), self.columns) {
            (2, 8) => find_ends_of(path, 1, 8),
            (8, 16) => find_ends_of(path, 4, 16),
            (_, columns) => find_ends_of(path, self.words, columns),
        }
    }

    const fn ends(&self, place: LinkIndex) -> (RouterId, RouterId) {
        let all = 64 * self.words as u32;
        let (lower, step) = (place.0 % all, if place.0 < all { 1 } else { self.columns });
        (RouterId(lower), RouterId(lower + step))
    }

    /// Merges the cached regions for which `meet` is true into one, to which `add_to` adds the routers of the
    /// released links.
    #[inline]
    fn join(&mut self, meet: impl Fn(&RouterSet) -> bool, add_to: impl Fn(&mut RouterSet)) {
        let Some(first) = self.regions[..self.known].iter().position(|it| meet(&it.routers)) else { return };
        let (head, others) = self.regions[..self.known].split_at_mut(first + 1);
        let joined = &mut head[first];
        let mut place = 0;
        while first + 1 + place < self.known {
            if meet(&others[place].routers) {
                joined.routers.add(&others[place].routers);
                self.known -= 1;
                others.swap(place, self.known - first - 1);
            } else {
                place += 1;
            }
        }
        add_to(&mut joined.routers);
        (joined.may_grow, joined.failed_hops) = (true, None);
    }

    /// Discards the cached regions for which `holds` is true.
    #[inline]
    fn forget(&mut self, holds: impl Fn(&RouterSet) -> bool) {
        let mut place = 0;
        while place < self.known {
            if holds(&self.regions[place].routers) {
                self.known -= 1;
                self.regions.swap(place, self.known);
            } else {
                place += 1;
            }
        }
    }

    /// Returns all routers reachable from `start`.
    #[inline]
    pub fn region(&mut self, start: RouterId) -> &RouterSet {
        let place = self.find(start);
        &self.regions[place].routers
    }

    /// True if free links connect `start` and `goal`. The region is extended only as far as necessary.
    #[inline]
    pub fn joins(&mut self, start: RouterId, goal: RouterId) -> bool {
        let mut place = self.find_some(start);
        let region = &self.regions[place];
        if region.may_grow && !region.routers.contains(goal) {
            place = self.grow(place, Some(goal));
        }
        self.regions[place].routers.contains(goal)
    }

    /// Returns the maximum number of hops of a failed scout from `start`, forward and back.
    pub fn failed_hops(&mut self, start: RouterId) -> u32 {
        let place = self.find(start);
        if let Some(hops) = self.regions[place].failed_hops {
            return hops;
        }
        let hops = self.count_failed_hops(place);
        self.regions[place].failed_hops = Some(hops);
        hops
    }

    /// Returns the index of the complete region that contains `start`.
    fn find(&mut self, start: RouterId) -> usize {
        let place = self.find_some(start);
        if self.regions[place].may_grow { self.grow(place, None) } else { place }
    }

    /// Returns the index of a region that contains `start`; the region may be incomplete.
    #[inline]
    fn find_some(&mut self, start: RouterId) -> usize {
        let known = self.regions[..self.known].iter().position(|region| region.routers.contains(start));
        known.unwrap_or_else(|| self.begin(start))
    }

    /// Creates a region that contains only `start`.
    fn begin(&mut self, start: RouterId) -> usize {
        let place = self.known;
        if place == self.regions.len() {
            let routers = RouterSet::of_words(self.words);
            self.regions.push(RouterRegion { routers, may_grow: true, failed_hops: None });
        }
        self.known += 1;
        let region = &mut self.regions[place];
        region.routers.clear();
        region.routers.insert(start);
        (region.may_grow, region.failed_hops) = (true, None);
        place
    }

    /// Computes which routers of a mesh with doubled links are connected to the router above. One free link
    /// of a pair suffices.
    fn join_above(&mut self) {
        let (_, free) = self.free.split_at(self.words);
        for (above, (one, second)) in self.above.iter_mut().zip(free.iter().zip(&free[self.words..])) {
            *above = one | second;
        }
    }

    /// Extends a region until it contains `goal` or is complete. Merges it with other regions that it
    /// reaches. Returns the index of the result.
    fn grow(&mut self, place: usize, goal: Option<RouterId>) -> usize {
        self.join_above();
        let (right, up) = ways(&self.free, &self.above, self.words);
        let region = &mut self.regions[place];
        let goal = goal.map(|router| router.0);
        let is_whole = bits::grow_towards(region.routers.words_mut(), right, up, self.columns, goal);
        region.may_grow = !is_whole;
        self.regions.swap(0, place);
        if !is_whole {
            return 0;
        }
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
        let members = routers.words().iter().cycle();
        let links: u32 = self.free.iter().zip(members).map(|(links, it)| (links & it).count_ones()).sum();
        let is_tree = links + 1 == routers.len();
        if is_tree {
            return 2 * links;
        }
        let (right, up) = ways(&self.free, &self.above, self.words);
        self.bridges.find(routers.words(), right, up);
        2 * (2 * links - self.count_bridges())
    }

    /// Returns the number of bridges in the last searched region. If both links of a pair are free, neither
    /// is a bridge.
    fn count_bridges(&self) -> u32 {
        let (_, free) = self.free.split_at(self.words);
        let (one, second) = free.split_at(self.words);
        let of_one = |links: &[u64]| -> u32 { links.iter().map(|links| links.count_ones()).sum() };
        let above = self.bridges.up();
        let doubled = above
            .iter()
            .zip(one)
            .zip(second)
            .map(|((links, one), second)| (links & one & second).count_ones());
        of_one(self.bridges.right()) + of_one(above) - doubled.sum::<u32>()
    }
}

fn find_ends_of(path: &mut PathLinks, words: usize, columns: u32) {
    let (right, others) = path.links.split_at(words);
    let (up, second) = others.split_at(words);
    for (index, ends) in path.routers.words_mut()[..words].iter_mut().enumerate() {
        *ends = right[index] | moved_up(right, 1, index) | up[index] | moved_up(up, columns, index);
        if !second.is_empty() {
            *ends |= second[index] | moved_up(second, columns, index);
        }
    }
}

/// Returns two bit sets: the routers connected to their right neighbour, and the routers connected to their
/// upper neighbour.
fn ways<'a>(free: &'a [u64], above: &'a [u64], words: usize) -> (&'a [u64], &'a [u64]) {
    let (right, up) = free.split_at(words);
    (right, if above.is_empty() { up } else { above })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use venice_kernel::RandomStream;
    use venice_nand::geometry::Array;

    use super::*;
    use crate::Attachment;

    /// Creates the set of free links of a mesh. Each link is given by the router at its left or lower end and
    /// that router's port.
    fn board(rows: u32, cols: u32, links: &[(u32, Port)]) -> FreeLinks {
        // Links of column 0 may be doubled.
        let attachment = Attachment { column_0_links: 2, ..Attachment::PAPER };
        let mut board = FreeLinks::new(Mesh::with(Array { rows, cols }, attachment));
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
        let mut board = board(2, 2, &[(0, Port::Up), (0, Port::SecondUp)]);
        assert_eq!(board.failed_hops(lower), 8, "both, both ways, there and back");
        let [one, second] = [Port::Up, Port::SecondUp].map(|port| board.place(lower, port));
        board.take(one);
        assert!(board.region(lower).contains(upper));
        assert_eq!(board.failed_hops(lower), 2);
        board.take(second);
        assert!(!board.region(lower).contains(upper));
        board.give_back(one);
        assert!(board.region(lower).contains(upper));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn cached_regions_equal_recomputed_ones(
            shape in proptest::sample::select(&[(4, 4), (8, 8), (16, 16), (9, 9)][..]),
            seed in any::<u64>(),
        ) {
            let (mesh, mut chance) = (Mesh::new(Array { rows: shape.0, cols: shape.1 }), RandomStream::new(seed, "board"));
            let mut links: Vec<(u32, Port, bool)> = (0..mesh.routers())
                .flat_map(|router| [(router, Port::Right, false), (router, Port::Up, false)])
                .filter(|&(router, port, _)| mesh.neighbour(RouterId(router), port).is_some())
                .collect();
            let mut board = FreeLinks::new(mesh);
            for _ in 0..200 {
                for _ in 0..=chance.below(12) {
                    let which = chance.below(links.len() as u64) as usize;
                    let (router, port, is_free) = &mut links[which];
                    let place = board.place(RouterId(*router), *port);
                    if *is_free { board.take(place) } else { board.give_back(place) }
                    *is_free = !*is_free;
                }
                let mut fresh = FreeLinks::new(mesh);
                for &(router, port, _) in links.iter().filter(|link| link.2) {
                    fresh.give_back(fresh.place(RouterId(router), port));
                }
                for _ in 0..3 {
                    let [start, goal] = [(); 2].map(|()| RouterId(chance.below(u64::from(mesh.routers())) as u32));
                    prop_assert_eq!(board.joins(start, goal), fresh.region(start).contains(goal));
                    if chance.below(2) == 0 {
                        continue;
                    }
                    prop_assert_eq!(board.region(start), fresh.region(start));
                    prop_assert_eq!(board.failed_hops(start), fresh.failed_hops(start));
                }
            }
        }
    }
}
