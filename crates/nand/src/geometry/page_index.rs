//! Index from logical page number to position, for a structure that holds few pages, such as a cache.
//!
//! An array indexed by page number would have an entry for each page of a drive. It would need 15 megabytes
//! per terabyte, more than the processor's cache, and each look-up would wait for memory. This hash table
//! needs memory only for the pages that the structure holds.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Lpn;

/// Positions of logical pages in the structure that holds them. It cannot be iterated, since the order of a
/// hash table is arbitrary.
#[derive(Clone, Debug, Default)]
pub struct PageIndex(HashTable<(Lpn, u32)>);

#[inline]
fn hash(lpn: Lpn) -> u64 {
    FxBuildHasher.hash_one(lpn.0)
}

impl PageIndex {
    /// Creates an empty index.
    pub const fn new() -> Self {
        Self(HashTable::new())
    }

    /// Returns the position of a page, if it is present.
    #[inline]
    pub fn get(&self, lpn: Lpn) -> Option<u32> {
        self.0.find(hash(lpn), |held| held.0 == lpn).map(|held| held.1)
    }

    /// Inserts a page, which must not be present, with its position.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, place: u32) {
        debug_assert_eq!(self.get(lpn), None, "{lpn:?} is here");
        self.0.insert_unique(hash(lpn), (lpn, place), |held| hash(held.0));
    }

    /// Removes a page, which must be present.
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
                // Includes pages at large, equal distances, as in a strided workload.
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
