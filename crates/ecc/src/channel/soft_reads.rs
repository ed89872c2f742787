//! Soft reads: repeated reads of a page with shifted thresholds, which determine the reliability of each bit.
//!
//! # What it models
//!
//! On each side of a read threshold is one state of the cells. The threshold voltages of these two states are
//! normally distributed about −1 and +1, with equal standard deviation σ. The hard read compares with 0; its
//! error rate is Q(1/σ), which determines σ. Two extra reads, at ±δ, divide each side into 2 regions; six, at
//! ±δ, ±2δ and ±3δ, into 4. The *strength* of a bit is its region, 0 next to the threshold.
//!
//! Strengths are drawn **conditionally** on the hard read. For wrong bits they are drawn from the tail of the
//! distribution beyond the threshold, for correct bits from the remainder. Soft reads therefore do not change
//! the raw errors of a page.
//!
//! # How
//!
//! δ is a constant of the chip ([`ExtraReads::step`]), because the chip does not know its σ. The constant
//! maximises the mutual information of bit and region at [`DESIGN_RATE`]. The decoder's likelihood ratios are
//! constants for the same reason.
//!
//! # What is left out
//!
//! More distant states, unequal σ, and noise between reads. A page of multi-bit cells has several thresholds;
//! their extra reads are counted together as two or six.

use venice_kernel::RandomStream;
use venice_params::choices;

use crate::code::{CODEWORD_BITS, Codeword};

/// Raw bit error rate for which thresholds and likelihoods are optimised: 140 errors in 9,216 bits, a typical
/// rate at which soft decoding is needed.
pub const DESIGN_RATE: f64 = 140.0 / CODEWORD_BITS as f64;

/// Maximum number of regions on each side of the hard threshold.
pub const MAX_REGIONS: usize = 4;

/// Number of extra reads after the hard read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtraReads {
    /// Two extra reads, which divide the voltages on each side of the hard threshold into two regions.
    Two,
    /// Six extra reads, which divide the voltages on each side of the hard threshold into four regions.
    Six,
}

/// Maximum number of extra reads for soft decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SoftReads {
    /// No extra reads: hard decoding only.
    None,
    /// At most two extra reads.
    Two,
    /// Two extra reads; if decoding still fails, six more.
    Six,
}

choices! {
    SoftReads, "number of extra reads": "none" => None, "two" => Two, "six" => Six;
}

impl ExtraReads {
    /// Returns the number of extra reads.
    pub const fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Six => 6,
        }
    }

    /// Returns the number of regions on each side of the hard threshold.
    pub const fn regions(self) -> usize {
        self.count() as usize / 2 + 1
    }

    /// Returns δ: the distance of neighbouring thresholds, relative to the distance of a state's mean from
    /// the hard threshold.
    pub const fn step(self) -> f64 {
        match self {
            Self::Two => 0.33,
            Self::Six => 0.18,
        }
    }

    /// Returns the log-likelihood ratio ln(P(correct) / P(wrong)) of each region at [`DESIGN_RATE`].
    pub fn likelihoods(self) -> [f64; MAX_REGIONS] {
        let (wrong, right) = region_probabilities(self, deviation(DESIGN_RATE));
        let odds = (1.0 - DESIGN_RATE) / DESIGN_RATE;
        std::array::from_fn(|i| if i < self.regions() { libm::log(odds * right[i] / wrong[i]) } else { 0.0 })
    }
}

/// Result of a hard read and extra reads of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftWord {
    /// Result of the hard read.
    pub hard: Codeword,
    /// Strength of each bit as a two-digit binary number: the low digits of all bits, then their high digits.
    pub strength: [Codeword; 2],
    /// Number of extra reads that determined the strengths.
    pub reads: ExtraReads,
}

impl SoftWord {
    /// Returns the strength of bit `index`; 0 is the least reliable.
    pub fn strength_of(&self, index: usize) -> usize {
        usize::from(self.strength[0].bit(index)) | usize::from(self.strength[1].bit(index)) << 1
    }
}

