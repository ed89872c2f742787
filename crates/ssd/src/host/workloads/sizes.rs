//! How long the next request is.
//!
//! # What it models
//!
//! Independent draws of one length or of several with weights.
//!
//! # How
//!
//! A whole number below the sum of the weights falls into one length's share. A single length draws
//! nothing.
//!
//! # What is left out
//!
//! Lengths that depend on the operation, on the address or on the request before.
//!
//! # Source
//!
//! Elementary.
//!
//! # Parameters
//!
//! `size.fixed_bytes`, or `size.choices` with `bytes` and `weight` each.

use venice_kernel::RandomStream;

use super::spec::{SizeChoice, SizeMix};

/// Draws lengths.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Each length in sectors with the sum of the weights up to and with its own.
    shares: Vec<(u64, u32)>,
    weights: u64,
    stream: RandomStream,
}

impl Sizes {
    pub(super) fn new(mix: &SizeMix, stream: RandomStream) -> Self {
        let choices = match mix {
            SizeMix::Fixed(sectors) => &[SizeChoice { sectors: *sectors, weight: 1 }][..],
            SizeMix::Choices(choices) => choices,
        };
        let mut weights = 0;
        let share = |choice: &SizeChoice| {
            weights += u64::from(choice.weight);
            (weights, choice.sectors)
        };
        let shares = choices.iter().map(share).collect();
        Self { shares, weights, stream }
    }

    /// The next length in sectors.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        let drawn = if self.shares.len() == 1 { 0 } else { self.stream.below(self.weights) };
        let share = self.shares.partition_point(|&(sum, _)| sum <= drawn);
        self.shares[share].1
    }
}
