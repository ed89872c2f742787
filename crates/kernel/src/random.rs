//! Independent random streams of the components. A new component does not change the random numbers of
//! others.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Stream of random numbers: xoshiro256++ seeded from (run seed, component name).
///
/// The algorithm is part of the interface: a seed and a name give identical draws in every version and on
/// every host.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// Returns the stream of the component `name` in a run with this `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ fnv1a(name)))
    }

    /// Returns 64 random bits and advances the stream.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform integer below `bound`, without bias.
    ///
    /// Source: Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 2019.
    ///
    /// # Panics
    /// Panics if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no whole number is below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Returns a uniform number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

/// Returns the 64-bit FNV-1a hash of `name`.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_name_give_the_same_draws_for_ever() {
        let mut stream = RandomStream::new(1, "host");
        let draws: Vec<u64> = (0..3).map(|_| stream.below(1000)).collect();
        let mut again = RandomStream::new(1, "host");
        assert_eq!(draws, (0..3).map(|_| again.below(1000)).collect::<Vec<_>>());
        let mut other = RandomStream::new(1, "guest");
        assert_ne!(draws, (0..3).map(|_| other.below(1000)).collect::<Vec<_>>());
    }

    #[test]
    fn draws_below_a_bound_are_uniform_by_chi_square() {
        // 60,000 draws of 6 values; chi-square with 5 degrees of freedom exceeds 20.5 with probability 0.001.
        let mut stream = RandomStream::new(42, "dice");
        let mut cells = [0_u32; 6];
        for _ in 0..60_000 {
            cells[stream.below(6) as usize] += 1;
        }
        let chi_square: f64 = cells.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
        assert!(chi_square < 20.5, "{cells:?} gives {chi_square}");
    }
}