/// Model of the cells of a page, which simulates extra reads at a given raw bit error rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftChannel {
    reads: ExtraReads,
    limits: StrengthLimits,
}

impl SoftChannel {
    /// Returns the channel with the raw bit error rate `rate` of hard reads, clamped to 1e-9 … 0.4.
    pub fn new(rate: f64, reads: ExtraReads) -> Self {
        let (wrong, right) = region_probabilities(reads, deviation(rate.clamp(1e-9, 0.4)));
        Self { reads, limits: digits([wrong, right].map(limits)) }
    }

    /// Simulates the extra reads of a word. `stored` is the correct word, `hard` the result of its hard read.
    pub fn read(&self, stored: &Codeword, hard: &Codeword, random: &mut RandomStream) -> SoftWord {
        let strength = self.strengths(&(*stored ^ *hard), random);
        SoftWord { hard: *hard, strength, reads: self.reads }
    }

    /// Returns the number of extra reads that the channel simulates.
    pub const fn reads(&self) -> ExtraReads {
        self.reads
    }

    /// Draws the strength, 0 to 3, of each bit of a word. The bits in `wrong` are errors of the hard read.
    /// Returns two masks: the low and the high binary digits of the strengths.
    pub fn strengths(&self, wrong: &Codeword, random: &mut RandomStream) -> [Codeword; 2] {
        pulp::Arch::new().dispatch(Strengths { channel: self, wrong, random })
    }
}

/// Limits for the random draw of a strength, for wrong and for correct bits: a draw below limit *i* has at
/// most strength *i*. The binary digits of a limit are stored from the highest to the lowest. Each digit is a
/// machine word of all ones or all zeros, because compilers generate branches for single bits.
type StrengthLimits = [[[u64; 2]; MAX_REGIONS - 1]; u64::BITS as usize];

fn digits([wrong, right]: [[u64; MAX_REGIONS - 1]; 2]) -> StrengthLimits {
    std::array::from_fn(|index| {
        let digit = |limit: u64| (limit >> (u64::BITS as usize - 1 - index) & 1).wrapping_neg();
        std::array::from_fn(|at| [digit(wrong[at]), digit(right[at])])
    })
}

/// Number of machine words in a codeword.
const UNITS: usize = CODEWORD_BITS / u64::BITS as usize;
/// Number of machine words processed together.
const GROUP: usize = 16;
/// One binary digit for each bit of [`GROUP`] machine words.
type BitGroup = [u64; GROUP];

/// Kernel of [`SoftChannel::strengths`] for `pulp`, compiled for each vector width.
///
/// Each bit has its own 64-bit random number, which is compared with the limits, starting at the highest
/// digit. One draw of a random stream supplies one digit for each of 64 bits, and few digits are needed.
struct Strengths<'a> {
    channel: &'a SoftChannel,
    wrong: &'a Codeword,
    random: &'a mut RandomStream,
}

impl pulp::WithSimd for Strengths<'_> {
    type Output = [Codeword; 2];

    #[inline]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [Codeword; 2] {
        let mut streams = GroupGenerator::seeded(self.random);
        let mut strength = [Codeword::ZERO; 2];
        for first in (0..UNITS).step_by(GROUP) {
            let wrong = units(self.wrong, first);
            let regions = match self.channel.reads {
                ExtraReads::Two => regions_of::<1>(&self.channel.limits, &wrong, &mut streams),
                ExtraReads::Six => regions_of::<3>(&self.channel.limits, &wrong, &mut streams),
            };
            for (strength, regions) in strength.iter_mut().zip(&regions) {
                let columns = strength.columns_mut()[first / 2..].iter_mut();
                for (column, [low, high]) in columns.zip(regions.as_chunks::<2>().0) {
                    *column = u128::from(*low) | u128::from(*high) << 64;
                }
            }
        }
        strength
    }
}

#[inline]
fn units(word: &Codeword, first: usize) -> BitGroup {
    let mut units = [0; GROUP];
    for (units, column) in units.as_chunks_mut::<2>().0.iter_mut().zip(&word.columns()[first / 2..]) {
        *units = [*column as u64, (*column >> 64) as u64];
    }
    units
}

