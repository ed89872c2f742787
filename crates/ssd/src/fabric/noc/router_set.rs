//! A set of a mesh's routers, one bit each.

use super::RouterId;

/// Some of a mesh's routers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterSet(Vec<u64>);

impl RouterSet {
    /// None of `routers` routers.
    pub fn none(routers: u32) -> Self {
        Self(vec![0; routers.div_ceil(64) as usize])
    }

    /// None of as many routers as these words have bits.
    pub(super) fn of_words(words: usize) -> Self {
        Self(vec![0; words])
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    #[inline]
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Adds a router.
    #[inline]
    pub fn insert(&mut self, router: RouterId) {
        self.0[router.index() / 64] |= 1 << (router.0 % 64);
    }

    /// Whether a router is a member.
    #[inline]
    pub fn contains(&self, router: RouterId) -> bool {
        self.0[router.index() / 64] & (1 << (router.0 % 64)) != 0
    }

    /// Whether both sets have a router in common.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// How many routers are members.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether no router is a member.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Leaves no router in the set.
    #[inline]
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Has every router in the set.
    #[inline]
    pub fn fill(&mut self) {
        self.0.fill(u64::MAX);
    }

    /// Adds every router of another set.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    /// Adds what `some` has and `others` has not.
    #[inline]
    pub fn add_difference(&mut self, some: &Self, others: &Self) {
        for ((mine, some), others) in self.0.iter_mut().zip(&some.0).zip(&others.0) {
            *mine |= some & !others;
        }
    }

    /// Takes a router out.
    #[inline]
    pub fn remove(&mut self, router: RouterId) {
        self.0[router.index() / 64] &= !(1 << (router.0 % 64));
    }

    /// Becomes what the other set lacks; bits beyond the mesh may be set, and nobody asks for them.
    #[inline]
    pub fn become_rest_of(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = !theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(members: &[u32]) -> RouterSet {
        let mut set = RouterSet::none(130);
        for &router in members {
            set.insert(RouterId(router));
        }
        set
    }

    #[test]
    fn a_set_has_what_was_added_to_it_in_any_word() {
        let mut few = set(&[0, 63, 64, 129]);
        assert!([0, 63, 64, 129].into_iter().all(|router| few.contains(RouterId(router))));
        assert!([1, 62, 65, 128].into_iter().all(|router| !few.contains(RouterId(router))));
        few.add(&set(&[1]));
        assert!(few.contains(RouterId(1)) && !few.is_empty());
        few.clear();
        assert!(few.is_empty());
    }

    #[test]
    fn two_sets_meet_where_they_share_a_router_and_nowhere_in_their_rest() {
        assert!(set(&[5, 100]).meets(&set(&[100])) && !set(&[5, 100]).meets(&set(&[101])));
        let mut rest = RouterSet::none(130);
        rest.become_rest_of(&set(&[5, 100]));
        assert!(!rest.meets(&set(&[5, 100])) && rest.contains(RouterId(6)));
    }
}
