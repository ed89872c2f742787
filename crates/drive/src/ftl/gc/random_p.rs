//! Random victim selection among full blocks.
//!
//! # What it models
//! The victim is a random full block; `random` also draws blocks that are not full.
//!
//! # How
//! One uniform draw among the full blocks with an invalid page. There is always a victim if there is such a
//! block.
//!
//! # What is left out
//! MQSim also draws full blocks without an invalid page, and then collects nothing.
//!
//! # Source
//! MQSim: `RANDOM_P` (Tavakkol et al., FAST 2018).
//!
//! # Parameters
//! none

use venice_kernel::RandomStream;

use super::random::any_of;
use super::{Candidates, MeanField, PlaneShape, VictimModel, VictimSelection, chance};

/// Policy that chooses any candidate at random.
#[derive(Clone, Debug)]
pub struct RandomP {
    random: RandomStream,
}

impl VictimModel for RandomP {
    type Parameters = ();

    fn new(_own: &(), _shape: PlaneShape, seed: u64) -> Self {
        Self { random: chance(seed) }
    }

    fn mean_field(_own: &(), _shape: PlaneShape) -> MeanField {
        MeanField::Random
    }
}

impl VictimSelection for RandomP {
    #[inline]
    fn choose(&mut self, candidates: &impl Candidates, _must: bool) -> Option<u32> {
        any_of(candidates, &mut self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::gc::Candidate;

    #[test]
    fn every_candidate_is_drawn_as_often_as_another_whatever_it_holds() {
        let blocks: Vec<Candidate> =
            (0..5).map(|n| Candidate { index: n, valid: n, age: 1, erases: 0 }).collect();
        let mut policy = RandomP::new(&(), PlaneShape { blocks: 64, pages: 8 }, 1);
        let mut times = [0_u32; 5];
        for _ in 0..10_000 {
            times[policy.choose(&blocks, false).unwrap() as usize] += 1;
        }
        assert!(times.iter().all(|n| n.abs_diff(2_000) < 200), "{times:?}");
    }
}
