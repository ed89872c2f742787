//! Lists that are looked into at each hop of a scout and at each link of a path.
//!
//! # What it models
//! Nothing by itself.
//!
//! # How
//! In a mesh of up to 16×16 routers every such list is made as long as the longest that can be needed there, a power of two. So many
//! members are an array, and numbers are cut to its length, which takes less than to check them and never changes one.
//!
//! # What is left out
//! Larger meshes, whose lists are slices and whose numbers are checked.
//!
//! # Source
//! Ours.
//!
//! # Parameters
//! None.

/// Of all routers.
pub(super) const ROUTERS: usize = 256;
/// Of all places of links.
pub(super) const PLACES: usize = 512;
/// Of the hops of a scout, of which there are twice as many as links at most.
pub(super) const HOPS: usize = 1024;
/// Of all that may be still to go.
pub(super) const OFFSETS: usize = 1024;

/// What is found by a number.
pub(super) trait List<T> {
    /// That of this number.
    fn at(&self, number: usize) -> &T;

    /// The same, to be changed.
    fn at_mut(&mut self, number: usize) -> &mut T;

    /// A number that is of use, as one that needs no more to be cut.
    fn cut(&self, number: usize) -> usize;
}

impl<T, const LENGTH: usize> List<T> for [T; LENGTH] {
    #[inline]
    fn at(&self, number: usize) -> &T {
        debug_assert!(number < LENGTH);
        &self[number % LENGTH]
    }

    #[inline]
    fn at_mut(&mut self, number: usize) -> &mut T {
        debug_assert!(number < LENGTH);
        &mut self[number % LENGTH]
    }

    #[inline]
    fn cut(&self, number: usize) -> usize {
        number % LENGTH
    }
}

impl<T> List<T> for [T] {
    #[inline]
    fn at(&self, number: usize) -> &T {
        &self[number]
    }

    #[inline]
    fn at_mut(&mut self, number: usize) -> &mut T {
        &mut self[number]
    }

    #[inline]
    fn cut(&self, number: usize) -> usize {
        number
    }
}

/// These, and as many more as make a list of this length, if it is not longer by itself.
pub(super) fn filled_up<T: Copy>(members: impl IntoIterator<Item = T>, length: usize, with: T) -> Vec<T> {
    let mut list: Vec<T> = members.into_iter().collect();
    list.resize(list.len().max(length), with);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_members_and_is_filled_up_to_a_length_that_it_may_have_already() {
        let list = filled_up(0..3, 8, 9);
        assert_eq!(list, [0, 1, 2, 9, 9, 9, 9, 9]);
        assert_eq!(filled_up(0..3, 2, 9), [0, 1, 2]);
        let array: &[i32; 8] = list[..].try_into().expect("eight members");
        assert!((0..8).all(|number| array.at(number) == list[..].at(number)));
    }
}
