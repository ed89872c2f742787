//! What the cells do to a stored word.
//!
//! # What it models
//!
//! *Hard reads*: raw bit errors, independent and uniform over the word: exactly as many as asked for ([`flip_exactly`],
//! for curves), or each bit with the raw bit error rate ([`flip_at_rate`], for drives).
//!
//! *Soft reads*: further reads around the same threshold; see [`soft`]. "Raw errors" always counts the hard read.
//!
//! # What is left out
//!
//! Differences between word lines, page types and cells, and the asymmetry of 0 → 1 and 1 → 0: data are taken as randomised before
//! programming, as chips do, so that errors look uniform.

pub mod soft;

use venice_kernel::RandomStream;

pub use soft::{ExtraReads, SoftChannel, SoftWord};

use crate::code::{BLOCK_ROWS, CODEWORD_BITS, Codeword, Syndrome, toggle_bit};

/// Inverts exactly this many different bits.
///
/// # Panics
/// When the word has fewer bits.
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

/// Inverts each bit with probability `rate`, a raw bit error rate from 0 to 1, and says how many.
pub fn flip_at_rate(word: &mut Codeword, rate: f64, random: &mut RandomStream) -> u32 {
    errors_at_rate(rate, random, |index| word.flip(index))
}

/// The same, and the syndrome of what was flipped: cheap where bits are few.
pub fn flip_with_syndrome(word: &mut Codeword, rate: f64, random: &mut RandomStream) -> Syndrome {
    let mut syndrome = [0; BLOCK_ROWS];
    errors_at_rate(rate, random, |index| {
        word.flip(index);
        toggle_bit(&mut syndrome, index);
    });
    syndrome
}

/// The number of errors that [`flip_at_rate`] would make, from the same draws.
pub fn count_at_rate(rate: f64, random: &mut RandomStream) -> u32 {
    errors_at_rate(rate, random, |_| ())
}

/// Names the bits that are wrong.
///
/// The gaps between errors are geometric, so that the cost is that of the errors and not of the bits.
fn errors_at_rate(rate: f64, random: &mut RandomStream, mut at: impl FnMut(usize)) -> u32 {
    let mut errors = 0;
    if rate > 0.0 {
        let scale = libm::log1p(-rate).recip();
        let mut index = gap(scale, random);
        while index < CODEWORD_BITS {
            at(index);
            errors += 1;
            index = index.saturating_add(1).saturating_add(gap(scale, random));
        }
    }
    errors
}

/// Bits without an error before the next one; `scale` is 1 / ln(1 − rate).
fn gap(scale: f64, random: &mut RandomStream) -> usize {
    // 1 − u is in (0, 1], so that the logarithm is finite.
    (libm::log(1.0 - random.unit()) * scale) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_as_many_bits_are_flipped_as_asked_for() {
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
        let (mut again, mut third) = (random.clone(), random.clone());
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..words {
            let mut word = Codeword::ZERO;
            let errors = flip_at_rate(&mut word, rate, &mut random);
            assert_eq!(word.weight(), errors);
            let mut same = Codeword::ZERO;
            let syndrome = flip_with_syndrome(&mut same, rate, &mut third);
            assert_eq!((same, syndrome), (word, crate::code::syndrome(&word)));
            assert_eq!(count_at_rate(rate, &mut again), errors);
            sum += f64::from(errors);
            squares += f64::from(errors).powi(2);
        }
        let mean = sum / f64::from(words);
        let variance = squares / f64::from(words) - mean * mean;
        // Binomial: 46.08 and 45.85; the standard errors are 0.107 and 1.03.
        assert!((mean - 46.08).abs() < 0.43, "{mean}");
        assert!((variance - 45.85).abs() < 4.2, "{variance}");
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
        // 5,760 expected in each cell; 24.3 is exceeded once in a thousand at 7 degrees of freedom.
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
