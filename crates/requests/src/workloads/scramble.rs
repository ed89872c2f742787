//! Fixed pseudorandom permutation that assigns a start address to each rank of popularity.
//!
//! # What it models
//!
//! Frequently accessed data is usually scattered over the address space. Each rank k is therefore mapped to
//! one of n possible start addresses (places) by a permutation that depends on the seed and needs no table.
//!
//! # How
//!
//! A Feistel network of four rounds permutes the numbers below the smallest sufficient power of four. Results
//! of n or more are permuted again until they are below n (cycle walking), which takes fewer than four
//! iterations on average.
//!
//! # What is left out
//!
//! The permutation is not cryptographically strong.
//!
//! # Source
//!
//! Luby and Rackoff, SIAM J. Computing 1988, for the network; Black and Rogaway, "Ciphers with Arbitrary
//! Finite Domains", CT-RSA 2002, for cycle walking; the finaliser of Steele et al., "Fast Splittable
//! Pseudorandom Number Generators", OOPSLA 2014, as round function.
//!
//! # Parameters
//!
//! n, and four round keys from a random stream.

use venice_kernel::RandomStream;

/// Permutation of the numbers below n.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scramble {
    below: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Scramble {
    pub(super) fn new(below: u64, stream: &mut RandomStream) -> Self {
        let bits = u64::BITS - below.saturating_sub(1).leading_zeros();
        Self { below, half_bits: bits.div_ceil(2), keys: std::array::from_fn(|_| stream.next_u64()) }
    }

    /// Returns the place to which a number below n is mapped.
    #[inline]
    pub(super) fn place(&self, number: u64) -> u64 {
        let mut place = self.permute(number);
        while place >= self.below {
            place = self.permute(place);
        }
        place
    }

    #[inline]
    fn permute(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let halves = (number >> self.half_bits, number & mask);
        let (left, right) = self.keys.iter().fold(halves, |(left, right), key| {
            let turned = left ^ (mixed(right ^ key) & mask);
            (right, turned)
        });
        left << self.half_bits | right
    }
}

/// Hashes `bits`, so that every bit of the result depends on every bit of the argument.
#[inline]
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_place_is_taken_exactly_once(below in 1_u64..3_000, seed: u64) {
            let scramble = Scramble::new(below, &mut RandomStream::new(seed, "scramble"));
            let mut places: Vec<u64> = (0..below).map(|number| scramble.place(number)).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..below).collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbours_part() {
        let scramble = Scramble::new(1 << 20, &mut RandomStream::new(1, "scramble"));
        let apart = |number| scramble.place(number).abs_diff(scramble.place(number + 1));
        let mean = (0..10_000).map(apart).sum::<u64>() / 10_000;
        // The mean distance of two uniform random numbers is a third of their range.
        assert!(mean.abs_diff((1 << 20) / 3) < (1 << 20) / 30, "{mean}");
    }
}
