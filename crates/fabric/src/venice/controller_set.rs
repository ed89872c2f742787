//! Bit set of controllers.
//!
//! A condition is evaluated for all controllers of a 64-bit word before those that satisfy it are processed.
//! This avoids a branch per controller, which would often be mispredicted.

use super::ControllerId;

/// Set of controllers, in ascending order.
#[derive(Clone, Debug)]
pub(super) struct ControllerSet(Vec<u64>);

impl ControllerSet {
    /// Creates an empty set for `count` controllers.
    pub(super) fn none(count: u32) -> Self {
        Self(vec![0; count.div_ceil(64) as usize])
    }

    /// Inserts or removes a controller.
    #[inline]
    pub(super) fn put(&mut self, who: ControllerId, is_member: bool) {
        let (word, place) = (&mut self.0[who.index() / 64], who.0 % 64);
        *word = *word & !(1 << place) | u64::from(is_member) << place;
    }

    /// True if controller `who` is in the set; false if there is no such controller.
    #[inline]
    pub(super) fn contains(&self, who: ControllerId) -> bool {
        self.0.get(who.index() / 64).is_some_and(|word| word >> (who.0 % 64) & 1 == 1)
    }

    /// Returns the member with the number nearest to `to` for which `holds` is true. On a tie, returns the
    /// one with the lower number.
    #[inline]
    pub(super) fn nearest(&self, to: u32, holds: impl Fn(ControllerId) -> bool) -> Option<ControllerId> {
        if let [all] = self.0[..] {
            return nearest_of(all, to, holds);
        }
        self.iter().filter(|&who| holds(who)).min_by_key(|who| (to.abs_diff(who.0), who.0))
    }

    /// Returns the number of 64-bit words.
    #[inline]
    pub(super) const fn words(&self) -> usize {
        self.0.len()
    }

    /// Returns the members that are stored in one word. Later changes of the set do not affect the result.
    #[inline]
    pub(super) fn members(&self, word: usize) -> ControllerIterator {
        ControllerIterator { first: 64 * word as u32, bits: self.0[word] }
    }

    /// Iterates over all members in ascending order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = ControllerId> {
        (0..self.words()).flat_map(|word| self.members(word))
    }
}

/// Returns the nearest member, as [`ControllerSet::nearest`] does, for a set that consists of one word.
#[inline]
fn nearest_of(all: u64, to: u32, holds: impl Fn(ControllerId) -> bool) -> Option<ControllerId> {
    let up_to = u64::MAX >> (63 - to);
    let (mut lower, mut upper) = (all & up_to, all & !up_to);
    while lower | upper != 0 {
        let (below, above) = (63_u32.wrapping_sub(lower.leading_zeros()), upper.trailing_zeros());
        let takes_lower = upper == 0 || lower != 0 && to - below <= above - to;
        let who = ControllerId(if takes_lower { below } else { above });
        if holds(who) {
            return Some(who);
        }
        if takes_lower {
            lower &= !(1 << below);
        } else {
            upper &= upper - 1;
        }
    }
    None
}

/// Iterator over up to 64 controllers in ascending order.
#[derive(Clone, Debug)]
pub(super) struct ControllerIterator {
    first: u32,
    bits: u64,
}

impl ControllerIterator {
    /// Keeps only the controllers for which `holds` is true.
    #[inline]
    pub(super) fn that(self, holds: impl Fn(ControllerId) -> bool) -> Self {
        let first = self.first;
        let bits = self.fold(0, |bits, who| bits | u64::from(holds(who)) << (who.0 % 64));
        Self { first, bits }
    }
}

impl Iterator for ControllerIterator {
    type Item = ControllerId;

    #[inline]
    fn next(&mut self) -> Option<ControllerId> {
        let place = (self.bits != 0).then(|| self.bits.trailing_zeros())?;
        self.bits &= self.bits - 1;
        Some(ControllerId(self.first + place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_member_is_found_in_one_word_as_in_several() {
        for bits in [0_u64, 1, 0x8000_0000_0000_0000, 0x0010_0108_4000_2101, u64::MAX] {
            let (one, several) = (ControllerSet(vec![bits]), ControllerSet(vec![bits, 0]));
            for to in 0..64 {
                for holds in [|_| true, |who: ControllerId| who.0 % 3 == 1, |_| false] {
                    assert_eq!(one.nearest(to, holds), several.nearest(to, holds), "{bits:x} to {to}");
                }
            }
        }
    }

    #[test]
    fn members_come_in_order_and_by_condition() {
        let mut set = ControllerSet::none(130);
        for number in [129, 0, 64, 63, 65] {
            set.put(ControllerId(number), true);
        }
        set.put(ControllerId(64), false);
        assert_eq!(set.iter().map(|who| who.0).collect::<Vec<_>>(), [0, 63, 65, 129]);
        assert!(set.contains(ControllerId(65)) && !set.contains(ControllerId(64)));
        assert!(!set.contains(ControllerId(500)));
        let odd = |who: ControllerId| who.0 % 2 == 1;
        assert_eq!(set.nearest(64, odd), Some(ControllerId(63)), "of two as near the lower");
        assert_eq!(set.members(0).that(|who| who.0 > 5).collect::<Vec<_>>(), [ControllerId(63)]);
    }
}
