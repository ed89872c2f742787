//! Greedy victim selection.
//!
//! # What it models
//! Chooses the full block with the fewest valid pages.
//!
//! # How
//! Ties go to the block that became full first. The plane caches the block with the fewest valid pages of
//! each group of blocks, so that most blocks need not be examined ([`Candidates::emptiest`]).
//!
//! # What is left out
//! Age and wear.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
//! drives", SIGMETRICS 2013 (greedy). MQSim: `GREEDY`, where ties go to the lowest block number.
//!
//! # Parameters
//! none

use std::cmp::Reverse;

use super::{Candidate, Candidates, PlaneShape, VictimModel, VictimSelection};

/// Policy that chooses the block with the fewest valid pages.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl VictimModel for Greedy {
    type Parameters = ();

    fn new(_own: &(), _shape: PlaneShape, _seed: u64) -> Self {
        Self
    }
}

impl VictimSelection for Greedy {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        candidates.emptiest().map(|block| block.index)
    }
}

/// Returns the block with the fewest valid pages; the oldest one on a tie.
#[inline]
pub fn emptiest(blocks: impl Iterator<Item = Candidate>) -> Option<Candidate> {
    blocks.min_by_key(|block| (block.valid, Reverse(block.age)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_with_fewest_valid_pages_goes_and_the_oldest_of_equals() {
        let block = |index, valid, age| Candidate { index, valid, age, erases: 0 };
        let blocks = [block(0, 9, 8), block(1, 4, 1), block(2, 4, 5), block(3, 5, 7)];
        assert_eq!(Greedy.choose(&blocks, false), Some(2));
        assert_eq!(Greedy.choose(&[] as &[Candidate; 0], true), None);
    }
}
