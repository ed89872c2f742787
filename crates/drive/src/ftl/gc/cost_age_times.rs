//! Cost-age-times victim selection: cost-benefit with a penalty for worn blocks.
//!
//! # What it models
//! Cost-benefit selection in which the cost of a block is proportional to its erase count. Of blocks with
//! equal cost-benefit value, the least worn is chosen, so that garbage collection evens out the wear.
//!
//! # How
//! Chooses the candidate with the smallest u / (1 − u) × 1 / age × times, where u is the share of valid
//! pages. `times` is the block's erase count plus one, so that a block that was never erased also has a cost.
//! The values are compared in integer arithmetic. A block without valid pages has no cost and is chosen
//! first. Ties go to the least worn block, then to the oldest. The search is one pass over the candidates.
//!
//! # What is left out
//! Age as time: as for cost-benefit, it is the number of blocks that became full after the candidate. In the
//! source it is a time, reduced by a heuristic function. The source also separates moved pages by how often
//! they are written; see `ftl.gc_destination`.
//!
//! # Source
//! Chiang, Chang, "Cleaning policies in mobile computers using flash memory", Journal of Systems and Software
//! 48(3), 1999 (cost age times, CAT).
//!
//! # Parameters
//! none

use std::cmp::{Ordering, Reverse};

use super::{Candidate, Candidates, PlaneShape, VictimModel, VictimSelection};

/// Policy that chooses the lowest cost, weighted by age and wear.
#[derive(Clone, Copy, Debug)]
pub struct CostAgeTimes {
    pages: u32,
}

impl VictimModel for CostAgeTimes {
    type Parameters = ();

    fn new(_own: &(), shape: PlaneShape, _seed: u64) -> Self {
        Self { pages: shape.pages }
    }
}

impl VictimSelection for CostAgeTimes {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        candidates.all().min_by(|one, other| self.compare(one, other)).map(|block| block.index)
    }
}

impl CostAgeTimes {
    /// Compares the costs of two blocks. The costs are fractions a / b and c / d, and are compared by the
    /// products a × d and c × b.
    #[inline]
    fn compare(self, one: &Candidate, other: &Candidate) -> Ordering {
        let cost = |block: &Candidate| u128::from(block.valid) * (u128::from(block.erases) + 1);
        let gain = |block: &Candidate| u128::from(self.pages - block.valid) * u128::from(block.age);
        let (left, right) = (cost(one) * gain(other), cost(other) * gain(one));
        let equals = |block: &Candidate| (block.erases, Reverse(block.age));
        left.cmp(&right).then(equals(one).cmp(&equals(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the policy's victim among blocks of eight pages. Each block is given as valid pages, age and
    /// erase count.
    fn chosen(blocks: &[(u32, u64, u32)]) -> Option<u32> {
        let candidate = |(index, &(valid, age, erases))| Candidate { index, valid, age, erases };
        let candidates: Vec<Candidate> = (0..).zip(blocks).map(candidate).collect();
        CostAgeTimes { pages: 8 }.choose(&candidates, false)
    }

    #[test]
    fn wear_outweighs_emptiness_in_proportion() {
        // At u = 1/4, each cleaning costs u / (1 − u) = 1/3; at u = 1/2 it costs 1, three times as much.
        assert_eq!(chosen(&[(2, 10, 4), (4, 10, 1)]), Some(0), "5/3 against 2");
        assert_eq!(chosen(&[(2, 10, 6), (4, 10, 1)]), Some(1), "7/3 against 2");
        assert_eq!(chosen(&[(2, 10, 6), (4, 8, 1)]), Some(0), "7/30 against 2/8");
    }

    #[test]
    fn a_block_without_valid_pages_is_chosen_first_and_of_several_the_least_worn() {
        assert_eq!(chosen(&[(1, 1_000_000, 0), (0, 9, 3), (0, 1, 2), (0, 2, 2)]), Some(3));
        assert_eq!(chosen(&[]), None);
    }
}
