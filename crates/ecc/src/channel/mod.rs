//! Bit errors of stored words.
//!
//! # What it models
//!
//! *Hard reads*: independent raw bit errors, uniform over the word. For curves, the number of errors is given
//! ([`flip_exactly`]). For drives, each bit is wrong with the raw bit error rate as probability
//! ([`flip_at_rate`]).
//!
//! *Soft reads*: further reads around the same threshold; see [`soft_reads`]. In this crate, "raw errors" are
//! always those of the hard read.
//!
//! # What is left out
//!
//! Differences between word lines, page types and cells. Different probabilities of 0 → 1 and 1 → 0 errors.
//! Data are assumed to be randomised before programming, as in real chips, so that errors are uniform.

pub mod soft_reads;

use venice_kernel::RandomStream;

pub use soft_reads::{ExtraReads, SoftChannel, SoftReads, SoftWord};

use crate::code::{CODEWORD_BITS, Codeword};

/// Inverts exactly `errors` different bits at random positions.
///
/// # Panics
/// Panics if `errors` exceeds the number of bits of a word.
pub fn flip_exactly(word: &mut Codeword, errors: u32, random: &mut RandomStream) {
    assert!(errors as usize <= CODEWORD_BITS, "a word has {CODEWORD_BITS} bits");
    let mut flipped = Codeword::ZERO;
    let mut left = errors;
    while left > 0 {
        let index = random.below(CODEWORD_BITS as u64) as usize;
        if !flipped.bit(index) {
            flipped.flip(index);
            left -= 1;
        }
    }
    *word = *word ^ flipped;
}

/// Sampler of bit error positions at a given raw bit error rate.
///
/// Distances between errors are geometrically distributed, so the cost is proportional to the number of
/// errors, not of bits. A distance is sampled by inversion with a guide table: the leading digits of the draw
/// select a starting value for a short linear search.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorDraws {
    /// Cumulative distribution of the gaps between errors: element i is the smallest draw for which the gap
    /// exceeds i. No draw reaches the last element, so a search always ends.
    longer_from: Vec<u64>,
    /// Guide table: the smallest gap that a draw can have, indexed by the leading digits of the draw.
    first: Vec<u16>,
}

/// Number of random binary digits in a draw, equal to the precision of an `f64` in [0, 1).
const DIGITS: u32 = 53;
/// Number of leading binary digits of a draw that index the guide table.
const FIRST_DIGITS: u32 = 12;
/// Capacity of the buffer that collects error positions before they are appended to a vector.
const GATHERED: usize = 256;

impl ErrorDraws {
    /// Returns a sampler for a raw bit error rate from 0 to 1.
    pub fn new(rate: f64) -> Self {
        // At rate 1 the logarithm is −∞, and every gap is 0.
        let scale = libm::log1p(-rate);
        let within = |gap: usize| -libm::expm1(gap as f64 * scale);
        let draws = (1_u64 << DIGITS) as f64;
        let longer_from = (1..=CODEWORD_BITS).map(|gap| libm::ceil(within(gap) * draws) as u64);
        let longer_from: Vec<u64> = longer_from.chain([u64::MAX]).collect();
        let first = (0..1_u64 << FIRST_DIGITS).map(|digits| {
            let least = digits << (DIGITS - FIRST_DIGITS);
            longer_from.partition_point(|&from| from <= least) as u16
        });
        Self { first: first.collect(), longer_from }
    }

    /// Draws the errors of a word, and calls `at` with the position of each in ascending order. Returns the
    /// number of errors.
    pub fn draw(&self, random: &mut RandomStream, mut at: impl FnMut(usize)) -> u32 {
        let mut errors = 0;
        let mut index = self.gap(random);
        while index < CODEWORD_BITS {
            at(index);
            errors += 1;
            index += 1 + self.gap(random);
        }
        errors
    }

    /// Draws the error positions of `WORDS` words, with the same result as repeated calls of [`Self::draw`].
    /// Appends the positions of all words to `places`. Returns, for each word, the length of `places` after
    /// its positions. These lengths are computed without a branch, which would be unpredictable.
    pub fn draw_words<const WORDS: usize>(
        &self,
        random: &mut RandomStream,
        places: &mut Vec<u16>,
    ) -> [usize; WORDS] {
        let mut stream = random.clone();
        let mut ends = [0; WORDS];
        let mut gathered = [0; GATHERED];
        let (mut word, mut held) = (0, 0);
        let mut index = self.gap(&mut stream);
        while word < WORDS {
            gathered[held] = index as u16;
            let is_within = index < CODEWORD_BITS;
            held += usize::from(is_within);
            ends[word] = places.len() + held;
            word += usize::from(!is_within);
            if held == GATHERED {
                places.extend_from_slice(&gathered);
                held = 0;
            }
            let from = if is_within { index + 1 } else { 0 };
            if word < WORDS {
                index = from + self.gap(&mut stream);
            }
        }
        places.extend_from_slice(&gathered[..held]);
        *random = stream;
        ends
    }

