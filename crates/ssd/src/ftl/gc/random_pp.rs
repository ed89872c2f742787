//! Random victim selection among blocks emptier than the average.
//!
//! # What it models
//! Blocks are drawn at random until one holds no more valid pages than the average: a little of
//! greedy's sense for random's price.
//!
//! # How
//! Two passes over the candidates, the first for their mean, the second for how many qualify; then one
//! uniform draw among these. That has the distribution of drawing until one qualifies, and always
//! names one if there is one, for the emptiest block qualifies.
//!
//! # What is left out
//! MQSim demands a number of invalid pages instead, the largest initial occupancy of a flow times the
//! pages of a block, gives up after as many draws as the plane has blocks, and then takes the last one
//! whatever it is (which can end the program with an error). The rule here is the paper's.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid
//! state drives", SIGMETRICS 2013 (Random++). MQSim: `RANDOM_PP`.
//!
//! # Parameters
//! none

use venice_kernel::RandomStream;

use super::{Candidate, PlaneShape, VictimSelection, chance};

/// Any candidate with no more valid pages than the average.
#[derive(Clone, Debug)]
pub struct RandomPp {
    random: RandomStream,
}

impl VictimSelection for RandomPp {
    fn new(_shape: PlaneShape, seed: u64) -> Self {
        Self { random: chance(seed) }
    }

    fn choose(&mut self, candidates: &[Candidate], _must: bool) -> Option<u32> {
        let total: u64 = candidates.iter().map(|block| u64::from(block.valid)).sum();
        let count = candidates.len() as u64;
        let qualify = || candidates.iter().filter(|block| u64::from(block.valid) * count <= total);
        let qualified = qualify().count() as u64;
        if qualified == 0 {
            return None;
        }
        qualify().nth(self.random.below(qualified) as usize).map(|block| block.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_up_to_the_average_are_drawn_alike_and_fuller_ones_never() {
        let block = |index, valid| Candidate { index, valid, age: 1 };
        // The mean is 4: blocks 0, 2 and 3 qualify.
        let blocks = [block(0, 4), block(1, 7), block(2, 0), block(3, 4), block(4, 5)];
        let mut policy = RandomPp::new(PlaneShape { blocks: 64, pages: 8 }, 1);
        let mut times = [0_u32; 5];
        for _ in 0..9_000 {
            times[policy.choose(&blocks, false).unwrap() as usize] += 1;
        }
        assert_eq!((times[1], times[4]), (0, 0));
        assert!([0, 2, 3].iter().all(|&n: &usize| times[n].abs_diff(3_000) < 230), "{times:?}");
    }
}
