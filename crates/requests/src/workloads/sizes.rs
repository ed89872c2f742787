//! Generation of request lengths.
//!
//! # What it models
//!
//! The length of a request is constant, or drawn from weighted lengths or from a normal distribution. Reads
//! and writes can have separate distributions.
//!
//! # How
//!
//! Weighted lengths are selected by a uniform integer below the sum of the weights. A single length needs no
//! draw. A normal deviate is computed from two uniform ones (Box-Muller transform), rounded up to a whole
//! sector, and limited to the range from one sector to the maximum length. Logarithm and cosine are computed
//! by the `libm` crate, so that a seed gives equal lengths on every host.
//!
//! # What is left out
//!
//! Lengths do not depend on the address or on the previous request.
//!
//! # Source
//!
//! Box and Muller, "A Note on the Generation of Random Normal Deviates", Annals of Mathematical Statistics
//! 1958.
//!
//! # Parameters
//!
//! `size.fixed_bytes`, `size.choices` with `bytes` and `weight` each, or `size.normal` with `mean_bytes` and
//! `deviation_bytes`; `size.by_operation` with one of these under `read` and one under `write`.

use super::draws::UniformDraws;
use super::spec::{SizeChoice, SizeMix};

/// Generator of request lengths.
#[derive(Clone, Debug)]
pub(super) struct SizeGenerator {
    law: SizeSampler,
    longest: u32,
    draws: UniformDraws,
}

/// Length distribution, with values precomputed for drawing.
#[derive(Clone, Debug)]
enum SizeSampler {
    /// Cumulative weight and length in sectors of each choice, and the sum of all weights.
    Shares(Vec<(u64, u32)>, u64),
    /// Mean and standard deviation of the length, in sectors.
    Normal(f64, f64),
}

impl SizeGenerator {
    pub(super) fn new(mix: &SizeMix, draws: UniformDraws) -> Self {
        let law = match mix {
            SizeMix::Fixed(sectors) => shares(&[SizeChoice { sectors: *sectors, weight: 1 }]),
            SizeMix::Choices(choices) => shares(choices),
            SizeMix::Normal { mean_sectors, deviation_sectors } => {
                SizeSampler::Normal(f64::from(*mean_sectors), f64::from(*deviation_sectors))
            }
        };
        Self { law, longest: mix.longest(), draws }
    }

    /// Returns the next length in sectors.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        match &self.law {
            SizeSampler::Shares(shares, weights) => {
                let drawn = if shares.len() == 1 { 0 } else { self.draws.below(*weights) };
                shares[shares.partition_point(|&(sum, _)| sum <= drawn)].1
            }
            SizeSampler::Normal(mean, deviation) => {
                let sectors = mean + deviation * normal_deviate(&mut self.draws);
                (sectors.ceil().max(1.0) as u32).min(self.longest)
            }
        }
    }
}

fn shares(choices: &[SizeChoice]) -> SizeSampler {
    let mut weights = 0;
    let share = |choice: &SizeChoice| {
        weights += u64::from(choice.weight);
        (weights, choice.sectors)
    };
    let shares = choices.iter().map(share).collect();
    SizeSampler::Shares(shares, weights)
}

/// Returns a random number with normal distribution, of mean 0 and standard deviation 1.
fn normal_deviate(draws: &mut UniformDraws) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - draws.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * draws.unit())
}
