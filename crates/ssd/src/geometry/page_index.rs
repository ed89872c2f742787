//! Where the pages are that something of limited size holds.
//!
//! A table by page number has room for every page of a drive: of a terabyte, fifteen megabytes of places alone, which no cache of the
//! processor holds, so that each look-up waits for memory. What holds few pages finds them by hash, in a table as large as they need.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Lpn;

/// By logical page: its place in whatever holds it. Nobody can go through it, since the order of a hash table means nothing.
#[derive(Clone, Debug, Default)]
pub struct PageIndex(HashTable<(Lpn, u32)>);

#[inline]
fn hash(lpn: Lpn) -> u64 {
    FxBuildHasher.hash_one(lpn.0)
}

impl PageIndex {
    /// Of nothing.
    pub const fn new() -> Self {
        Self(HashTable::new())
    }

    /// Where a page is, if it is here.
    #[inline]
    pub fn get(&self, lpn: Lpn) -> Option<u32> {
        self.0.find(hash(lpn), |held| held.0 == lpn).map(|held| held.1)
    }

    /// A page that is not here has this place from now on.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, place: u32) {
        debug_assert_eq!(self.get(lpn), None, "{lpn:?} is here");
        self.0.insert_unique(hash(lpn), (lpn, place), |held| hash(held.0));
    }

    /// A page that was here is no more.
    #[inline]
    pub fn remove(&mut self, lpn: Lpn) {
        let found = self.0.find_entry(hash(lpn), |held| held.0 == lpn);
        debug_assert!(found.is_ok(), "{lpn:?} is not here");
        if let Ok(found) = found {
            found.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_page_is_where_it_was_put_until_it_leaves(changes in prop::collection::vec((0_u32..60, any::<bool>()), 0..300)) {
            let (mut index, mut expected) = (PageIndex::new(), BTreeMap::new());
            for (place, (page, stays)) in (0..).zip(changes) {
                // Pages that are far from each other by the same step too, as of a strided load.
                let lpn = Lpn(page << 16);
                if expected.remove(&lpn).is_some() {
                    index.remove(lpn);
                }
                if stays {
                    index.insert(lpn, place);
                    expected.insert(lpn, place);
                }
            }
            for page in 0..60 {
                prop_assert_eq!(index.get(Lpn(page << 16)), expected.get(&Lpn(page << 16)).copied());
            }
        }
    }
}
