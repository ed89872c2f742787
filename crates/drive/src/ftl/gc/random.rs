//! Random victim selection.
//!
//! # What it models
//! Chooses any block of the plane with equal probability. This is the baseline with which other policies are
//! compared, and all blocks wear equally.
//!
//! # How
//! One uniform draw among all blocks of the plane. If the block drawn is not eligible (free, open, or without
//! an invalid page), there is no victim, and the policy is called again after the plane's next program. If a
//! victim is required, the draw is among the eligible blocks.
//!
//! # What is left out
//! A stall of MQSim. After a draw without a victim, MQSim collects nothing until the next block is full.
//! After several such draws in succession, the plane stalls for the rest of the run.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
//! drives", SIGMETRICS 2013 (random). MQSim: `RANDOM`.
//!
//! # Parameters
//! none

use venice_kernel::RandomStream;

use super::{Candidates, MeanField, PlaneShape, VictimModel, VictimSelection, chance};

/// Policy that chooses any block at random.
#[derive(Clone, Debug)]
pub struct Random {
    random: RandomStream,
    blocks: u32,
}

impl VictimModel for Random {
    type Parameters = ();

    fn new(_own: &(), shape: PlaneShape, seed: u64) -> Self {
        Self { random: chance(seed), blocks: shape.blocks }
    }

    fn mean_field(_own: &(), _shape: PlaneShape) -> MeanField {
        MeanField::Random
    }
}

impl VictimSelection for Random {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        if must {
            return any_of(candidates, &mut self.random);
        }
        let drawn = self.random.below(u64::from(self.blocks)) as u32;
        candidates.get(drawn).map(|block| block.index)
    }
}

/// Returns one of the candidates at random, with equal probability, or `None` if there are none.
#[inline]
pub fn any_of(candidates: &impl Candidates, random: &mut RandomStream) -> Option<u32> {
    let count = candidates.all().count();
    if count == 0 {
        return None;
    }
    let place = random.below(count as u64);
    candidates.all().nth(place as usize).map(|block| block.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::gc::Candidate;

    #[test]
    fn a_useless_block_is_drawn_at_its_share_and_then_none_is_named() {
        let blocks: Vec<Candidate> =
            (0..25).map(|n| Candidate { index: 4 * n, valid: n % 8, age: 1, erases: 0 }).collect();
        let mut random = Random::new(&(), PlaneShape { blocks: 100, pages: 8 }, 1);
        let named = (0..10_000).filter(|_| random.choose(&blocks, false).is_some()).count();
        assert!(named.abs_diff(2_500) < 220, "{named}");
        assert!((0..100).all(|_| random.choose(&blocks, true).is_some()));
    }
}
