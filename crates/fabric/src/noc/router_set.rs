//! Bit set of the routers of a mesh.
//!
//! Sets of meshes up to 16×16 routers are stored inline and processed without loops.

use super::RouterId;

/// Number of 64-bit words that store one bit for each router of a 16×16 mesh.
const NEAR: usize = 4;

/// Set of routers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterSet {
    near: [u64; NEAR],
    /// Number of words of `near` that the mesh uses; 0 if the words are in `far`.
    words: u8,
    /// Words of a mesh that is larger than 16×16; otherwise empty.
    far: Vec<u64>,
}

impl RouterSet {
    /// Creates an empty set for `routers` routers.
    pub fn none(routers: u32) -> Self {
        Self::of_words(routers.div_ceil(64) as usize)
    }

    /// Creates an empty set of `words` 64-bit words.
    pub(super) fn of_words(words: usize) -> Self {
        let is_far = words > NEAR;
        Self {
            near: [0; NEAR],
            words: if is_far { 0 } else { words as u8 },
            far: if is_far { vec![0; words] } else { Vec::new() },
        }
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        if self.far.is_empty() { &self.near[..usize::from(self.words)] } else { &self.far }
    }

    #[inline]
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        if self.far.is_empty() { &mut self.near[..usize::from(self.words)] } else { &mut self.far }
    }

    /// Returns the word that contains the bit of a router, and a mask with this bit.
    #[inline]
    fn word(&self, router: RouterId) -> (u64, u64) {
        let place = router.index() / 64;
        let word = if self.far.is_empty() { self.near[place % NEAR] } else { self.far[place] };
        (word, 1 << (router.0 % 64))
    }

    #[inline]
    fn word_mut(&mut self, router: RouterId) -> (&mut u64, u64) {
        let place = router.index() / 64;
        let word = if self.far.is_empty() { &mut self.near[place % NEAR] } else { &mut self.far[place] };
        (word, 1 << (router.0 % 64))
    }

    /// Replaces each word by a function of itself and of the corresponding words of other sets.
    #[inline]
    fn change<const OTHERS: usize>(
        &mut self,
        others: [&Self; OTHERS],
        change: impl Fn(u64, [u64; OTHERS]) -> u64,
    ) {
        for place in 0..NEAR {
            self.near[place] = change(self.near[place], others.map(|other| other.near[place]));
        }
        for place in 0..self.far.len() {
            self.far[place] = change(self.far[place], others.map(|other| other.far[place]));
        }
    }

    /// Inserts a router.
    #[inline]
    pub fn insert(&mut self, router: RouterId) {
        let (word, bit) = self.word_mut(router);
        *word |= bit;
    }

    /// True if `router` is a member.
    #[inline]
    pub fn contains(&self, router: RouterId) -> bool {
        let (word, bit) = self.word(router);
        word & bit != 0
    }

    /// True if the sets intersect.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let near = (0..NEAR).fold(0, |common, place| common | self.near[place] & other.near[place]);
        near != 0 || self.far.iter().zip(&other.far).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Returns the number of routers in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// True if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.near == [0; NEAR] && self.far.iter().all(|&word| word == 0)
    }

    /// Removes all routers.
    #[inline]
    pub fn clear(&mut self) {
        self.change([], |_, []| 0);
    }

    /// Sets every bit, including bits without a router.
    #[inline]
    pub fn fill(&mut self) {
        self.words_mut().fill(u64::MAX);
    }

    /// Replaces the set by a copy of `other` without an allocation.
    #[inline]
    pub fn become_like(&mut self, other: &Self) {
        self.change([other], |_, [theirs]| theirs);
    }

    /// Inserts all members of `other`.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.change([other], |mine, [theirs]| mine | theirs);
    }

    /// Inserts the routers of `some` that are not in `others`.
    #[inline]
    pub fn add_difference(&mut self, some: &Self, others: &Self) {
        self.change([some, others], |mine, [some, others]| mine | some & !others);
    }

    /// Removes a router.
    #[inline]
    pub fn remove(&mut self, router: RouterId) {
        let (word, bit) = self.word_mut(router);
        *word &= !bit;
    }

    /// Replaces the set by the complement of `other`. Bits without a router may be set, but are never read.
    #[inline]
    pub fn become_rest_of(&mut self, other: &Self) {
        self.change([other], |_, [theirs]| !theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_of(routers: u32, members: &[u32]) -> RouterSet {
        let mut set = RouterSet::none(routers);
        for &router in members {
            set.insert(RouterId(router));
        }
        set
    }

    /// Numbers of routers: a mesh that is stored inline, and a larger one.
    const SIZES: [u32; 2] = [130, 300];

    #[test]
    fn a_set_contains_its_inserted_members_in_any_word() {
        for routers in SIZES {
            let last = routers - 1;
            let mut few = set_of(routers, &[0, 63, 64, last]);
            assert!([0, 63, 64, last].into_iter().all(|router| few.contains(RouterId(router))));
            assert!([1, 62, 65, last - 1].into_iter().all(|router| !few.contains(RouterId(router))));
            few.add(&set_of(routers, &[1]));
            few.remove(RouterId(64));
            assert!(few.contains(RouterId(1)) && !few.contains(RouterId(64)) && few.len() == 4);
            let mut same = set_of(routers, &[2]);
            same.become_like(&few);
            assert_eq!(same, few);
            few.clear();
            assert!(few.is_empty() && !same.is_empty());
        }
    }

    #[test]
    fn two_sets_meet_where_they_share_a_router_and_nowhere_in_their_rest() {
        for routers in SIZES {
            let set = |members: &[u32]| set_of(routers, members);
            for shared in [100, routers - 1] {
                assert!(set(&[5, shared]).meets(&set(&[shared])) && !set(&[5, shared]).meets(&set(&[101])));
                let mut rest = set(&[]);
                rest.become_rest_of(&set(&[5, shared]));
                assert!(!rest.meets(&set(&[5, shared])) && rest.contains(RouterId(6)));
            }
            let mut left = set(&[7]);
            left.add_difference(&set(&[5, 64, routers - 1]), &set(&[5, 6]));
            assert_eq!(left, set(&[7, 64, routers - 1]));
        }
    }
}
