//! Cost-benefit victim selection.
//!
//! # What it models
//! The space that a collection gains, and the time for which it is gained, are weighed against the cost of
//! the collection. A block whose data has not changed for long is collected although it has more valid pages
//! than a block whose pages are still being overwritten. This reduces write amplification if some data is
//! written often and some rarely.
//!
//! # How
//! Chooses the candidate with the largest age × (1 − u) / 2u, where u is the share of valid pages. age × (1 −
//! u) is the gain, space multiplied by time; 2u is the cost of reading and writing the valid pages. The
//! values are compared in integer arithmetic, as age × invalid / valid. A block without valid pages has no
//! cost and is chosen first. The search is one pass over the candidates.
//!
//! # What is left out
//! Age as time: it is the number of blocks that became full after the candidate, so that it does not grow
//! while the host is idle. In the source it is the time since the last change of the block.
//!
//! # Source
//! Kawaguchi, Nishioka, Motoda, "A flash-memory based file system", USENIX Technical Conference 1995
//! (cost-benefit policy); Rosenblum, Ousterhout, "The design and implementation of a log-structured file
//! system", ACM TOCS 1992.
//!
//! # Parameters
//! none

use std::cmp::Ordering;

use super::{Candidate, Candidates, PlaneShape, VictimModel, VictimSelection};

/// Policy that chooses the highest ratio of benefit to cost.
#[derive(Clone, Copy, Debug)]
pub struct CostBenefit {
    pages: u32,
}

impl VictimModel for CostBenefit {
    type Parameters = ();

    fn new(_own: &(), shape: PlaneShape, _seed: u64) -> Self {
        Self { pages: shape.pages }
    }
}

impl VictimSelection for CostBenefit {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        candidates.all().max_by(|one, other| self.compare(one, other)).map(|block| block.index)
    }
}

impl CostBenefit {
    /// Compares the ratios of benefit to cost of two blocks. The ratios a / b and c / d are compared by the
    /// products a × d and c × b. If the products are equal, for example because both costs are zero, the
    /// older block is preferred.
    #[inline]
    fn compare(self, one: &Candidate, other: &Candidate) -> Ordering {
        let benefit = |block: &Candidate| u128::from(block.age) * u128::from(self.pages - block.valid);
        let left = benefit(one) * u128::from(other.valid);
        let right = benefit(other) * u128::from(one.valid);
        left.cmp(&right).then(one.age.cmp(&other.age))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(blocks: &[(u32, u64)]) -> Option<u32> {
        let candidate = |(index, &(valid, age))| Candidate { index, valid, age, erases: 0 };
        let candidates: Vec<Candidate> = (0..).zip(blocks).map(candidate).collect();
        CostBenefit { pages: 8 }.choose(&candidates, false)
    }

    #[test]
    fn age_outweighs_emptiness_in_proportion() {
        // Half valid: benefit / cost is 4/4 for each unit of age. Three quarters valid: 2/6, a third of it.
        assert_eq!(chosen(&[(4, 10), (6, 29)]), Some(0));
        assert_eq!(chosen(&[(4, 10), (6, 31)]), Some(1));
    }

    #[test]
    fn a_block_without_valid_pages_is_chosen_first_and_of_two_the_older() {
        assert_eq!(chosen(&[(1, 1_000_000), (0, 1), (0, 3), (0, 2)]), Some(2));
        assert_eq!(chosen(&[]), None);
    }
}