/// Draws the region of each bit of a group of machine words. Returns the low and the high binary digits of
/// the regions.
#[inline]
fn regions_of<const LIMITS: usize>(
    limits: &StrengthLimits,
    wrong: &BitGroup,
    streams: &mut GroupGenerator,
) -> [BitGroup; 2] {
    // For each limit: mask of random numbers known to be above it, and mask of those equal to it so far.
    let mut beyond = [[0; GROUP]; LIMITS];
    let mut same = [[u64::MAX; GROUP]; LIMITS];
    for limits in limits {
        let mut drawn = [0; GROUP];
        streams.draw(&mut drawn);
        let mut any_same = 0;
        for at in 0..LIMITS {
            let [of_wrong, of_right] = limits[at];
            let (beyond, same) = (&mut beyond[at], &mut same[at]);
            for unit in 0..GROUP {
                let limit = (of_wrong & wrong[unit]) | (of_right & !wrong[unit]);
                beyond[unit] |= same[unit] & drawn[unit] & !limit;
                same[unit] &= !(drawn[unit] ^ limit);
                any_same |= same[unit];
            }
        }
        if any_same == 0 {
            break;
        }
    }
    let mut regions = [[0; GROUP]; 2];
    for unit in 0..GROUP {
        let mut reached = [0; MAX_REGIONS - 1];
        for at in 0..LIMITS {
            reached[at] = beyond[at][unit] | same[at][unit];
        }
        regions[0][unit] = (reached[0] & !reached[1]) | reached[2];
        regions[1][unit] = reached[1];
    }
    regions
}

/// Parallel xoshiro256++ generators, one for each machine word of a group.
///
/// Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM Transactions on
/// Mathematical Software 2021.
struct GroupGenerator([BitGroup; 4]);

impl GroupGenerator {
    #[inline]
    fn seeded(random: &mut RandomStream) -> Self {
        let mut states = [[0; GROUP]; 4];
        for state in states.as_flattened_mut() {
            *state = random.next_u64();
        }
        Self(states)
    }

    /// Draws 64 random bits from each generator.
    #[inline]
    fn draw(&mut self, drawn: &mut BitGroup) {
        let [a, b, c, d] = &mut self.0;
        for unit in 0..GROUP {
            drawn[unit] = a[unit].wrapping_add(d[unit]).rotate_left(23).wrapping_add(a[unit]);
            let shifted = b[unit] << 17;
            c[unit] ^= a[unit];
            d[unit] ^= b[unit];
            b[unit] ^= c[unit];
            a[unit] ^= d[unit];
            c[unit] ^= shifted;
            d[unit] = d[unit].rotate_left(45);
        }
    }
}

/// Returns the conditional probability of each region, for wrong and for correct bits; each array sums to 1.
fn region_probabilities(reads: ExtraReads, sigma: f64) -> ([f64; MAX_REGIONS], [f64; MAX_REGIONS]) {
    let beyond = |border: f64, mean: f64| tail((border - mean) / sigma);
    let side = |mean: f64| {
        let regions = reads.regions();
        let from = |i: usize| beyond(i as f64 * reads.step(), mean);
        let to = |i: usize| if i + 1 == regions { 0.0 } else { from(i + 1) };
        let part = |i: usize| if i < regions { (from(i) - to(i)) / from(0) } else { 0.0 };
        std::array::from_fn(part)
    };
    (side(-1.0), side(1.0))
}

/// Converts probabilities of regions to cumulative 64-bit limits. Limits of absent regions are never reached.
fn limits(parts: [f64; MAX_REGIONS]) -> [u64; MAX_REGIONS - 1] {
    let mut sum = 0.0;
    std::array::from_fn(|i| {
        sum += parts[i];
        if parts[i + 1..].iter().all(|&part| part == 0.0) { u64::MAX } else { (sum * 2_f64.powi(64)) as u64 }
    })
}