    /// Returns the number of correct bits before the next error, at most the length of a word.
    #[inline]
    fn gap(&self, random: &mut RandomStream) -> usize {
        let draw = random.next_u64() >> (u64::BITS - DIGITS);
        let mut gap = usize::from(self.first[(draw >> (DIGITS - FIRST_DIGITS)) as usize]);
        // The first step is taken in about half of all cases, further steps are rare.
        gap += usize::from(self.longer_from[gap] <= draw);
        while self.longer_from[gap] <= draw {
            gap += 1;
        }
        gap
    }
}

/// Inverts each bit with probability `rate`, a raw bit error rate from 0 to 1. Returns the number of inverted
/// bits.
pub fn flip_at_rate(word: &mut Codeword, rate: f64, random: &mut RandomStream) -> u32 {
    ErrorDraws::new(rate).draw(random, |index| word.flip(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_given_number_of_bits_is_flipped() {
        let mut random = RandomStream::new(1, "test");
        for errors in [0, 1, 72, 9216] {
            let mut word = Codeword::ZERO;
            flip_exactly(&mut word, errors, &mut random);
            assert_eq!(word.weight(), errors);
        }
    }

    #[test]
    fn the_rate_is_met_in_mean_and_variance() {
        let (rate, words) = (0.005, 4000);
        let mut random = RandomStream::new(2, "test");
        let draws = ErrorDraws::new(rate);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..words {
            let mut word = Codeword::ZERO;
            let errors = draws.draw(&mut random, |index| word.flip(index));
            assert_eq!(word.weight(), errors);
            sum += f64::from(errors);
            squares += f64::from(errors).powi(2);
        }
        let mean = sum / f64::from(words);
        let variance = squares / f64::from(words) - mean * mean;
        // Binomial mean and variance are 46.08 and 45.85; their standard errors are 0.107 and 1.03.
        assert!((mean - 46.08).abs() < 0.43, "{mean}");
        assert!((variance - 45.85).abs() < 4.2, "{variance}");
    }

    #[test]
    fn a_gap_that_is_looked_up_is_the_one_that_is_computed() {
        for rate in [1e-6, 0.00148, 0.0082, 0.3] {
            let draws = ErrorDraws::new(rate);
            let mut random = RandomStream::new(6, "gaps");
            let mut same = random.clone();
            for _ in 0..20_000 {
                let computed = libm::log(1.0 - same.unit()) / libm::log1p(-rate);
                assert_eq!(draws.gap(&mut random), (computed as usize).min(CODEWORD_BITS), "{rate}");
            }
        }
    }

    #[test]
    fn words_drawn_together_are_those_drawn_one_by_one() {
        for rate in [0.0, 1e-5, 0.00148, 0.0082, 0.3, 1.0] {
            let draws = ErrorDraws::new(rate);
            let mut random = RandomStream::new(7, "words");
            let mut same = random.clone();
            let mut places = vec![7; 3];
            let ends = draws.draw_words::<5>(&mut random, &mut places);
            let mut expected = vec![7; 3];
            let each = ends.map(|_| {
                draws.draw(&mut same, |place| expected.push(place as u16));
                expected.len()
            });
            assert_eq!((ends, places), (each, expected), "{rate}");
            // Both generators are in the same state afterwards.
            assert_eq!(random.next_u64(), same.next_u64(), "{rate}");
        }
    }

    #[test]
    fn errors_are_spread_evenly_over_the_word() {
        let mut random = RandomStream::new(3, "test");
        let mut cells = [0_u32; 8];
        for _ in 0..500 {
            let mut word = Codeword::ZERO;
            flip_at_rate(&mut word, 0.01, &mut random);
            for (cell, columns) in cells.iter_mut().zip(word.columns().chunks(9)) {
                *cell += columns.iter().map(|column| column.count_ones()).sum::<u32>();
            }
        }
        // The expected count of each cell is 5,760. With 7 degrees of freedom, chi-square exceeds 24.3 with
        // probability 0.001.
        let chi_square: f64 = cells.iter().map(|&n| (f64::from(n) - 5760.0).powi(2) / 5760.0).sum();
        assert!(chi_square < 24.3, "{cells:?} gives {chi_square}");
    }

    #[test]
    fn rates_of_zero_and_one_flip_no_bit_and_every_bit() {
        let mut random = RandomStream::new(4, "test");
        let mut word = Codeword::ZERO;
        assert_eq!(flip_at_rate(&mut word, 0.0, &mut random), 0);
        assert_eq!(flip_at_rate(&mut word, 1.0, &mut random), 9216);
        assert_eq!(word.weight(), 9216);
    }
}
