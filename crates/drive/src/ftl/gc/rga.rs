//! Randomised greedy victim selection, also called d-choices.
//!
//! # What it models
//! Samples a few random blocks of the plane and chooses the one with the fewest valid pages. The result is
//! nearly as good as that of the greedy policy, for a fraction of the search.
//!
//! # How
//! The sample has `ftl.rga_choices` different blocks of the plane, by default ⌊log₂(blocks of the plane)⌋ as
//! in MQSim. Blocks in the sample that are free, open or without an invalid page are ignored. If no block
//! remains, there is no victim. If a victim is required, a second sample is drawn from the eligible blocks
//! only. Sampling without repetition takes one draw for each block (Floyd's algorithm).
//!
//! # What is left out
//! If a drawn block is open or has programs in flight, MQSim draws again, forever if the plane has too
//! few other blocks. Here such blocks are part of the sample and are ignored.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
//! drives", SIGMETRICS 2013 (d-choices); Li, Lee, Lui, "Stochastic modeling of large-scale solid-state
//! storage systems", SIGMETRICS 2013 (randomised greedy). Bentley, Floyd, "A sample of brilliance", CACM 1987
//! (sampling). MQSim: `RGA`.
//!
//! # Parameters
//! `ftl.rga_choices`

use arrayvec::ArrayVec;
use venice_kernel::RandomStream;

use venice_params::{declare, whole};

use super::greedy::emptiest;
use super::{Candidates, MeanField, PlaneShape, VictimModel, VictimSelection, chance};

/// Maximum number of blocks in a sample.
const LARGEST_SAMPLE: usize = 256;

declare! {
    /// Parameters of the victim policy `rga`.
    pub struct RgaParameters in "ftl." {
        /// Number of random blocks from which the victim is chosen (d), for `rga`.
        ///
        /// With 0, the number is ⌊log₂(blocks of the plane)⌋.
        rga_choices: u32 = whole(0, LARGEST_SAMPLE as u64), unit "blocks", default "0",
            source "Van Houdt, SIGMETRICS 2013 (d-choices); MQSim, GC_and_WL_Unit_Base.cpp (the logarithm)";
    }
}

/// Policy that chooses the block with the fewest valid pages of a random sample.
#[derive(Clone, Debug)]
pub struct Rga {
    random: RandomStream,
    blocks: u32,
    choices: u32,
}

impl VictimModel for Rga {
    type Parameters = RgaParameters;

    fn new(own: &RgaParameters, shape: PlaneShape, seed: u64) -> Self {
        let choices = choices(*own, shape).clamp(1, shape.blocks);
        Self { random: chance(seed), blocks: shape.blocks, choices }
    }

    fn mean_field(own: &RgaParameters, shape: PlaneShape) -> MeanField {
        MeanField::Choices(choices(*own, shape))
    }
}

impl VictimSelection for Rga {
    fn choose(&mut self, candidates: &impl Candidates, must: bool) -> Option<u32> {
        let sample = self.sample(self.choices, self.blocks);
        let found = emptiest(sample.iter().filter_map(|&drawn| candidates.get(drawn)));
        if found.is_some() || !must {
            return found.map(|block| block.index);
        }
        let count = candidates.all().count() as u32;
        let places = self.sample(self.choices.min(count), count);
        let sampled = (0..).zip(candidates.all()).filter(|(place, _)| places.contains(place));
        emptiest(sampled.map(|(_, block)| block)).map(|block| block.index)
    }
}

/// Returns the number of blocks in a sample: `ftl.rga_choices`, or its default for planes of the shape
/// `shape`.
fn choices(own: RgaParameters, shape: PlaneShape) -> u32 {
    match own.rga_choices {
        0 => shape.blocks.checked_ilog2().unwrap_or(0),
        choices => choices,
    }
}

impl Rga {
    /// Returns `size` different random numbers below `bound`. `size` must be at most `bound`.
    fn sample(&mut self, size: u32, bound: u32) -> ArrayVec<u32, LARGEST_SAMPLE> {
        let mut sample = ArrayVec::new();
        for last in bound - size..bound {
            let drawn = self.random.below(u64::from(last) + 1) as u32;
            sample.push(if sample.contains(&drawn) { last } else { drawn });
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::gc::Candidate;

    fn rga(blocks: u32) -> Rga {
        Rga::new(&RgaParameters::default(), PlaneShape { blocks, pages: 8 }, 3)
    }

    #[test]
    fn a_sample_has_the_asked_number_of_different_blocks_each_as_often_as_another() {
        let mut rga = rga(10);
        let mut times = [0_u32; 10];
        for _ in 0..10_000 {
            let mut sample = rga.sample(3, 10);
            sample.iter().for_each(|&block| times[block as usize] += 1);
            sample.sort_unstable();
            assert!(sample.windows(2).all(|pair| pair[0] < pair[1]), "{sample:?}");
        }
        // The expected value of each count is 3,000, with a standard deviation of 46.
        assert!(times.iter().all(|n| n.abs_diff(3_000) < 230), "{times:?}");
    }

    #[test]
    fn the_best_of_the_sample_is_found_at_its_share_of_samples() {
        // A sample of 6 of 64 blocks contains the block with the fewest valid pages in 6 of 64 cases.
        let blocks: Vec<Candidate> = (0..64)
            .map(|index| Candidate { index, valid: 7 - u32::from(index == 9), age: 1, erases: 0 })
            .collect();
        let mut rga = rga(64);
        let hits = (0..10_000).filter(|_| rga.choose(&blocks, false) == Some(9)).count();
        assert!(hits.abs_diff(937) < 150, "{hits}");
        // A sample of 2 of 64 blocks contains the best block in one of 32 cases. A sample of all blocks
        // always does.
        let hits = |rga_choices| {
            let mut rga = Rga::new(&RgaParameters { rga_choices }, PlaneShape { blocks: 64, pages: 8 }, 3);
            (0..10_000).filter(|_| rga.choose(&blocks, false) == Some(9)).count()
        };
        assert!(hits(2).abs_diff(312) < 70, "{}", hits(2));
        assert_eq!(hits(200), 10_000);
    }

    #[test]
    fn a_sample_without_candidates_names_none_unless_it_must() {
        let lonely = [Candidate { index: 40, valid: 3, age: 1, erases: 0 }];
        let mut rga = rga(1024);
        let refusals = (0..100).filter(|_| rga.choose(&lonely, false).is_none()).count();
        assert!(refusals > 80, "ten of 1,024 are looked at, and it refused only {refusals} times");
        assert!((0..100).all(|_| rga.choose(&lonely, true) == Some(40)));
    }
}
