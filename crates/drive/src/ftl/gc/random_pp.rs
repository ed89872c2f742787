//! Random victim selection among blocks with no more valid pages than the average.
//!
//! # What it models
//! Blocks are drawn at random until one has no more valid pages than the average, or than a given share of
//! the average. The write amplification is between that of random selection and that of the greedy policy.
//!
//! # How
//! A first pass over the candidates computes their average number of valid pages, and a second pass counts
//! the candidates that qualify. One of these is chosen with equal probability, which gives the same
//! distribution as repeated draws. If the bound is the average or more, there is always a victim if there is
//! a candidate. With a lower bound there may be none; if a victim is required, the candidate with the fewest
//! valid pages is chosen.
//!
//! # What is left out
//! MQSim's rule. It requires a minimum number of invalid pages: the largest initial occupancy of a flow times
//! the number of pages in a block. After as many draws as the plane has blocks, it takes the last block in
//! any state, which can end the program with an error. The rule here is that of the paper.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
//! drives", SIGMETRICS 2013 (Random++). MQSim: `RANDOM_PP`.
//!
//! # Parameters
//! `ftl.random_pp_bound_pct`

use venice_kernel::RandomStream;

use venice_params::{declare, number};

use super::{Candidates, MeanField, PlaneShape, VictimModel, VictimSelection, chance};

declare! {
    /// Parameters of the victim policy `random_pp`.
    pub struct RandomPpParameters in "ftl." {
        /// Maximum number of valid pages of a victim, relative to the average of the plane's candidates, for
        /// `random_pp`.
        random_pp_bound_pct: f64 = number(1.0, 1000.0), unit "%", default "100",
            source "Van Houdt, SIGMETRICS 2013 (Random++); 100 is ours: the average";
    }
}

/// Policy that chooses, at random, a candidate with no more valid pages than a share of the average.
#[derive(Clone, Debug)]
pub struct RandomPp {
    random: RandomStream,
    /// Maximum number of valid pages of a victim, as a share of the average over all candidates.
    bound: f64,
}

impl VictimModel for RandomPp {
    type Parameters = RandomPpParameters;

    fn new(own: &RandomPpParameters, _shape: PlaneShape, seed: u64) -> Self {
        Self { random: chance(seed), bound: own.random_pp_bound_pct / 100.0 }
    }

    fn mean_field(_own: &RandomPpParameters, _shape: PlaneShape) -> MeanField {
        MeanField::RandomUpTo
    }
}

impl VictimSelection for RandomPp {
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        let total: u64 = candidates.all().map(|block| u64::from(block.valid)).sum();
        // Integers below 2^53 are exact, so nothing is rounded if the bound is the average.
        let (most, count) = (total as f64 * self.bound, candidates.all().count() as f64);
        let qualify = || candidates.all().filter(|block| f64::from(block.valid) * count <= most);
        let qualified = qualify().count() as u64;
        if qualified == 0 {
            return candidates.emptiest().filter(|_| must).map(|block| block.index);
        }
        qualify().nth(self.random.below(qualified) as usize).map(|block| block.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::gc::Candidate;

    #[test]
    fn blocks_up_to_the_average_are_equally_likely_and_fuller_ones_excluded() {
        let block = |index, valid| Candidate { index, valid, age: 1, erases: 0 };
        // The mean number of valid pages is 4, so blocks 0, 2 and 3 qualify.
        let blocks = [block(0, 4), block(1, 7), block(2, 0), block(3, 4), block(4, 5)];
        let mut policy =
            RandomPp::new(&RandomPpParameters::default(), PlaneShape { blocks: 64, pages: 8 }, 1);
        let mut times = [0_u32; 5];
        for _ in 0..9_000 {
            times[policy.choose(&blocks, false).unwrap() as usize] += 1;
        }
        assert_eq!((times[1], times[4]), (0, 0));
        assert!([0, 2, 3].iter().all(|&n: &usize| times[n].abs_diff(3_000) < 230), "{times:?}");
    }

    #[test]
    fn with_half_the_average_as_bound_only_the_emptier_half_is_drawn_and_the_emptiest_when_it_must_be() {
        let own = RandomPpParameters { random_pp_bound_pct: 50.0 };
        let block = |index, valid| Candidate { index, valid, age: 1, erases: 0 };
        let mut policy = RandomPp::new(&own, PlaneShape { blocks: 64, pages: 8 }, 1);
        // The mean number of valid pages is 4.
        let blocks = [block(0, 4), block(1, 7), block(2, 2), block(3, 3)];
        assert!((0..100).all(|_| policy.choose(&blocks, false) == Some(2)));
        assert_eq!(policy.choose(&[block(0, 3), block(1, 5)], false), None);
        assert_eq!(policy.choose(&[block(0, 5), block(1, 3)], true), Some(1));
    }
}
