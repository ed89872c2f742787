//! How long the next request is.
//!
//! # What it models
//!
//! Independent draws of one length, of several with weights, or from a normal distribution; of one law for all requests,
//! or of one for reads and one for writes.
//!
//! # How
//!
//! A whole number below the sum of the weights falls into one length's share. A single length draws
//! nothing. A normal deviate is made from two uniform ones (Box and Muller's transformation), rounded up to a
//! whole sector and held between one sector and the longest length. Logarithm and cosine are those of the
//! `libm` crate, so that a seed gives the same lengths on every host.
//!
//! # What is left out
//!
//! Lengths that depend on the address or on the request before.
//!
//! # Source
//!
//! Box and Muller, "A Note on the Generation of Random Normal Deviates", Annals of Mathematical Statistics
//! 1958; the rest is elementary.
//!
//! # Parameters
//!
//! `size.fixed_bytes`, `size.choices` with `bytes` and `weight` each, or `size.normal` with `mean_bytes` and
//! `deviation_bytes`; `size.by_operation` with one of these under `read` and one under `write`.

use super::draws::Draws;
use super::spec::{SizeChoice, SizeMix};

/// Draws lengths.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    law: Law,
    longest: u32,
    draws: Draws,
}

/// The mix, with what it must know.
#[derive(Clone, Debug)]
enum Law {
    /// Each length in sectors with the sum of the weights up to and with its own, and the sum of all.
    Shares(Vec<(u64, u32)>, u64),
    /// Mean and standard deviation, in sectors.
    Normal(f64, f64),
}

impl Sizes {
    pub(super) fn new(mix: &SizeMix, draws: Draws) -> Self {
        let law = match mix {
            SizeMix::Fixed(sectors) => shares(&[SizeChoice { sectors: *sectors, weight: 1 }]),
            SizeMix::Choices(choices) => shares(choices),
            SizeMix::Normal { mean_sectors, deviation_sectors } => {
                Law::Normal(f64::from(*mean_sectors), f64::from(*deviation_sectors))
            }
        };
        Self { law, longest: mix.longest(), draws }
    }

    /// The next length in sectors.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        match &self.law {
            Law::Shares(shares, weights) => {
                let drawn = if shares.len() == 1 { 0 } else { self.draws.below(*weights) };
                shares[shares.partition_point(|&(sum, _)| sum <= drawn)].1
            }
            Law::Normal(mean, deviation) => {
                let sectors = mean + deviation * normal_deviate(&mut self.draws);
                (sectors.ceil().max(1.0) as u32).min(self.longest)
            }
        }
    }
}

fn shares(choices: &[SizeChoice]) -> Law {
    let mut weights = 0;
    let share = |choice: &SizeChoice| {
        weights += u64::from(choice.weight);
        (weights, choice.sectors)
    };
    let shares = choices.iter().map(share).collect();
    Law::Shares(shares, weights)
}

/// A deviate of mean 0 and standard deviation 1.
fn normal_deviate(draws: &mut Draws) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - draws.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * draws.unit())
}
