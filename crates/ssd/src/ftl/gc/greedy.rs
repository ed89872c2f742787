//! Greedy victim selection.
//!
//! # What it models
//! Takes the full block with the fewest valid pages.
//!
//! # How
//! One pass over the plane's candidates, once per collection; ties go to the block that became full
//! first. A pass costs about a microsecond of run time for a thousand blocks and pays for moving
//! tens to hundreds of pages.
//!
//! # What is left out
//! Age and wear play no part.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid
//! state drives", SIGMETRICS 2013, §2 (greedy).
//!
//! # Parameters
//! none

use super::Candidate;

/// Fewest valid pages first.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl Greedy {
    /// The candidate with the fewest valid pages.
    #[inline]
    #[expect(clippy::unused_self, reason = "the seam's policies may have state; this one has none")]
    pub fn choose(self, candidates: impl Iterator<Item = Candidate>, _must: bool) -> Option<u32> {
        candidates.min_by_key(|block| (block.valid, block.closed)).map(|block| block.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_with_fewest_valid_pages_goes_and_the_oldest_of_equals() {
        let block = |index, valid, closed| Candidate { index, valid, closed };
        let blocks = [block(0, 9, 0), block(1, 4, 7), block(2, 4, 3), block(3, 5, 1)];
        assert_eq!(Greedy.choose(blocks.into_iter(), false), Some(2));
        assert_eq!(Greedy.choose([].into_iter(), true), None);
    }
}
