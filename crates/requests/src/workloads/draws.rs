//! Generation of random numbers, by independent or stratified draws.
//!
//! # What it models
//!
//! The mean of n independent draws deviates from the expected value by about σ/√n. For a heavy-tailed
//! distribution or a rare operation, this is several per cent even over 100,000 requests. A workload that
//! represents a published one must reproduce the published figures in every run, so it may use stratified
//! sampling.
//!
//! # How
//!
//! The unit interval is divided into equal strata. Each block of as many draws takes one number from each
//! stratum, in a new random order for each block. Each single draw is uniformly distributed, while the sum
//! over a block is nearly constant.
//!
//! # What is left out
//!
//! Stratified draws have no variation over more than a block, such as a slow drift of the mean.
//!
//! # Source
//!
//! Stratified sampling: Cochran, "Sampling Techniques", Wiley 1953, chapter 5. Random order of the strata:
//! Fisher and Yates, as in Durstenfeld, "Algorithm 235", Communications of the ACM 1964.
//!
//! # Parameters
//!
//! `strata`, the length of a block. Without it, draws are independent.

use venice_kernel::RandomStream;

/// Generator of uniform random numbers, independent or stratified.
#[derive(Clone, Debug)]
pub(super) struct UniformDraws {
    stream: RandomStream,
    /// Strata of the current block in random order, and the number of them already used; `None` for
    /// independent draws.
    block: Option<(Vec<u32>, usize)>,
}

impl UniformDraws {
    /// Creates a generator with `strata` strata; `None` for independent draws.
    pub(super) fn new(stream: RandomStream, strata: Option<u32>) -> Self {
        let block = strata.map(|strata| ((0..strata).collect(), strata as usize));
        Self { stream, block }
    }

    /// Returns a uniform number in [0, 1).
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        let Some((order, used)) = &mut self.block else { return self.stream.unit() };
        if *used == order.len() {
            shuffle(order, &mut self.stream);
            *used = 0;
        }
        let stratum = f64::from(order[*used]);
        *used += 1;
        (stratum + self.stream.unit()) / order.len() as f64
    }

    /// Returns true with probability `p`.
    #[inline]
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Returns a uniform integer below `bound`.
    #[inline]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        if self.block.is_none() {
            return self.stream.below(bound);
        }
        ((self.unit() * bound as f64) as u64).min(bound - 1)
    }
}

fn shuffle(order: &mut [u32], stream: &mut RandomStream) {
    for last in (1..order.len()).rev() {
        order.swap(last, stream.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_strata() -> UniformDraws {
        UniformDraws::new(RandomStream::new(3, "draws"), Some(100))
    }

    #[test]
    fn every_block_has_one_draw_from_each_stratum_in_an_order_of_its_own() {
        let mut draws = by_strata();
        let mut block = || (0..100).map(|_| (draws.unit() * 100.0) as u32).collect::<Vec<_>>();
        let (one, other) = (block(), block());
        assert_ne!(one, other);
        for mut strata in [one, other] {
            strata.sort_unstable();
            assert_eq!(strata, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_share_of_whole_strata_is_met_exactly_in_every_block() {
        let mut draws = by_strata();
        for _ in 0..20 {
            assert_eq!((0..100).filter(|_| draws.chance(0.07)).count(), 7);
        }
        let mut free = UniformDraws::new(RandomStream::new(3, "draws"), None);
        assert!((0..20).any(|_| (0..100).filter(|_| free.chance(0.07)).count() != 7));
    }

    #[test]
    fn whole_numbers_stay_below_their_bound_and_are_even() {
        let mut draws = by_strata();
        let mut counts = [0_u32; 10];
        (0..1_000).for_each(|_| counts[draws.below(10) as usize] += 1);
        assert_eq!(counts, [100; 10]);
    }
}