/// Returns Q(x), the probability that a standard normal variable exceeds x.
fn tail(x: f64) -> f64 {
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

/// Solves Q(1/σ) = `rate` for σ by bisection.
fn deviation(rate: f64) -> f64 {
    let (mut low, mut high) = (0.01, 100.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *(if tail(middle.recip()) < rate { &mut low } else { &mut high }) = middle;
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::flip_exactly;

    /// Returns the mutual information of bit and region in bits, at the design rate and with threshold
    /// distance `step`.
    fn information(reads: ExtraReads, step: f64) -> f64 {
        let sigma = deviation(DESIGN_RATE);
        let beyond = |i: usize, mean: f64| tail((i as f64 * step - mean) / sigma);
        let part = |i: usize, mean| {
            beyond(i, mean) - if i + 1 == reads.regions() { 0.0 } else { beyond(i + 1, mean) }
        };
        let term = |p: f64, q: f64| p * (2.0 * p / (p + q)).log2();
        (0..reads.regions())
            .map(|i| (part(i, 1.0), part(i, -1.0)))
            .map(|(p, q)| term(p, q) + term(q, p))
            .sum()
    }

    #[test]
    fn the_thresholds_stand_where_a_read_tells_most() {
        for reads in [ExtraReads::Two, ExtraReads::Six] {
            let best = (1..100).max_by(|&a, &b| {
                let at = |i: i32| information(reads, f64::from(i) / 100.0);
                at(a).total_cmp(&at(b))
            });
            assert_eq!(best.map(|i| f64::from(i) / 100.0), Some(reads.step()), "{reads:?}");
        }
    }

    #[test]
    fn the_deviation_gives_the_rate_back() {
        for rate in [1e-6, 1e-3, DESIGN_RATE, 0.1] {
            assert!((tail(deviation(rate).recip()) / rate - 1.0).abs() < 1e-9);
        }
        // Q(2.3263) = 0.01 in tables of the normal distribution.
        assert!((deviation(0.01).recip() - 2.3263).abs() < 1e-4);
    }

    #[test]
    fn surer_regions_have_greater_likelihoods() {
        for reads in [ExtraReads::Two, ExtraReads::Six] {
            let likelihoods = reads.likelihoods();
            assert!(likelihoods[0] > 0.0);
            assert!(
                likelihoods[..reads.regions()].windows(2).all(|pair| pair[0] < pair[1]),
                "{likelihoods:?}"
            );
        }
    }

    #[test]
    fn drawn_strengths_have_the_regions_probabilities() {
        let mut random = RandomStream::new(5, "test");
        for reads in [ExtraReads::Two, ExtraReads::Six] {
            let channel = SoftChannel::new(DESIGN_RATE, reads);
            let mut counts = [[0.0; MAX_REGIONS]; 2];
            for _ in 0..60 {
                let mut hard = Codeword::ZERO;
                flip_exactly(&mut hard, 140, &mut random);
                let read = channel.read(&Codeword::ZERO, &hard, &mut random);
                assert_eq!((read.hard, read.reads), (hard, reads));
                for index in 0..CODEWORD_BITS {
                    counts[usize::from(!hard.bit(index))][read.strength_of(index)] += 1.0;
                }
            }
            let (wrong, right) = region_probabilities(reads, deviation(DESIGN_RATE));
            for (counts, expected) in counts.iter().zip([wrong, right]) {
                let all: f64 = counts.iter().sum();
                for (count, p) in counts.iter().zip(expected) {
                    let slack = 4.0 * (p * (1.0 - p) / all).sqrt();
                    assert!((count / all - p).abs() <= slack, "{reads:?}: {count} of {all} for {p}");
                }
            }
        }
    }

    #[test]
    fn out_of_range_rates_are_taken_as_the_nearest() {
        assert_eq!(SoftChannel::new(0.0, ExtraReads::Two), SoftChannel::new(1e-9, ExtraReads::Two));
        assert_eq!(SoftChannel::new(0.9, ExtraReads::Six), SoftChannel::new(0.4, ExtraReads::Six));
    }
}
