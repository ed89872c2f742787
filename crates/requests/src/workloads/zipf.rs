//! Sampling of Zipf-distributed ranks.
//!
//! # What it models
//!
//! Ranks k from 1 to n are drawn with probabilities proportional to k^-theta.
//!
//! # How
//!
//! The method is rejection-inversion. The probabilities are bounded by the curve x^-theta, whose integral is
//! invertible. A point under the curve is drawn and rounded to a rank. In a few cases the point is outside
//! the rank's bar and is rejected. Time and memory are constant for any n; expm1 and log1p keep the method
//! accurate for theta near 1. Transcendental functions are computed by the `libm` crate, so that a seed gives
//! equal requests on every host.
//!
//! # What is left out
//!
//! Nothing: the distribution is exact except for the rounding of 64-bit floats.
//!
//! # Source
//!
//! Hörmann and Derflinger, "Rejection-Inversion to Generate Variates from Monotone Discrete Distributions",
//! ACM TOMACS 1996.
//!
//! # Parameters
//!
//! n, and theta above 0.

use libm::{exp, expm1, log, log1p};
use venice_kernel::RandomStream;

/// Zipf distribution for a given n and theta, with precomputed constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZipfSampler {
    ranks: f64,
    theta: f64,
    /// Integral of the density at the lower end of the sampled range; `high` is that at the upper end.
    low: f64,
    high: f64,
    /// Distance from a rank, downwards, within which a drawn point is always accepted.
    always_inside: f64,
}

impl ZipfSampler {
    pub(super) fn new(ranks: u64, theta: f64) -> Self {
        let bare = Self { ranks: ranks as f64, theta, low: 0.0, high: 0.0, always_inside: 0.0 };
        Self {
            low: bare.integral(1.5) - 1.0,
            high: bare.integral(bare.ranks + 0.5),
            always_inside: 2.0 - bare.inverse(bare.integral(2.5) - bare.density(2.0)),
            ..bare
        }
    }

    /// Returns a random rank, from 1.
    #[inline]
    pub(super) fn draw(&self, stream: &mut RandomStream) -> u64 {
        loop {
            let area = self.high + stream.unit() * (self.low - self.high);
            let point = self.inverse(area);
            let rank = point.round().clamp(1.0, self.ranks);
            if rank - point <= self.always_inside || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64;
            }
        }
    }

    /// Returns x^-theta.
    fn density(&self, x: f64) -> f64 {
        exp(-self.theta * log(x))
    }

    /// Returns the integral of the density from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let log_x = log(x);
        expm1_ratio((1.0 - self.theta) * log_x) * log_x
    }

    /// Returns the x at which the integral of the density has the value `area`.
    fn inverse(&self, area: f64) -> f64 {
        let slope = (area * (1.0 - self.theta)).max(-1.0);
        exp(log1p_ratio(slope) * area)
    }
}

/// Returns (e^x - 1) / x, with its limit at 0.
fn expm1_ratio(x: f64) -> f64 {
    if x.abs() > 1e-8 { expm1(x) / x } else { 1.0 + x / 2.0 }
}

/// Returns ln(1 + x) / x, with its limit at 0.
fn log1p_ratio(x: f64) -> f64 {
    if x.abs() > 1e-8 { log1p(x) / x } else { 1.0 - x / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the chi-square statistic of 400,000 draws, over all ranks, against the exact distribution.
    fn chi_square(ranks: u64, theta: f64) -> f64 {
        const DRAWS: u32 = 400_000;
        let law = ZipfSampler::new(ranks, theta);
        let mut stream = RandomStream::new(7, "zipf");
        let mut counts = vec![0_u32; ranks as usize];
        for _ in 0..DRAWS {
            counts[law.draw(&mut stream) as usize - 1] += 1;
        }
        let weight = |rank: usize| (rank as f64 + 1.0).powf(-theta);
        let weights: f64 = (0..counts.len()).map(weight).sum();
        let term = |(rank, &count): (usize, &u32)| {
            let expected = f64::from(DRAWS) * weight(rank) / weights;
            (f64::from(count) - expected).powi(2) / expected
        };
        counts.iter().enumerate().map(term).sum()
    }

    #[test]
    fn ranks_follow_the_exact_law_by_chi_square() {
        // With 49 degrees of freedom, chi-square exceeds 85.4 once in a thousand.
        for theta in [0.01, 0.5, 0.99, 1.0, 1.000_000_000_1, 1.2, 2.0] {
            let statistic = chi_square(50, theta);
            assert!(statistic < 85.4, "theta {theta} gives {statistic}");
        }
    }

    #[test]
    fn a_slightly_different_theta_is_distinguished() {
        let law = ZipfSampler::new(50, 0.9);
        let mut stream = RandomStream::new(7, "zipf");
        let ones = (0..400_000).filter(|_| law.draw(&mut stream) == 1).count() as f64 / 400_000.0;
        let share = |theta: f64| 1.0 / (1..=50).map(|rank| f64::from(rank).powf(-theta)).sum::<f64>();
        assert!((ones - share(0.9)).abs() < 0.003 && (ones - share(0.95)).abs() > 0.01, "{ones}");
    }

    #[test]
    fn one_rank_is_always_drawn_and_many_stay_in_range() {
        let mut stream = RandomStream::new(1, "zipf");
        for theta in [0.01, 1.0, 5.0] {
            let (one, many) = (ZipfSampler::new(1, theta), ZipfSampler::new(1 << 45, theta));
            for _ in 0..2_000 {
                assert_eq!(one.draw(&mut stream), 1);
                assert!((1..=1 << 45).contains(&many.draw(&mut stream)));
            }
        }
    }
}
